"""Fudge Miniatures Battles against its rulebook: worked examples, cases by rule, and random dice."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.dice import DiceRequest, Roll, Scripted
from rules.engine.game import Game
from rules.games import open_game
from rules.games.fudge_miniatures.attack import sight_rules
from rules.games.fudge_miniatures.characters import FACTORS, computed
from rules.games.fudge_miniatures.movement import movement_profile
from rules.games.fudge_miniatures.referee import REFEREE
from rules.games.fudge_miniatures.tables import Tables
from rules.games.fudge_miniatures.wounds import column_of, marked
from rules.tabletop.errors import UserError
from rules.tabletop.movement import walk
from rules.tabletop.table import TerrainKind
from tests.rules import rule_table
from tests.rules.board import box, piece
from tests.rules.games.worked import questions

ROOT = Path(__file__).parents[3]
GAME: Game[Tables] = open_game("fudge_miniatures")


def test_the_sample_characters_as_printed() -> None:
    """FM-58, FM-59, FM-60, FM-61, FM-62 and FM-63: Strength, Dexterity, Guts, Movement, MODF, RODF, DDF and HDDF."""
    printed = {
        "King Kingsley": ([2, 1, 1, 5, 7, None, 1, 0], "noble_presence", "leader"),
        "Sir Knightly": ([2, 0, 2, 6, 4, None, 3, 2], "faithful", "chivalrous"),
        "Yanni the Yeoman": ([0, 3, 1, 5, 0, 3, 4, 1], "steadfast", "poor_melee"),
        "Knavely Knave": ([2, 1, 1, 5, 7, None, 1, 0], "backstabber", "self_interest"),
        "Brutas the Brute": ([2, 0, 2, 6, 4, None, 3, 2], "terrifying", "mercenary"),
    }
    for name, (factors, gift, fault) in printed.items():
        answer = GAME.ask("sample_card", {"name": name}, Scripted([]))
        found = answer.numbers
        assert [found[factor] for factor in (*FACTORS, "hddf")] == factors, name
        # "Each model has four free levels": two of the five have one more.
        assert found["levels_over"] == ("FM-A03" in {one.rule for one in answer.reasons}), name
        card = GAME.rules.tables.cards[name]
        assert (card.gifts, card.faults) == ((gift,), (fault,))


def test_the_guts_checks_as_printed_fm_46_fm_47_fm_48_fm_49_fm_50_fm_51_fm_52_fm_53_fm_54() -> None:
    tables = GAME.rules.tables
    found = {name: (row.target, row.each_gift, row.of_wound) for name, row in tables.guts_triggers.items()}
    assert found == {
        "new_wound_level": (1, 0, True),  # "a new Wound Level ...: Target number is +1"
        "friend_shoots_into_combat": (0, 0, False),  # "+0"
        "two_wound_levels_one_attack": (2, 0, True),  # "+2"
        "terrifying_charge": (0, 1, False),  # "0 plus the number of Terrifying gifts"
    }
    # By the margin of failure: 0 as usual, 1 a -1 to rolls, 2 no attack, 3 runs, 4 falls.
    effects = {name: (row.margin, row.roll_modifier) for name, row in tables.guts_effects.items()}
    assert effects == {
        "none": (0, 0),
        "minus1_rolls": (1, -1),
        "no_attack": (2, 0),
        "run": (3, 0),
        "fall_helpless": (4, 0),
    }


def test_the_wound_track_as_printed_fm_39() -> None:
    # Boxes, wounds from and to, and the penalty: "[ ] [ ]  0-2", "Hurt(-1) 3-4", "Very Hurt(-2) 5-6", "7-8", "9+".
    found = {name: (row.boxes, row.least, row.most, row.penalty) for name, row in GAME.rules.tables.wounds.items()}
    assert found == {
        "scratch": (2, 0, 2, 0),
        "hurt": (1, 3, 4, -1),
        "very_hurt": (1, 5, 6, -2),
        "near_death": (1, 7, 8, 0),
        "dead": (1, 9, None, 0),
    }


def test_every_ambiguity_is_an_option_that_changes_an_answer() -> None:
    # The checklist's 38; their numbers are not contiguous. FM-51 does not say whether Guts rolls are among its rolls.
    ambiguities = {f"FM-A{number:02}" for number in (*range(1, 8), *range(9, 35), 36, 37, 39, 40, 43)}
    assert {option.rule for option in GAME.options.values()} == ambiguities | {"FM-51"}


def test_the_rules_are_the_64_of_the_checklist() -> None:
    assert list(GAME.rules.header.rules) == [f"FM-{number:02}" for number in range(1, 65)]


def test_every_action_is_shown() -> None:
    assert {question["given"]["action"] for question in questions("fudge_miniatures")} == set(GAME.actions)


@pytest.mark.parametrize("name", list(GAME.rules.tables.cards))
def test_printed_factors_follow_from_the_equipment_fm_12_fm_14_fm_15(name: str) -> None:
    card = GAME.rules.tables.cards[name]
    printed = {"modf": card.modf, "rodf": card.rodf, "ddf": card.ddf, "hddf": card.hddf}
    assert computed(GAME.rules, card.strength, card.dexterity, card.equipment) == printed


def test_every_trait_belongs_to_a_card() -> None:
    cards = GAME.rules.tables.cards.values()
    assert Counter(name for card in cards for name in (*card.gifts, *card.faults)) == dict.fromkeys(
        GAME.rules.tables.traits, 1
    )


def test_reasons_add_up_to_the_total_fm_33_fm_62() -> None:
    facts = {"modf": 7, "ddf": 3, "model": "Knavely Knave", "from_behind": True, "models_attacking_target": 2}
    facts["modifiers"] = [{"why": "standing in the mud", "value": -1}]
    answer = GAME.ask("melee_attack", facts, Scripted([1, 0, 0, 0]))
    told = [(reason.rule, reason.modifier) for reason in answer.reasons if reason.modifier is not None]
    assert told == [("FM-03", 1), ("FM-31", 7), ("FM-62", 1), ("FM-33", 1), ("FM-31", -1)]
    assert answer.numbers["total"] == 9
    assert answer.numbers["wound"] == 6


def test_damage_is_judged_before_any_wound_fm_20() -> None:
    # Both attacks meet DDF 2: the first makes the target Hurt, which would have left the second DDF 1 and a wound of 4.
    facts = {"modf": [5, 5], "ddf": 2, "target_track_before": {}}
    numbers = GAME.ask("two_weapon_attack", facts, Scripted([0] * 8)).numbers
    assert numbers["wounds"] == [3, 3]
    assert numbers["level"] == "very_hurt"


def test_a_wound_that_finds_its_column_full_says_why_it_is_worse_fm_40() -> None:
    for hurt, rules in ((0, {"FM-39"}), (1, {"FM-39", "FM-40"})):  # a wound of 3 is Hurt, which has one box
        answer = GAME.ask("apply_wounds", {"track_before": {"hurt": hurt}, "wounds": [3]}, Scripted([]))
        assert {reason.rule for reason in answer.reasons} & {"FM-39", "FM-40"} == rules


def test_a_turn_goes_step_by_step_fm_18_fm_19_fm_20_fm_21_fm_22() -> None:
    answer = GAME.ask("turn_steps", {"models": ["a", "b"]}, Scripted([]))
    assert [(one["step"], one["model"]) for one in answer.numbers["steps"]] == [
        *product(("move", "action", "damage", "move_on"), "ab"),
        ("next_player", None),
    ]


def test_odds_of_a_throw_fm_03_fm_04() -> None:
    # 19 of 81 throws are 0; +4 is one throw in 81, and stays +4 only if the second shows no plus: (2/3)^4.
    odds = GAME.odds("roll_4df", {}, "total")
    assert odds[0] == Fraction(19, 81)
    assert odds[4] == Fraction(1, 81) * Fraction(2, 3) ** 4
    assert odds[8] == Fraction(1, 81) ** 2
    assert sum(odds.values()) == 1


def test_odds_of_clinging_to_life_fm_44() -> None:
    # With Guts +0: a throw of +2 or more falls in 15 of 81 cases, -1 or less in 31.
    odds = GAME.odds("near_death_roll", {"guts_now": 0})
    assert odds == {"very_hurt": Fraction(15, 81), "dead": Fraction(31, 81), "near_death": Fraction(35, 81)}


def test_the_explained_cost_says_what_was_rounded_fm_26() -> None:
    rough = GAME.ask("move", {"movement_left_in": 5, "path": [{"terrain": "rough", "inches": 1.2}]}, Scripted([]))
    assert [reason.rule for reason in rough.reasons[:2]] == ["FM-27", "FM-26"]
    assert rough.reasons[0].text == "1.2 in of rough: 4 in"


def test_only_facts_that_no_camera_sees_are_questions() -> None:
    asked = {question.fact for question in GAME.questions("ranged_attack")}
    assert asked >= {"visible_fraction", "behind_cover", "from_behind"}
    assert "distance_in" not in asked


# What no dice may break.

COLUMNS = GAME.rules.tables.wounds
TRACKS = st.fixed_dictionaries({name: st.integers(0, row.boxes) for name, row in COLUMNS.items()})
CHOICES = st.fixed_dictionaries({}, optional={n: st.sampled_from(o.values) for n, o in GAME.options.items()})
MODELS = st.sampled_from([*GAME.rules.tables.cards, "a peasant", "a follower of the King", ""])
STATS = st.integers(-3, 5)
EFFECTS = st.sampled_from(list(GAME.rules.tables.guts_effects))
FLAGS = ["in_melee_with_king", "king_fallen", "defending_king", "charged_by_terrifying", "from_behind"]
WHO = {"model": MODELS, **{flag: st.booleans() for flag in FLAGS}}
STRIKE = {
    "target_state": st.sampled_from(list(GAME.rules.tables.states)),
    "effect": EFFECTS,
    "models_attacking_target": st.integers(1, 3),
    **WHO,
}
DEFENCE = {"ddf": STATS, "hddf": STATS}
MELEES = st.fixed_dictionaries({"modf": STATS, **DEFENCE}, optional={**STRIKE, "in_base_contact": st.booleans()})
SHOTS = st.fixed_dictionaries(
    {"rodf": STATS, **DEFENCE, "weapon_range_in": st.just(18), "distance_in": st.sampled_from([0, 18, 18.5, 90])},
    optional={
        **STRIKE,
        "in_base_contact_with_enemy": st.booleans(),
        "visible_fraction": st.sampled_from([0, 0.5, 0.7, 1]),
        "behind_cover": st.booleans(),
    },
)
CHECKS = st.fixed_dictionaries(
    {"trigger": st.sampled_from(list(GAME.rules.tables.guts_triggers)), "guts_now": STATS},
    optional={"terrifying_gifts": st.integers(1, 3), "effect": EFFECTS, **WHO},
)
RECOVERIES = st.fixed_dictionaries(
    {"guts_now": STATS, "target": STATS, "turns_since_wound": st.integers(0, 4)},
    optional={"bonuses_lost": st.integers(0, 4), "effect": EFFECTS, "from_wound": st.booleans(), **WHO},
)
ENEMIES = {"enemy_strength": STATS, "enemy_dexterity": STATS, "enemy_wielded_weapons": st.integers(0, 2)}
SEVERAL = st.fixed_dictionaries(
    {"dexterity": STATS, "enemies": st.lists(st.fixed_dictionaries(ENEMIES), min_size=1, max_size=2)}
)
QUESTIONS = st.one_of(
    st.tuples(st.just("melee_attack"), MELEES),
    st.tuples(st.just("two_weapon_attack"), MELEES.map(lambda melee: {**melee, "modf": [melee["modf"]] * 2})),
    st.tuples(st.just("ranged_attack"), SHOTS),
    st.tuples(st.just("guts_check"), CHECKS),
    st.tuples(st.just("guts_recovery"), RECOVERIES),
    st.tuples(st.just("disengage"), st.fixed_dictionaries({"dexterity": STATS, **ENEMIES})),
    st.tuples(st.just("leave_several"), SEVERAL),
    st.tuples(st.just("flee"), SEVERAL.map(lambda several: {**several, "movement_in": 5})),
    st.tuples(st.just("near_death_roll"), st.fixed_dictionaries({"guts_now": STATS, "track_before": TRACKS})),
    st.tuples(st.just("crash"), st.fixed_dictionaries({"track_before": TRACKS, "hddf": STATS})),
    st.tuples(st.just("roll_4df"), st.fixed_dictionaries({"modifier": STATS})),
)


@settings(max_examples=60)
@given(question=QUESTIONS, options=CHOICES, seed=st.integers(0, 2**32), pluses=st.booleans())
def test_procedures_accept_all_dice(
    question: tuple[str, dict[str, Any]], options: dict[str, Any], seed: int, pluses: bool
) -> None:
    dice = np.random.default_rng(seed)

    def fall(request: DiceRequest) -> Roll:
        return Roll(tuple(1 if pluses else int(dice.choice(request.die.faces)) for _ in range(request.count)))

    answer = GAME.choosing(**options).ask(*question, fall)
    assert answer.reasons
    json.dumps(dict(answer.numbers))  # every number is one that JSON knows
    known = set(GAME.rules.header.rules) | {option.rule for option in GAME.options.values()}
    assert {reason.rule for reason in answer.reasons} <= known


@settings(max_examples=20)
@given(melee=MELEES, options=CHOICES)
def test_odds_sum_to_one(melee: dict[str, Any], options: dict[str, Any]) -> None:
    odds = GAME.choosing(**options).odds("melee_attack", melee, "wound")
    assert sum(odds.values()) == 1
    assert all(0 < chance <= 1 for chance in odds.values())


@settings(max_examples=100)
@given(track=TRACKS, wound=st.integers(0, 15))
def test_a_wound_marks_one_box_at_or_right_of_its_column_fm_40(track: dict[str, int], wound: int) -> None:
    after = marked(GAME.rules, track, wound)
    names = list(COLUMNS)
    gained = [name for name in names if after[name] != track[name]]
    own = names.index(column_of(GAME.rules, wound))
    free = [name for name in names[own:] if track[name] < COLUMNS[name].boxes]
    assert gained == free[:1]
    assert sum(after.values()) - sum(track.values()) == len(gained)


@given(wound=st.integers(0, 30))
def test_every_wound_has_one_column_fm_39(wound: int) -> None:
    fits = [n for n, row in COLUMNS.items() if row.least <= wound and (row.most is None or wound <= row.most)]
    assert fits == [column_of(GAME.rules, wound)]


# The measured table, house rules and the table of rules.


def test_walking_the_measured_table_fm_26_fm_27() -> None:
    bog = piece("bog", TerrainKind.MARSH, box(1, -5, 2.5, 5))
    fence = piece("fence", TerrainKind.FENCE, box(4, -5, 4.1, 5), height=1)
    hill = piece("hill", TerrainKind.HILL, box(6, -5, 20, 5), height=2)
    path = ((0.0, 0.0), (10.0, 0.0))
    walked = walk(path, [bog, fence, hill], movement_profile(GAME.rules), 20)
    # 8.5 in at 1; 1.5 in of bog counted as 2 in at 2; the fence 2 up and 1 down; the hill 2 in up at 2
    assert walked.cost_in == pytest.approx(8.5 + 4 + 3 + 4)
    flown = walk(path, [bog, fence, hill], movement_profile(GAME.rules, flying=True), 20)
    assert flown.cost_in == pytest.approx(5)


ROUGH = ("rough", "woods", "bush", "rocks", "marsh", "shallow_water", "wire")  # "Swamps, briar patches, barbed wire"
UPRIGHT = ("hedge", "fence", "wall", "low_wall", "sandbags")  # "hills, ladders, hedges, fences, etc"
HIGH = ("hill", "mountain", "bridge")


@pytest.mark.parametrize("kind", TerrainKind)
def test_the_cost_of_every_kind_of_terrain_fm_27(kind: TerrainKind) -> None:
    """Two inches of it, an inch high, on a path of ten."""
    ground = piece("ground", kind, box(4, -5, 6, 5), height=1)
    cost_in = 10.0
    if kind in (*ROUGH, "water"):
        cost_in += 2  # "x2"
    elif kind in UPRIGHT:
        cost_in += 3  # an inch up "x2 per inch climbed", an inch down "x1"
    elif kind in HIGH:
        cost_in += 2  # an inch up, and down by walking
    path = ((0.0, 0.0), (10.0, 0.0))
    assert walk(path, [ground], movement_profile(GAME.rules), 20).cost_in == pytest.approx(cost_in)
    assert walk(path, [ground], movement_profile(GAME.rules, flying=True), 20).cost_in == pytest.approx(5)


def test_models_hide_on_the_measured_table_fm_35() -> None:
    assert sight_rules(GAME.rules).figures_hide
    assert not sight_rules(GAME.choosing(models_block_sight=False).rules).figures_hide


def test_house_rules_register_spells_and_weapons_fm_64(tmp_path: Path) -> None:
    file = tmp_path / "wizards.toml"
    file.write_text(
        """
