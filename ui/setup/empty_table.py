"""Whether the picture of the empty table still shows soldiers. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from calibration.camera import TableCamera
from rules.tabletop.table import Outline
from ui.background_task import Behind
from ui.session import TableState
from vision.figures import Finder
from vision.frame import ImageBgr
from vision.palette import Palette
from vision.table_outline import marker_papers
from vision.table_view import TableView

SURE = 0.9
"""Confidence from which a soldier on the empty table counts: prints and leaves are seldom believed so much."""


@dataclass(frozen=True, slots=True, eq=False)
class EmptyTable:
    """A picture of the empty table, and what is needed to look for soldiers on it."""

    state: TableState
    picture_bgr: ImageBgr
    camera: TableCamera
    papers_in: tuple[Outline, ...] = ()

    def soldiers(self) -> int:
        """How many soldiers of the known armies surely stand on the part that is played on; takes a second or two."""
        setup, area = self.state.setup, self.state.area
        found = Finder().find(
            self.picture_bgr,
            self.camera,
            setup.palette,
            figure_height_in=setup.figure_height_in,
            terrain=setup.terrain,
            keep_out_in=self.papers_in,
            aside_px=setup.aside_px,
        )
        return sum(one.confidence >= SURE and (area is None or area.holds((one.x_in, one.y_in))) for one in found)


class EmptyTableCheck:
    """Looks for soldiers on the empty table in the background, once whenever that or the armies change.

    What was known before the player's first step is not looked at.

    Attributes:
        soldiers: How many were found; 0 where there are none, or where that is not known yet.
    """

    def __init__(self) -> None:
        self._task: Behind[tuple[ImageBgr, int]] = Behind("sandtable empty table")
        self._checked: tuple[ImageBgr | None, Palette] | None = None
        self._waiting = False
        self.soldiers = 0

    def follow(self, view: TableView | None, state: TableState, *, at_start: bool) -> None:
        """Follow the table; called often.

        Args:
            view: What is seen of it.
            state: What is known of it.
            at_start: Whether the player has not changed anything yet.
        """
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
            table = EmptyTable(state, picture_bgr, camera, marker_papers(view.calibration))
            self._task.start(lambda: (picture_bgr, table.soldiers()))

    def accept(self) -> None:
        """The player says that the table was empty."""
        self.soldiers = 0

    def close(self) -> None:
        """Look no more."""
        self._task.drop()
