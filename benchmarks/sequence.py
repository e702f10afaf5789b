"""Time of every stage over a sequence of 1080p frames, and how it grows with the number of figures.

    python -m benchmarks.sequence [--figures 5,20,60,120,200] [--seconds 31] [--all]

Thirty frames a second of a simulated table; every ten seconds a hand comes for a second and carries a soldier away. The
baseline, in the same run and in turn with the frames, is one conversion of a frame from BGR to Lab. `--all` searches
every frame at rest, like a program without change detection.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.accuracy import SOLDIERS
from benchmarks.memory import resident_mib
from benchmarks.page import Budget, Table, number
from calibration.calibration_targets import CalibrationTargets
from calibration.calibration_tracker import CalibrationTracker
from calibration.camera import TableCamera
from calibration.opencv import cv2
from vision import figure_search, figures, search_plan
from vision.figures import Finder
from vision.frame import Frame, ImageBgr
from vision.ground import Grounds
from vision.motion import MotionDetector
from vision.palette import Palette, teach
from vision.pipeline import Pipeline
from vision.recogniser import Recogniser
from vision.setup import Setup
from vision.simulation.scene import Model, Scene, corner_markers
from vision.simulation.simulator import Stage, overhead_camera
from vision.simulation.surface import Surface
from vision.tracking import Tracker

SIZE_IN = (72.0, 48.0)
CAMERA = overhead_camera((1920, 1080), SIZE_IN, 72.0)
FIGURES = (5, 20, 60, 120, 200)
PER_S = 30
EVERY_S, HAND_S = 10, 1
LAB_EVERY = 15
"""Frames between two runs of the baseline."""
NOISES = 4
"""Number of pictures with different noise; generating more takes longer than analysing them."""
Stages = tuple[tuple[str, Any, str], ...]
STAGES: Stages = (
    ("marker tracking", CalibrationTracker, "update"),
    ("change detection", MotionDetector, "detect"),
    ("figure search", Finder, "find"),
    ("id tracking", Tracker, "update"),
)
SEARCH: Stages = (
    ("rectified", Grounds, "rectified"),
    ("table colours", figures, "likelihood"),
    ("evidence", figure_search, "army_evidence"),
    ("tiles proposed", figure_search, "propose_tiles"),
    ("finder", Recogniser, "hints"),
    ("judge", Recogniser, "looks"),
)
"""Stages of a search of the whole picture."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Results of a sequence. Times are processor times of all threads in milliseconds, without the first second, in
    which the whole picture is searched eight times; `search_table` measures that.

    Attributes:
        count: Number of soldiers on the table.
        found: Number of soldiers found at the end.
        stage_ms: Times of all calls by stage.
        frame_ms, frame_wall_ms: Processor and wall-clock times of all frames.
        lab_ms, lab_wall_ms: Times of all baseline runs.
        reported_moves, moves: Number of reported moves and of actual moves.
        grown_mib: Growth of memory from the end of the first ten seconds to that of the last ten.
    """

    count: int
    found: int
    stage_ms: Mapping[str, Sequence[float]]
    frame_ms: Sequence[float]
    frame_wall_ms: Sequence[float]
    lab_ms: Sequence[float]
    lab_wall_ms: Sequence[float]
    reported_moves: int
    moves: int
    grown_mib: float

    def a_frame(self, stage: str) -> float:
        """Milliseconds of a stage per frame."""
        return sum(self.stage_ms[stage]) / len(self.frame_ms)

    @property
    def ratio(self) -> float:
        """Mean frame over median baseline, in processor time."""
        return float(np.mean(self.frame_ms) / np.median(self.lab_ms))

    @property
    def wall_ratio(self) -> float:
        """Mean frame over median baseline, in wall-clock time; the baseline uses several cores more easily."""
        return float(np.mean(self.frame_wall_ms) / np.median(self.lab_wall_ms))


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--figures", default=",".join(map(str, FIGURES)))
    parser.add_argument("--seconds", type=int, default=31)
    parser.add_argument("--all", action="store_true")
    options = parser.parse_args()
    if options.all:
        search_plan.SEARCHES = 10**9
    for run in runs([int(count) for count in options.figures.split(",")], options.seconds):
        print(
            f"{run.count} figures ({run.found} found), {len(run.frame_ms)} frames; Lab {np.median(run.lab_ms):.1f} ms"
        )
        for name, took in run.stage_ms.items():
            print(
                f"  {name:16s} {run.a_frame(name):7.2f} ms a frame; {len(took)} times, median {np.median(took):.2f} ms"
            )
        print(
            f"  all              {np.mean(run.frame_ms):7.2f} ms a frame, {run.ratio:.2f} x Lab"
            f" (on the wall {run.wall_ratio:.2f}); 95 % of frames {np.percentile(run.frame_ms, 95):.1f} ms"
        )
        print(f"  moves reported {run.reported_moves} of {run.moves}; memory grew {run.grown_mib:.1f} MiB", flush=True)


def table(counts: Sequence[int], seconds: int) -> Table:
    """The page's table: the stages of a frame, and the design's budget."""
    head = ("figures", *(name for name, _, _ in STAGES), "all, x Lab", "wall clock", "moves reported", "memory grew")
    rows, budgets = [], []
    for run in runs(counts, seconds):
        lab_ms = float(np.median(run.lab_ms))
        parts = [number(run.a_frame(name) / lab_ms) for name, _, _ in STAGES]
        ratios = [number(run.ratio), number(run.wall_ratio)]
        rows.append(
            (str(run.count), *parts, *ratios, f"{run.reported_moves} of {run.moves}", f"{run.grown_mib:.1f} MiB")
        )
        if run.count == 60:
            budgets.append(Budget("vision, a 1080p frame, 60 figures, markers tracked", run.ratio, 0.6, "x Lab"))
            budgets.append(Budget("memory over the sequence (hours: `tools.endurance`)", run.grown_mib, 2, "MiB"))
    words = f"One Lab is {lab_ms:.1f} processor ms here; {seconds} s of thirty frames each."
    return Table("sequence", head, rows, words, tuple(budgets))


def search_table(counts: Sequence[int], rounds: int) -> Table:
    """The page's table: a search of the whole picture by stage, with known terrain."""
    rows, budgets = [], []
    for count in counts:
        scene = scene_of(count)
        stage = Stage(scene, CAMERA)
        frame = Frame(_grainy(stage.picture(scene.models))[0], 0, 0.0)
        setup = _setup(scene, frame.image_bgr)
        with _StageTimer((("whole", Finder, "find"), *SEARCH)) as spent:
            pipeline, lab_s = Pipeline(), 0.0
            for k in range(rounds + 1):
                pipeline.process(Frame(frame.image_bgr, k, 10.0 * k), replace(setup))
                lab_s += _seconds(lambda: cv2.cvtColor(frame.image_bgr, cv2.COLOR_BGR2LAB)) if k else 0.0  # noqa: B023
                if not k:  # the first search also prepares the terrain
                    for took in spent.values():
                        took.clear()
        lab_ms = 1000 * lab_s / rounds
        parts = [sum(spent[name]) / rounds / lab_ms for name, _, _ in SEARCH]
        whole = sum(spent["whole"]) / rounds / lab_ms
        rows.append((str(count), *map(number, parts), number(whole)))
        if count == 60:
            budgets.append(Budget("a search of the whole picture, 60 figures", whole, 30, "x Lab"))
    head = ("figures", *(name for name, _, _ in SEARCH), "all, x Lab")
    return Table("search", head, rows, budgets=tuple(budgets))


