"""The outcome in a few words, from the verdicts of every game."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from rules.battle.scripted import SituationPlay, begin_battle
from rules.battle.situation import situation_of
from rules.engine.events import ActionResolved, Change, Effects, Throw, VerdictRecord
from ui.battle.action_text import outcome_banner

SITUATIONS = Path(__file__).parents[2] / "data" / "situations"


def banners(situation: str, folder: Path) -> list[str]:
    """The banners of a situation's actions, in order."""
    scene = situation_of(json.loads((SITUATIONS / f"{situation}.json").read_text("utf-8")))
    with begin_battle(scene, folder) as battle:
        play = SituationPlay(scene, battle)
        for step in scene.steps:
            play.step(step)
        events = [event for event in battle.events.values() if isinstance(event, ActionResolved)]
    return [words for words in map(outcome_banner, events) if words]


@pytest.mark.parametrize(
    ("situation", "words"),
    [
        ("simple_plastic/the_attack_comes_again_next_turn", "HIT! Take Tan 1 off"),
        ("simple_plastic/the_attack_comes_again_next_turn", "Missed"),
        ("simple_plastic/heavy_weapon_kills_several", "HIT! Take Tan 1 and 2 off"),
        ("army_men/tank_from_the_side", "HIT! Tan 1 wrecked"),
        ("army_men/flame_is_a_cone", "HIT! Tan 1 and 2 down"),
        ("army_men/heavy_tank", "HIT! Tan 1 immobilized"),
        ("army_men/jam_stops_the_burst_and_is_cleared_next_turn", "Missed, and the weapon jams"),
        ("army_men/explosion_burns_a_jeep", "Take Green 1, 2 and 3 off"),
        ("army_men/bazooka_at_a_pillbox", "HIT! Tan 1 stunned"),
        ("plastic_fudge/a_shot_and_its_exact_odds", "HIT! Tan 1 injured"),
        ("plastic_fudge/who_is_killed_still_attacks_then_falls", "HIT! Tan 1 down"),
        ("plastic_fudge/who_is_killed_still_attacks_then_falls", "Take Green 1 and Tan 1 off"),
        ("plastic_fudge/the_damage_chart_at_its_borders", "No effect"),
        ("plastic_fudge/a_bazooka_that_wrecks_a_jeep_strikes_its_riders", "HIT! Tan 1 down, Tan 2 injured"),
        ("plastic_fudge/who_flees_neither_moves_nor_attacks_until_he_passes", "Morale of Green 1: passed"),
        ("plastic_fudge/ties_are_rolled_again", "Initiative: Tan"),
        ("fudge_miniatures/a_tie_hits", "HIT! Red 1: scratch"),
        ("fudge_miniatures/two_pistols", "Missed"),
        ("fudge_miniatures/nine_is_dead", "Take Red 1 off"),
        ("fudge_miniatures/near_death_not_before_his_next_turn", "Blue 1: near death"),
        ("fudge_miniatures/escort", "VICTORY for Blue!"),
        ("fudge_miniatures/fallen_does_nothing", "Blue 1 must run"),
        ("simple_plastic_figure/a_mortar_shell_explodes_in_a_house", "HIT! Take American 1 and 2 off"),
        ("simple_plastic_figure/a_russian_submachine_gun_reaches_12_inches", "No effect"),
        ("simple_plastic_figure/who_loses_the_first_fight_fights_no_second", "Take German 1 off"),
        ("simple_plastic_figure/the_highest_roller_chooses", "Who goes first: American"),
        ("simple_plastic_figure/a_mortar_shell_falls_to_the_right", "German 1: 81 mm mortar: right"),
    ],
)
def test_the_verdicts_of_every_game(situation: str, words: str, tmp_path: Path) -> None:
    assert words in banners(situation, tmp_path)


def resolved(
    outcome: str,
    *changes: Change,
    by: Sequence[str] = ("green-1",),
    at: Sequence[str] = (),
    title: str = "Rifle at Tan 1",
) -> ActionResolved:
    return ActionResolved(
        action="shot",
        given={},
        by=tuple(by),
        throws=(Throw(die="D6", for_whom="green-1", why="the shot", faces=(3,)),),
        verdict=VerdictRecord(outcome=outcome, numbers={}, reasons=()),
        effects=Effects(changes=changes),
        title=title,
        at=tuple(at),
    )


def hit(*figures: str, key: str = "eliminated") -> tuple[Change, ...]:
    return tuple(Change(figure=name, key=key, value=True) for name in figures)


def test_a_hit_that_changes_nothing_and_an_unknown_outcome() -> None:
    assert outcome_banner(resolved("hit", at=["tan-1"])) == "HIT!"
    assert outcome_banner(resolved("grazed", at=["tan-1"])) == "No effect"
    assert outcome_banner(resolved("dazed")) == "Green 1: Rifle at Tan 1: dazed"
    assert outcome_banner(resolved("pinned", *hit("tan-2", key="pinned"))) == "HIT! Tan 2 pinned"
    assert (
        outcome_banner(resolved("none", title="Green 1 checks Guts: new wound level")) == "Green 1 checks Guts: passed"
    )


def test_many_casualties_are_counted() -> None:
    assert outcome_banner(resolved("kills", *hit("tan-1", "grey-2", "grey-3"))) == "HIT! Take Tan 1, Grey 2 and 3 off"
    six = hit(*(f"tan-{number}" for number in range(1, 7)))
    assert outcome_banner(resolved("kills", *six)) == "HIT! Take 6 soldiers off"


def test_only_the_gravest_status_is_named() -> None:
    both = (*hit("tan-1", key="wounded"), *hit("tan-1", key="down"), *hit("tan-1", "tan-2", key="eliminated")[1:])
    assert outcome_banner(resolved("hit", *both)) == "HIT! Take Tan 2 off, Tan 1 down"
