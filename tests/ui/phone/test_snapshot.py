"""What the page shows of a table and a battle, and what a tapped soldier can do."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tests.rules import test_battle_army_men
from tests.ui.tables import soldier
from ui.battle.action_text import card_title
from ui.battle.battle_session import BattleSession
from ui.phone.snapshot import PhoneSnapshot, last_verdict, page_data, targets_data


def test_the_turn_the_sides_and_the_last_verdict(skirmish: PhoneSnapshot) -> None:
    data = page_data(skirmish)
    assert data["turn"]["words"] == "Turn 1 · Green attacks"
    assert [(side["name"], side["left"]) for side in data["sides"]] == [("Green", 4), ("Tan", 2)]
    assert data["verdict"][0] == "Green 1: Attack on Tan 1: kills."
    assert "SP-12  the target is behind cover (+1)" in data["verdict"]
    assert data["verdict"][-1] == "Tan 1 eliminated."


def test_the_map_has_the_figures_the_terrain_and_the_area(skirmish: PhoneSnapshot) -> None:
    data = page_data(skirmish)
    figures = {figure["id"]: figure for figure in data["figures"]}
    assert (figures["green-2"]["x"], figures["green-2"]["y"], figures["green-2"]["number"]) == (5.3, 4, "2")
    assert "tan-1" not in figures  # eliminated and taken off the table
    # Tan 3 is hidden, perhaps by a hand, and stays at its place in the journal.
    assert [name for name, figure in figures.items() if not figure["seen"]] == ["tan-3"]
    assert (figures["tan-3"]["x"], figures["tan-3"]["y"]) == (16, 15)
    assert [piece["name"] for piece in data["terrain"]] == ["hedge"]
    assert data["area"][2] == (20, 20)
    assert data["extent"] == (-3, -3, 23, 23)  # the area of play with a margin of 3 in


def test_sides_differ_in_colour_and_shape(skirmish: PhoneSnapshot) -> None:
    green, tan = page_data(skirmish)["sides"]
    assert green["colour"] != tan["colour"]
    assert green["shape"] != tan["shape"]


def test_a_casualty_that_still_lies_there_is_out(skirmish: PhoneSnapshot) -> None:
    figures = page_data(replace(skirmish, figures=(soldier("tan-1", 4, 14.5),)))["figures"]
    assert [figure["id"] for figure in figures if figure["out"]] == ["tan-1"]


def test_what_is_owed_is_named(tmp_path: Path) -> None:
    driver = test_battle_army_men.set_up(tmp_path / "b")
    with driver.battle as battle:
        data = page_data(PhoneSnapshot(position=driver.position, verdict=last_verdict(battle)))
        assert BattleSession(battle).owed(driver.position)  # who moves first
    assert data["owed"].startswith("Still to do: ")
    assert data["verdict"] == []


def test_a_table_without_a_battle_is_only_a_map() -> None:
    data = page_data(PhoneSnapshot((soldier("red-1", 3, 4),)))
    assert data["turn"] is None
    assert data["owed"] == ""
    assert [figure["name"] for figure in data["figures"]] == ["Red 1"]


def test_a_figure_without_a_number_wears_its_name() -> None:
    data = page_data(PhoneSnapshot((soldier("red-1", 3, 4), soldier("observer", 6, 4))))
    assert [figure["number"] for figure in data["figures"]] == ["1", "Observer"]


def test_a_still_table_stays_the_same_although_the_camera_trembles(skirmish: PhoneSnapshot) -> None:
    # 0.02 in is the noise of a still figure; places are rounded to 0.1 in.
    trembling = replace(skirmish, figures=tuple(replace(one, x_in=one.x_in + 0.02) for one in skirmish.figures))
    assert page_data(trembling) == page_data(skirmish)


def test_the_targets_of_a_figure_with_chances_and_reasons(skirmish: PhoneSnapshot) -> None:
    assert skirmish.position is not None
    data = targets_data(skirmish.position, "green-2")
    first = data["actions"][0]
    assert (data["name"], data["card"]) == ("Green 2", "Soldier")
    # A soldier kills on 4, less 1 for standing still, plus 1 for the hedge: 3 of 6 faces.
    assert (first["words"], first["chance"], first["at"]) == ("Attack on Tan 2", "50 %", ["tan-2"])
    assert "+1  the target is behind cover (SP-12)" in first["reasons"]
    json.dumps(data, allow_nan=False)


def test_an_own_card_without_a_title_is_called_so(skirmish: PhoneSnapshot) -> None:
    unit = skirmish.position.unit("green-2")
    titled = replace(unit, card=None, own={"title": "Hero"})
    assert card_title(skirmish.position, unit) == "Soldier"
    assert card_title(skirmish.position, titled) == "Hero"
    assert card_title(skirmish.position, replace(unit, card=None, own={})) == "own card"


def test_who_has_attacked_learns_why_not_again(skirmish: PhoneSnapshot) -> None:
    assert skirmish.position is not None
    data = targets_data(skirmish.position, "green-1")
    assert any("SP-11" in words for words in data["forbidden"])


def test_a_casualty_gets_a_sentence(skirmish: PhoneSnapshot) -> None:
    assert skirmish.position is not None
    data = targets_data(skirmish.position, "tan-1")
    assert data["refusal"].startswith("Tan 1 is not on the table")
    assert "actions" not in data
