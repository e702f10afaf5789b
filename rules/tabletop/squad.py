"""Squads: the leading figure, the distances between the members, and the gaps in the chain."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rules.tabletop.measure import Range, range_between
from rules.tabletop.table import Figure
from rules.tabletop.tolerance import Comparison, all_of, at_most


@dataclass(frozen=True, slots=True)
class Link:
    """Two neighbouring figures in the chain, and the range between them."""

    a: str
    b: str
    range: Range


@dataclass(frozen=True, slots=True)
class Chain:
    """The minimum spanning tree of a squad; it has one link fewer than the squad has figures.

    Attributes:
        links: The links that join all figures over the smallest distances from base edge to base edge; no other chain
            has a shorter longest link.
        link_in: Maximum length of a link.
    """

    links: tuple[Link, ...]
    link_in: float

    @property
    def call(self) -> Comparison:
        """Whether the squad holds together; a single figure does."""
        return all_of(link.range.within(self.link_in) for link in self.links)

    @property
    def gaps(self) -> tuple[Link, ...]:
        """The links that are or may be too long, widest first."""
        long = (link for link in self.links if link.range.within(self.link_in) is not Comparison.IN)
        return tuple(sorted(long, key=lambda link: -link.range.edge_in))


def chain(squad: Sequence[Figure], link_in: float) -> Chain:
    """The chain of a squad, by Prim's algorithm: always add the figure nearest to those already joined."""
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


def ahead_of(leader: Figure, squad: Sequence[Figure], toward_deg: float) -> tuple[str, ...]:
    """The figures that are certainly farther along the direction than the leader."""
    front = forwardness_in(leader, toward_deg)
    return tuple(
        other.id
        for other in squad
        if at_most(forwardness_in(other, toward_deg), front, math.hypot(leader.sigma_in, other.sigma_in))
        is Comparison.OUT
    )


def forwardness_in(figure: Figure, toward_deg: float) -> float:
    """How far along a direction the centre of a base lies; only differences between figures mean anything."""
    turn = math.radians(toward_deg)
    return figure.x_in * math.cos(turn) + figure.y_in * math.sin(turn)
