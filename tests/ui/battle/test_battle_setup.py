"""Assigning units to figures, by hand and from saved army lists."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent
from PyQt6.QtWidgets import QApplication, QCheckBox, QComboBox, QInputDialog, QLabel, QPushButton

from rules.engine.objectives import Objective, Task
from rules.engine.roster import Army, Recruit
from rules.games import open_game
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture
from tests.rules.board import figure
from tests.ui.windows import Owned
from ui.battle.battle_setup import ArmyLists, BattleSetup, aim_words, begin, checked, fitted, usual_armies, usual_sides
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.translation import use_language

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


def soldiers(army: str, count: int, *, vehicles: int = 0) -> list[Figure]:
    """Standing soldiers of an army, and vehicles after them."""
    postures = [Posture.STANDING] * count + [Posture.VEHICLE] * vehicles
    return [replace(figure(f"{army}-{n}", n, 1), army=army, posture=one) for n, one in enumerate(postures, 1)]


TWO_ARMIES = [*soldiers("green", 5, vehicles=1), *soldiers("tan", 5, vehicles=1)]


@pytest.mark.parametrize(
    ("game", "green", "tan"),
    [
        ("army_men", ["officer", *["rifleman"] * 4, "tank"], ["officer", *["rifleman"] * 4, "tank"]),
        (
            "fudge_miniatures",
            ["King Kingsley", "Yanni the Yeoman", "Knavely Knave", "Brutas the Brute", "Sir Knightly"],
            ["King Kingsley", "Yanni the Yeoman", "Knavely Knave", "Brutas the Brute", "Sir Knightly"],
        ),
        ("plastic_fudge", ["commander", "radioman", *["basic"] * 3, "tank"], None),
        ("simple_plastic", ["soldier"] * 5, None),
        (
            "simple_plastic_figure",
            ["german_officer", *["german_rifleman"] * 4],
            ["russian_officer", *["russian_rifleman"] * 4],
        ),
    ],
)
def test_the_usual_armies_of_each_game_make_a_battle(
    game: str, green: list[str], tan: list[str] | None, tmp_path: Path
) -> None:
    opened = open_game(game)
    assert usual_sides(opened, ["green", "tan"], TWO_ARMIES) == ("green", "tan")
    armies = usual_armies(opened, ["green", "tan"], TWO_ARMIES)
    assert [one.card for one in armies["green"].recruits] == green
    assert [one.card for one in armies["tan"].recruits] == (tan or green)
    begin(tmp_path / "b", lambda: 0.0, BattleSetup(game, armies)).close()


def test_a_skirmish_is_set_up_with_as_many_models_as_it_allows() -> None:
    """FM-01: 3 to 10 models a side."""
    table = [*soldiers("green", 12), *soldiers("tan", 4)]
    armies = usual_armies(open_game("fudge_miniatures"), ["green", "tan"], table)
    assert [len(army.recruits) for army in armies.values()] == [10, 4]
    assert all(verdict.allowed for verdict in checked(BattleSetup("fudge_miniatures", armies)).values())


def test_a_single_soldier_of_a_side_is_no_commander() -> None:
    armies = usual_armies(open_game("plastic_fudge"), ["green"], soldiers("green", 1))
    assert [one.card for one in armies["green"].recruits] == ["basic"]


THREE_ARMIES = [*soldiers("green", 2), *soldiers("grey", 1), *soldiers("tan", 3)]


@pytest.mark.parametrize(
    ("game", "sides"),
    [
        ("army_men", ("green", "grey", "tan")),
        ("plastic_fudge", ("green", "tan")),
        ("simple_plastic_figure", ("green", "tan")),
    ],
)
def test_the_largest_armies_play_if_the_game_is_for_two(game: str, sides: tuple[str, ...]) -> None:
    assert usual_sides(open_game(game), ["green", "grey", "tan"], THREE_ARMIES) == sides


def test_an_army_without_units_in_the_game_is_left_out() -> None:
    figures = [*THREE_ARMIES, *soldiers("blue", 0, vehicles=2)]
    assert usual_sides(open_game("simple_plastic"), ["blue", "green", "tan"], figures) == ("green", "tan")


def test_an_army_without_units_is_refused_by_name(tmp_path: Path) -> None:
    armies = usual_armies(open_game("army_men"), ["green", "tan"], soldiers("green", 2))
    with pytest.raises(UserError, match=r"Tan has no units: choose a unit for its soldiers, or leave the army out"):
        begin(tmp_path / "b", lambda: 0.0, BattleSetup("army_men", armies))
    assert not (tmp_path / "b").exists()


def box_of(dialog: BattleSetupDialog, name: str) -> QComboBox:
    """The box with this accessible name."""
    [box] = [one for one in dialog.findChildren(QComboBox) if one.accessibleName() == name]
    return box


def test_selected_soldiers_get_the_same_unit(dialog: BattleSetupDialog) -> None:
    for name in ("green-1", "green-3", "tan-2"):
        dialog.soldiers.pick(name, extend=True)
    assert dialog.soldiers.selected == ("green-1", "green-3", "tan-2")
    box = box_of(dialog, "Unit of Green 3")
    box.setCurrentIndex(box.findData("sniper"))
    box.activated.emit(box.currentIndex())
    assert [card for _, card, _ in cards(dialog, "green")] == ["sniper", "rifleman", "sniper"]
    assert [card for _, card, _ in cards(dialog, "tan")] == ["officer", "sniper", "rifleman"]
    other = box_of(dialog, "Unit of Green 2")
    other.setCurrentIndex(other.findData("medic"))
    other.activated.emit(other.currentIndex())
    assert [card for _, card, _ in cards(dialog, "green")] == ["sniper", "medic", "sniper"], "his row is not selected"


def test_picking_without_shift_selects_one_soldier(dialog: BattleSetupDialog) -> None:
    dialog.soldiers.pick("green-1")
    dialog.soldiers.pick("tan-3")
    assert dialog.soldiers.selected == ("tan-3",)
    dialog.soldiers.pick("tan-3", extend=True)
    assert dialog.soldiers.selected == ()
    dialog.soldiers.pick("nobody")
    assert dialog.soldiers.selected == ()


def test_a_row_under_the_mouse_is_pointed_out(dialog: BattleSetupDialog) -> None:
    pointed: list[tuple[str, ...]] = []
    dialog.soldiers.pointed.connect(lambda: pointed.append(dialog.soldiers.pointed_out))
    dialog.soldiers.pick("tan-1")
    dialog.soldiers.cellEntered.emit(1, 0)
    assert pointed == [("tan-1",), ("tan-1", "green-2")]
    QApplication.sendEvent(dialog.soldiers, QEvent(QEvent.Type.Leave))
    assert pointed[-1] == ("tan-1",)


def test_an_army_can_be_left_out(dialog: BattleSetupDialog) -> None:
    dialog.soldiers.pick("tan-1")
    [green, tan] = dialog.findChildren(QCheckBox)
    assert (green.text(), tan.text()) == ("Green (3)", "Tan (3)")
    dialog.goals.choose("green", "", words="hold the bridge")
    tan.click()
    assert dialog.sides == ("green",)
    assert list(dialog.battle_setup.armies) == ["green"]
    assert [dialog.soldiers.isRowHidden(row) for row in range(6)] == [False] * 3 + [True] * 3
    assert dialog.soldiers.selected == (), "soldiers that take no part are not lit"
    tan.click()
    assert list(dialog.battle_setup.armies) == ["green", "tan"]
    assert not dialog.soldiers.isRowHidden(5)
    assert dialog.battle_setup.aims[0].words == "hold the bridge"


def test_a_refusal_keeps_the_input(owned: Owned[BattleSetupDialog], store: ArmyLists) -> None:
    started: list[BattleSetup] = []

    def start(setup: BattleSetup) -> None:
        if len(setup.armies) < 2:
            raise UserError("a battle needs two armies")
        started.append(setup)

    one = owned(BattleSetupDialog(["green", "tan"], MEN, store, start=start))
    one.choose_game("army_men")
    one.soldiers.choose("green-2", "sniper")
    one.show()
    tan = one.findChildren(QCheckBox)[1]
    tan.click()
    [button] = [found for found in one.findChildren(QPushButton) if found.text() == "Start battle"]
    button.click()
    assert one.isVisible()
    assert any(label.text() == "A battle needs two armies" for label in one.findChildren(QLabel))
    tan.click()
    button.click()
    assert not one.isVisible()
    assert started[0].armies["green"].recruits[1].card == "sniper"


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


def test_saved_lists_are_shown_only_if_the_game_has_any(dialog: BattleSetupDialog) -> None:
    dialog.show()
    boxes = lists(dialog)
    assert [box.isVisible() for box in boxes] == [True, True]
    dialog.choose_game("simple_plastic")
    assert [box.isVisible() for box in boxes] == [False, False]


def test_an_army_saved_in_the_dialog_can_be_chosen_again(
    dialog: BattleSetupDialog, store: ArmyLists, monkeypatch: pytest.MonkeyPatch
) -> None:
    dialog.soldiers.choose("tan-2", "engineer", "pioneers")
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("Tan pioneers", True))
    keep = [one for one in dialog.findChildren(QPushButton) if one.text().startswith("Save list")][1]
    keep.click()
    assert store.take("Tan pioneers").recruits[1] == Recruit(figure="tan-2", card="engineer", squad="pioneers")
    dialog.soldiers.choose("tan-2", "rifleman")
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


def test_an_army_with_a_long_name_leaves_room_for_the_units(owned: Owned[BattleSetupDialog], store: ArmyLists) -> None:
    side = "W" * 30
    figures = [replace(figure(f"{side}-1", 3, 2), army=side), *soldiers("tan", 2)]
    dialog = owned(BattleSetupDialog([side, "tan"], figures, store))
    dialog.resize(540, 700)
    dialog.show()
    boxes = [box for box in dialog.soldiers.findChildren(QComboBox) if box.isVisible()]
    assert all(box.width() >= box.sizeHint().width() for box in boxes)
    name = dialog.soldiers.item(0, 0)
    assert name is not None
    assert side in name.toolTip()


def test_goals_are_whole_sentences_in_german_too() -> None:
    tasks = (Task("kill", "no enemy is left", "FM-05"), Task("take", "take or hold a place", "WW-04", leads="is to"))
    wins, holds = Objective("green", "kill"), Objective("tan", "take", words="die Brücke")
    own = Objective("tan", words="die Brücke")
    assert aim_words(wins, tasks) == "Green wins when no enemy is left"
    assert use_language(["de"]) == "de"
    try:
        assert aim_words(wins, tasks) == "Sieg für Grün: kein Gegner ist übrig"
        assert aim_words(holds, tasks).startswith("Beige soll ")
        assert aim_words(own, tasks) == "Beige: die Brücke"
    finally:
        use_language(["en"])
