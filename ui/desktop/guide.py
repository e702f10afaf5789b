"""The guide in the window: its bar, the light around the control that a step needs, and what its buttons do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import QEvent, QObject, QPoint, QRect, QRectF, Qt, QTimer, pyqtSignal
from PyQt6.QtGui import QColor, QPaintEvent, QPen
from PyQt6.QtWidgets import QComboBox, QDockWidget, QFrame, QMenu, QProgressBar, QToolButton, QWidget

from ui.background_task import BackgroundTask
from ui.desktop.actions import ToolRail
from ui.desktop.commands import Commands
from ui.desktop.picture.image import painting
from ui.desktop.setup.diagnosis_dialog import MarkerCheck
from ui.desktop.source_controller import SourceController
from ui.desktop.table.panel import SUGGESTED_ARMIES
from ui.desktop.theme import make_primary
from ui.desktop.widgets import (
    FittedLabel,
    button_with_tip,
    escape_markup,
    in_column,
    in_row,
    keep_place,
    markup_label,
    set_font,
)
from ui.guide import TEACH, FirstShot, Guide, GuideStep, Need, Progress, ShotStep, StepMark, TableStatus, guide
from ui.rules_text import side_name, stored_name
from ui.setup.armies import found_all, proposed
from ui.setup.cameras import cameras
from ui.theme import WHITE, faded
from ui.translation import tr

_SIGN = {StepMark.DONE: "✓", StepMark.NOW: "▸", StepMark.SKIPPED: "»", StepMark.AHEAD: "·"}
_TICKS = {True: "✓", False: "✗", None: "·"}
_WORDS_PX = 40
"""Two lines of 14 pixels or one of 18, with margins; without ticks their place is added."""
_BUSY_PX = 160


class GuideBar(QFrame):
    """Shows a `Guide`; independent of the table.

    Signals:
        wanted: The step's button was pressed.
        skipped: Skip the step.
        left: Close the guide.
        asked_for: Go to this `GuideStep`.
        named: The next click teaches this army.
    """

    wanted = pyqtSignal()
    skipped = pyqtSignal()
    left = pyqtSignal()
    asked_for = pyqtSignal(object)
    named = pyqtSignal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self.shown: Guide | None = None
        self.steps = {step: QToolButton() for step in GuideStep}
        self.words, self.ticks = FittedLabel(), markup_label()
        self.army, self.busy = QComboBox(), QProgressBar()
        self.button = button_with_tip("", "", self.wanted.emit)
        tip = tr("Skip this step; click its name above to come back")
        self.skip = button_with_tip(tr("Skip"), tip, self.skipped.emit)
        tip = tr("Close the guide; you can open it again in the menu Help")
        self.leave = button_with_tip(tr("Leave guide"), tip, self.left.emit)
        self._lay_out()

    def show_guide(self, guide: Guide) -> None:
        """Show the guide's state."""
        if guide == self.shown:
            return
        self.shown = guide
        for step, button in self.steps.items():
            mark = guide.marks[step]
            button.setText(f"{_SIGN[mark]} {step.words}")
            button.setAccessibleName(f"{step.words}, {mark.words}")
            set_font(button, bold=mark is StepMark.NOW)
        self.words.show_text(guide.words)
        # There is room for one line: what is wrong, first of all.
        ticks = [tick for tick in guide.ticks if tick.good is False][:1] or guide.ticks
        self.ticks.setVisible(bool(ticks))
        self.ticks.setText("&nbsp;&nbsp; ".join(f"{_TICKS[tick.good]} {escape_markup(tick.words)}" for tick in ticks))
        self.button.setText(guide.button)
        self.button.setEnabled(guide.ready)
        self.button.setVisible(bool(guide.button))
        self.army.setVisible(guide.step is GuideStep.ARMIES and not guide.busy)
        self.busy.setVisible(guide.busy)
        self.skip.setText(tr("Continue") if guide.is_done else tr("Skip"))
        self.skip.setVisible(guide.step is not None)
        self.leave.setVisible(guide.step is not None)

    def offer(self, armies: Sequence[str]) -> None:
        """Suggest army names, the first for the next click."""
        self.army.blockSignals(True)
        self.army.clear()
        self.army.addItems(map(side_name, armies))
        self.army.setCurrentIndex(0)
        self.army.blockSignals(False)
        self.named.emit(stored_name(self.army.currentText()))

    def _lay_out(self) -> None:
        self.words.setAccessibleName(tr("What to do now"))
        line_px = self.ticks.fontMetrics().lineSpacing()
        keep_place(self.leave)
        self.army.setEditable(True)
        self.army.setMinimumContentsLength(10)
        self.army.setAccessibleName(tr("Army that the next click teaches"))
        self.army.setToolTip(tr("Type a name or choose one, then click the base of one of its soldiers"))
        self.busy.setRange(0, 0)  # how long it takes is not known
        self.busy.setFixedSize(_BUSY_PX, _BUSY_PX // 10)
        self.busy.setTextVisible(False)
        self.busy.setAccessibleName(tr("Searching…"))
        self.button.setDefault(True)
        make_primary(self.button)
        for step, button in self.steps.items():
            button.setAutoRaise(True)
            button.setToolTip(tr("Go to {step}", step=step))
            button.clicked.connect(partial(self.asked_for.emit, step))
        top = in_row(*self.steps.values(), None, self.skip, self.leave)
        low = QWidget()  # always of one height: otherwise the soldiers would move away from the mouse
        low.setFixedHeight(_WORDS_PX + line_px)
        row = QWidget()  # a layout alone would be no higher than its buttons
        in_row((self.words, 1), self.busy, self.army, self.button, on=row, margin=0)
        in_column((row, 1), self.ticks, on=low, margin=0).setSpacing(0)
        in_column(top, low, on=self, margin=(8, 2, 8, 2)).setSpacing(0)
        self.army.editTextChanged.connect(lambda words: self.named.emit(stored_name(words)))


_MARGIN_PX = 6
_ROUND_PX = 9.0
_GLOW = ((11.0, 70), (6.0, 255))
"""Widths and opacities of the strokes around the inner one, the widest first."""
_WIDTH_PX = 3.0
_MOVES = (QEvent.Type.Move, QEvent.Type.Resize, QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.LayoutRequest)


class Spotlight(QWidget):
    """Follows a widget of the window, or a part of it, and hides with it.

    Attributes:
        target: The widget that is lit; None if none is.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.target: QWidget | None = None
        self._part: QRect | None = None
        self._watched: list[QWidget] = []
        self.hide()

    @property
    def centre(self) -> QPoint:
        """The centre of what is lit, in the coordinates of the target."""
        return self.target.mapFrom(self.window(), self.geometry().center()) if self.target is not None else QPoint()

    def light(self, target: QWidget | None, part: QRect | None = None) -> None:
        """Light up a widget of the window, or the part of it in this rectangle; None puts the light out."""
        if target is not self.target:
            self._watch(target)
        self.target, self._part = target, part
        self._follow()

    def eventFilter(self, watched: QObject | None, event: QEvent | None) -> bool:
        """Follow when the target or a widget around it is moved, shown or hidden."""
        if event is not None and event.type() in _MOVES:
            self._follow()
        return False

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Draw the frame."""
        with painting(self) as painter:
            painter.setRenderHint(painter.RenderHint.Antialiasing)
            frame = QRectF(self.rect()).adjusted(_MARGIN_PX, _MARGIN_PX, -_MARGIN_PX, -_MARGIN_PX)
            pens = [QPen(QColor(*faded(WHITE, opacity)), width) for width, opacity in _GLOW]
            for pen in (*pens, QPen(self.palette().highlight(), _WIDTH_PX)):
                painter.setPen(pen)
                painter.drawRoundedRect(frame, _ROUND_PX, _ROUND_PX)

    def _watch(self, target: QWidget | None) -> None:
        """Notice changes of the target and of everything around it, because a widget moves with its parents."""
        for widget in self._watched:
            widget.removeEventFilter(self)
        self._watched = []
        while target is not None:
            self._watched.append(target)
            target.installEventFilter(self)
            target = None if target.isWindow() else target.parentWidget()

    def _follow(self) -> None:
        target = self.target
        if target is None or not target.isVisible():
            self.hide()
            return
        part = self._part if self._part is not None else target.rect()
        place = QRect(target.mapTo(self.window(), part.topLeft()), part.size())
        self.setGeometry(place.adjusted(-_MARGIN_PX, -_MARGIN_PX, _MARGIN_PX, _MARGIN_PX))
        self.setVisible(target.rect().intersects(part))
        self.raise_()


_TICK_MS = 150
_CHECK_EVERY_S = 0.5
_BEFORE_THE_ARMIES = (GuideStep.CAMERA, GuideStep.MARKERS, GuideStep.EMPTY)


class GuideController(QObject):
    """The guide, hidden until it begins.

    Attributes:
        bar: Its bar.
        choices: The sources offered in the first step, listed at each opening.
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
        self._progress = Progress()
        self._step: GuideStep | None = None
        self._step_was_done: bool | None = None
        self._prepared_source: SourceController | None = None
        self._chosen: str | None = None
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
        self.bar.wanted.connect(self._work)
        self.bar.skipped.connect(self._skip)
        self.bar.left.connect(self.leave)
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
        self._progress, self._step, self._taught = Progress(), None, None
        self._prepare_simulated_table()
        self._dock.show()
        self._hint.hide()
        self._timer.start(_TICK_MS)
        self.pull()

    @property
    def spotlight(self) -> Spotlight:
        """The frame around the control that the current step needs."""
        return self._light.spotlight

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
        source_controller = self._commands.store.source_controller
        if source_controller is self._prepared_source and not source_controller.session.state.setup.palette:
            self._commands.store.open("demo")

    def _leave_for_battle(self) -> None:
        """Close the guide if it has just begun: its bare simulated table would lack the soldiers of the battle."""
        if not self._dock.isHidden() and self._step in _BEFORE_THE_ARMIES:
            self.leave()

    def pull(self) -> None:
        """Update the guide; called by a timer."""
        if self._chosen == self._commands.store.source_controller.spec:
            self._chosen, self._progress = None, self._progress.agree(GuideStep.CAMERA)
        self._check_markers()
        self._follow_first_shot()
        now = self.table_status
        self._prepare_simulated_table()
        shown = guide(now, self._progress)
        if shown.step is self._step and shown.is_done and self._step_was_done is False:
            self._progress = self._progress.go_on()  # the step chosen by the player is done now
            shown = guide(now, self._progress)
        self._step_was_done = shown.is_done
        if shown.step is not self._step:
            self._step = shown.step
            self._light.enter(shown.step)
        if self._commands.store.source_controller is self._prepared_source:
            self._commands.store.source_controller.practise(bare=shown.step in _BEFORE_THE_ARMIES)
        self._offer_names(now)
        self.bar.show_guide(shown)
        self._light.show(shown.step)

    @property
    def table_status(self) -> TableStatus:
        """The progress of the table."""
        source_controller = self._commands.store.source_controller
        problem = source_controller.worker.source_problem or ""
        return TableStatus(
            source_controller.spec,
            source_controller.view,
            source_controller.session.state,
            cameras(),
            source_controller.locked_settings,
            problem,
            self._marker_issues,
            self._commands.battle.play is not None,
            source_controller.armies,
            source_controller.is_bare,
            self._light.need,
            self._commands.battle.turn_bar.button.text().replace("&", ""),
            source_controller.is_searching,
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
        source_controller = self._commands.store.source_controller
        has_begun = source_controller.session.can_undo is not None or self._commands.battle.play is not None
        if source_controller.spec != "demo" or source_controller is self._prepared_source or has_begun:
            return
        if source_controller.session.state.setup.palette:
            self._commands.store.open("demo")
        self._prepared_source = self._commands.store.source_controller
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
            action = self.choices.addAction(words)
            if action is not None:
                action.triggered.connect(partial(_call, choose))

    def choose(self, spec: str) -> None:
        """Open a source, which completes the camera step once it is open."""
        self._chosen = spec
        if spec != self._commands.store.source_controller.spec:
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
        source_controller, now_s = self._commands.store.source_controller, self._commands.store.clock()
        frame, setup = source_controller.frame, source_controller.session.state.setup
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


def _call(action: Callable[[], object], _checked: bool = False) -> None:
    action()


_SOLDIER_PX = 60


class GuideLight:
    """The light of one guide."""

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
            rolling = bool(battle.rolling)
            self._shot = self._first_shot.next_step(
                battle.play, battle.position, panel.chosen, panel.action_list.previews, is_rolling=rolling
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
            Need.ROLL: self._battle.panel.do_button,
            Need.DUTY: self._battle.panel.do_button,
            Need.DICE: card.roll_button if card is not None else None,
        }
        if need in places:
            self.spotlight.light(places[need])
        elif self._store.tool.name != self._tool:
            self.spotlight.light(self._rail.groups[self._tool])
        else:
            self._show_soldier(self._shot.figure)

    def _show_soldier(self, name: str) -> None:
        """Light up a soldier in the picture."""
        view, picture = self._store.view, self._picture
        figure = next((one for one in view.figures if one.id == name), None) if view is not None else None
        if figure is None or view is None or view.calibration is None:
            self.spotlight.light(None)
            return
        [(u, v)] = view.calibration.camera.table_to_pixel((*figure.centre_in, figure.z_in))
        place = QRect(0, 0, _SOLDIER_PX, _SOLDIER_PX)
        place.moveCenter(picture.to_widget((float(u), float(v))).toPoint())
        self.spotlight.light(picture, place)

    @property
    def _to_measure(self) -> str:
        """A soldier to measure from or, once the ruler has begun, one of another army; empty if none is seen."""
        view = self._store.view
        figures = view.figures if view is not None else ()
        picked = self._store.tool.preview(None).picked
        own = {one.army for one in figures if one.id == picked}
        return next((one.id for one in figures if one.army not in own), "")
