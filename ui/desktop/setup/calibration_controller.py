"""Joins calibration to the window: its menu and dialogs, lens profiles that are reused, and what was moved, told."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QDialog, QMainWindow, QMenu

from calibration.calibration_targets import Prints
from calibration.drift import Drift
from calibration.scene_texture import PATIENCE, Grain
from rules.tabletop.errors import UserError
from ui.desktop.action import action_of, switch_of
from ui.desktop.bar import Ways
from ui.desktop.dialogs import PrintsDialog
from ui.desktop.settings import Memory
from ui.desktop.setup.area_dialog import AreaDialog
from ui.desktop.setup.click_dialog import CornersDialog, TapeDialog
from ui.desktop.setup.diagnosis_dialog import WhyNotDialog
from ui.desktop.setup.lens_dialog import LensDialog
from ui.desktop.source_controller import Bench
from ui.desktop.tools.window_context import WindowContext
from ui.desktop.translation import tr
from ui.setup.profiles import LensProfiles, camera_identity, lens_folder
from ui.units import Unit
from vision.table_view import TableView


class CalibrationController(QObject):
    """What the players do about inches.

    Attributes:
        menu: For the menu bar.
        dialog: The one that was opened last.
    """

    def __init__(
        self,
        window: QMainWindow,
        hands: WindowContext,
        memory: Memory,
        journal: Callable[[Drift], None],
        identity: Callable[[str], str] = camera_identity,
    ) -> None:
        """Add a menu to the window.

        Args:
            window: Whose menu it is.
            hands: What may be done with it.
            memory: What is remembered.
            journal: Keeps what was moved with the battle.
            identity: Of a source, see `camera_identity`.
        """
        super().__init__(window)
        self._window, self._hands, self._memory = window, hands, memory
        self._journal, self._identity = journal, identity
        self._profiles = LensProfiles(lens_folder())
        self.dialog: QDialog | None = None
        self._met: Bench | None = None
        self._left_out: set[str] = set()
        self.menu = QMenu(tr("&Inches"), window)
        for text, key, tip, slot in self._choices():
            self.menu.addAction(action_of(window, text, key, tip, slot))
        self.menu.addSeparator()
        tip = tr("Show lengths in centimetres; rules go on in inches")
        self._centimetres = switch_of(window, tr("Centimetres"), "", tip)
        self._centimetres.setChecked(memory.unit is Unit.CENTIMETRE)
        self._centimetres.toggled.connect(self._show_centimetres)
        self.menu.addAction(self._centimetres)
        bar = window.menuBar()
        if bar is not None:
            bar.addMenu(self.menu)

    def _choices(self) -> Iterator[tuple[str, str, str, Callable[[], object]]]:
        """What can be asked for: its name, its key, its tip and what asks."""
        tip = tr("Say how large the markers are that lie there")
        yield tr("Markers on the table…"), "Ctrl+M", tip, self.choose_prints
        tip = tr("Why a marker is not used, drawn on the picture")
        yield tr("What the camera sees of them…"), "Ctrl+I", tip, self.why_not
        tip = tr("A tape measure on the table makes all inches surer")
        yield tr("One measured distance…"), "", tip, self.measure_distance
        tip = tr("Click the corners of a rectangle of known size instead")
        yield tr("Without markers…"), "", tip, self.click_corners
        tip = tr("Learn the lens from the printed board, once for each camera")
        yield tr("The camera's lens…"), "", tip, self.learn_lens
        tip = tr("The part of the table that is played on, and its origin")
        yield tr("The table's edges…"), "", tip, self.choose_area

    # What is told without being asked

    @property
    def ways(self) -> Ways:
        """What can be done where there are no inches."""
        return ((tr("Why not?"), self.why_not), (tr("Marker size…"), self.choose_prints))

    def pull(self) -> None:
        """Take up the lens of a camera that was opened, and tell what was moved; called whenever anything is new."""
        bench = self._hands.bench()
        if bench is not self._met and bench.frame is not None:
            self._met, self._left_out = bench, set()
            bench.session.show_in(self._memory.unit)
            self._hands.change(lambda: self._take_up_lens(bench))
        drifts = bench.session.take_drifts()
        for drift in drifts:
            self._journal(drift)
        self._tell([drift.sentence for drift in drifts], bench.view)

    def _tell(self, moved: Sequence[str], view: TableView | None) -> None:
        """Say what was moved, and which markers are newly left out."""
        seen = view.set_aside if view is not None and view.calibration is not None else ()
        aside = {trouble.sentence for trouble in seen}
        news = [*moved, *sorted(aside - self._left_out)]
        self._left_out = aside
        if news:
            self._hands.say("; ".join(news) + ".")

    def _take_up_lens(self, bench: Bench) -> None:
        camera = self._identity(bench.spec)
        if not camera or bench.frame is None:
            return
        lens = self._profiles.find(camera, bench.frame.size_px)
        if lens is not None:
            bench.session.use_lens(lens, as_before=True)

    # What is asked

    def _open(self, dialog: QDialog, done: Callable[[], object] | None = None) -> None:
        self.dialog = dialog
        if done is not None:
            dialog.accepted.connect(lambda: self._hands.change(done))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_prints(self) -> None:
        """Ask which markers lie on the table."""
        bench = self._hands.bench()
        dialog = PrintsDialog(bench.session.state.setup.prints, self._window)
        self._open(dialog, lambda: self._use_prints(bench, dialog.prints))

    def _use_prints(self, bench: Bench, prints: Prints) -> None:
        bench.session.use_prints(prints)
        if bench.spec != "demo":
            self._memory.keep_prints(prints)

    def why_not(self) -> None:
        """Show what the camera sees of the markers."""
        bench = self._hands.bench()
        self._open(WhyNotDialog(lambda: bench.frame, lambda: bench.session.state.setup, self._window))

    def click_corners(self) -> None:
        """Ask for the corners of a rectangle."""
        bench = self._hands.bench()
        if bench.frame is None:
            self._hands.say(tr("There is no picture yet to click corners in."))
            return
        setup = bench.session.state.setup
        dialog = CornersDialog(bench.frame, setup.lens, self._memory.unit, self._window)
        self._open(dialog, lambda: self._use_corners(bench, dialog))

    def _use_corners(self, bench: Bench, dialog: CornersDialog) -> None:
        grain, now = Grain(dialog.frame.gray()), bench.frame
        if now is not None and any(grain.has_shifted(now.gray()) for _ in range(PATIENCE)):
            raise UserError(tr("the camera or the table was moved while you clicked: click the corners again"))
        prints = replace(bench.session.state.setup.prints, rectangle=dialog.rectangle, taped=())
        bench.session.use_prints(prints, "by corners")

    def measure_distance(self) -> None:
        """Ask for a distance that somebody measured."""
        bench = self._hands.bench()
        view = bench.view
        if view is None or view.calibration is None or view.problem is not None:
            self._hands.say(tr("A measured distance makes inches surer where there are some: lay a marker down first."))
            return
        dialog = TapeDialog(view.frame, view.calibration, self._memory.unit, self._window)
        self._open(dialog, lambda: self._use_tape(bench, dialog))

    def _use_tape(self, bench: Bench, dialog: TapeDialog) -> None:
        view, prints = bench.view, bench.session.state.setup.prints
        if view is not None and view.calibration is not None:
            taped = (*prints.taped, dialog.taped(view.calibration))
            bench.session.use_prints(replace(prints, taped=taped), "a measured distance")

    def learn_lens(self) -> None:
        """Begin the session with the printed board."""
        bench = self._hands.bench()
        camera = self._identity(bench.spec)
        if bench.worker.source_problem or not camera:
            self._hands.say(
                tr(
                    "The lens is learnt from a live camera: open one. Of pictures that were taken before,"
                    " `sandtable lens` makes a profile."
                )
            )
            return
        dialog = LensDialog(lambda: bench.worker.frame, camera, self._window)
        self._open(dialog, lambda: self._keep_lens(bench, camera, dialog))

    def _keep_lens(self, bench: Bench, camera: str, dialog: LensDialog) -> None:
        if dialog.fit is None:
            return
        bench.session.use_lens(dialog.fit.lens)
        self._profiles.keep(camera, dialog.fit.lens, dialog.story)
        self._hands.say(tr("The lens is kept: it is used whenever this camera gives pictures of this size."))

    def _show_centimetres(self, on: bool) -> None:
        unit = Unit.CENTIMETRE if on else Unit.INCH
        self._memory.keep_unit(unit)
        self._hands.change(lambda: self._hands.session.show_in(unit))

    def choose_area(self) -> None:
        """Ask for the part of the table that is played on."""
        bench = self._hands.bench()
        view = bench.view
        if view is None or view.calibration is None:
            self._hands.say(tr("The table's edges are drawn in inches: lay a printed marker down first."))
            return
        area = bench.session.state.area
        dialog = AreaDialog(view.frame, view.calibration, area, self._memory.unit, self._window)
        self._open(dialog, lambda: bench.session.use_area(dialog.area))
