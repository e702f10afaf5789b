"""Squads: who leads, who keeps up, and where the chain is broken."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rules.tabletop.errors import UserError
from rules.tabletop.measure import Range, range_between
from rules.tabletop.table import Figure
from rules.tabletop.tolerance import Call, all_of, at_most


@dataclass(frozen=True, slots=True)
class Link:
    """Two figures of a squad side by side in the chain, and the distance between them."""

    a: str
    b: str
    range: Range


@dataclass(frozen=True, slots=True)
class Chain:
    """A squad held together by its shortest links; a link fewer than it has figures.

    Attributes:
        links: The links that join all of them over the least distances from base edge to base edge: no other way to
            join them does with a shorter longest link.
        link_in: How long a link may be.
    """

    links: tuple[Link, ...]
    link_in: float

    @property
    def call(self) -> Call:
        """Whether the squad holds together; a single figure does."""
        return all_of(link.range.within(self.link_in) for link in self.links)

    @property
    def gaps(self) -> tuple[Link, ...]:
        """The links that are too long or perhaps so, widest first: each is to be closed."""
        wide = (link for link in self.links if link.range.within(self.link_in) is not Call.IN)
        return tuple(sorted(wide, key=lambda link: -link.range.edge_in))


def chain(squad: Sequence[Figure], link_in: float) -> Chain:
    """Join a squad link by link, each time the figure nearest to those already in it (Prim's algorithm)."""
    links: list[Link] = []
    waiting = list(squad[1:])
    best = {other.id: Link(squad[0].id, other.id, range_between(squad[0], other)) for other in waiting}
    while waiting:
        newest = min(waiting, key=lambda other: (best[other.id].range.edge_in, other.id))
        waiting.remove(newest)
        links.append(best[newest.id])
        for other in waiting:
            reach = Link(newest.id, other.id, range_between(newest, other))
            best[other.id] = min(best[other.id], reach, key=lambda link: link.range.edge_in)
    return Chain(tuple(links), link_in)


def lead(squad: Sequence[Figure], toward_deg: float) -> Figure:
    """The frontmost figure: the farthest along a direction, by the centre of its base.

    Raises:
        UserError: if the squad has no figure.
    """
    if not squad:
        raise UserError("a squad without figures has no leading one: name its figures")
    return max(squad, key=lambda figure: (forwardness_in(figure, toward_deg), figure.id))


def ahead_of(leader: Figure, squad: Sequence[Figure], toward_deg: float) -> tuple[str, ...]:
    """The figures that stand farther along the direction than the leader, beyond doubt."""
    front = forwardness_in(leader, toward_deg)
    return tuple(
        other.id
        for other in squad
        if at_most(forwardness_in(other, toward_deg), front, math.hypot(leader.sigma_in, other.sigma_in)) is Call.OUT
    )


def forwardness_in(figure: Figure, toward_deg: float) -> float:
    """How far along a direction the centre of a base lies; only differences between figures mean anything."""
    turn = math.radians(toward_deg)
    return figure.x_in * math.cos(turn) + figure.y_in * math.sin(turn)


def stayed(before: Figure, after: Figure, tolerance_in: float) -> Call:
    """Whether a figure, such as the one that leads, stands where it stood, within what the rules let pass."""
    sigma_in = math.hypot(before.sigma_in, after.sigma_in)
    return at_most(math.dist(before.centre_in, after.centre_in), tolerance_in, sigma_in)
