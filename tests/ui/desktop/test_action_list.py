"""The action list shows how many of its rows are out of sight."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication

from rules.engine.referee import Action, ActionPreview
from tests.ui.windows import Owned
from ui.desktop.battle.action_list import ActionList


def many(count: int) -> list[ActionPreview]:
    actions = [Action(f"Rifle at Tan {n}", "shoot", {}, by=("green-1",), at=(f"tan-{n}",)) for n in range(1, count + 1)]
    return [
        ActionPreview(action, None, {}, refusal="out of range" if action.at == ("tan-2",) else "") for action in actions
    ]


@pytest.fixture
def actions(qt: QApplication, owned: Owned[ActionList]) -> ActionList:
    shown = owned(ActionList())
    shown.resize(320, 130)
    shown.show()
    shown.show_actions(many(12))
    qt.processEvents()
    return shown


def head(actions: ActionList) -> str:
    item = actions.headerItem()
    assert item is not None
    return item.text(0)


def test_the_header_counts_rows_out_of_sight(qt: QApplication, actions: ActionList) -> None:
    above, below = actions.unseen
    assert (above, 4 <= below <= 11) == (0, True)
    assert head(actions) == f"Actions: {below} more below"
    actions.scrollToBottom()
    qt.processEvents()
    assert actions.unseen == (below, 0)
    assert head(actions) == f"Actions: {below} above"
    actions.resize(320, 600)
    qt.processEvents()
    assert actions.unseen == (0, 0)
    assert head(actions) == "Actions"


def test_a_short_list_has_no_count(qt: QApplication, actions: ActionList) -> None:
    assert not actions.show_actions(many(2))
    qt.processEvents()
    assert head(actions) == "Actions"


def test_the_selection_stays_while_the_actions_are_unchanged(actions: ActionList) -> None:
    actions.choose(3)
    assert actions.show_actions(many(12))
    assert actions.chosen is not None
    assert actions.chosen.action.at == ("tan-4",)
    assert not actions.show_actions(many(5))
    assert actions.chosen is None


def test_long_text_is_in_the_tooltip(actions: ActionList) -> None:
    item = actions.topLevelItem(1)
    assert item is not None
    assert "Rifle at Tan 2" in item.toolTip(0)
    assert "out of range" in item.toolTip(0)


def test_a_target_is_selected_only_if_it_can_be_attacked(actions: ActionList) -> None:
    assert actions.choose_target("tan-5")
    assert not actions.choose_target("tan-2")
    assert actions.chosen is not None
    assert actions.chosen.action.at == ("tan-5",)
