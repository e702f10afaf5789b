"""What the window asks of a referee besides actions: the rounds of a phase, whether figures move, where shots fell."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from rules.battle.referees import referee_of
from rules.battle.scripted import SituationPlay, begin_battle
from rules.battle.situation import situation_of
from rules.engine.dice import Scripted, play
from rules.engine.preview import at_spot, preview_of
from rules.games import GAMES, open_game
from rules.games.simple_plastic_figure.aims import caught

Played = Callable[..., SituationPlay]

SIDES = {
    "army_men": ("rifleman", "light_machine_gunner"),
    "fudge_miniatures": ("Sir Knightly", "Yanni the Yeoman"),
    "plastic_fudge": ("basic", "basic"),
    "simple_plastic": ("soldier", "soldier"),
    "simple_plastic_figure": ("british_rifleman", "german_rifleman"),
}


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    """Plays the steps of a situation with one figure on each side, 20 in apart."""
    with ExitStack() as stack:

        def play_steps(game: str, cards: Sequence[str], *steps: Mapping[str, Any], **keys: Any) -> SituationPlay:
            places = {"green": [10, 10], "tan": [10, 30]}
            sides = {
                side: [{"id": f"{side}-1", "card": card, "at_in": places[side], "facing_deg": 90}]
                for side, card in zip(places, cards, strict=True)
            }
            document = {"schema": 1, "game": game, "table_in": [48, 48], "sides": sides, **keys}
            situation = situation_of(document)
            one = SituationPlay(situation, stack.enter_context(begin_battle(situation, tmp_path)))
            for step in steps:
                one.step(step)
            return one

        yield play_steps


FIRE = {
    # The four phases of a turn; nobody fires in the first, and nobody here has a heavy weapon for the last.
    "army_men": {"movement": (), "automatic_weapons": ("Fire",), "small_arms": ("Fire",), "heavy_weapons": ()},
    # Attacks wait until all have moved (PF-A13); the jet acts after morale is figured, and attacks too.
    "plastic_fudge": {
        **dict.fromkeys(("initiative", "a_moves", "b_moves", "morale"), ()),
        **dict.fromkeys(("attacks", "jet"), ("Fire",)),
    },
    "simple_plastic": {"moving": (), "attacking": ("Fire",)},
    # A figure moves or fires in its side's half.
    "simple_plastic_figure": {
        "initiative": (),
        "first_status": (),
        "first_actions": ("Fire",),
        "second_actions": ("Fire",),
    },
    # Step 2 of the player's turn.
    "fudge_miniatures": {"move": (), "action": ("Fire",), "damage": (), "move_on": ()},
}
MOVES = {
    "army_men": {"movement"},
    "plastic_fudge": {"a_moves", "b_moves", "jet"},
    "simple_plastic": {"moving"},
    "simple_plastic_figure": {"first_actions", "second_actions"},  # WW-10: a figure moves or fires
    "fudge_miniatures": {"move", "move_on"},
}


@pytest.mark.parametrize("game", GAMES)
def test_the_phases_in_which_figures_fire_and_move(game: str, played: Played) -> None:
    one = played(game, SIDES[game])
    for phase, rounds in FIRE[game].items():
        one.step({"phase": phase, "side": "green", "turn": 1})
        assert one.referee.rounds(one.position) == rounds, phase
        assert one.referee.moves(one.position) == (phase in MOVES[game]), phase


def test_one_model_after_another_fires_and_moves_in_its_own_steps(played: Played) -> None:
    # FM-A11: each model has the steps of the turn to itself, as phases with its id after the name.
    by_model = {"options": {"activation": "model_by_model"}}
    one = played("fudge_miniatures", SIDES["fudge_miniatures"], **by_model)
    for phase, rounds in FIRE["fudge_miniatures"].items():
        one.step({"phase": f"{phase} green-1", "side": "green", "turn": 1})
        assert one.referee.rounds(one.position) == rounds, phase
        assert one.referee.moves(one.position) == (phase in MOVES["fudge_miniatures"]), phase


def test_opportunity_fire_comes_first_then_the_answer_to_it(played: Played) -> None:
    # A man runs past a wall 5 in high into its cover, seen on the way (AM-34); fired at, he may answer (AM-35).
    wall = {"kind": "wall", "outline_in": [[20, 20], [24, 20], [24, 20.5], [20, 20.5]], "height_in": 5}
    sides = {
        "green": [{"id": "green-1", "card": "light_machine_gunner", "at_in": [22, 10]}],
        "tan": [{"id": "tan-1", "card": "rifleman", "at_in": [26.5, 25]}],
    }
    run = {"move": {"tan-1": {"path_in": [[26.5, 25], [22, 25]]}}}
    moving, fire = {"phase": "movement", "side": "tan"}, {"phase": "automatic_weapons", "side": ""}
    one = played("army_men", SIDES["army_men"], moving, run, terrain=[wall], sides=sides)
    assert one.referee.rounds(one.position) == (), "nobody fires while units move"
    one.step(fire)
    assert one.referee.rounds(one.position) == ("Opportunity fire", "Fire")
    shots = one.referee.attacks(one.position, "green-1")
    assert [shot.round for shot in shots] == ["", "Opportunity fire"]
    one.step({"do": {"action": "attack", "by": "green-1", "at": "tan-1"}, "dice": [6, 6]})  # the first is hidden
    # Only the answer is left: the gun has attacked (AM-37), and the rifle is no automatic weapon (AM-12).
    assert one.referee.rounds(one.position) == ("Return fire",)


def strays(one: SituationPlay, action: Any, dice: Sequence[int]) -> Any:
    verdict = play(one.battle.game.begin(action.name, action.given), Scripted(list(dice)))
    return one.referee.strayed(one.position, action, verdict)


def test_where_a_paratrooper_drifts(played: Played) -> None:
    # AM-31, AM-32: a 4 is east, a 2 is two feet; a 1 is on target.
    one = played("army_men", ("paratrooper", "rifleman"), {"phase": "movement", "side": "green"})
    [drop] = [action for action in one.referee.others(one.position, "green-1") if action.name == "paratrooper"]
    assert strays(one, drop, [4, 2]) == ((10, 10), (34, 10))
    assert strays(one, drop, [1]) is None
    move = one.referee.march(one.position, {"green-1": ((10, 10), (10, 12))})
    assert (
        one.referee.strayed(one.position, move, play(one.battle.game.begin("move", move.given), Scripted([]))) is None
    )


def test_where_a_shell_strays(played: Played) -> None:
    # WW-44: a 3 is to the right, by the inches of another die; a 5 is on the spot. Seen from the firer at (10, 10), the
    # right of (10, 30) is +x.
    cards = ("german_81mm_mortar", "british_rifleman")
    one = played("simple_plastic_figure", cards, {"phase": "first_actions", "side": "green"})
    shells = at_spot(one.referee, one.position, "green-1", (10.0, 30.0))
    [shell] = [preview.action for preview in shells if preview.action.name == "shell"]
    assert strays(one, shell, [3, 2]) == ((10, 30), (12, 30))
    assert strays(one, shell, [5]) is None


@pytest.mark.parametrize(("when", "moves"), [("at_once", True), ("next_moving_phase", False)])
def test_gaps_may_be_closed_at_once_in_the_enemys_turn(when: str, moves: bool, played: Played) -> None:
    squad = [{"id": f"green-{n}", "card": "soldier", "squad": "a", "at_in": [8 + 1.2 * n, 10]} for n in (1, 2, 3)]
    sides = {"green": squad, "tan": [{"id": "tan-1", "card": "soldier", "at_in": [10, 30]}]}
    steps = {"phase": "attacking", "side": "tan"}, {"status": {"green-2": {"eliminated": True}}}
    one = played("simple_plastic", SIDES["simple_plastic"], *steps, sides=sides, options={"gaps_closed_by": when})
    assert one.referee.moves(one.position) == moves


# What the table and the tables of a game say, where no situation depends on it.


def test_the_error_of_a_burst_adds_to_that_of_a_figure(played: Played) -> None:
    sides = {
        "green": [{"id": "green-1", "card": "german_81mm_mortar", "at_in": [10, 2]}],
        "tan": [{"id": "tan-1", "card": "british_rifleman", "at_in": [10, 27], "sigma_in": 0.4}],
    }
    position = played("simple_plastic_figure", SIDES["simple_plastic_figure"], sides=sides).position
    [bound] = caught(position, (10.0, 25.0), 3.0, position.unit("green-1"), 0.3)
    assert [fact.sigma for fact in bound.measured] == [pytest.approx(0.5)]  # of 3, 4 and 5


@pytest.mark.parametrize(("kind", "part"), [("woods", 1.0), ("rough", 1.0), ("wall", 0.0)])
def test_fire_passes_what_only_conceals(kind: str, part: float, played: Played) -> None:
    # WW-54: light trees and high grass conceal, and fire passes them; a wall stops it.
    piece = {"name": "x", "kind": kind, "outline_in": [[8, 18], [12, 18], [12, 22], [8, 22]], "height_in": 5}
    position = played("simple_plastic_figure", SIDES["simple_plastic_figure"], terrain=[piece]).position
    assert position.view("green-1", "tan-1").exposure_to_fire == part


@pytest.mark.parametrize(("kind", "outcome"), [("wall", "known"), ("water", "no effect")])
def test_which_pieces_matter_to_a_shot(kind: str, outcome: str) -> None:
    # WW-04 names walls, but not water.
    found = open_game("simple_plastic_figure").ask("terrain_on_table", {"kind": kind}, Scripted([]))
    assert (found.outcome, bool(found.numbers["terrain"])) == (outcome, outcome == "known")


def test_all_of_a_move_is_left_before_it(played: Played) -> None:
    steps = {"phase": "first_actions", "side": "green", "turn": 1}, {"status": {"green-1": {"status_die": 1}}}
    one = played("simple_plastic_figure", SIDES["simple_plastic_figure"], *steps)
    before = preview_of(one.position, one.referee.movement(one.position, "green-1")).before
    assert before is not None
    assert (before.numbers["allowance_in"], before.numbers["left_in"]) == (6, 6)  # WW-12


def test_mines_do_not_touch_what_flies() -> None:
    found = open_game("army_men").ask("minefield", {"unit": "helicopter"}, Scripted([]))
    names = ("hit", "eliminated", "roll_needed")
    assert (found.outcome, [found.numbers[name] for name in names]) == ("untouched", [False] * 3)  # AM-70


@pytest.mark.parametrize(("level", "rule", "words"), [("Great", "PF-72", "25.0%"), ("Poor", "PF-73", "75.0%")])
def test_what_training_changes_on_slow_ground_is_said(level: str, rule: str, words: str) -> None:
    # Half of the move, a quarter of the table's steps less or more (PF-72, PF-73).
    given = {"ML": "Good", "class": "vehicle", "TL": level, "terrain": "forest"}
    reasons = open_game("plastic_fudge").ask("move_allowance", given, Scripted([])).reasons
    assert [one.text for one in reasons if one.rule == rule] == [f"{words} of the move is lost"]


def test_a_tank_does_not_shoot_from_the_air(played: Played) -> None:
    one = played("plastic_fudge", ("tank", "basic"), {"phase": "attacks", "side": "", "turn": 1})
    [shot] = [preview.action for preview in at_spot(one.referee, one.position, "green-1", (10.0, 30.0))]
    assert [target["attacker_flies"] for target in shot.given["targets"]] == [False]


def test_players_may_say_that_a_unit_was_injured_once() -> None:
    [change] = referee_of("plastic_fudge").conditions["injured"]
    assert (change.key, change.value) == ("injured", 1)  # PF-52: each injury costs one
