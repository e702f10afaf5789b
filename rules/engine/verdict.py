"""What the rules say: a verdict with its reasons, or a question that they refuse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

from rules.tabletop.errors import UserError


class RuleRefusal(UserError):
    """A question that the rules cannot answer: an unknown weapon, a fraction above 1, a seventh face.

    What the rules answer with "you may not" is no refusal but a `Verdict` that is not allowed.

    Attributes:
        code: Short name for programs, as "unknown_weapon".
        rule: Id of the rule that was asked, where there is one.
    """

    def __init__(self, code: str, message: str, rule: str | None = None) -> None:
        super().__init__(message)
        self.code, self.rule = code, rule


@dataclass(frozen=True, slots=True)
class Reason:
    """A step on the way to a verdict.

    Attributes:
        rule: Id of the rule, as "AM-83".
        text: What it says here, for the player.
        modifier: What it adds, where it adds something.
    """

    rule: str
    text: str
    modifier: float | None = None


ACTORS, TARGETS = "(actors)", "(targets)"
"""Who acts and what it is done to, in the effects of a verdict that does not know their names."""


@dataclass(frozen=True, slots=True)
class Becomes:
    """An effect: a status of a figure, of all `ACTORS` or `TARGETS`, or of the battle itself ("").

    Attributes:
        value: What it is now; None removes it.
        rule: Id of the rule that says so.
        this_turn: Whether the next turn forgets it.
    """

    figure: str
    status: str
    value: Any = True
    rule: str = ""
    this_turn: bool = False


@dataclass(frozen=True, slots=True)
class Goes:
    """An effect: the figures go to the ends of their paths.

    Attributes:
        cost_in: What each spends of its move where that is not the length of its path.
    """

    cost_in: Mapping[str, float] | None = None


Effect = Becomes | Goes


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answer to a question about the rules.

    Attributes:
        outcome: The answer in a word, as "hit".
        numbers: All that was found on the way, by name, in values that JSON knows; read-only.
        reasons: Why, in reading order.
        effects: What becomes of figures.
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
        """False where the rules forbid what was asked."""
        return bool(self.numbers.get("allowed", True))

    def causing(self, *effects: Effect) -> Verdict:
        """The same verdict with these effects."""
        return replace(self, effects=effects)


def verdict(outcome: str, *reasons: Reason, **numbers: Any) -> Verdict:
    """A verdict in one line: `verdict("fixed", rules.because("AM-76"), fixed=True)`."""
    return Verdict(outcome, numbers, reasons)


def forbidden(code: str, *reasons: Reason, **numbers: Any) -> Verdict:
    """The rules say no: `code` is the short name of why, the reasons tell the player."""
    return Verdict("forbidden", {"allowed": False, "reason": code, **numbers}, reasons)


def total(reasons: Iterable[Reason]) -> float:
    """The sum of all modifiers."""
    return sum(reason.modifier or 0 for reason in reasons)
