"""Measure where a simulated projector paints on the practice table, and whether its light confuses vision.

    python -m benchmarks.projector [--seeds N] [--vision]

For each position of the projector it prints the errors of points painted all over the table (median / 95 % in), those
2 in above it, the share within two stated sigma, and the time that the pictures took to show. With `--vision` the real
finder watches a ruler, a blast and a circle of reach appear.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from benchmarks.accuracy import TWO_SIGMA, spread
from calibration.opencv import cv2
from calibration.projector import Projection
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray
from rules.tabletop.template import Blast
from ui.picture.preview import Preview
from ui.picture.shapes import Line, Shape
from ui.projector import Aligned, Alignment, Light
from ui.session import Session
from ui.setup.armies import demo_setup
from ui.table.finding import Trace, lifted
from ui.theme import PREVIEW
from vision.frame import Frame, ImageBgr
from vision.simulation.projector import SimulatedProjector, hung_projector
from vision.simulation.scene import Scene, demo_scene
from vision.simulation.simulator import STEP_S, SimulatedTable
from vision.table_view import TableView

SIZE_PX = (1280, 720)
_LAG_FRAMES = 4  # of a webcam and a projector: 0.13 s


@dataclass(frozen=True, slots=True)
class Case:
    """A position of the projector and its light."""

    words: str
    keystone_deg: float = 12.0
    turn_deg: float = 1.5
    brightness: float = 1.0
    tint_bgr: tuple[float, float, float] = (1.0, 1.0, 1.0)
    size_px: tuple[int, int] = SIZE_PX

    def hang(self, table: SimulatedTable) -> SimulatedProjector:
        """Hang the projector over a table."""
        size_in = table.table_size_in
        model = hung_projector(self.size_px, size_in, keystone_deg=self.keystone_deg, turn_deg=self.turn_deg)
        table.projector = SimulatedProjector(model, size_in, brightness=self.brightness, tint_bgr=self.tint_bgr)
        return table.projector


CASES = (
    Case("straight above", keystone_deg=0.0),
    Case("keystone 12 degrees"),
    Case("keystone 30 degrees", keystone_deg=30.0),
    Case("from the other side, upside down", keystone_deg=-25.0, turn_deg=181.0),
    Case("a fifth of the lamp's light", brightness=0.2),
    Case("yellowish light", tint_bgr=(0.6, 0.9, 1.0)),
    Case("1024 x 768", size_px=(1024, 768)),
    Case("four times the lamp's light", brightness=4.0),
)


class Room:
    """A simulated table with a projector, whose light the camera sees a little late."""

    def __init__(self, scene: Scene, case: Case = CASES[1]) -> None:
        self.table = SimulatedTable(scene)
        self.projector = case.hang(self.table)
        first = self.frame()
        self.session = Session(demo_setup(first, self.table.truth, self.table.empty_bgr))
        self.case = case

    def frame(self) -> Frame:
        """The next picture."""
        frame = self.table.read()
        assert frame is not None  # it has no end
        return frame

    def look(self, frames: int) -> list[TableView]:
        """What vision sees in the next pictures."""
        return [self.session.process(self.frame()) for _ in range(frames)]

    def align(self, view: TableView) -> tuple[Aligned, float]:
        """Align the projector; also returns the seconds that its pictures were shown.

        Raises:
            UserError: if the alignment fails.
        """
        alignment = Alignment(self.case.size_px, view, self.session.state.setup)
        frames = run(alignment, self.table, self.projector)
        if alignment.aligned is None:
            raise UserError(alignment.problem)
        return alignment.aligned, frames * STEP_S

    def paint(self, shapes: Sequence[Shape]) -> None:
        """Let the projector show shapes."""
        self.projector.picture = picture_of(shapes, self.case.size_px)


def run(
    alignment: Alignment, table: SimulatedTable, projector: SimulatedProjector, lag_frames: int = _LAG_FRAMES
) -> int:
    """Carry out an alignment, whose light the camera sees some frames late; returns the number of its pictures."""
    late, shown, frames = [alignment.picture] * lag_frames, None, 0
    while not alignment.over and (frame := table.read()) is not None:
        late = [*late[1:], alignment.picture]
        if late[0] is not shown:
            shown, projector.picture = late[0], np.repeat(late[0][..., None], 3, axis=2)
        alignment.take(frame)
        frames += 1
    return frames


def picture_of(shapes: Sequence[Shape], size_px: tuple[int, int]) -> ImageBgr:
    """Lines and filled areas on black, as the window paints them but without dashes."""
    picture = np.zeros((size_px[1], size_px[0], 3), np.uint8)
    for line in shapes:
        if isinstance(line, Line) and len(line.points_px) > 1:
            points = np.round(np.array(line.points_px) * 16).astype(np.int32)
            bgr = line.colour[2::-1]
            if line.fill is not None:
                cv2.fillPoly(picture, [points], line.fill[2::-1], cv2.LINE_AA, 4)
            cv2.polylines(picture, [points], line.closed, bgr, round(line.width), cv2.LINE_AA, 4)
    return picture


def painted_errors(
    projection: Projection, projector: SimulatedProjector, size_in: tuple[float, float], height_in: float = 0.0
) -> tuple[FloatArray, FloatArray]:
    """(N,) errors and stated sigmas of light for points all over the table, or at a height above it."""
    x, y = np.meshgrid(np.linspace(1, size_in[0] - 1, 24), np.linspace(1, size_in[1] - 1, 18))
    points = np.c_[x.ravel(), y.ravel(), np.full(x.size, height_in)]
    px = projection.camera.table_to_pixel(points)
    lit = ((px >= 0) & (px < projector.model.lens.image_size)).all(1)
    away = projector.model.pixel_to_table(px[lit], height_in) - points[lit, :2]
    return np.linalg.norm(away, axis=1), projection.sigma_in(points[lit])


def reach_circle(view: TableView) -> Preview:
    """A circle of reach of 6 in around the first soldier, as a battle shows it."""
    x, y = view.figures[0].centre_in
    turns = np.linspace(0, 2 * np.pi, 72, endpoint=False)
    circle = [(x + 6.0 * np.cos(turn), y + 6.0 * np.sin(turn)) for turn in turns]
    return Preview(picked=view.figures[0].id, marks=(Trace(lifted(circle), PREVIEW, closed=True),))


def watch_light(room: Room, frames: int = 30) -> tuple[TableView, list[TableView]]:
    """What vision sees before the alignment, and after it while lines are on the table."""
    before = room.look(12)[-1]
    light = Light(room.align(before)[0])
    views = room.look(3)
    session, figures = room.session, before.figures
    session.lay_ruler(figures[0].id, figures[-1].id)
    session.lay(Blast(figures[len(figures) // 2].centre_in, 3.0))
    for _ in range(frames):
        room.paint(light.painted(views[-1], session.state, reach_circle(before)))
        views += room.look(1)
    return before, views


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--vision", action="store_true")
    options = parser.parse_args()
    for case in CASES:
        errors, high, within, shown_s = [], [], [], []
        for seed in range(options.seeds):
            room = Room(demo_scene(seed), case)
            aligned, seconds = room.align(room.look(1)[0])
            size_in = room.table.table_size_in
            error_in, sigma_in = painted_errors(aligned.projection, room.projector, size_in)
            errors += error_in.tolist()
            within += (error_in < TWO_SIGMA * sigma_in).tolist()
            high += painted_errors(aligned.projection, room.projector, size_in, 2.0)[0].tolist()
            shown_s.append(seconds)
        print(
            f"{case.words:32s} {spread(errors)}   2 in up {spread(high)}   within two sigma {np.mean(within):.2f}"
            f"   {np.mean(shown_s):.1f} s",
            flush=True,
        )
    for seed, brightness in product(range(options.seeds), (1.0, 4.0)) if options.vision else ():
        before, views = watch_light(Room(demo_scene(seed), replace(CASES[1], brightness=brightness)))
        events = [event for view in views for event in view.tracking.events]
        then = {figure.id: np.array(figure.centre_in) for figure in before.figures}
        moved = [float(np.linalg.norm(then[f.id] - f.centre_in)) for f in views[-1].figures if f.id in then]
        print(
            f"table {seed}, light of {brightness:g} lamps: {len(then)} soldiers before, {len(views[-1].figures)} after,"
            f" {len(events)} events, places differ by at most {max(moved):.3f} in",
            flush=True,
        )


if __name__ == "__main__":
    main()
