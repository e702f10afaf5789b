"""A request for dice as typed, and the dice source that asks electronic dice. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Iterable

from hardware.dice_protocol import RollLine
from hardware.dice_reader import DiceCollector, TimedRoll, Why
from rules.engine.dice import DiceRequest, Die, Roll
from rules.tabletop.errors import UserError
from ui.translation import tr

_REQUEST = re.compile(r"(\d{0,2})d(6|f)", re.IGNORECASE)


def request_of(text: str) -> DiceRequest:
    """Parse a request such as `2d6` or `4dF`. Raises `UserError` if it is not one."""
    found = _REQUEST.fullmatch(text)
    if found is None or found[1] == "0":
        raise UserError(tr("{text!r} is not a roll: write for example 2d6 or 4dF", text=text))
    die = Die.D6 if found[2] == "6" else Die.FUDGE
    return DiceRequest(die, int(found[1] or 1), "the player", "the roll")


class ElectronicDiceSource:
    """One request to electronic dice."""

    def __init__(self, request: DiceRequest, tray: DiceCollector) -> None:
        """Start the request; dice that fell a moment ago count."""
        self.request, self._tray = request, tray
        self.roll: Roll | None = None
        tray.ask(request)

    def pull(self) -> bool:
        """Update, and return whether the roll has just arrived."""
        roll = self._tray.answer() if self.roll is None else None
        self.roll = self.roll or roll
        return roll is not None

    @property
    def doubt(self) -> str:
        """A question that the players must answer first; empty if none."""
        return self._tray.question.text if self._tray.question is not None else ""

    @property
    def yes_words(self) -> str:
        """The text of the answer yes."""
        question = self._tray.question
        extra = question is not None and question.why is Why.EXTRA
        return tr("Yes, roll again") if extra else tr("Yes, it counts")

    def settle(self, yes: bool) -> None:
        """Answer the question."""
        self._tray.settle(yes)

    @property
    def begun(self) -> bool:
        """Whether dice of this request have been rolled."""
        return bool(self._tray.taken) or self.roll is not None

    def end(self) -> None:
        """End the request."""
        self._tray.withdraw()

    @property
    def words(self) -> str:
        """The state of the request."""
        if self.doubt:
            return self.doubt
        if self.roll is not None:
            return tr("This is your roll.")
        if self._tray.taken:
            dice = kept_words(self._tray.taken)
            return tr("{dice}: {taken} of {count}.", dice=dice, taken=len(self._tray.taken), count=self.request.count)
        if self._tray.ignored is not None:
            die = fell_words(self._tray.ignored)
            return tr("{die}, but this roll needs other dice. Roll those.", die=die)
        return tr("Roll the dice. Their numbers appear here.")


def fell_words(line: RollLine) -> str:
    """A die that fell, such as "d1 shows 4, leaning"."""
    fudge = line.die is Die.FUDGE
    face = {1: "+", 0: tr("blank"), -1: "-"}[line.face] if fudge else str(line.face)
    notes = (
        [tr("{ago_s:.0f} s ago", ago_s=line.age_s)] * (line.age_s >= 1)
        + [tr("leaning")] * line.cocked
        + [line.doubt] * bool(line.doubt)
    )
    shows = tr("{die} shows {face}", die=line.id, face=face) if line.id else tr("a die shows {face}", face=face)
    return ", ".join([shows, *notes])


def kept_words(rolls: Iterable[TimedRoll]) -> str:
    """Several dice that fell, separated by commas."""
    return ", ".join(fell_words(fallen.line) for fallen in rolls)
