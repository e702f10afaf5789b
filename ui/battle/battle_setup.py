"""Setting up a battle: its game and options, the armies, and the goals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from rules.battle.battle import Battle, Clock
from rules.engine.game import Game
from rules.engine.objectives import Objective
from rules.engine.roster import Army, Recruit, enlistment
from rules.engine.ruleset import Value
from rules.engine.verdict import Verdict
from rules.games import open_game
from rules.games.rosters import points_check
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.battle.goals import agree

NEEDS_TWO_SIDES = "a battle needs two armies: click a soldier of each army to teach both"


@dataclass(frozen=True, slots=True)
class BattleSetup:
    """The players' choices before a battle.

    Attributes:
        game: Name of the game.
        armies: By side, in playing order.
        options: Options that differ from the defaults.
        house_rules: A file that inherits the game.
        aims: The sides' objectives; the game's default if empty.
    """

    game: str
    armies: Mapping[str, Army]
    options: Mapping[str, Value] = field(default_factory=dict)
    house_rules: Path | None = None
    aims: tuple[Objective, ...] = ()


def usual_army(game: Game[object], side: str, figures: Sequence[Figure]) -> Army:
    """An army of all figures of a side, each with the game's first ready card."""
    first = next(iter(game.rules.plain["cards"]))
    recruits = (Recruit(figure=figure.id, card=first) for figure in figures if figure.army == side)
    return Army(name=side, game=game.name, recruits=tuple(recruits))


def fitted(army: Army, figures: Sequence[Figure]) -> tuple[tuple[Recruit, ...], int]:
    """Assign a saved list to the figures on the table: entries with the same id first, the others in order.

    Returns:
        The assigned recruits, at most one per figure, and the number of entries without a figure.
    """
    own = {recruit.figure: recruit for recruit in army.recruits}
    names = [figure.id for figure in figures]
    spare = iter([recruit for recruit in army.recruits if recruit.figure not in names])
    found = ((name, own[name] if name in own else next(spare, None)) for name in names)
    recruits = tuple(replace(recruit, figure=name) for name, recruit in found if recruit is not None)
    return recruits, len(army.recruits) - len(recruits)


def checked(battle_setup: BattleSetup) -> dict[str, Verdict]:
    """The game's verdict on each side's army; only for games that check armies.

    Raises:
        UserError: as `rules.games.rosters.points_check`, or as `open_game`.
    """
    game = open_game(battle_setup.game, battle_setup.house_rules).choosing(**battle_setup.options)
    found = {side: points_check(game, army) for side, army in battle_setup.armies.items()}
    return {side: verdict for side, verdict in found.items() if verdict is not None}


def begin(path: Path, clock: Clock, battle_setup: BattleSetup) -> Battle:
    """Begin the battle in a new file and enlist all figures.

    Raises:
        UserError: if a side has no figures, or as `Battle.begin` and `rules.engine.roster.enlistment`.
    """
    empty = [side for side, army in battle_setup.armies.items() if not army.recruits]
    if len(battle_setup.armies) < 2 or empty:
        raise UserError(NEEDS_TWO_SIDES)
    game = open_game(battle_setup.game, battle_setup.house_rules)
    recruits = [recruit for side, army in battle_setup.armies.items() for recruit in enlistment(game, army, side)]
    battle = Battle.begin(
        path, clock, battle_setup.game, list(battle_setup.armies), battle_setup.options, battle_setup.house_rules
    )
    battle.record_all(recruits)
    agree(battle, [aim for aim in battle_setup.aims if aim.side in battle_setup.armies])
    return battle
