"""The dice tray: watching in a thread, answering a request, doubts, settling."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from calibration.camera import Lens as CameraLens
from calibration.camera import TableCamera
from hardware.dice_reader import FORGET_S, KEEP_S
from rules.engine.dice import DiceRequest, Die, Roll
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture
from tests.vision.dice.pictures import Drawn, draw
from tests.waiting import until
from ui.devices.device_connection import StatusLevel
from ui.devices.tray import TrayDice, TrayDiceSource, cameras, propose, reading_words
from ui.devices.tray_camera import TABLE, Region, Seen, figure_outlines_px
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen
from vision.frame import Frame, ImageBgr

SQUARE = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))
TWO = DiceRequest(Die.D6, 2, "green-1", "the attack")
FELT = np.full((120, 160, 3), (60, 110, 60), np.uint8)


def seen(*faces: int, at_s: float = 0.0, cocked: bool = False, kind: DieKind = DieKind.D6) -> Seen:
    dice = tuple(DieSeen(face, kind, SQUARE, 0.95, cocked) for face in faces)
    return Seen(TrayReading(dice, at_s), FELT, (0, 0), at_s)


class Hand(TrayDice):
    """A tray whose dice the test sets."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda _: None, clock=lambda: self.now)

    def lies(self, one: Seen) -> None:
        self.seen = one


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_resting_dice_are_the_roll(hand: Hand) -> None:
    asking = TrayDiceSource(TWO, hand)
    assert not asking.pull()
    assert asking.words.startswith("Roll the dice in the tray")
    hand.lies(seen(6, 1))
    assert asking.pull()
    assert asking.roll == Roll((6, 1))
    assert asking.words == "6 (95%), 1 (95%)."
    assert not asking.pull()


def test_an_early_roll_counts_5_s_is_questioned_60_s_and_used_once(hand: Hand) -> None:
    hand.lies(seen(6, 1))
    assert hand.kept_words == "Kept for the next roll: 6 (95%), 1 (95%)."
    hand.now = KEEP_S
    asking = TrayDiceSource(TWO, hand)
    assert asking.pull()
    assert asking.roll == Roll((6, 1))
    asking.end()
    assert not TrayDiceSource(TWO, hand).pull()  # the same dice are still there
    assert hand.kept_words == ""
    hand.lies(seen(2, 2, at_s=KEEP_S))
    hand.now = KEEP_S + 10
    asking = TrayDiceSource(TWO, hand)
    assert not asking.pull()
    assert "were rolled 10 s before this roll" in asking.doubt
    asking.settle(True)
    assert asking.pull()
    assert asking.roll == Roll((2, 2))
    hand.now = KEEP_S + FORGET_S + 1
    late = TrayDiceSource(TWO, hand)
    assert not late.pull()
    assert not late.doubt


def test_a_leaning_die_is_questioned(hand: Hand) -> None:
    asking = TrayDiceSource(TWO, hand)
    hand.lies(seen(6, 1, cocked=True))
    assert not asking.pull()
    assert "Die 1 seems to lean" in asking.doubt
    asking.settle(False)
    assert asking.roll is None
    assert not asking.doubt
    hand.lies(seen(3, 4))
    assert asking.pull()
    assert asking.roll == Roll((3, 4))


def test_a_wrong_number_or_kind_of_dice_never_counts(hand: Hand) -> None:
    asking = TrayDiceSource(TWO, hand)
    for wrong, words in (
        (seen(6), "The roll needs 2 dice, but the camera sees 1"),
        (seen(6, 5, 4), "The roll needs 2 dice, but the camera sees 3"),
        (seen(-1, 0, kind=DieKind.FUDGE), "Fudge dice: roll six-sided dice"),
    ):
        hand.lies(wrong)
        assert not asking.pull()
        assert words in asking.words
        assert not asking.doubt
    assert asking.roll is None


