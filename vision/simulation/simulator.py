"""The simulated table: pictures as an overhead webcam would take them, with the exact truth about each."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from statistics import NormalDist

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import Figure, FloatArray, TerrainKind, TerrainPiece
from vision.frame import Frame, ImageBgr
from vision.simulation.drawing import SCREEN_GAMMA, Box, Sprite, sprite
from vision.simulation.hand import Hand, hand_sprite
from vision.simulation.mesh import Mesh
from vision.simulation.projector import SimulatedProjector
from vision.simulation.scene import STILL, Model, Play, Scene, demo_play, demo_scene
from vision.simulation.scenery import terrain_mesh
from vision.simulation.surface import Picture, PixelMap, lay_marker, light_over, sun_patches, table_picture
from vision.stock_colours import PLASTIC_BGR

STEP_S = 1 / 30
"""Time between two frames if there is no clock."""

_SAME_PLANE_IN = 0.25  # a shadow falls on everything within this height of its plane
_NOISE_TRAVEL_PX = 64  # range by which the tile of noise is shifted in every frame


@dataclass(frozen=True, slots=True)
class Optics:
    """Imperfections of the camera.

    Attributes:
        blur_px: Standard deviation of the lens's blur; 0 is perfectly sharp.
        noise: Standard deviation of each pixel value (0 to 255) from frame to frame.
        vignette: Share of the light that is lost in the corners.
    """

    blur_px: float = 0.6
    noise: float = 2.2
    vignette: float = 0.3


WEBCAM = Optics()

LAMP_DRIFT = 0.03
"""Amplitude of the lamp's brightness around 1, with a period of 20 s."""


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The truth about one frame.

    Attributes:
        camera: The camera that took it.
        markers: Corners (4, 2) in inches by id, in OpenCV's order.
        figures: All figures, visible or hidden.
        terrain: All pieces.
    """

    camera: TableCamera
    markers: dict[int, FloatArray]
    figures: tuple[Figure, ...]
    terrain: tuple[TerrainPiece, ...]


def truth_of(scene: Scene, camera: TableCamera) -> Truth:
    """The truth about a picture of this scene."""
    return Truth(camera, {m.id: m.corners_in for m in scene.markers}, scene.figures, scene.terrain)


@cache
def overhead_camera(
    image_size: tuple[int, int] = (1920, 1080),
    table_size_in: tuple[float, float] = (48.0, 36.0),
    height_in: float = 55.0,
    tilt_deg: float = 3.5,
    roll_deg: float = 0.8,
    k1: float = -0.15,
) -> TableCamera:
    """A webcam above the table, slightly off its middle and slightly tilted, that sees all of it.

    Args:
        image_size: (width, height) in pixels.
        table_size_in: (width, depth) of the table.
        height_in: Height of the lens above the table.
        tilt_deg: Angle between the optical axis and the vertical, towards the far edge.
        roll_deg: Angle between the picture's lower edge and the table's near edge.
        k1: First radial distortion; negative is barrel, as with most webcams.
    """
    width, height = image_size
    focal_px = 0.95 * height_in * min(width / table_size_in[0], height / table_size_in[1])
    matrix = [[focal_px, 0, 0.497 * width], [0, 1.001 * focal_px, 0.506 * height], [0, 0, 1]]
    lens = Lens(image_size, np.array(matrix), np.array([k1, 0.03, 0.0006, -0.0004, 0.0]))
    # Pointing straight down, the picture's right is +x and its lower edge -y; then roll about the axis, tilt about x.
    roll, _ = cv2.Rodrigues(np.array([0.0, 0.0, np.radians(roll_deg)]))
    tilt, _ = cv2.Rodrigues(np.array([np.radians(tilt_deg), 0.0, 0.0]))
    rotation = roll @ tilt @ np.diag([1.0, -1.0, -1.0])
    aim_in = np.array([table_size_in[0] / 2 - 0.3, table_size_in[1] / 2 + 0.2, 0.0])
    eye_in = aim_in - rotation[2] * height_in / -rotation[2, 2]
    return TableCamera(lens, np.asarray(rotation, np.float64), np.asarray(-rotation @ eye_in, np.float64))


@lru_cache(maxsize=2)
def _drawn_ground(scene: Scene, camera: TableCamera) -> tuple[Picture, Picture, Picture]:
    """The evenly lit table with markers and terrain: its picture, the height of each pixel, and its light.

    Drawing it takes far longer than drawing what stands on it, and the same table is often shown again.
    """
    frame, places = Box(0, 0, *camera.lens.image_size), PixelMap(camera)
    rng = np.random.default_rng(scene.seed)
    ground = table_picture(scene.surface, scene.table_size_in, camera, places, rng)
    z_in, shade = np.zeros(frame.shape, np.float32), np.ones(frame.shape, np.float32)
    for marker in scene.markers:
        lay_marker(ground, marker.id, marker.corners_in, camera, places)
    for piece in sorted(scene.terrain, key=lambda piece: piece.base_in):  # from the lowest up
        floats = piece.kind in (TerrainKind.TREE, TerrainKind.WOODS)
        drawn = sprite(terrain_mesh(piece), 0.0 if floats else piece.base_in, camera)
        if drawn is not None:
            _draw_shadow(drawn, frame, ground, z_in)
            _draw_shadow(drawn, frame, shade[..., None], z_in)
            _draw_solid(drawn, frame, ground, z_in)
            shade[frame.of(drawn.box)][drawn.cover > 0.5] = 1.0  # its top is lit by the lamp
    for array in (ground, z_in, shade):
        array.setflags(write=False)
    return ground, z_in, shade


class Stage:
    """Draws one table under one camera; everything at rest is drawn once.

    Attributes:
        camera: The camera.
        empty: The scene without models.
        z_in: (height, width) height of what each pixel of the last picture shows.
        redraws: Number of changes of the picture so far.
    """

    def __init__(self, scene: Scene, camera: TableCamera, optics: Optics = WEBCAM) -> None:
        self.camera = camera
        self.empty = scene.empty
        self._optics = optics
        self._frame = Box(0, 0, *camera.lens.image_size)
        # Three equal channels: numpy multiplies arrays of the same shape six times as fast.
        self._lamp = self._light = cv2.merge([light_over(camera.lens.image_size, optics.vignette)] * 3)
        self._ground, self._z_in, self._shade = _drawn_ground(scene.empty, camera)
        self._drawn: dict[str, tuple[Model, Sprite | None]] = {}
        self._hand: tuple[Hand, Sprite | None] | None = None
        self._sunny = False
        self._picture: ImageBgr | None = None
        self.z_in, self.redraws = self._z_in.copy(), 0

    def picture(self, models: Sequence[Model], hand: Hand | None = None, *, sunny: bool = False) -> ImageBgr:
        """(height, width, 3) picture of the table with these models, without noise; valid until the next call.

        Args:
            models: Toys on the table.
            hand: A hand over the table, if any.
            sunny: Whether sunlight falls on the table in patches.
        """
        wanted = {model.id: model for model in models}
        changed = {name for name in wanted.keys() | self._drawn.keys() if wanted.get(name) != self._model(name)}
        stale = [self._drawn.pop(name)[1] for name in changed & self._drawn.keys()]
        fresh = {name: (wanted[name], self._sprite(wanted[name])) for name in changed & wanted.keys()}
        self._drawn |= fresh
        arms = self._swap_hand(hand)
        if sunny != self._sunny:
            self._sunny, self._picture = sunny, None
            self._light = self._lamp * sun_patches(self.camera) if sunny else self._lamp
        if self._picture is None:
            self._picture = np.empty((*self._frame.shape, 3), np.uint8)
            self._redraw(self._frame, self._picture)
        else:
            touched = [drawn.reach for drawn in (*stale, *(s for _, s in fresh.values()), *arms) if drawn is not None]
            for box in _merged(touched):
                self._redraw(box, self._picture)
        return self._picture

    def _swap_hand(self, hand: Hand | None) -> tuple[Sprite | None, ...]:
        """Replace the hand's sprite; returns the old and the new one, whose places must be redrawn."""
        before = self._hand
        if (before[0] if before else None) == hand:
            return ()
        self._hand = (hand, hand_sprite(hand, self.camera)) if hand is not None else None
        return tuple(drawn[1] for drawn in (before, self._hand) if drawn is not None)

    def _model(self, name: str) -> Model | None:
        return self._drawn[name][0] if name in self._drawn else None

    def _sprite(self, model: Model) -> Sprite | None:
        return sprite(self._painted(model), model.z_in, self.camera)

    def _painted(self, model: Model) -> Mesh:
        """The model in its army's plastic, darker in the shadow of terrain."""
        tone = (np.array(PLASTIC_BGR[model.army]) / 255) ** SCREEN_GAMMA
        u, v = np.nan_to_num(self.camera.table_to_pixel((model.x_in, model.y_in, model.z_in))[0], nan=-1.0)
        on_picture = 0 <= u < self._frame.right - 1 and 0 <= v < self._frame.bottom - 1
        shade = self._shade[round(v), round(u)] if on_picture else 1.0
        mesh = model.solid
        return Mesh(mesh.polygons_in, mesh.albedo_bgr * (tone * shade), mesh.gloss * (0.5 * shade + 0.5))

    def _redraw(self, box: Box, picture: ImageBgr) -> None:
        """Redraw the part of the picture inside the box: shadows, models, hand, light, blur."""
        reach = int(np.ceil(3 * self._optics.blur_px)) + 1
        inner, wide = (box.grown(margin).common(self._frame) for margin in (reach, 2 * reach))
        if wide is None or inner is None:
            return
        part = self._ground[self._frame.of(wide)].copy()
        z_in = self._z_in[self._frame.of(wide)].copy()
        sprites = [drawn for _, drawn in self._drawn.values() if drawn is not None and drawn.reach.common(wide)]
        for drawn in sprites:
            _draw_shadow(drawn, wide, part, z_in)
        for drawn in sprites:
            _draw_solid(drawn, wide, part, z_in)
        if self._hand is not None and self._hand[1] is not None:
            _draw_hand(self._hand[1], wide, part)
        part *= self._light[self._frame.of(wide)]
        if self._optics.blur_px:
            part = np.asarray(cv2.GaussianBlur(part, (0, 0), self._optics.blur_px), np.float32)
        picture[self._frame.of(inner)] = np.clip(part[wide.of(inner)] + 0.5, 0, 255)
        self.z_in[self._frame.of(inner)] = z_in[wide.of(inner)]
        self.redraws += 1


