"""A scripted situation: a table, its armies and the steps to play, read from a JSON document.

The format is described in `docs/formats.md`; `rules.battle.scripted` plays it.
"""

from __future__ import annotations

import cmath
import itertools
import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any

from rules.engine.schema import Reader, Record, Within
from rules.tabletop.errors import UserError, refuse_unusable_values
from rules.tabletop.measure import surface_in
from rules.tabletop.table import (
    FARTHEST_IN,
    MAX_PIECES,
    Figure,
    Outline,
    PointIn,
    Posture,
    TerrainKind,
    TerrainPiece,
    ellipse_outline,
)

SCHEMA = 1
_KEYS = ("schema", "game", "options", "house_rules", "terrain", "table_in", "sides", "steps")
_NOTES = ("title", "rows", "source", "expect")
"""Keys for readers and tests: title, rule ids, the rulebook's words, parts of the right answer."""
_SOLDIER_IN = (1.0, 1.0)
_BASE_POINTS = 72
"""So many that a range between two bases is right to a thousandth of an inch, and exact limits are met."""
_CORNERS = ((0.5, 0.5), (-0.5, 0.5), (-0.5, -0.5), (0.5, -0.5))

_MOST_FIGURES = 500
"""Sight among more figures takes minutes."""

Place = Annotated[float, Within(low=-FARTHEST_IN, high=FARTHEST_IN)]
Size = Annotated[float, Within(low=0.01, high=FARTHEST_IN)]


class Placement(Record):
    """A figure of a situation, as its file describes it.

    Attributes:
        card: Name of a ready unit card, or a card of the players' own as data.
        squad: Name of its squad; empty without a squad.
        z_in: Height of the surface under it; None for the top of the terrain there.
        facing_deg: Counter-clockwise from +x; None if unknown.
        base_in: Length along the facing and width of the base, an ellipse or, for a vehicle, a rectangle.
        sigma_in: One standard deviation of its place along one axis.
    """

    id: str
    card: Any
    at_in: tuple[Place, ...]
    squad: str = ""
    z_in: Place | None = None
    facing_deg: float | None = None
    posture: Posture = Posture.STANDING
    base_in: tuple[Size, ...] = _SOLDIER_IN
    sigma_in: Annotated[float, Within(low=0, high=FARTHEST_IN)] = 0.0

    def __post_init__(self) -> None:
        if not isinstance(self.card, (str, Mapping)):
            raise UserError(f"{self.id}: card must be the name of a ready unit or an object, not {self.card!r}")
        if len(self.at_in) != 2 or len(self.base_in) != 2:
            raise UserError(f"{self.id}: at_in must be [x, y] and base_in [length, width] in inches")

    def figure(self, side: str, terrain: tuple[TerrainPiece, ...]) -> Figure:
        """The figure on the table."""
        x_in, y_in = self.at_in
        z_in = surface_in((x_in, y_in), terrain) if self.z_in is None else self.z_in
        base_in = base_outline((x_in, y_in), self.base_in, self.facing_deg or 0.0, self.posture)
        return Figure(self.id, side, x_in, y_in, z_in, self.sigma_in, self.posture, base_in, self.facing_deg)


def base_outline(at_in: PointIn, size_in: tuple[float, ...], facing_deg: float, posture: Posture) -> Outline:
    """Outline of a base of this length and width, its length along the facing."""
    length_in, width_in = size_in
    if posture is not Posture.VEHICLE:
        return ellipse_outline(at_in, length_in / 2, width_in / 2, facing_deg, _BASE_POINTS)
    turn = cmath.rect(1, math.radians(facing_deg))
    corners = (complex(x * length_in, y * width_in) * turn for x, y in _CORNERS)
    return tuple((at_in[0] + one.real, at_in[1] + one.imag) for one in corners)


@dataclass(frozen=True, slots=True)
class Situation:
    """A table, its armies and the steps to play.

    Attributes:
        house_rules: Text of a house-rules file in TOML; empty for the published game.
        table_in: Outline of the table; empty if its edge is unknown.
        sides: The figures of each side, in the order of the file.
        steps: The steps, in the form of the document.
    """

    game: str
    options: Mapping[str, Any]
    house_rules: str
    terrain: tuple[TerrainPiece, ...]
    table_in: Outline
    sides: Mapping[str, tuple[Placement, ...]]
    steps: tuple[Mapping[str, Any], ...] = field(default=())


