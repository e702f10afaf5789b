"""Where the enemies of a side can shoot in their next turn. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rules.engine.position import Position
from rules.engine.referee import FIRE, preview_of
from rules.engine.state import Unit, fold
from rules.engine.text import display_names
from rules.tabletop.sight_area import ground_in_sight, ground_of
from rules.tabletop.table import Figure
from ui.battle.battle_session import BattleSession
from ui.formatting import percent_words
from ui.table.finding import Patch, Style
from ui.theme import BLAST, BLAST_WORDS, faded
from ui.tools.ground import cells_of, in_range, patches
from ui.tools.reach import Arm, weapon_reaches
from ui.tools.tool_context import ToolContext
from ui.translation import tr

_CELL_IN = 0.2
_STYLES = (
    (1, Style(BLAST, faded(BLAST, 45), faded(BLAST_WORDS, 100))),
    (2, Style(faded(BLAST, 150), faded(BLAST, 40))),
    (4, Style(faded(BLAST, 150), faded(BLAST, 40), faded(BLAST_WORDS, 100), crosses=True)),
)
"""From each of these numbers of enemies, the area is drawn darker, and from the last it is hatched crosswise."""
_PHASES_AHEAD = 12


@dataclass(frozen=True, slots=True)
class DangerArea:
    """The patches of ground, the darker above the lighter, and a sentence about them."""

    areas: tuple[Patch, ...]
    words: str


def danger_area(now: ToolContext, side: str) -> DangerArea:
    """Where the enemies of a side can shoot at a standing soldier in their next turn; the battle must be open.

    An enemy can shoot at the ground that it sees from its place, within the range of its weapons. If its game lets it
    move and then shoot, a full move is added to the range, but it still sees only from its place.
    """
    ground = ground_of(cells_of(now, _CELL_IN), now.terrain)
    count = np.zeros(ground.cells.shape, np.int16)
    for figure, arms in _enemies(now, side):
        in_reach = in_range(ground.cells, figure, arms, now.state.basis)
        count += ground_in_sight(figure, ground, now.view.figures, now.sight_rules, in_reach)
    areas = [patch for least, style in _STYLES for patch in patches(count >= least, ground, style)]
    part = percent_words(float((count > 0).mean()))
    words = tr("Enemies of {side} can shoot at {part} of the table next turn.", side=display_names((side,)), part=part)
    return DangerArea(tuple(areas), words)


def side_in_danger(position: Position, chosen: str) -> str:
    """The side whose turn it is; in a phase of all sides that of the selected figure, else the first."""
    unit = position.state.units.get(chosen)
    return position.state.side or (unit.side if unit is not None else position.state.sides[0])


def _enemies(now: ToolContext, side: str) -> Iterator[tuple[Figure, tuple[Arm, ...]]]:
    """The enemies that can be seen, with the reach of their weapons in their next turn."""
    assert now.play is not None
    assert now.position is not None
    coming = tuple(_coming(now.play, now.position))
    for unit in now.position.state.units.values():
        figure = now.figure(unit.id)
        if unit.side != side and not unit.out and figure is not None:
            move_in = _move_in(now.play, coming, unit)
            yield figure, tuple(arm.moved(move_in) for arm in weapon_reaches(now.position, unit.id) if arm.most_in != 0)


def _coming(play: BattleSession, position: Position) -> Iterator[Position]:
    """The same table in the next phases after whose moves figures may shoot, if no figure acts until then.

    Where a side moves and fires in one phase, each figure does one of them; a jet does both in a phase of all sides.
    """
    for _ in range(_PHASES_AHEAD):
        position = replace(position, state=fold(position.state, play.referee.next_phase(position)))
        either = position.state.side and FIRE in play.referee.rounds(position)
        if play.referee.moves(position) and not either:
            yield position


def _move_in(play: BattleSession, coming: Sequence[Position], unit: Unit) -> float:
    """How far a unit may move in its next turn before it shoots; 0 if its game does not let it do both."""
    for position in coming:
        own = replace(position, state=replace(position.state, side=unit.side))
        found = preview_of(own, play.referee.movement(own, unit.id)).before
        allowance_in = found.numbers.get("allowance_in") if found is not None else None
        if allowance_in is not None:
            return float(allowance_in)
    return 0.0