def runs(counts: Sequence[int], seconds: int) -> Iterator[Run]:
    """One sequence for each number of soldiers."""
    for count in counts:
        with _StageTimer(STAGES) as spent:
            yield _run(count, seconds, spent)


def _run(count: int, seconds: int, spent: dict[str, list[float]]) -> Run:
    scene = scene_of(count)
    stage = Stage(scene, CAMERA)
    first = stage.picture(scene.models).copy()
    setup = _setup(scene, first)
    pipeline = Pipeline()
    reported_moves, began_mib, ended_mib = 0, 0.0, 0.0
    frame_s: list[tuple[float, float]] = []
    lab_s: list[tuple[float, float]] = []
    for frame in frames_of(scene, stage, seconds):
        before = time.process_time(), time.perf_counter()
        view = pipeline.process(frame, setup)
        took_s = (time.process_time() - before[0], time.perf_counter() - before[1])
        reported_moves += sum(event.kind == "moved" for event in view.tracking.events)
        if frame.index == PER_S:
            for took in spent.values():  # drop the start
                took.clear()
        if frame.index > PER_S:
            frame_s.append(took_s)
        if frame.index > PER_S and frame.index % LAB_EVERY == 0:
            before = time.process_time(), time.perf_counter()
            cv2.cvtColor(frame.image_bgr, cv2.COLOR_BGR2LAB)
            lab_s.append((time.process_time() - before[0], time.perf_counter() - before[1]))
        if frame.index and frame.index % (EVERY_S * PER_S) == 0:
            ended_mib = resident_mib()
            began_mib = began_mib or ended_mib
    return Run(
        count=count,
        found=len(view.figures),
        stage_ms=dict(spent),
        frame_ms=[1000 * one for one, _ in frame_s],
        frame_wall_ms=[1000 * one for _, one in frame_s],
        lab_ms=[1000 * one for one, _ in lab_s],
        lab_wall_ms=[1000 * one for _, one in lab_s],
        reported_moves=reported_moves,
        moves=(seconds - 1) // EVERY_S,
        grown_mib=ended_mib - began_mib,
    )


