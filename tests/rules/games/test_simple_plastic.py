"""Simple Plastic Wargame against its rulebook: worked examples, more cases by rule, and random dice."""

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
from rules.games.simple_plastic.attack import FACTS
from rules.games.simple_plastic.movement import distances
from rules.games.simple_plastic.sight import sight_rules
from rules.games.simple_plastic.tables import Tables
from rules.tabletop.errors import UserError
from rules.tabletop.opacity import CoverKind
from rules.tabletop.table import TerrainKind
from rules.tabletop.tolerance import Comparison
from tests.rules import rule_table
from tests.rules.board import block

ROOT = Path(__file__).parents[3]
GAME: Game[Tables] = open_game("simple_plastic")


def test_every_ambiguity_is_an_option_that_changes_an_answer() -> None:
    # The checklist's 19; their numbers are not contiguous.
    ambiguities = {f"SP-A{number:02}" for number in [*range(1, 15), 17, 19, 20, 21, 24]}
    assert {option.rule for option in GAME.options.values()} == ambiguities


def test_the_rules_are_the_28_of_the_checklist() -> None:
    assert list(GAME.rules.header.rules) == [f"SP-{number:02}" for number in range(1, 29)]


def test_the_notice_of_the_licence_stays_sp_28() -> None:
    assert "copyright 2016" in GAME.credit
    assert "provided the copyright notice and this notice are preserved" in GAME.credit


def test_reasons_add_up_to_the_to_kill_number_sp_12() -> None:
    facts = {"attacker": "heavy_weapon", "attacker_moved": False, "elevation_of_target": "uphill"}
    answer = GAME.ask("to_kill", {**facts, "target_in_cover": True, "target_special": True}, Scripted([]))
    # 4 - 1 - 1 + 1 + 1 + 1, in the order of the rulebook's table; distance comes last and adds nothing
    told = [(reason.rule, reason.modifier) for reason in answer.reasons]
    assert told == [("SP-11", 4), *[("SP-12", m) for m in (-1, -1, 1, 1)], ("SP-25", 1), ("SP-10", None)]
    assert answer.numbers["to_kill"] == 5


def test_the_soldiers_as_printed_sp_11_sp_18_sp_19_sp_20_sp_21_sp_22_sp_24_sp_25() -> None:
    # "Heavy weapons units roll 4 D6", "part of a squad or may operate individually"; snipers "operate individually",
    # "cannot attack if they have moved" and "may attack twice per turn". Both are special units.
    found = {
        name: (row.special, row.dice, row.attacks, row.in_squad, row.alone, row.attacks_after_moving)
        for name, row in GAME.rules.tables.units.items()
    }
    assert found == {
        "ordinary": (False, 1, 1, True, True, True),
        "heavy_weapon": (True, 4, 1, True, True, True),
        "sniper": (True, 1, 2, False, True, False),
    }
    # "a heavy weapon such as a heavy machine gun or bazooka or mortar"; "use prone/crawling figures as snipers"
    heavy = dict.fromkeys(("heavy_machine_gunner", "bazooka_man", "mortar_man"), "heavy_weapon")
    cards = {name: row.unit for name, row in GAME.rules.tables.cards.items()}
    assert cards == {"soldier": "ordinary", **heavy, "sniper": "sniper"}
    postures = {name: row.unit for name, row in GAME.rules.tables.postures.items() if row.unit}
    assert postures == {"standing": "ordinary", "kneeling": "ordinary", "prone": "sniper"}


def test_the_phases_of_a_turn_sp_01() -> None:
    phases = {name: (row.number, row.moves) for name, row in GAME.rules.tables.phases.items()}
    assert phases == {"moving": (1, True), "attacking": (2, False)}


def test_odds_of_a_heavy_weapon_sp_19() -> None:
    odds = GAME.odds("attack", {"attacker": "heavy_weapon", "attacker_moved": True}, "kills")
    # four dice that each kill on 3 to 6: binomial with 2/3
    assert odds[0] == Fraction(1, 3) ** 4
    assert odds[3] == 4 * Fraction(2, 3) ** 3 * Fraction(1, 3)
    assert sum(odds.values()) == 1


