"""The real window on a small simulated table, and the mouse over it."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from PyQt6.QtCore import QCoreApplication, QEvent, QEventLoop, QPoint, QPointF, QSettings, Qt, QTimer
from PyQt6.QtGui import QMouseEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from tests.ui.slot_errors import ERRORS
from tests.waiting import PATIENCE_S, TookTooLong
from ui.desktop.settings import Settings
from ui.desktop.window import Window
from ui.tools.tool_context import basis_of

T = TypeVar("T", bound=QWidget)

LEFT = Qt.MouseButton.LeftButton
TABLE_IN = (30.0, 20.0)
POSTS = {"green-1": (8.0, 10.0), "green-2": (11.0, 6.0), "blue-1": (20.0, 10.0), "blue-2": (21.5, 10.5)}
BARE_IN = (15.0, 15.0)

Open = Callable[..., Window]
Wait = Callable[..., None]
Owned = Callable[[T], T]
"""The fixture that closes and deletes the given widgets."""


def let_qt_work(condition: Callable[[], object], timeout_s: float = PATIENCE_S) -> None:
    """Process events until the condition holds; raises errors of slots in the meantime."""
    until_s = time.monotonic() + timeout_s
    pulse = QTimer()  # wakes the wait below without events: a thread may fulfil the condition
    pulse.start(5)
    while not condition():
        if time.monotonic() > until_s:
            raise TookTooLong(f"the condition did not hold within {timeout_s:g} s")
        QCoreApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
        ERRORS.raise_first()


def at(window: Window, place_in: tuple[float, float]) -> QPoint:
    view = window.store.source_controller.view
    return window.picture.to_widget(tuple(view.calibration.camera.table_to_pixel(place_in)[0])).toPoint()


def click(window: Window, place_in: tuple[float, float]) -> None:
    QTest.mouseClick(window.picture, LEFT, pos=at(window, place_in))


def point(window: Window, place_in: tuple[float, float]) -> None:
    """Move the mouse without QTest, which would move the one real cursor that earlier windows also used."""
    move(window.picture, at(window, place_in))


def move(view: QWidget, where: QPoint, button: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
    spot, none = QPointF(where), Qt.MouseButton.NoButton
    kind, keys = QEvent.Type.MouseMove, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(view, QMouseEvent(kind, spot, view.mapToGlobal(spot), none, button, keys))


def name_of(one: QPushButton) -> str:
    """The text of a button; its accessible name if its text stands on labels."""
    return one.text().replace("&", "") or one.accessibleName()


def button(among: QWidget, words: str) -> QPushButton:
    """The button whose text starts like this."""
    [found] = [one for one in among.findChildren(QPushButton) if name_of(one).startswith(words)]
    return found


def next_phase(window: Window) -> None:
    """Press the button of the turn bar: the next phase begins, or what is owed is named."""
    QTest.mouseClick(window.battle.turn_bar.button, LEFT)


def texts(widget: QWidget) -> list[str]:
    """The texts of its labels, shown or hidden."""
    return [label.text() for label in widget.findChildren(QLabel)]


def place_shown(window: Window) -> tuple[float, float]:
    """The position under the mouse according to the status bar."""
    [words] = [text for text in texts(window.statusBar()) if text.startswith("x ")]
    x, y = (float(word.split()[1]) for word in words.split(", "))
    return x, y


def refresh(window: Window) -> None:
    """Show a change that the test made itself at once."""
    window.commands.turn(0)


def show_battle(window: Window) -> None:
    """Show a new battle, as the window does for one started from the menu."""
    window.store.session.measure_from(basis_of(window.battle.play))
    window.sides.setCurrentWidget(window.battle.panel)
    refresh(window)


def show_change(window: Window) -> None:
    """Show an event that the test recorded in the battle itself."""
    assert window.store.source_controller.view is not None
    window.battle.update_position(window.store.source_controller.view, window.store.session.state.setup)


def settings_in(folder: Path) -> Settings:
    """The settings of the windows that the fixture `open_window` opens, in the test's folder."""
    return Settings(QSettings(str(folder / "settings.ini"), QSettings.Format.IniFormat))