def scene_of(count: int) -> Scene:
    """Two armies in rows on a large table."""
    columns = max(5, round(np.sqrt(count * 1.5)))
    rows = -(-count // columns)
    xs, ys = np.linspace(8, SIZE_IN[0] - 8, columns), np.linspace(6, SIZE_IN[1] - 6, max(rows, 2))
    models = []
    for k in range(count):
        army, sculpt = ("green", "tan")[k % 2], SOLDIERS[k % len(SOLDIERS)]
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
    return [np.clip(clean + one, 0, 255).astype(np.uint8) for one in _grain(clean.shape)]


@cache
def _grain(shape: tuple[int, ...]) -> tuple[npt.NDArray[np.int16], ...]:
    rng = np.random.default_rng(5)
    return tuple(np.rint(2.5 * rng.standard_normal(shape, np.float32)).astype(np.int16) for _ in range(NOISES))


def _setup(scene: Scene, picture: ImageBgr) -> Setup:
    palette, empty_bgr = palette_of(scene, picture, CAMERA), Stage(scene.empty, CAMERA).picture(())
    return Setup(CalibrationTargets(), CAMERA.lens, palette, reference_bgr=empty_bgr)


def palette_of(scene: Scene, picture: ImageBgr, camera: TableCamera) -> Palette:
    """One click on the first soldier of each army."""
    first = {model.army: model for model in reversed(scene.models)}
    at = {army: camera.table_to_pixel((model.x_in, model.y_in, 0.6))[0] for army, model in first.items()}
    return tuple(teach(picture, (float(x), float(y)), army) for army, (x, y) in at.items())


class _StageTimer:
    """A context that records processor milliseconds of every call of each stage."""

    def __init__(self, stages: Stages) -> None:
        self._stages = stages
        self._own = [getattr(owner, method) for _, owner, method in stages]

    def __enter__(self) -> dict[str, list[float]]:
        spent: dict[str, list[float]] = defaultdict(list)
        for (name, owner, method), call in zip(self._stages, self._own, strict=True):
            setattr(owner, method, _timed_call(spent[name], call))
        return spent

    def __exit__(self, *_: object) -> None:
        for (_, owner, method), call in zip(self._stages, self._own, strict=True):
            setattr(owner, method, call)


def _timed_call(spent: list[float], call: Callable[..., Any]) -> Callable[..., Any]:
    def timed(*args: Any, **named: Any) -> Any:
        started_s = time.process_time()
        try:
            return call(*args, **named)
        finally:
            spent.append(1000 * (time.process_time() - started_s))

    return timed


def _seconds(work: Callable[[], object]) -> float:
    started_s = time.process_time()
    work()
    return time.process_time() - started_s


if __name__ == "__main__":
    main()
