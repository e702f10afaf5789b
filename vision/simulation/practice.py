"""The practice table: a simulated table that players change; every operation returns a new table.

Nothing moves by itself. The clock is passed in: `now_s` is the time of an operation, and `snapshot` shows the table at
a time of the same clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from shapely import Point, Polygon
from shapely.affinity import translate

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FloatArray, PointIn, Posture, TerrainKind, TerrainPiece
from vision.simulation.hand import GRIP_IN, Hand, distance_out_in
from vision.simulation.light import USUAL_LIGHT, Light
from vision.simulation.scene import Model, Scene
from vision.simulation.simulator import Snapshot
from vision.simulation.toy_models import SCULPT_POSTURE, Sculpt

PointPx = tuple[float, float]

ENTER_S = 0.2
"""Time that a hand takes to come in over the picture's edge."""

CATCH_UP_S = 0.15
"""Time that it then takes to carry the soldier to where the mouse is by now."""

LEAVE_S = 0.5
"""Time that it takes to leave after it has released the soldier."""

OFF_S = 2.0
"""Time for which the lamp is switched off."""

TOUCH_S = 0.3
"""Time that a hand stays to lay down or remove a soldier."""

_HOLD_BEHIND_IN = 0.35  # the fingers hold a toy at its near side, so that the camera sees most of it
_GRIP_BELOW_TOP_IN = 0.25
_ARM_FOLLOWS = 0.6  # share of a move along the picture's edge by which the elbow moves too
_ARM_ASIDE = 0.12  # of the picture's height: an arm comes in at an angle
_MAX_TOY_SHARE = 0.2  # of the picture's height: no toy extends this far from the middle of its base
_BUMP_TURN_DEG, _BUMP_WAY_IN = 0.7, 0.6
_OFFSET_STEP_IN = 0.125
_MAX_OFFSET_IN = 6.0
_SOFT = (TerrainKind.TREE, TerrainKind.WOODS, TerrainKind.BUSH, TerrainKind.HEDGE, TerrainKind.SMOKE)
"""Toys stand under or inside these, not on them."""


@dataclass(frozen=True, slots=True)
class Arm:
    """A hand over the table, and when it comes and leaves.

    Attributes:
        hand: Its place while it rests.
        elbow_px: Pixel at the picture's edge over which it comes in.
        came_s: When it starts to come in.
        leaves_s: When it starts to leave; infinity while it holds a soldier.
    """

    hand: Hand
    elbow_px: PointPx
    came_s: float
    leaves_s: float = math.inf

    def at(self, time_s: float, camera: TableCamera) -> Hand | None:
        """The hand at that time; None before it comes and after it has left."""
        if not self.came_s <= time_s < self.leaves_s + LEAVE_S:
            return None
        coming = 1 - _smoothstep((time_s - self.came_s) / ENTER_S)
        leaving = _smoothstep((time_s - self.leaves_s) / LEAVE_S) if time_s > self.leaves_s else 0.0
        away = max(coming, leaving)
        return self.hand.moved(away * distance_out_in(self.hand, camera)) if away > 0 else self.hand


