"""Army Men against its rulebook: worked examples, more cases by rule, and random dice."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.engine.dice import DiceRequest, Roll, Scripted
from rules.engine.game import Game
from rules.games import open_game
from rules.games.army_men.shot import DERIVED
from rules.games.army_men.status import movement_profile
from rules.games.army_men.tables import Effect, Tables
from rules.tabletop.errors import UserError
from rules.tabletop.movement import walk
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.rules import rule_table

ROOT = Path(__file__).parents[3]
GAME: Game[Tables] = open_game("army_men")


def rifle(**facts: Any) -> dict[str, Any]:
    return {"weapon": "rifle", "distance_in": 10, **facts}


def test_every_ambiguity_is_an_option_that_changes_an_answer() -> None:
    ambiguities = {f"AM-A{number:02}" for number in range(1, 47)}  # the checklist has 46
    assert {option.rule for option in GAME.options.values()} == ambiguities


def test_the_rules_are_the_118_of_the_checklist() -> None:
    assert list(GAME.rules.header.rules) == [f"AM-{number:02}" for number in range(1, 119)]


def test_phases_am_12() -> None:
    told = GAME.ask("phases", {}, Scripted([])).numbers["phases"]
    assert [(phase["number"], phase["simultaneous"]) for phase in told] == [(1, False), (2, True), (3, True), (4, True)]


def test_burst_stops_at_a_jam_am_75() -> None:
    given = {"weapon": "lmg", "distance_in": 9, "targets": ["a", "b", "c"]}
    numbers = GAME.ask("burst_rolls", given, Scripted([3, 4, 6, 6])).numbers
    assert numbers["rolls"] == [7, 12]
    assert numbers["eliminated"] == ["a"]
    assert numbers["jammed"]


def test_blast_one_roll_against_each_value_am_79() -> None:
    # Grenade 6: the one in a half-track keeps 6 (no penalty for grenades), a third under half is not hit.
    each = {
        "low": {"distance_in": 9, "from_lower": True},
        "part": {"distance_in": 9, "fraction": 0.49},
    }
    given = {"weapon": "grenade", "distance_in": 9, "targets": ["plain", "low", "part"], "each": each}
    numbers = GAME.ask("blast", given, Scripted([2, 4])).numbers
    assert numbers["hits"] == [True, False, False]


def test_blasts_are_not_for_armour_am_80() -> None:
    given = {
        "weapon": "tank_gun",
        "distance_in": 9,
        "targets": ["t"],
        "each": {"t": {"distance_in": 9, "target": "tank"}},
    }
    assert GAME.ask("blast", given, Scripted([])).numbers["reason"] == "armour_piercing"


def test_reasons_add_up_to_the_attack_value_am_39() -> None:
    facts = rifle(behind_cover=True, from_behind=True, hero=True, leader_distance_in=5)
    answer = GAME.ask("attack", facts, Scripted([3, 4]))
    # 7 - 3 + 2 + 1 + 1, in the order of the rulebook's table
    assert [(reason.rule, reason.modifier) for reason in answer.reasons[:5]] == [
        ("AM-46", 7),
        ("AM-83", -3),
        ("AM-90", 2),
        ("AM-64", 1),
        ("AM-116", 1),
    ]
    assert answer.numbers["attack_value"] == 8


def test_odds_of_a_bazooka_on_a_tank_am_94() -> None:
    # 15 of 36 throws are 6 or less; a natural 2 (1 of 36) destroys at once, else the die at -1 does on a 6.
    odds = GAME.odds("attack", {"weapon": "bazooka", "distance_in": 20, "target": "tank"}, "hard_result")
    assert odds["destroyed"] == Fraction(1, 36) + Fraction(14, 36) * Fraction(1, 6)
    assert odds[None] == Fraction(21, 36)
    assert sum(odds.values()) == 1


def test_odds_of_the_first_move_are_even_am_06() -> None:
    odds = GAME.odds("move_order", {"players": ["A", "B"]})
    assert odds == {"A": Fraction(1, 2), "B": Fraction(1, 2)}


def test_only_facts_that_no_camera_sees_are_questions() -> None:
    asked = {question.fact: question for question in GAME.questions("attack")}
    assert asked["behind_cover"].text == "Is the target behind cover?"
    assert asked["behind_cover"].default is False
    assert "distance_in" not in asked


def _modifier_facts() -> list[tuple[str, dict[str, Any]]]:
    special = {
        "led": {"leader_distance_in": 3},
        "through_binoculars": {"binoculars": True},
        "ranging_in": {"fixed_location": True, "indirect": True},
    }
    rows = GAME.rules.tables.attack_modifiers.items()
    return [(name, special.get(row.fact or "", {row.fact: True} if row.fact else {})) for name, row in rows]


@pytest.mark.parametrize(("name", "facts"), _modifier_facts())
def test_every_attack_modifier_is_reachable(name: str, facts: dict[str, Any]) -> None:
    row = GAME.rules.tables.attack_modifiers[name]
    far = 40 if row.beyond_in else 10
    answer = GAME.ask("attack", {"weapon": "howitzer", "distance_in": far, **facts}, Scripted([3, 4]))
    assert (row.rule, row.modifier) in {(reason.rule, reason.modifier) for reason in answer.reasons}
    for weapon in row.not_for:
        spared = GAME.ask(
            "attack",
            {"weapon": weapon, "distance_in": 0 if weapon == "knife" else min(far, 10), **facts},
            Scripted([3, 4]),
        )
        assert row.rule not in {reason.rule for reason in spared.reasons if reason.modifier is not None}


@pytest.mark.parametrize("name", list(GAME.rules.tables.hard_target_modifiers))
def test_every_hard_target_modifier_is_reachable(name: str) -> None:
    row = GAME.rules.tables.hard_target_modifiers[name]
    facts = {
        "weapon": row.weapons[0] if row.weapons else "tank_gun",
        "target": row.targets[0] if row.targets else "tank",
        "face": row.faces[0] if row.faces else "front",
        "heavy": row.heavy,
    }
    answer = GAME.ask(
        "hard_target_die", {key: str(v) if key != "heavy" else v for key, v in facts.items()}, Scripted([3])
    )
    assert (row.rule, row.modifier) in {(reason.rule, reason.modifier) for reason in answer.reasons}


def test_every_weapon_has_a_card_or_is_laid() -> None:
    carried = {weapon for card in GAME.rules.tables.cards.values() for weapon in card.weapons}
    assert {name for name, row in GAME.rules.tables.weapons.items() if not row.laid} == carried


def test_derived_facts_are_used() -> None:
    named = {row.fact for row in GAME.rules.tables.attack_modifiers.values()}
    assert set(DERIVED) <= named


# No dice sequence crashes a procedure.

WEAPONS = st.sampled_from(list(GAME.rules.tables.weapons))
KINDS = st.sampled_from(list(GAME.rules.tables.kinds))
FLAGS = [
    "behind_cover",
    "inside_pillbox",
    "inside_half_track",
    "entrenched",
    "flying",
    "adjacent",
    "from_behind",
    "hero",
]
FLAGS += [
    "from_lower",
    "moved_this_turn",
    "sustained",
    "radio",
    "los",
    "fixed_location",
    "target_hero",
    "mounted",
    "heavy",
]
CHOICES = st.fixed_dictionaries({}, optional={n: st.sampled_from(o.values) for n, o in GAME.options.items()})
SHOTS = st.fixed_dictionaries(
    {"weapon": WEAPONS, "distance_in": st.sampled_from([0, 0.2, 5, 12, 24, 36, 36.1, 60, 100]), "target": KINDS},
    optional={flag: st.booleans() for flag in FLAGS}
    | {"fraction": st.floats(0, 1), "target_weapon": WEAPONS, "face": st.sampled_from(["front", "side", "rear"])},
)
QUESTIONS = st.one_of(
    st.tuples(st.just("attack"), SHOTS),
    st.tuples(st.sampled_from(["burst_rolls", "blast"]), SHOTS.map(lambda shot: {**shot, "targets": ["a", "b"]})),
    st.tuples(st.just("minefield"), st.fixed_dictionaries({"unit": KINDS, "heavy": st.booleans()})),
    st.tuples(st.just("hard_target_die"), st.fixed_dictionaries({"weapon": WEAPONS, "target": KINDS})),
    st.tuples(st.sampled_from(["climb", "swim", "paratrooper", "medic", "overrun", "flame_thrower_hit"]), st.just({})),
    st.tuples(st.just("move_order"), st.just({"players": ["A", "B", "C"]})),
    st.tuples(st.just("crew_survival"), st.just({"destroyed": "tank", "crew": 3})),
    st.tuples(
        st.just("move_allowance"), st.fixed_dictionaries({"unit": KINDS, "weapon": WEAPONS, "uphill": st.booleans()})
    ),
)


@settings(max_examples=50)
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
@given(shot=SHOTS, options=CHOICES)
def test_odds_sum_to_one(shot: dict[str, Any], options: dict[str, Any]) -> None:
    odds = GAME.choosing(**options).odds("attack", shot)
    assert sum(odds.values()) == 1
    assert all(0 < chance <= 1 for chance in odds.values())


def test_a_status_that_the_game_does_not_have_is_refused() -> None:
    man = {"id": "green-1", "card": "rifleman", "at_in": [10, 10]}
    steps: list[dict[str, Any]] = [{"status": {"green-1": {"rifle_jammed": True}}}]
    asleep = {"status": {"green-1": {"asleep": True}}}
    document = {"schema": 1, "game": "army_men", "sides": {"green": [man], "tan": []}, "steps": steps}
    assert play_situation(situation_of(document))["state"]["figures"]["green-1"]["status"] == {"rifle_jammed": True}
    with pytest.raises(UserError, match="step 1: Army Men has no status 'asleep': choose one of eliminated"):
        play_situation(situation_of({**document, "steps": [*steps, asleep]}))


# The measured table, house rules and the table of rules.


def test_walking_the_measured_table_am_71_am_22() -> None:
    wire = TerrainPiece("wire", TerrainKind.WIRE, ((4, -5), (4.5, -5), (4.5, 5), (4, 5)))
    rough = TerrainPiece("scrub", TerrainKind.ROUGH, ((6, -5), (8, -5), (8, 5), (6, 5)))
    path = ((0.0, 0.0), (10.0, 0.0))
    man = walk(path, [wire, rough], movement_profile(GAME.rules, "infantry"), 12)
    tank = walk(path, [wire, rough], movement_profile(GAME.rules, "tank"), 24)
    assert [stretch.passable for stretch in man.impassable] == [False]
    assert not tank.impassable
    assert tank.cost_in == pytest.approx(12)  # 8 in of open ground and 2 in of rough at double


def test_a_variant_adds_units_and_bears_its_label_am_01_am_10(tmp_path: Path) -> None:
    file = tmp_path / "dinosaurs.toml"
    file.write_text(
        """