inherits = "fudge_miniatures"
house_rules = "Wizards"

[rules]
FM-900 = "A bolt of fire: ODF +2, 12 inches."

[spells.firebolt]
rule = "FM-900"
text = "a bolt of fire"
odf = 2
range_in = 12

[spells.mend]
rule = "FM-900"
text = "a Scratch is mended"
range_in = 3

[cards."Wanda the Wizard"]
rule = "FM-900"
strength = 0
dexterity = 1
guts = 2
movement_in = 5
ddf = 1
hddf = 0
modf = 1
equipment = [{ name = "Staff", kind = "melee", hands = 2, damage = 1 }]
""",
        encoding="utf-8",
    )
    variant = open_game("fudge_miniatures", file)
    assert variant.rules.labels == ("Wizards",)
    nothing = Scripted([])
    assert variant.ask("cast_spell", {"spell": "firebolt", "distance_in": 20}, nothing).numbers["odf"] == 2
    assert not variant.ask("cast_spell", {"spell": "mend", "distance_in": 4}, nothing).allowed
    staff = {"card": "Wanda the Wizard", "weapon": "Staff"}
    assert variant.ask("weapon_of_card", staff, nothing).numbers["hands"] == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('[traits.drunk]\nrule = "FM-11"\ntext = "drunk"\nconcerns = "guts"\nbearers = ["x"]\nfact = "ale"\n', "ale"),
        ('[guts_effects.faints]\nrule = "FM-54"\nmargin = 5\n', "states has no row for 'faints'"),
        ("[wounds.hurt]\nboxes = 0\n", "boxes must be at least 1"),
        ('[terrain.lava]\nrule = "FM-27"\nfactor = -1\n', "factor must be at least 0"),
        ('[spells.hex]\nrule = "FM-64"\ntext = "a hex"\nbecomes = "terrified"\n', "becomes must be one of helpless"),
        ('[cards."Sir Knightly"]\ngifts = ["faithfull"]\n', "did you mean 'faithful'"),
    ],
)
def test_a_mistake_in_house_rules_is_named(tmp_path: Path, wrong: str, told: str) -> None:
    file = tmp_path / "slip.toml"
    file.write_text('inherits = "fudge_miniatures"\n' + wrong, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        open_game("fudge_miniatures", file)


def test_every_rule_has_code_and_a_test() -> None:
    homes, shown = rule_table.lives("fudge_miniatures"), rule_table.tests("fudge_miniatures")
    enforced = [rule for rule in GAME.rules.header.rules if rule not in GAME.rules.header.beyond]
    assert [rule for rule in enforced if not homes.get(rule)] == []
    assert [rule for rule in enforced if not shown.get(rule)] == []
    assert list(GAME.rules.header.beyond) == ["FM-06"]


def test_the_table_of_rules_is_up_to_date() -> None:
    kept = rule_table.file_of("fudge_miniatures").read_text(encoding="utf-8")
    assert kept == rule_table.written("fudge_miniatures"), "run python -m tests.rules.rule_table fudge_miniatures"


def test_statuses_of_situations_are_those_that_the_game_keeps() -> None:
    rows = GAME.rules.tables.statuses
    assert REFEREE.this_turn <= set(rows)
    assert {row.means for row in rows.values()} - {""} <= {name for name, row in rows.items() if not row.means}
