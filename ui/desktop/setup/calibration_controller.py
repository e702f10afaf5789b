"""Connects calibration with the window: menu, dialogs, stored lens profiles, and messages about drift."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QDialog, QMainWindow

from calibration.calibration_targets import CalibrationTargets
from calibration.drift import Drift
from calibration.scene_texture import PATIENCE, SceneTexture
from rules.tabletop.errors import user_error
from ui.desktop.action import ActionMenu
from ui.desktop.messages import MessageActions
from ui.desktop.settings import Settings
from ui.desktop.setup.diagnosis_dialog import DiagnosisDialog, MarkerSizeDialog
from ui.desktop.setup.lens_dialog import LensDialog
from ui.desktop.setup.pointing_dialogs import AreaDialog, CornersDialog, DistanceDialog
from ui.desktop.source_controller import SourceController
from ui.desktop.store import Store
from ui.setup.lens import LensProfiles, camera_identity, lens_folder
from ui.translation import tr
from ui.vocabulary import Unit
from vision.table_view import TableView


class CalibrationController(QObject):
    """The players' commands for calibration."""

    def __init__(
        self,
        window: QMainWindow,
        store: Store,
        settings: Settings,
        journal: Callable[[Drift], None],
    ) -> None:
        """Add a menu to the window; `journal` stores a drift in the battle."""
        super().__init__(window)
        self._window, self._store, self._settings = window, store, settings
        self._journal = journal
        self._profiles = LensProfiles(lens_folder())
        self.dialog: QDialog | None = None
        self._attached: SourceController | None = None
        self._set_aside: set[str] = set()
        self.menu = ActionMenu(tr("&Calibration"), window)
        self._fill(self.menu)

    def _fill(self, menu: ActionMenu) -> None:
        tip = tr("Set the size of the markers on the table")
        menu.add(tr("Marker size…"), "Ctrl+M", tip, self.choose_marker_size)
        tip = tr("Show which markers the camera sees, and what is wrong with others")
        menu.add(tr("Check markers…"), "Ctrl+I", tip, self.check_markers)
        tip = tr("Make all inches more accurate with one distance that you measured")
        menu.add(tr("Measured distance…"), "", tip, self.measure_distance)
        tip = tr("Click the corners of a rectangle whose size you know")
        menu.add(tr("Without markers…"), "", tip, self.click_corners)
        tip = tr("Measure the lens with the printed board, once for each camera")
        menu.add(tr("Camera lens…"), "", tip, self.learn_lens)
        tip = tr("Set the part of the table that you play on, and its origin")
        menu.add(tr("Table edges…"), "", tip, self.choose_area)
        menu.add_separator()
        tip = tr("Show lengths in centimetres; the rules still use inches")
        centimetres = menu.add_switch(tr("Centimetres"), "", tip)
        centimetres.setChecked(self._settings.unit is Unit.CENTIMETRE)
        centimetres.toggled.connect(self._show_centimetres)

    # Messages and offers

    @property
    def actions(self) -> MessageActions:
        """What the player can do when there is no calibration."""
        return ((tr("Check markers"), self.check_markers), (tr("Marker size…"), self.choose_marker_size))

    def pull(self) -> None:
        """Use a newly opened camera's stored lens and report drift; called whenever anything is new."""
        source_controller = self._store.source_controller
        if source_controller is not self._attached and source_controller.frame is not None:
            self._attached, self._set_aside = source_controller, set()
            source_controller.session.show_in(self._settings.unit)
            self._store.go_on(lambda: self._restore_lens(source_controller))
        drifts = source_controller.session.take_drifts()
        for drift in drifts:
            self._journal(drift)
        self._report([drift.sentence for drift in drifts], source_controller.view)

    def _report(self, moved: Sequence[str], view: TableView | None) -> None:
        """Report drifts and markers that are newly set aside."""
        seen = view.set_aside if view is not None and view.calibration is not None else ()
        known = self._store.session.state.setup.prints.layout
        # Where all markers are known, another number is only something that looks like a marker.
        aside = {issue.sentence for issue in seen if not known or issue.id is None or issue.id in known}
        news = [*moved, *sorted(aside - self._set_aside)]
        self._set_aside = aside
        if news:
            self._store.say("; ".join(news) + ".")

    def _restore_lens(self, source_controller: SourceController) -> None:
        camera = camera_identity(source_controller.spec)
        if not camera or source_controller.frame is None:
            return
        lens = self._profiles.find(camera, source_controller.frame.size_px)
        if lens is not None:
            source_controller.session.use_lens(lens, as_before=True)

    # Dialogs

    def _open(self, dialog: QDialog, done: Callable[[], object] | None = None) -> None:
        self.dialog = dialog
        if done is not None:
            dialog.accepted.connect(lambda: self._store.change(done))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def choose_marker_size(self) -> None:
        source_controller = self._store.source_controller
        dialog = MarkerSizeDialog(source_controller.session.state.setup.prints, self._window)
        self._open(dialog, lambda: self._use_prints(source_controller, dialog.prints))

    def _use_prints(self, source_controller: SourceController, prints: CalibrationTargets) -> None:
        if prints is source_controller.session.state.setup.prints:
            return
        source_controller.session.use_prints(prints)
        if source_controller.spec != "demo":
            self._settings.keep_prints(prints)

    def check_markers(self) -> None:
        source_controller = self._store.source_controller
        session = source_controller.session
        self._open(DiagnosisDialog(lambda: source_controller.frame, lambda: session.state.setup, self._window))

    def click_corners(self) -> None:
        source_controller = self._store.source_controller
        if source_controller.frame is None:
            self._store.say(tr("There is no picture yet. Open a camera first."))
            return
        setup = source_controller.session.state.setup
        dialog = CornersDialog(source_controller.frame, setup.lens, self._settings.unit, self._window)
        self._open(dialog, lambda: self._use_corners(source_controller, dialog))

    def _use_corners(self, source_controller: SourceController, dialog: CornersDialog) -> None:
        texture, now = SceneTexture(dialog.frame.gray()), source_controller.frame
        if now is not None and any(texture.has_shifted(now.gray()) for _ in range(PATIENCE)):
            raise user_error("The camera or the table moved while you clicked. Click the corners again.")
        prints = replace(source_controller.session.state.setup.prints, rectangle=dialog.rectangle, taped=())
        source_controller.session.use_prints(prints, "calibrate by corners")

    def measure_distance(self) -> None:
        source_controller = self._store.source_controller
        view = source_controller.view
        if view is None or view.calibration is None or view.problem is not None:
            self._store.say(
                tr("Put a printed marker on the table first. A measured distance then makes inches more accurate.")
            )
            return
        dialog = DistanceDialog(view.frame, view.calibration, self._settings.unit, self._window)
        self._open(dialog, lambda: self._use_tape(source_controller, dialog))

    def _use_tape(self, source_controller: SourceController, dialog: DistanceDialog) -> None:
        view, prints = source_controller.view, source_controller.session.state.setup.prints
        if view is not None and view.calibration is not None:
            taped = (*prints.taped, dialog.taped(view.calibration))
            source_controller.session.use_prints(replace(prints, taped=taped), "add a measured distance")

    def learn_lens(self) -> None:
        source_controller = self._store.source_controller
        camera = camera_identity(source_controller.spec)
        if source_controller.worker.source_problem or not camera:
            self._store.say(tr("The lens is measured with a live camera. Open a camera first."))
            return
        dialog = LensDialog(lambda: source_controller.worker.frame, camera, self._window)
        self._open(dialog, lambda: self._keep_lens(source_controller, camera, dialog))

    def _keep_lens(self, source_controller: SourceController, camera: str, dialog: LensDialog) -> None:
        if dialog.fit is None:
            return
        source_controller.session.use_lens(dialog.fit.lens)
        self._profiles.keep(camera, dialog.fit.lens, dialog.measurement)
        self._store.say(tr("The lens is saved. It is used whenever this camera sends pictures of this size."))

    def _show_centimetres(self, on: bool) -> None:
        unit = Unit.CENTIMETRE if on else Unit.INCH
        self._settings.unit = unit
        self._store.change(lambda: self._store.session.show_in(unit))

    def choose_area(self) -> None:
        source_controller = self._store.source_controller
        view = source_controller.view
        if view is None or view.calibration is None:
            self._store.say(tr("Put a printed marker on the table first, so that edges can be drawn in inches."))
            return
        area = source_controller.session.state.area
        dialog = AreaDialog(view.frame, view.calibration, area, self._settings.unit, self._window)
        self._open(dialog, lambda: source_controller.session.use_area(dialog.area))
