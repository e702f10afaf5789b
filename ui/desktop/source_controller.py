"""An open source and its session."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.worker import Worker
from ui.session import Session
from ui.setup.armies import demo_ground, demo_setup
from ui.table.corrections import Correction
from ui.translation import tr
from vision.frame import Frame
from vision.setup import Setup
from vision.simulation.practice_table import PracticeTable
from vision.simulation.simulator import SimulatedTable
from vision.source import Source, is_camera
from vision.table_view import TableView
from vision.webcam import Webcam

_MAX_LAG_S = 1 / 15
"""If looking takes longer, the picture runs ahead of what is drawn over it."""

CAMERA_RETRY_S = 2.0
"""Time between two attempts to open a camera that does not answer."""

_RATE_OVER_S = 5.0
_SEARCHING_S = 0.5
_IN_FLIGHT = 2
"""Pictures that the reading thread may have started before it learns of a change."""


class SourceController:
    """Pulls results from the threads and decides which picture is shown.

    Attributes:
        frame: The picture to show; None before the first.
        simulated: The simulated table, if open.
        armies: Number of armies to teach; assumed to be two on a real table.
        seen: The newest view without corrections.
    """

    def __init__(self, spec: str, setup: Setup, opener: Callable[[str], Source], clock: Callable[[], float]) -> None:
        """Start opening a source in a thread, with what is known about its table; `clock` returns seconds."""
        self.spec = spec
        self.session = Session(setup)
        self._opener, self._clock = opener, clock
        self._retired: list[Worker] = []
        self._untaught, self._bare = False, False
        self._last_frame_with_armies: int | None = None
        self._battle_index = 0
        self.rate = Rate(clock)
        self._begin()

    @property
    def problem(self) -> str:
        """Why there are no pictures or no inches; empty if nothing is wrong."""
        seen = self.view.problem if self.view else None
        if self.worker.broken:
            return tr("An error stopped the camera or the search for soldiers. Try again.")
        return self.worker.source_problem or self.worker.view_problem or seen or ""

    def _begin(self) -> None:
        self.simulated: SimulatedTable | None = None
        self._webcam: Webcam | None = None
        self.armies = 2
        self._set_up_at = -1
        self.frame: Frame | None = None
        self.seen: TableView | None = None
        self._shown: TableView | None = None
        self._asked: tuple[TableView | None, tuple[Correction, ...]] = (None, ())
        self._newest: Frame | None = None
        retry_s = CAMERA_RETRY_S if is_camera(self.spec) else None
        self.worker = Worker(self.session, self._open, retry_s, self._clock)
        self.worker.start()

    @property
    def practice(self) -> PracticeTable | None:
        """The simulated table as a practice table, if open."""
        return self.simulated if isinstance(self.simulated, PracticeTable) else None

    @property
    def view(self) -> TableView | None:
        """The newest view with the players' corrections; None before the first."""
        asked = (self.seen, self.session.corrections)
        if self.seen is not None and asked != self._asked:
            self._asked, self._shown = asked, self.session.shown(self.seen)
        return self._shown

    def _open(self) -> Source:
        source = self._opener(self.spec)
        if isinstance(source, SimulatedTable):
            self.simulated, source.bare = source, self._bare
            self.armies = len({figure.army for figure in source.truth_at(0.0).figures})  # the picture may be bare
        elif isinstance(source, Webcam):
            self._webcam = source
        return source

    @property
    def locked_settings(self) -> str:
        """The camera's locked exposure and colour settings, as read back; empty for other sources."""
        return self._webcam.held if self._webcam else ""

    @property
    def is_searching(self) -> bool:
        """Whether the search of a picture takes so long that the newest ones wait for it."""
        if self._newest is None or self.seen is None:
            return not self.worker.source_problem
        return self._newest.time_s - self.seen.frame.time_s > _SEARCHING_S

    @property
    def is_still(self) -> bool:
        """Whether the source is a single picture."""
        return self.worker.ended and self.worker.playback is None

    def practise(self, bare: bool) -> None:
        """Hide the simulated table's armies from the session, as on a real table; `bare` takes them off the table."""
        if bare and not self._bare:
            self._last_frame_with_armies = None
        self._untaught, self._bare = True, bare
        if self.simulated is not None:
            self.simulated.bare = bare

    @property
    def is_bare(self) -> bool | None:
        """Whether the picture shows the simulated table without its armies; None unless `practise` removed them."""
        if not self._bare:
            return None
        return (
            self.frame is not None
            and self._last_frame_with_armies is not None
            and self.frame.index > self._last_frame_with_armies
        )

    def try_again(self) -> None:
        """Open the source again; what lies on the table stays."""
        self.worker.stop()
        self._retired = [worker for worker in (*self._retired, self.worker) if not worker.join(0)]
        self.session.new_source()
        self._begin()

    def pull(self) -> bool:
        """Take new results from the threads; return whether there are any."""
        newest, view = self.worker.frame, self.worker.view
        if view is not None and view.frame.index <= self._set_up_at and not self.worker.ended:
            view = None  # measured without the simulated table's lens: its terrain would stand in the wrong place
        if newest is self._newest and view is self.seen:
            return False
        if view is not self.seen:
            self.rate.count()
        self._newest, self.seen = newest, view
        if view is not None:
            self._battle_index = max(self._battle_index, view.frame.index) if self.session.in_play else view.frame.index
        if newest is not None and self.simulated is not None:
            self.simulated.bare = self._bare
            if self._last_frame_with_armies is None:
                self._last_frame_with_armies = newest.index + _IN_FLIGHT
            self._set_up_demo(newest, self.simulated)
        self.frame = self._picture(newest, view)
        return True

    @property
    def looks_back(self) -> bool:
        """Whether a recording is before the place that the battle has reached: no soldier has moved back."""
        is_before = self.seen is not None and self.seen.frame.index < self._battle_index
        return is_before and self.worker.playback is not None

    def look_ahead(self) -> None:
        """Go back to the place of a recording that the battle has reached."""
        if (playback := self.worker.playback) is not None:
            playback.go_to(self._battle_index * playback.step_s)

    def _set_up_demo(self, frame: Frame, table: SimulatedTable) -> None:
        setup = self.session.state.setup
        if setup.palette or self.session.can_undo is not None:  # keep what the player taught or forgot
            return
        if not self._untaught:
            self.session.reset(demo_setup(frame, table.truth_at(frame.time_s), table.empty_bgr))
        elif setup.lens is None:
            self.session.reset(demo_ground(table.truth))
        else:
            return
        self._set_up_at = (self.worker.frame or frame).index

    def _picture(self, newest: Frame | None, view: TableView | None) -> Frame | None:
        """The view's own picture while looking keeps up, otherwise the newest; never older than the one shown."""
        if view is None or newest is None:
            return newest
        still = self.worker.held or self.worker.ended
        late = newest.time_s - view.frame.time_s > _MAX_LAG_S and not still
        late |= newest.scene != view.frame.scene
        chosen = newest if late else view.frame
        return chosen if self.frame is None or chosen.time_s >= self.frame.time_s else self.frame

    def stop(self) -> None:
        """Ask all threads to end."""
        self.worker.stop()

    def join(self, timeout_s: float = 12.0) -> bool:
        """Wait for all threads; return whether they have ended."""
        ended = [worker.join(timeout_s) for worker in (*self._retired, self.worker)]
        return all(ended)


class Rate:
    """Counts events per second over the last few seconds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._times_s: list[float] = []

    def count(self) -> None:
        self._times_s = [*self._recent_times_s(), self._clock()]

    def per_second(self) -> float:
        recent = self._recent_times_s()
        return (len(recent) - 1) / (recent[-1] - recent[0]) if len(recent) > 1 else 0.0

    def _recent_times_s(self) -> list[float]:
        now_s = self._clock()
        return [time_s for time_s in self._times_s if now_s - time_s < _RATE_OVER_S]
