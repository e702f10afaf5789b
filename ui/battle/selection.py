"""What the players have selected in a battle: a figure, and what it aims at."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rules.tabletop.table import PointIn


@dataclass(frozen=True, slots=True)
class Selection:
    """A selected figure that aims at nothing yet, at a place, at several targets, or with the cross-hair.

    Attributes:
        figure: Its id; empty if none is selected.
        spot_in: The place aimed at, if any.
        targets: The targets chosen one by one, to be attacked by one action.
        cross_hair_in: The cross-hair's position, for aiming by keys.
    """

    figure: str = ""
    spot_in: PointIn | None = None
    targets: tuple[str, ...] = ()
    cross_hair_in: PointIn | None = None

    def less(self) -> Selection:
        """Without the last thing selected: the cross-hair, the targets, the place, at last the figure."""
        if self.cross_hair_in is not None:
            return replace(self, cross_hair_in=None)
        if self.targets:
            return replace(self, targets=())
        return Selection(self.figure if self.spot_in is not None else "")