def test_a_tie_for_the_first_turn_goes_on_among_the_tied() -> None:
    # Each of two begins in half of all cases, however often they tie; so does each of three in a third.
    game = GAME.choosing(first_player="highest_die")
    for players in (["A", "B"], ["A", "B", "C"]):
        odds = game.odds("turn_sequence", {"players": players})
        assert odds == {player: Fraction(1, len(players)) for player in players}


# What no dice may break.

CHOICES = st.fixed_dictionaries({}, optional={n: st.sampled_from(o.values) for n, o in GAME.options.items()})
UNITS = st.sampled_from(list(GAME.rules.tables.units))
SEEN = {
    "visible_fraction": st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]),
    "obstacle": st.sampled_from([None, *GAME.rules.tables.covers]),
}
ELEVATIONS = st.sampled_from(["uphill", "level", "downhill"])
WHO = {"attacker_moved": st.booleans(), "stayed_put": st.booleans()}
ATTACKS = st.fixed_dictionaries(
    {"attacker": UNITS, **WHO},
    optional={
        "elevation_of_target": ELEVATIONS,
        "target_in_cover": st.booleans(),
        "target_special": st.booleans(),
        "target_figures": st.integers(0, 5),
        "attacks_made_this_turn": st.integers(0, 2),
        "dice_at_target": st.integers(0, 5),
        **SEEN,
    },
)
TARGETS = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from("abcd"), "distance_in": st.integers(0, 3)},
        optional={"elevation": ELEVATIONS, "in_cover": st.booleans(), "special": st.booleans(), **SEEN},
    ),
    unique_by=lambda target: target["id"],
    max_size=3,
)
VOLLEYS = st.fixed_dictionaries({"attackers": st.lists(UNITS, min_size=1, max_size=3), "targets": TARGETS, **WHO})
QUESTIONS = st.one_of(
    st.tuples(st.sampled_from(["attack", "to_kill"]), ATTACKS),
    st.tuples(st.just("squad_attack"), VOLLEYS),
    st.tuples(st.just("sniper_attacks"), st.fixed_dictionaries({"targets": TARGETS, **WHO})),
    st.tuples(st.just("turn_sequence"), st.just({"players": ["A", "B", "C"]})),
)


@settings(max_examples=50)
@given(question=QUESTIONS, options=CHOICES, seed=st.integers(0, 2**32))
def test_procedures_accept_all_dice(question: tuple[str, dict[str, Any]], options: dict[str, Any], seed: int) -> None:
    dice = np.random.default_rng(seed)

    def fall(request: DiceRequest) -> Roll:
        return Roll(tuple(int(dice.choice(request.die.faces)) for _ in range(request.count)))

    answer = GAME.choosing(**options).ask(*question, fall)
    assert answer.reasons
    json.dumps(dict(answer.numbers))  # every number is one that JSON knows
    known = set(GAME.rules.header.rules) | {option.rule for option in GAME.options.values()}
    assert {reason.rule for reason in answer.reasons} <= known


@settings(max_examples=60)
@given(facts=ATTACKS, options=CHOICES)
def test_odds_sum_to_one(facts: dict[str, Any], options: dict[str, Any]) -> None:
    odds = GAME.choosing(**options).odds("attack", facts, "kills")
    assert sum(odds.values()) == 1
    assert all(0 < chance <= 1 for chance in odds.values())


@settings(max_examples=60)
@given(volley=VOLLEYS, faces=st.lists(st.integers(1, 6), min_size=12, max_size=12))
def test_no_figure_dies_twice_or_from_a_1_sp_13_sp_15(volley: dict[str, Any], faces: list[int]) -> None:
    left = iter(faces)
    answer = GAME.ask("squad_attack", volley, lambda request: Roll(tuple(next(left) for _ in range(request.count))))
    killed = answer.numbers["killed"]
    assert len(set(killed)) == len(killed)
    if answer.allowed:
        assert {*killed, *answer.numbers["not_killed"]} == {target["id"] for target in volley["targets"]}
        assert len(killed) <= sum(face > 1 for roll in answer.numbers["rolls"] for face in roll)


