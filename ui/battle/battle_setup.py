"""Setting up a battle: the game, how its open questions are answered, and which figure is which unit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rules.battle.battle import Battle, Clock
from rules.engine.game import Game
from rules.engine.objectives import Aim
from rules.engine.roster import Army, Recruit, enlistment
from rules.engine.ruleset import Value
from rules.engine.verdict import Verdict
from rules.games import open_game
from rules.games.rosters import points_check
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.battle.goals import agree

NEEDS_TWO_SIDES = "a battle needs two sides with figures: teach both armies by a click on a soldier of each"


@dataclass(frozen=True, slots=True)
class Muster:
    """What the players chose before a battle.

    Attributes:
        game: Name of the game.
        options: What is chosen instead of a default.
        house_rules: A file that inherits the game.
        armies: By side, in the order in which the sides play.
        aims: What the sides have to do; as usual where nothing is said.
    """

    game: str
    armies: Mapping[str, Army]
    options: Mapping[str, Value] = field(default_factory=dict)
    house_rules: Path | None = None
    aims: tuple[Aim, ...] = ()


def usual_army(game: Game[object], side: str, figures: Sequence[Figure]) -> Army:
    """Everybody of one colour as the game's first ready card, until the players say otherwise."""
    first = next(iter(game.rules.plain["cards"]))
    recruits = (Recruit(figure=figure.id, card=first) for figure in figures if figure.army == side)
    return Army(name=side, game=game.name, recruits=tuple(recruits))


def fitted(army: Army, figures: Sequence[Figure]) -> tuple[tuple[Recruit, ...], int]:
    """A saved list given to the figures on the table: each its own entry where it has one, the others in order.

    Returns:
        The recruits, as many as there are figures at most, and how many of the list are left without a figure.
    """
    own = {recruit.figure: recruit for recruit in army.recruits}
    names = [figure.id for figure in figures]
    spare = iter([recruit for recruit in army.recruits if recruit.figure not in names])
    found = ((name, own[name] if name in own else next(spare, None)) for name in names)
    recruits = tuple(replace(recruit, figure=name) for name, recruit in found if recruit is not None)
    return recruits, len(army.recruits) - len(recruits)


def checked(muster: Muster) -> dict[str, Verdict]:
    """What the game says of each side's army, where it says anything.

    Raises:
        UserError: as `rules.games.rosters.points_check`, or as `open_game`.
    """
    game = open_game(muster.game, muster.house_rules).choosing(**muster.options)
    found = {side: points_check(game, army) for side, army in muster.armies.items()}
    return {side: verdict for side, verdict in found.items() if verdict is not None}


def begin(path: Path, clock: Clock, muster: Muster) -> Battle:
    """Begin the battle in a new file, with everybody enlisted.

    Raises:
        UserError: if no side has figures, or as `Battle.begin` and `rules.engine.roster.enlistment`.
    """
    empty = [side for side, army in muster.armies.items() if not army.recruits]
    if len(muster.armies) < 2 or empty:
        raise UserError(NEEDS_TWO_SIDES)
    game = open_game(muster.game, muster.house_rules)
    recruits = [one for side, army in muster.armies.items() for one in enlistment(game, army, side)]
    battle = Battle.begin(path, clock, muster.game, list(muster.armies), muster.options, muster.house_rules)
    battle.record_all(recruits)
    agree(battle, [aim for aim in muster.aims if aim.side in muster.armies])
    return battle