def test_dice_moved_after_reading_are_questioned(hand: Hand) -> None:
    asking = TrayDiceSource(TWO, hand)
    hand.lies(seen(6, 1))
    asking.pull()
    hand.lies(seen(1, 6))  # pushed together: the same dice
    assert not asking.pull()
    assert not asking.doubt
    hand.lies(seen(6))  # one is removed
    assert not asking.pull()
    assert asking.roll == Roll((6, 1))
    hand.lies(seen(5, 5))
    assert not asking.pull()
    assert "The dice showed 6, 1 before" in asking.doubt
    asking.settle(True)
    assert asking.pull()
    assert asking.roll == Roll((5, 5))


def test_six_sided_dice_count_as_fudge_dice_in_the_tray(hand: Hand) -> None:
    asking = TrayDiceSource(DiceRequest(Die.FUDGE, 3, "green-1", "the attack"), hand)
    hand.lies(seen(1, 4, 6))
    assert asking.pull()
    assert asking.roll == Roll((-1, 0, 1))  # 1 and 2 minus, 3 and 4 blank, 5 and 6 plus


def test_a_reading_as_text() -> None:
    assert reading_words(seen(1, 0, -1, kind=DieKind.FUDGE).reading) == "+ (95%), blank (95%), - (95%)"
    assert reading_words(seen(4, cocked=True).reading) == "4 (leaning?)"
    assert reading_words(seen().reading) == "no dice"


@pytest.mark.parametrize(
    "sides", [(0.5, 0, 0.4, 1), (0, 0, 0.02, 1), (-0.1, 0, 1, 1), (0, 0, 1, 1.1), (0, float("nan"), 1, 1)]
)
def test_an_invalid_tray_box_is_rejected(sides: tuple[float, float, float, float]) -> None:
    with pytest.raises(UserError, match="draw a box"):
        Region(*sides)


def test_the_tray_box_scales_with_the_picture() -> None:
    region = Region(0.25, 0.5, 0.75, 1.0)
    assert region.box_px((640, 480)) == (160, 240, 480, 480)
    assert region.outline_px((320, 240)) == ((80, 120), (239, 120), (239, 239), (80, 239))


def test_the_tables_camera_is_not_opened_twice() -> None:
    found = cameras((0, 2), "0", "7")
    assert [one.spec for one in found] == [TABLE, "2", "7"]
    assert found[-1].words == "Camera 7 (not plugged in)"


class Lens:
    """A camera whose picture can be changed and that can be unplugged."""

    live, still, name = True, False, "camera 1"

    def __init__(self, image_bgr: ImageBgr) -> None:
        self.image_bgr, self.broken, self.opened, self.closed = image_bgr, False, 0, 0
        self._index = 0

    def __call__(self, spec: str) -> Lens:
        self.opened += 1
        if self.broken:
            raise UserError("there is no camera 1, and no other: plug one in, or open another source")
        return self

    def read(self) -> Frame:
        if self.broken:
            raise UserError("camera 1 no longer answers: plug it in again, or choose another source")
        self._index += 1
        return Frame(self.image_bgr, self._index, time.monotonic())

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def made() -> Iterator[Callable[..., TrayDice]]:
    hands: list[TrayDice] = []

    def make(*args: object, **how: object) -> TrayDice:
        hands.append(TrayDice(*args, **how))  # type: ignore[arg-type]
        return hands[-1]

    yield make
    for one in hands:
        one.connection.close()
    assert "sandtable dice tray" not in {thread.name for thread in threading.enumerate()}


@pytest.mark.slow
def test_drawn_dice_under_a_second_camera_are_read_at_rest(made: Callable[..., TrayDice]) -> None:
    lens = Lens(draw(()))
    hand = made(lambda _: None, lens)
    hand.connection.connect("1")
    step = lambda: hand.pull(None, None)  # noqa: E731
    until(lambda: hand.recent, step)
    assert (hand.recent[0], hand.seen) == ("no dice", None)
    assert hand.connection.standing.words == "Connected: camera 1."
    lens.image_bgr = draw([Drawn(6, -1.5), Drawn(2, 1.5, 0.4, 30)])
    until(lambda: hand.seen, step)
    assert [die.face for die in hand.seen.reading.dice] == [6, 2]
    assert hand.resting
    hand.test()
    assert hand.test_words
    before = hand.seen
    until(lambda: hand.seen is not before, step)
    assert not hand.test_words


