"""A tray of dice under a camera: watched in a thread, put to a request, doubted, settled, read again."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from hardware.dice_reader import FORGET_S, KEEP_S
from rules.dice import DiceRequest, Die, Roll
from rules.table import UserError
from tests.vision.dice.pictures import Drawn, draw
from tests.waiting import until
from ui.devices.device_connection import Level
from ui.devices.tray import TrayHand, cameras, reading_words
from ui.devices.tray_asking import TrayAsking
from ui.devices.tray_camera import TABLE, Region, Seen
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen
from vision.frame import Frame, ImageBgr

SQUARE = ((0.0, 0.0), (10.0, 0.0), (10.0, 10.0), (0.0, 10.0))
TWO = DiceRequest(Die.D6, 2, "green-1", "the attack")
FELT = np.full((120, 160, 3), (60, 110, 60), np.uint8)


def seen(*faces: int, at_s: float = 0.0, cocked: bool = False, kind: DieKind = DieKind.D6) -> Seen:
    dice = tuple(DieSeen(face, kind, SQUARE, 0.95, cocked) for face in faces)
    return Seen(TrayReading(dice, at_s), FELT, (0, 0), at_s)


class Hand(TrayHand):
    """Sees what it is told."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(lambda _: None, clock=lambda: self.now)
        self.tests = 0

    def lies(self, one: Seen) -> None:
        self.seen = one

    def test(self) -> None:
        self.tests += 1


@pytest.fixture
def hand() -> Hand:
    return Hand()


def test_dice_that_come_to_rest_are_the_roll(hand: Hand) -> None:
    asking = TrayAsking(TWO, hand)
    assert not asking.pull()
    assert asking.words.startswith("Throw the dice into the tray")
    hand.lies(seen(6, 1))
    assert asking.pull()
    assert asking.roll == Roll((6, 1))
    assert asking.words == "6 (95%), 1 (95%). OK takes it."
    assert not asking.pull()


def test_a_roll_that_nobody_asked_for_waits_five_seconds_is_asked_about_for_a_minute_and_answers_once(
    hand: Hand,
) -> None:
    hand.lies(seen(6, 1))
    assert hand.kept_words == "Kept for the next roll: 6 (95%), 1 (95%)."
    hand.now = KEEP_S
    asking = TrayAsking(TWO, hand)
    assert asking.pull()
    assert asking.roll == Roll((6, 1))
    asking.end()
    assert not TrayAsking(TWO, hand).pull()  # the dice still lie there
    assert hand.kept_words == ""
    hand.lies(seen(2, 2, at_s=KEEP_S))
    hand.now = KEEP_S + 10
    asking = TrayAsking(TWO, hand)
    assert not asking.pull()
    assert "came to rest 10 s before they were asked for" in asking.doubt
    asking.settle(True)
    assert asking.pull()
    assert asking.roll == Roll((2, 2))
    hand.now = KEEP_S + FORGET_S + 1
    late = TrayAsking(TWO, hand)
    assert not late.pull()
    assert not late.doubt


def test_a_leaning_die_is_asked_about(hand: Hand) -> None:
    asking = TrayAsking(TWO, hand)
    hand.lies(seen(6, 1, cocked=True))
    assert not asking.pull()
    assert "Die 1 seems to lean" in asking.doubt
    asking.settle(False)
    assert asking.roll is None
    assert not asking.doubt
    hand.lies(seen(3, 4))
    assert asking.pull()
    assert asking.roll == Roll((3, 4))


def test_too_few_too_many_and_foreign_dice_never_count(hand: Hand) -> None:
    asking = TrayAsking(TWO, hand)
    for wrong, words in (
        (seen(6), "2 dice are asked for and 1 are seen"),
        (seen(6, 5, 4), "2 dice are asked for and 3 are seen"),
        (seen(-1, 0, kind=DieKind.FUDGE), "Fudge dice: roll six-sided ones"),
    ):
        hand.lies(wrong)
        assert not asking.pull()
        assert words in asking.words
        assert not asking.doubt
    assert asking.roll is None


def test_dice_that_are_moved_after_they_were_read_are_asked_about(hand: Hand) -> None:
    asking = TrayAsking(TWO, hand)
    hand.lies(seen(6, 1))
    asking.pull()
    hand.lies(seen(1, 6))  # pushed together: the same dice
    assert not asking.pull()
    assert not asking.doubt
    hand.lies(seen(6))  # one is taken out
    assert not asking.pull()
    assert asking.roll == Roll((6, 1))
    hand.lies(seen(5, 5))
    assert not asking.pull()
    assert "The dice showed 6, 1 before" in asking.doubt
    asking.settle(True)
    assert asking.pull()
    assert asking.roll == Roll((5, 5))


def test_read_again(hand: Hand) -> None:
    asking = TrayAsking(TWO, hand)
    hand.lies(seen(6, 1))
    asking.pull()
    asking.again()
    assert (asking.roll, hand.tests) == (None, 1)
    hand.lies(seen(6, 2))
    assert asking.pull()


def test_six_sided_dice_stand_for_fudge_dice(hand: Hand) -> None:
    asking = TrayAsking(DiceRequest(Die.FUDGE, 3, "green-1", "the attack"), hand)
    hand.lies(seen(1, 4, 6))
    assert asking.pull()
    assert asking.roll == Roll((-1, 0, 1))  # 1 and 2 minus, 3 and 4 blank, 5 and 6 plus


