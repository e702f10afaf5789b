"""The window's stalls are logged, and a bug report can be copied."""

from PyQt6.QtCore import QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from rules.tabletop.errors import UserError
from tests.ui.windows import LEFT, Open, Wait
from tests.waiting import block
from ui.desktop.app import watched_for_stalls
from ui.desktop.help_controller import DetailsDialog
from ui.diagnostics import EventLog, Stall, StallWatchdog
from vision.source import Source


def dawdle() -> None:
    block(0.5)


def test_a_slow_slot_is_logged_by_name(qt: QApplication, wait_until: Wait) -> None:
    told: list[Stall] = []
    with watched_for_stalls(StallWatchdog(told.append), qt):
        QTimer.singleShot(60, dawdle)
        wait_until(lambda: any("dawdle" in " ".join(stall.where) for stall in told))
    worst = max(told, key=lambda stall: stall.lasted_s)
    assert worst.lasted_s > 0.4


def test_details_for_a_bug_report_are_copied(found: None, open_window: Open, wait_until: Wait) -> None:
    window = open_window(event_log=EventLog(examined=lambda: "ok  Python  3.11"))
    window.store.say("/people/jane/evening.battle is saved.")
    window.help.show_details()
    dialog = window.help.dialog
    assert isinstance(dialog, DetailsDialog)
    assert not dialog.copy.isEnabled()
    wait_until(lambda: dialog.report)
    QTest.mouseClick(dialog.copy, LEFT)
    copied = QApplication.clipboard().text()
    assert copied == dialog.report
    assert "PyQt6" in copied
    assert "ok  Python  3.11" in copied
    assert "evening.battle is saved." in copied
    assert "jane" not in copied
    dialog.close()


def test_messages_are_logged(open_window: Open, wait_until: Wait) -> None:
    def opener(_: str) -> Source:
        raise UserError("there is no picture there: choose another")

    event_log = EventLog()
    window = open_window("table.png", opener, event_log=event_log)
    wait_until(lambda: window.bar.text)
    assert event_log.messages[-1].endswith("there is no picture there: choose another")
