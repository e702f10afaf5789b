"""The referee of each game, and the moment that it judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from rules.aftermath import wrecks
from rules.battle import Battle
from rules.games.army_men import referee as army_men_referee
from rules.games.fudge_miniatures import referee as fudge_miniatures_referee
from rules.games.plastic_fudge import referee as plastic_fudge_referee
from rules.games.simple_plastic import referee as simple_plastic_referee
from rules.games.simple_plastic_figure import referee as simple_plastic_figure_referee
from rules.measure import range_between
from rules.moment import Measure, Moment
from rules.referee import Referee
from rules.table import Figure, Refused, TerrainPiece

REFEREES: Mapping[str, Referee[Any]] = {
    "army_men": army_men_referee.REFEREE,
    "fudge_miniatures": fudge_miniatures_referee.REFEREE,
    "plastic_fudge": plastic_fudge_referee.REFEREE,
    "simple_plastic": simple_plastic_referee.REFEREE,
    "simple_plastic_figure": simple_plastic_figure_referee.REFEREE,
}


def referee_of(game: str) -> Referee[Any]:
    """The referee of a game.

    Raises:
        Refused: if there is none.
    """
    if game not in REFEREES:
        raise Refused(f"there is no referee for {game!r}: choose one of {', '.join(REFEREES)}")
    return REFEREES[game]


def moment_of(
    battle: Battle, figures: Iterable[Figure], terrain: Iterable[TerrainPiece], measure: Measure = range_between
) -> Moment:
    """A battle now, on the table as it is seen, its terrain as the battle has left it and wrecks among that."""
    referee, rules = referee_of(battle.game.name), battle.game.rules
    table = {figure.id: figure for figure in figures}
    pieces = (*referee.ground(rules, battle.state, terrain), *wrecks(battle.state, table.values()))
    return Moment(battle.game, battle.state, table, pieces, referee.sight(rules), measure)
