"""Connects the guide with the window: checks the table's progress and performs the steps' buttons."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Protocol

from PyQt6.QtCore import QObject, Qt, QTimer
from PyQt6.QtWidgets import QDockWidget, QLabel, QMainWindow, QMenu, QWidget

from ui.background_task import BackgroundTask
from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.files import BattleFiles
from ui.desktop.panel import SUGGESTED_ARMIES, SidePanel
from ui.desktop.settings import Settings
from ui.desktop.setup.diagnosis_dialog import MarkerCheck
from ui.desktop.setup.guide_bar import GuideBar
from ui.desktop.source_controller import SourceController
from ui.desktop.tools.groups_controller import GroupsController
from ui.setup.cameras import cameras
from ui.setup.colours import proposed
from ui.setup.first_run import Guide, Progress, Standing, Step, guide
from ui.translation import tr

_TICK_MS = 150
_LOOK_EVERY_S = 0.5
_BEFORE_THE_ARMIES = (Step.CAMERA, Step.MARKERS, Step.EMPTY)


class GuidedWindow(Protocol):
    """What the guide uses of the window."""

    source_controller: SourceController
    battle: BattleController
    files: BattleFiles
    panel: SidePanel
    groups: GroupsController

    def open(self, spec: str) -> None: ...
    def open_file(self) -> None: ...
    def print_sheets(self) -> None: ...
    def learn_empty_table(self) -> None: ...
    def use_tool(self, name: str) -> None: ...


class GuideController(QObject):
    """The guide, hidden until it begins.

    Attributes:
        bar: Its bar.
        choices: The sources offered in the first step, listed at each opening.
    """

    def __init__(
        self,
        window: QMainWindow,
        guided: GuidedWindow,
        settings: Settings,
        hint: QLabel,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Add the guide above everything else in the window; it replaces `hint` while it is open."""
        super().__init__(window)
        self._guided, self._settings, self._hint, self._clock = guided, settings, hint, clock
        self.bar, self.choices = GuideBar(), QMenu(window)
        self._dock = QDockWidget(tr("Guide"), window)
        self._dock.setObjectName("guide")
        self._dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        self._dock.setTitleBarWidget(QWidget())
        self._dock.setWidget(self.bar)
        window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._dock)
        self._dock.hide()
        self._progress = Progress()
        self._at: Step | None = None
        self._was_done: bool | None = None
        self._practised: SourceController | None = None
        self._taught: tuple[str, ...] | None = None
        self._look: BackgroundTask[MarkerCheck] = BackgroundTask("sandtable guide")
        self._looked_s = clock()
        self._troubles: tuple[str, ...] = ()
        self._step_actions: dict[Step, Callable[[], object]] = {
            Step.CAMERA: self._offer_sources,
            Step.MARKERS: self._mark,
            Step.EMPTY: guided.learn_empty_table,
            Step.ARMIES: self._confirm_armies,
            Step.GAME: guided.files.new_battle,
            Step.SHOT: lambda: guided.use_tool("measure"),
        }
        self.bar.wanted.connect(self._work)
        self.bar.skipped.connect(self._skip)
        self.bar.left.connect(self.leave)
        self.bar.asked_for.connect(self._go_to)
        self.bar.named.connect(guided.panel.choose)
        self.choices.aboutToShow.connect(self._list_sources)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pull)

    def begin_on_first_start(self) -> None:
        """Start the guide, unless the player has finished or left it before."""
        if not self._settings.was_guided:
            self.begin()

    def begin(self) -> None:
        """Start the guide at the first step that is not done."""
        self._progress, self._at, self._taught = Progress(), None, None
        self._practise()
        self._dock.show()
        self._hint.hide()
        self._timer.start(_TICK_MS)
        self.pull()

    @property
    def at_armies(self) -> bool:
        """Whether the guide is open at the armies' step."""
        return self._at is Step.ARMIES and not self._dock.isHidden()

    def close(self) -> None:
        """Stop checking; the guide starts again next time unless the player left it."""
        self._timer.stop()
        self._look.drop()

    def leave(self) -> None:
        """Close the guide; an untaught simulated table gets its armies back."""
        self.close()
        self._dock.hide()
        self._hint.show()
        self._settings.keep_guided()
        source_controller = self._guided.source_controller
        if source_controller is self._practised and not source_controller.session.state.setup.palette:
            self._guided.open("demo")

    def pull(self) -> None:
        """Update the guide; called by a timer."""
        self._look_for_markers()
        now = self.standing
        self._practise()
        shown = guide(now, self._progress)
        if shown.step is self._at and shown.is_done and self._was_done is False:
            self._progress = self._progress.go_on()  # the step chosen by the player is done now
            shown = guide(now, self._progress)
        self._was_done = shown.is_done
        if shown.step is not self._at:
            self._at = shown.step
            self._enter(shown)
        if self._guided.source_controller is self._practised:
            self._guided.source_controller.practise(bare=shown.step in _BEFORE_THE_ARMIES)
        self._offer_names(now)
        self.bar.show_guide(shown)

    @property
    def standing(self) -> Standing:
        """The progress of the table."""
        source_controller = self._guided.source_controller
        problem = source_controller.worker.source_problem or ""
        return Standing(
            source_controller.spec,
            source_controller.view,
            source_controller.session.state,
            cameras(),
            source_controller.locked_settings,
            problem,
            self._troubles,
            self._guided.battle.play is not None,
            source_controller.armies,
            source_controller.is_bare,
        )

    # The bar's buttons

    def _work(self) -> None:
        if self._at is None:
            self.leave()
            return
        if self._at is not Step.ARMIES:  # its button does not end the step: soldiers must be found first
            self._progress = self._progress.go_on()
        self._step_actions[self._at]()
        self.pull()

    def _confirm_armies(self) -> None:
        """Use the armies found by colour, or let the player teach."""
        if proposed(self.standing.view, self.standing.state):
            self._guided.groups.accept()
        else:
            self._guided.use_tool("teach")

    def _skip(self) -> None:
        if self._at is not None:
            self._progress = self._progress.skip(self._at)
            self.pull()

    def _go_to(self, step: Step) -> None:
        self._progress = self._progress.go_to(step)
        self.pull()

    def _enter(self, shown: Guide) -> None:
        """Select the tool for the step's clicks."""
        if shown.step is Step.ARMIES:
            self._guided.use_tool("teach")
        elif shown.step is Step.SHOT:
            self._guided.use_tool("measure")

    def _practise(self) -> None:
        """Open the simulated table untaught; leave it alone once the player has changed anything."""
        source_controller = self._guided.source_controller
        capitalized = source_controller.session.can_undo is not None or self._guided.battle.play is not None
        if source_controller.spec != "demo" or source_controller is self._practised or capitalized:
            return
        if source_controller.session.state.setup.palette:
            self._guided.open("demo")
        self._practised = self._guided.source_controller
        self._practised.practise(bare=True)

    def _offer_sources(self) -> None:
        self.choices.popup(self.bar.button.mapToGlobal(self.bar.button.rect().bottomLeft()))

    def _list_sources(self) -> None:
        self.choices.clear()
        choices: list[tuple[str, Callable[[], object]]] = [
            (camera.words, partial(self.choose, str(camera.number))) for camera in cameras()
        ]
        choices += [
            (tr("Simulated table"), partial(self.choose, "demo")),
            (tr("Picture or video…"), self._guided.open_file),
        ]
        for words, choose in choices:
            action = self.choices.addAction(words)
            if action is not None:
                action.triggered.connect(partial(_call, choose))

    def choose(self, spec: str) -> None:
        """Open a source and complete the camera step."""
        if spec != self._guided.source_controller.spec:
            self._guided.open(spec)
        self._progress = self._progress.agree(Step.CAMERA)
        self.pull()

    def _mark(self) -> None:
        if self.standing.has_inches:
            self._progress = self._progress.agree(Step.MARKERS)
        else:
            self._guided.print_sheets()

    # Checks

    def _look_for_markers(self) -> None:
        """While the guide waits for markers, find out from time to time why they cannot be used."""
        found = self._look.take()
        if found is not None:
            self._troubles = tuple(trouble.sentence for trouble in found.troubles)
        source_controller, now_s = self._guided.source_controller, self._clock()
        frame, setup = source_controller.frame, source_controller.session.state.setup
        if self._at is not Step.MARKERS or frame is None or now_s - self._looked_s < _LOOK_EVERY_S:
            return
        self._looked_s = now_s
        self._look.start(lambda: MarkerCheck(frame, setup))

    def _offer_names(self, now: Standing) -> None:
        """Suggest the free army names after an army was taught or forgotten."""
        taught = tuple(colour.name for colour in now.state.setup.palette)
        if self._at is Step.ARMIES and taught != self._taught:
            self._taught = taught
            self.bar.offer([name for name in SUGGESTED_ARMIES if name not in taught])


def _call(action: Callable[[], object], _checked: bool = False) -> None:
    action()
