"""A confirmation stays for four seconds; its button works once."""

from __future__ import annotations

from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication

from tests.ui.windows import LEFT, Owned, Wait
from ui.desktop.messages import Toast
from ui.desktop.window import Window


def test_a_confirmation_goes_after_four_seconds(owned: Owned[Toast]) -> None:
    now_s = [100.0]
    toast = owned(Toast(lambda: now_s[0]))
    assert not toast.isVisible()
    toast.confirm("Undone: blast of 3 in.", "Redo", lambda: None)
    now_s[0] = 104.0
    toast.advance()
    assert (toast.words.text(), toast.button.text(), toast.isVisible()) == ("Undone: blast of 3 in.", "Redo", True)
    now_s[0] = 104.1
    toast.advance()
    assert (toast.words.text(), toast.isVisible()) == ("", False)


def test_the_button_works_once_and_only_where_there_is_one(owned: Owned[Toast]) -> None:
    toast, done = owned(Toast(lambda: 0.0)), []
    toast.confirm("Green 1 moved 3.0 in.", "Undo", lambda: done.append("undone"))
    QTest.mouseClick(toast.button, LEFT)
    assert done == ["undone"]
    assert not toast.isVisible()
    toast.confirm("Saved.")
    assert not toast.button.isVisible()


def test_undo_and_redo_name_the_step_and_offer_the_opposite(window: Window) -> None:
    window.commands.turn_basis()
    step = window.store.session.can_undo
    assert step
    window.commands.undo()
    assert (window.toast.words.text(), window.toast.button.text()) == (f"Undone: {step}.", "Redo")
    QTest.mouseClick(window.toast.button, LEFT)
    assert window.store.session.can_undo == step
    assert (window.toast.words.text(), window.toast.button.text()) == (f"Redone: {step}.", "Undo")


def test_nothing_to_undo_confirms_nothing(window: Window) -> None:
    window.commands.undo()
    assert window.toast.words.text() == ""


def test_the_toast_lies_at_the_foot_of_the_picture(window: Window, wait_until: Wait) -> None:
    window.commands.turn_basis()
    window.commands.undo()
    wait_until(lambda: window.toast.width() > 100)
    QApplication.processEvents()
    middle = window.toast.mapTo(window, QPoint(window.toast.width() // 2, window.toast.height() // 2))
    picture = window.picture.mapTo(window, QPoint(0, 0))
    assert middle.y() > picture.y() + 0.8 * window.picture.height()
    assert abs(middle.x() - picture.x() - window.picture.width() / 2) < 5
    window.help.guide.begin()
    window.commands.redo()
    window.store.say("Tan 11 and Tan 9 both moved. Are their names right?")

    def is_above() -> bool:
        return window.bar.isVisible() and window.toast.geometry().bottom() < window.bar.y()

    wait_until(is_above)
    assert window.toast.button.focusPolicy() & Qt.FocusPolicy.TabFocus
