"""What dice that the camera read say to a request; the player confirms it."""

from __future__ import annotations

from dataclasses import dataclass

from rules.engine.dice import DiceRequest, Die, as_fudge
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind


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
