"""The referee of each game, the position that it judges, and an action performed in a battle."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.battle.battle import Battle
from rules.engine.action import Action
from rules.engine.ambiguity import with_answers
from rules.engine.dice import Dice, Procedure, play
from rules.engine.effects import wrecks
from rules.engine.events import Changed, Effects, PhaseBegun
from rules.engine.position import Measure, Position
from rules.engine.preview import in_set_up, preview_of
from rules.engine.referee import Referee
from rules.engine.verdict import Verdict
from rules.games import game_names, module_of
from rules.tabletop.errors import UserError
from rules.tabletop.measure import range_between
from rules.tabletop.table import Figure, TerrainPiece


def referee_of(game: str) -> Referee[Any]:
    """The referee of a game.

    Raises:
        UserError: if there is none.
    """
    if game not in game_names():
        raise UserError(f"there is no referee for {game!r}: choose one of {', '.join(game_names())}")
    referee: Referee[Any] = module_of(game, "referee").REFEREE
    return referee


def position_of(
    battle: Battle, figures: Iterable[Figure], terrain: Iterable[TerrainPiece], measure: Measure = range_between
) -> Position:
    """The battle's position now: the table as seen, with the terrain as changed by the battle, including wrecks."""
    referee, rules = referee_of(battle.game.name), battle.game.rules
    table = {figure.id: figure for figure in figures}
    pieces = (*referee.ground(rules, battle.state, terrain), *wrecks(battle.state, table.values()))
    return Position(battle.game, battle.state, table, pieces, referee.sight(rules), measure)


def perform(battle: Battle, referee: Referee[Any], position: Position, action: Action, dice: Dice) -> Verdict:
    """Ask the rules, roll the dice, and append the verdict with its effects to the battle's journal.

    Raises:
        UserError: as `Battle.asking`, or if the action is forbidden or an ambiguity is open; then nothing has happened.
    """
    return play(performing(battle, referee, position, action), dice)


def performing(battle: Battle, referee: Referee[Any], position: Position, action: Action) -> Procedure[Verdict]:
    """The procedure of `perform`, for dice that arrive one throw at a time; closed early, nothing has happened."""
    action, doubts, _ = with_answers(position, action)
    if action.blocked_by is not None or in_set_up(position, action):
        raise UserError(f"{action.title} is not allowed: {preview_of(position, action).why_not}")
    if doubts:
        raise UserError(f"{doubts[0].question} is too close to call: settle it first")

    def effects(found: Verdict) -> Effects:
        return referee.effects(position, action, found) if found.allowed else Effects()

    return (
        yield from battle.asking(
            action.name, action.given, effects, by=action.by, title=action.words, at=action.attacked
        )
    )


def end_phase(battle: Battle, referee: Referee[Any], position: Position) -> PhaseBegun:
    """Begin the next phase, after what the end of this one changes by itself."""
    if changes := referee.at_phase_end(position):
        battle.record(Changed(changes=changes))
    begins = referee.next_phase(position)
    battle.record(begins)
    return begins
