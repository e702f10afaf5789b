"""`python -m benchmarks.sequence`: time of every stage over a sequence of 1080p frames, and how it grows with figures.

    python -m benchmarks.sequence [--figures 5,20,60,120,200] [--seconds 30] [--all]

Thirty frames a second of a simulated table; every ten seconds a hand comes for a second and carries a soldier away. The
baseline, in the same run, is one conversion of a frame from BGR to Lab. `--all` searches every frame at rest, as a
program does that does not know where anything changed.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.sight import typical_ms
from calibration.keeper import Keeper
from calibration.opencv import cv2
from calibration.prints import Prints
from vision import pipeline
from vision.figures import Finder
from vision.frame import Frame, ImageBgr
from vision.motion import MotionWatch
from vision.palette import Palette, teach
from vision.pipeline import Pipeline, Setup
from vision.plastic import Sculpt
from vision.simulator import Stage, overhead_camera
from vision.surface import Surface
from vision.table_scene import Model, Scene, corner_markers
from vision.tracking import Tracker

SIZE_IN = (72.0, 48.0)
CAMERA = overhead_camera((1920, 1080), SIZE_IN, 72.0)
PER_S = 30
EVERY_S, HAND_S = 10, 1
NOISES = 4
"""Different grain in so many pictures, one after another: making more takes longer than looking at them."""
STAGES: tuple[tuple[str, type, str], ...] = (
    ("markers watched", Keeper, "look"),
    ("what changed", MotionWatch, "look"),
    ("figures found", Finder, "find"),
    ("ids kept", Tracker, "update"),
)


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", default="5,20,60,120,200")
    parser.add_argument("--seconds", type=int, default=30)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if options.all:
        pipeline.LOOKS = 10**9
    spent = _timed()
    for count in map(int, options.figures.split(",")):
        _run(count, options.seconds, spent)


def _run(count: int, seconds: int, spent: dict[str, list[float]]) -> None:
    scene = scene_of(count)
    stage = Stage(scene, CAMERA)
    first = stage.picture(scene.models)
    baseline_ms = typical_ms(lambda: cv2.cvtColor(first, cv2.COLOR_BGR2LAB), 15)
    setup = Setup(Prints(), CAMERA.lens, _palette(scene, first), Stage(scene.empty, CAMERA).picture(()))
    looker = Pipeline()
    spent.clear()
    frames = events = lost = 0
    began_kib = ended_kib = 0
    total: list[float] = []
    for frame in frames_of(scene, stage, seconds):
        begun = time.perf_counter()
        view = looker.look(frame, setup)
        total.append(1000 * (time.perf_counter() - begun))
        frames += 1
        events += sum(event.kind == "moved" for event in view.tracking.events)
        lost += sum(event.kind == "lost" for event in view.tracking.events)
        ended_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began_kib = began_kib or (ended_kib if frame.time_s > EVERY_S else 0)
    found = len(view.figures)
    print(f"{count} figures ({found} found), {frames} frames; Lab of one {baseline_ms:.1f} ms")
    for name, _, _ in STAGES:
        took = spent[name]
        print(
            f"  {name:16s} {sum(took) / frames:7.2f} ms a frame; {len(took):4d} times, median {np.median(took):.2f} ms"
        )
    mean, late = sum(total) / frames, np.percentile(total, 95)
    print(f"  all              {mean:7.2f} ms a frame, {mean / baseline_ms:.2f} x Lab; 95 % of frames {late:.1f} ms")
    grown_mib = (ended_kib - began_kib) / 1024
    print(f"  moves told {events} of {(seconds - 1) // EVERY_S}, lost {lost}; memory grew {grown_mib:.1f} MiB")


def scene_of(count: int) -> Scene:
    """Two armies in rows on a large table."""
    columns = max(5, round(np.sqrt(count * 1.5)))
    rows = -(-count // columns)
    xs, ys = np.linspace(8, SIZE_IN[0] - 8, columns), np.linspace(6, SIZE_IN[1] - 6, max(rows, 2))
    soldiers = [sculpt for sculpt in Sculpt if sculpt not in (Sculpt.TANK, Sculpt.JEEP)]
    models = []
    for k in range(count):
        army, sculpt = ("green", "tan")[k % 2], soldiers[k % len(soldiers)]
        at = float(xs[k % columns]), float(ys[k // columns])
        models.append(Model(f"m{k}", army, sculpt, *at, facing_deg=37.0 * k % 360))
    return Scene(SIZE_IN, Surface.GRASS, markers=corner_markers(SIZE_IN), models=tuple(models))


def frames_of(scene: Scene, stage: Stage, seconds: int) -> Iterator[Frame]:
    """The sequence: at rest, and every ten seconds a hand."""
    models = scene.models
    rest = _grainy(stage.picture(models))
    for second in range(seconds):
        hand = second % EVERY_S >= EVERY_S - HAND_S
        if hand:
            carried = replace(models[0], x_in=models[0].x_in + (1.5 if second % 20 < 10 else -1.5))
            models = (carried, *models[1:])
            clean = stage.picture(models)
            rest, reached = _grainy(clean), _grainy(_with_arm(clean))
        for k in range(PER_S):
            index = second * PER_S + k
            yield Frame((reached if hand else rest)[index % NOISES], index, index / PER_S)


def _with_arm(picture: ImageBgr) -> ImageBgr:
    out = picture.copy()
    out[600:, 300:480] = (120, 150, 205)
    return out


def _grainy(clean: ImageBgr) -> list[ImageBgr]:
    rng = np.random.default_rng(5)
    grain = [rng.normal(0, 2.5, clean.shape).astype(np.float32) for _ in range(NOISES)]
    return [np.clip(clean + one, 0, 255).astype(np.uint8) for one in grain]


def _palette(scene: Scene, picture: ImageBgr) -> Palette:
    """One click on the first soldier of each army."""
    first = {model.army: model for model in reversed(scene.models)}
    at = {army: CAMERA.table_to_pixel((model.x_in, model.y_in, 0.6))[0] for army, model in first.items()}
    return tuple(teach(picture, (float(x), float(y)), army) for army, (x, y) in at.items())


def _timed() -> dict[str, list[float]]:
    """Milliseconds of every call of each stage from now on."""
    spent: dict[str, list[float]] = defaultdict(list)

    def watched(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*args: Any, **named: Any) -> Any:
            begun = time.perf_counter()
            try:
                return call(*args, **named)
            finally:
                spent[name].append(1000 * (time.perf_counter() - begun))

        return timed

    for name, owner, method in STAGES:
        setattr(owner, method, watched(name, getattr(owner, method)))
    return spent


if __name__ == "__main__":
    main()
