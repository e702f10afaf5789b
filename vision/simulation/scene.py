"""Scenes: what stands on the simulated table and how it moves, the truth that the simulator draws."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import (
    Figure,
    FloatArray,
    Outline,
    PointIn,
    Posture,
    TerrainKind,
    TerrainPiece,
    ellipse_outline,
)
from vision.simulation.mesh import Mesh, turn_z
from vision.simulation.surface import Surface
from vision.simulation.toy_models import HALF_BASE_IN, SCULPT_POSTURE, SOLDIER_HALF_BASE_IN, Sculpt, toy
from vision.stock_colours import PLASTIC_BGR


@dataclass(frozen=True, slots=True)
class PrintedMarker:
    """A marker of DICT_4X4_50 lying flat, printed on paper with a white border.

    Attributes:
        id: Number in the dictionary, 0 to 49.
        centre_in: Middle of the printed pattern.
        side_in: Side of the printed pattern.
        turn_deg: Counter-clockwise; at 0 the top of the print points along +y.

    Raises:
        UserError: If the dictionary has no such number, or the side is not positive.
    """

    id: int
    centre_in: PointIn
    side_in: float = 3.0
    turn_deg: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.id < 50:
            raise UserError(f"Marker {self.id} is not in the dictionary 4X4_50. Choose an id from 0 to 49.")
        if not self.side_in > 0:
            raise UserError(f"Marker {self.id} has a side of {self.side_in} in. Enter a positive side.")

    @property
    def corners_in(self) -> FloatArray:
        """(4, 2) corners as OpenCV reports them: top-left of the printed pattern, then clockwise as printed."""
        printed = np.array([[-1.0, 1], [1, 1], [1, -1], [-1, -1]]) * self.side_in / 2
        return np.asarray(printed @ turn_z(self.turn_deg)[:2, :2].T + self.centre_in)


@dataclass(frozen=True, slots=True)
class Model:
    """One toy on the table.

    Attributes:
        id: Name, such as "green-1".
        army: A key of `vision.stock_colours.PLASTIC_BGR`.
        sculpt: Kind of toy.
        x_in, y_in, z_in: Centre of its base, and the height of what it stands on.
        facing_deg: Counter-clockwise from +x.
        tilt_deg: 0 upright, 90 knocked over onto its right side.
        lift_in: How far above `z_in` a hand holds it; its shadow still falls on `z_in`.

    Raises:
        UserError: If the army has no plastic or the tilt is outside 0 to 90.
    """

    id: str
    army: str
    sculpt: Sculpt
    x_in: float
    y_in: float
    z_in: float = 0.0
    facing_deg: float = 0.0
    tilt_deg: float = 0.0
    lift_in: float = 0.0

    def __post_init__(self) -> None:
        if self.army not in PLASTIC_BGR:
            raise UserError(f"There is no plastic for army {self.army!r}. Choose one of {', '.join(PLASTIC_BGR)}.")
        if not 0 <= self.tilt_deg <= 90:
            raise UserError(f"Figure {self.id!r} is tilted by {self.tilt_deg} degrees. Use 0 (standing) to 90 (lying).")

    @property
    def solid(self) -> Mesh:
        """The toy at its place in white plastic."""
        mesh = toy(self.sculpt)
        if self.tilt_deg:
            edge_in = -SOLDIER_HALF_BASE_IN[1]
            c, s = math.cos(math.radians(self.tilt_deg)), math.sin(math.radians(self.tilt_deg))
            over = np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]])
            mesh = mesh.placed(at_in=(0, -edge_in, 0)).placed(over, (0, edge_in, 0))
            mesh = mesh.placed(at_in=(0, 0, -mesh.polygons_in[..., 2].min()))
        return mesh.placed(turn_z(self.facing_deg), (self.x_in, self.y_in, self.z_in + self.lift_in))

    @property
    def figure(self) -> Figure:
        """The figure that the program should find."""
        if self.tilt_deg > 45:
            posture, base_in = Posture.DOWN, _outline_from_above(self.solid)
        else:
            posture, base_in = SCULPT_POSTURE.get(self.sculpt, Posture.STANDING), self._base_in()
        x_in, y_in = _middle(base_in)
        z_in = self.z_in + self.lift_in
        return Figure(self.id, self.army, x_in, y_in, z_in, 0.0, posture, base_in, self.facing_deg % 360)

    def _base_in(self) -> Outline:
        half = HALF_BASE_IN.get(self.sculpt, SOLDIER_HALF_BASE_IN)
        if SCULPT_POSTURE.get(self.sculpt) is not Posture.VEHICLE:
            return ellipse_outline((self.x_in, self.y_in), *half, self.facing_deg)
        corners = np.array([[1, -1], [1, 1], [-1, 1], [-1, -1]]) * half @ turn_z(self.facing_deg)[:2, :2].T
        return tuple((self.x_in + x, self.y_in + y) for x, y in corners.tolist())


def _outline_from_above(mesh: Mesh) -> Outline:
    points = mesh.polygons_in[..., :2].reshape(-1, 1, 2).astype(np.float32)
    return tuple((float(x), float(y)) for x, y in cv2.convexHull(points).reshape(-1, 2))


def _middle(outline_in: Outline) -> PointIn:
    """Centre of area."""
    first = np.array(outline_in[0])
    m = cv2.moments((np.array(outline_in) - first).astype(np.float32).reshape(-1, 1, 2))
    return (float(first[0] + m["m10"] / m["m00"]), float(first[1] + m["m01"] / m["m00"]))


@dataclass(frozen=True, slots=True)
class Scene:
    """A table and everything on it at one moment.

    Attributes:
        table_size_in: (width, depth); the table extends from the origin to there.
        surface: Covering of the table.
        terrain, markers, models: Everything on it.
        seed: Random seed of the surface's texture.
    """

    table_size_in: tuple[float, float] = (48.0, 36.0)
    surface: Surface = Surface.WOOD
    terrain: tuple[TerrainPiece, ...] = ()
    markers: tuple[PrintedMarker, ...] = ()
    models: tuple[Model, ...] = ()
    seed: int = 0

    @property
    def figures(self) -> tuple[Figure, ...]:
        """The figures that the program should find."""
        return tuple(model.figure for model in self.models)

    @property
    def empty(self) -> Scene:
        """The scene without models."""
        return replace(self, models=())


@dataclass(frozen=True, slots=True)
class Walk:
    """A model moves to a place in a straight line between two times, facing forward."""

    id: str
    from_s: float
    to_s: float
    to_in: PointIn

    def applied(self, model: Model, time_s: float) -> Model:
        """The model at that time."""
        part = _smoothstep(time_s, self.from_s, self.to_s)
        along = (self.to_in[0] - model.x_in, self.to_in[1] - model.y_in)
        if part <= 0 or along == (0, 0):
            return model
        turn = (math.degrees(math.atan2(along[1], along[0])) - model.facing_deg + 180) % 360 - 180
        return replace(
            model,
            x_in=model.x_in + part * along[0],
            y_in=model.y_in + part * along[1],
            facing_deg=model.facing_deg + turn * _smoothstep(time_s, self.from_s, self.from_s + 0.3),
        )


@dataclass(frozen=True, slots=True)
class Topple:
    """A model is knocked over (`to_deg` 90), or set up again (0), between two times."""

    id: str
    from_s: float
    to_s: float
    to_deg: float = 90.0

    def applied(self, model: Model, time_s: float) -> Model:
        """The model at that time."""
        part = _smoothstep(time_s, self.from_s, self.to_s)
        return replace(model, tilt_deg=model.tilt_deg + part * (self.to_deg - model.tilt_deg)) if part > 0 else model


Act = Walk | Topple


@dataclass(frozen=True, slots=True)
class Play:
    """Acts in the order of their times, repeated with a period."""

    acts: tuple[Act, ...] = ()
    period_s: float = math.inf

    def at(self, scene: Scene, time_s: float) -> Scene:
        """The scene at that time; a pure function."""
        now = time_s % self.period_s
        models = {model.id: model for model in scene.models}
        for act in self.acts:
            models[act.id] = act.applied(models[act.id], now)
        return replace(scene, models=tuple(models.values()))


STILL = Play()


def _smoothstep(time_s: float, from_s: float, to_s: float) -> float:
    part = min(1.0, max(0.0, (time_s - from_s) / (to_s - from_s)))
    return part * part * (3 - 2 * part)


def corner_markers(table_size_in: tuple[float, float]) -> tuple[PrintedMarker, ...]:
    """3 in markers 0 to 3 near the table's corners, counter-clockwise from the near left, placed by eye."""
    inset, (right, far) = 2.5, table_size_in
    places = [(inset, inset), (right - inset, inset), (right - inset, far - inset), (inset, far - inset)]
    turns = (2.0, -3.0, 4.0, -1.5)
    return tuple(PrintedMarker(n, places[n], turn_deg=turns[n]) for n in range(4))