def test_only_the_tray_is_read_in_the_tables_picture(made: Callable[..., TrayDice]) -> None:
    read: list[object] = []

    def reader(image_bgr: ImageBgr, tray_px: object, camera: object) -> tuple[DieSeen, ...]:
        read.append((image_bgr.shape, tray_px, camera))
        return ()

    hand = made(lambda _: Region(0.5, 0.5, 1, 1), lambda _: pytest.fail("opened a camera"), read=reader)
    hand.connection.connect(TABLE)
    until(lambda: hand.connection.device, lambda: hand.pull(None, None))
    assert "gives no picture yet" in hand.connection.standing.words
    count = iter(range(10**6))
    camera = object()
    until(lambda: read, lambda: hand.pull(Frame(FELT, next(count), time.monotonic()), camera))  # type: ignore[arg-type]
    assert read[0] == ((120, 160, 3), ((80, 60), (159, 60), (159, 119), (80, 119)), camera)


def test_only_a_tray_under_the_tables_camera_hides_part_of_the_table(made: Callable[..., TrayDice]) -> None:
    hand = made(lambda _: Region(0.5, 0.25, 1, 1), lambda _: Lens(FELT))
    assert hand.on_table_px((160, 120)) == ()
    hand.connection.connect(TABLE)
    assert hand.on_table_px((160, 120)) == ((80, 30, 160, 120),)
    hand.connection.connect("1")
    assert hand.on_table_px((160, 120)) == ()


