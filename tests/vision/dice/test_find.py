"""Dice read from drawn pictures of known faces: colours, turns, sizes, slants, touching, leaning, Fudge signs.

A drawn die counts as read if a reading of its face lies within a quarter of a side of where its top was drawn.
"""

import json
import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from tests.vision.dice.pictures import Colour, Drawn, Eye, Room, draw
from vision.dice.find import read_dice
from vision.dice.tray import SURE, TrayReading
from vision.dice.view import DieKind, DieSeen

WHITE, BLACK = (240, 240, 240), (30, 30, 30)
SCENES = Path(__file__).parents[2] / "data" / "dice"
TURNS = (0, 17, 33, 45, 64, 81)


def top_px(die: Drawn, eye: Eye) -> tuple[float, float]:
    x, y = eye.pixel(np.array([[die.x, die.y, 1.0]]))[0]
    return (float(x), float(y))


def check(found: Sequence[DieSeen], dice: Sequence[Drawn], eye: Eye) -> None:
    """Assert that every die is read correctly at its place, and nothing else is found."""
    left = list(found)
    for die in dice:
        near = [seen for seen in left if math.dist(seen.centre_px, top_px(die, eye)) < 0.25 * eye.side_px]
        assert [seen.face for seen in near] == [die.face], f"die {die.face} at {die.x}, {die.y}: {near}"
        left.remove(near[0])
    assert not left


