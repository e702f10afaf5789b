"""Plastic Fudge against its sheet: worked examples, more cases by rule, and random dice."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.dice import DiceRequest, Roll, Scripted
from rules.engine.game import Game
from rules.games import open_game
from rules.games.plastic_fudge.board import (
    after_hole,
    band,
    bands_up,
    disk,
    flame,
    movement_profile,
    terrain_under,
)
from rules.games.plastic_fudge.forces import card_cost
from rules.games.plastic_fudge.movement import Mover
from rules.games.plastic_fudge.tables import Tables
from rules.games.plastic_fudge.units import nearest_on, spoken_of
from rules.tabletop.errors import UserError
from rules.tabletop.measure import range_between
from rules.tabletop.movement import walk
from rules.tabletop.table import Figure, TerrainKind
from rules.tabletop.template import fraction_inside
from tests.rules import rule_table
from tests.rules.board import block, box, figure, piece

ROOT = Path(__file__).parents[3]
GAME: Game[Tables] = open_game("plastic_fudge")


def test_every_ambiguity_is_an_option_and_every_value_is_shown() -> None:
    ambiguities = {f"PF-A{number:02}" for number in range(1, 48)}  # the checklist has 47
    agreed = {"PF-15", "PF-127"}  # open to the players in the sheet's own words
    assert {option.rule for option in GAME.options.values()} == ambiguities | agreed


def test_the_rules_are_the_129_of_the_checklist() -> None:
    assert list(GAME.rules.header.rules) == [f"PF-{number:02}" for number in range(1, 130)]


def test_every_rule_has_code_and_a_test() -> None:
    homes, shown = rule_table.lives("plastic_fudge"), rule_table.tests("plastic_fudge")
    enforced = [rule for rule in GAME.rules.header.rules if rule not in GAME.rules.header.beyond]
    assert [rule for rule in enforced if not homes.get(rule)] == []
    assert [rule for rule in enforced if not shown.get(rule)] == []
    assert list(GAME.rules.header.beyond) == ["PF-01", "PF-44"]


# The tables against themselves.


def test_the_chart_is_a_function_of_the_difference_pf_49() -> None:
    # Read off the printed chart: below 0 no damage, 0 and 1 no effect, 2 and 3 injury, 4 and more a kill.
    def expected(difference: int) -> str:
        return "--" if difference < 0 else ("NE", "NE", "INJ", "INJ", "KIL")[min(difference, 4)]

    for attack in range(-4, 5):
        for defence in range(-4, 5):
            facts = {"attack_total": attack, "defense_total": defence}
            assert GAME.ask("chart", facts, Scripted([])).outcome == expected(attack - defence)


def test_totals_beyond_the_chart_pf_48() -> None:
    by_difference = GAME.choosing(off_the_chart="by_difference")
    for attack in range(-12, 13):
        for defence in range(-12, 13):
            facts = {"attack_total": attack, "defense_total": defence}
            held = {key: min(max(value, -4), 4) for key, value in facts.items()}
            assert GAME.ask("chart", facts, Scripted([])).outcome == GAME.ask("chart", held, Scripted([])).outcome
            kept = by_difference.ask("chart", facts, Scripted([])).outcome
            shifted = {"attack_total": min(attack - defence, 8) - 4, "defense_total": -4}
            assert kept == (GAME.ask("chart", shifted, Scripted([])).outcome if attack >= defence else "--")


PRINTED = {"grenade_and_rifle": -20, "mortar": 25, "50_cal": 25, "bazooka": 25, "flamethrower": 25, "bfg": 25}
"""Calculated minus printed cost: one printed sum is 20 too high, and others omit 25 points."""


@pytest.mark.parametrize("name", list(GAME.rules.tables.cards))
def test_a_card_costs_what_is_printed_but_for_its_slips_pf_107(name: str) -> None:
    card = GAME.rules.tables.cards[name]
    assert card_cost(GAME.rules, name).numbers["total"] - card.printed_cost == PRINTED.get(name, 0)


def test_every_single_number_is_used() -> None:
    files = [*(ROOT / "rules/games/plastic_fudge").glob("*.py"), ROOT / "ui/paper/marker_sheet.py"]  # prints the rod
    code = "".join(path.read_text(encoding="utf-8") for path in files)
    assert [name for name in GAME.rules.tables.limits if f'"{name}"' not in code] == []
    written = (ROOT / "rules/games/plastic_fudge.toml").read_text(encoding="utf-8")
    idle = [name for name in GAME.options if f'"{name}"' not in code and f"options.{name}.changes" not in written]
    assert idle == []


@pytest.mark.parametrize("name", [name for name, card in GAME.rules.tables.cards.items() if card.weapons])
def test_only_units_with_two_weapons_have_a_note_on_the_choice(name: str) -> None:
    """Troopers pay for two weapons and use one; vehicles pay for each weapon separately."""
    card = GAME.rules.tables.cards[name]
    found = GAME.ask("attack_request", {"unit": name, "weapon": card.weapons[0]}, Scripted([]))
    told = {"PF-71", "PF-97"} & {reason.rule for reason in found.reasons} - {card.rule}
    of_two = {"PF-97"} if card.kind == "trooper" else {"PF-71"}
    assert told == (of_two if len(card.weapons) == 2 else set())


def test_only_a_helicopter_may_hover_pf_121_pf_122() -> None:
    cards = GAME.rules.tables.cards
    reasons = {name: GAME.ask("attack_request", {"unit": name}, Scripted([])).reasons for name in cards}
    assert [name for name, given in reasons.items() if "PF-122" in {one.rule for one in given}] == ["helicopter"]


def test_a_snipers_pose_is_part_of_his_level_pf_99() -> None:
    rules = {}
    for name in ("sniper_prone", "sniper_kneeling", "crawling"):
        answer = GAME.ask("basic_defense_level", {"unit": name, "pose": "prone"}, Scripted([]))
        rules[name] = [reason.rule for reason in answer.reasons]
    assert rules == {"sniper_prone": ["PF-98", "PF-99"], "sniper_kneeling": ["PF-98", "PF-99"], "crawling": ["PF-100"]}


def test_two_have_binoculars() -> None:
    """By their cards: "with pistol and binoculars", "with binoculars"."""
    assert [name for name, card in GAME.rules.tables.cards.items() if card.binoculars] == ["commander", "spotter"]


def test_a_path_is_nearest_to_a_marker_where_it_passes_it() -> None:
    assert nearest_on(((0, 0), (10, 0), (10, 10)), (3, 4)) == pytest.approx((3, 0))
    assert nearest_on(((0, 0), (10, 0), (10, 10)), (12, 6)) == pytest.approx((10, 6))
    assert nearest_on(((2, 1), (2, 1)), (3, 4)) == (2, 1)


def test_the_table_of_levels_pf_14() -> None:
    rows = {
        name: (row.rating, row.cost, row.move_in, row.range_bands) for name, row in GAME.rules.tables.levels.items()
    }
    assert rows == {
        "Superb": (3, 50, 36, 6),
        "Great": (2, 35, 24, 5),
        "Good": (1, 20, 12, 4),
        "Fair": (0, 10, 9, 3),
        "Mediocre": (-1, 8, 6, 2),
        "Poor": (-2, 5, 3, 1),
        "Terrible": (-3, 2, 1, 0),
    }


def test_the_cards_as_printed() -> None:
    """PF-91, PF-92, PF-93, PF-94, PF-96, PF-98, PF-100, PF-101, PF-108, PF-111, PF-113, PF-115, PF-118, PF-120, PF-121,
    PF-124 and PF-128: ML, RL and AL of each weapon, DL, TL and the printed cost."""
    printed = """
        commander Good Mediocre Good Good Superb 168
        radioman Good Superb Mediocre Fair Good 108
        jeep Good Terrible Terrible Mediocre Fair 184
        basic Mediocre Mediocre Mediocre Mediocre Mediocre 40
        grenade_and_rifle Mediocre Fair+Good Great+Good Mediocre Fair 131
        sniper_prone Poor Great Great Good Good 115
        sniper_kneeling Poor Great Great Fair Good 105
        crawling Poor Fair Fair Good Fair 55
        minesweeper Poor Poor Good Mediocre Great 73
        mortar Poor Great Good Fair Fair 80
        50_cal Terrible Good Great Fair Mediocre 75
        bazooka Good Great Great Fair Fair 110
        flamethrower Good Fair Great Fair Fair 85
        bfg Good Great Great Great Great 160
        tank Fair Good Great Superb Great 400
        helicopter Great Great Great Fair Good 370
        jet_fighter Superb Superb Great Great Great 510
        towed_howitzer Terrible Superb Great Poor Terrible 288"""
    for line in printed.split("\n")[1:]:
        name, *levels, cost = line.split()
        card = GAME.rules.tables.cards[name]
        assert [card.ML, "+".join(card.RL), "+".join(card.AL), card.DL, card.TL] == levels, name
        assert card.printed_cost == int(cost), name


def test_the_phases_of_a_round_pf_20_pf_25_pf_46_pf_55_pf_126() -> None:
    # "1. Initiative Phase 2. Player A Movement Phase 3. Player B Movement Phase 4. Morale Phase"; the attacks follow
    # the moves of phase 3, and the jet acts "after morale is figured".
    rows = GAME.ask("phases", {}, Scripted([])).numbers["phases"]
    numbered = [(row["name"], row["phase"]) for row in rows]
    assert numbered[:3] == [("initiative", 1), ("a_moves", 2), ("b_moves", 3)]
    assert numbered[3:] == [("attacks", 3), ("morale", 4), ("jet", 4)]
    assert [row["name"] for row in rows if row["simultaneous"]] == ["attacks"]


def test_the_classes_pf_17_pf_56_pf_69() -> None:
    # "any surviving Troopers must make a Morale Check"; "Attribute Cost x2 and the end Vehicle Cost add 100"; the
    # jeep's Training: "Fair (Jeep/Handles Terrain)".
    rows = GAME.rules.tables.classes.items()
    found = {name: (row.cost_factor, row.surcharge, row.checks_morale, row.trained_for_terrain) for name, row in rows}
    assert found == {"trooper": (1, 0, True, False), "vehicle": (2, 100, False, True)}


def test_the_weapons_and_special_troopers_pf_74_pf_80_pf_82_pf_83_pf_108_pf_111_pf_113_pf_115_pf_118() -> None:
    tables = GAME.rules.tables
    laid = {name: row.template for name, row in tables.weapons.items() if row.template}
    assert laid == {
        "grenade": "small",  # "Grenade Disk"
        "land_mine": "small",
        "tank": "large",
        "howitzer": "large",
        "flamethrower": "wedge",
    }
    assert [name for name, row in tables.weapons.items() if row.thrown] == ["grenade"]
    assert [name for name, row in tables.weapons.items() if row.holes] == ["bazooka"]  # "a Grenade Disk size hole"
    # Each costs 25 more; hand to hand all but the BFG lose 2 of Attack and 3 of Range. Only a mortar needs a spotter,
    # only a 50 Cal stays where it is, only a flamethrower explodes.
    found = {
        name: (row.cost, row.hand_to_hand.AL, row.hand_to_hand.RL, row.spotter, row.fixed, row.explodes)
        for name, row in tables.specials.items()
    }
    assert found == {
        "mortar": (25, -2, -3, True, False, False),
        "50_cal": (25, -2, -3, False, True, False),
        "bazooka": (25, -2, -3, False, False, False),
        "flamethrower": (25, -2, -3, False, False, True),
        "bfg": (25, 2, 0, False, False, False),
    }


def test_what_the_units_carry_and_can_do() -> None:
    """PF-91, PF-92, PF-93, PF-94, PF-96, PF-98, PF-100, PF-101, PF-108, PF-109, PF-111, PF-113, PF-115, PF-118, PF-120,
    PF-121, PF-124 and PF-128: weapons, and what else is printed of a unit."""
    printed = """
        commander pistol commander binoculars ML_by_jeep
        radioman pistol radio ML_by_jeep
        jeep - tows
        basic rifle posed
        grenade_and_rifle grenade+rifle
        sniper_prone sniper_rifle prone
        sniper_kneeling sniper_rifle kneeling
        crawling rifle
        minesweeper minesweeper sweeps
        spotter pistol posed binoculars
        mortar mortar special
        50_cal 50_cal special
        bazooka bazooka special
        flamethrower flamethrower special
        bfg bfg special
        tank tank
        helicopter helicopter flies carries
        jet_fighter jet_fighter flies called
        towed_howitzer howitzer towed"""
    able = ["posed", "commander", "radio", "binoculars", "sweeps", "ML_by_jeep", "tows", "towed", "flies", "carries"]
    found = {}
    for name, card in GAME.rules.tables.cards.items():
        said = [one for one in (*able, "called") if getattr(card, one)]
        said += ["special"] if card.special == name else []
        found[name] = ["+".join(card.weapons) or "-", *said, *([card.pose] if card.pose else [])]
    assert found == {line.split()[0]: line.split()[1:] for line in printed.split("\n")[1:]}
    vehicles = {name for name, card in GAME.rules.tables.cards.items() if card.kind == "vehicle"}
    assert vehicles == {"jeep", "tank", "helicopter", "jet_fighter", "towed_howitzer"}


def test_every_weapon_has_a_card_or_is_laid() -> None:
    carried = {weapon for card in GAME.rules.tables.cards.values() for weapon in card.weapons}
    assert set(GAME.rules.tables.weapons) - carried == {"land_mine"}


@pytest.mark.parametrize("name", list(GAME.rules.tables.morale_modifiers))
def test_every_morale_modifier_is_reachable(name: str) -> None:
    row = GAME.rules.tables.morale_modifiers[name]
    facts: dict[str, Any] = {"enemy_units": 4, "friendly_units": 4}
    if row.counted:
        facts[row.counted] = int(4 * row.share)
    elif name == "commander_destroyed":
        facts["commander_destroyed"] = True
    else:
        facts["commander_distance_in"] = 6
    found = GAME.ask("morale_modifier", facts, Scripted([]))
    assert [(reason.rule, reason.modifier) for reason in found.reasons] == [(row.rule, row.modifier)]


# Odds.


def test_an_unled_basic_trooper_stands_in_31_of_81_cases_pf_56() -> None:
    # Four Fudge dice reach +1 or more in (81 - 19) / 2 = 31 of 81 ways: 19 of them make 0.
    odds = GAME.odds("morale_check", {"TL": "Mediocre"})
    assert odds == {"passed": Fraction(31, 81), "routed": Fraction(50, 81)}


def test_odds_of_level_troopers_pf_49() -> None:
    # The difference of four dice and four falls as eight dice do, so many ways of 6561: 1107 for 0, then 1016, 784,
    # 504, 266, 112, 36, 8 and 1 for +1 to +8 (coefficients of (1/x + 1 + x)^8); Fair keeps all totals on the chart.
    odds = GAME.odds("attack", {"attacker_AL": 0, "defender_DL": 0, "ranged": True})
    ways = {"NE": 1107 + 1016, "INJ": 784 + 504, "KIL": 266 + 112 + 36 + 8 + 1}
    ways["--"] = 6561 - sum(ways.values())
    assert odds == {result: Fraction(many, 6561) for result, many in ways.items()}


def test_reasons_add_up_to_both_totals_pf_47_pf_48() -> None:
    facts = {"attacker_AL": 1, "defender_DL": -1, "ranged": True, "terrain": "forest", "height_difference_bands": 1}
    answer = GAME.ask("attack", facts, Scripted([1, 0, 0, 0, -1, 0, 0, 0]))
    told = [(reason.rule, reason.modifier) for reason in answer.reasons]
    assert told[:3] == [("PF-47", 1), ("PF-11", 1), ("PF-43", 1)]
    assert told[3:6] == [("PF-48", -1), ("PF-12", -1), ("PF-30", 1)]
    assert (answer.numbers["attack_total"], answer.numbers["defense_total"]) == (3, -1)


def test_only_facts_that_no_camera_sees_are_questions() -> None:
    asked = {question.fact: question.default for question in GAME.questions("attack_request")}
    assert asked["spotter_with_binoculars"] is False
    assert "distance_in" not in asked


def test_the_jet_is_called_by_a_radio_and_acts_last_pf_126() -> None:
    order = [row["name"] for row in GAME.ask("phases", {}, Scripted([])).numbers["phases"]]
    assert order.index("jet") > order.index("morale")
    assert GAME.ask("call_jet", {"called_turn": 4, "radio_operator": True}, Scripted([])).numbers["arrives_turn"] == 7


# No dice sequence crashes a procedure.

LEVELS = st.integers(-5, 5)
NAMES = st.sampled_from(list(GAME.rules.tables.levels))
UNITS = st.sampled_from(list(GAME.rules.tables.cards))
GROUNDS = st.sampled_from(list(GAME.rules.tables.terrain))
STANCE = {"terrain": GROUNDS, "height_difference_bands": st.integers(-3, 3), "target_flies": st.booleans()}
MEN = st.lists(st.fixed_dictionaries({"id": st.sampled_from("abc"), "DL": LEVELS}), max_size=2)
CHOICES = st.fixed_dictionaries({}, optional={n: st.sampled_from(o.values) for n, o in GAME.options.items()})
ATTACKS = st.fixed_dictionaries(
    {"attacker_AL": LEVELS, "defender_DL": LEVELS},
    optional={**STANCE, "ranged": st.booleans(), "target_unit": UNITS, "occupants": MEN},
)
EXCHANGES = st.fixed_dictionaries(
    {"from": st.sampled_from("abc"), "to": st.sampled_from("abc"), "AL": LEVELS, "DL": LEVELS}, optional=STANCE
)
CAUGHT = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from("abc")},
        optional={**STANCE, "DL": LEVELS, "fraction": st.floats(0, 1), "target_unit": UNITS},
    ),
    max_size=3,
)
COUNTS = st.integers(0, 4)
SPIRITS = {f"{side}_{fate}": COUNTS for side in ("enemy", "friendly") for fate in ("destroyed", "routed")}
SEATS = [{"id": "P1", "roll_level": 1}, {"id": "P2", "roll_level": 0, "commander_destroyed": True}]
QUESTIONS = st.one_of(
    st.tuples(st.just("attack"), ATTACKS),
    st.tuples(st.just("volley"), st.fixed_dictionaries({"attacks": st.lists(EXCHANGES, max_size=3)})),
    st.tuples(st.just("explosion"), st.fixed_dictionaries({"AL": LEVELS, "targets": CAUGHT})),
    st.tuples(
        st.just("grenade_throw"), st.fixed_dictionaries({"AL": LEVELS, "targets": CAUGHT, "near_thrower": CAUGHT})
    ),
    st.tuples(st.just("mine"), st.fixed_dictionaries({"path_crosses": st.booleans(), "targets": CAUGHT})),
    st.tuples(st.just("sweep_roll"), st.fixed_dictionaries({"AL": LEVELS}, optional={"real": st.booleans()})),
    st.tuples(st.just("flamethrower_attacked"), st.fixed_dictionaries({"attacker_AL": LEVELS})),
    st.tuples(st.just("initiative"), st.just({"players": SEATS})),
    st.tuples(
        st.just("morale_check"),
        st.fixed_dictionaries({"TL": NAMES, "enemy_units": st.just(5), "friendly_units": st.just(5)}, optional=SPIRITS),
    ),
    st.tuples(
        st.just("move_allowance"),
        st.fixed_dictionaries(
            {"unit": UNITS, "terrain": GROUNDS},
            optional={"turns_deg": st.lists(st.floats(-180, 180), max_size=3), "enters_higher_bands": COUNTS},
        ),
    ),
    st.tuples(st.just("attack_request"), st.fixed_dictionaries({"unit": UNITS}, optional={"target_unit": UNITS})),
    st.tuples(st.just("unit_card"), st.fixed_dictionaries({"unit": UNITS})),
)


def test_a_turn_on_the_spot_is_in_no_terrain_pf_a10() -> None:
    turned = {"unit": "basic", "path": [], "turns_deg": [45]}
    assert GAME.choosing(turns_in_terrain=True).ask("move", turned, Scripted([])).numbers["cost_in"] == 1


@settings(max_examples=60)
@given(question=QUESTIONS, options=CHOICES, seed=st.integers(0, 2**32))
def test_procedures_accept_all_dice(question: tuple[str, dict[str, Any]], options: dict[str, Any], seed: int) -> None:
    dice = np.random.default_rng(seed)

    def fall(request: DiceRequest) -> Roll:
        return Roll(tuple(int(dice.choice(request.die.faces)) for _ in range(request.count)))

    answer = GAME.choosing(**options).ask(question[0], question[1], fall)
    assert answer.reasons
    json.dumps(dict(answer.numbers))  # every number is one that JSON knows
    known = set(GAME.rules.header.rules) | {option.rule for option in GAME.options.values()}
    assert {reason.rule for reason in answer.reasons} <= known


@settings(max_examples=25)
@given(facts=ATTACKS, options=CHOICES)
def test_odds_sum_to_one(facts: dict[str, Any], options: dict[str, Any]) -> None:
    odds = GAME.choosing(**options).odds("attack", {**facts, "occupants": []})
    assert sum(odds.values()) == 1
    assert all(0 < chance <= 1 for chance in odds.values())


@given(level=st.integers(-3, 5), taken=st.integers(0, 12))
def test_injuries_wear_a_unit_down_to_abysmal_pf_54(level: int, taken: int) -> None:
    numbers = GAME.ask("injuries", {"DL": level, "injuries": taken}, Scripted([])).numbers
    assert numbers["removed"] == (taken >= level + 4)
    assert numbers["DL_after"] == max(level - taken, -4)


# The measured table.


def _at(name: str, x_in: float, z_in: float = 0.0) -> Figure:
    return figure(name, x_in, 0.0, z=z_in)


def test_the_rod_tells_the_range_bands_pf_02_pf_16() -> None:
    # Marked every 3 in: band k is "within k steps", band 0 is contact, and 13 is beyond the rod's 36 in.
    # "a 3' dowel rod", marked "every 3" (different colors at 6" and 12")".
    limits = GAME.rules.tables.limits
    assert [limits[name].value for name in ("rod_in", "first_colour_in", "second_colour_in")] == [36, 6, 12]
    bands = [band(GAME.rules, distance_in) for distance_in in (0, 0.1, 3, 3.1, 6, 17.9, 18, 36, 36.5, 99)]
    assert bands == [0, 1, 1, 2, 2, 6, 6, 12, 13, 13]
    for name, level in GAME.rules.tables.levels.items():
        limit_in = GAME.ask("range_check", {"RL": name, "distance_in": 0}, Scripted([])).numbers["limit_in"]
        assert band(GAME.rules, limit_in) == level.range_bands
        assert band(GAME.rules, limit_in + 0.01) == level.range_bands + 1


def test_bands_of_the_agreed_length_pf_15() -> None:
    by_two = GAME.rules.choosing(band_in=2)
    assert [band(by_two, distance_in) for distance_in in (2, 2.1, 36, 37)] == [1, 2, 18, 19]
    assert bands_up(by_two, _at("up", 0, 4.0), _at("down", 4)) == 2


def test_ranges_and_heights_of_the_measured_table_pf_40() -> None:
    a, b = block("a", 0, 0), block("b", 5, 0)  # bases an inch wide: 4 in from edge to edge
    assert spoken_of(GAME.rules, range_between(a, b)) == pytest.approx(4)
    assert spoken_of(GAME.rules.choosing(measured_from="centres"), range_between(a, b)) == pytest.approx(5)
    assert bands_up(GAME.rules, _at("up", 0, 7.0), _at("down", 4)) == 2  # 7 in are two whole bands of 3 in
    assert bands_up(GAME.rules, _at("down", 0), _at("up", 4, 2.9)) == 0
    assert bands_up(GAME.rules, _at("down", 0), _at("up", 4, 3.0)) == -1


def test_what_a_measured_piece_is() -> None:
    """PF-30, PF-31, PF-32, PF-33, PF-34, PF-35, PF-36, PF-37, PF-38, PF-39 and PF-40."""
    alike = {"woods": "forest", "tree": "forest", "mountain": "mountainous", "building": "buildings", "hill": "open"}
    alike |= dict.fromkeys(("sandbags", "hedge", "fence"), "low_wall") | dict.fromkeys(("wall", "bunker"), "fortress")
    alike |= {name: name for name in ("water", "shallow_water", "bridge", "marsh", "desert", "low_wall")}
    ground = GAME.rules.tables.ground.items()
    assert {name: row.terrain for name, row in ground} == alike
    assert {name for name, row in ground if row.on_top} == {"hill", "bridge"}


def test_the_terrain_under_a_base_pf_28() -> None:
    forest = piece("forest", TerrainKind.WOODS, box(0.2, -5, 9, 5))
    man = block("man", 0, 0)  # 0.3 of his inch stand in it
    best = GAME.rules.choosing(border_terrain="best_part")
    assert terrain_under(GAME.rules, man, [forest]) == "open"
    assert terrain_under(best, man, [forest]) == "forest"
    assert terrain_under(
        GAME.rules, block("in", 4, 0), [forest, piece("hill", TerrainKind.HILL, box(3, -1, 5, 1))]
    ) == ("forest")


def test_walking_the_measured_table_pf_26_pf_27_pf_41() -> None:
    marsh = piece("marsh", TerrainKind.MARSH, box(2, -5, 3, 5))
    path = ((0.0, 0.0), (4.0, 0.0))
    man = walk(((0.0, -1.0), *path), [marsh], movement_profile(GAME.rules, Mover(unit="basic")), 6)
    assert man.cost_in == pytest.approx(1 + 2 + 3 + 2)  # an inch, a quarter turn, three inches, and a slow one
    hill = piece("hill", TerrainKind.HILL, box(2, -5, 9, 5), height=3.5)
    for option in ("per_increment", "flat"):
        walker = movement_profile(GAME.rules.choosing(height_counts=option), Mover(unit="basic"))
        assert walk(path, [hill], walker, 6).cost_in == pytest.approx(5)
    mountain = piece("crag", TerrainKind.MOUNTAIN, box(2, -5, 3, 5))
    assert walk(path, [mountain], movement_profile(GAME.rules, Mover(unit="tank")), 9).impassable
    assert not walk(path, [mountain], movement_profile(GAME.rules, Mover(unit="helicopter")), 24).impassable


def test_templates_on_the_measured_table_pf_03_pf_04_pf_05() -> None:
    assert disk(GAME.rules, "small", (0, 0)).radius_in == 1.75
    assert disk(GAME.rules, "large", (0, 0)).radius_in == 3.5
    wedge = flame(GAME.rules, _at("trooper", 0), toward_deg=0)
    inside, aside, far = box(1.9, -0.1, 2.1, 0.1), box(1.9, 1.4, 2.1, 1.6), box(3.1, -0.1, 3.3, 0.1)
    assert [fraction_inside(wedge, base) for base in (inside, aside, far)] == [1, 0, 0]  # tan 22.5 deg * 2 in = 0.83 in


def test_a_bazooka_cuts_a_disk_out_of_a_base_pf_81() -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(0, 0, 10, 2), height=2)
    left = after_hole(GAME.rules, bunker, (5.0, 1.0))  # 3.5 in across: it parts the 2 in wide bunker in two
    assert [part.name for part in left] == ["bunker, part 1", "bunker, part 2"]
    assert max(x for x, _ in left[0].outline_in) < 5 or min(x for x, _ in left[0].outline_in) > 5
    assert after_hole(GAME.rules, piece("post", TerrainKind.BUNKER, box(0, 0, 1, 1)), (0.5, 0.5)) == ()


# House rules.


def test_house_rules_change_a_row_and_bear_their_label(tmp_path: Path) -> None:
    file = tmp_path / "giants.toml"
    file.write_text(
        'inherits = "plastic_fudge"\nhouse_rules = "Giants"\n[levels.Superb]\nmove_in = 48\n[chosen]\nband_in = 6\n',
        encoding="utf-8",
    )
    variant = open_game("plastic_fudge", file)
    assert variant.rules.labels == ("Giants",)
    numbers = variant.ask("level", {"level": "Superb"}, Scripted([])).numbers
    assert (numbers["move_in"], numbers["range_in"]) == (48, 36)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('[cards.basic]\nML = "Epic"\n', r"names 'Epic', which is not in the table levels"),
        (
            '[cards.basic]\nweapons = ["rifle", "pistol"]\n',
            r"cards\.basic must give each of its weapons an RL and an AL",
        ),
        ('[chart.0]\nresults = ["NE"]\n', r"chart\.0 must hold 9 results"),
        ('[ground.lava]\nrule = "PF-31"\nterrain = "water"\n', r"ground\.lava must be one of hill, .*, not 'lava'"),
        ('[morale_modifiers.rain]\nrule = "PF-56"\ntext = "rain"\nmodifier = -1\ncounted = "wet"\n', r"counts 'wet'"),
        ("[terrain.forest]\nmove_pct = 50\n", r"move_pct must be at least -100 and at most 0"),
    ],
)
def test_a_mistake_in_house_rules_is_named(tmp_path: Path, wrong: str, told: str) -> None:
    file = tmp_path / "slip.toml"
    file.write_text('inherits = "plastic_fudge"\n' + wrong, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        open_game("plastic_fudge", file)
