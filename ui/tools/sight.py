"""What soldiers see: lines of sight, the ground in sight, and the ground where a side is in danger. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.opencv import cv2
from rules.engine.position import Position
from rules.engine.preview import preview_of
from rules.engine.referee import FIRE
from rules.engine.state import Unit, fold
from rules.tabletop.measure import base_area
from rules.tabletop.occlusion import BoolArray
from rules.tabletop.sight import Hidden, Ray, Sight, sight
from rules.tabletop.sight_area import Cells, Ground, ground_in_sight, ground_of
from rules.tabletop.table import Figure
from ui.battle.battle_overlay import reach_marks
from ui.battle.battle_session import BattleSession
from ui.formatting import Basis, other_words, percent_words, range_words
from ui.picture.table_map import extent_of
from ui.rules_text import display_name, display_names, readable
from ui.table.finding import Answer, Finding, Mark, Note, Patch, Style, Trace, along, cross
from ui.theme import BLAST, BLAST_WORDS, DARK, SKY, WHITE, faded
from ui.tools.reach import Arm, reach_outline, weapon_reaches
from ui.tools.tool_context import ToolContext
from ui.translation import tr
from ui.vocabulary import posture_words

_MOST_CELLS = 400_000
_LEAST_CELLS = 6.0  # smaller patches are left out
_LEAST_WIDTH = 0.6  # and narrower ones, such as the steps of a slanting sliver: their area in cells by their outline
_SMOOTHED_CELLS = 0.6


def cells_of(now: ToolContext, cell_in: float) -> Cells:
    """The area of play, or else what the camera sees of the table; on a very large one the cells are larger."""
    assert now.view.calibration is not None
    area = now.state.area
    left, near, right, far = extent_of(now.view.calibration)
    if area is not None:
        (left, near), (right, far) = (edge(area.corners_in, axis=0).tolist() for edge in (np.min, np.max))
    return Cells(left, near, right, far, max(cell_in, math.sqrt((right - left) * (far - near) / _MOST_CELLS)))


def in_range(cells: Cells, figure: Figure, arms: Sequence[Arm], basis: Basis) -> BoolArray:
    """(rows, columns) where a soldier with the same base would be within the range of one of the weapons."""
    x, y = cells.middles_in
    away_in = np.hypot(*np.meshgrid(x - figure.x_in, y - figure.y_in))
    if basis is Basis.EDGE:
        away_in = np.maximum(away_in - 2 * math.sqrt(base_area(figure).area / math.pi), 0.0)
    found = np.zeros(cells.shape, bool)
    for arm in arms:
        found |= (away_in >= arm.least_in) & (away_in <= (math.inf if arm.most_in is None else arm.most_in))
    return found


def patches(chosen: BoolArray, ground: Ground, style: Style) -> tuple[Patch, ...]:
    """The chosen cells as one patch on the surface; none if no cells are chosen."""
    outlines, _ = cv2.findContours(chosen.astype(np.uint8), cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
    x, y = ground.cells.middles_in
    rings = []
    for outline in outlines:
        column, row = cv2.approxPolyDP(outline, _SMOOTHED_CELLS, True)[:, 0].T
        least = max(_LEAST_CELLS, _LEAST_WIDTH * cv2.arcLength(outline, True))
        if len(column) > 2 and cv2.contourArea(outline) >= least:
            rings.append(tuple(map(tuple, np.c_[x[column], y[row], ground.height_in[row, column]].tolist())))
    return (Patch(tuple(rings), style),) if rings else ()


_DANGER_CELL_IN = 0.2
_DANGER_STYLES = (
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

    An enemy can shoot at the ground that it sees from its place, within the range of its weapons; in some games also
    through hedges. If its game lets it move and then shoot, a full move is added to the range, but it still sees only
    from its place.
    """
    ground = ground_of(cells_of(now, _DANGER_CELL_IN), now.terrain)
    count, rules = np.zeros(ground.cells.shape, np.int16), now.sight_rules.for_fire
    for figure, arms in _enemies(now, side):
        in_reach = in_range(ground.cells, figure, arms, now.state.basis)
        count += ground_in_sight(figure, ground, now.view.figures, rules, in_reach)
    areas = [patch for least, style in _DANGER_STYLES for patch in patches(count >= least, ground, style)]
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


_FAN_CELL_IN = 0.1
_HIDDEN = Style(faded(DARK, 0), faded(DARK, 130), faded(WHITE, 60))
_SEEN = Style(SKY, faded(SKY, 50))


@dataclass(frozen=True, slots=True)
class SightFan:
    """The patches of ground that a figure sees and does not see with the rings of its reach, and the answer."""

    figure: str
    areas: tuple[Mark, ...]
    finding: Finding


def sight_fan(now: ToolContext, figure: Figure) -> SightFan:
    """Where the figure would see a standing soldier; in a battle also its ranges and how far it may still move."""
    ground, basis = ground_of(cells_of(now, _FAN_CELL_IN), now.terrain), now.state.basis
    rules = now.sight_rules
    seen = ground_in_sight(figure, ground, now.view.figures, rules)
    fire = rules.for_fire
    hit = seen if fire is rules else ground_in_sight(figure, ground, now.view.figures, fire)
    rings = tuple(_rings(now, figure))
    lines = [mark for mark in rings if isinstance(mark, Trace)]
    areas: tuple[Mark, ...] = (*patches(~seen, ground, _HIDDEN), *patches(seen, ground, _SEEN), *lines)
    rows = [tr("{soldier} would see a standing soldier on the bright ground", soldier=display_name(figure.id))]
    for arm in weapon_reaches(now.position, figure.id):
        part = percent_words(float((hit & in_range(ground.cells, figure, (arm,), basis)).mean()))
        rows.append(tr("{weapon}: {part} of the table", weapon=arm.words, part=part))
    headline = tr("{part} of the table in sight", part=percent_words(float(seen.mean())))
    notes = tuple(mark for mark in rings if isinstance(mark, Note))
    return SightFan(figure.id, areas, Finding(Answer(headline, tuple(rows)), notes))


