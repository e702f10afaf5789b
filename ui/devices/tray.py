"""The dice tray for the window, and the dice source that asks it. No method waits. No Qt here."""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from calibration.camera import TableCamera
from hardware.dice_reader import FORGET_S, KEEP_S
from rules.engine.dice import DiceRequest, Die, Roll, as_fudge, rolled
from ui.devices.device_connection import DeviceConnection, PortChoice, joined
from ui.devices.tray_camera import TABLE, WHOLE, Outlines, Read, Region, Seen, TrayCamera, read_tray
from ui.formatting import sentence
from ui.translation import mark_for_translation, tr, tr_count
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen
from vision.frame import Frame
from vision.motion import Box
from vision.source import Source, open_source
from vision.webcam import camera_numbers

_MAX_READINGS_SHOWN = 4
_SAME_PLACE = 0.3  # of a side: dice that moved less lie where they were


class TrayDice:
    """Dice that a camera reads.

    Attributes:
        clock: The clock of `Seen`.
        seen: The newest dice that came to rest; None before the first.
        recent: The last readings as text, newest first.
        heard: Number of readings so far.
        resting: Whether the newest dice still lie there.
    """

    def __init__(
        self,
        region_of: Callable[[str], Region | None],
        opener: Callable[[str], Source] = open_source,
        clock: Callable[[], float] = time.monotonic,
        read: Read = read_tray,
    ) -> None:
        """`region_of` returns the tray's part of a camera's picture, None for all of it; see `TrayCamera`."""
        self._region_of, self._opener, self.clock, self._read = region_of, opener, clock, read
        self.connection: DeviceConnection[TrayCamera] = DeviceConnection(mark_for_translation("dice tray"), self._make)
        self.seen: Seen | None = None
        self.recent: deque[str] = deque(maxlen=_MAX_READINGS_SHOWN)
        self.heard = 0
        self._used: Seen | None = None
        self.resting = False
        self._tested = False

    @property
    def unused(self) -> Seen | None:
        """The dice that last came to rest, unless they have answered a request."""
        return None if self.seen is self._used else self.seen

    @property
    def used_lie(self) -> bool:
        """Whether the dice in the tray have answered a request and did not move since."""
        return self.seen is not None and self.seen is self._used and self.resting

    @property
    def kept_words(self) -> str:
        """A sentence about dice that will answer the next request; empty if there are none."""
        seen = self.unused
        if seen is None or self.clock() - seen.at_s > KEEP_S:
            return ""
        return tr("Kept for the next roll: {kept}.", kept=reading_words(seen.reading))

    def mark_used(self) -> None:
        """Mark the dice in the tray as used."""
        self._used = self.seen

    def on_table_px(self, size_px: tuple[int, int]) -> tuple[Box, ...]:
        """The tray's box in the table's picture of this (width, height); empty if the tray has its own camera."""
        region = self._region_of(TABLE) if self.connection.spec == TABLE else None
        return () if region is None else (region.box_px(size_px),)

    def pull(self, frame: Frame | None, camera: TableCamera | None, figures_px: Outlines = tuple) -> None:
        """Connect and receive readings.

        `frame` is the newest picture of the table's camera; outlines of figures in it are no dice.
        """
        self.connection.pull()
        device = self.connection.device
        if device is None:
            return
        device.offer(frame, camera, figures_px)
        for seen in device.arrivals():
            self._tested = False
            self.recent.appendleft(reading_words(seen.reading))
            self.resting = bool(seen.reading.dice)
            if seen.reading.dice:
                self._take(seen)

    def _take(self, seen: Seen) -> None:
        """Note the dice at rest; the dice of a throw that was used stay used until they move."""
        if self._used is not None and lie_alike(self._used.reading, seen.reading):
            self._used = seen
        else:
            self.heard += 1
        self.seen = seen

    def test(self) -> None:
        """Read the dice that lie in the tray now."""
        if self.connection.device is not None:
            self._tested = True
            self.connection.device.again()

    @property
    def counters(self) -> str:
        """What was received, as text; empty if nothing was."""
        frames = self.connection.device.status.frames if self.connection.device is not None else 0
        return joined(
            frames and tr_count("{count} picture seen", "{count} pictures seen", frames),
            self.heard and tr_count("{count} roll read", "{count} rolls read", self.heard),
        )

    @property
    def test_words(self) -> str:
        """The state of the test; empty without one."""
        return tr("Reading the dice in the tray…") if self._tested else ""

    def _make(self, spec: str, _: object) -> TrayCamera:
        return TrayCamera(spec, self._region_of(spec) or WHOLE, self._opener, self._read, self.clock)


def cameras(numbers: Iterable[int], table: str, chosen: str | None) -> tuple[PortChoice, ...]:
    """The choices of cameras for the tray: the table's, which cannot be opened twice, the others, and the chosen."""
    found = [PortChoice(TABLE, tr("The table's camera"))]
    found += [
        PortChoice(str(number), tr("Camera {number}", number=number)) for number in numbers if str(number) != table
    ]
    if chosen is not None and chosen not in {choice.spec for choice in found}:
        found.append(PortChoice(chosen, tr("Camera {number} (not plugged in)", number=chosen)))
    return tuple(found)


def numbers() -> Sequence[int]:
    """Numbers of the computer's cameras; outside Linux, where only opening them tells, the first three."""
    return camera_numbers() if sys.platform == "linux" else range(3)


def reading_words(reading: TrayReading) -> str:
    """A reading, such as "4, 2 (leaning?)"."""
    return ", ".join(map(_die_words, reading.dice)) or tr("no dice")


def lie_alike(before: TrayReading, now: TrayReading) -> bool:
    """Whether two readings show one throw: as many dice, and each where one lay before."""
    rest = list(now.dice)
    for die in before.dice:
        near = [
            other for other in rest if math.dist(die.centre_px, other.centre_px) < _SAME_PLACE * max(die.side_px, 1.0)
        ]
        if not near:
            return False
        rest.remove(near[0])
    return not rest


def _die_words(die: DieSeen) -> str:
    face = {1: "+", 0: tr("blank"), -1: "-"}[die.face] if die.kind is DieKind.FUDGE else str(die.face)
    return tr("{face} (leaning?)", face=face) if die.cocked else f"{face} ({die.confidence:.0%})"


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
    doubts += [_doubt_words(k + 1, reading.dice[k]) for k in reading.doubtful]
    return Proposal(faces, reading, tuple(doubts))


def _doubt_words(number: int, die: DieSeen) -> str:
    if die.cocked:
        return tr("die {number} seems to lean on something: roll it again, or type its number", number=number)
    sure = f"{die.confidence:.0%}"
    return tr("die {number} looks like {face}, but only {sure} sure: check it", number=number, face=die.face, sure=sure)


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
