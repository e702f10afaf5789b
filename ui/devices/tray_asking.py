"""The dice source that asks the camera over the tray. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from hardware.dice_reader import FORGET_S, KEEP_S
from rules.engine.dice import DiceRequest, Die, Roll, as_fudge, rolled
from ui.devices.tray import TrayDice, reading_words
from ui.devices.tray_camera import Seen
from ui.formatting import sentence
from ui.translation import tr
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind


@dataclass(frozen=True, slots=True)
class Proposal:
    """A result that the player confirms.

    Attributes:
        faces: The faces in the request's terms: -1, 0 or 1 for a Fudge die, else 1 to 6.
        reading: The dice with their places and probabilities.
        why_doubt: Sentences on what to check; empty if all is well.
    """

    faces: tuple[int, ...]
    reading: TrayReading
    why_doubt: tuple[str, ...]


def propose(request: DiceRequest, reading: TrayReading) -> Proposal:
    """The tray's answer to a request; if it asks for Fudge dice, ordinary dice count as such."""
    reading, doubts = _requested(request, reading)
    kinds = {die.kind for die in reading.dice}
    faces = tuple(die.face for die in reading.dice)
    if len(kinds) > 1:
        doubts.append(tr("ordinary and Fudge dice lie in the tray: remove one kind"))
    elif request.die is Die.FUDGE and kinds == {DieKind.D6}:
        faces = as_fudge(faces) if faces else ()
    elif request.die is Die.D6 and kinds == {DieKind.FUDGE}:
        doubts.append(tr("these are Fudge dice: roll six-sided dice, or type the numbers"))
    if len(faces) != request.count:
        doubts.append(
            tr(
                "the roll needs {count} dice, but the camera sees {seen}: is a die outside the tray?",
                count=request.count,
                seen=len(faces),
            )
        )
    for k in reading.doubtful:
        die = reading.dice[k]
        if die.cocked:
            doubts.append(
                tr("die {number} seems to lean on something: roll it again, or type its number", number=k + 1)
            )
        else:
            sure = f"{die.confidence:.0%}"
            doubts.append(
                tr(
                    "die {number} looks like {face}, but only {sure} sure: check it",
                    number=k + 1,
                    face=die.face,
                    sure=sure,
                )
            )
    return Proposal(faces, reading, tuple(doubts))


def _requested(request: DiceRequest, reading: TrayReading) -> tuple[TrayReading, list[str]]:
    """The requested number of dice if that many are certain and the rest may be no dice; then the players are asked."""
    certain = tuple(die for k, die in enumerate(reading.dice) if k not in reading.doubtful)
    if len(reading.dice) <= request.count or len(certain) != request.count:
        return reading, []
    doubt = tr(
        "the camera may see {count} dice, of which {clear} are clear: remove the others",
        count=len(reading.dice), clear=request.count,
    )  # fmt: skip
    return TrayReading(certain, reading.time_s), [doubt]


class TrayDiceSource:
    """One request to the camera over the tray.

    Attributes:
        request: The request.
        roll: The roll, once nothing about it is doubtful.
        seen: The dice that the request is about; None before some are seen.
    """

    def __init__(self, request: DiceRequest, hand: TrayDice) -> None:
        """Start the request; unused dice that came to rest a moment ago count."""
        self.request, self._hand = request, hand
        self.roll: Roll | None = None
        self.seen: Seen | None = None
        self._asked_s = hand.clock()
        self._doubtful_roll: Roll | None = None
        self._doubt = self._wrong = ""
        self._settled = False

    def pull(self) -> bool:
        """Update, and return whether the roll has just arrived."""
        settled, self._settled = self._settled, False
        seen = self._hand.unused
        if seen is None or seen is self.seen or self._asked_s - seen.at_s > FORGET_S:
            return settled
        proposal = propose(self.request, seen.reading)
        if not _countable(self.request, proposal):
            if self.roll is None:
                self.seen, self._wrong = seen, "; ".join(proposal.why_doubt)
            return settled
        self._wrong = ""
        return self._take(seen, proposal) or settled

    def _take(self, seen: Seen, proposal: Proposal) -> bool:
        found = rolled(self.request, proposal.faces)
        before, self.seen = self.roll, seen
        doubts = [*proposal.why_doubt, *self._stale(seen), *_moved(before, found)]
        if before is not None and sorted(before.faces) == sorted(found.faces):
            return False
        self._doubt, self._doubtful_roll = "; ".join(doubts), found if doubts else None
        if doubts:
            return False
        self.roll = found
        return True

    def _stale(self, seen: Seen) -> list[str]:
        early_s = self._asked_s - seen.at_s
        if early_s <= KEEP_S:
            return []
        return [tr("the dice were rolled {early_s:.0f} s before this roll", early_s=early_s)]

    @property
    def doubt(self) -> str:
        """A question that the players must answer first; empty if none."""
        if self._doubtful_roll is None or self.seen is None:
            return ""
        dice = reading_words(self.seen.reading)
        return tr("{dice}. {doubt} Does it count?", dice=dice, doubt=sentence(self._doubt))

    @property
    def yes_words(self) -> str:
        """The text of the answer yes."""
        return tr("Yes, it counts")

    def settle(self, yes: bool) -> None:
        """Answer the question."""
        if yes and self._doubtful_roll is not None:
            self.roll, self._settled = self._doubtful_roll, True
        self._doubt, self._doubtful_roll = "", None

    @property
    def begun(self) -> bool:
        """Whether dice of this request have been rolled."""
        return self.roll is not None

    def end(self) -> None:
        """End the request and mark its dice as used."""
        if self.seen is not None:
            self._hand.mark_used()

    @property
    def words(self) -> str:
        """The state of the request."""
        if self.doubt:
            return self.doubt
        if self.roll is not None and self.seen is not None:
            return sentence(reading_words(self.seen.reading))
        if not self._wrong and self._hand.used_lie:
            return tr("The dice in the tray have been used. Roll them again.")
        return sentence(self._wrong) or tr("Roll the dice in the tray. The camera reads them when they stop.")


def _countable(request: DiceRequest, proposal: Proposal) -> bool:
    """Whether the number and kind of dice fit the request."""
    return len(proposal.faces) == request.count and set(proposal.faces) <= set(request.die.faces)


def _moved(before: Roll | None, found: Roll) -> list[str]:
    if before is None or sorted(before.faces) == sorted(found.faces):
        return []
    faces = ", ".join(map(str, before.faces))
    return [tr("the dice showed {faces} before: somebody moved them or rolled again", faces=faces)]
