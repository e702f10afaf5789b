"""A player's hand and forearm over the simulated table: its look, and its place while it reaches in."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from shapely import LineString, Polygon, box

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import FloatArray, PointIn
from vision.simulation.drawing import TO_LAMP, Box, Sprite, sprite
from vision.simulation.mesh import Mesh, Tone, ball, join, lathe, limb, turn_z
from vision.simulation.surface import Picture

GRIP_IN = 2.9
"""Height of the finger tips above the ground; a taller or lower toy is lifted to fit."""

_SKIN: Tone = (0.17, 0.28, 0.55)
_KNUCKLE: Tone = (0.148, 0.24, 0.525)
_NAIL: Tone = (0.36, 0.42, 0.68)
_SLEEVE: Tone = (0.16, 0.075, 0.04)
_CUFF: Tone = (0.11, 0.05, 0.028)

_PX_PER_IN = 24.0  # of the hand's own picture, a little less than a 1080p camera has on the table
_LEFT_IN, _RIGHT_IN, _HALF_IN = 14.0, 6.0, 8.0  # extent of that picture from the finger tips
_AHEAD_IN = 5.0  # more than the hand's shadow extends beyond the finger tips
_MIN_COVER = 0.004  # less cover or shadow changes no grey level
_ARM_IN = 40.0
_LAMP_STEP_DEG = 30.0  # the lamp's direction over the arm is rounded to this
_FAR_EYE_IN = 4000.0
_SOFT_IN = 0.16  # blur of the shadow, which is soft because the hand is high above the table
_ABOVE_ALL_IN = 1000.0


@dataclass(frozen=True, slots=True)
class Hand:
    """Place of a hand.

    Attributes:
        tip_in: Place on the table under the finger tips.
        z_in: Height of the ground there; the finger tips are `GRIP_IN` above it.
        arm_deg: Direction from the finger tips to the elbow, counter-clockwise from +x.
    """

    tip_in: PointIn
    z_in: float
    arm_deg: float

    def moved(self, along_arm_in: float) -> Hand:
        """The hand moved back along its arm."""
        arm = math.radians(self.arm_deg)
        x, y = self.tip_in
        return Hand((x + along_arm_in * math.cos(arm), y + along_arm_in * math.sin(arm)), self.z_in, self.arm_deg)


@dataclass(frozen=True, slots=True, eq=False)
class _HandImages:
    """Pictures of a hand from straight above, with the finger tips at one place and the arm leaving to the left.

    Attributes:
        colour: (h, w, 3) colour times `cover`.
        cover: (h, w) 0 to 1.
        shade: (h, w) share of the light that its shadow leaves, on the plane under the fingers.
        cover_in, shade_in: Extent of both in the hand's own frame: least and largest y, largest x.
    """

    colour: Picture
    cover: Picture
    shade: Picture
    cover_in: tuple[float, float, float]
    shade_in: tuple[float, float, float]


def hand_sprite(hand: Hand, camera: TableCamera) -> Sprite | None:
    """The hand and its shadow as the camera sees them, above everything; None if outside the picture."""
    frame = Box(0, 0, *camera.lens.image_size)
    lamp_deg = math.degrees(math.atan2(TO_LAMP[1], TO_LAMP[0])) - (hand.arm_deg + 180)
    look = _images(_LAMP_STEP_DEG * (round(lamp_deg / _LAMP_STEP_DEG) % round(360 / _LAMP_STEP_DEG)))
    seen, dark = (_to_picture(hand, hand.z_in + above_in, camera) for above_in in (GRIP_IN, 0.0))
    inside, shade_inside = _box_of(seen, look.cover_in, frame), _box_of(dark, look.shade_in, frame)
    if inside is None or shade_inside is None:
        return None
    colour, cover = (_warped(part, seen, inside) for part in (look.colour, look.cover))
    z_in = np.full(inside.shape, _ABOVE_ALL_IN, np.float32)
    return Sprite(inside, colour, cover, z_in, shade_inside, _warped(look.shade, dark, shade_inside), hand.z_in)


def _to_picture(hand: Hand, z_in: float, camera: TableCamera) -> FloatArray:
    """(2, 3) affine map from inches in the hand's own frame to pixels, exact at the finger tips."""
    turn = turn_z(hand.arm_deg + 180)[:2, :2]
    x, y = hand.tip_in
    tip, ahead, aside = camera.table_to_pixel([(x, y, z_in), *((x + a, y + b, z_in) for a, b in turn.T)])
    return np.asarray(np.column_stack([ahead - tip, aside - tip, tip]))


