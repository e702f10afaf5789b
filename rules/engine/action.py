"""An action with all its facts, as a game offers it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from rules.engine.position import View
from rules.engine.text import display_name, display_names
from rules.engine.verdict import Verdict
from rules.tabletop.path import Path
from rules.tabletop.table import PointIn
from rules.tabletop.template import Template

FactPath = tuple[str | int, ...]
"""Path of a fact among the facts of a question: names of keys and indices of lists."""


@dataclass(frozen=True, slots=True)
class UncertainFact:
    """A measured fact with its uncertainty.

    Attributes:
        fact: Its path, such as ("distance_in",) or ("targets", 0, "distance_in").
        sigma: One standard deviation.
        what: Its name for the player: "the range to Tan 4".
        low, high: Its bounds.
        either: For a fact that is not a number, such as whether a figure is seen: the value for each answer.
    """

    fact: FactPath
    sigma: float
    what: str
    low: float = 0.0
    high: float = float("inf")
    either: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Action:
    """An action that can be attempted now, with all its facts.

    Attributes:
        title: Its name for the player, such as "Rifle at Tan 4".
        name, given: The rule and the facts for `Game.begin`, without the facts that the players must still answer.
        by: The figures that act.
        at: The target figures.
        weapon: The weapon, if one is used.
        preview: The rule that returns the number needed without a roll; it takes a subset of the facts.
        view: The target as the figure sees it.
        measured: The facts that have a measurement error.
        band: The range band, in games with range bands.
        piece: Name of the target terrain piece.
        spot_in: The target place.
        template: The template that it lays on the table.
        paths: The path of each figure of a move.
        facing_deg: The facing of each figure at the end of its path, as far as it is known.
        blocked_by: The verdict that forbids the action, if the rules need no further facts to forbid it.
        has_odds: Whether to compute the odds; False for volleys with too many dice.
        each: For an action at many targets, the facts for each target alone; the odds are then computed for each target
            instead of for all together.
        each_until: The number of a target's verdict that, if true, spares all after it, such as "jammed"; empty if
            every target is attacked whatever happens to the others.
        round: The round that it belongs to, such as "Morale"; empty if it belongs to none.
        owed: Id of the rule that requires it before the phase ends; empty if it is optional.
    """

    title: str
    name: str
    given: Mapping[str, Any]
    by: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    weapon: str = ""
    preview: str = ""
    view: View | None = None
    measured: tuple[UncertainFact, ...] = ()
    band: str = ""
    piece: str = ""
    spot_in: PointIn | None = None
    template: Template | None = None
    paths: Mapping[str, Path] = field(default_factory=dict)
    facing_deg: Mapping[str, float] = field(default_factory=dict)
    blocked_by: Verdict | None = None
    has_odds: bool = True
    each: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    each_until: str = ""
    round: str = ""
    owed: str = ""

    @property
    def words(self) -> str:
        """The title, with the targets if it does not name them."""
        is_named = not self.at or display_name(self.at[0]) in self.title
        return self.title if is_named else f"{self.title}: {display_names(self.at)}"

    @property
    def attacked(self) -> tuple[str, ...]:
        """The figures that it attacks; empty for other actions."""
        return self.at if self.view is not None or self.weapon else ()
