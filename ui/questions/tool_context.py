"""What a tool asks of: the table as it is seen, what lies on it, the battle that is played there. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from rules.engine.position import Moment
from rules.engine.text import status_words
from rules.tabletop.measure import Range
from rules.tabletop.scene import SightRules
from rules.tabletop.table import Figure, TerrainPiece
from ui.battle.battle_session import Play
from ui.formatting import Basis
from ui.measuring import measured
from ui.session import TableState
from vision.table_view import TableView


@dataclass(frozen=True, slots=True, eq=False)
class Situation:
    """The table before a tool.

    Attributes:
        view: What is seen, corrections included.
        state: What lies there.
        play, moment: The battle, and how it stands at this view; None where none is played.
    """

    view: TableView
    state: TableState
    play: Play | None = None
    moment: Moment | None = None

    @property
    def terrain(self) -> tuple[TerrainPiece, ...]:
        """Every piece, wrecks of the battle among them."""
        return self.moment.terrain if self.moment is not None else self.state.setup.terrain

    @property
    def sight_rules(self) -> SightRules:
        """What the game says about seeing, else the usual."""
        if self.moment is not None:
            return self.moment.sight
        return SightRules(standing_height_in=self.state.setup.figure_height_in)

    def figure(self, name: str | None) -> Figure | None:
        """The figure of that id, where it is seen."""
        return next((figure for figure in self.view.figures if figure.id == name), None)

    def range(self, a: Figure, b: Figure) -> Range:
        """How far two figures of the view are apart."""
        return measured(self.view, (a, b))[a.id, b.id]

    def is_same_table(self, other: Situation | None) -> bool:
        """Whether nothing has changed since that a tool could ask about."""
        return (
            other is not None
            and self.view.calibration is other.view.calibration
            and self.view.figures == other.view.figures
            and self.state is other.state
            and self.moment is other.moment
        )

    def told_of(self, name: str) -> tuple[str, ...]:
        """What the battle says of a figure, in lines; nothing where it is not in one."""
        unit = self.moment.state.units.get(name) if self.moment is not None else None
        if unit is None or self.moment is None:
            return ()
        card = str(self.moment.kind(unit).get("title", unit.card or "own card"))
        said = {**unit.statuses, **unit.this_turn}
        states = [status_words(key, value) for key, value in said.items() if value not in (None, False, "")]
        squad = (unit.squad,) if unit.squad else ()
        used = (f"moved {unit.allowance_used_in:.1f} in this turn",) if unit.allowance_used_in else ()
        return (", ".join((card, *squad)), *states, *used)


def basis_of(play: Play | None) -> Basis:
    """Between what the game measures: all of them between the bases' edges, unless an option says otherwise."""
    if play is None:
        return Basis.CENTRE
    rules = play.battle.game.rules
    centres = "measured_from" in rules.header.options and rules.option("measured_from") == "centres"
    return Basis.CENTRE if centres else Basis.EDGE
