"""The line below the picture: how well the camera is known, where the mouse points, how fast pictures come."""

from __future__ import annotations

from PyQt6.QtWidgets import QStatusBar

from calibration.solve import Calibration
from ui.desktop.bench import Bench
from ui.desktop.labels import plain_label
from ui.desktop.tongue import tr
from ui.desktop.tools.tool import Pointed
from ui.readout import calibration_words
from ui.session import TableState
from ui.units import Unit
from vision.pipeline import TableView


class StatusLine:
    """Fills the window's status bar."""

    def __init__(self, bar: QStatusBar | None) -> None:
        self._calibration, self._place, self._rate = plain_label(), plain_label(), plain_label()
        self._rate.setObjectName("pictures")
        self._known: tuple[Calibration | None, Unit, str] = (None, Unit.INCH, "")
        if bar is not None:
            bar.addWidget(self._calibration, 1)
            bar.addPermanentWidget(self._place)
            bar.addPermanentWidget(self._rate)

    def point(self, at: Pointed | None, state: TableState) -> None:
        """Tell the place under the mouse."""
        self._place.setText(state.place_words(at.place_in) if at and at.place_in else "")

    def tell(self, bench: Bench) -> None:
        """Tell of calibration and pictures."""
        self._rate.setText(_rate_words(bench))
        self._calibration.setText(self._calibration_words(bench.view, bench.session.state.unit))

    def _calibration_words(self, view: TableView | None, unit: Unit) -> str:
        calibration = view.calibration if view else None
        if calibration is not self._known[0] or unit is not self._known[1]:
            words = calibration_words(calibration, unit) if calibration else tr("not calibrated")
            self._known = (calibration, unit, words)
        return self._known[2]


def _rate_words(bench: Bench) -> str:
    worker = bench.worker
    if worker.source_problem or worker.frame is None:
        return ""
    if worker.ended or worker.held:
        return tr("frozen") if worker.held else tr("still picture")
    if bench.view is not None and bench.view.frozen:
        return tr("something moves: the figures stay as they were")
    return tr("{per_second:.1f} pictures/s", per_second=bench.rate.per_second())
