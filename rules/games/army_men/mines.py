"""Army Men: the lanes that mine detectors sweep, and the mines that a unit meets beside them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import shapely
from shapely.geometry import LineString, Point
from shapely.geometry.base import BaseGeometry

from rules.engine.position import Position
from rules.games.army_men import status
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.measure import base_area, sides_in
from rules.tabletop.path import Path, Span, cut, length_in, spans_over, straight
from rules.tabletop.table import Figure, TerrainPiece, area_of

SLACK_IN = 0.25
"""A lane is wider than the base by this much on each side: toys are moved, and measured, no more exactly."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A swept path through a minefield.

    Attributes:
        by: The mine detector that swept it, in the turn `turn`.
        ahead: It lies straight before him, because he has not walked on since.
        wide_in: The width of his base.
    """

    by: str
    turn: int
    ahead: bool
    wide_in: float
    path_in: Path

    def area(self) -> BaseGeometry:
        """The ground that holds no mines any more."""
        return LineString(self.path_in).buffer(self.wide_in / 2 + SLACK_IN, quad_segs=4)


def lanes(position: Position, field: TerrainPiece) -> list[Lane]:
    """The lanes through a minefield."""
    known = position.state.statuses.get(status.LANES.format(field.name), ())
    return [Lane(**{**one, "path_in": tuple((x, y) for x, y in one["path_in"])}) for one in known]


def lane_ahead(position: Position, man: Figure, field: TerrainPiece, long_in: float) -> Lane:
    """The lane that a detector sweeps from his place: straight into the minefield, or on through it."""
    area, here = area_of(field.outline_in), Point(man.centre_in)
    gap_in = here.distance(area)
    edge = shapely.shortest_line(here, area if gap_in else area.boundary).coords[1]
    from_edge_deg = bearing_deg((edge[0], edge[1]), man.centre_in) if here.distance(Point(edge)) else 0.0
    onward_deg = from_edge_deg if man.facing_deg is None else man.facing_deg
    toward_deg = from_edge_deg + 180 if gap_in else onward_deg
    path_in = straight(man.centre_in, toward_deg, gap_in + long_in + area.length)
    lane = Lane(man.id, position.state.turn, True, sides_in(base_area(man))[0], path_in)
    return _cut(lane, man, field, lanes(position, field), long_in)


def lanes_walked(position: Position, man: Figure, path_in: Path, field: TerrainPiece, long_in: float) -> list[Lane]:
    """The lanes once a figure has walked a path: a detector walks as he sweeps, so this turn's lane goes his way."""
    known = lanes(position, field)
    own = [one for one in known if (one.by, one.turn) == (man.id, position.state.turn)]
    if not own or length_in(path_in) == 0:
        return known
    [lane], others = own, [one for one in known if one not in own]
    walked = replace(lane, ahead=False, path_in=path_in if lane.ahead else (*lane.path_in, *path_in[1:]))
    return [*others, _cut(walked, man, field, others, long_in)]


def _cut(lane: Lane, man: Figure, field: TerrainPiece, others: Iterable[Lane], long_in: float) -> Lane:
    """The lane as far as the detector reaches from where its base meets the first mines."""
    met = mines_met(man, lane.path_in, field, list(others))
    return replace(lane, path_in=cut(lane.path_in, met[0][0] + long_in)) if met else lane


def mines_met(mover: Figure, path_in: Path, field: TerrainPiece, swept: Sequence[Lane]) -> tuple[Span, ...]:
    """The parts of a path along which the mover's base is on mines."""
    return spans_over(mover, path_in, field.outline_in, shapely.union_all([one.area() for one in swept]))
