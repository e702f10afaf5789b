"""Which figure is which unit: by hand, and from lists that were saved on another evening."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtWidgets import QComboBox, QInputDialog, QLabel, QPushButton

from rules.games import open_game
from rules.roster import Army, Recruit
from rules.table import UserError
from tests.rules.board import figure
from tests.ui.windows import Owned
from ui.battle.armies import Shelf
from ui.battle.battle_setup import fitted
from ui.desktop.battle.battle_setup_dialog import MusterDialog

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
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path / "armies")


@pytest.fixture
def dialog(owned: Owned[MusterDialog], shelf: Shelf) -> MusterDialog:
    shelf.keep(GREEN)
    one = owned(MusterDialog(["green", "tan"], MEN, shelf))
    one.choose_game("army_men")
    return one


def cards(dialog: MusterDialog, side: str) -> list[tuple[str, str | None, str]]:
    return [(one.figure, one.card, one.squad) for one in dialog.muster.armies[side].recruits]


def test_each_takes_his_own_entry_and_the_others_follow_in_order() -> None:
    recruits, left_over = fitted(GREEN, MEN[:3])
    assert [(one.figure, one.card) for one in recruits] == [
        ("green-1", "medic"),
        ("green-2", "officer"),
        ("green-3", "rifleman"),
    ]
    assert left_over == 0


def test_what_has_no_figure_is_counted_and_what_has_no_entry_stays_out() -> None:
    assert fitted(GREEN, MEN[:1])[1] == 2
    assert len(fitted(GREEN, [*MEN[:3], figure("green-4", 1, 1)])[0]) == 3


def lists(dialog: MusterDialog) -> list[QComboBox]:
    """Where the sides choose among the lists that are kept, if theirs of that evening can be chosen."""
    return [box for box in dialog.findChildren(QComboBox) if box.findData("Evening rifles") >= 0]


def test_a_list_is_taken_by_choosing_it(dialog: MusterDialog) -> None:
    box, _ = lists(dialog)
    box.setCurrentIndex(box.findData("Evening rifles"))
    box.activated.emit(box.currentIndex())
    assert cards(dialog, "green") == [
        ("green-1", "medic", "aid"),
        ("green-2", "officer", ""),
        ("green-3", "rifleman", ""),
    ]


def test_what_was_set_is_kept_and_taken_again(
    dialog: MusterDialog, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.choose_card("tan-2", "engineer", "pioneers")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("Tan pioneers", True))
    keep = [one for one in dialog.findChildren(QPushButton) if one.text().startswith("Save as list")][1]
    keep.click()
    assert shelf.take("Tan pioneers").recruits[1] == Recruit(figure="tan-2", card="engineer", squad="pioneers")
    dialog.choose_card("tan-2", "rifleman")
    dialog.take_list("tan", "Tan pioneers")
    assert cards(dialog, "tan")[1] == ("tan-2", "engineer", "pioneers")


def test_a_card_of_ones_own_comes_along(dialog: MusterDialog, shelf: Shelf) -> None:
    own = dict(open_game("army_men").rules.plain["cards"]["rifleman"]) | {"title": "Old Bill"}
    shelf.keep(Army(name="Bills", game="army_men", recruits=(Recruit(figure="green-1", own=own),)))
    dialog.take_list("green", "Bills")
    (bill,) = dialog.muster.armies["green"].recruits
    assert bill.own == own
    assert bill.card is None


def test_a_list_of_another_game_is_refused(dialog: MusterDialog) -> None:
    dialog.choose_game("simple_plastic")
    assert lists(dialog) == []
    with pytest.raises(UserError, match="is for Army Men: choose that game first"):
        dialog.take_list("green", "Evening rifles")


def test_a_name_that_makes_no_file_is_told_in_the_dialog(dialog: MusterDialog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("…", True))
    keep, _ = (one for one in dialog.findChildren(QPushButton) if one.text().startswith("Save as list"))
    keep.click()
    assert any("give it a name with letters or digits" in label.text() for label in dialog.findChildren(QLabel))