def test_a_reading_in_words() -> None:
    assert reading_words(seen(1, 0, -1, kind=DieKind.FUDGE).reading) == "+ (95%), blank (95%), - (95%)"
    assert reading_words(seen(4, cocked=True).reading) == "4 (leaning?)"
    assert reading_words(seen().reading) == "no dice are seen"


@pytest.mark.parametrize(
    "sides", [(0.5, 0, 0.4, 1), (0, 0, 0.02, 1), (-0.1, 0, 1, 1), (0, 0, 1, 1.1), (0, float("nan"), 1, 1)]
)
def test_what_is_no_tray(sides: tuple[float, float, float, float]) -> None:
    with pytest.raises(UserError, match="draw a box"):
        Region(*sides)


def test_the_tray_is_a_part_of_any_picture() -> None:
    region = Region(0.25, 0.5, 0.75, 1.0)
    assert region.box_px((640, 480)) == (160, 240, 480, 480)
    assert region.outline_px((320, 240)) == ((80, 120), (239, 120), (239, 239), (80, 239))


def test_the_tables_own_camera_is_not_opened_twice() -> None:
    found = cameras((0, 2), "0", "7")
    assert [one.spec for one in found] == [TABLE, "2", "7"]
    assert found[-1].words == "Camera 7 (not there)"


class Lens:
    """A camera whose picture can be changed, and whose plug can be pulled."""

    live, still, name = True, False, "camera 1"

    def __init__(self, image_bgr: ImageBgr) -> None:
        self.image_bgr, self.broken, self.opened, self.closed = image_bgr, False, 0, 0
        self._index = 0

    def __call__(self, spec: str) -> Lens:
        self.opened += 1
        if self.broken:
            raise UserError("there is no camera 1, and no other: plug one in, or use demo")
        return self

    def read(self) -> Frame:
        if self.broken:
            raise UserError("camera 1 no longer answers: plug it in again, or choose another source")
        self._index += 1
        return Frame(self.image_bgr, self._index, time.monotonic())

    def close(self) -> None:
        self.closed += 1


@pytest.fixture
def made() -> Iterator[Callable[..., TrayHand]]:
    hands: list[TrayHand] = []

    def make(*args: object, **how: object) -> TrayHand:
        hands.append(TrayHand(*args, **how))  # type: ignore[arg-type]
        return hands[-1]

    yield make
    for one in hands:
        one.close()
    assert "sandtable dice tray" not in {thread.name for thread in threading.enumerate()}


def test_real_dice_under_a_second_camera_are_read_once_they_lie(made: Callable[..., TrayHand]) -> None:
    lens = Lens(draw(()))
    hand = made(lambda _: None, lens)
    hand.berth.connect("1")
    step = lambda: hand.pull(None, None)  # noqa: E731
    until(lambda: hand.told, step)
    assert (hand.told[0], hand.seen) == ("no dice are seen", None)
    assert hand.berth.standing.words == "Connected: camera 1."
    lens.image_bgr = draw([Drawn(6, -1.5), Drawn(2, 1.5, 0.4, 30)])
    until(lambda: hand.seen, step)
    assert hand.seen is not None
    assert [die.face for die in hand.seen.reading.dice] == [6, 2]
    assert hand.resting
    hand.test()
    assert hand.test_words
    before = hand.seen
    until(lambda: hand.seen is not before, step)
    assert not hand.test_words


def test_only_the_tray_is_read_and_the_tables_camera_is_offered(made: Callable[..., TrayHand]) -> None:
    read: list[object] = []

    def reader(image_bgr: ImageBgr, tray_px: object, camera: object) -> tuple[DieSeen, ...]:
        read.append((image_bgr.shape, tray_px, camera))
        return ()

    hand = made(lambda _: Region(0.5, 0.5, 1, 1), lambda _: pytest.fail("opened a camera"), read=reader)
    hand.berth.connect(TABLE)
    until(lambda: hand.berth.device, lambda: hand.pull(None, None))
    assert "gives no picture yet" in hand.berth.standing.words
    count = iter(range(10**6))
    camera = object()
    until(lambda: read, lambda: hand.pull(Frame(FELT, next(count), time.monotonic()), camera))  # type: ignore[arg-type]
    assert read[0] == ((120, 160, 3), ((80, 60), (159, 60), (159, 119), (80, 119)), camera)


def test_a_tray_takes_its_box_of_the_tables_picture_and_of_no_other(made: Callable[..., TrayHand]) -> None:
    hand = made(lambda _: Region(0.5, 0.25, 1, 1), lambda _: Lens(FELT))
    assert hand.on_table_px((160, 120)) == ()
    hand.berth.connect(TABLE)
    assert hand.on_table_px((160, 120)) == ((80, 30, 160, 120),)
    hand.berth.connect("1")
    assert hand.on_table_px((160, 120)) == ()


def test_a_camera_that_goes_is_told_and_comes_back(
    made: Callable[..., TrayHand], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.devices.tray_camera._RETRY_S", 0.05)
    lens = Lens(FELT)
    hand = made(lambda _: None, lens, read=lambda *_: ())
    hand.berth.connect("1")
    step = lambda: hand.pull(None, None)  # noqa: E731
    until(lambda: hand.berth.standing.level is Level.UP, step)
    lens.broken = True
    until(lambda: "no longer answers" in hand.berth.standing.words, step)
    until(lambda: "There is no camera 1" in hand.berth.standing.words, step)
    lens.broken = False
    until(lambda: hand.berth.standing.level is Level.UP, step)
    hand.close()
    assert lens.closed == 2
