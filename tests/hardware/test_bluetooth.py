"""Messages of Pixels and GoDice; a fake bleak replaces the radio."""

from __future__ import annotations

import asyncio
import sys
import time
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.bluetooth_codec import (
    GODICE_NOTIFY,
    PIXELS_NOTIFY,
    PIXELS_WRITE,
    UART,
    GoDiceReader,
    PixelsReader,
    godice_face,
    is_six_sided,
)
from hardware.bluetooth_dice import BluetoothDice, BluetoothUnavailable, Make
from hardware.dice_protocol import RollLine
from hardware.link import LinkState
from rules.engine.dice import Die
from tests.waiting import until

# IAmADie of a die on the older firmware, 22 bytes: message 2, LEDs, colour, kind, profile hash, id, free flash, build
# time, roll state, face, battery, charging. Kinds: 2 a d6, 7 a d20, 8 a d6 with pips, 9 a Fudge die.
D6, D20, PIPPED, FUDGE = (
    bytes.fromhex(f"02 06 01 {kind:02x} 00000000 78563412 0010 00c04e65 01 03 50 00") for kind in (2, 7, 8, 9)
)
HANDLING, ROLLING = b"\x03\x02\x00", b"\x03\x03\x00"


def rolled(face_index: int) -> bytes:
    return bytes((3, 1, face_index))


def read_all(reader, *messages: bytes) -> list[RollLine]:
    return [roll for roll in map(reader.read, messages) if roll is not None]


class TestPixels:
    def test_a_roll_is_a_rest_after_rolling(self) -> None:
        found = read_all(PixelsReader("Ann"), D6, HANDLING, ROLLING, rolled(3), ROLLING, rolled(0))
        assert found == [RollLine(Die.D6, 4, "Ann", 1), RollLine(Die.D6, 1, "Ann", 2)]  # faces count from 0

    @pytest.mark.parametrize(
        "messages",
        [
            [rolled(3)],  # at rest when it was found
            [ROLLING, b"\x03\x05\x03"],  # state 5: set down on a face
            [ROLLING, b"\x03\x00\x03"],
            [ROLLING, rolled(3)[:2]],
            [ROLLING, rolled(9)],  # an unknown face
        ],
    )
    def test_other_messages_are_not_rolls(self, messages: list[bytes]) -> None:
        assert read_all(PixelsReader("Ann"), D6, *messages) == []

    def test_a_rest_counts_once(self) -> None:
        assert len(read_all(PixelsReader("Ann"), D6, ROLLING, rolled(3), rolled(3))) == 1

    def test_a_crooked_die_is_cocked(self) -> None:
        assert read_all(PixelsReader("Ann"), PIPPED, ROLLING, b"\x03\x04\x02") == [
            RollLine(Die.D6, 3, "Ann", 1, cocked=True)
        ]

    def test_other_kinds(self) -> None:
        assert read_all(PixelsReader("Ann"), D20, ROLLING, rolled(3)) == []
        (fudge,) = read_all(PixelsReader("Ann"), FUDGE, ROLLING, rolled(5))
        assert (fudge.die, fudge.face) == (Die.FUDGE, 1)
        assert "never verified" in fudge.doubt
        (untold,) = read_all(PixelsReader("Ann"), ROLLING, rolled(5))
        assert (untold.face, bool(untold.doubt)) == (6, True)

    def test_an_advertisement(self) -> None:
        # LEDs (21: a d6 with pips, 6: a plain d6, 20: a d20), colourway 1, at rest on index 2, charging (128) at 80 %.
        assert is_six_sided(bytes((21, 1, 1, 2, 128 + 80)))
        assert is_six_sided(bytes((6, 1, 1, 2, 80)))
        assert not is_six_sided(bytes((20, 1, 1, 2, 80)))
        assert not is_six_sided(bytes((21, 1)))
        assert not is_six_sided(b"")


class TestGoDice:
    # The vectors of Particula's examples: acceleration along the die's axes in 1/64 g.
    @pytest.mark.parametrize(
        ("message", "face"),
        [
            ("53 c0 00 00", 1), ("53 00 00 40", 2), ("53 00 40 00", 3),
            ("53 00 c0 00", 4), ("53 00 00 c0", 5), ("53 40 00 00", 6), ("53 3a 0c f8", 6),
        ],
    )  # fmt: skip
    def test_a_stable_roll(self, message: str, face: int) -> None:
        found = read_all(GoDiceReader("Go"), b"R", bytes.fromhex(message))
        assert found == [RollLine(Die.D6, face, "Go", 1)]

    def test_a_tilted_die_is_cocked(self) -> None:
        (roll,) = read_all(GoDiceReader("Go"), b"R", b"TS\x00\x28\x28")
        assert roll.cocked

    @pytest.mark.parametrize("message", [b"FS\x40\x00\x00", b"MS\x40\x00\x00", b"Bat\x50", b"Col\x01", b"S\x40", b""])
    def test_other_messages_are_not_rolls(self, message: bytes) -> None:
        assert read_all(GoDiceReader("Go"), b"R", message) == []

    def test_a_rest_without_rolling_is_not_a_roll(self) -> None:
        assert read_all(GoDiceReader("Go"), b"S\x40\x00\x00") == []