@dataclass(frozen=True, slots=True)
class Practice:
    """A simulated table at rest until a player changes it.

    Attributes:
        start: The table at the beginning.
        home: The camera at the beginning.
        scene: The table now; a carried soldier is lifted in it.
        camera: The camera now.
        light: Lamp, sun and exposure.
        held: The soldier in the hand, as it stood before it was picked up; None while the hand is empty.
        grip_in: From the table place under the mouse to the middle of the held soldier's base.
        arm: The hand over the table, or the last one.
        removed: The removed soldiers, in that order.
        bumps: Number of times the camera was bumped.
    """

    start: Scene
    home: TableCamera
    scene: Scene
    camera: TableCamera
    light: Light = USUAL_LIGHT
    held: Model | None = None
    grip_in: PointIn = (0.0, 0.0)
    arm: Arm | None = None
    removed: tuple[Model, ...] = ()
    bumps: int = 0

    @property
    def carried(self) -> str | None:
        """Id of the soldier in the hand; None while the hand is empty."""
        return self.held.id if self.held is not None else None

    def snapshot(self, time_s: float) -> Snapshot:
        """What a picture taken at that time shows.

        A soldier only moves once the hand is there: a camera never sees a soldier move by itself.
        """
        table = self._at_time(time_s)
        hand = table.arm.at(time_s, self.camera) if table.arm is not None else None
        return Snapshot(table.scene, self.camera, self.light.strips_at(time_s), self.light.has_sun, hand)

    def _at_time(self, time_s: float) -> Practice:
        """The table with the held soldier where the hand has carried it by then."""
        if self.held is None or self.arm is None:
            return self
        part = _smoothstep((time_s - self.arm.came_s - ENTER_S) / CATCH_UP_S)
        if part == 1:
            return self
        model, held = self.model(self.held.id), self.held
        between = replace(
            model,
            x_in=held.x_in + part * (model.x_in - held.x_in),
            y_in=held.y_in + part * (model.y_in - held.y_in),
            z_in=model.z_in if part else held.z_in,
            lift_in=part * model.lift_in,
        )
        hand = _hand_on(between, self.arm.elbow_px, self.camera)
        return replace(self._with(between), arm=replace(self.arm, hand=hand))

    def model(self, name: str) -> Model:
        """The toy with this id.

        Raises:
            UserError: If there is no such toy.
        """
        for model in self.scene.models:
            if model.id == name:
                return model
        raise UserError(f"No toy on this table is called {name!r}. Choose one on the table.")

    def soldier_at(self, px: PointPx, reach_px: float = 0.0) -> str | None:
        """Id of the soldier or vehicle that the camera sees at a pixel, or the nearest within `reach_px` of it."""
        height_px = self.camera.lens.image_size[1]
        places_in = [(model.x_in, model.y_in, model.z_in + model.lift_in) for model in self.scene.models]
        away_px = np.linalg.norm(self.camera.table_to_pixel(np.reshape(places_in, (-1, 3))) - px, axis=1)
        near = [
            model for model, away in zip(self.scene.models, away_px, strict=True) if away < _MAX_TOY_SHARE * height_px
        ]
        found = [(_inside_px(model, px, self.camera), model.id) for model in near]
        inside_px, name = max(found, default=(-math.inf, ""))
        return name if inside_px >= -reach_px else None

    # A hand on a soldier

    def pick_up(self, name: str, now_s: float, at_px: PointPx | None = None) -> Practice:
        """Pick up a soldier; `at_px` is where the mouse holds it, by default its middle.

        Raises:
            UserError: If it is not on the table.
        """
        table = self.put_down(now_s)
        model = table.model(name)
        grip_in = (0.0, 0.0)
        if at_px is not None:
            x, y = table.camera.pixel_to_table(at_px, model.z_in)[0].tolist()
            grip_in = (model.x_in - x, model.y_in - y) if math.isfinite(x + y) else grip_in
        lifted = replace(model, lift_in=_lift_in(model))
        table = replace(table._with(lifted), held=model, grip_in=grip_in)
        return replace(table, arm=_arm_to(lifted, table.camera, now_s))

    def place_at(self, px: PointPx) -> PointIn | None:
        """Place of the held soldier when the mouse is at a pixel; None if no table is seen there."""
        if self.held is None:
            return None
        z_in = self.model(self.held.id).z_in
        x, y = self.camera.pixel_to_table(px, z_in)[0].tolist()
        return (x + self.grip_in[0], y + self.grip_in[1]) if math.isfinite(x + y) else None

    def carry(self, to_in: PointIn) -> Practice:
        """Carry the held soldier to another place, or to the nearest one on the table."""
        if self.held is None or self.arm is None:
            return self
        width, depth = self.scene.table_size_in
        x_in, y_in = min(max(to_in[0], 0.0), width), min(max(to_in[1], 0.0), depth)
        before = self.model(self.held.id)
        model = replace(before, x_in=x_in, y_in=y_in, z_in=ground_in(self.scene.terrain, (x_in, y_in)))
        elbow_px = _elbow_moved(self.arm.elbow_px, before, model, self.camera)
        arm = replace(self.arm, hand=_hand_on(model, elbow_px, self.camera), elbow_px=elbow_px)
        return replace(self._with(model), arm=arm)

    def put_down(self, now_s: float) -> Practice:
        """Put the held soldier down here or at the nearest free place; the hand leaves."""
        if self.held is None:
            return self
        model = replace(self.model(self.held.id), lift_in=0.0)
        return self._with(self._at_free_place(model))._release(now_s)

    def put_back(self, now_s: float) -> Practice:
        """Put the held soldier back where it was picked up; the hand leaves."""
        return self if self.held is None else self._with(self.held)._release(now_s)

    def turn(self, name: str, by_deg: float) -> Practice:
        """Turn a soldier counter-clockwise.

        Raises:
            UserError: If it is not on the table.
        """
        model = self.model(name)
        return self._with(replace(model, facing_deg=(model.facing_deg + by_deg) % 360))

    def lay_down_or_stand_up(self, name: str, now_s: float) -> Practice:
        """Lay a soldier on its side, or stand it up again.

        Raises:
            UserError: If it is not on the table, or is a vehicle.
        """
        model = self.model(name)
        if SCULPT_POSTURE.get(model.sculpt) is Posture.VEHICLE:
            raise user_error("A vehicle cannot be laid down. Remove it instead.")
        model = replace(model, tilt_deg=0.0 if model.tilt_deg else 90.0)
        if name == self.carried:
            return self._with(replace(model, lift_in=_lift_in(model)))
        return self._with(model)._with_touching_hand(model, now_s)

    def remove(self, name: str, now_s: float) -> Practice:
        """Take a soldier off the table.

        Raises:
            UserError: If it is not on the table.
        """
        model = self.model(name)
        models = tuple(one for one in self.scene.models if one.id != name)
        removed = (*self.removed, replace(model, lift_in=0.0))
        table = replace(self, scene=replace(self.scene, models=models), removed=removed)
        return table._release(now_s) if name == self.carried else table._with_touching_hand(model, now_s)

    def bring_back(self, now_s: float) -> Practice:
        """Put every removed soldier back where it was, or at the nearest free place."""
        table = self.put_down(now_s)
        for model in table.removed:
            scene = replace(table.scene, models=(*table.scene.models, table._at_free_place(model)))
            table = replace(table, scene=scene)
        return replace(table, removed=())

    # The room

    def bump(self) -> Practice:
        """Move the camera a little from its home; every bump moves it elsewhere."""
        rng = np.random.default_rng(self.bumps)
        turn_deg, way_in = (size * _direction(rng) for size in (_BUMP_TURN_DEG, _BUMP_WAY_IN))
        turn, _ = cv2.Rodrigues(np.radians(turn_deg))
        rotation = np.asarray(turn, np.float64) @ self.home.rotation
        camera = TableCamera(self.home.lens, rotation, -rotation @ (self.home.position_in + way_in))
        return replace(self, camera=camera, bumps=self.bumps + 1)

    def lit(self, light: Light) -> Practice:
        """The same table in another light."""
        return replace(self, light=light)

    def start_over(self) -> Practice:
        """The table, camera and light of the beginning."""
        return practice_ground(self.start, self.home)

    def _with(self, model: Model) -> Practice:
        models = tuple(model if one.id == model.id else one for one in self.scene.models)
        return replace(self, scene=replace(self.scene, models=models))

    def _release(self, now_s: float) -> Practice:
        arm = replace(self.arm, leaves_s=now_s) if self.arm is not None else None
        return replace(self, held=None, grip_in=(0.0, 0.0), arm=arm)

    def _with_touching_hand(self, model: Model, now_s: float) -> Practice:
        """Let a hand touch the toy and leave again, unless it holds another one."""
        if self.held is not None:
            return self
        return replace(self, arm=replace(_arm_to(model, self.camera, now_s), leaves_s=now_s + TOUCH_S))

    def _at_free_place(self, model: Model) -> Model:
        """The toy at the nearest place where its base overlaps no other, at the height of the ground there."""
        width, depth = self.scene.table_size_in
        others = [Polygon(one.figure.base_in) for one in self.scene.models if one.id != model.id]
        base = Polygon(model.figure.base_in)
        for dx, dy in _offsets_around():
            x_in, y_in = model.x_in + dx, model.y_in + dy
            moved = translate(base, dx, dy)
            if 0 <= x_in <= width and 0 <= y_in <= depth and not any(moved.intersects(other) for other in others):
                z_in = ground_in(self.scene.terrain, (x_in, y_in))
                return replace(model, x_in=x_in, y_in=y_in, z_in=z_in)
        return model


