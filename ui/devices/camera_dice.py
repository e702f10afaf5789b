"""Matches the dice that the camera read to a request; the player confirms the result."""

from __future__ import annotations

from dataclasses import dataclass

from rules.dice import DiceRequest, Die, as_fudge
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind


@dataclass(frozen=True, slots=True)
class Proposal:
    """A result that the player confirms.

    Attributes:
        request: The request.
        faces: The faces in the request's terms: -1, 0 or 1 for a Fudge die, else 1 to 6.
        reading: The dice with their places and probabilities.
        why_doubt: Sentences on what to check; empty if all is well.
    """

    request: DiceRequest
    faces: tuple[int, ...]
    reading: TrayReading
    why_doubt: tuple[str, ...]


def propose(request: DiceRequest, reading: TrayReading) -> Proposal:
    """The tray's answer to a request; if it asks for Fudge dice, ordinary dice count as such."""
    kinds = {die.kind for die in reading.dice}
    doubts = []
    faces = tuple(die.face for die in reading.dice)
    if len(kinds) > 1:
        doubts.append("ordinary and Fudge dice lie in the tray: remove one kind")
    elif request.die is Die.FUDGE and kinds == {DieKind.D6}:
        faces = as_fudge(faces) if faces else ()
    elif request.die is Die.D6 and kinds == {DieKind.FUDGE}:
        doubts.append("these are Fudge dice: roll six-sided dice, or type the numbers")
    if len(faces) != request.count:
        doubts.append(
            f"the roll needs {request.count} dice, but the camera sees {len(faces)}: is a die outside the tray?"
        )
    for k in reading.doubtful:
        die = reading.dice[k]
        if die.cocked:
            doubts.append(f"die {k + 1} seems to lean on something: roll it again, or type its number")
        else:
            doubts.append(f"die {k + 1} may not show {die.face} ({die.confidence:.0%} sure): check it")
    return Proposal(request, faces, reading, tuple(doubts))