# The measured table, house rules and the table of rules.


def test_a_forbidden_attack_kills_nobody() -> None:
    found = GAME.ask("attack", {"attacker": "ordinary", "attacker_moved": False, "phase": "moving"}, Scripted([]))
    assert not found.allowed
    assert (found.numbers["kills"], found.numbers["killed"]) == (0, [])


def test_a_squad_is_a_chain_of_half_inches_sp_05() -> None:
    # men on bases half an inch wide in a row, 0.4 in from edge to edge; the outer two are 1.3 in apart
    row = [block(name, x_in, 0.0, 0.25) for name, x_in in (("a", 0.0), ("b", 0.9), ("c", 1.8))]
    chained = distances(GAME.rules, row)
    assert [gap.within(0.5) for gap in chained] == [Comparison.IN, Comparison.IN]
    every = distances(GAME.choosing(cohesion="every_pair").rules, row)
    assert [gap.within(0.5) for gap in every] == [Comparison.IN, Comparison.OUT, Comparison.IN]


def test_cover_on_the_measured_table_sp_09_sp_16_sp_17() -> None:
    # "Bushes, fences, and other such objects"; what lies flat on the ground neither hides nor covers.
    usual = sight_rules(GAME.rules)
    screens = {"fence", "hedge", "bush", "tree", "woods", "smoke"}
    flat = {"wire", "water", "shallow_water", "marsh", "desert", "road", "mine", "rough"}
    for kind in TerrainKind:
        veil = CoverKind.SCREEN if kind.value in screens else CoverKind.CLEAR if kind.value in flat else CoverKind.SOLID
        assert usual.of(kind).cover_kind is veil, kind
    assert not usual.figures_hide
    assert sight_rules(GAME.choosing(figures_as_cover="solid").rules).figures_hide


def test_every_modifier_hangs_on_a_fact_of_its_own() -> None:
    assert [row.fact for row in GAME.rules.tables.modifiers.values()] == list(GAME.rules.tables.modifiers)
    assert set(FACTS) == set(GAME.rules.tables.modifiers)


def test_house_rules_bear_their_label_and_change_a_row(tmp_path: Path) -> None:
    file = tmp_path / "giants.toml"
    file.write_text(
        'inherits = "simple_plastic"\nhouse_rules = "Giants"\n[limits.move_in]\nvalue = 6\n', encoding="utf-8"
    )
    variant = open_game("simple_plastic", file)
    assert variant.rules.labels == ("Giants",)
    assert variant.ask("lone_unit_move", {"moved_in": 5.5}, Scripted([])).numbers["legal"]


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ('[modifiers.rain]\nrule = "SP-12"\ntext = "rain"\nfact = "raining"\nmodifier = 1\n', r"fact 'raining'"),
        ('[covers.solid]\nrule = "SP-99"\n', r"SP-99"),
        ('[terrain.hill]\ncover = "solidd"\n', r"did you mean 'solid'"),
        ("[units.ordinary]\ndice = -1\n", r"dice must be at least 0"),
    ],
)
def test_a_mistake_in_house_rules_is_named(tmp_path: Path, wrong: str, told: str) -> None:
    file = tmp_path / "slip.toml"
    file.write_text('inherits = "simple_plastic"\n' + wrong, encoding="utf-8")
    with pytest.raises(UserError, match=told):
        open_game("simple_plastic", file)


def test_every_rule_has_code_and_a_test() -> None:
    homes, shown = rule_table.lives("simple_plastic"), rule_table.tests("simple_plastic")
    enforced = [rule for rule in GAME.rules.header.rules if rule not in GAME.rules.header.beyond]
    assert [rule for rule in enforced if not homes.get(rule)] == []
    assert [rule for rule in enforced if not shown.get(rule)] == []
    assert list(GAME.rules.header.beyond) == ["SP-28"]
