"""Three armies taught in several orders, with pauses, undo and the empty table in between, end correctly."""

from __future__ import annotations

import math

import numpy as np
import pytest

from calibration.calibration_targets import CalibrationTargets
from rules.tabletop.table import Figure
from ui.session import Session
from vision.frame import Frame
from vision.search_plan import SEARCHES
from vision.setup import Setup
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import Sensor, Stage, overhead_camera, truth_of
from vision.simulation.surface import Surface
from vision.table_view import TableView

SIZE_IN = (30.0, 20.0)
CAMERA = overhead_camera((960, 540), SIZE_IN, 40.0)
ARMIES = ("green", "grey", "tan")
MODELS = tuple(
    Model(
        f"{army}-{n}",
        army,
        Sculpt.RIFLEMAN if n % 2 else Sculpt.OFFICER,
        5.0 + 4.5 * n,
        5.0 + 5 * row,
        facing_deg=40.0 * n,
    )
    for row, army in enumerate(ARMIES)
    for n in range(3)
)
SCENE = Scene(SIZE_IN, Surface.FELT, markers=corner_markers(SIZE_IN), models=MODELS)
TRUTH = truth_of(SCENE, CAMERA)
STAGE = Stage(SCENE, CAMERA)
SENSOR = Sensor(CAMERA.lens.image_size, 2.2, np.random.default_rng(5))


class Table:
    """A session that processes the same table repeatedly, as the window's thread does."""

    def __init__(self) -> None:
        setup = Setup(prints=CalibrationTargets(layout=TRUTH.markers), lens=CAMERA.lens)
        self.session, self._index = Session(setup), 0
        self.view: TableView = self.look()

    def frame(self, models: tuple[Model, ...] = MODELS) -> Frame:
        self._index += 1
        image = SENSOR.exposure(STAGE.picture(models))
        return Frame(image, self._index, float(self._index))

    def look(self, times: int = 1) -> TableView:
        for _ in range(times):
            self.view = self.session.shown(self.session.process(self.frame()))
        return self.view

    def teach(self, army: str) -> None:
        soldier = next(figure for figure in TRUTH.figures if figure.army == army)
        u, v = CAMERA.table_to_pixel((*soldier.centre_in, 0.08))[0]
        self.session.teach(self.frame(), army, (float(u), float(v)))

    @property
    def wrong(self) -> list[str]:
        """Soldiers that were not found, or are in the wrong army."""
        return [true.id for true in TRUTH.figures if not self._is_right(true)]

    def _is_right(self, true: Figure) -> bool:
        return any(
            figure.army == true.army
            and figure.id.startswith(true.army)
            and math.dist(figure.centre_in, true.centre_in) < 0.4
            for figure in self.view.figures
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("order", "pictures"),
    [(("green", "grey", "tan"), 1), (("grey", "tan", "green"), SEARCHES + 1), (("tan", "green", "grey"), SEARCHES + 1)],
)
def test_armies_taught_in_any_order_end_correct(order: tuple[str, ...], pictures: int) -> None:
    """Each army is the first once; the next is taught at once, or after all known armies are tracked."""
    table = Table()
    for army in order:
        table.teach(army)
        table.look(pictures)
    table.look(2)
    assert table.wrong == []
    assert len(table.view.figures) == len(TRUTH.figures)


@pytest.mark.slow
def test_undo_and_the_empty_table_do_not_change_the_result() -> None:
    table = Table()
    table.teach("green")
    table.look(SEARCHES + 1)
    table.teach("tan")
    table.look(2)
    table.session.undo()
    table.look(SEARCHES + 1)
    assert {figure.army for figure in table.view.figures} == {"green"}
    table.session.learn_empty_table(table.frame(()))
    table.look(2)
    table.teach("grey")
    table.look(3)
    table.teach("tan")
    table.look(3)
    assert table.wrong == []
    table.session.forget_army("grey")
    table.look(2)
    assert {figure.army for figure in table.view.figures} <= {"green", "tan"}


@pytest.mark.slow
def test_the_clicked_figure_is_in_its_army_in_the_next_picture() -> None:
    table = Table()
    table.teach("green")
    table.look(SEARCHES + 1)
    table.teach("tan")
    table.look()
    clicked = next(figure for figure in TRUTH.figures if figure.army == "tan")
    seen = min(table.view.figures, key=lambda figure: math.dist(figure.centre_in, clicked.centre_in))
    assert seen.army == "tan"


@pytest.mark.slow
def test_rulers_follow_figures_whose_army_changes() -> None:
    table = Table()
    table.teach("green")
    table.look(3)
    # Figures found as green are measured before the other armies are taught.
    a, b = sorted(table.view.figures, key=lambda figure: figure.x_in)[:2]
    table.session.lay_ruler(a.id, b.id)
    table.teach("tan")
    table.teach("grey")
    table.look(3)
    [ruler] = table.session.state.rulers
    assert {ruler.a, ruler.b} <= {figure.id for figure in table.view.figures}
