"""One request for dice, put to the camera over the tray. No Qt here."""

from __future__ import annotations

from hardware.dice_reader import FORGET_S, KEEP_S
from rules.engine.dice import DiceRequest, Roll, rolled
from ui.devices.camera_dice import Proposal, propose
from ui.devices.dice_source import YES
from ui.devices.tray import TrayHand, reading_words
from ui.devices.tray_camera import Seen
from ui.formatting import sentence


class TrayAsking:
    """One request for dice, put to the camera over the tray.

    Attributes:
        request: What is asked for.
        roll: What was read, once nothing about it is doubtful; the player confirms it.
        seen: The dice that it is about; None before some are seen.
        yes_words: What yes means.
    """

    yes_words = YES

    def __init__(self, request: DiceRequest, hand: TrayHand) -> None:
        """Ask; what came to rest a moment ago and has not answered yet counts."""
        self.request, self._hand = request, hand
        self.roll: Roll | None = None
        self.seen: Seen | None = None
        self._asked_s = hand.now_s
        self._doubted: Roll | None = None
        self._doubt = self._wrong = ""
        self._settled = False

    def pull(self) -> bool:
        """Whether the roll has come in just now."""
        settled, self._settled = self._settled, False
        seen = self._hand.unspent
        if seen is None or seen is self.seen or self._asked_s - seen.at_s > FORGET_S:
            return settled
        proposal = propose(self.request, seen.reading)
        if not _countable(proposal):
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
        self._doubt, self._doubted = "; ".join(doubts), found if doubts else None
        if doubts:
            return False
        self.roll = found
        return True

    def _stale(self, seen: Seen) -> list[str]:
        early_s = self._asked_s - seen.at_s
        return [f"the dice came to rest {early_s:.0f} s before they were asked for"] if early_s > KEEP_S else []

    @property
    def doubt(self) -> str:
        """What the players must settle first; empty if nothing."""
        if self._doubted is None or self.seen is None:
            return ""
        return f"{reading_words(self.seen.reading)}. {sentence(self._doubt)} Does it count?"

    def settle(self, yes: bool) -> None:
        """Their answer."""
        if yes and self._doubted is not None:
            self.roll, self._settled = self._doubted, True
        self._doubt, self._doubted = "", None

    def again(self) -> None:
        """Read again what lies there."""
        self.roll, self._wrong = None, ""
        self._hand.test()

    def end(self) -> None:
        """Ask no more; what lies there has answered."""
        if self.seen is not None:
            self._hand.spend()

    @property
    def words(self) -> str:
        """How it goes."""
        if self.doubt:
            return self.doubt
        if self.roll is not None and self.seen is not None:
            return f"{reading_words(self.seen.reading)}. OK takes it."
        return sentence(self._wrong) if self._wrong else "Throw the dice into the tray: they are read once they lie."


def _countable(proposal: Proposal) -> bool:
    """Whether these faces could be the roll at all."""
    request = proposal.request
    return len(proposal.faces) == request.count and set(proposal.faces) <= set(request.die.faces)


def _moved(before: Roll | None, found: Roll) -> list[str]:
    if before is None or sorted(before.faces) == sorted(found.faces):
        return []
    return [f"the dice showed {', '.join(map(str, before.faces))} before: they were moved, or thrown again"]
