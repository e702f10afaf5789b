"""Byte vectors of the Adalight format, and frames found in any stream."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.adalight import Decoder, encode

colour = st.tuples(*[st.integers(0, 255)] * 3)
frame = st.lists(colour, min_size=1, max_size=40).map(tuple)


def test_one_red_led() -> None:
    assert encode([(255, 0, 0)]).hex(" ") == "41 64 61 00 00 55 ff 00 00"


# High and low byte of N - 1, and high ^ low ^ 0x55: 59 = 0x3b, 0x3b ^ 0x55 = 0x6e, and so on.
@pytest.mark.parametrize(
    ("leds", "header"), [(60, "00 3b 6e"), (144, "00 8f da"), (256, "00 ff aa"), (257, "01 00 54"), (300, "01 2b 7f")]
)
def test_headers(leds: int, header: str) -> None:
    sent = encode([(0, 0, 0)] * leds)
    assert sent[:6].hex(" ") == "41 64 61 " + header
    assert len(sent) == 6 + 3 * leds


def test_an_invalid_number_of_leds_is_refused() -> None:
    with pytest.raises(ValueError, match="1 to 65536 LEDs, not 0"):
        encode([])
    with pytest.raises(ValueError, match="not 65537"):
        encode([(0, 0, 0)] * 65537)


@given(st.lists(frame, max_size=5), st.lists(st.integers(0, 200)))
def test_encoded_data_is_decoded_in_any_pieces(frames: list[tuple[tuple[int, int, int], ...]], cuts) -> None:
    stream, decoder, found = b"".join(encode(one) for one in frames), Decoder(), []
    edges = [0, *sorted(min(cut, len(stream)) for cut in cuts), len(stream)]
    for start, end in pairwise(edges):
        found += decoder.feed(stream[start:end])
    assert found == frames
    assert decoder.dropped == 0


@given(st.binary(max_size=300))
def test_random_bytes_do_no_harm(noise: bytes) -> None:
    decoder = Decoder(most_leds=10)
    found = decoder.feed(noise)
    for one in found:  # no frame is invented: each is part of the noise
        assert encode(one) in noise
    # Later frames are still decoded, after a frame started by the noise is complete: at most 6 + 30 bytes.
    decoder.feed(bytes(36))
    assert decoder.feed(encode([(1, 2, 3)] * 4)) == (((1, 2, 3),) * 4,)


def test_noise_is_counted_and_an_incomplete_frame_discarded() -> None:
    decoder, one = Decoder(), encode([(9, 8, 7)])
    assert decoder.feed(b"noAda\x00\x00\x00" + one) == (((9, 8, 7),),)
    assert decoder.dropped == 8
    decoder.feed(one[:7])
    decoder.reset()
    assert decoder.dropped == 15
    assert decoder.feed(one) == (((9, 8, 7),),)
