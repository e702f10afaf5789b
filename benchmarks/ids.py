"""Compare id stability of this program's tracker with ByteTrack (supervision) and norfair on the same detections.

    python -m benchmarks.ids [--rounds N] [FOLDER]

Twenty-four soldiers of two armies stand on a simulated table that is analysed five times a second; in each round an
arm reaches in, hides the soldiers below it, and moves one by 2 to 12 in. FOLDER holds a rendered sequence instead
(frame_NNN.jpg with its truth in frame_NNN.json, sequence.json). This program's finder analyses every picture, and all
trackers get its detections. supervision and norfair are not dependencies of the project and are skipped if they are
not installed. To create an environment with them:

    python -m venv ENV; ENV/bin/pip install -r requirements.lock; ENV/bin/pip install "supervision<0.27"
    ENV/bin/pip install --no-deps norfair filterpy rich; ENV/bin/python -m benchmarks.ids

An id change is counted when a soldier is reported under another id than the last time. Recall counts the visible
soldiers. The time of an update is relative to this program's.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from benchmarks.accuracy import SOLDIERS
from benchmarks.page import Table, number
from benchmarks.scenes import SEEN, camera_of, clicks_by_labels, image_of, piece_of, place_of
from benchmarks.sequence import palette_of
from calibration.camera import TableCamera
from rules.tabletop.table import POSTURE_HEIGHT_IN
from vision.figure_search import Sighting
from vision.figures import Finder
from vision.frame import ImageBgr
from vision.palette import Palette, teach
from vision.simulation.scene import Model, Scene, corner_markers
from vision.simulation.simulator import Sensor, Stage, overhead_camera
from vision.simulation.surface import Surface
from vision.tracking import Tracker

SIZE_IN = (48.0, 36.0)
CAMERA = overhead_camera((1280, 720), SIZE_IN)
REST, HAND = 4, 3
"""Pictures per round without and with the arm."""
MATCH_IN = 1.0
LIBRARIES = ("supervision", "norfair")
Reported = list[tuple[str, tuple[float, float]]]
"""Ids and their reported places, in inches."""


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """One picture of a sequence; `truth` has the place of every visible soldier by its true name."""

    sightings: tuple[Sighting, ...]
    truth: Mapping[str, tuple[float, float]]
    hand: bool
    camera: TableCamera


class Contender:
    """A tracker under test: `update` takes the next picture's sightings and returns ids."""

    def __init__(self, update: Callable[[Picture], Reported]) -> None:
        self.update = update
        self.changes = self.hit = self.in_sight = 0
        self.used_s = 0.0
        self._known_as: dict[str, str] = {}

    def count(self, picture: Picture) -> None:
        """Update the tracker with a picture, and count errors."""
        began_s = time.process_time()
        reported = self.update(picture)
        self.used_s += time.process_time() - began_s
        names = list(picture.truth)
        self.in_sight += len(names)
        if not reported:
            return
        true, places = np.array([picture.truth[name] for name in names]), np.array([at for _, at in reported])
        gap = np.linalg.norm(true[:, None] - places[None], axis=2)
        for row, column in zip(*linear_sum_assignment(np.minimum(gap, 50)), strict=True):
            if gap[row, column] < MATCH_IN:
                self.hit += 1
                self.changes += self._known_as.setdefault(names[row], reported[column][0]) != reported[column][0]
                self._known_as[names[row]] = reported[column][0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("folder", type=Path, nargs="?")
    options = parser.parse_args()
    if missing():
        print(f"not installed, and passed over: {', '.join(missing())}")
    print(table(options.rounds, options.folder).markdown())


def missing() -> list[str]:
    """The libraries that are not installed."""
    return [name for name in LIBRARIES if importlib.util.find_spec(name) is None]


def table(rounds: int, folder: Path | None = None) -> Table:
    """The page's table: all trackers on the same detections."""
    runners = {
        "this program's tracker": Contender(_ours(Tracker(), frozen=False)),
        "the same, paused while a hand is in (as in the program)": Contender(_ours(Tracker(), frozen=True)),
    }
    if "supervision" not in missing():
        runners["ByteTrack, default settings"] = Contender(_byte_track())
        runners["ByteTrack, with frame rate and a 30 s buffer"] = Contender(
            _byte_track(frame_rate=5, lost_track_buffer=30 * 30)
        )
    if "norfair" not in missing():
        runners["norfair, in inches, with separate armies"] = Contender(_norfair(again_in=None))
        runners["norfair, with re-identification within 36 in"] = Contender(_norfair(again_in=36.0))
    looks = 0
    for picture in _simulated(rounds) if folder is None else _rendered(folder):
        looks += 1
        for runner in runners.values():
            runner.count(picture)
    own_s = runners["this program's tracker"].used_s
    rows = [
        (name, str(one.changes), f"{one.hit / one.in_sight:.3f}", number(one.used_s / own_s))
        for name, one in runners.items()
    ]
    words = f"{looks} pictures; an update of this program takes {1000 * own_s / looks:.1f} processor ms here."
    return Table("ids", ("", "changes of id", "recall", "time of an update, x this program's"), rows, words)


def _ours(tracker: Tracker, *, frozen: bool) -> Callable[[Picture], Reported]:
    last: Reported = []

    def update(picture: Picture) -> Reported:
        nonlocal last
        if not (frozen and picture.hand):
            last = [(one.id, one.centre_in) for one in tracker.update(picture.sightings).figures]
        return last

    return update


def _byte_track(**options: Any) -> Callable[[Picture], Reported]:
    import supervision

    tracker = supervision.ByteTrack(**options)

    def update(picture: Picture) -> Reported:
        if not picture.sightings:
            tracker.update_with_detections(supervision.Detections.empty())
            return []
        armies = sorted({one.army for one in picture.sightings})
        seen = supervision.Detections(
            xyxy=np.array([_box_px(one, picture.camera) for one in picture.sightings]),
            confidence=np.array([one.confidence for one in picture.sightings]),
            class_id=np.array([armies.index(one.army) for one in picture.sightings]),
            data={"at": np.array([(one.x_in, one.y_in) for one in picture.sightings])},
        )
        kept = tracker.update_with_detections(seen)
        if not len(kept):
            return []
        return [(str(name), (x, y)) for name, (x, y) in zip(kept.tracker_id, kept.data["at"].tolist(), strict=True)]

    return update


def _norfair(again_in: float | None) -> Callable[[Picture], Reported]:
    import norfair

    def apart_in(new: Any, lost: Any) -> float:
        return float(np.linalg.norm(new.estimate - lost.estimate)) if new.label == lost.label else float("inf")

    again = {} if again_in is None else {
        "reid_distance_function": apart_in, "reid_distance_threshold": again_in, "reid_hit_counter_max": 150
    }  # fmt: skip
    tracker = norfair.Tracker(
        distance_function="euclidean", distance_threshold=MATCH_IN, initialization_delay=1, hit_counter_max=5, **again
    )

    def update(picture: Picture) -> Reported:
        seen = [norfair.Detection(np.array([[one.x_in, one.y_in]]), label=one.army) for one in picture.sightings]
        return [(str(one.id), tuple(one.estimate[0].tolist())) for one in tracker.update(seen)]

    return update


def _box_px(one: Sighting, camera: TableCamera) -> list[float]:
    """Left, top, right, bottom of a figure's bounding box."""
    base = np.array(one.base_in)
    top_in = one.z_in + POSTURE_HEIGHT_IN[one.posture]
    body = np.concatenate([np.c_[base, np.full(len(base), z)] for z in (one.z_in, top_in)])
    px = camera.table_to_pixel(body)
    return [*px.min(axis=0).tolist(), *px.max(axis=0).tolist()]


def _simulated(rounds: int) -> Iterator[Picture]:
    rng = np.random.default_rng(4)
    scene = _scene()
    stage, sensor = Stage(scene, CAMERA), Sensor(CAMERA.lens.image_size, 2.2, rng)
    empty = sensor.exposure(Stage(scene.empty, CAMERA).picture(()))
    palette = palette_of(scene, stage.picture(scene.models), CAMERA)
    finder, models = Finder(), scene.models

    def analysed(picture: ImageBgr, arm: int | None, here: Sequence[Model]) -> Picture:
        shown = picture.copy()
        if arm is not None:
            shown[CAMERA.lens.image_size[1] // 3 :, arm : arm + 70] = (120, 150, 205)
        found = finder.find(sensor.exposure(shown), CAMERA, palette, reference_bgr=empty)
        return Picture(
            found, {one.id: (one.x_in, one.y_in) for one in here if not _hidden(one, arm)}, arm is not None, CAMERA
        )

    for _ in range(rounds):
        for _ in range(REST):
            yield analysed(stage.picture(models), None, models)
        model = models[int(rng.integers(len(models)))]
        others = tuple(one for one in models if one is not model)
        column = int(
            np.clip(CAMERA.table_to_pixel((model.x_in, model.y_in, 1.0))[0, 0] - 35, 0, CAMERA.lens.image_size[0] - 70)
        )
        for _ in range(HAND):
            yield analysed(stage.picture(others), column, others)
        models = (*others, _set_down(model, others, rng))
    for _ in range(REST):
        yield analysed(stage.picture(models), None, models)


def _scene() -> Scene:
    rng = np.random.default_rng(2)
    models = tuple(
        Model(
            f"m{n}", ("green", "tan")[n % 2], SOLDIERS[n % len(SOLDIERS)],
            7.0 + 6.6 * (n % 6) + rng.uniform(-1.5, 1.5), 9.0 + 6.0 * (n // 6) + rng.uniform(-1.5, 1.5),
            facing_deg=float(rng.uniform(0, 360)),
        )
        for n in range(24)
    )  # fmt: skip
    return Scene(SIZE_IN, Surface.FELT, markers=corner_markers(SIZE_IN), models=models)


def _set_down(model: Model, others: Sequence[Model], rng: np.random.Generator) -> Model:
    while True:
        way, turn = rng.uniform(2, 12), rng.uniform(0, 2 * np.pi)
        x, y = model.x_in + way * np.cos(turn), model.y_in + way * np.sin(turn)
        free = all(np.hypot(x - one.x_in, y - one.y_in) > 1.6 for one in others)
        if free and 4 < x < SIZE_IN[0] - 4 and 6 < y < SIZE_IN[1] - 6:
            return replace(model, x_in=float(x), y_in=float(y))


def _hidden(model: Model, arm: int | None) -> bool:
    u, v = CAMERA.table_to_pixel((model.x_in, model.y_in, 1.0))[0]
    return arm is not None and bool(arm - 15 < u < arm + 85 and v > CAMERA.lens.image_size[1] / 3 - 15)


def _rendered(folder: Path) -> Iterator[Picture]:
    """A rendered sequence, with its true cameras and terrain, and a known empty table."""
    frames = json.loads((folder / "sequence.json").read_text())["frames"]
    (empty,) = folder.glob("*_empty.jpg")
    finder, first = Finder(), None
    palette: Palette = ()
    for frame in frames:
        truth = json.loads((folder / frame["truth"]).read_text())
        image, camera = image_of(folder / frame["image"]), camera_of(truth)
        if first is None:
            reference, first = image_of(empty), camera
            clicks = clicks_by_labels(truth, (folder / frame["image"]).with_name(truth["id_map"]))
            palette = tuple(teach(image, px, army) for army, px in clicks)
        corners = [np.array(one["corners_table"])[:, :2] for one in truth["markers"]]
        found = finder.find(
            image,
            camera,
            palette,
            terrain=tuple(piece_of(one) for one in truth["terrain"]),
            reference_bgr=reference,
            reference_camera=first,
            keep_out_in=[tuple(map(tuple, one.mean(0) + (one - one.mean(0)) * 1.4)) for one in corners],
        )
        seen = [one for one in truth["figures"] if one["visible_fraction"] * one["in_frame_fraction"] >= SEEN]
        yield Picture(found, {one["id"]: place_of(one) for one in seen}, frame["hand"] is not None, camera)


if __name__ == "__main__":
    main()
