"""Assigning units to figures, by hand and from saved army lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QComboBox, QInputDialog, QLabel, QPushButton

from rules.engine.roster import Army, Recruit
from rules.games import open_game
from rules.tabletop.errors import UserError
from tests.rules.board import figure
from tests.ui.windows import Owned
from ui.battle.armies import ArmyLists
from ui.battle.battle_setup import fitted
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog

MEN = tuple(
    replace(figure(f"{army}-{n}", 3 * n, y), army=army) for army, y in (("green", 2), ("tan", 20)) for n in (1, 2, 3)
)
GREEN = Army(
    name="Evening rifles",
    game="army_men",
    recruits=(
        Recruit(figure="green-2", card="officer"),
        Recruit(figure="old-7", card="medic", squad="aid"),
        Recruit(figure="old-8", card="rifleman"),
    ),
)


@pytest.fixture
def store(tmp_path: Path) -> ArmyLists:
    return ArmyLists(tmp_path / "armies")


@pytest.fixture
def dialog(owned: Owned[BattleSetupDialog], store: ArmyLists) -> BattleSetupDialog:
    store.keep(GREEN)
    one = owned(BattleSetupDialog(["green", "tan"], MEN, store))
    one.choose_game("army_men")
    return one


def cards(dialog: BattleSetupDialog, side: str) -> list[tuple[str, str | None, str]]:
    return [(one.figure, one.card, one.squad) for one in dialog.battle_setup.armies[side].recruits]


def test_figures_get_their_own_entry_and_the_others_in_order() -> None:
    recruits, left_over = fitted(GREEN, MEN[:3])
    assert [(one.figure, one.card) for one in recruits] == [
        ("green-1", "medic"),
        ("green-2", "officer"),
        ("green-3", "rifleman"),
    ]
    assert left_over == 0


def test_entries_without_figures_are_counted() -> None:
    assert fitted(GREEN, MEN[:1])[1] == 2
    assert len(fitted(GREEN, [*MEN[:3], figure("green-4", 1, 1)])[0]) == 3


def lists(dialog: BattleSetupDialog) -> list[QComboBox]:
    """The sides' boxes of saved lists, if "Evening rifles" can be chosen."""
    return [box for box in dialog.findChildren(QComboBox) if box.findData("Evening rifles") >= 0]


def test_choosing_a_list_fills_the_cards(dialog: BattleSetupDialog) -> None:
    box, _ = lists(dialog)
    box.setCurrentIndex(box.findData("Evening rifles"))
    box.activated.emit(box.currentIndex())
    assert cards(dialog, "green") == [
        ("green-1", "medic", "aid"),
        ("green-2", "officer", ""),
        ("green-3", "rifleman", ""),
    ]


def test_an_army_saved_in_the_dialog_can_be_chosen_again(
    dialog: BattleSetupDialog, store: ArmyLists, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.choose_card("tan-2", "engineer", "pioneers")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("Tan pioneers", True))
    keep = [one for one in dialog.findChildren(QPushButton) if one.text().startswith("Save list")][1]
    keep.click()
    assert store.take("Tan pioneers").recruits[1] == Recruit(figure="tan-2", card="engineer", squad="pioneers")
    dialog.choose_card("tan-2", "rifleman")
    dialog.take_list("tan", "Tan pioneers")
    assert cards(dialog, "tan")[1] == ("tan-2", "engineer", "pioneers")


def test_a_players_own_card_is_kept(dialog: BattleSetupDialog, store: ArmyLists) -> None:
    own = dict(open_game("army_men").rules.plain["cards"]["rifleman"]) | {"title": "Old Bill"}
    store.keep(Army(name="Bills", game="army_men", recruits=(Recruit(figure="green-1", own=own),)))
    dialog.take_list("green", "Bills")
    (bill,) = dialog.battle_setup.armies["green"].recruits
    assert bill.own == own
    assert bill.card is None


def test_a_list_for_another_game_is_rejected(dialog: BattleSetupDialog) -> None:
    dialog.choose_game("simple_plastic")
    assert lists(dialog) == []
    with pytest.raises(UserError, match=r"is for Army Men\. Choose that game first"):
        dialog.take_list("green", "Evening rifles")


def test_an_invalid_name_is_reported_in_the_dialog(dialog: BattleSetupDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("…", True))
    keep, _ = (one for one in dialog.findChildren(QPushButton) if one.text().startswith("Save list"))
    keep.click()
    assert any("use letters or digits" in label.text() for label in dialog.findChildren(QLabel))
