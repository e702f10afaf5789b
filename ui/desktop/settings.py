"""What the window stores between sessions: its settings, and the setup of real tables."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from PyQt6.QtCore import QByteArray, QSettings

from calibration.calibration_targets import CalibrationTargets
from calibration.print_scale import TRUE_PRINT, PrintScale
from calibration.profile import from_json
from hardware.range_rod import RodShape
from rules.tabletop.errors import UserError
from ui.desktop.theme import Theme
from ui.devices.tray_camera import Region
from ui.setup.lens import camera_identity
from ui.vocabulary import Unit
from vision.palette import ArmyColour, Palette
from vision.setup import Setup

_MAX_LOG = 100.0
"""Limit for logarithms of colours: those of 8 bits lie within 4."""

TEXT_SIZES = (1.0, 1.25, 1.5, 2.0)
"""The factors to choose from."""

_SIZES = {0.0: None} | {size: size for size in TEXT_SIZES}

T = TypeVar("T")


class _Stored(Generic[T]):
    """An attribute of `Settings`, stored as text under a key; unusable text reads as the default."""

    def __init__(self, key: str, default: T, read: Callable[[str], T], write: Callable[[T], str] = str) -> None:
        self._key, self._default, self._read, self._write = key, default, read, write

    def __get__(self, owner: Settings, _: type[Settings]) -> T:
        try:
            return self._read(str(owner.settings.value(self._key, self._write(self._default))))
        except (KeyError, ValueError):
            return self._default

    def __set__(self, owner: Settings, value: T) -> None:
        owner.settings.setValue(self._key, self._write(value))


def _switch(key: str, default: bool) -> _Stored[bool]:
    return _Stored(key, default, {"yes": True, "no": False}.__getitem__, lambda on: "yes" if on else "no")


class Settings:
    """Reads and writes the stored settings; unusable values read as the defaults.

    Attributes:
        settings: The file or registry that stores them.
        source: The last source opened; initially the simulated table.
        last_battle: The file of the last battle; None before the first.
        was_guided: Whether the first guide was finished or left.
        numbers: Whether soldiers wear their numbers on the table.
        unit: The unit of displayed lengths.
        language: The chosen language, such as "de"; empty for the system's.
        text_size: The chosen factor for text and everything else; None for what the screen needs.
        theme: The look of the window.
        side_panel: Whether the tabs beside the picture are shown.
        speaks: Whether the program speaks.
    """

    source = _Stored("source", "demo", str)
    last_battle = _Stored[Path | None](
        "last_battle",
        None,
        lambda text: Path(text) if text else None,
        lambda path: str(path.absolute()) if path else "",
    )
    was_guided = _switch("guided", False)
    numbers = _switch("numbers", True)
    unit = _Stored("unit", Unit.INCH, Unit)
    language = _Stored("language", "", str)
    text_size = _Stored[float | None](
        "text_size", None, lambda text: _SIZES[float(text)], lambda size: str(size or 0.0)
    )
    theme = _Stored("theme", Theme.DARK, Theme)
    side_panel = _switch("side_panel", True)
    speaks = _switch("speaks", False)

    def __init__(self, settings: QSettings) -> None:
        self.settings = settings

    @property
    def prints(self) -> CalibrationTargets:
        """The player's markers; by default the program's own sheet."""
        usual = CalibrationTargets()
        try:
            side_in = self._number("marker_side_in", usual.side_in)
            dictionary = str(self.settings.value("dictionary", usual.dictionary))
            return CalibrationTargets(side_in, dictionary, scale=self._scale("marker"))
        except (UserError, ValueError):
            return usual

    def keep_prints(self, prints: CalibrationTargets) -> None:
        self.settings.setValue("marker_side_in", prints.side_in)
        self.settings.setValue("dictionary", prints.dictionary)
        self._keep_scale("marker", prints.scale)

    def speaks_kind(self, kind: str) -> bool:
        """Whether announcements of this kind are spoken, if any; by default they are."""
        return str(self.settings.value(f"speaks_{kind}", "yes")) != "no"

    def keep_speaks_kind(self, kind: str, on: bool) -> None:
        self.settings.setValue(f"speaks_{kind}", "yes" if on else "no")

    @property
    def print_scale(self) -> PrintScale:
        """The player's measured print scale; by default exact."""
        try:
            return self._scale("print") or TRUE_PRINT
        except (UserError, ValueError):
            return TRUE_PRINT

    def keep_print_scale(self, scale: PrintScale) -> None:
        self._keep_scale("print", scale)

    def _scale(self, what: str) -> PrintScale | None:
        keys = [f"{what}_{axis}_mm" for axis in ("across", "down")]
        if not all(map(self.settings.contains, keys)):
            return None
        return PrintScale(*(self._number(key, math.nan) for key in keys))

    def _keep_scale(self, what: str, scale: PrintScale | None) -> None:
        if scale is None:
            self.settings.remove(f"{what}_across_mm")
            self.settings.remove(f"{what}_down_mm")
        else:
            self.settings.setValue(f"{what}_across_mm", scale.measured_x_mm)
            self.settings.setValue(f"{what}_down_mm", scale.measured_y_mm)

    def port(self, device: str) -> str | None:
        """The port of the rod or the dice; None if the device is not used."""
        found = self.settings.value(f"{device}_port")
        return None if found is None else str(found)

    def keep_port(self, device: str, spec: str | None) -> None:
        """Store the device's port; None forgets it."""
        if spec is None:
            self.settings.remove(f"{device}_port")
        else:
            self.settings.setValue(f"{device}_port", spec)

    def tray_region(self, camera: str) -> Region | None:
        """Where the dice tray is in this camera's picture; None if the player never marked it."""
        found = self.settings.value(f"tray_{camera}")
        try:
            return None if found is None else Region(*map(float, str(found).split()))
        except (UserError, TypeError, ValueError):
            return None

    def keep_tray_region(self, camera: str, region: Region) -> None:
        sides = (region.left, region.top, region.right, region.bottom)
        self.settings.setValue(f"tray_{camera}", " ".join(f"{side:.4f}" for side in sides))

    def armies(self, camera: str) -> Palette:
        """The army colours taught to this camera; by default none."""
        try:
            stored = from_json(str(self.settings.value(f"armies_{_key(camera)}", "[]")), "the stored armies")
            return tuple(_army(one) for one in stored)
        except (KeyError, TypeError, ValueError):
            return ()

    def keep_armies(self, camera: str, palette: Palette) -> None:
        stored = [
            {
                "name": army.name,
                "mean": army.mean.tolist(),
                "covariance": army.covariance.tolist(),
                "samples": army.samples,
            }
            for army in palette
        ]
        self.settings.setValue(f"armies_{_key(camera)}", json.dumps(stored))

    @property
    def rod_shape(self) -> RodShape:
        """The settings of the rod's LED strip; by default those of the usual strip."""
        usual = RodShape()
        try:
            length_in, leds_per_in, brightness, gamma = (
                self._number(f"rod_{name}", getattr(usual, name))
                for name in ("length_in", "leds_per_in", "brightness", "gamma")
            )
            turned = str(self.settings.value("rod_reversed", usual.reversed)).lower() == "true"
            return RodShape(length_in, leds_per_in, turned, brightness, gamma)
        except ValueError:
            return usual

    def keep_rod_shape(self, shape: RodShape) -> None:
        for name in ("length_in", "leds_per_in", "reversed", "brightness", "gamma"):
            self.settings.setValue(f"rod_{name}", getattr(shape, name))

    def _number(self, key: str, usual: float) -> float:
        """Read a number; Qt may return a list or nothing for a hand-edited file.

        Raises:
            ValueError: if it is not a number.
        """
        return float(str(self.settings.value(key, usual)))

    @property
    def geometry(self) -> QByteArray | None:
        """The window's position and size; None if not stored."""
        value = self.settings.value("geometry")
        return value if isinstance(value, QByteArray) else None

    def keep_geometry(self, geometry: QByteArray) -> None:
        self.settings.setValue("geometry", geometry)


