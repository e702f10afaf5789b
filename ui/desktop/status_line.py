"""The status bar: the calibration, the position under the mouse, and the progress of the search."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QStatusBar, QToolButton

from calibration.solve import Calibration
from ui.desktop.labels import plain_label
from ui.desktop.source_controller import SourceController
from ui.desktop.tools.tool import PickResult
from ui.formatting import calibration_words
from ui.session import TableState
from ui.translation import mark_for_translation, tr, tr_count
from ui.units import Unit
from vision.table_view import TableView, Waiting

_WAITING = {
    Waiting.HAND: mark_for_translation("Waiting for the hand"),
    Waiting.MOTION: mark_for_translation("Waiting for movement to stop"),
}


class StatusLine:
    """Fills the window's status bar.

    Attributes:
        search: The button that searches at once; visible while part of the table is unsearched.
    """

    def __init__(self, bar: QStatusBar | None, search_now: Callable[[], object]) -> None:
        """Fill `bar`; `search_now` is called to search the whole table."""
        self._calibration, self._place, self._rate = plain_label(), plain_label(), plain_label()
        self._rate.setObjectName("pictures")
        self.search = QToolButton()
        self.search.setText(tr("Search now"))
        self.search.setToolTip(tr("Search the whole table, even where something is moving (F5)"))
        self.search.clicked.connect(lambda: search_now())
        policy = self.search.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # otherwise the picture would jump
        self.search.setSizePolicy(policy)
        self.search.hide()
        self._known: tuple[Calibration | None, Unit, str] = (None, Unit.INCH, "")
        if bar is not None:
            bar.addWidget(self._calibration, 1)
            bar.addPermanentWidget(self._place)
            bar.addPermanentWidget(self.search)
            bar.addPermanentWidget(self._rate)

    def point(self, at: PickResult | None, state: TableState) -> None:
        """Show the position under the mouse."""
        self._place.setText(state.place_words(at.place_in) if at and at.place_in else "")

    def tell(self, source_controller: SourceController) -> None:
        """Show the calibration and the picture rate."""
        waiting = _waiting(source_controller)
        self._rate.setText(tr(_WAITING[waiting]) if waiting else _rate_words(source_controller))
        self.search.setVisible(waiting is not None)
        self._calibration.setText(self._calibration_words(source_controller.view, source_controller.session.state.unit))

    def _calibration_words(self, view: TableView | None, unit: Unit) -> str:
        calibration = view.calibration if view else None
        if view is not None and calibration is not None and view.problem is not None:
            return tr("Accuracy unknown")  # the message bar says why
        if calibration is not self._known[0] or unit is not self._known[1]:
            words = calibration_words(calibration, unit) if calibration else tr("Not calibrated")
            self._known = (calibration, unit, words)
        return self._known[2]


def _waiting(source_controller: SourceController) -> Waiting | None:
    """Why part of the table is not searched; None if all is searched or there are no new pictures."""
    worker = source_controller.worker
    still = worker.source_problem or worker.ended or worker.held or worker.paused
    return None if still or source_controller.view is None else source_controller.view.waiting


def _rate_words(source_controller: SourceController) -> str:
    worker = source_controller.worker
    if worker.source_problem or worker.frame is None:
        return ""
    if worker.held:
        return tr("Frozen")
    if worker.ended:
        return tr("Still picture") if worker.playback is None else tr("At the end")
    if worker.paused:
        return tr("Paused")
    per_second = source_controller.rate.per_second()
    if per_second < 1:
        return tr("Searching…")
    return tr_count("{count} picture/s", "{count} pictures/s", round(per_second))