def _square(x: float, y: float, length: float, width: float, turn_deg: float) -> Outline:
    corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * (length / 2, width / 2) @ turn_z(turn_deg)[:2, :2].T
    return tuple((x + u, y + v) for u, v in corners.tolist())


def _demo_terrain() -> tuple[TerrainPiece, ...]:
    kind = TerrainKind
    return (
        TerrainPiece("encyclopaedia", kind.HILL, _square(33.5, 25.8, 9.5, 7.2, 8), 0.0, 1.3),
        TerrainPiece("atlas", kind.HILL, _square(34.0, 26.3, 6.6, 4.8, -3), 1.3, 0.9),
        TerrainPiece("house", kind.BUILDING, _square(13.0, 27.0, 6.4, 4.6, -12), 0.0, 4.5),
        TerrainPiece("stone wall", kind.LOW_WALL, _square(22.6, 17.2, 7.0, 0.6, 24), 0.0, 1.1),
        TerrainPiece("garden wall", kind.LOW_WALL, _square(19.3, 29.6, 5.0, 0.6, -70), 0.0, 1.1),
        TerrainPiece("hedge", kind.HEDGE, _square(33.0, 8.6, 7.5, 1.1, -14), 0.0, 1.6),
        TerrainPiece("sandbags", kind.SANDBAGS, _square(37.4, 15.6, 4.2, 0.8, 78), 0.0, 0.9),
        TerrainPiece("oak", kind.TREE, ellipse_outline((24.6, 30.4), 2.3, 2.0, 20), 1.2, 3.2),
        TerrainPiece("birch", kind.TREE, ellipse_outline((7.6, 18.8), 1.7, 1.6), 1.0, 3.6),
        TerrainPiece("elder", kind.BUSH, ellipse_outline((27.3, 5.0), 1.2, 0.9, 40), 0.0, 1.2),
    )