def _box_of(to_picture: FloatArray, reach_in: tuple[float, float, float], frame: Box) -> Box | None:
    """Box of the arm or of its shadow in the picture."""
    low, high, ahead = reach_in
    corners = [(-90.0, low), (-90.0, high), (ahead, high), (ahead, low)]
    pixels = np.c_[np.array(corners), np.ones(4)] @ to_picture.T
    if not np.isfinite(pixels).all():
        return None
    seen = Polygon(pixels).intersection(box(*frame))
    if seen.is_empty or seen.area == 0:
        return None
    left, top, right, bottom = seen.bounds
    return Box(math.floor(left), math.floor(top), math.ceil(right) + 1, math.ceil(bottom) + 1).common(frame)


def _warped(part: Picture, to_picture: FloatArray, inside: Box) -> Picture:
    """A picture of the hand warped into the camera's; its left edge, the sleeve, is repeated without end."""
    inches = np.array([[1 / _PX_PER_IN, 0, -_LEFT_IN], [0, -1 / _PX_PER_IN, _HALF_IN], [0, 0, 1]])
    there = (
        np.array([[1.0, 0, -inside.left], [0, 1, -inside.top], [0, 0, 1]]) @ np.vstack([to_picture, [0, 0, 1]]) @ inches
    )
    rows, columns = inside.shape
    warped = cv2.warpAffine(part, there[:2], (columns, rows), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(warped, np.float32)


@cache
def _images(lamp_deg: float) -> _HandImages:
    """The pictures with the lamp in this direction, relative to the arm's."""
    flat = math.hypot(TO_LAMP[0], TO_LAMP[1])
    angle = math.radians(lamp_deg)
    to_lamp = np.array([flat * math.cos(angle), flat * math.sin(angle), TO_LAMP[2]])
    camera = _eye()
    drawn = sprite(_mesh(), 0.0, camera, to_lamp)
    assert drawn is not None  # it lies in the middle of that picture
    width, height = camera.lens.image_size
    frame = Box(0, 0, width, height)
    colour, cover = np.zeros((height, width, 3), np.float32), np.zeros((height, width), np.float32)
    colour[frame.of(drawn.box)], cover[frame.of(drawn.box)] = drawn.colour, drawn.cover
    shade = np.ones((height, width), np.float32)
    common = drawn.shade_box.common(frame)
    if common is not None:
        shade[frame.of(common)] = drawn.shade[drawn.shade_box.of(common)]
    colour, cover = (np.asarray(cv2.GaussianBlur(part, (0, 0), 0.8), np.float32) for part in (colour, cover))
    shade = np.asarray(cv2.GaussianBlur(shade, (0, 0), _SOFT_IN * _PX_PER_IN), np.float32)
    return _HandImages(colour, cover, shade, _reach_in(cover), _reach_in(1 - shade))


def _reach_in(amount: Picture) -> tuple[float, float, float]:
    """Least and largest y and largest x, in inches, of the nonzero part."""
    rows, columns = np.nonzero(amount > _MIN_COVER)
    low, high = _HALF_IN - (rows.max() + 1) / _PX_PER_IN, _HALF_IN - rows.min() / _PX_PER_IN
    return (float(low), float(high), float((columns.max() + 1) / _PX_PER_IN - _LEFT_IN))


def _eye() -> TableCamera:
    """A camera so far above that it sees the hand without perspective."""
    width, height = round((_LEFT_IN + _RIGHT_IN) * _PX_PER_IN), round(2 * _HALF_IN * _PX_PER_IN)
    focal = _PX_PER_IN * _FAR_EYE_IN
    lens = Lens((width, height), np.array([[focal, 0, 0], [0, focal, 0], [0, 0, 1]]), np.zeros(5))
    # The picture's right is +x and its lower edge -y; its first pixel shows the upper left corner.
    return TableCamera(lens, np.diag([1.0, -1.0, -1.0]), np.array([_LEFT_IN, _HALF_IN, _FAR_EYE_IN]))


@cache
def _mesh() -> Mesh:
    """A right hand that holds the origin between thumb and two fingers, with the arm along -x."""
    return join([*(part for finger in _FINGERS for part in _finger(*finger)), *_back(), *_forearm()])


def _finger(places: _Joints, radii: tuple[float, ...]) -> list[Mesh]:
    """A finger from the knuckle to the tip, with redder joints and a nail."""
    joints = [np.array(place) + [0, 0, GRIP_IN] for place in places]
    parts = [
        limb(a, b, ra, rb, 18).painted(_SKIN, 0.06)
        for a, b, ra, rb in zip(joints, joints[1:], radii, radii[1:], strict=False)
    ]
    parts += [
        ball(j, (1.04 * r,) * 3, 18).painted(_KNUCKLE, 0.06) for j, r in zip(joints[1:-1], radii[1:-1], strict=True)
    ]
    parts.append(ball(joints[-1], (radii[-1],) * 3, 18).painted(_SKIN, 0.06))
    to_picture = (joints[-1] - joints[-2]) / np.linalg.norm(joints[-1] - joints[-2])
    nail = joints[-1] + 0.1 * to_picture + [0, 0, 0.75 * radii[-1]]
    turn = turn_z(float(np.degrees(np.arctan2(to_picture[1], to_picture[0]))))
    parts.append(ball((0, 0, 0), (0.24, 0.17, 0.1), 14).placed(turn, nail).painted(_NAIL, 0.3))
    return parts


_Joints = tuple[tuple[float, float, float], ...]

_FINGERS: tuple[tuple[_Joints, tuple[float, ...]], ...] = (
    (((-3.1, 0.95, 1.2), (-1.35, 1.0, 1.25), (-0.55, 0.55, 0.75), (-0.12, 0.2, 0.0)), (0.46, 0.38, 0.34, 0.29)),
    (((-2.95, 0.1, 1.35), (-1.1, -0.1, 1.4), (-0.35, -0.25, 0.85), (0.1, -0.2, 0.05)), (0.47, 0.39, 0.35, 0.29)),
    (((-3.1, -0.72, 1.25), (-1.5, -1.05, 1.2), (-0.85, -0.95, 0.6), (-0.7, -0.75, -0.1)), (0.45, 0.37, 0.33, 0.28)),
    (((-3.45, -1.4, 1.0), (-2.2, -1.75, 0.95), (-1.65, -1.65, 0.45), (-1.5, -1.45, -0.1)), (0.4, 0.32, 0.29, 0.25)),
    (((-5.0, 1.0, 0.7), (-3.3, 1.85, 0.5), (-1.75, 1.3, 0.3), (-0.75, 0.62, -0.05)), (0.62, 0.48, 0.4, 0.33)),
)
"""From the forefinger to the little finger, then the thumb: joints over the finger tips' height, and their radii."""


def _back() -> list[Mesh]:
    """The back of the hand, broad and flat, with the sinews of four fingers."""
    z = GRIP_IN
    knuckles = [joints[0] for joints, _ in _FINGERS[:4]]
    sinews = [
        limb((-6.3, 0.35 * y, z + 0.95), (x, y, h + z), 0.5, 0.47, 18).painted(_SKIN, 0.05) for x, y, h in knuckles
    ]
    joints = [ball((x, y, h + z + 0.06), (0.5, 0.42, 0.44), 18).painted(_KNUCKLE, 0.06) for x, y, h in knuckles]
    back = ball((-4.7, -0.1, z + 0.8), (1.95, 1.5, 0.72), 26).painted(_SKIN, 0.05)
    thumb_side = ball((-4.7, 0.95, z + 0.6), (1.1, 0.75, 0.6), 22).painted(_SKIN, 0.05)
    return [back, thumb_side, *sinews, *joints]


def _forearm() -> list[Mesh]:
    """Wrist and forearm, broader than high, and a sleeve that extends beyond the picture."""
    z = GRIP_IN + 1.0
    arm = lathe([(0.72, -4.5), (0.98, -6.0), (1.0, -6.6), (1.22, -9.0), (1.4, -12.0)][::-1], 26)
    sleeve = lathe([(1.75, -_ARM_IN), (1.75, -9.9), (1.62, -9.5)], 26)
    cuff = lathe([(1.86, -10.3), (1.88, -10.0), (1.8, -9.4), (1.5, -9.35)], 26)
    along_x = np.array([[0, 0, 1.0], [0, 1, 0], [-1, 0, 0]])
    flat = np.diag([1.0, 1.0, 0.72])
    return [
        part.placed(flat @ along_x, (0, -0.05, z)).painted(tone, gloss)
        for part, tone, gloss in ((arm, _SKIN, 0.04), (sleeve, _SLEEVE, 0.0), (cuff, _CUFF, 0.0))
    ]


def distance_out_in(hand: Hand, camera: TableCamera) -> float:
    """How far the hand must move back along its arm until the picture shows nothing of it."""
    width, height = camera.lens.image_size
    rim_px = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float64)
    rim_in = camera.pixel_to_table(rim_px, hand.z_in)
    if not np.isfinite(rim_in).all():
        return _ARM_IN
    far = hand.moved(200.0).tip_in
    to_picture = LineString([hand.tip_in, far]).intersection(Polygon(rim_in))
    return float(to_picture.length) + _AHEAD_IN