def test_a_lost_tray_camera_is_reported_and_reopened(
    made: Callable[..., TrayDice], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.devices.tray_camera.RETRY_S", 0.05)
    lens = Lens(FELT)
    hand = made(lambda _: None, lens, read=lambda *_: ())
    hand.connection.connect("1")
    step = lambda: hand.pull(None, None)  # noqa: E731
    until(lambda: hand.connection.standing.level is StatusLevel.UP, step)
    lens.broken = True
    until(lambda: "no longer answers" in hand.connection.standing.words, step)
    until(lambda: "There is no camera 1" in hand.connection.standing.words, step)
    lens.broken = False
    until(lambda: hand.connection.standing.level is StatusLevel.UP, step)
    hand.connection.close()
    assert lens.closed == 2


def die_at(x: float, face: int = 4) -> DieSeen:
    corners = ((x, 80.0), (x + 10, 80.0), (x + 10, 90.0), (x, 90.0))
    return DieSeen(face, DieKind.D6, corners, 0.95)


def moved(image_bgr: ImageBgr) -> ImageBgr:
    """Half of the picture changes, as when a hand casts a shadow."""
    changed = image_bgr.copy()
    changed[:60] = 255 - changed[:60]
    return changed


@pytest.mark.slow
def test_a_throw_that_was_used_is_not_read_again_until_the_dice_move(made: Callable[..., TrayDice]) -> None:
    dice, lens = [die_at(40), die_at(80)], Lens(FELT)
    hand = made(lambda _: None, lens, read=lambda *_: tuple(dice))
    hand.connection.connect("1")
    step = lambda: hand.pull(None, None)  # noqa: E731
    until(lambda: hand.seen, step)
    hand.mark_used()
    for found in ([die_at(41), die_at(80)], [die_at(40, face=5), die_at(79)]):  # a shadow, then a worse look
        before, dice[:] = hand.seen, found
        lens.image_bgr = moved(lens.image_bgr)
        until(lambda before=before: hand.seen is not before, step)
        assert hand.unused is None
        assert hand.used_lie
        assert "have been used" in TrayDiceSource(TWO, hand).words
    assert hand.heard == 1
    dice[1] = die_at(90)
    lens.image_bgr = moved(lens.image_bgr)
    until(lambda: hand.unused, step)
    assert hand.heard == 2


def test_figures_over_the_tray_are_no_dice(made: Callable[..., TrayDice]) -> None:
    hand = made(lambda _: Region(0, 0, 1, 1), read=lambda *_: (die_at(40), die_at(80)))
    hand.connection.connect(TABLE)
    count = iter(range(10**6))
    figures_px = (((70.0, 60.0), (100.0, 60.0), (100.0, 100.0), (70.0, 100.0)),)
    until(lambda: hand.seen, lambda: hand.pull(Frame(FELT, next(count), time.monotonic()), None, lambda: figures_px))
    assert hand.seen.reading.dice == (die_at(40),)


def test_the_outline_of_a_figure_reaches_from_its_base_to_its_head() -> None:
    camera = TableCamera(
        CameraLens((640, 480), [[500, 0, 319.5], [0, 500, 239.5], [0, 0, 1]], [0, 0, 0, 0, 0]),
        np.diag([1.0, -1.0, -1.0]),
        np.array([0.0, 0.0, 50.0]),
    )
    base = ((9.5, -0.5), (10.5, -0.5), (10.5, 0.5), (9.5, 0.5))
    figure = Figure("green-1", "green", 10.0, 0.0, 0.0, 0.02, Posture.STANDING, base)
    (outline,) = figure_outlines_px([figure], camera)
    x, _ = np.array(outline).T
    # 50 in below the camera, 1 in is 10 px; at the head, 2.1 in higher, 500 / 47.9 px.
    assert (x.min(), x.max()) == pytest.approx((319.5 + 95, 319.5 + 10.5 * 500 / 47.9), abs=0.01)


# Matching the dice to a request


def reading(*faces: int, kind: DieKind = DieKind.D6, confidence: float = 0.95, cocked: bool = False) -> TrayReading:
    return TrayReading(tuple(DieSeen(face, kind, SQUARE, confidence, cocked) for face in faces), 1.0)


def request(die: Die = Die.D6, count: int = 2) -> DiceRequest:
    return DiceRequest(die, count, "Green", "to hit")


def test_matching_dice_are_proposed() -> None:
    proposal = propose(request(), reading(6, 1))
    assert (proposal.faces, proposal.why_doubt) == ((6, 1), ())


def test_a_wrong_count_is_doubted() -> None:
    doubts = propose(request(), reading(6)).why_doubt
    assert doubts == ("the roll needs 2 dice, but the camera sees 1: is a die outside the tray?",)


def test_the_requested_number_of_dice_is_used_if_the_others_are_doubtful() -> None:
    mixed = TrayReading((*reading(5, 2).dice, *reading(1, confidence=0.4).dice), 1.0)
    proposal = propose(request(), mixed)
    assert proposal.faces == (5, 2)
    assert proposal.why_doubt == ("the camera may see 3 dice, of which 2 are clear: remove the others",)


def test_six_sided_dice_are_converted_to_fudge_faces() -> None:
    proposal = propose(request(Die.FUDGE, 3), reading(1, 4, 6))
    assert proposal.faces == (-1, 0, 1)  # 1-2 minus, 3-4 blank, 5-6 plus
    assert not proposal.why_doubt


def test_fudge_dice_do_not_count_as_six_sided() -> None:
    proposal = propose(request(), reading(-1, 1, kind=DieKind.FUDGE))
    assert "Fudge dice" in proposal.why_doubt[0]


def test_mixed_dice_are_doubted() -> None:
    mixed = TrayReading((*reading(5).dice, *reading(1, kind=DieKind.FUDGE).dice), 1.0)
    assert "remove one kind" in propose(request(), mixed).why_doubt[0]


def test_leaning_and_uncertain_dice_are_doubted() -> None:
    doubted = TrayReading((*reading(5, cocked=True).dice, *reading(2, confidence=0.6).dice), 1.0)
    cocked, unsure = propose(request(), doubted).why_doubt
    assert cocked.startswith("die 1 seems to lean")
    assert unsure == "die 2 looks like 2, but only 60% sure: check it"
