"""The sketches, compiled for this computer against a fake board, exchange data with the program's codecs.

This proves that they are valid C++ with correct logic, not that they fit a board or its libraries.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from hardware.adalight import encode
from hardware.dice_protocol import Decoder, Hello, RollLine
from rules.engine.dice import Die

FIRMWARE = Path(__file__).parents[2] / "hardware" / "firmware"
BOARD = Path(__file__).parent / "pretended_board"

pytestmark = pytest.mark.skipif(shutil.which("g++") is None, reason="needs a C++ compiler")

# Each main function replaces the board's: its input is bytes, or advertisements in hex and pauses.
ROD_MAIN = """
int main() {
  setup();
  for (int byte; (byte = getchar()) != EOF;) Serial.in.push_back(byte);
  while (!Serial.in.empty()) loop();
  fputs(FastLED.shown.c_str(), stdout);
  const uint32_t start = millis();
  FastLED.shown.clear();
  while (millis() - start < 4000) loop();
  fputs(FastLED.shown.c_str(), stderr);
  fputs(Serial.out.c_str(), stderr);
}
"""
BRIDGE_MAIN = """
#include <iostream>
std::string bytes(const std::string &hex) {
  std::string all;
  for (size_t k = 0; k < hex.size(); k += 2) all += char(std::stoi(hex.substr(k, 2), nullptr, 16));
  return all;
}
int main() {
  setup();
  NimBLEAdvertisedDevice heard;
  std::string maker, info;
  while (std::cin >> maker >> info) {
    heard.maker = bytes(maker), heard.info = bytes(info);
    pretendedScan.ears->onResult(&heard);
    const uint32_t start = millis();
    while (millis() - start < 100) loop();
  }
  const uint32_t start = millis();
  while (millis() - start < 1800) loop();
  fputs(Serial.out.c_str(), stdout);
}
"""


def _built(name: str, main: str, folder: Path) -> Path:
    source, program = folder / f"{name}.cpp", folder / name
    sketch = FIRMWARE / name / f"{name}.ino"
    source.write_text(f'#include "Arduino.h"\n#include "{sketch}"\n{main}')
    strict = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter"]
    subprocess.run(["g++", *strict, f"-I{BOARD}", str(source), "-o", str(program)], check=True)
    return program


def test_the_rod_sketch_shows_received_frames(tmp_path: Path) -> None:
    rod = _built("range_rod", ROD_MAIN, tmp_path)
    whole = tuple((k, 2 * k, 255 - k) for k in range(60))
    short, long = ((9, 8, 7),) * 3, ((1, 2, 3),) * 70
    frames = encode(whole) + b"noise Adx" + encode(short) + b"Ada\x00\x01\x02" + encode(long)
    torn = encode(whole)[:50]
    done = subprocess.run([rod], input=frames + torn, capture_output=True, check=True)
    cleared, *shown = done.stdout.decode().split()
    assert set(cleared) == {"0"}
    dark = ((0, 0, 0),)
    wanted = [whole, short + dark * 57, long[:60]]  # a longer frame is cut, a shorter one is padded
    assert shown == ["".join(bytes(led).hex() for led in leds) for leds in wanted]
    after = done.stderr.decode().split()
    assert set(after[0]) == {"0"}  # without frames the rod goes dark
    assert after.count("Ada") >= 2  # once at the start, and again without frames


def _heard(leds: int, state: int, face_index: int, pixel: str = "78563412") -> str:
    return f"ffff{leds:02x}01{state:02x}{face_index:02x}50 {pixel}00c04e65\n"


def test_the_bridge_sketch_sends_rolls(tmp_path: Path) -> None:
    bridge = _built("pixels_bridge", BRIDGE_MAIN, tmp_path)
    rolling, handling, rolled, crooked, on_face = 3, 2, 1, 4, 5
    air = (
        _heard(6, rolled, 2)  # at rest: not a roll
        + _heard(6, rolling, 2) + _heard(6, rolled, 3) + _heard(6, rolled, 3)
        + _heard(20, rolling, 2) + _heard(20, rolled, 3)  # a d20
        + _heard(6, handling, 0) + _heard(6, on_face, 1)  # set down
        + _heard(21, rolling, 0, "efbeadde") + _heard(21, crooked, 5, "efbeadde")
        + "ffff06 00\n"
    )  # fmt: skip
    done = subprocess.run([bridge], input=air, capture_output=True, text=True, check=True)
    decoder = Decoder()
    events = decoder.feed(done.stdout.encode())
    assert decoder.damaged == 0
    assert events[0] == Hello(1, 0x5678)
    said = [event for event in events if isinstance(event, RollLine)]
    first, second = said[0], next(event for event in said if event.seq == 1)
    assert (first.die, first.face, first.id, first.cocked) == (Die.D6, 4, "px12345678", False)
    assert (second.face, second.id, second.cocked) == (6, "pxdeadbeef", True)
    for roll in (first, second):  # each is sent three times, with increasing age
        ages = [event.age_s for event in said if event.seq == roll.seq]
        assert ages == pytest.approx([0.0, 0.3, 1.5], abs=0.02)
    assert {event.seq for event in said} == {0, 1}