def _draw_shadow(drawn: Sprite, box: Box, picture: Picture, z_in: Picture) -> None:
    """Darken the part `box` of the picture by the solid's shadow, where it falls on the plane the solid stands on."""
    common = drawn.shade_box.common(box)
    if common is not None:
        rows = box.of(common)
        on_plane = np.abs(z_in[rows] - drawn.plane_in) < _SAME_PLANE_IN
        picture[rows] *= np.where(on_plane, drawn.shade[drawn.shade_box.of(common)], 1)[..., None]


def _draw_solid(drawn: Sprite, box: Box, picture: Picture, z_in: Picture) -> None:
    """Draw the solid into the part `box` of the picture, where nothing higher hides it."""
    common = drawn.box.common(box)
    if common is not None:
        rows, own = box.of(common), drawn.box.of(common)
        nearer = drawn.z_in[own] >= z_in[rows] - 1e-3
        picture[rows] *= (1 - drawn.cover[own] * nearer)[..., None]
        picture[rows] += drawn.colour[own] * nearer[..., None]
        z_in[rows] = np.where(nearer & (drawn.cover[own] > 0.5), drawn.z_in[own], z_in[rows])


def _draw_hand(drawn: Sprite, box: Box, picture: Picture) -> None:
    """Draw a hand and its shadow over the part `box` of the picture."""
    shaded, common = drawn.shade_box.common(box), drawn.box.common(box)
    if shaded is not None:
        picture[box.of(shaded)] *= _three_channels(drawn.shade[drawn.shade_box.of(shaded)])
    if common is not None:
        part, own = picture[box.of(common)], drawn.box.of(common)
        part *= _three_channels(1 - drawn.cover[own])
        part += drawn.colour[own]