def _rings(now: ToolContext, figure: Figure) -> Iterator[Mark]:
    """A dashed ring at each weapon's ranges, with its name, and the circle of what is left of the move."""
    for arm in weapon_reaches(now.position, figure.id):
        for reach_in in filter(None, (arm.most_in, arm.least_in)):
            outline = reach_outline(figure, reach_in, now.state.basis)
            yield Trace(outline, faded(WHITE, 220), 2.0, closed=True, dashed=True)
            yield Note(max(outline, key=lambda place: place[1]), ((arm.words, 12.0),), WHITE)
    if now.play is not None and now.position is not None and figure.id in now.position.figures:
        movement = preview_of(now.position, now.play.referee.movement(now.position, figure.id))
        yield from reach_marks(now.position, figure.id, movement)


def sight_finding(now: ToolContext, shooter: Figure, target: Figure) -> Finding:
    """How much one figure sees of another, as text and marks."""
    found = sight(shooter, target, now.terrain, now.view.figures, now.sight_rules)
    return Finding(Answer(headline(found), _rows(now, found, shooter, target)), tuple(_marks(found, target)))


def headline(found: Sight) -> str:
    """Such as "73 % in sight"."""
    return tr("{part} in sight", part=percent_words(found.exposure)) if found.visible else tr("hidden")


def _rows(now: ToolContext, found: Sight, shooter: Figure, target: Figure) -> tuple[str, ...]:
    distance = now.range(shooter, target)
    basis, unit = now.state.basis, now.state.unit
    ranges = f"{range_words(distance, basis, unit)}, {other_words(distance, basis, unit)}"
    one, other = display_name(shooter.id), display_name(target.id)
    rows = [tr("{shooter} looks at {target}", shooter=one, target=other), ranges]
    if found.hidden_by:
        rows.append(tr("hidden by {cover}", cover=hidden_words(found.hidden_by)))
    if found.exposure_to_fire > found.exposure + 0.005:
        part = percent_words(found.exposure_to_fire)
        rows.append(tr("{part} can be hit: some of the cover does not stop shots", part=part))
    if found.figures_in_the_way:
        way = hidden_words(found.figures_in_the_way)
        rows.append(
            tr("in the way: {soldiers}", soldiers=way)
            if now.sight_rules.figures_hide
            else tr("in the way: {soldiers} (soldiers do not block sight here)", soldiers=way)
        )
    for figure, pieces in ((shooter, found.shooter_within), (target, found.target_within)):
        if pieces:
            rows.append(tr("{soldier} is in {terrain}", soldier=display_name(figure.id), terrain=", ".join(pieces)))
    part = percent_words(found.shooter_exposure)
    rows.append(tr("{target} sees {part} of {shooter}", target=other, part=part, shooter=one))
    return (*rows, *_rows_in_other_postures(now, found, shooter, target))


def _rows_in_other_postures(now: ToolContext, found: Sight, shooter: Figure, target: Figure) -> Iterator[str]:
    """What would be in sight in the next likeliest posture of either figure, where that makes a difference."""
    other_pairs = [(replace(shooter, posture=one), target, shooter.id, one) for one in shooter.possible_postures[1:]]
    other_pairs += [(shooter, replace(target, posture=one), target.id, one) for one in target.possible_postures[1:]]
    for one, other, name, posture in other_pairs:
        seen = headline(sight(one, other, now.terrain, now.view.figures, now.sight_rules))
        if seen != headline(found):
            words = {"soldier": display_name(name), "posture": posture_words(posture)}
            yield tr("if {soldier} is {posture}: {seen}", seen=seen, **words)


def hidden_words(hidden: Iterable[Hidden]) -> str:
    """Such as "house 60 %, hedge 12 %", largest part first."""
    return ", ".join(f"{readable(part.name)} {percent_words(part.fraction)}" for part in hidden)


def _marks(found: Sight, target: Figure) -> Iterator[Mark]:
    """Clear rays as light lines; stopped rays end in a cross, with a dashed line on to the target."""
    for ray in found.rays:
        yield from _ray(ray)
    named = {ray.stopped_by: ray.stop_in for ray in found.rays if ray.stop_in is not None}
    for name, at_in in named.items():
        if name is not None and at_in is not None:
            yield Note(at_in, ((readable(name), 14.0),), BLAST_WORDS, (0.0, -22.0))
    place = (*target.centre_in, target.z_in)
    yield Note(place, ((headline(found), 20.0),), WHITE if found.visible else BLAST_WORDS, (0.0, -40.0))


def _ray(ray: Ray) -> Iterator[Mark]:
    if ray.stop_in is None:
        yield Trace(along((ray.start_in, ray.end_in)), faded(SKY, 220), 1.5, halo=False)
        return
    yield Trace(along((ray.start_in, ray.stop_in)), BLAST, 1.5, halo=False)
    yield Trace(along((ray.stop_in, ray.end_in)), faded(BLAST, 150), 1.0, dashed=True, halo=False)
    yield from cross(ray.stop_in, BLAST)
