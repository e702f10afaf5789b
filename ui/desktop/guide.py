"""The guide in the window: follows the player's progress, does what its buttons say, and lights up what it needs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QObject, QRect, QRectF, Qt, QTimer
from PyQt6.QtWidgets import QDockWidget, QMenu, QWidget

from ui.background_task import BackgroundTask
from ui.battle.first_shot import FirstShot, Need, ShotStep
from ui.desktop.action import add_entry
from ui.desktop.actions import ToolRail
from ui.desktop.commands import Commands
from ui.desktop.guide_bar import GuideBar
from ui.desktop.setup.diagnosis_dialog import MarkerCheck
from ui.desktop.source_controller import SourceController
from ui.desktop.spotlight import Spotlight
from ui.desktop.table.panel import SUGGESTED_ARMIES
from ui.guide import GuideStep, Progress, TableStatus, guide
from ui.hints import TEACH
from ui.setup.armies import found_all, proposed
from ui.setup.cameras import cameras
from ui.translation import tr

_TICK_MS = 150
_CHECK_EVERY_S = 0.5
_BEFORE_THE_ARMIES = (GuideStep.CAMERA, GuideStep.MARKERS, GuideStep.EMPTY)


class GuideController(QObject):
    """The guide, hidden until it begins.

    Attributes:
        bar: Its bar.
        choices: The sources offered in the first step, listed at each opening.
        spotlight: The frame around the control that the current step needs.
    """

    def __init__(self, commands: Commands, rail: ToolRail) -> None:
        """Add the guide above everything else in the window; it replaces the hint, and lights up tools in `rail`."""
        window, self._settings, self._hint = commands.parts.window, commands.parts.settings, commands.parts.hint
        super().__init__(window)
        self._commands = commands
        self.bar, self.choices = GuideBar(), QMenu(window)
        self._dock = QDockWidget(tr("Guide"), window)
        self._dock.setObjectName("guide")
        self._dock.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        self._dock.setTitleBarWidget(QWidget())
        self._dock.setWidget(self.bar)
        window.addDockWidget(Qt.DockWidgetArea.TopDockWidgetArea, self._dock)
        self._dock.hide()
        self._light = GuideLight(commands, rail, self.bar)
        self.spotlight = self._light.spotlight
        self._progress = Progress()
        self._step: GuideStep | None = None
        self._step_was_done: bool | None = None
        self._prepared_source: SourceController | None = None
        self._chosen: str | None = None
        self._followed: SourceController | None = None  # the source at the last update
        self._taught: tuple[str, ...] | None = None
        self._marker_check: BackgroundTask[MarkerCheck] = BackgroundTask("sandtable guide")
        self._checked_s = commands.store.clock()
        self._marker_issues: tuple[str, ...] = ()
        self._step_actions: dict[GuideStep, Callable[[], object]] = {
            GuideStep.CAMERA: self._offer_sources,
            GuideStep.MARKERS: self._mark,
            GuideStep.EMPTY: commands.store.learn_empty_table,
            GuideStep.ARMIES: self._confirm_armies,
            GuideStep.GAME: commands.features.files.new_battle,
            GuideStep.SHOT: lambda: commands.store.use_tool("measure"),
        }
        commands.features.groups.is_guided = lambda: self.at_armies
        commands.features.files.continued.connect(self._leave_for_battle)
        self.bar.button.clicked.connect(self._work)
        self.bar.skip.clicked.connect(self._skip)
        self.bar.leave.clicked.connect(self.leave)
        self.bar.asked_for.connect(self._go_to)
        self.bar.named.connect(commands.parts.panel.choose)
        self.choices.aboutToShow.connect(self._list_sources)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.pull)

    def begin_on_first_start(self) -> None:
        """Start the guide, unless the player has finished or left it before."""
        if not self._settings.was_guided:
            self.begin()

    def begin(self) -> None:
        """Start the guide at the first step that is not done."""
        self._progress, self._step, self._taught, self._followed = Progress(), None, None, None
        self._prepare_simulated_table()
        self._dock.show()
        self._hint.hide()
        self._timer.start(_TICK_MS)
        self.pull()

    @property
    def at_armies(self) -> bool:
        """Whether the guide is open at the armies' step."""
        return self._step is GuideStep.ARMIES and not self._dock.isHidden()

    def close(self) -> None:
        """Stop checking; the guide starts again next time unless the player left it."""
        self._timer.stop()
        self._marker_check.drop()

    def leave(self) -> None:
        """Close the guide; an untaught simulated table gets its armies back."""
        self.close()
        self.spotlight.light(None)
        self._dock.hide()
        self._hint.show()
        self._settings.was_guided = True
        if self._source is self._prepared_source and not self._source.session.state.setup.palette:
            self._commands.store.open("demo")

    def _leave_for_battle(self) -> None:
        """Close the guide if it has just begun: its bare simulated table would lack the soldiers of the battle."""
        if not self._dock.isHidden() and self._step in _BEFORE_THE_ARMIES:
            self.leave()

    @property
    def _source(self) -> SourceController:
        return self._commands.store.source_controller

    def pull(self) -> None:
        """Update the guide; called by a timer."""
        has_opened = self._followed is not None and self._source is not self._followed  # such as from a menu
        if has_opened or self._chosen == self._source.spec:
            self._chosen, self._progress = None, self._progress.agree(GuideStep.CAMERA)
        self._check_markers()
        self._follow_first_shot()
        now = self.table_status
        self._prepare_simulated_table()
        self._followed = self._source
        shown = guide(now, self._progress)
        if shown.step is self._step and shown.is_done and self._step_was_done is False:
            self._progress = self._progress.go_on()  # the step chosen by the player is done now
            shown = guide(now, self._progress)
        self._step_was_done = shown.is_done
        if shown.step is not self._step:
            self._step = shown.step
            self._light.enter(shown.step)
        if self._source is self._prepared_source:
            self._source.practise(bare=shown.step in _BEFORE_THE_ARMIES)
        self._offer_names(now)
        self.bar.show_guide(shown)
        self._light.show(shown.step)

    @property
    def table_status(self) -> TableStatus:
        """The progress of the table."""
        problem = self._source.worker.source_problem or ""
        return TableStatus(
            self._source.spec,
            self._source.view,
            self._source.session.state,
            cameras(),
            self._source.locked_settings,
            problem,
            self._marker_issues,
            self._commands.battle.play is not None,
            self._source.armies,
            self._source.is_bare,
            self._light.need,
            self._commands.battle.turn_bar.button.text().replace("&", ""),
            self._source.is_searching,
            self._source.is_still,
        )

    # The bar's buttons

    def _work(self) -> None:
        if self._step is None:
            self.leave()
            return
        if self._step is not GuideStep.ARMIES:  # its button does not end the step: soldiers must be found first
            self._progress = self._progress.go_on()
        self._step_actions[self._step]()
        self.pull()

    def _confirm_armies(self) -> None:
        """Use the armies found by colour, or let the player teach."""
        if proposed(self.table_status.view, self.table_status.state):
            self._commands.features.groups.accept()
        else:
            self._commands.store.use_tool(TEACH)

    def _skip(self) -> None:
        if self._step is not None:
            self._progress = self._progress.skip(self._step)
            self.pull()

    def _go_to(self, step: GuideStep) -> None:
        self._progress = self._progress.go_to(step)
        self.pull()

    def _follow_first_shot(self) -> None:
        if self._step is GuideStep.SHOT:
            self._light.watch_shot()
            if self._light.need is Need.NOTHING:
                self._progress = self._progress.agree(GuideStep.SHOT)

    def _prepare_simulated_table(self) -> None:
        """Open the simulated table untaught; leave it alone once the player has changed anything."""
        has_begun = self._source.session.can_undo is not None or self._commands.battle.play is not None
        if self._source.spec != "demo" or self._source is self._prepared_source or has_begun:
            return
        if self._source.session.state.setup.palette:
            self._commands.store.open("demo")
        self._prepared_source = self._source
        self._prepared_source.practise(bare=True)

    def _offer_sources(self) -> None:
        now = self.table_status
        if now.spec == "demo" and not now.cameras and not now.problem:
            self.choose("demo")
            return
        self.choices.popup(self.bar.button.mapToGlobal(self.bar.button.rect().bottomLeft()))

    def _list_sources(self) -> None:
        self.choices.clear()
        choices: list[tuple[str, Callable[[], object]]] = [
            (camera.words, partial(self.choose, str(camera.number))) for camera in cameras()
        ]
        choices += [
            (tr("Simulated table"), partial(self.choose, "demo")),
            (tr("Picture or video…"), self._commands.open_file),
        ]
        for words, choose in choices:
            add_entry(self.choices, words, choose)

    def choose(self, spec: str) -> None:
        """Open a source, which completes the camera step once it is open."""
        self._chosen = spec
        if spec != self._source.spec:
            self._commands.store.open(spec)
        self.pull()

    def _mark(self) -> None:
        if self.table_status.has_inches:
            self._progress = self._progress.agree(GuideStep.MARKERS)
        else:
            self._commands.print_sheets()

    # Checks

    def _check_markers(self) -> None:
        """While the guide waits for markers, find out from time to time why they cannot be used."""
        found = self._marker_check.take()
        if found is not None:
            self._marker_issues = tuple(issue.sentence for issue in found.issues)
        now_s = self._commands.store.clock()
        frame, setup = self._source.frame, self._source.session.state.setup
        if self._step is not GuideStep.MARKERS or frame is None or now_s - self._checked_s < _CHECK_EVERY_S:
            return
        self._checked_s = now_s
        self._marker_check.start(lambda: MarkerCheck(frame, setup))

    def _offer_names(self, now: TableStatus) -> None:
        """Suggest the free army names after an army was taught or forgotten."""
        taught = tuple(colour.name for colour in now.state.setup.palette)
        if self._step is GuideStep.ARMIES and taught != self._taught:
            self._taught = taught
            self.bar.offer([name for name in SUGGESTED_ARMIES if name not in taught])


