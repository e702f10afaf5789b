"""What dice that the camera read say to a request: proposed or doubted."""

from rules.engine.dice import DiceRequest, Die
from ui.devices.camera_dice import propose
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen

SQUARE = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))


def reading(*faces: int, kind: DieKind = DieKind.D6, confidence: float = 0.95, cocked: bool = False) -> TrayReading:
    return TrayReading(tuple(DieSeen(face, kind, SQUARE, confidence, cocked) for face in faces), 1.0)


def request(die: Die = Die.D6, count: int = 2) -> DiceRequest:
    return DiceRequest(die, count, "Green", "to hit")


def test_what_is_seen_is_proposed() -> None:
    proposal = propose(request(), reading(6, 1))
    assert (proposal.faces, proposal.why_doubt) == ((6, 1), ())


def test_a_wrong_count_is_doubted() -> None:
    doubts = propose(request(), reading(6)).why_doubt
    assert doubts == ("2 dice are asked for and 1 are seen: look whether one lies outside",)


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
