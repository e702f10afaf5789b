"""Verdicts with their reasons, and the error for a question that the rules cannot answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from rules.tabletop.errors import UserError


class RuleRefusal(UserError):
    """A question that the rules cannot answer because of an unknown weapon, a fraction above 1, a seventh face.

    An action that the rules forbid is not an error but a `Verdict` that is not allowed.

    Attributes:
        code: Short name for programs, such as "unknown_weapon".
        rule: Id of the rule concerned, or None.
    """

    def __init__(self, code: str, message: str, rule: str | None = None) -> None:
        super().__init__(message)
        self.code, self.rule = code, rule


@dataclass(frozen=True, slots=True)
class Reason:
    """A step of the derivation of a verdict.

    Attributes:
        rule: Id of the rule, such as "AM-83".
        text: What the rule says in this case, for the player.
        modifier: The number that it adds, or None.
    """

    rule: str
    text: str
    modifier: float | None = None


ACTORS, TARGETS = "(actors)", "(targets)"
"""Placeholders for the acting figure and its target in the effects of a verdict, which does not know their names."""


@dataclass(frozen=True, slots=True)
class StatusEffect:
    """An effect: a status of a figure, of all `ACTORS` or `TARGETS`, or of the battle itself ("").

    Attributes:
        value: The new value; None removes the status.
        rule: Id of the rule that sets it.
        this_turn: Whether it ends with the turn.
    """

    figure: str
    status: str
    value: Any = True
    rule: str = ""
    this_turn: bool = False


@dataclass(frozen=True, slots=True)
class MoveEffect:
    """An effect: the figures go to the ends of their paths.

    Attributes:
        cost_in: Allowance spent by each figure whose cost differs from the length of its path.
    """

    cost_in: Mapping[str, float] | None = None


Effect = StatusEffect | MoveEffect


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer of the rules.

    Attributes:
        outcome: The answer in a word, such as "hit".
        numbers: All results by name, in JSON values; read-only.
        reasons: The reasons, in reading order.
        effects: Its effects on figures and on the battle.
    """

    outcome: str
    numbers: Mapping[str, Any]
    reasons: tuple[Reason, ...]
    effects: tuple[Effect, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", MappingProxyType(dict(self.numbers)))
        object.__setattr__(self, "reasons", tuple(self.reasons))
        object.__setattr__(self, "effects", tuple(self.effects))

    @property
    def allowed(self) -> bool:
        """Whether the rules allow the action."""
        return bool(self.numbers.get("allowed", True))

    def causing(self, *effects: Effect) -> Verdict:
        """The same verdict with these effects."""
        return replace(self, effects=effects)


def verdict(outcome: str, *reasons: Reason, **numbers: Any) -> Verdict:
    """Build a verdict: `verdict("fixed", rules.because("AM-76"), fixed=True)`."""
    return Verdict(outcome, numbers, reasons)


def forbidden(code: str, *reasons: Reason, **numbers: Any) -> Verdict:
    """Build a verdict that forbids the action: `code` is a short name of the reason, `reasons` are for the player."""
    return Verdict("forbidden", {"allowed": False, "reason": code, **numbers}, reasons)


def total(reasons: Iterable[Reason]) -> float:
    """The sum of the reasons' modifiers."""
    return sum(reason.modifier or 0 for reason in reasons)
