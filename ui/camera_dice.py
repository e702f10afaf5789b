"""Dice read by the camera: one more driver of the rules' requests, which the player confirms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rules.dice import DiceRequest, Die, Roll, as_fudge, rolled
from vision.dice_tray import TrayReading
from vision.dice_view import DieKind


@dataclass(frozen=True, slots=True)
class Proposal:
    """What the camera read, to be confirmed.

    Attributes:
        request: What was asked for.
        faces: What the dice show, as the request counts: a Fudge die's -1, 0, 1, or 1 to 6.
        reading: Where they lie and how sure each is.
        why_doubt: Sentences that say what to look at; empty where all is well.
    """

    request: DiceRequest
    faces: tuple[int, ...]
    reading: TrayReading
    why_doubt: tuple[str, ...]


NextReading = Callable[[], TrayReading]
"""Waits until dice lie still in the tray."""

Confirm = Callable[[Proposal], tuple[int, ...] | None]
"""The faces as the player confirms or corrects them; None to roll again."""


class CameraDice:
    """Answers requests with what lies in the tray, once the player has confirmed it."""

    def __init__(self, reading: NextReading, confirm: Confirm) -> None:
        self._reading, self._confirm = reading, confirm

    def __call__(self, request: DiceRequest) -> Roll:
        """The confirmed roll.

        Raises:
            RuleRefusal: if the player confirms faces that cannot be, or too many or too few.
        """
        while True:
            faces = self._confirm(propose(request, self._reading()))
            if faces is not None:
                return rolled(request, faces)


def propose(request: DiceRequest, reading: TrayReading) -> Proposal:
    """What the tray says to a request; ordinary dice stand for Fudge dice where those are asked for."""
    kinds = {die.kind for die in reading.dice}
    doubts = []
    faces = tuple(die.face for die in reading.dice)
    if len(kinds) > 1:
        doubts.append("ordinary and Fudge dice lie in the tray: leave one kind")
    elif request.die is Die.FUDGE and kinds == {DieKind.D6}:
        faces = as_fudge(faces) if faces else ()
    elif request.die is Die.D6 and kinds == {DieKind.FUDGE}:
        doubts.append("these are Fudge dice: roll six-sided ones, or type what they show")
    if len(faces) != request.count:
        doubts.append(f"{request.count} dice are asked for and {len(faces)} are seen: look whether one lies outside")
    for k in reading.doubtful:
        die = reading.dice[k]
        if die.cocked:
            doubts.append(f"die {k + 1} seems to lean on something: roll it again or say what it shows")
        else:
            doubts.append(f"die {k + 1} may not show {die.face} (sure to {die.confidence:.0%}): look at it")
    return Proposal(request, faces, reading, tuple(doubts))
