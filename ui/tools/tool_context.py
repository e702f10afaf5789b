"""What a tool works on: the view, the table's state, and the battle. No Qt here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rules.engine.position import Position
from rules.tabletop.measure import Range
from rules.tabletop.scene import SightRules
from rules.tabletop.table import Figure, TerrainPiece
from ui.battle.action_text import card_title
from ui.battle.battle_session import BattleSession
from ui.formatting import Basis
from ui.measuring import measured
from ui.rules_text import status_words
from ui.session import TableState
from ui.translation import tr
from vision.table_view import TableView


@dataclass(frozen=True, slots=True, eq=False)
class ToolContext:
    """A tool's input.

    Attributes:
        view: The view, with corrections.
        play, position: The battle and its position at this view; None without a battle.
    """

    view: TableView
    state: TableState
    play: BattleSession | None = None
    position: Position | None = None

    @property
    def terrain(self) -> tuple[TerrainPiece, ...]:
        """All terrain, including wrecks from the battle."""
        return self.position.terrain if self.position is not None else self.state.setup.terrain

    @property
    def sight_rules(self) -> SightRules:
        """The game's rules of sight, or the defaults without a battle."""
        if self.position is not None:
            return self.position.sight
        return SightRules(standing_height_in=self.state.setup.figure_height_in)

    def figure(self, name: str | None) -> Figure | None:
        """The figure with this id, if it is visible."""
        return next((figure for figure in self.view.figures if figure.id == name), None)

    def range(self, a: Figure, b: Figure) -> Range:
        """The range between two figures of the view."""
        return measured(self.view, (a, b))[a.id, b.id]

    def is_same_table(self, other: ToolContext | None) -> bool:
        """Whether nothing that a tool uses has changed."""
        return (
            other is not None
            and self.view.calibration is other.view.calibration
            and self.view.figures == other.view.figures
            and self.state is other.state
            and self.position is other.position
        )

    def battle_lines(self, name: str) -> tuple[str, ...]:
        """What the players must know about a figure in the battle, in lines; empty if it is not in the battle."""
        unit = self.position.state.units.get(name) if self.position is not None else None
        if unit is None or self.position is None:
            return ()
        squad = (unit.squad,) if unit.squad else ()
        used_in = unit.allowance_used_in
        used = (tr("moved {used_in:.1f} in this turn", used_in=used_in),) if used_in else ()
        return (", ".join((card_title(self.position, unit), *squad)), *_status_lines(unit.statuses), *used)

    def turn_lines(self, name: str) -> tuple[str, ...]:
        """What only the rules of this turn ask for, such as from where a figure was seen on its way."""
        unit = self.position.state.units.get(name) if self.position is not None else None
        return _status_lines(unit.this_turn) if unit is not None else ()


def _status_lines(statuses: Mapping[str, Any]) -> tuple[str, ...]:
    flags = tuple(f"{key}_" for key, value in statuses.items() if value is True)
    return tuple(
        status_words(key, value)
        for key, value in statuses.items()
        if value not in (None, False, "") and not key.startswith(flags)  # "down" says it, not "down_in_phase"
    )


def basis_of(play: BattleSession | None) -> Basis:
    """The basis on which the game measures: base edges, unless one of its options says centres."""
    if play is None:
        return Basis.CENTRE
    rules = play.battle.game.rules
    centres = "measured_from" in rules.header.options and rules.option("measured_from") == "centres"
    return Basis.CENTRE if centres else Basis.EDGE