def spread(faces: Sequence[int], **how: object) -> list[Drawn]:
    """Dice in two rows, each with another turn."""
    places = [((k % 3 - 1) * 1.9, 0.95 - 1.9 * (k // 3)) for k in range(len(faces))]
    return [
        Drawn(face, x, y, turn, **how)  # type: ignore[arg-type]
        for face, (x, y), turn in zip(faces, places, TURNS, strict=False)
    ]


@pytest.mark.parametrize(
    ("body", "ink", "tray"),
    [
        ((225, 235, 235), BLACK, (60, 110, 60)),  # ivory on felt
        ((30, 30, 170), WHITE, (90, 130, 170)),  # red on wood
        ((35, 35, 35), WHITE, (60, 60, 160)),  # black on red
        ((40, 190, 230), (245, 245, 245), (110, 60, 40)),  # white pips on yellow differ in blue only
        ((235, 235, 235), (40, 40, 190), (60, 60, 60)),  # red pips on white
    ],
)
def test_colours(body: Colour, ink: Colour, tray: Colour) -> None:
    eye, dice = Eye((340, 260), 48), spread((1, 2, 3, 4, 5, 6), body=body, ink=ink)
    check(read_dice(draw(dice, eye, Room(tray))), dice, eye)


@pytest.mark.parametrize("side_px", [26, 80])
def test_sizes(side_px: float) -> None:
    eye, dice = Eye((int(6.6 * side_px), int(4.6 * side_px)), side_px), spread((6, 5, 4, 3, 2, 1))
    check(read_dice(draw(dice, eye)), dice, eye)


@pytest.mark.parametrize("slant_deg", [15, 30])
def test_only_the_top_counts_in_an_oblique_view(slant_deg: float) -> None:
    eye, dice = Eye((360, 280), 50, slant_deg), spread((5, 2, 6, 4, 3, 1))
    check(read_dice(draw(dice, eye, Room(grain=3))), dice, eye)


def test_touching_dice() -> None:
    eye = Eye((320, 120), 50)
    dice = [
        Drawn(face, 1.01 * k - 2.02, 0.0, turn)
        for k, (face, turn) in enumerate([(6, 0), (6, 90), (2, 0), (1, 0), (4, 0)])
    ]
    check(read_dice(draw(dice, eye)), dice, eye)


@pytest.mark.parametrize("face", range(1, 7))
def test_a_die_alone_on_wood(face: int) -> None:
    eye, dice = Eye((240, 200), 55), [Drawn(face, 0.3, 0.1, 25)]
    check(read_dice(draw(dice, eye, Room((90, 130, 170), planks=True)), kind=DieKind.D6), dice, eye)


SCENE_NAMES = ("traced_tray", "traced_strips", "traced_scattered", "traced_oblique", "drawn_fudge", "drawn_tiles")


@pytest.mark.parametrize("name", SCENE_NAMES)
def test_rendered_dice_are_right_or_asked_about(name: str) -> None:
    """Scenes that were not used for training: reflections, glossy pips, dice that touch, lean and hide others."""
    truth = json.loads((SCENES / f"{name}.json").read_text("utf-8"))["dice"]
    left = list(read_dice(np.asarray(cv2.imread(str(SCENES / f"{name}.jpg")), np.uint8)))
    right = flat = 0
    for die in truth:
        side = 2 * math.sqrt(abs(np.linalg.det(die["half"])))
        near = [seen for seen in left if math.dist(seen.centre_px, die["centre"]) < 0.4 * side]
        left = [seen for seen in left if seen not in near]
        if die["visible"] > 0.6 and die["lean"] < 3:
            flat += 1
            right += [seen.face for seen in near] == [die["face"]]
            assert [seen for seen in near if is_certain(seen) and seen.face != die["face"]] == []
    assert right / flat >= 0.8
    assert [seen for seen in left if is_certain(seen)] == []


def test_dots_on_a_cloth_are_no_blank_dice() -> None:
    """They outnumber the four dice, and one by one look like blank Fudge dice."""
    seen = read_dice(np.asarray(cv2.imread(str(SCENES / "dots_on_cloth.jpg")), np.uint8))
    assert {die.kind for die in seen} == {DieKind.D6}
    certain = sorted(die.face for die in seen if is_certain(die))
    assert certain in ([4, 4, 5, 6], [4, 5, 6])
    assert len(seen) < 15  # of 26 dots, some are asked about


def is_certain(seen: DieSeen) -> bool:
    return not TrayReading((seen,), 0.0).doubtful


def test_an_empty_tray_has_no_dice() -> None:
    for room in (Room(), Room((90, 130, 170), planks=True), Room((225, 228, 228), grain=8, noise=5)):
        assert read_dice(draw([], Eye((320, 240)), room)) == ()


def test_the_outline_is_that_of_the_top() -> None:
    eye, die = Eye((240, 200), 60), Drawn(5, 0.2, -0.1, 20)
    (seen,) = read_dice(draw([die], eye))
    # The top is 1 side nearer to the camera than the tray: 60 * 25 / 24 = 62.5 px; its edge is rounded by 0.12.
    assert seen.side_px == pytest.approx(62.5 * 0.94, rel=0.1)
    assert math.dist(seen.centre_px, top_px(die, eye)) < 0.1 * eye.side_px


def test_only_dice_within_the_tray_count() -> None:
    eye, dice = Eye((340, 260), 48), spread((1, 2, 3, 4, 5, 6))
    tray = ((0.0, 0.0), (120.0, 0.0), (120.0, 259.0), (0.0, 259.0))
    within = [die for die in dice if top_px(die, eye)[0] < 120]
    check(read_dice(draw(dice, eye), tray), within, eye)


@pytest.mark.parametrize("lean_deg", [15, 25, 38])
def test_a_leaning_die_is_cocked(lean_deg: float) -> None:
    eye, level = Eye((420, 240), 48), [Drawn(1, -2.0), Drawn(3, 2.0, 0.0, 74)]
    seen = read_dice(draw([Drawn(5, 0.0, 0.2, 53, lean_deg=lean_deg), *level], eye), kind=DieKind.D6)
    left, middle, right = sorted(seen, key=lambda die: die.centre_px[0])
    assert (left.face, right.face) == (1, 3)
    assert middle.cocked or middle.confidence < SURE


def test_level_dice_are_not_cocked() -> None:
    eye, dice = Eye((420, 240), 48), [Drawn(5, 0.0, 0.2, 53), Drawn(1, -2.0), Drawn(3, 2.0, 0.0, 74)]
    seen = read_dice(draw(dice, eye), kind=DieKind.D6)
    assert [(die.cocked, die.confidence > SURE) for die in seen] == [(False, True)] * 3


@pytest.mark.parametrize(("body", "ink"), [((225, 235, 235), BLACK), ((205, 210, 215), (150, 40, 20))])
@pytest.mark.parametrize("kind", [DieKind.FUDGE, None])
def test_fudge_dice(body: Colour, ink: Colour, kind: DieKind | None) -> None:
    eye, dice = Eye((340, 260), 48), spread((1, -1, 0, -1, 1, 0), body=body, ink=ink, fudge=True)
    found = read_dice(draw(dice, eye), kind=kind)
    check(found, dice, eye)
    assert {die.kind for die in found} == {DieKind.FUDGE}


def test_a_blank_that_touches_others() -> None:
    eye = Eye((260, 140), 50)
    dice = [Drawn(face, 1.01 * k - 1.01, 0.0, 0.0, fudge=True) for k, face in enumerate((1, 0, 1))]
    check(read_dice(draw(dice, eye), kind=DieKind.FUDGE), dice, eye)


def table_camera(eye: Eye, side_in: float) -> TableCamera:
    """The drawn camera as a table camera, with inches in place of sides."""
    focal = eye.side_px * eye.away
    middle = [eye.size[0] / 2 - 0.5, eye.size[1] / 2 - 0.5]
    lens = Lens(eye.size, [[focal, 0, middle[0]], [0, focal, middle[1]], [0, 0, 1]], [0, 0, 0, 0, 0])
    return TableCamera(lens, eye.axes(), -eye.axes() @ eye.place() * side_in)


def test_the_camera_gives_slant_and_size() -> None:
    eye, dice = Eye((360, 280), 50, 30), spread((5, 2, 6, 4, 3, 1))
    check(read_dice(draw(dice, eye), side_in=0.6, camera=table_camera(eye, 0.6)), dice, eye)


def test_a_calibrated_camera_says_which_dice_lie_flat() -> None:
    # Straight down, 5.5 sides off at a distance of 12: level dice face 25 degrees down in the picture, and do not lean.
    eye, dice = Eye((360, 720), 50, away=12.0), [Drawn(face, x, -5.5) for face, x in ((5, -1.2), (2, 1.2))]
    image = draw(dice, eye)
    check(read_dice(image, camera=table_camera(eye, 0.6)), dice, eye)
    assert [die.cocked for die in read_dice(image)] == [True, True]
    assert [die.cocked for die in read_dice(image, camera=table_camera(eye, 0.6))] == [False, False]


def test_invalid_arguments_are_refused() -> None:
    image = draw([], Eye((64, 48)))
    with pytest.raises(UserError, match="outside the picture"):
        read_dice(image, ((100.0, 100.0), (200.0, 100.0), (200.0, 200.0)))
    with pytest.raises(UserError, match="side of -1 in"):
        read_dice(image, side_in=-1.0)
