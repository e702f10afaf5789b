"""The window's main widgets: their arrangement, and the status bar."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from PyQt6.QtCore import QEvent, QObject, Qt
from PyQt6.QtWidgets import QGridLayout, QMainWindow, QStatusBar, QTabWidget, QToolButton, QWidget

from calibration.solve import Calibration
from ui.desktop.battle.pending_moves import MovePills
from ui.desktop.messages import MessageBar
from ui.desktop.picture.view import PictureView
from ui.desktop.settings import Settings
from ui.desktop.source_controller import SourceController
from ui.desktop.table.panel import SidePanel
from ui.desktop.table_display import TableDisplay
from ui.desktop.tools.tool import PickResult
from ui.desktop.widgets import FittedLabel, in_column, in_row, keep_place, name_tabs, plain_label
from ui.formatting import calibration_words
from ui.session import TableState
from ui.translation import mark_for_translation, tr, tr_count
from ui.vocabulary import Unit
from vision.table_view import TableView, Waiting


@dataclass(frozen=True, slots=True)
class Parts:
    """What the features work with.

    Attributes:
        window: Dialogs open over it.
        picture, display: The picture of the table, and what shows it there.
        panel, sides: The Table tab, and all tabs.
        bar, hint, status: Messages, the next step, and the status bar.
        pills: Moves on the picture.
        settings: The stored settings.
    """

    window: QMainWindow
    picture: PictureView
    display: TableDisplay
    panel: SidePanel
    sides: QTabWidget
    bar: MessageBar
    hint: HintLabel
    status: StatusLine
    pills: MovePills
    settings: Settings


_TAB_EDGE_PX = 4
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide)
HINT_PX = 58
"""Two lines of 18 pixels and their margins; a message takes the same place."""


class HintLabel(FittedLabel):
    """What to do next, always in the height of two large lines."""

    def __init__(self) -> None:
        super().__init__(HINT_PX)
        self.setFixedHeight(HINT_PX)


class CentralWidget(QWidget):
    """Arranges the window's main parts."""

    def __init__(
        self,
        picture: PictureView,
        bar: MessageBar,
        hint: HintLabel,
        tabs: Mapping[str, QWidget],
        *,
        above: QWidget,
        banner: QWidget,
        toast: QWidget,
        below: QWidget,
    ) -> None:
        """Arrange the parts; the first tab sets the width of all.

        `above` is above the picture, `banner` over it, `toast` at its foot, and `below` under the hint.
        """
        super().__init__()
        self._picture, self._bar, self._foot = picture, bar, in_column(None, in_row(None, toast, None))
        grid = self._grid = QGridLayout()
        grid.setSpacing(0)
        grid.setRowStretch(0, 1)
        grid.addWidget(picture, 0, 0)
        grid.addWidget(hint, 2, 0)
        # A message covers the hint, and the picture only beside the guide or if it is longer than three small lines.
        bar.setMinimumHeight(HINT_PX)
        bar.installEventFilter(self)
        grid.addWidget(bar, 0, 0, 3, 1, Qt.AlignmentFlag.AlignBottom)
        grid.addLayout(self._foot, 0, 0)
        grid.addWidget(banner, 0, 0, Qt.AlignmentFlag.AlignVCenter)
        grid.addWidget(below, 3, 0)
        self.sides = QTabWidget()
        for name, tab in tabs.items():
            self.sides.addTab(tab, name)
        name_tabs(self.sides, tr("Side panel"))
        self.sides.setFixedWidth(next(iter(tabs.values())).width() + 2 * _TAB_EDGE_PX)
        column = in_column(above, (grid, 1))
        column.setSpacing(0)
        self._row = in_row((column, 1), self.sides, on=self, margin=0)
        self._row.setSpacing(0)

    def add_left(self, part: QWidget) -> None:
        """Add a widget at the left of the picture, as high as the window."""
        self._row.insertWidget(0, part)

    def add_under_picture(self, part: QWidget) -> None:
        """Add a widget between the picture and the hint."""
        self._grid.addWidget(part, 1, 0)

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Keep the foot above a message that covers the picture."""
        if event is not None and event.type() in _MOVES:
            covered_px = self._picture.geometry().bottom() + 1 - self._bar.y() if self._bar.isVisible() else 0
            self._foot.setContentsMargins(0, 0, 0, max(covered_px, 0))
        return False


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
        keep_place(self.search)  # otherwise the picture would jump
        self.search.hide()
        self._known: tuple[Calibration | None, Unit, str] = (None, Unit.INCH, "")
        if bar is not None:
            bar.setContentsMargins(2 * _TAB_EDGE_PX, 0, 2 * _TAB_EDGE_PX, 0)
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
        return tr("Still picture") if source_controller.is_still else tr("At the end")
    if worker.paused:
        return tr("Paused")
    per_second = source_controller.rate.per_second()
    if per_second < 1:
        return tr("Searching…")
    return tr_count("{count} picture/s", "{count} pictures/s", round(per_second))