def _three_channels(channel: Picture) -> Picture:
    """(h, w, 3) copies of a channel; faster than numpy's broadcasting."""
    return np.asarray(cv2.cvtColor(np.ascontiguousarray(channel), cv2.COLOR_GRAY2BGR), np.float32)


def _merged(boxes: Sequence[Box]) -> list[Box]:
    """The boxes, with overlapping ones united."""
    apart: list[Box] = []
    for box in boxes:
        while (other := next((o for o in apart if o.common(box)), None)) is not None:
            apart.remove(other)
            box = box.united(other)
        apart.append(box)
    return apart


class Sensor:
    """Adds the lamp's brightness, and noise that differs in every frame."""

    def __init__(self, size_px: tuple[int, int], noise: float, rng: np.random.Generator) -> None:
        self._rng = rng
        self._size_px = size_px
        shape = (size_px[1] + _NOISE_TRAVEL_PX, size_px[0] + _NOISE_TRAVEL_PX, 3)
        # A table of 256 quantiles: drawing every value from the normal distribution takes ten times as long.
        grain = np.round([noise * NormalDist().inv_cdf((k + 0.5) / 256) for k in range(256)])
        drawn = rng.integers(0, 256, shape, np.uint8)
        self._more, self._less = (cv2.LUT(drawn, np.maximum(sign * grain, 0).astype(np.uint8)) for sign in (1, -1))

    def exposure(self, picture: ImageBgr, lamp: float | Sequence[float] = 1.0) -> ImageBgr:
        """A new picture; `lamp` is the brightness, 1 is usual, or that of strips from top to bottom."""
        strips = np.atleast_1d(np.asarray(lamp, np.float64)) ** (1 / SCREEN_GAMMA)
        cuts = np.linspace(0, len(picture), len(strips) + 1).round().astype(int)
        exposed = np.empty_like(picture)
        for (top, bottom), alpha in zip(pairwise(cuts), strips, strict=True):
            cv2.convertScaleAbs(picture[top:bottom], dst=exposed[top:bottom], alpha=float(alpha))
        u, v = self._rng.integers(0, _NOISE_TRAVEL_PX, 2)
        here = (slice(v, v + self._size_px[1]), slice(u, u + self._size_px[0]))
        cv2.add(exposed, self._more[here], dst=exposed)
        cv2.subtract(exposed, self._less[here], dst=exposed)
        return exposed