def practice_ground(scene: Scene, camera: TableCamera) -> Practice:
    """A table at rest, under a camera."""
    return Practice(scene, camera, scene, camera)


def ground_in(terrain: tuple[TerrainPiece, ...], place_in: PointIn) -> float:
    """Height of the ground for a toy: the table, a hill or a roof, but not a tree or a bush."""
    point = Point(place_in)
    solid = (piece for piece in terrain if piece.kind not in _SOFT)
    return max((piece.top_in for piece in solid if Polygon(piece.outline_in).covers(point)), default=0.0)


def _offsets_around() -> Iterator[PointIn]:
    """Offsets in inches: zero, then rings outwards."""
    yield (0.0, 0.0)
    for ring in range(1, int(_MAX_OFFSET_IN / _OFFSET_STEP_IN)):
        for turn in range(16):
            angle = math.tau * turn / 16
            yield (ring * _OFFSET_STEP_IN * math.cos(angle), ring * _OFFSET_STEP_IN * math.sin(angle))


def _height_in(model: Model) -> float:
    """Height from its lowest to its highest point."""
    return _toy_height_in(model.sculpt, model.tilt_deg)


@cache
def _toy_height_in(sculpt: Sculpt, tilt_deg: float) -> float:
    return float(Model("toy", "green", sculpt, 0.0, 0.0, tilt_deg=tilt_deg).solid.polygons_in[..., 2].max())


