"""What the current tool and the battle show before anything is laid on the table. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from rules.tabletop.table import PointIn, TerrainPiece
from rules.tabletop.template import Template
from ui.session import Ruler
from ui.table.finding import Finding, Mark


@dataclass(frozen=True, slots=True)
class GroundPreview:
    """What the terrain tool shows.

    Attributes:
        hovered: Name of the piece under the mouse.
        selected: Name of the selected piece.
        piece: The selected piece as the edit would leave it, or None.
        corner: Number of its selected corner.
    """

    hovered: str | None = None
    selected: str | None = None
    piece: TerrainPiece | None = None
    corner: int | None = None


@dataclass(frozen=True, slots=True)
class Preview:
    """What the current tool shows before anything is laid on the table.

    Attributes:
        hovered: Id of the figure under the mouse.
        picked: Id of the figure that was picked.
        asked: Id of the figure whose details are shown.
        pin_in: A bare place that was picked.
        ruler, template: What a click would lay down.
        finding: The answer to the tool's question.
        battle_lines: What the players must know about the figure under the mouse in the battle, in lines.
        turn_lines: What only the rules of this turn ask for, in lines.
        ground: The terrain tool's preview; None for other tools.
        marks: Other marks of a battle, such as where a shell landed.
        badges: Signs beside the soldiers, for the screen only.
        casualties: Ids of the battle's casualties that are still on the table.
        areas: Parts of the ground that are marked out and circles of reach, drawn below everything.
    """

    hovered: str | None = None
    picked: str | None = None
    asked: str | None = None
    pin_in: PointIn | None = None
    ruler: Ruler | None = None
    template: Template | None = None
    finding: Finding | None = None
    battle_lines: tuple[str, ...] = ()
    turn_lines: tuple[str, ...] = ()
    ground: GroundPreview | None = None
    marks: tuple[Mark, ...] = ()
    badges: tuple[Mark, ...] = ()
    casualties: tuple[str, ...] = ()
    areas: tuple[Mark, ...] = ()
