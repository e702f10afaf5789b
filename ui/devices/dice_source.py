"""One request for dice, put to dice that tell what they show: what answers it, what is asked. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from hardware.dice_protocol import RollLine
from hardware.dice_reader import DiceCollector, Fallen, Why
from rules.engine.dice import DiceRequest, Die, Roll
from rules.tabletop.errors import UserError

_ASKED = re.compile(r"(\d{0,2})d(6|f)", re.IGNORECASE)


def request_of(text: str) -> DiceRequest:
    """`2d6` or `4dF` as a request.

    Raises:
        UserError: for anything else.
    """
    found = _ASKED.fullmatch(text)
    if found is None or found[1] == "0":
        raise UserError(f"{text!r} is no roll: write it as 2d6 or 4dF")
    die = Die.D6 if found[2] == "6" else Die.FUDGE
    return DiceRequest(die, int(found[1] or 1), "the player", "the roll")


class DiceSource(Protocol):
    """One request for dice, put to one of the things that can answer it.

    Attributes:
        roll: What fell, once it lies; the player confirms it.
    """

    roll: Roll | None

    def pull(self) -> bool:
        """Whether the roll has come in just now."""

    @property
    def doubt(self) -> str:
        """What the players must settle first, with yes or no; empty if nothing."""

    @property
    def yes_words(self) -> str:
        """What yes means."""

    @property
    def words(self) -> str:
        """How it goes."""

    def settle(self, yes: bool) -> None:
        """Their answer."""

    def again(self) -> None:
        """What was told does not count; ask anew."""

    def end(self) -> None:
        """Ask no more; what answered has answered."""


YES = "Yes, it counts"


class ElectronicAsking:
    """One request for dice, put to electronic ones.

    Attributes:
        request: What is asked for.
        roll: What fell, once it lies; the player confirms it.
    """

    def __init__(self, request: DiceRequest, tray: DiceCollector) -> None:
        """Ask; what fell a moment ago counts."""
        self.request, self._tray = request, tray
        self.roll: Roll | None = None
        tray.ask(request)

    def pull(self) -> bool:
        """Whether the roll has come in just now."""
        roll = self._tray.answer() if self.roll is None else None
        self.roll = self.roll or roll
        return roll is not None

    @property
    def doubt(self) -> str:
        """What the players must settle first; empty if nothing."""
        return self._tray.question.text if self._tray.question is not None else ""

    @property
    def yes_words(self) -> str:
        """What yes means."""
        question = self._tray.question
        return "Yes, throw again" if question is not None and question.why is Why.EXTRA else YES

    def settle(self, yes: bool) -> None:
        """Their answer."""
        self._tray.settle(yes)

    def again(self) -> None:
        """Ask for another throw; one that has fallen since the last counts."""
        self.roll = None
        self._tray.ask(self.request)

    def end(self) -> None:
        """Ask no more."""
        self._tray.withdraw()

    @property
    def words(self) -> str:
        """How it goes."""
        if self.doubt:
            return self.doubt
        if self.roll is not None:
            return "This is what the dice say: OK takes it."
        if self._tray.taken:
            return f"{kept_words(self._tray.taken)}: {len(self._tray.taken)} of {self.request.count}."
        if self._tray.ignored is not None:
            return f"{fell_words(self._tray.ignored)} but does not fit: throw the dice that are asked for."
        return "Throw the dice: what they show appears by itself."


def fell_words(line: RollLine) -> str:
    """A die that fell, as "d1 shows 4, leaning"."""
    fudge = line.die is Die.FUDGE
    face = {1: "+", 0: "blank", -1: "-"}[line.face] if fudge else str(line.face)
    notes = (
        [f"{line.age_s:.0f} s ago"] * (line.age_s >= 1) + ["leaning"] * line.cocked + [line.doubt] * bool(line.doubt)
    )
    return ", ".join([f"{line.id or 'a die'} shows {face}", *notes])


def kept_words(rolls: Iterable[Fallen]) -> str:
    """Dice that fell, in a row."""
    return ", ".join(fell_words(one.line) for one in rolls)
