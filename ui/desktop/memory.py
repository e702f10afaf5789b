"""What the window remembers from one evening to the next."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtCore import QByteArray, QSettings

from calibration.print_scale import TRUE_PRINT, PrintScale
from calibration.prints import Prints
from rules.table import Refused


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
            side_in = float(self.settings.value("marker_side_in", usual.side_in))
            return Prints(side_in, str(self.settings.value("dictionary", usual.dictionary)))
        except (Refused, ValueError):
            return usual

    def keep_prints(self, prints: Prints) -> None:
        """Expect these markers next time."""
        self.settings.setValue("marker_side_in", prints.side_in)
        self.settings.setValue("dictionary", prints.dictionary)

    @property
    def print_scale(self) -> PrintScale:
        """What the player's printer makes of 100 mm; true where nothing sensible is stored."""
        try:
            across, down = (self.settings.value(f"print_{axis}_mm", 100.0) for axis in ("across", "down"))
            return PrintScale(float(across), float(down))
        except (Refused, ValueError):
            return TRUE_PRINT

    def keep_print_scale(self, scale: PrintScale) -> None:
        """Correct the next print by this."""
        self.settings.setValue("print_across_mm", scale.measured_x_mm)
        self.settings.setValue("print_down_mm", scale.measured_y_mm)

    @property
    def geometry(self) -> QByteArray | None:
        """Where the window was."""
        value = self.settings.value("geometry")
        return value if isinstance(value, QByteArray) else None

    def keep_geometry(self, geometry: QByteArray) -> None:
        """Put the window there next time."""
        self.settings.setValue("geometry", geometry)