_GREEN = (
    (Sculpt.OFFICER, 9.6, 13.0, 10),
    (Sculpt.RIFLEMAN, 14.6, 14.6, 12),
    (Sculpt.KNEELING, 18.9, 17.6, -25),
    (Sculpt.GRENADIER, 16.8, 10.4, 5),
    (Sculpt.PRONE, 21.4, 12.6, 3),
    (Sculpt.BAZOOKA, 13.2, 7.2, 20),
    (Sculpt.MARCHING, 17.0, 21.8, 15),
    (Sculpt.RIFLEMAN, 8.7, 8.4, 25),
)
_GREEN_REAR = ((Sculpt.KNEELING, 24.4, 24.8, -10), (Sculpt.RIFLEMAN, 11.4, 21.4, 0), (Sculpt.GRENADIER, 12.6, 17.8, -5))
_TAN = (
    (Sculpt.OFFICER, 41.6, 12.8, 172),
    (Sculpt.KNEELING, 39.0, 16.2, 178),
    (Sculpt.RIFLEMAN, 39.4, 19.4, 196),
    (Sculpt.GRENADIER, 33.8, 11.0, 165),
    (Sculpt.PRONE, 30.2, 14.4, 176),
    (Sculpt.BAZOOKA, 36.6, 10.4, 150),
    (Sculpt.MARCHING, 42.6, 8.4, 140),
)
_TAN_REAR = ((Sculpt.RIFLEMAN, 28.2, 21.2, 215), (Sculpt.MARCHING, 40.6, 27.2, 205))


def _platoon(
    army: str, posts: Iterable[tuple[Sculpt, float, float, float]], rng: np.random.Generator, first: int = 1
) -> list[Model]:
    jitter = iter(rng.uniform(-1, 1, (99, 3)).tolist())
    return [
        Model(f"{army}-{n}", army, sculpt, x + 0.25 * i, y + 0.25 * j, facing_deg=facing + 12 * k)
        for n, ((sculpt, x, y, facing), (i, j, k)) in enumerate(zip(posts, jitter, strict=False), first)
    ]


def demo_scene(seed: int = 0) -> Scene:
    """Two armies of twelve on a 48 x 36 in wooden table; the seed turns and moves every soldier a little."""
    rng = np.random.default_rng(seed)
    models: Sequence[Model] = [
        *_platoon("green", _GREEN, rng),
        Model("green-9", "green", Sculpt.TANK, 23.2, 7.6, facing_deg=14),
        *_platoon("tan", _TAN, rng),
        Model("tan-8", "tan", Sculpt.JEEP, 38.2, 5.0, facing_deg=158),
        *_platoon("green", _GREEN_REAR, rng, first=10),
        *_platoon("tan", _TAN_REAR, rng, first=9),
        Model("tan-11", "tan", Sculpt.RIFLEMAN, 33.0, 26.0, 2.2, 222),
        Model("tan-12", "tan", Sculpt.KNEELING, 35.8, 27.2, 2.2, 190),
    ]
    size_in = (48.0, 36.0)
    return Scene(size_in, Surface.WOOD, _demo_terrain(), corner_markers(size_in), tuple(models), seed)


def demo_play() -> Play:
    """A repeated minute on the demo table: soldiers advance and go back, one falls, a tank drives."""
    return Play(
        (
            Walk("green-4", 3, 5.5, (21.6, 9.9)),
            Walk("tan-4", 9, 11.5, (29.2, 11.9)),
            Topple("green-10", 14, 14.4),
            Walk("green-7", 18, 20, (21.2, 23.4)),
            Walk("green-9", 24, 27, (25.4, 8.2)),
            Topple("green-4", 31, 31.4),
            Walk("tan-10", 35, 37.5, (40.2, 23.4)),
            Topple("green-10", 44, 45, 0),
            Topple("green-4", 45, 46, 0),
            Walk("green-4", 47, 49.5, (16.8, 10.4)),
            Walk("tan-4", 49, 51.5, (33.8, 11.0)),
            Walk("green-7", 51, 53, (17.0, 21.8)),
            Walk("green-9", 52, 57, (23.2, 7.6)),
            Walk("tan-10", 54, 57, (40.6, 27.2)),
        ),
        period_s=60.0,
    )