def situation_of(document: Any) -> Situation:
    """Read a situation from a JSON document.

    Raises:
        UserError: if the document is invalid; the message names the key and the expected value.
    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise UserError(f'a situation is a JSON object with "schema": {SCHEMA}')
    refuse_unusable_values(dict(document), "the situation")
    if not all(map(math.isfinite, _numbers(document))):
        raise UserError("the situation has NaN or an infinite number: JSON has neither, write a number")
    unknown = next((key for key in document if key not in (*_KEYS, *_NOTES)), None)
    if unknown is not None:
        raise UserError(f"the situation has the unknown key {unknown!r}: choose from {', '.join(_KEYS)}")
    for key in ("game", "sides"):
        if key not in document:
            raise UserError(f"the situation lacks the key {key!r}: add it")
    reader, given = Reader({}), {key: value for key, value in document.items() if value is not None}
    sides = reader.value(Mapping[str, tuple[Placement, ...]], document["sides"], "sides")
    if not sides or "" in sides:
        raise UserError('sides needs the name of each side with its figures, as {"green": [], "tan": []}')
    ids = [one.id for figures in sides.values() for one in figures]
    twice = next((name for name in ids if ids.count(name) > 1), None)
    if twice is not None:
        raise UserError(f"sides: the id {twice!r} is used twice; give each figure its own")
    if len(ids) > _MOST_FIGURES:
        raise UserError(f"sides: {len(ids)} figures are more than {_MOST_FIGURES}: leave some out")
    terrain = reader.value(tuple[Any, ...], given.get("terrain", ()), "terrain")
    if len(terrain) > MAX_PIECES:
        raise UserError(f"terrain: {len(terrain)} pieces are more than {MAX_PIECES}: leave some out")
    return Situation(
        game=reader.value(str, document["game"], "game"),
        options=reader.value(Mapping[str, Any], given.get("options", {}), "options"),
        house_rules=reader.value(str, given.get("house_rules", ""), "house_rules"),
        terrain=_named_apart(_piece(reader, one, n) for n, one in enumerate(terrain)),
        table_in=_table(reader.value(tuple[Size, ...], given.get("table_in", ()), "table_in")),
        sides=sides,
        steps=reader.value(tuple[Mapping[str, Any], ...], given.get("steps", ()), "steps"),
    )


def _numbers(value: Any) -> Iterator[float]:
    """All numbers with a fraction in a document."""
    if isinstance(value, float):
        yield value
    elif isinstance(value, (list, Mapping)):
        for inner in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(inner)


class _Piece(Record):
    kind: TerrainKind
    outline_in: tuple[tuple[Place, ...], ...]
    name: str = ""
    base_in: Place = 0.0
    height_in: Annotated[float, Within(low=0, high=FARTHEST_IN)] = 0.0


def _piece(reader: Reader, found: Any, number: int) -> TerrainPiece:
    place = f"terrain[{number}]"
    if not isinstance(found, Mapping):
        raise UserError(f"{place} must be an object with kind and outline_in")
    one = reader.read(_Piece, found, place)
    outline_in = tuple(point_of(list(point), f"{place}: outline_in") for point in one.outline_in)
    return TerrainPiece(one.name or f"{one.kind} {number + 1}", one.kind, outline_in, one.base_in, one.height_in)


def _named_apart(pieces: Iterable[TerrainPiece]) -> tuple[TerrainPiece, ...]:
    """The pieces, with a number added to a name that an earlier piece has."""
    found: dict[str, TerrainPiece] = {}
    for piece in pieces:
        numbers = (f"{piece.name} {number}" for number in itertools.count(2))
        name = piece.name if piece.name not in found else next(one for one in numbers if one not in found)
        found[name] = replace(piece, name=name)
    return tuple(found.values())


def _table(size_in: tuple[float, ...]) -> Outline:
    if not size_in:
        return ()
    if len(size_in) != 2:
        raise UserError("table_in must be [width, depth] in inches")
    width_in, depth_in = size_in
    return ((0.0, 0.0), (width_in, 0.0), (width_in, depth_in), (0.0, depth_in))


def point_of(found: Any, place: str) -> PointIn:
    """A place [x, y] of a document, in inches.

    Raises:
        UserError: if it is invalid; the message begins with `place`.
    """
    if not is_point(found):
        raise UserError(f"{place} must be [x, y] in inches, not {found!r}")
    if max(map(abs, found)) > FARTHEST_IN:
        raise UserError(f"{place} must lie within {FARTHEST_IN:g} in, not at {found!r}")
    return float(found[0]), float(found[1])


def is_point(found: Any) -> bool:
    """Whether a value is a place [x, y]."""
    return isinstance(found, (list, tuple)) and len(found) == 2 and all(type(v) in (int, float) for v in found)
