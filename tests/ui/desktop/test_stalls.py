"""No command of a player stops the window: every pass of the event loop is short."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication

from tests.ui.windows import Wait
from ui.battle.battle_setup import load_games
from ui.desktop.window import Window

LONGEST = 3.0
"""Longest time of a pass as a multiple of `baseline_s`: about 150 ms on a desktop computer. Passes take up to 1.0."""


def baseline_s() -> float:
    """Seconds that this thread needs for a million multiplications; about 50 ms on a desktop computer."""
    begin, total = time.thread_time(), 0
    for number in range(1_000_000):
        total += number * number
    return time.thread_time() - begin


def leave(window: Window) -> None:
    """Close the dialog or popup that an action opened."""
    for opened in (QApplication.activeModalWidget(), QApplication.activePopupWidget()):
        if opened is not None:
            opened.close()


def longest_pass_s(window: Window, act: Callable[[], object]) -> float:
    """Seconds of this thread's own work; what it waits for, other threads do."""
    QTimer.singleShot(0, lambda: leave(window))  # within the loop of a modal dialog
    begin = time.thread_time()
    act()
    longest = time.thread_time() - begin
    for _ in range(5):
        begin = time.thread_time()
        QApplication.processEvents()
        longest = max(longest, time.thread_time() - begin)
    return longest


@pytest.mark.slow
def test_no_command_stops_the_window(window: Window, wait_until: Wait) -> None:
    load_games()  # as the program does behind the window
    commands = {action.text().rstrip("…"): action for action in window.findChildren(type(window.film.play))}
    names = ("New battle", "Print", "History", "Commands", "Map", "Large answer", "Fit", "Undo", "Clear", "Numbers")
    actions: dict[str, Callable[[], object]] = {name: commands[name].trigger for name in names}
    actions["Battle tab"] = lambda: window.sides.setCurrentWidget(window.battle.panel)
    actions["Devices tab"] = lambda: window.sides.setCurrentWidget(window.devices.panel)
    limit_s = LONGEST * min(baseline_s() for _ in range(3))
    longest = {name: longest_pass_s(window, act) for name, act in actions.items()}
    leave(window)
    assert {name: round(took_s, 3) for name, took_s in longest.items() if took_s > limit_s} == {}