def _lift_in(model: Model) -> float:
    """How far a hand at `GRIP_IN` lifts a toy that it holds by its upper end."""
    return max(0.0, GRIP_IN - (_height_in(model) - _GRIP_BELOW_TOP_IN))


def _inside_px(model: Model, px: PointPx, camera: TableCamera) -> float:
    """Distance in pixels of a pixel inside the toy's outline in the picture; negative outside."""
    figure = model.figure
    base, middle = np.array(figure.base_in), np.array(figure.centre_in)
    top = middle + 0.7 * (base - middle)
    corners_in = np.vstack(
        [np.c_[base, np.full(len(base), figure.z_in)], np.c_[top, np.full(len(top), figure.z_in + _height_in(model))]]
    )
    corners_px = camera.table_to_pixel(corners_in)
    if not np.isfinite(corners_px).all():
        return -math.inf
    outline = cv2.convexHull(corners_px.astype(np.float32))
    return float(cv2.pointPolygonTest(outline, (float(px[0]), float(px[1])), True))


def _arm_to(model: Model, camera: TableCamera, now_s: float) -> Arm:
    """A hand that reaches for the toy over the nearest edge of the picture."""
    elbow_px = _elbow_px(model, camera)
    return Arm(_hand_on(model, elbow_px, camera), elbow_px, now_s)


def _middle_px(model: Model, camera: TableCamera) -> PointPx:
    u, v = camera.table_to_pixel((model.x_in, model.y_in, model.z_in))[0].tolist()
    return (u, v)


def _elbow_px(model: Model, camera: TableCamera) -> PointPx:
    """Pixel where a right arm comes in over the nearest edge."""
    u, v = _middle_px(model, camera)
    width, height = camera.lens.image_size
    aside = _ARM_ASIDE * height
    entries = {u: (0.0, v + aside), width - u: (float(width), v - aside), v: (u - aside, 0.0)}
    entries[height - v] = (u + aside, float(height))
    return entries[min(entries)]


def _elbow_moved(elbow_px: PointPx, before: Model, after: Model, camera: TableCamera) -> PointPx:
    """The elbow after it has followed a part of the move along its edge."""
    (u0, v0), (u1, v1) = (_middle_px(model, camera) for model in (before, after))
    if elbow_px[0] in (0.0, float(camera.lens.image_size[0])):
        return (elbow_px[0], elbow_px[1] + _ARM_FOLLOWS * (v1 - v0))
    return (elbow_px[0] + _ARM_FOLLOWS * (u1 - u0), elbow_px[1])


def _hand_on(model: Model, elbow_px: PointPx, camera: TableCamera) -> Hand:
    """The hand that holds the toy, with the arm towards a pixel at the picture's edge."""
    elbow = camera.pixel_to_table(elbow_px, model.z_in + GRIP_IN)[0]
    way = elbow - (model.x_in, model.y_in)
    arm_deg = math.degrees(math.atan2(way[1], way[0])) if np.isfinite(way).all() else -90.0
    return Hand((model.x_in, model.y_in), model.z_in, arm_deg).moved(_HOLD_BEHIND_IN)


def _direction(rng: np.random.Generator) -> FloatArray:
    """(3,) unit vector."""
    way = rng.standard_normal(3)
    return np.asarray(way / np.linalg.norm(way))


def _smoothstep(part: float) -> float:
    part = min(1.0, max(0.0, part))
    return part * part * (3 - 2 * part)
