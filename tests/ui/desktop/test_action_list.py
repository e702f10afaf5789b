"""The action list: the best actions at once, the others and the forbidden ones folded."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from PyQt6.QtCore import QRect, Qt
from PyQt6.QtGui import QFontMetrics
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QLabel, QLineEdit, QTreeWidgetItem

from rules.engine.action import Action
from rules.engine.game import Question
from rules.engine.preview import ActionPreview, AvailableActions, Odds
from rules.tabletop.template import Blast
from tests.ui.windows import Owned
from ui.battle.action_text import lines_above
from ui.desktop.battle.action_list import ActionList
from ui.desktop.battle.panel import BattlePanel


def many(count: int) -> list[ActionPreview]:
    """Shots at Tan 1 to Tan N, the later the better; Tan 2 is out of range."""
    actions = [Action(f"Rifle at Tan {n}", "shoot", {}, by=("green-1",), at=(f"tan-{n}",)) for n in range(1, count + 1)]
    return [
        ActionPreview(
            action,
            None,
            Odds()
            if action.at == ("tan-2",)
            else Odds({"hit": Fraction(n, 20), "miss": Fraction(20 - n, 20)}, harm=Fraction(n, 20)),
            refusal="out of range" if action.at == ("tan-2",) else "",
        )
        for n, action in enumerate(actions, 1)
    ]


@pytest.fixture
def actions(qt: QApplication, owned: Owned[ActionList]) -> ActionList:
    shown = owned(ActionList())
    shown.resize(320, 400)
    shown.show()
    shown.show_actions(many(12))
    qt.processEvents()
    return shown


def rows(actions: ActionList) -> list[QTreeWidgetItem]:
    found = [actions.topLevelItem(row) for row in range(actions.topLevelItemCount())]
    return [item for item in found if item is not None]


def target(actions: ActionList) -> tuple[str, ...]:
    return actions.chosen.action.at if actions.chosen is not None else ()


def test_the_best_actions_are_shown_and_the_rest_is_folded(actions: ActionList) -> None:
    assert [(item.text(0), item.text(1)) for item in rows(actions)] == [
        ("Rifle at Tan 12", "60 %"),
        ("Rifle at Tan 11", "55 %"),
        ("Rifle at Tan 10", "50 %"),
        ("▸ More… (8)", ""),
        ("▸ Why not? (1)", ""),
    ]
    assert not rows(actions)[3].isExpanded()
    assert rows(actions)[4].child(0).text(0) == "Rifle at Tan 2: Out of range."
    assert not actions.grab().isNull()


def test_a_long_reason_is_shown_whole(actions: ActionList) -> None:
    reason = "melee needs base contact, unless the weapon says otherwise, and this one says nothing of the kind (FM-25)"
    [one] = [preview for preview in many(2) if not preview.possible]
    actions.show_actions([replace(one, refusal=reason)])
    [why] = rows(actions)
    actions.expandItem(why)
    row = actions.visualItemRect(why.child(0))
    lines = actions.fontMetrics().boundingRect(0, 0, row.width(), 1000, Qt.TextFlag.TextWordWrap, why.child(0).text(0))
    assert row.height() >= lines.height() > 2 * actions.fontMetrics().height()


def test_a_fold_opens_by_click_and_by_return(actions: ActionList) -> None:
    more, why = rows(actions)[3:]
    viewport = actions.viewport()
    QTest.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=actions.visualItemRect(more).center())
    assert more.isExpanded()
    assert more.text(0) == "▾ More… (8)"
    assert actions.chosen is None
    actions.setCurrentItem(why)
    QTest.keyClick(actions, Qt.Key.Key_Return)
    assert why.isExpanded()
    QTest.keyClick(actions, Qt.Key.Key_Return)
    assert not why.isExpanded()


def test_arrows_go_through_the_rows(actions: ActionList) -> None:
    actions.choose(0)
    actions.setFocus()
    QTest.keyClick(actions, Qt.Key.Key_Down)
    assert target(actions) == ("tan-11",)


@pytest.mark.parametrize("reason", [Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason])
def test_the_focus_alone_selects_nothing(
    actions: ActionList, qt: QApplication, owned: Owned[QLineEdit], reason: Qt.FocusReason
) -> None:
    """After a menu, Return would otherwise do what the player has not chosen, such as declare a victory."""
    other = owned(QLineEdit())
    other.show()
    other.setFocus()
    actions.activateWindow()
    qt.processEvents()
    actions.setFocus(reason)
    qt.processEvents()
    assert actions.hasFocus()
    assert actions.chosen is None


def test_selection_and_folds_stay_while_the_actions_are_unchanged(actions: ActionList) -> None:
    actions.choose(3)
    assert target(actions) == ("tan-9",)
    assert actions.show_actions(many(12))
    assert target(actions) == ("tan-9",)
    assert rows(actions)[3].isExpanded()
    assert not actions.show_actions(many(5))
    assert actions.chosen is None


def test_a_forbidden_action_unfolds_when_it_is_selected(actions: ActionList) -> None:
    actions.choose(11)
    assert target(actions) == ("tan-2",)
    assert rows(actions)[4].isExpanded()


def test_one_reason_for_many_targets_opens_to_its_targets(actions: ActionList) -> None:
    shown = [replace(one, odds={}, refusal="out of range") if k > 3 else one for k, one in enumerate(many(12))]
    actions.show_actions(shown)
    actions.choose(11)  # the last; Tan 1, Tan 3 and Tan 4 are possible
    [why] = [item for item in rows(actions) if item.childCount()]
    assert (why.text(0), why.childCount()) == ("▾ Why not? (9)", 1)
    assert why.child(0).text(0) == "▾ Rifle at 9 targets: Out of range."
    assert (why.child(0).childCount(), target(actions)) == (9, ("tan-12",))


def test_long_text_is_in_the_tooltip(actions: ActionList) -> None:
    item = rows(actions)[4].child(0)
    assert "Rifle at Tan 2" in item.toolTip(0)
    assert "out of range" in item.toolTip(0).lower()
    assert rows(actions)[0].toolTip(1) == "hit 60 %, miss 40 %"


def test_a_target_is_selected_only_if_it_can_be_attacked(actions: ActionList) -> None:
    assert actions.choose_target("tan-5")
    assert not actions.choose_target("tan-2")
    assert target(actions) == ("tan-5",)


def test_the_selected_action_stays_in_view_when_its_card_takes_room_from_the_list(
    actions: ActionList, qt: QApplication
) -> None:
    assert actions.choose_target("tan-1")
    actions.resize(320, 200)
    qt.processEvents()
    chosen, viewport = actions.currentItem(), actions.viewport()
    assert chosen is not None
    assert viewport is not None
    assert viewport.rect().contains(actions.visualItemRect(chosen))


def test_the_list_asks_for_the_height_of_its_rows_and_at_least_for_two_actions(actions: ActionList) -> None:
    # Three best actions of 48 px and two folds of 32 px; the folds hold 8 more and 1 forbidden action of 32 px.
    assert actions.sizeHint().height() == 3 * 48 + 2 * 32
    assert actions.minimumSizeHint().height() == 2 * 48
    rows(actions)[3].setExpanded(True)
    assert actions.sizeHint().height() == 3 * 48 + 2 * 32 + 8 * 32
    actions.show_actions(())
    assert actions.sizeHint().height() == 0


def test_actions_of_several_figures_say_whose_they_are(actions: ActionList) -> None:
    moves = [
        Action(title, "run", {}, by=(by,)) for title, by in (("Checks of Tan", "tan-1"), ("Run to safety", "tan-2"))
    ]
    actions.show_actions([ActionPreview(one, None) for one in moves])
    assert [item.text(0) for item in rows(actions)] == ["Checks of Tan", "Tan 2: Run to safety"]
    actions.show_actions([ActionPreview(moves[1], None)])
    assert [item.text(0) for item in rows(actions)] == ["Run to safety"]


def test_long_words_beside_long_chances_are_shown_whole(actions: ActionList, qt: QApplication) -> None:
    action = Action("Tan 1 checks Guts because of two wound levels at once", "guts", {}, by=("tan-1",))
    odds = Odds({"falls helpless": Fraction(1, 2), "runs for its life": Fraction(1, 2)})
    certain = replace(action, title="Tan 1 stays because no place on this table is safe for it")
    actions.show_actions([ActionPreview(action, None, odds), ActionPreview(certain, None)])
    qt.processEvents()
    for chip in rows(actions):
        bold = QFontMetrics(chip.font(0))
        room = QRect(0, 0, actions.columnWidth(0) - 16, 1000)  # the margins of the chip and of the words
        needed = bold.boundingRect(room, Qt.TextFlag.TextWordWrap, chip.text(0)).height()
        assert needed >= 3 * bold.height()
        assert actions.visualItemRect(chip).height() >= needed


def test_without_reasons_all_rows_have_room_in_a_low_window(qt: QApplication, owned: Owned[BattlePanel]) -> None:
    panel = owned(BattlePanel())
    panel.resize(340, 380)
    panel.show_battle_open(True)
    panel.show()
    panel.show_actions(many(12))
    qt.processEvents()
    assert panel.action_list.height() >= panel.action_list.sizeHint().height()
    panel.show_outcome("\n".join(f"reason {n}" for n in range(30)))
    qt.processEvents()
    assert panel.why.isVisible()


def test_questions_are_as_wide_as_the_panel(qt: QApplication, owned: Owned[BattlePanel]) -> None:
    panel, words = owned(BattlePanel()), "Is the attack from behind the target, or from one of its sides?"
    panel.resize(340, 700)
    panel.show_battle_open(True)
    panel.show()
    first, *_ = many(1)
    panel.show_actions([replace(first, asks=(Question("side", words, "front", ("front", "behind"), holds=str),))])
    panel.action_list.choose(0)
    qt.processEvents()
    [label] = [one for one in panel.findChildren(QLabel) if one.text() == words]
    assert label.width() > 0.85 * panel.width()


def test_the_way_to_what_is_owed_needs_no_key_unless_a_click_aims() -> None:
    shot, *_ = many(1)
    owed = replace(shot, action=Action("Take off Tan 2", "remove", {}, owed="AM-40"))
    shell = replace(shot, action=replace(shot.action, template=Blast((0.0, 0.0), 3.0)))
    available = AvailableActions("green-1", shot, (shot,), ())
    [line] = lines_above(available, (shot,), [owed], moves=False)
    assert line == "Still to do: Take off Tan 2. Click bare table to see it."
    *_, line = lines_above(available, (shell,), [owed], moves=False)
    assert line == "Still to do: Take off Tan 2. Press Esc to see it."