def _key(camera: str) -> str:
    """A camera's identity without the characters that separate groups in a settings file."""
    return camera.replace("/", "_").replace("\\", "_")


def _army(stored: dict[str, Any]) -> ArmyColour:
    mean, covariance = np.array(stored["mean"], np.float64), np.array(stored["covariance"], np.float64)
    if mean.shape != (3,) or covariance.shape != (3, 3) or not (np.abs([*mean, *covariance.ravel()]) < _MAX_LOG).all():
        raise ValueError("mean or covariance out of range")
    if not np.allclose(covariance, covariance.T) or np.linalg.eigvalsh(covariance).min() < -1e-9:
        raise ValueError("not a covariance matrix")
    samples = stored["samples"]
    if type(samples) is not int or samples < 1:
        raise ValueError("no samples")
    for array in (mean, covariance):
        array.setflags(write=False)
    return ArmyColour(str(stored["name"]), mean, covariance, samples)


class SavedSetups:
    """Stores the setup of real tables; the simulated table's is not stored."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._last = Setup(prints=settings.prints)
        self._kept: tuple[str, Palette] = ("", ())

    def keep(self, spec: str, setup: Setup) -> None:
        """Store the current setup; armies at once, so that they survive a crash."""
        if spec == "demo":
            return
        self._last = setup
        if self._kept != (spec, setup.palette):
            self._kept = (spec, setup.palette)
            if camera := camera_identity(spec):
                self._settings.keep_armies(camera, setup.palette)

    def setup_for(self, spec: str) -> Setup:
        """The initial setup for a source: a camera has its own armies, or those of the last real table.

        Pictures and films start without armies: soldiers of other colours than the last ones would not be found.
        """
        if spec == "demo":
            return Setup()
        camera = camera_identity(spec)
        palette = (self._settings.armies(camera) or self._last.palette) if camera else ()
        self._kept = (spec, palette)
        return Setup(prints=self._last.prints.unclicked, palette=palette, propose=True)
