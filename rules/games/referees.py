"""The referee of each game, and the moment that it judges."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.battle import Battle
from rules.effects import wrecks
from rules.games import GAMES, module_of
from rules.measure import range_between
from rules.position import Measure, Moment
from rules.referee import Referee
from rules.table import Figure, TerrainPiece, UserError


def referee_of(game: str) -> Referee[Any]:
    """The referee of a game.

    Raises:
        UserError: if there is none.
    """
    if game not in GAMES:
        raise UserError(f"there is no referee for {game!r}: choose one of {', '.join(GAMES)}")
    referee: Referee[Any] = module_of(game, "referee").REFEREE
    return referee


def moment_of(
    battle: Battle, figures: Iterable[Figure], terrain: Iterable[TerrainPiece], measure: Measure = range_between
) -> Moment:
    """A battle now, on the table as it is seen, its terrain as the battle has left it and wrecks among that."""
    referee, rules = referee_of(battle.game.name), battle.game.rules
    table = {figure.id: figure for figure in figures}
    pieces = (*referee.ground(rules, battle.state, terrain), *wrecks(battle.state, table.values()))
    return Moment(battle.game, battle.state, table, pieces, referee.sight(rules), measure)