def render(scene: Scene, camera: TableCamera, rng: np.random.Generator, lamp: float = 1.0) -> ImageBgr:
    """One picture of a scene; for a sequence of one table, `SimulatedTable` is far faster."""
    clean = Stage(scene, camera).picture(scene.models)
    return Sensor(camera.lens.image_size, WEBCAM.noise, rng).exposure(clean, lamp)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """Everything that one picture of the simulated table shows.

    Attributes:
        scene: The table and everything on it.
        camera: The camera that takes it.
        strips: Brightness, 1 is usual, of equal strips of the picture from top to bottom.
        sunny: Whether sunlight falls on the table in patches.
        hand: A hand over the table, if any.
    """

    scene: Scene
    camera: TableCamera
    strips: Sequence[float] = (1.0,)
    sunny: bool = False
    hand: Hand | None = None


class SimulatedTable:
    """A `Source` of pictures of a scene in motion.

    Attributes:
        name: "demo".
        live: True with a clock; without one each frame is `STEP_S` after the previous one.
        camera: The camera that takes the pictures.
        empty_bgr: Picture of the table with terrain and markers but without models, with noise of its own.
        table_size_in: (width, depth) of the table.
        bare: Set to hide the models.
        projector: A projector over the table, if any.
    """

    name = "demo"
    still = False

    def __init__(
        self,
        scene: Scene,
        camera: TableCamera | None = None,
        *,
        play: Play = STILL,
        clock: Callable[[], float] | None = None,
        seed: int = 0,
        frames: int | None = None,
    ) -> None:
        """Set up the table.

        Args:
            scene: The scene at time 0.
            camera: The camera; by default one that sees the whole table at 1080p.
            play: Movements of the models.
            clock: Seconds, from any start.
            seed: Random seed of the noise.
            frames: Number of frames; None for no end.
        """
        self.camera = camera or overhead_camera(table_size_in=scene.table_size_in)
        self.live, self.table_size_in = clock is not None, scene.table_size_in
        self._scene, self._play, self._clock = scene, play, clock
        self._stage = Stage(scene, self.camera)
        self._sensor = Sensor(self.camera.lens.image_size, WEBCAM.noise, np.random.default_rng(seed))
        self._frames = frames
        self._index, self._time_s = -1, 0.0
        self._start_s: float | None = None
        self._shown: Snapshot | None = None
        self.bare = False
        self.projector: SimulatedProjector | None = None
        self.empty_bgr = self._exposure(self._stage.picture(()), (1.0,))

    def read(self) -> Frame | None:
        """Picture of the table now (with a clock) or `STEP_S` after the last."""
        if self._frames is not None and self._index + 1 >= self._frames:
            return None
        self._index += 1
        self._time_s = self._now_s()
        shown = self._take(self._time_s)
        if self.bare:
            shown = replace(shown, scene=shown.scene.empty, hand=None)
        if shown.camera is not self.camera:  # bumped: everything is seen from another place
            self._stage, self.camera = Stage(self._scene, shown.camera), shown.camera
        clean = self._stage.picture(shown.scene.models, shown.hand, sunny=shown.sunny)
        if (projector := self.projector) is not None:
            clean = projector.lit(clean, self.camera, self._stage.z_in, (self._stage, self._stage.redraws))
        self._shown = shown
        return Frame(self._exposure(clean, shown.strips), self._index, self._time_s)

    def _snapshot(self, time_s: float) -> Snapshot:
        """What a picture of that time shows."""
        return Snapshot(self._play.at(self._scene, time_s), self.camera)

    def _take(self, time_s: float) -> Snapshot:
        """What a picture taken now shows."""
        return self._snapshot(time_s)

    def _now_s(self) -> float:
        if self._clock is None:
            return self._index * STEP_S
        now_s = self._clock()
        if self._start_s is None:
            self._start_s = now_s
        return now_s - self._start_s

    def _exposure(self, clean: ImageBgr, strips: Sequence[float]) -> ImageBgr:
        drift = 1 + LAMP_DRIFT * math.sin(2 * math.pi * self._time_s / 20)
        return self._sensor.exposure(clean, [drift * strip for strip in strips])

    @property
    def truth(self) -> Truth:
        """The truth about the last frame (before the first: at time 0)."""
        shown = self._shown or self._snapshot(self._time_s)
        return truth_of(shown.scene, shown.camera)

    def truth_at(self, time_s: float) -> Truth:
        """The truth at a time since the first frame."""
        shown = self._snapshot(time_s)
        return truth_of(shown.scene, shown.camera)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def demo_table(clock: Callable[[], float] | None = None, seed: int = 0) -> SimulatedTable:
    """The moving demo scene at 1080p."""
    return SimulatedTable(demo_scene(seed), play=demo_play(), clock=clock, seed=seed)