inherits = "army_men"
house_rules = "Dinosaurs"

[rules]
AM-900 = "Dinosaurs move 18 inches and are fought as tanks."

[kinds.dinosaur]
rule = "AM-900"
move_in = 18
target = "soft"

[weapons.rifle]
attack = 8
""",
        encoding="utf-8",
    )
    variant = open_game("army_men", file)
    assert variant.rules.labels == ("Dinosaurs",)
    assert "Corey Butler" in variant.credit
    assert variant.ask("move_allowance", {"unit": "dinosaur"}, Scripted([])).numbers["distance_in"] == 18
    assert variant.ask("attack", rifle(), Scripted([4, 4])).numbers["hit"]
    assert not GAME.ask("attack", rifle(), Scripted([4, 4])).numbers["hit"]


def test_a_modifier_must_hang_on_a_known_fact(tmp_path: Path) -> None:
    file = tmp_path / "wet.toml"
    file.write_text(
        'inherits = "army_men"\n'
        '[attack_modifiers.rain]\nrule = "AM-83"\ntext = "rain"\nfact = "raining"\nmodifier = -1\n',
        encoding="utf-8",
    )
    with pytest.raises(UserError, match=r"attack_modifiers\.rain hangs on the fact 'raining'"):
        open_game("army_men", file)


def test_the_table_of_weapons_as_printed() -> None:
    """AM-44, AM-45, AM-46, AM-47, AM-48, AM-49, AM-50, AM-51, AM-52, AM-53, AM-54, AM-55, AM-56, AM-57, AM-58, AM-59,
    AM-60, AM-61 and AM-62.

    Range in feet, attack, rate of fire, width of what it fills in inches, crew; * stationary, / half move. Automatic
    weapons jam and those with a ! run out on a 12 (AM-75, AM-77).
    """
    printed = """
        knife 0 6 1 0 1, pistol 1 6 1 0 1, rifle 2 7 1 0 1, sniper_rifle 3 9 1 0 1 *, submachine_gun 1 8 3 0 1 auto,
        assault_rifle 2 8 5 0 1 auto, lmg 2 8 7 0 1 auto * /, hmg 3 8 10 0 2 auto * /, grenade 1 6 1 6 1,
        light_mortar 2-4 6 1 6 1 * /, heavy_mortar 2-5 6 1 9 2 * /, flame_thrower 1 9 1 6 1 / !, bazooka 2 6 1 6 2 /,
        tank_gun 4 7 1 6 3 !, light_cannon 3 7 1 6 3 * !, howitzer 6 7 1 9 3 * !, missile 9 8 1 12 1, laser any 8 1 0 1,
        glue_cannon 3 7 1 9 1"""
    for line in printed.split(","):
        name, reach, attack, rof, width, crew, *notes = line.split()
        row = GAME.rules.tables.weapons[name]
        least, _, most = reach.rpartition("-")
        assert (row.range_min_ft, row.range_max_ft) == (float(least or 0), None if most == "any" else float(most)), name
        assert (row.attack, row.rof, row.crew) == (int(attack), int(rof), int(crew)), name
        assert (row.blast_in or row.cone_in or row.area_in or 0) == int(width), name
        marks = {"auto": row.automatic, "*": row.stationary, "/": row.half_move, "!": row.ammunition}
        assert {mark for mark, so in marks.items() if so} == set(notes), name
        assert row.gun == (width != "0" and name.endswith(("mortar", "gun", "light_cannon", "howitzer"))), name
        assert row.high_tech == (name in ("missile", "laser")), name


def test_what_a_hit_does() -> None:
    """AM-40, AM-61, AM-62, AM-70, AM-84, AM-85, AM-93, AM-94, AM-101, AM-103, AM-106, AM-107 and AM-112.

    "Planes can only be attacked by MGs and lasers. Hard targets are immune to most weapons. Bazookas, tank guns,
    cannons, and flame throwers have a chance to eliminate them. Trucks and jeeps can be eliminated by tanks, cannons,
    mortars, and sustained HMG fire."
    """
    meant = {"E": "eliminates", "S": "if_sustained", "d": "second_die", "M": "men_inside", "G": "immobilizes"}
    meant |= {".": "nothing", "i": "immune", "-": "not_allowed"}
    columns = ("infantry", "helicopter", "plane", "soft", "half_track", "tank", "pillbox", "cannon")
    printed = {
        **dict.fromkeys(("small_arms", "automatic_arms", "knife"), "EE-.MiM."),
        "lmg": "EEE.MiM.",
        "hmg": "EEESMiM.",
        "grenade": "EE-.iiM.",
        "mortar": "EE-Eiii.",
        "flame_thrower": "EE-EddM.",
        "bazooka": "EE-Eddd.",
        "heavy_gun": "EE-EdddE",
        "howitzer": "EE-EdddE",
        "missile": "EE-EdddE",
        "laser": "EEEEEEEE",
        "glue": "GG-GGG.G",
        "land_mine": "E..Edd.E",
    }
    rows = GAME.rules.tables.effects
    assert {name: [getattr(row, column) for column in columns] for name, row in rows.items()} == {
        name: [meant[one] for one in row] for name, row in printed.items()
    }


@pytest.mark.parametrize(
    ("weapon", "target", "face", "heavy", "modified"),
    [
        ("tank_gun", "tank", "front", False, 3),
        ("tank_gun", "tank", "side", False, 4),
        ("tank_gun", "tank", "rear", True, 3),
        ("tank_gun", "half_track", "side", False, 4),  # its kind, not its side
        ("bazooka", "half_track", "front", False, 3),
        ("bazooka", "pillbox", "front", False, 2),
        ("land_mine", "tank", "front", False, 2),
        ("flame_thrower", "tank", "rear", False, 4),  # the weapon, not the rear
        ("howitzer", "tank", "front", True, 3),
        ("missile", "pillbox", "front", False, 5),
        ("light_cannon", "pillbox", "front", False, 3),
    ],
)
def test_a_three_against_hard_targets_am_97_am_98_am_99_am_100_am_101_am_102(
    weapon: str, target: str, face: str, heavy: bool, modified: int
) -> None:
    asked = {"weapon": weapon, "target": target, "face": face, "heavy": heavy}
    assert GAME.ask("hard_target_die", asked, Scripted([3])).numbers["modified"] == modified


def test_how_far_units_move_and_who_survives_am_19_am_20_am_23_am_105() -> None:
    kinds = GAME.rules.tables.kinds
    on_wheels = {"jeep", "truck", "train"}
    for name, row in kinds.items():
        assert row.road_in == (36 if name in on_wheels else None), name
        assert row.move_in == (24 if row.vehicle else {"infantry": 12, "pillbox": 0}.get(name, 6)), name
    assert {name for name, row in kinds.items() if not row.vehicle} == {
        *("infantry", "cannon", "light_cannon", "howitzer", "pillbox")
    }
    survive = {name: row.survives_to for name, row in GAME.rules.tables.crew_survival.items() if row.survives_to}
    assert survive == {"tank": 2, "pillbox": 3}


def test_the_phases_of_a_turn_am_12_am_13_am_15() -> None:
    found = GAME.ask("phases", {}, Scripted([])).numbers["phases"]
    at_once = ("automatic_weapons", "small_arms", "heavy_weapons")
    assert [(row["name"], row["simultaneous"]) for row in found] == [
        ("movement", False),
        *((name, True) for name in at_once),
    ]


def test_every_effect_column_is_filled_by_a_kind() -> None:
    columns = {kind.target for kind in GAME.rules.tables.kinds.values()}
    for row in GAME.rules.tables.effects.values():
        assert all(isinstance(getattr(row, column), Effect) for column in columns)


@pytest.mark.parametrize(
    ("weapon", "faces", "empty"),
    [("flame_thrower", (6, 6), True), ("flame_thrower", (6, 5), False), ("grenade", (6, 6), False)],
)
def test_a_flame_thrower_is_empty_after_a_12_through_a_gun_port(
    weapon: str, faces: tuple[int, int], empty: bool
) -> None:
    """As after any other 12; grenades do not run out."""
    found = GAME.ask("attack_pillbox_from_safe_zone", {"weapon": weapon}, Scripted(list(faces)))
    assert found.numbers["out_of_ammo"] is empty


def test_every_rule_has_code_and_a_test() -> None:
    homes, shown = rule_table.lives("army_men"), rule_table.tests("army_men")
    enforced = [rule for rule in GAME.rules.header.rules if rule not in GAME.rules.header.beyond]
    assert [rule for rule in enforced if not homes.get(rule)] == []
    assert [rule for rule in enforced if not shown.get(rule)] == []
    assert len(GAME.rules.header.beyond) <= 5


@pytest.mark.parametrize(
    ("obstacle", "unit", "outcome"),
    [
        ("barbed_wire", "infantry", "blocked"),
        ("barbed_wire", "tank", "passes"),
        ("tank_obstacle", "infantry", "passes"),
        ("tank_obstacle", "tank", "blocked"),
    ],
)
def test_the_verdict_names_the_units_that_an_obstacle_stops_am_71(obstacle: str, unit: str, outcome: str) -> None:
    assert GAME.ask("blocks", {"obstacle": obstacle, "unit": unit}, Scripted([])).outcome == outcome


def test_the_table_of_rules_is_up_to_date() -> None:
    kept = rule_table.file_of("army_men").read_text(encoding="utf-8")
    assert kept == rule_table.written("army_men"), "run python -m tests.rules.rule_table army_men"
