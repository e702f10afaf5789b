"""What the window remembers from one evening to the next."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from PyQt6.QtCore import QByteArray, QSettings

from calibration.calibration_targets import Prints
from calibration.print_scale import TRUE_PRINT, PrintScale
from calibration.profile import from_json
from hardware.range_rod import RodShape
from rules.tabletop.errors import UserError
from ui.devices.tray_camera import Region
from ui.units import Unit
from vision.palette import ArmyColour, Palette

_WIDEST = 100.0
"""Of logarithms of colours: those of 8 bits lie within 4."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Reads and writes the settings it is given."""

    settings: QSettings

    @property
    def source(self) -> str:
        """What was open last; the simulated table at first."""
        return str(self.settings.value("source", "demo"))

    def keep_source(self, spec: str) -> None:
        """Open this next time."""
        self.settings.setValue("source", spec)

    @property
    def prints(self) -> Prints:
        """The player's own markers; the program's sheet where nothing sensible is stored."""
        usual = Prints()
        try:
            side_in = self._number("marker_side_in", usual.side_in)
            dictionary = str(self.settings.value("dictionary", usual.dictionary))
            return Prints(side_in, dictionary, scale=self._scale("marker"))
        except (UserError, ValueError):
            return usual

    def keep_prints(self, prints: Prints) -> None:
        """Expect these markers next time."""
        self.settings.setValue("marker_side_in", prints.side_in)
        self.settings.setValue("dictionary", prints.dictionary)
        self._keep_scale("marker", prints.scale)

    @property
    def was_guided(self) -> bool:
        """Whether the guide of the first evening was gone through, or left."""
        return str(self.settings.value("guided", "")) == "yes"

    def keep_guided(self) -> None:
        """Do not begin with the guide again."""
        self.settings.setValue("guided", "yes")

    @property
    def unit(self) -> Unit:
        """What lengths are shown in; inches where nothing sensible is stored."""
        try:
            return Unit(str(self.settings.value("unit", Unit.INCH)))
        except ValueError:
            return Unit.INCH

    def keep_unit(self, unit: Unit) -> None:
        """Show lengths in it next time."""
        self.settings.setValue("unit", str(unit))

    @property
    def print_scale(self) -> PrintScale:
        """What the player's printer makes of 100 mm; true where nothing sensible is stored."""
        try:
            return self._scale("print") or TRUE_PRINT
        except (UserError, ValueError):
            return TRUE_PRINT

    def keep_print_scale(self, scale: PrintScale) -> None:
        """Correct the next print by this."""
        self._keep_scale("print", scale)

    def _scale(self, what: str) -> PrintScale | None:
        keys = [f"{what}_{axis}_mm" for axis in ("across", "down")]
        if not all(map(self.settings.contains, keys)):
            return None
        return PrintScale(*(self._number(key, math.nan) for key in keys))

    def _keep_scale(self, what: str, scale: PrintScale | None) -> None:
        for axis, measured_mm in zip(("across", "down"), _lengths_mm(scale), strict=True):
            if measured_mm is None:
                self.settings.remove(f"{what}_{axis}_mm")
            else:
                self.settings.setValue(f"{what}_{axis}_mm", measured_mm)

    def port(self, device: str) -> str | None:
        """What the rod or the dice were connected to; None where they are not looked for."""
        found = self.settings.value(f"{device}_port")
        return None if found is None else str(found)

    def keep_port(self, device: str, spec: str | None) -> None:
        """Look for the device there next time, or not at all."""
        if spec is None:
            self.settings.remove(f"{device}_port")
        else:
            self.settings.setValue(f"{device}_port", spec)

    def tray_region(self, camera: str) -> Region | None:
        """Where the dice tray lies in this camera's picture; None where that was never told."""
        found = self.settings.value(f"tray_{camera}")
        try:
            return None if found is None else Region(*map(float, str(found).split()))
        except (UserError, TypeError, ValueError):
            return None

    def keep_tray_region(self, camera: str, region: Region) -> None:
        """Look for dice there next time."""
        sides = (region.left, region.top, region.right, region.bottom)
        self.settings.setValue(f"tray_{camera}", " ".join(f"{side:.4f}" for side in sides))

    def armies(self, camera: str) -> Palette:
        """The colours of the armies that this camera was taught; none where nothing sensible is stored."""
        try:
            stored = from_json(str(self.settings.value(f"armies_{_key(camera)}", "[]")), "what is kept of the armies")
            return tuple(_army(one) for one in stored)
        except (KeyError, TypeError, ValueError):
            return ()

    def keep_armies(self, camera: str, palette: Palette) -> None:
        """Know these armies whenever this camera is opened."""
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
        """The player's strip of LEDs; the usual one where nothing sensible is stored."""
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
        """Expect this strip next time."""
        for name in ("length_in", "leds_per_in", "reversed", "brightness", "gamma"):
            self.settings.setValue(f"rod_{name}", getattr(shape, name))

    def _number(self, key: str, usual: float) -> float:
        """A number as it is stored; what Qt makes of a hand-written file may be a list, or nothing at all.

        Raises:
            ValueError: if it is none.
        """
        return float(str(self.settings.value(key, usual)))

    @property
    def geometry(self) -> QByteArray | None:
        """Where the window was."""
        value = self.settings.value("geometry")
        return value if isinstance(value, QByteArray) else None

    def keep_geometry(self, geometry: QByteArray) -> None:
        """Put the window there next time."""
        self.settings.setValue("geometry", geometry)


def _key(camera: str) -> str:
    """A camera's identity, without what parts groups in a file of settings."""
    return camera.replace("/", "_").replace("\\", "_")


def _army(stored: dict[str, Any]) -> ArmyColour:
    mean, covariance = np.array(stored["mean"], np.float64), np.array(stored["covariance"], np.float64)
    if mean.shape != (3,) or covariance.shape != (3, 3) or not (np.abs([*mean, *covariance.ravel()]) < _WIDEST).all():
        raise ValueError("no colour")
    if not np.allclose(covariance, covariance.T) or np.linalg.eigvalsh(covariance).min() < -1e-9:
        raise ValueError("no spread of colours")
    samples = stored["samples"]
    if type(samples) is not int or samples < 1:
        raise ValueError("learnt from nothing")
    for array in (mean, covariance):
        array.setflags(write=False)
    return ArmyColour(str(stored["name"]), mean, covariance, samples)


def _lengths_mm(scale: PrintScale | None) -> tuple[float | None, float | None]:
    return (scale.measured_x_mm, scale.measured_y_mm) if scale else (None, None)
