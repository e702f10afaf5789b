"""Valid lines, invalid lines, and random bytes."""

from __future__ import annotations

import json
import zlib
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.dice_protocol import LONGEST_LINE, REMEMBER_S, Decoder, Hello, Repeats, RollLine, encode, with_crc
from rules.engine.dice import Die

# Ids like those of devices: printable, and short enough for a line.
names = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=20)
rolls = st.sampled_from(Die).flatmap(
    lambda die: st.builds(
        RollLine,
        st.just(die),
        st.sampled_from(die.faces),
        names,
        st.none() | st.integers(0, 2**32),
        st.integers(0, 10_000_000).map(lambda ms: ms / 1000),
        st.booleans(),
    )
)
hellos = st.builds(Hello, st.integers(0, 9), st.none() | st.integers(0, 2**16))


def read(line: bytes) -> tuple[object, ...]:
    """The events of a single line."""
    return Decoder().feed(line + b"\n")


def test_the_lines_of_the_documentation() -> None:
    assert read(b'{"t":"hello","proto":1}') == (Hello(1),)
    assert read(b'{"t":"roll","id":"d1","sides":6,"face":4,"seq":17}') == (RollLine(Die.D6, 4, "d1", 17),)
    assert read(b'{"t":"roll","id":"f1","sides":"F","face":-1,"seq":3}') == (RollLine(Die.FUDGE, -1, "f1", 3),)
    assert read(b' {"t":"roll","sides":6,"face":2,"cocked":true,"age_ms":1500,"colour":"red"}\r') == (
        RollLine(Die.D6, 2, age_s=1.5, cocked=True),
    )


def test_a_line_with_its_checksum() -> None:
    # The CRC-32 of zip and PNG over everything before the last comma, as computed by zlib.
    body = b'{"t":"roll","id":"d1","sides":6,"face":4,"seq":17'
    line = encode(RollLine(Die.D6, 4, "d1", 17))
    assert line == body + b',"crc":"%08x"}\n' % zlib.crc32(body)
    assert json.loads(line)["face"] == 4
    assert Decoder().feed(line) == (RollLine(Die.D6, 4, "d1", 17),)
    assert Decoder().feed(line.replace(b'"face":4', b'"face":5')) == ()


@pytest.mark.parametrize(
    ("line", "faces"),
    [(b"4", [4]), (b"4 2 6", [4, 2, 6]), (b"1,2", [1, 2]), (b"+ - 0 +1 -1", [1, -1, 0, 1, -1]), (b"\t3\r", [3])],
)
def test_bare_numbers(line: bytes, faces: list[int]) -> None:
    decoder = Decoder()
    decoder.feed(b"\n")
    assert decoder.feed(line + b"\n") == tuple(RollLine(None, face) for face in faces)


@pytest.mark.parametrize(
    "line",
    [
        b"7", b"44", b"4.0", b"four", b"4;", b"-2", b"+-", b"4 7", b"\xb2", b"4\x00", b"1 " * 21, b",",
        b"{", b"[4]", b"null", b'"4"', b'{"face":4}', b'{"t":"roll","face":4}', b'{"t":"roll","sides":6,"face":7}',
        b'{"t":"roll","sides":6,"face":0}', b'{"t":"roll","sides":6,"face":4.0}', b'{"t":"roll","sides":6,"face":true}',
        b'{"t":"roll","sides":6,"face":"4"}', b'{"t":"roll","sides":"F","face":2}', b'{"t":"roll","sides":20,"face":4}',
        b'{"t":"roll","sides":6,"face":4,"id":7}', b'{"t":"roll","sides":6,"face":4,"seq":"1"}',
        b'{"t":"roll","sides":6,"face":4,"age_ms":-1}', b'{"t":"roll","sides":6,"face":4,"cocked":1}',
        b'{"t":"roll","sides":[6],"face":4}', b'{"t":"hello"}', b'{"t":"hello","proto":1,"boot":"x"}', b'{"t":"bye"}',
        b'{"t":"roll","sides":6,"face":4,"crc":"00000000"}', b'{"t":"roll","crc":4,"sides":6,"face":4}',
        b'{"t":"roll","sides":6,"face":4}{"t":"roll","sides":6,"face":4}',
        b'{"t":"roll","sides":6,"face":4,"note":"' + b"x" * LONGEST_LINE + b'"}',
    ],
)  # fmt: skip
def test_invalid_lines_are_counted_and_dropped(line: bytes) -> None:
    decoder = Decoder()
    assert decoder.feed(b"\n" + line + b"\n") == ()
    assert decoder.damaged == 1
    assert decoder.feed(b'{"t":"roll","sides":6,"face":4}\n') == (RollLine(Die.D6, 4),)


def test_the_first_bare_number_after_connecting_is_doubtful() -> None:
    # "-1" cut in two would be a 1; a JSON line is either complete or invalid.
    decoder = Decoder()
    first, second = decoder.feed(b"1\n1\n")
    assert "incomplete" in first.doubt
    assert second.doubt == ""
    decoder.reset()
    assert decoder.feed(encode(RollLine(Die.D6, 1)))[0].doubt == ""


