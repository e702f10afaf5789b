"""A simulated room with one camera that takes pictures of a whole evening."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn
from tools.endurance.script import HOUSE, LIVE_S, SIZE_IN, SIZE_PX, Script, Shot, armies, bumped_camera
from vision.frame import Frame, ImageBgr
from vision.simulation.scene import Model, Scene, corner_markers
from vision.simulation.simulator import WEBCAM, Sensor, Stage, Truth, truth_of
from vision.simulation.surface import Surface

SKIN_BGR, CARD_BGR = (120, 150, 205), (150, 146, 140)
ARM_PX = 84


class Clock:
    """A clock that advances when a picture is taken."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def __call__(self) -> float:
        return self.now_s


class Room:
    """Takes the pictures of a script.

    Attributes:
        clock: The room's clock.
        newest: The shot of the latest picture; None before the first.
        frames: Number of pictures taken.
        opened, closed, gone: How often the camera was opened, closed, and found unplugged.
    """

    name = "camera 0"

    def __init__(self, script: Script, hours: float) -> None:
        self.clock = Clock()
        self.newest: Shot | None = None
        self.frames = self.opened = self.closed = self.gone = 0
        self._shots = script.shots(hours)
        self._next = next(self._shots, None)
        self._stage: Stage | None = None
        self._sensor = Sensor(SIZE_PX, WEBCAM.noise, np.random.default_rng(1))
        self._drawn: tuple[tuple[object, ...], ImageBgr] | None = None

    @property
    def over(self) -> bool:
        """Whether the script has ended."""
        return self._next is None

    @property
    def live(self) -> bool:
        """Whether the next picture is one that the camera takes at its own pace."""
        return self._next is not None and self._next.live

    def open(self, live: bool = False) -> Webcam:
        """Like `vision.source.open_source`; the camera is missing for a while after it was unplugged.

        Args:
            live: Whether to take pictures at the camera's own pace, until the script has no more of them.
        """
        self._pass_if_gone(f"there is no {self.name}, and no other: plug one in, or open another source")
        self.opened += 1
        return Webcam(self, live)

    def take(self, live: bool) -> ImageBgr | None:
        """The next picture; None if there is no more of this kind. Raises `UserError` if the camera is unplugged."""
        self._pass_if_gone(f"{self.name} no longer answers: plug it in again, or choose another source")
        if self._next is None or self._next.live != live:
            return None
        shot, self._next = self._next, next(self._shots, None)
        self.clock.now_s += shot.step_s
        if live:
            time.sleep(shot.step_s)
        self.frames += 1
        self.newest = shot
        return self._sensor.exposure(self._clean(shot), shot.lamp)

    def again(self) -> ImageBgr:
        """The latest picture with new noise."""
        assert self.newest is not None
        return self._sensor.exposure(self._clean(self.newest), self.newest.lamp)

    def _pass_if_gone(self, words: str) -> None:
        if self._next is not None and self._next.unplugged:
            self.gone += 1
            self.clock.now_s += self._next.step_s
            self._next = next(self._shots, None)
            raise UserError(words)

    def first(self) -> tuple[ImageBgr, ImageBgr, Truth]:
        """Pictures of the table with and without figures, and their truth."""
        scene, camera = _scene(armies()), bumped_camera(0.0, 0.0, 0.0)
        stage = Stage(scene, camera)
        empty, set_up = (self._sensor.exposure(stage.picture(models)) for models in ((), scene.models))
        return set_up, empty, truth_of(scene, camera)

    def _clean(self, shot: Shot) -> ImageBgr:
        what = (id(shot.camera), shot.models, shot.arms, shot.covered)
        if self._drawn is None or self._drawn[0] != what:
            if self._stage is None or self._stage.camera is not shot.camera:
                self._stage = Stage(_scene(()), shot.camera)
            picture = self._stage.picture(shot.models)
            if shot.arms or shot.covered:
                picture = _with_cards_and_arms(picture, shot)
            self._drawn = what, picture
        return self._drawn[1]


class Webcam:
    """A `Source`: the room's camera until it is unplugged; like a real camera, it counts frames from 0 each time."""

    name = Room.name
    live = True
    still = False

    def __init__(self, room: Room, live: bool) -> None:
        self._room, self._at_own_pace = room, live
        self._index, self._start_s = 0, room.clock()
        self._closed = False

    def read(self) -> Frame | None:
        """The room's next frame."""
        image = self._room.take(self._at_own_pace)
        if image is None:
            return None
        frame = Frame(image, self._index, self._room.clock() - self._start_s)
        self._index += 1
        return frame

    def close(self) -> None:
        """Close the source."""
        self._room.closed += not self._closed
        self._closed = True


class Still:
    """A `Source` that repeats the latest picture of the table."""

    name = Room.name
    live = True
    still = False

    def __init__(self, room: Room) -> None:
        self._room, self._index = room, 0
        room.opened += 1

    def read(self) -> Frame:
        """The picture with new noise."""
        time.sleep(LIVE_S)
        self._index += 1
        return Frame(self._room.again(), self._index, self._index * LIVE_S)

    def close(self) -> None:
        """Close the source."""
        self._room.closed += 1


def truth(models: Sequence[Model]) -> Mapping[str, PointIn]:
    """Name -> place of each model."""
    return {model.id: model.figure.centre_in for model in models}


def _scene(models: tuple[Model, ...]) -> Scene:
    return Scene(SIZE_IN, Surface.WOOD, (HOUSE,), corner_markers(SIZE_IN), models, 3)


def _with_cards_and_arms(picture: ImageBgr, shot: Shot) -> ImageBgr:
    """The picture with cards on markers, and arms from the nearer long edge."""
    out = picture.copy()
    for marker in corner_markers(SIZE_IN):
        if marker.id in shot.covered:
            corners = shot.camera.table_to_pixel(marker.corners_in)
            (left, top), (right, bottom) = corners.min(0).astype(int) - 12, corners.max(0).astype(int) + 12
            cv2.rectangle(out, (int(left), int(top)), (int(right), int(bottom)), CARD_BGR, -1)
    for u, v in shot.arms:
        edge = SIZE_PX[1] + ARM_PX if v > SIZE_PX[1] / 2 else -ARM_PX
        cv2.line(out, (round(u) + 60, edge), (round(u), round(v)), SKIN_BGR, ARM_PX)
    return out
