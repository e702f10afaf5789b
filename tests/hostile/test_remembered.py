"""Settings that another program has changed: invalid values are ignored."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PyQt6.QtCore import QByteArray, QSettings

from calibration.calibration_targets import CalibrationTargets
from calibration.print_scale import PrintScale
from hardware.range_rod import RodShape
from tests.hostile.nasty import NASTY, damaged, few, mutants, text_of
from ui.desktop.settings import TEXT_SIZES, Settings
from ui.desktop.theme import Theme
from ui.devices.tray_camera import Region
from ui.vocabulary import Unit
from vision.palette import ArmyColour
from vision.segment import cells_of, likelihood
from vision.separation import separations

CAMERA = "usb-webcam"
GREY = np.full((16, 16, 3), 90, np.uint8)


def opened(path: Path) -> Settings:
    return Settings(QSettings(str(path), QSettings.Format.IniFormat))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Every setting that the program saves."""
    path = tmp_path_factory.mktemp("settings") / "settings.ini"
    memory = opened(path)
    memory.source = "0"
    memory.keep_prints(CalibrationTargets(2.5, "5X5_100", scale=PrintScale(99.5, 101)))
    memory.unit = Unit.CENTIMETRE
    memory.keep_print_scale(PrintScale(99.0, 100.5))
    memory.keep_port("rod", "/dev/ttyUSB0")
    memory.keep_tray_region(CAMERA, Region(0.1, 0.2, 0.6, 0.7))
    memory.keep_armies(CAMERA, (ArmyColour("green", np.zeros(3), np.eye(3) * 0.01, 90),))
    memory.keep_rod_shape(RodShape(24.0))
    memory.keep_geometry(QByteArray(b"\x01\xd9\xd0\xcb" * 8))
    memory.was_guided = True
    memory.theme, memory.text_size, memory.last_battle = Theme.LIGHT, 1.5, Path("a.battle")
    memory.settings.sync()
    return path.read_bytes()


def recall(memory: Settings) -> None:
    """Read all settings as the window does at its start."""
    assert isinstance(memory.source, str)
    assert isinstance(memory.unit, Unit)
    assert isinstance(memory.prints, CalibrationTargets)
    assert memory.print_scale.factors[0] > 0
    assert memory.rod_shape.leds > 0
    assert isinstance(memory.was_guided, bool)
    assert isinstance(memory.theme, Theme)
    assert memory.text_size in (None, *TEXT_SIZES)
    assert isinstance(memory.last_battle, Path | None)
    assert isinstance(memory.geometry, QByteArray | None)
    assert isinstance(memory.port("rod"), str | None)
    assert isinstance(memory.tray_region(CAMERA), Region | None)
    assert isinstance(memory.armies(CAMERA), tuple)


def use_colours(memory: Settings) -> None:
    """Segment a picture by the restored armies; they may be none."""
    if armies := memory.armies(CAMERA):
        known = likelihood(cells_of(GREY).ravel(), armies)
        assert all(0 <= one.score <= 1 for one in separations(armies, known, GREY, None))


def test_saved_settings_are_restored(kept: bytes, tmp_path: Path) -> None:
    path = tmp_path / "s.ini"
    path.write_bytes(kept)
    memory = opened(path)
    recall(memory)
    use_colours(memory)
    assert (memory.source, memory.prints.side_in, memory.unit) == ("0", 2.5, Unit.CENTIMETRE)
    assert memory.armies(CAMERA)[0].samples == 90


@few
@given(data=st.data())
def test_a_damaged_file(kept: bytes, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / f"{data.draw(st.integers(0, 10**9))}.ini"  # Qt keeps files that it has read
    content = data.draw(damaged(kept) | st.binary(max_size=200))
    path.write_bytes(content)
    memory = opened(path)
    recall(memory)
    use_colours(memory)
    assert path.read_bytes() == content


WRITTEN = (
    *("", "nan", "inf", "-1", "0", "1e308", "1, 2", "@Invalid()", "@Variant(\\0\\0\\0\\x7f\\0)", "@ByteArray(x)"),
    *("x/../y.yml", "/dev/zero", '"[[["', "@Size(1 2)", "@@", "\\x0", "ä", "1e400", "true", "4X4_50, 5X5_50"),
)


@pytest.mark.parametrize("value", WRITTEN)
def test_each_key_with_each_odd_value(value: str, kept: bytes, tmp_path: Path) -> None:
    lines = kept.decode().splitlines()
    for at, line in enumerate(lines):
        key, equals, _ = line.partition("=")
        if equals:
            path = tmp_path / f"{at}.ini"
            path.write_text("\n".join([*lines[:at], f"{key}={value}", *lines[at + 1 :]]), "utf-8")
            memory = opened(path)
            recall(memory)
            if key.startswith("armies"):
                use_colours(memory)


ARMIES = [{"name": "green", "mean": [0.1, 0.2, -0.5], "covariance": np.eye(3).tolist(), "samples": 50}] * 2


@few
@given(stored=mutants(ARMIES) | st.sampled_from(NASTY))
def test_colours_that_are_invalid(tmp_path: Path, stored: object) -> None:
    memory = opened(tmp_path / "s.ini")
    memory.settings.setValue(f"armies_{CAMERA}", text_of(stored))
    recall(memory)
    use_colours(memory)


@pytest.mark.parametrize(
    "covariance", [np.diag([-1.0, 1, 1]), np.full((3, 3), 1e300), np.array([[0, 9, 0], [0, 0, 0], [0, 0, 0.0]])]
)
def test_an_impossible_colour_covariance(covariance: np.ndarray, tmp_path: Path) -> None:
    memory = opened(tmp_path / "s.ini")
    army = {**ARMIES[0], "covariance": covariance.tolist()}
    memory.settings.setValue(f"armies_{CAMERA}", json.dumps([army]))
    assert memory.armies(CAMERA) == ()


def test_two_programs_with_one_settings_file(tmp_path: Path) -> None:
    """A setting that one program saves survives the other program."""
    one, other = opened(tmp_path / "s.ini"), opened(tmp_path / "s.ini")
    one.unit = Unit.CENTIMETRE
    other.keep_port("rod", "/dev/ttyUSB0")
    one.settings.sync()
    other.settings.sync()
    third = opened(tmp_path / "s.ini")
    assert (third.unit, third.port("rod")) == (Unit.CENTIMETRE, "/dev/ttyUSB0")
