"""The dice card: typed, clicked, rolled and reported dice; a roll is final."""

from __future__ import annotations

import random

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QAction
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QCheckBox, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from rules.engine.dice import DiceRequest, Die, Roll
from tests.ui.windows import Owned, button, texts
from ui.desktop.battle.dice_card import DiceCard, DiceFaces

LEFT = Qt.MouseButton.LeftButton
TWO = DiceRequest(Die.D6, 2, "green-1", "the attack")


def asked(owned: Owned[DiceCard], request: DiceRequest = TWO) -> tuple[DiceCard, list[Roll]]:
    """A card, and the rolls that it reports."""
    card, rolls = owned(DiceCard(request, random.Random(1))), []
    card.rolled.connect(rolls.append)
    card.show()
    return card, rolls


def line(card: DiceCard) -> QLineEdit:
    """Where the faces are typed."""
    found = card.findChild(QLineEdit)
    assert found is not None
    return found


def test_typed_faces_count_with_return(owned: Owned[DiceCard]) -> None:
    card, rolls = asked(owned)
    card.setFocus()
    assert card.focusWidget() is line(card)
    QTest.keyClicks(line(card), "63")
    assert rolls == []
    assert card.findChildren(DiceFaces)[0].faces == (6, 3)
    QTest.keyClick(line(card), Qt.Key.Key_Return)
    assert rolls == [Roll((6, 3))]


def test_the_program_rolls_only_once(owned: Owned[DiceCard]) -> None:
    card, rolls = asked(owned)
    for _ in range(3):
        QTest.mouseClick(button(card, "Roll the dice"), LEFT)
    card.take([1, 1])
    assert len(rolls) == 1
    assert card.roll == rolls[0]


def test_clicked_faces_count_with_use(owned: Owned[DiceCard]) -> None:
    card, rolls = asked(owned)
    [five] = [one for one in card.findChildren(QPushButton) if one.accessibleName() == "A die shows 5"]
    QTest.mouseClick(five, LEFT)
    assert not button(card, "Use").isEnabled()
    QTest.mouseClick(five, LEFT)
    QTest.mouseClick(button(card, "Use"), LEFT)
    assert rolls == [Roll((5, 5))]


def test_reported_faces_count_at_once(owned: Owned[DiceCard]) -> None:
    card, rolls = asked(owned)
    card.take([2, 5])
    assert rolls == [Roll((2, 5))]
    assert not card.may_cancel


def test_an_impossible_face_is_refused(owned: Owned[DiceCard]) -> None:
    card, rolls = asked(owned)
    QTest.keyClicks(line(card), "7 1")
    QTest.keyClick(line(card), Qt.Key.Key_Return)
    assert rolls == []
    assert any("A die cannot show 7" in words for words in texts(card))


def test_what_is_no_die_is_answered_with_an_example(owned: Owned[DiceCard]) -> None:
    card, rolls = asked(owned, DiceRequest(Die.FUDGE, 4, "green-1", "the attack"))
    QTest.keyClicks(line(card), "--rectangle")
    assert not any(words.startswith("Type the 4 dice") for words in texts(card)), "not while they are typed"
    QTest.keyClick(line(card), Qt.Key.Key_Return)
    assert rolls == []
    assert "Type the 4 dice, e.g. - 0 + +." in texts(card)


@pytest.mark.parametrize(("keys", "faces"), [("0000", (0, 0, 0, 0)), ("+-0+", (1, -1, 0, 1))])
def test_fudge_dice_are_typed_as_signs(owned: Owned[DiceCard], keys: str, faces: tuple[int, ...]) -> None:
    card, rolls = asked(owned, DiceRequest(Die.FUDGE, 4, "green-1", "the attack"))
    QTest.keyClicks(line(card), keys)
    QTest.keyClick(line(card), Qt.Key.Key_Return)
    assert rolls == [Roll(faces)]


def test_six_sided_dice_stand_in_for_fudge_dice(owned: Owned[DiceCard]) -> None:
    """PF-06: only where the game says what their faces mean."""
    plain, _ = asked(owned, DiceRequest(Die.FUDGE, 4, "green-1", "the attack"))
    request = DiceRequest(Die.FUDGE, 4, "green-1", "the attack", stands_for=(-1, -1, 0, 0, 1, 1))
    card, rolls = asked(owned, request)
    boxes = [one.findChild(QCheckBox) for one in (plain, card)]
    assert [box.isVisible() for box in boxes] == [False, True]
    boxes[1].click()
    QTest.keyClicks(line(card), "1635")
    QTest.keyClick(line(card), Qt.Key.Key_Return)
    assert rolls == [Roll((-1, 1, 0, 1))]


def test_the_number_needed_is_large_and_earlier_rolls_are_shown(owned: Owned[DiceCard]) -> None:
    card, _ = asked(owned)
    card.show_action("Green 1: Attack on Tan 4", "7 or less on two dice")
    [needed] = [label for label in card.findChildren(QLabel) if label.text() == "7 or less on two dice"]
    assert needed.isVisible()
    assert needed.font().pointSizeF() > 1.5 * card.font().pointSizeF()
    assert card.may_cancel
    second, _ = asked(owned)
    second.show_action("Green 1: Attack on Tan 4", "", ((TWO, Roll((3, 4))),))
    assert "Green 1: 3, 4" in texts(second)
    assert not second.may_cancel


def test_escape_cancels_until_a_die_is_rolled(owned: Owned[DiceCard]) -> None:
    card, _ = asked(owned)
    cancelled = []
    card.cancelled.connect(lambda: cancelled.append(True))
    QTest.keyClick(line(card), Qt.Key.Key_Escape)
    assert cancelled == [True]
    card.lock()
    QTest.keyClick(line(card), Qt.Key.Key_Escape)
    assert cancelled == [True]


def test_drawn_dice_have_a_name(owned: Owned[DiceFaces]) -> None:
    dice = owned(DiceFaces(Die.FUDGE, 3, (1, 0)))
    assert dice.accessibleName() == "3 Fudge dice: plus, blank"
    many = owned(DiceFaces(Die.D6, 40))
    assert many.sizeHint().width() <= 300
    assert not many.grab().isNull()
    assert not owned(DiceFaces(Die.D6, 6, range(1, 7))).grab().isNull()


def test_ctrl_z_takes_back_typed_and_clicked_faces_and_then_belongs_to_the_window(owned: Owned[QWidget]) -> None:
    window = owned(QWidget())
    layout, undone = QVBoxLayout(window), list[bool]()
    card = DiceCard(TWO, random.Random(1))
    layout.addWidget(card)
    undo = QAction(window)
    undo.setShortcut("Ctrl+Z")
    undo.triggered.connect(lambda: undone.append(True))
    window.addAction(undo)
    window.show()
    QTest.qWaitForWindowActive(window)
    line(card).setFocus()
    [five] = [one for one in card.findChildren(QPushButton) if one.accessibleName() == "A die shows 5"]
    QTest.mouseClick(five, LEFT)
    assert line(card).text() == "5"
    for text, times in (("", 0), ("", 1), ("", 2)):
        QTest.keyClick(line(card), Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        assert (line(card).text(), len(undone)) == (text, times)
