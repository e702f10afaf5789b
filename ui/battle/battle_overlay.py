"""What a battle shows on the table: the selected action with its target, moves, scatter, and signs beside figures."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from rules.battle.referees import referee_of
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.referee import Referee
from rules.engine.state import Unit
from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.path import Path
from rules.tabletop.table import Figure, PointIn, ellipse_outline
from rules.tabletop.template import Blast, Template
from ui.battle.action_text import STRUCK, success_chance
from ui.battle.battle_session import Proposal
from ui.battle.battle_setup import leads
from ui.battle.dice import PIPS
from ui.formatting import percent_words
from ui.picture.figure_shapes import enlarged, figure_number
from ui.picture.preview import Preview
from ui.rules_text import display_name
from ui.session import Ruler
from ui.table.finding import Mark, Note, Trace, along, lifted, ring
from ui.table.shapes import relaid
from ui.theme import BLAST, BLAST_WORDS, CASUALTY, DARK, PLATE, PREVIEW, WHITE, Colour, faded
from ui.translation import tr

_LEAST_REACH_IN = 0.1
_REACH_STEP_DEG = 5
_PIN_IN, _BARB_IN, _BARB_DEG = 0.25, 0.5, 150.0
_LIT_WIDTH, _LIT_SCALE = 4.0, 1.6
_MOST_NAMED = 4


Stray = tuple[PointIn, PointIn]
"""Where a shot was aimed, and where it landed."""


def stray_marks(stray: Stray) -> tuple[Mark, ...]:
    """A pin at the aim, an arrow, and a pin with the distance where the shot landed."""
    aimed_in, fell_in = stray
    up = -1.0 if fell_in[1] >= aimed_in[1] else 1.0  # on the screen, away from the arrow
    landed = tr("landed {off_in:.1f} in away", off_in=math.dist(aimed_in, fell_in))
    return (
        _pinned(aimed_in, PREVIEW),
        *_arrow(stray, BLAST),
        _pinned(fell_in, BLAST, faded(BLAST, 120)),
        Note((*aimed_in, 0.0), ((tr("aimed"), 14.0),), PREVIEW, (0.0, -up * 20.0)),
        Note((*fell_in, 0.0), ((landed, 16.0),), BLAST_WORDS, (0.0, up * 24.0)),
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
    return Trace(ring(ellipse_outline(at_in, _PIN_IN, _PIN_IN)), colour, 3.0, fill, closed=True)


def reach_marks(position: Position, figure: str, movement: ActionPreview) -> Iterator[Mark]:
    """How far a figure may move in each direction from its place in the journal: a move counts once it is accepted."""
    before = movement.before
    left_in = before.numbers.get("left_in") if before is not None and movement.possible else None
    if not isinstance(left_in, int | float) or left_in < _LEAST_REACH_IN:
        return
    unit, turn_in = position.unit(figure), referee_of(position.game.name).turn_in
    here_in = unit.at_in or position.figure(figure).centre_in
    ends = [
        onward(here_in, heading_deg, max(0.0, left_in - turn_in(position, unit, heading_deg)))
        for heading_deg in range(0, 360, _REACH_STEP_DEG)
    ]
    yield Trace(lifted(ends), PREVIEW, 2.5, faded(PREVIEW, 18), closed=True, dashed=True)


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


def down_marks(position: Position) -> Iterator[Mark]:
    """A red stroke on each figure that was hit and will be taken off later; those to take off now wear a cross."""
    for name, figure in position.figures.items():
        unit = position.state.units.get(name)
        if unit is not None and unit.statuses.get("down") and not unit.out:
            x, y = np.array(figure.base_in).T
            stroke = along(lifted([(x.min(), y.min()), (x.max(), y.max())], figure.z_in))
            yield from (Trace(stroke, WHITE, 7.0, halo=False), Trace(stroke, CASUALTY, 4.0, halo=False))


def pointing(drawn: Preview, chosen: ActionPreview | None, figure: str, stray: Stray | None = None) -> Preview:
    """The preview with the selected action, the acting figure (empty for none), and a shot that scattered."""
    strayed = stray_marks(stray) if stray is not None else ()
    shown = replace(drawn, picked=figure or None, marks=(*strayed, *drawn.marks))
    if chosen is None:
        return replace(shown, asked=figure or None)
    action, template = chosen.action, chosen.action.template
    if isinstance(template, Blast) and action.spot_in not in (None, template.centre_in) and action.spot_in is not None:
        return replace(shown, ruler=Ruler(action.spot_in, template.centre_in), template=template, marks=drawn.marks)
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


_RADIUS_IN = 0.42
_OFFSET_IN = 0.85
"""How far right of the middle and beyond it, so that the ring stays visible and the number below it too."""

Stroke = tuple[tuple[float, float], ...]


def _arc(radius: float, from_deg: float, to_deg: float, middle: tuple[float, float] = (0.0, 0.0)) -> Stroke:
    turns = [math.radians(from_deg + (to_deg - from_deg) * k / 16) for k in range(17)]
    return tuple((middle[0] + radius * math.cos(turn), middle[1] + radius * math.sin(turn)) for turn in turns)


def _star() -> Stroke:
    turns = [(math.radians(90 + 36 * k), 0.42 if k % 2 else 1.0) for k in range(11)]
    return tuple((far * math.cos(turn), far * math.sin(turn)) for turn, far in turns)


BADGES: Mapping[str, tuple[Stroke, ...]] = {
    "leader": (_star(),),
    "sniper": (
        _arc(0.6, 0, 360),
        ((-1.0, 0.0), (-0.3, 0.0)),
        ((0.3, 0.0), (1.0, 0.0)),
        ((0.0, -1.0), (0.0, -0.3)),
        ((0.0, 0.3), (0.0, 1.0)),
    ),
    "machine_gun": tuple(((-0.9, y / 3), (0.9, y)) for y in (-0.7, 0.0, 0.7)),
    "mortar": (_arc(0.75, 180, 0, (0.0, -0.3)), ((0.4, 0.1), (0.75, -0.4), (1.05, 0.15))),
    "rocket": (((-0.9, -0.9), (0.8, 0.8)), ((0.1, 0.8), (0.8, 0.8), (0.8, 0.1)), ((-0.9, -0.3), (-0.3, -0.9))),
    "flame": (((0.0, 1.0), (0.65, 0.1), (0.55, -0.6), (0.0, -0.95), (-0.55, -0.6), (-0.65, 0.1), (0.0, 1.0)),),
    "medic": (((-0.8, 0.0), (0.8, 0.0)), ((0.0, -0.8), (0.0, 0.8))),
    "radio": (((0.0, -0.9), (0.0, 0.3)), _arc(0.4, 30, 150, (0.0, 0.2)), _arc(0.8, 30, 150, (0.0, 0.2))),
    "grenade": (_arc(0.6, 0, 360, (0.0, -0.3)), ((0.0, 0.3), (0.0, 0.7), (0.6, 0.9))),
    "gun": (_arc(0.45, 0, 360, (-0.3, -0.4)), ((-0.8, -0.1), (0.95, 0.6))),
    "engineer": (((0.0, 0.85), (0.85, 0.0), (0.0, -0.85), (-0.85, 0.0), (0.0, 0.85)),),
}
"""The strokes of each badge, in a square from -1 to 1, x to the right and y up."""

_IN_CARDS = (
    ("leader", ("commander", "officer", "sergeant", "hero", "king")),
    ("sniper", ("sniper",)),
    ("radio", ("radio", "spotter")),
    ("medic", ("medic",)),
    ("engineer", ("engineer", "mine_sweeper", "minesweeper")),
    ("mortar", ("mortar",)),
    ("rocket", ("bazooka", "panzerfaust", "panzerschreck", "piat", "bfg")),
    ("flame", ("flame",)),
    ("gun", ("howitzer", "cannon", "infantry_gun")),
    ("grenade", ("grenad",)),
    ("machine_gun", ("machine_gun", "bar_gunner", "bren_gunner", "dp_gunner", "50_cal")),
)


def badge_of(card: str, own: Mapping[str, Any] | None = None) -> str:
    """Name of a card's badge in `BADGES`; empty for riflemen and vehicles, which need none.

    Of a card of the players' `own`, only who leads is known.
    """
    if own is not None and leads(own):
        return "leader"
    name = card.lower()
    if "submachine" in name:
        return "leader" if "sergeant" in name else ""
    return next((badge for badge, parts in _IN_CARDS if any(part in name for part in parts)), "")


def badge_marks(position: Position, referee: Referee[Any]) -> Iterator[Mark]:
    """The badges of the figures in play, beside them: of the unit at the right, of its condition at the left."""
    for name, figure in position.figures.items():
        unit = position.state.units.get(name)
        if unit is None or unit.out:
            continue
        x, y = figure.centre_in
        if badge := badge_of(unit.card or "", unit.own):
            yield from _marks((x + _OFFSET_IN, y + _OFFSET_IN), figure.z_in, BADGES[badge])
        if condition := condition_of(unit, referee):
            at_in = (x - _OFFSET_IN, y + _OFFSET_IN)
            yield from _marks(at_in, figure.z_in, CONDITIONS[condition], _CONDITION_COLOUR, DARK)


def condition_of(unit: Unit, referee: Referee[Any]) -> str:
    """What the players must see of a figure: the face of a die that restricts it, or that it was harmed."""
    if die := referee.shown_die(unit):
        return str(die)
    known = {**unit.statuses, **unit.this_turn}
    return "harmed" if any(known.get(key) for key in STRUCK if key != "down") else ""


_CONDITION_COLOUR: Colour = (255, 196, 64, 255)
_PIP = 0.16
CONDITIONS: Mapping[str, tuple[Stroke, ...]] = {
    "harmed": (((0.0, 0.85), (0.0, -0.2)), _arc(0.08, 0, 360, (0.0, -0.7))),
    **{str(die): tuple(_arc(_PIP, 0, 360, (0.6 * x, 0.6 * y)) for x, y in pips) for die, pips in PIPS.items()},
}
"""The strokes of each condition: an exclamation mark, and the faces of a die."""


def _marks(
    middle_in: PointIn, z_in: float, strokes: Iterable[Stroke], disc_colour: Colour = PLATE, colour: Colour = WHITE
) -> Iterator[Mark]:
    x, y = middle_in
    disc = lifted([(x + _RADIUS_IN * u, y + _RADIUS_IN * v) for u, v in _arc(1.4, 0, 360)], z_in)
    yield Trace(disc, disc_colour, 1.0, disc_colour, closed=True, halo=False, clear_in=(disc,))
    for stroke in strokes:
        line = [(x + _RADIUS_IN * u, y + _RADIUS_IN * v) for u, v in stroke]
        yield Trace(lifted(line, z_in), colour, 1.6, halo=False)
