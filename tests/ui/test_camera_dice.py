"""Dice by camera as a driver: what is proposed, doubted, corrected and rolled again."""

import pytest

from rules.dice import DiceRequest, Die, Roll
from rules.verdict import RuleRefusal
from ui.camera_dice import CameraDice, Proposal, propose
from vision.dice_tray import TrayReading
from vision.dice_view import DieKind, DieSeen

SQUARE = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def reading(*faces: int, kind: DieKind = DieKind.D6, confidence: float = 0.95, cocked: bool = False) -> TrayReading:
    return TrayReading(tuple(DieSeen(face, kind, SQUARE, confidence, cocked) for face in faces), 1.0)


def request(die: Die = Die.D6, count: int = 2) -> DiceRequest:
    return DiceRequest(die, count, "Green", "to hit")


def test_confirmed_faces_are_the_roll() -> None:
    dice = CameraDice(lambda: reading(6, 1), lambda proposal: proposal.faces)
    assert dice(request()) == Roll((6, 1))


def test_the_player_corrects_what_was_read() -> None:
    assert CameraDice(lambda: reading(6, 1), lambda _: (5, 1))(request()) == Roll((5, 1))


def test_a_refused_reading_waits_for_the_next() -> None:
    readings = iter([reading(6), reading(3, 4)])
    seen: list[Proposal] = []

    def confirm(proposal: Proposal) -> tuple[int, ...] | None:
        seen.append(proposal)
        return None if proposal.why_doubt else proposal.faces

    assert CameraDice(lambda: next(readings), confirm)(request()) == Roll((3, 4))
    assert seen[0].why_doubt == ("2 dice are asked for and 1 are seen: look whether one lies outside",)


def test_confirming_what_cannot_be_is_refused() -> None:
    with pytest.raises(RuleRefusal, match="cannot show 7"):
        CameraDice(lambda: reading(6, 1), lambda _: (7, 1))(request())


def test_ordinary_dice_stand_for_fudge_dice() -> None:
    proposal = propose(request(Die.FUDGE, 3), reading(1, 4, 6))
    assert proposal.faces == (-1, 0, 1)  # 1-2 minus, 3-4 blank, 5-6 plus
    assert not proposal.why_doubt


def test_fudge_dice_do_not_stand_for_ordinary_ones() -> None:
    proposal = propose(request(), reading(-1, 1, kind=DieKind.FUDGE))
    assert "Fudge dice" in proposal.why_doubt[0]


def test_mixed_dice_are_doubted() -> None:
    mixed = TrayReading((*reading(5).dice, *reading(1, kind=DieKind.FUDGE).dice), 1.0)
    assert "leave one kind" in propose(request(), mixed).why_doubt[0]


def test_cocked_and_unsure_dice_are_named() -> None:
    doubted = TrayReading((*reading(5, cocked=True).dice, *reading(2, confidence=0.6).dice), 1.0)
    cocked, unsure = propose(request(), doubted).why_doubt
    assert cocked.startswith("die 1 seems to lean")
    assert unsure == "die 2 may not show 2 (sure to 60%): look at it"
