"""What a battle shows on the table: the selected action with its target, moves, and scatter."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from rules.engine.position import Position
from rules.engine.referee import ActionPreview
from rules.engine.text import display_name
from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.path import Path
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.template import Blast, Template
from ui.battle.action_text import success_chance
from ui.battle.battle_session import Proposal
from ui.formatting import percent_words
from ui.picture.overlay import Preview, enlarged, figure_number
from ui.session import Ruler
from ui.table.finding import Mark, Note, Trace, along, lifted, ring
from ui.table.shapes import relaid
from ui.theme import BLAST, BLAST_WORDS, PREVIEW, Colour, faded

_LEAST_REACH_IN = 0.1
_PIN_IN, _BARB_IN, _BARB_DEG = 0.25, 0.5, 150.0
_LIT_WIDTH, _LIT_SCALE = 4.0, 1.6
_MOST_NAMED = 4


@dataclass(frozen=True, slots=True)
class Stray:
    """Where a shot was aimed, and where it landed."""

    aimed_in: PointIn
    fell_in: PointIn

    @property
    def off_in(self) -> float:
        """How far it landed from its aim."""
        return math.dist(self.aimed_in, self.fell_in)


def stray_marks(stray: Stray) -> tuple[Mark, ...]:
    """A pin at the aim, an arrow, and a pin with the distance where the shot landed."""
    up = -1.0 if stray.fell_in[1] >= stray.aimed_in[1] else 1.0  # on the screen, away from the arrow
    return (
        _pinned(stray.aimed_in, PREVIEW),
        *_arrow((stray.aimed_in, stray.fell_in), BLAST),
        _pinned(stray.fell_in, BLAST, faded(BLAST, 120)),
        Note((*stray.aimed_in, 0.0), (("aimed", 13.0),), PREVIEW, (0.0, -up * 20.0)),
        Note((*stray.fell_in, 0.0), ((f"landed {stray.off_in:.1f} in away", 16.0),), BLAST_WORDS, (0.0, up * 24.0)),
    )


def lit_marks(figures: Sequence[Figure], names: Collection[str]) -> tuple[Mark, ...]:
    """A bright ring around each named figure, with its name while they are few."""
    lit = [figure for figure in figures if figure.id in names]
    rings = (
        Trace(
            ring(enlarged(figure.base_in, figure.centre_in, _LIT_SCALE), figure.z_in), PREVIEW, _LIT_WIDTH, closed=True
        )
        for figure in lit
    )
    labelled = lit if len(lit) <= _MOST_NAMED else ()
    notes = (
        Note((*figure.centre_in, figure.z_in), ((display_name(figure.id), 16.0),), PREVIEW, (0.0, -36.0))
        for figure in labelled
    )
    return (*rings, *notes)


def _pin(at_in: PointIn) -> list[PointIn]:
    turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
    return [(at_in[0] + _PIN_IN * math.cos(turn), at_in[1] + _PIN_IN * math.sin(turn)) for turn in turns]


def way_marks(proposals: Sequence[Proposal]) -> tuple[Mark, ...]:
    """Arrows for moves that the camera saw and the players have not yet accepted or rejected."""
    paths = [path for proposal in proposals for path in proposal.paths.values()]
    return tuple(mark for path in paths for mark in (*_arrow(path, PREVIEW), _pinned(path[0], PREVIEW)))


def _arrow(path: Path, colour: Colour) -> tuple[Mark, ...]:
    toward = bearing_deg(path[-2], path[-1])
    barbs = [onward(path[-1], toward + side * _BARB_DEG, _BARB_IN) for side in (1, -1)]
    head = along(lifted([barbs[0], path[-1], barbs[1]]))
    return Trace(along(lifted(path)), colour, 4.0, dashed=True), Trace(head, colour, 4.0)


def _pinned(at_in: PointIn, colour: Colour, fill: Colour | None = None) -> Mark:
    return Trace(ring(_pin(at_in)), colour, 3.0, fill, closed=True)


def reach_marks(position: Position, figure: str, movement: ActionPreview) -> Iterator[Mark]:
    """A circle about a figure's place in the journal, because a move counts only once it is accepted."""
    before = movement.before
    left_in = before.numbers.get("left_in") if before is not None and movement.possible else None
    if not isinstance(left_in, int | float) or left_in < _LEAST_REACH_IN:
        return
    x, y = position.unit(figure).at_in or position.figure(figure).centre_in
    turns = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    circle = [(x + left_in * math.cos(turn), y + left_in * math.sin(turn)) for turn in turns]
    yield Trace(lifted(circle), PREVIEW, 2.5, faded(PREVIEW, 18), closed=True, dashed=True)


def chance_marks(position: Position, attacks: Sequence[ActionPreview]) -> Iterator[Mark]:
    """Each target's number with the best chance, such as "4: 83 %"; in a crowd the place alone is ambiguous."""
    best: dict[str, float] = {}
    for attack in attacks:
        chance = success_chance(attack)
        for target in attack.action.at if chance is not None else ():
            best[target] = max(best.get(target, 0.0), chance or 0.0)
    for target, chance in best.items():
        if target in position.figures:
            at = position.figures[target]
            words = f"{figure_number(target)}: {percent_words(chance)}"
            yield Note((*at.centre_in, at.z_in), ((words, 14.0),), PREVIEW, (0.0, -28.0))


def casualties(position: Position) -> tuple[str, ...]:
    """The figures that are out of the battle but still on the table."""
    units = position.state.units
    return tuple(name for name in position.figures if name in units and units[name].out)


def pointing(chosen: ActionPreview | None, figure: str, stray: Stray | None = None) -> Preview:
    """The preview of the selected action, of the acting figure (empty for none), and of a shot that scattered."""
    shown = Preview(picked=figure or None, marks=stray_marks(stray) if stray is not None else ())
    if chosen is None:
        return replace(shown, asked=figure or None)
    action, template = chosen.action, chosen.action.template
    if isinstance(template, Blast) and action.spot_in not in (None, template.centre_in) and action.spot_in is not None:
        return replace(shown, ruler=Ruler(action.spot_in, template.centre_in), template=template, marks=())
    end = action.spot_in or next(iter(action.at), None)
    if not action.by or end is None or end == action.by[0]:
        picked = figure or next(iter((*action.by, *action.at)), "")
        return replace(shown, picked=picked or None, asked=figure or None, template=template)
    return replace(shown, ruler=Ruler(action.by[0], end), template=template)


def aiming(shown: Preview, first: Template | None, at_in: PointIn | None) -> Preview:
    """The preview with `first`, the template that a click would lay at this bare place, if no action is selected."""
    if at_in is None or first is None or shown.ruler is not None:
        return shown
    return replace(shown, template=relaid(first, at_in))
