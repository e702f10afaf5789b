"""Checks whether the picture of the empty table still shows soldiers. No Qt here."""

from __future__ import annotations

from calibration.camera import TableCamera
from rules.tabletop.table import Outline
from ui.background_task import BackgroundTask
from ui.session import TableState
from vision.figures import Finder
from vision.frame import ImageBgr
from vision.palette import Palette
from vision.table_outline import marker_papers
from vision.table_view import TableView

SURE = 0.9
"""Confidence from which a soldier on the empty table counts; prints and leaves seldom reach it."""


def soldiers_on(
    state: TableState, empty_bgr: ImageBgr, camera: TableCamera, papers_in: tuple[Outline, ...] = ()
) -> int:
    """The number of soldiers of known armies on the empty table, in the area of play and with `SURE` confidence.

    It takes 1 to 2 s. Nothing is searched on the markers' papers.
    """
    setup, area = state.setup, state.area
    found = Finder().find(
        empty_bgr,
        camera,
        setup.palette,
        figure_height_in=setup.figure_height_in,
        terrain=setup.terrain,
        keep_out_in=papers_in,
        aside_px=setup.aside_px,
    )
    sure = [(figure.x_in, figure.y_in) for figure in found if figure.confidence >= SURE]
    return sum(area is None or area.holds(place_in) for place_in in sure)


class EmptyTableCheck:
    """Searches the empty table for soldiers in the background, once whenever it or the armies change.

    It does not search what was known before the player's first step.

    Attributes:
        soldiers: Number of soldiers found; 0 also before the search is done.
    """

    def __init__(self) -> None:
        self._task: BackgroundTask[tuple[ImageBgr, int]] = BackgroundTask("sandtable empty table")
        self._checked: tuple[ImageBgr | None, Palette] | None = None
        self._waiting = False
        self.soldiers = 0

    def follow(self, view: TableView | None, state: TableState, *, at_start: bool) -> None:
        """Start a search or take its result; called often. `at_start`: the player has not changed anything yet."""
        setup = state.setup
        result = self._task.take()
        if result is not None and result[0] is setup.reference_bgr:
            self.soldiers = result[1]
        now = (setup.reference_bgr, setup.palette)
        if self._checked is None or now[0] is not self._checked[0] or now[1] != self._checked[1]:
            self._checked, self._waiting = now, not at_start
            self.soldiers = 0
        if not self._waiting or self._task.busy or view is None or view.calibration is None:
            return
        picture_bgr, camera = setup.reference_bgr, view.reference_camera or setup.reference_camera
        if picture_bgr is None or not setup.palette:
            self._waiting = False
        elif camera is not None:
            self._waiting = False
            papers_in = marker_papers(view.calibration)
            self._task.start(lambda: (picture_bgr, soldiers_on(state, picture_bgr, camera, papers_in)))

    def accept(self) -> None:
        """The player confirmed that the table was empty."""
        self.soldiers = 0

    def close(self) -> None:
        """Stop searching."""
        self._task.drop()
