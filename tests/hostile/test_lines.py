"""Bytes from a serial line or a die: only rolls that were sent, no exception, and bounded memory."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from hardware.adalight import Decoder as LightDecoder
from hardware.adalight import encode
from hardware.bluetooth_codec import GoDiceReader, PixelsReader, is_six_sided
from hardware.dice_protocol import Decoder as DiceDecoder
from hardware.dice_protocol import Hello, Repeats, RollLine
from rules.engine.dice import Die
from tests.hostile.nasty import NASTY, damaged, few, text_of

ROLLS = b"".join(
    (
        b'{"t":"hello","proto":1,"boot":4711}\n',
        b'{"t":"roll","id":"d1","sides":6,"face":4,"seq":17,"crc":"2c9d0f53"}\n',
        b'{"t":"roll","id":"f1","sides":"F","face":-1,"seq":3,"age_ms":20,"cocked":true}\n4\n+ - 0\n',
    )
)
LINES = st.fixed_dictionaries(
    {"t": st.sampled_from(("roll", "hello", "roll ", 1))},
    optional={
        key: st.sampled_from(NASTY)
        for key in ("id", "sides", "face", "seq", "age_ms", "cocked", "proto", "boot", "crc")
    },
).map(lambda said: text_of(said).encode() + b"\n")


@few
@given(chunks=st.lists(st.binary(max_size=60) | damaged(ROLLS) | LINES, max_size=8), resets=st.sets(st.integers(0, 8)))
def test_any_bytes_from_the_dice(chunks: list[bytes], resets: set[int]) -> None:
    decoder, repeats = DiceDecoder(), Repeats()
    for number, chunk in enumerate(chunks):
        if number in resets:
            decoder.reset()
        for event in decoder.feed(chunk):
            if isinstance(event, Hello):
                repeats.hello(event)
                continue
            assert isinstance(event, RollLine)
            assert event.face in (event.die or Die.D6).faces or event.die is None
            assert 0 <= event.age_s < 10**6
            repeats.is_new(event, -float(number))  # a clock that runs backwards
            assert isinstance(event.fits(Die.D6), bool)


@few
@given(messages=st.lists(st.binary(max_size=30), max_size=30))
def test_any_message_over_the_radio(messages: list[bytes]) -> None:
    readers = (PixelsReader("a"), GoDiceReader("b"))
    for message in messages:
        for reader in readers:
            roll = reader.read(message)
            assert roll is None or roll.die is None or roll.face in roll.die.faces
        is_six_sided(message)


@few
@given(chunks=st.lists(st.binary(max_size=60) | damaged(encode([(1, 2, 3)] * 5)), max_size=8))
def test_any_bytes_to_the_rod(chunks: list[bytes]) -> None:
    decoder = LightDecoder(most_leds=50)
    for chunk in chunks:
        for frame in decoder.feed(chunk):
            assert 1 <= len(frame) <= 50
        assert decoder.dropped >= 0


def test_an_endless_line_takes_no_memory() -> None:
    dice, light, adrift = DiceDecoder(), LightDecoder(), bytes(range(32, 127)) * 20
    tracemalloc.start()
    try:
        for _ in range(2000):  # 3.8 MB
            dice.feed(adrift)
            light.feed(adrift)
        held, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert held < 200_000