@given(st.lists(st.binary(max_size=24)))
def test_random_bytes_do_no_harm(messages: list[bytes]) -> None:
    for reader in (PixelsReader("Ann"), GoDiceReader("Go")):
        for roll in read_all(reader, *messages):
            assert roll.face in roll.die.faces


@given(st.tuples(*[st.integers(-128, 127)] * 3))
def test_every_acceleration_is_a_face(pull: tuple[int, int, int]) -> None:
    assert godice_face(pull) in range(1, 7)


class Radio:
    """A fake bleak with one die, which sends its messages as soon as a client listens."""

    def __init__(self, name: str, messages: list[bytes], manufacturer: dict[int, bytes]) -> None:
        self.written: list[tuple[str, bytes]] = []
        self.notified: list[str] = []
        self.connected, self.searches = False, 0
        self.exc = SimpleNamespace(BleakError=type("BleakError", (Exception,), {}))
        radio, advert = self, SimpleNamespace(service_uuids=[UART], manufacturer_data=manufacturer)

        class Scanner:
            @staticmethod
            async def discover(timeout: float, return_adv: bool):
                radio.searches += 1
                await asyncio.sleep(0)
                return {"aa": (SimpleNamespace(name=name, address="aa"), advert)}

        class Client:
            def __init__(self, device, disconnected_callback) -> None:
                self.gone = disconnected_callback

            async def connect(self) -> None:
                radio.connected = True

            async def start_notify(self, characteristic, heard) -> None:
                radio.notified.append(characteristic)
                for message in messages:
                    heard(0, bytearray(message))

            async def write_gatt_char(self, characteristic, data) -> None:
                radio.written.append((characteristic, data))

            async def disconnect(self) -> None:
                radio.connected = False
                self.gone(self)

        self.BleakScanner, self.BleakClient = Scanner, Client


@pytest.mark.parametrize(
    ("make", "name", "messages", "manufacturer", "characteristic"),
    [
        (Make.PIXELS, "Ann", [D6, ROLLING, rolled(3)], {0xFFFF: bytes((6, 1, 1, 2, 80))}, PIXELS_NOTIFY),
        (Make.GODICE, "GoDice_1", [b"R", b"S\x00\xc0\x00"], {}, GODICE_NOTIFY),
    ],
)
def test_dice_are_found_and_read(make, name, messages, manufacturer, characteristic) -> None:
    radio = Radio(name, messages, manufacturer)
    dice = BluetoothDice(make, lambda: 7.0, radio)
    heard: list[tuple[RollLine, float]] = []
    until(lambda: dice.status.state is LinkState.UP and heard, lambda: heard.extend(dice.arrivals()))
    assert heard == [(RollLine(Die.D6, 4, name, 1), 7.0)]
    assert dice.status.port == name
    assert radio.notified == [characteristic]
    assert radio.written == ([(PIXELS_WRITE, b"\x01")] if make is Make.PIXELS else [])
    dice.close()
    assert not radio.connected
    assert dice.status.state is LinkState.CLOSED


def test_other_dice_are_ignored() -> None:
    radio = Radio("Twenty", [], {0xFFFF: bytes((20, 1, 1, 2, 80))})
    dice = BluetoothDice(Make.PIXELS, time.monotonic, radio)
    until(lambda: radio.searches > 1)
    dice.close()
    assert radio.notified == []


def test_a_disabled_radio_is_reported() -> None:
    radio = Radio("Ann", [], {})

    async def off(timeout: float, return_adv: bool):
        raise radio.exc.BleakError("no adapter")

    radio.BleakScanner.discover = off
    dice = BluetoothDice(Make.PIXELS, time.monotonic, radio)
    until(lambda: "Bluetooth does not respond (no adapter)" in dice.status.error)
    dice.close()


def test_a_missing_package_is_reported_with_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "bleak", None)
    with pytest.raises(BluetoothUnavailable, match="pip install bleak"):
        BluetoothDice(Make.PIXELS, time.monotonic)