_SOLDIER_PX = 60


class GuideLight:
    """Lights up the control, or the soldier, that the guide's current step needs."""

    def __init__(self, commands: Commands, rail: ToolRail, bar: GuideBar) -> None:
        """Light up controls of the window, or of the guide's own bar."""
        self._store, self._battle, self._panel = commands.store, commands.battle, commands.parts.panel
        self._files = commands.features.files
        self._picture, self._rail, self._sides, self._bar = commands.parts.picture, rail, commands.parts.sides, bar
        self.spotlight = Spotlight(commands.parts.window)
        self._first_shot, self._shot = FirstShot(), ShotStep(Need.PHASE)

    @property
    def need(self) -> Need | None:
        """What the battle needs before its first shot; None without a battle."""
        return self._shot.need if self._battle.play is not None else None

    def watch_shot(self) -> None:
        """Find out what the first shot needs next."""
        battle, panel = self._battle, self._battle.panel
        if battle.play is None or battle.position is None:
            self._shot = ShotStep(Need.SOLDIER, self._to_measure)
        else:
            self._shot = self._first_shot.next_step(
                battle.play,
                battle.position,
                panel.chosen,
                panel.action_list.previews,
                is_rolling=battle.is_rolling,
                must_answer=battle.must_answer,
            )

    def enter(self, step: GuideStep | None) -> None:
        """Select the tool for the step's clicks, and show the panel of its control."""
        if step is GuideStep.ARMIES:
            self._store.use_tool(TEACH)
            self._sides.setCurrentWidget(self._panel)
        elif step is GuideStep.GAME:
            self._sides.setCurrentWidget(self._battle.panel)
        elif step is GuideStep.SHOT:
            self._store.use_tool(self._tool)

    def show(self, step: GuideStep | None) -> None:
        """Light up the control that a step needs now."""
        if self._files.is_setting_up:
            self.spotlight.light(None)
        elif step is GuideStep.ARMIES:
            self._show_armies()
        elif step is GuideStep.GAME:
            self._show_visible(self._battle.panel.games)
        elif step is GuideStep.SHOT:
            self._show_shot()
        else:
            self.spotlight.light(self._bar.button)

    @property
    def _tool(self) -> str:
        """The tool of the first shot."""
        return "measure" if self._battle.play is None else "select"

    def _show_visible(self, control: QWidget) -> None:
        """Light up a control of a panel; while it is hidden, the guide's own button, which does the same."""
        self.spotlight.light(control if control.isVisible() else self._bar.button)

    def _show_armies(self) -> None:
        store, view = self._store, self._store.view
        if view is not None and proposed(view, store.session.state):
            if found_all(view, store.source_controller.armies):
                self._show_visible(self._panel.groups_button)
            else:
                self.spotlight.light(None)
        elif self._bar.busy.isVisible():
            self.spotlight.light(None)
        else:
            self.spotlight.light(self._bar.army if store.tool.name == TEACH else self._rail.groups[TEACH])

    def _show_shot(self) -> None:
        card, need = self._battle.rolling.card, self._shot.need
        places: dict[Need, QWidget | None] = {
            Need.PHASE: self._battle.turn_bar.button,
            Need.MOVE: self._battle.turn_bar.button,
            Need.MOVES: self._battle.panel.pending_moves,
            Need.ROLL: self._battle.panel.do_button,
            Need.DUTY: self._battle.panel.do_button,
            Need.CHOICE: self._battle.panel.action_list,
            Need.DICE: card.roll_button if card is not None else None,
        }
        if need in places:
            self.spotlight.light(places[need])
        elif self._store.tool.name != self._tool:
            self.spotlight.light(self._rail.groups[self._tool])
        else:
            self._show_soldier(self._shot.figure)

    def _show_soldier(self, name: str) -> None:
        view, picture = self._store.view, self._picture
        figure = next((one for one in view.figures if one.id == name), None) if view is not None else None
        if figure is None or view is None or view.calibration is None:
            self.spotlight.light(None)
            return
        [(u, v)] = view.calibration.camera.table_to_pixel((*figure.centre_in, figure.z_in))
        place = QRect(0, 0, _SOLDIER_PX, _SOLDIER_PX)
        place.moveCenter(picture.to_widget((float(u), float(v))).toPoint())
        labels = [QRectF(left, top, right - left, bottom - top) for left, top, right, bottom in picture.taken.boxes]
        self.spotlight.light(picture, place, [label.toAlignedRect() for label in labels])

    @property
    def _to_measure(self) -> str:
        """A soldier to measure from or, once the ruler has begun, one of another army; empty if none is seen."""
        view = self._store.view
        figures = view.figures if view is not None else ()
        picked = self._store.tool.preview(None).picked
        own = {one.army for one in figures if one.id == picked}
        return next((one.id for one in figures if one.army not in own), "")
