"""The action list shows how many of its rows are out of sight."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication

from rules.referee import ActionPreview, Deed
from tests.ui.windows import Owned
from ui.desktop.battle.action_list import ActionList


def many(count: int) -> list[ActionPreview]:
    deeds = [Deed(f"Rifle at Tan {n}", "shoot", {}, by=("green-1",), at=(f"tan-{n}",)) for n in range(1, count + 1)]
    return [ActionPreview(deed, None, {}, refusal="out of range" if deed.at == ("tan-2",) else "") for deed in deeds]


@pytest.fixture
def deeds(qt: QApplication, owned: Owned[ActionList]) -> ActionList:
    shown = owned(ActionList())
    shown.resize(320, 130)
    shown.show()
    shown.show_actions(many(12))
    qt.processEvents()
    return shown


def head(deeds: ActionList) -> str:
    item = deeds.headerItem()
    assert item is not None
    return item.text(0)


def test_the_header_counts_rows_out_of_sight(qt: QApplication, deeds: ActionList) -> None:
    above, below = deeds.unseen
    assert (above, 4 <= below <= 11) == (0, True)
    assert head(deeds) == f"Actions: {below} more below"
    deeds.scrollToBottom()
    qt.processEvents()
    assert deeds.unseen == (below, 0)
    assert head(deeds) == f"Actions: {below} above"
    deeds.resize(320, 600)
    qt.processEvents()
    assert deeds.unseen == (0, 0)
    assert head(deeds) == "Actions"


def test_a_short_list_has_no_count(qt: QApplication, deeds: ActionList) -> None:
    assert not deeds.show_actions(many(2))
    qt.processEvents()
    assert head(deeds) == "Actions"


def test_the_selection_stays_while_the_actions_are_unchanged(deeds: ActionList) -> None:
    deeds.choose(3)
    assert deeds.show_actions(many(12))
    assert deeds.chosen is not None
    assert deeds.chosen.deed.at == ("tan-4",)
    assert not deeds.show_actions(many(5))
    assert deeds.chosen is None


def test_long_text_is_in_the_tooltip(deeds: ActionList) -> None:
    item = deeds.topLevelItem(1)
    assert item is not None
    assert "Rifle at Tan 2" in item.toolTip(0)
    assert "out of range" in item.toolTip(0)


def test_a_target_is_selected_only_if_it_can_be_attacked(deeds: ActionList) -> None:
    assert deeds.choose_target("tan-5")
    assert not deeds.choose_target("tan-2")
    assert deeds.chosen is not None
    assert deeds.chosen.deed.at == ("tan-5",)