def test_a_device_keeps_its_format() -> None:
    decoder = Decoder()
    decoder.feed(b"\n")
    assert decoder.feed(b"4\n") == (RollLine(None, 4),)
    decoder.feed(b'{"t":"hello","proto":1}\n')
    assert decoder.feed(b"4\n") == ()  # an incomplete line of a device that sends JSON
    plain = b'{"t":"roll","sides":6,"face":3}\n'
    assert len(decoder.feed(plain)) == 1
    decoder.feed(encode(Hello(1, 5)))
    assert decoder.feed(plain) == ()  # an incomplete line of a device that sends checksums
    decoder.reset()  # another device may be connected now
    assert len(decoder.feed(plain)) == 1


@given(st.lists(rolls | hellos, max_size=8), st.lists(st.integers(0, 900)))
@pytest.mark.slow
def test_encoded_data_is_decoded_in_any_pieces(events, cuts) -> None:
    stream, decoder, found = b"".join(map(encode, events)), Decoder(), []
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in pairwise(edges):
        found += decoder.feed(stream[start:end])
    assert found == events
    assert decoder.damaged == 0


@given(st.lists(st.binary(max_size=80) | rolls.map(encode) | st.sampled_from([b"4\n", b"\n", b"{", b'"}', b"-1"])))
@pytest.mark.slow
def test_random_bytes_do_not_create_rolls(parts: list[bytes]) -> None:
    decoder = Decoder()
    found = [event for part in parts for event in decoder.feed(part)]
    lines = b"".join(parts).split(b"\n")[:-1]
    assert decoder.damaged <= len(lines)
    for event in found:
        if isinstance(event, RollLine) and event.die is None:
            sign = {1: b"+", -1: b"-"}.get(event.face, b"?")
            assert any(b"%d" % event.face in line or sign in line for line in lines)
        elif isinstance(event, RollLine):
            assert any(encode(event).strip() in line for line in lines)


@given(rolls, st.data())
def test_a_damaged_line_with_a_checksum_is_never_another_roll(roll: RollLine, data) -> None:
    line = bytearray(encode(roll))
    at = data.draw(st.integers(0, len(line) - 1))
    decoder = Decoder()
    decoder.feed(encode(Hello(1, 1)))  # it sends checksums
    line[at] ^= data.draw(st.integers(1, 255))
    assert set(decoder.feed(bytes(line) + b"\n")) <= {roll}


@given(rolls, rolls, st.data())
@pytest.mark.slow
def test_two_merged_lines_are_not_a_third_roll(one: RollLine, two: RollLine, data) -> None:
    a, b = encode(one), encode(two)
    head, tail = data.draw(st.integers(0, len(a) - 1)), data.draw(st.integers(1, len(b)))
    decoder = Decoder()
    decoder.feed(encode(Hello(1, 1)))
    assert set(decoder.feed(a[:head] + b[tail:])) <= {one, two}


def test_with_crc_of_a_body() -> None:
    assert with_crc(b'{"t":"x"}').startswith(b'{"t":"x","crc":"')


class TestRepeats:
    roll = RollLine(Die.D6, 4, "d1", 17)

    def test_a_repeated_roll_counts_once(self) -> None:
        repeats = Repeats()
        assert repeats.is_new(self.roll, 0.0)
        assert not repeats.is_new(self.roll, 1.0)
        assert not repeats.is_new(replace(self.roll, age_s=2.0), 2.0)
        assert repeats.dropped == 2

    @pytest.mark.parametrize("other", [{"id": "d2"}, {"seq": 18}, {"face": 5}, {"seq": None}])
    def test_different_rolls_are_new(self, other: dict[str, object]) -> None:
        repeats = Repeats()
        assert repeats.is_new(self.roll, 0.0)
        assert repeats.is_new(replace(self.roll, **other), 0.1)

    def test_rolls_without_a_number_are_all_new(self) -> None:
        repeats, roll = Repeats(), replace(self.roll, seq=None)
        assert [repeats.is_new(roll, 0.0) for _ in range(3)] == [True] * 3

    def test_an_old_number_may_be_used_again(self) -> None:
        repeats = Repeats()
        assert repeats.is_new(self.roll, 0.0)
        assert repeats.is_new(self.roll, REMEMBER_S + 0.1)

    def test_a_late_first_hello_is_not_a_restart(self) -> None:
        repeats = Repeats()
        assert repeats.is_new(self.roll, 0.0)  # the hello before it was lost
        repeats.hello(Hello(1, boot=5))
        assert not repeats.is_new(self.roll, 0.3)

    def test_a_hello_without_a_number_is_a_restart(self) -> None:
        repeats = Repeats()
        assert repeats.is_new(self.roll, 0.0)
        repeats.hello(Hello(1))
        assert repeats.is_new(self.roll, 0.3)

    def test_a_restart_resets_the_numbers(self) -> None:
        repeats = Repeats()
        repeats.hello(Hello(1, boot=5))
        assert repeats.is_new(self.roll, 0.0)
        repeats.hello(Hello(1, boot=5))  # not a restart
        assert not repeats.is_new(self.roll, 0.1)
        repeats.hello(Hello(1, boot=6))
        assert repeats.is_new(self.roll, 0.2)
