"""Army lists: stored as JSON, used in a battle, and checked by the game's own rule."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from rules.engine.roster import Army, Recruit, army_document, army_of, enlistment
from rules.engine.verdict import RuleRefusal
from rules.games import GAMES, open_game, points_check
from rules.tabletop.errors import UserError

GAME = open_game("simple_plastic")
RIFLES = tuple(Recruit(figure=f"green-{n}", card="soldier", squad="rifles") for n in (1, 2))


def army(*recruits: Recruit, game: str = "simple_plastic") -> Army:
    return Army(name="First", game=game, recruits=recruits)


def test_army_list_survives_json() -> None:
    own = Recruit(figure="green-3", own={"title": "Uncle Tom", "unit": "sniper"})
    document = json.loads(json.dumps(army_document(army(*RIFLES, own))))
    assert document["schema"] == 1
    assert army_of(document) == army(*RIFLES, own)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": 2}, "does not have schema 1"),
        ({"recruit": []}, "the army list has the unknown key 'recruit': did you mean 'recruits'"),
        ({"recruits": [{"card": "soldier"}]}, r"recruits\[0\] lacks the key 'figure'"),
        ({"recruits": [{"figure": "a"}]}, "a needs one card"),
        ({"recruits": [{"figure": "a", "card": "soldier"}] * 2}, "has the figure a twice"),
    ],
)
def test_army_list_with_an_error_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        army_of({**army_document(army(*RIFLES)), **change})


@pytest.mark.parametrize("document", [None, [], "army", 3])
def test_other_document_is_refused(document: Any) -> None:
    with pytest.raises(UserError, match="choose another file"):
        army_of(document)


def test_army_list_becomes_the_units_of_a_side() -> None:
    assert [(one.figure, one.side, one.card, one.squad) for one in enlistment(GAME, army(*RIFLES), "green")] == [
        ("green-1", "green", "soldier", "rifles"),
        ("green-2", "green", "soldier", "rifles"),
    ]


def test_army_list_of_another_game_is_refused() -> None:
    with pytest.raises(UserError, match="is for army_men, not for simple_plastic"):
        enlistment(GAME, army(*RIFLES, game="army_men"), "green")


def test_unknown_card_of_a_recruit_is_refused() -> None:
    with pytest.raises(
        UserError, match="green-9 has the card 'tank', which Simple Plastic Wargame lacks: choose one of"
    ):
        points_check(GAME, army(Recruit(figure="green-9", card="tank")))


def outcome(game: str, *recruits: Recruit) -> tuple[str, Any]:
    found = points_check(open_game(game), army(*recruits, game=game))
    assert found is not None
    return found.outcome, found.numbers.get("reason")


def test_simple_plastic_allows_a_specialist_for_a_squad_sp_18() -> None:
    sniper, other = (Recruit(figure=f"green-{n}", card="sniper") for n in (8, 9))
    assert outcome("simple_plastic", *RIFLES, sniper) == ("legal", None)
    assert outcome("simple_plastic", *RIFLES, sniper, other) == ("forbidden", "too_many_specialists")


def test_a_players_own_card_counts_by_its_values_sp_20() -> None:
    sniper = Recruit(figure="green-9", own={"unit": "sniper"}, squad="rifles")
    assert outcome("simple_plastic", *RIFLES, sniper) == ("forbidden", "not_in_squad")
    with pytest.raises(RuleRefusal, match="must be a text, not None"):
        outcome("simple_plastic", Recruit(figure="green-9", own={"title": "?"}))


def test_army_men_advises_30_to_40_men_am_07() -> None:
    card = next(iter(open_game("army_men").rules.plain["cards"]))
    men = [Recruit(figure=f"tan-{n}", card=card) for n in range(40)]
    assert outcome("army_men", *men)[0] == "as advised"
    assert outcome("army_men", *men[:29])[0] == "unusual"


def test_army_men_counts_men_and_not_their_vehicles_am_07() -> None:
    men = [Recruit(figure=f"tan-{n}", card="rifleman") for n in range(29)]
    crews = [
        Recruit(figure=f"tan-{n}", card=card) for n, card in enumerate(("tank", "jeep", "pillbox", "howitzer"), 50)
    ]
    assert outcome("army_men", *men, *crews)[0] == "unusual"
    assert outcome("army_men", *men, *crews, Recruit(figure="tan-99", own={"title": "Sarge"}))[0] == "as advised"


def test_simple_plastic_figure_has_one_side_in_an_army_ww_01() -> None:
    german = Recruit(figure="grey-1", card="german_rifleman")
    allies = [Recruit(figure="tan-1", card="british_rifleman"), Recruit(figure="tan-2", card="russian_rifleman")]
    anybody = Recruit(figure="x-1", card="sentry")
    assert outcome("simple_plastic_figure", german, anybody) == ("legal", None)
    assert outcome("simple_plastic_figure", *allies) == ("legal", None)
    assert outcome("simple_plastic_figure", german, *allies) == ("forbidden", "two_sides")
    assert outcome("simple_plastic_figure") == ("forbidden", "no_figures")


def test_simple_plastic_figure_counts_reserves_ww_58() -> None:
    found = points_check(
        open_game("simple_plastic_figure"),
        army(
            Recruit(figure="grey-1", card="german_rifleman"),
            Recruit(figure="grey-2", card="marcher"),
            Recruit(figure="grey-3", own={"title": "Guard", "nation": "german", "reserve": True}),
            game="simple_plastic_figure",
        ),
    )
    assert found is not None
    assert dict(found.numbers) == {"figures": 3, "reserves": 2, "sides": ["german"], "legal": True}
    assert [reason.rule for reason in found.reasons] == ["WW-01", "WW-58"]


@pytest.mark.parametrize(
    ("own", "message"),
    [
        ({"weapons": ["flamethrower"]}, "flamethrower"),  # from a later segment (WW-64)
        ({"nation": "swiss"}, "x is of the unknown nation 'swiss': choose one of german, russian, british, american"),
    ],
)
def test_simple_plastic_figure_has_the_weapons_and_nations_of_its_tables_ww_03(own: Any, message: str) -> None:
    with pytest.raises(UserError, match=message):
        outcome("simple_plastic_figure", Recruit(figure="x", own={"title": "?", **own}))


@pytest.mark.parametrize("name", GAMES)
def test_every_check_works_for_a_single_figure(name: str) -> None:
    cards = open_game(name).rules.plain["cards"]
    assert outcome(name, Recruit(figure="tan-1", card=next(iter(cards))))[0]


def test_game_without_a_points_check_returns_none() -> None:
    rules = replace(GAME.rules, header=replace(GAME.rules.header, name="house"))
    assert points_check(replace(GAME, rules=rules), army(*RIFLES, game="house")) is None
