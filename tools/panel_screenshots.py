"""`python -m tools.panel_screenshots FOLDER`: every panel and dialog, light and dark, some at double resolution.

The window shows the simulated table. Clipped text is reported and makes the exit status 1: see
`tools.layout_check`.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import QEvent, QTimer
from PyQt6.QtWidgets import QApplication, QDialog, QMenu, QWidget

from rules.games import open_game
from rules.tabletop.errors import UserError
from tools.layout_check import access_problems, layout_problems
from tools.pictures import all_seen, begin_battle, setup_dialog, wait_for
from tools.screenshot import click, enemies, run_scene, wait
from ui.battle.battle_setup import ArmyLists
from ui.desktop.app import ErrorReporter
from ui.desktop.battle.card_dialog import CardDialog
from ui.desktop.devices.wled_dialog import WledDialog
from ui.desktop.printing import PrintDialog
from ui.desktop.setup.lens_dialog import LensDialog
from ui.desktop.theme import Theme
from ui.desktop.window import Window
from ui.devices.tray_camera import TABLE
from ui.guide import GuideStep
from ui.paper.printing import PrintJob
from ui.phone.addresses import LOOPBACK
from ui.translation import use_language
from vision.simulation.scene import demo_scene
from vision.simulation.simulator import SimulatedTable

_SETTLE_S = 0.4

_PASSES = {"light": 1.0, "dark": 1.0, "light-fine": 2.0, "dark-fine": 2.0}
"""Each runs in its own process, because Qt reads the pixel ratio once; fine passes show only the main window."""


class PanelScreenshots:
    """Saves screenshots.

    Attributes:
        problems: What could not be read completely, one sentence each.
    """

    def __init__(self, folder: Path, theme: str) -> None:
        """Save into `folder`; files are named after their content and the theme."""
        self._folder, self._theme = folder, theme
        self.problems: list[str] = []

    def keep(self, name: str, shown: QWidget) -> None:
        """Save a screenshot of a widget. Raises `UserError` if it cannot be written."""
        wait(_SETTLE_S)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        path = self._folder / f"{name}-{self._theme}.png"
        if not shown.grab().save(str(path)):
            raise UserError(f"cannot write {path}: choose another folder")
        print(path)
        found = (*layout_problems(shown), *access_problems(shown))
        self.problems += [f"{name}, {self._theme}: {one}" for one in found]

    def keep_dialog(self, name: str, dialog: QDialog) -> None:
        """Show a dialog, save a screenshot of it and close it."""
        dialog.show()
        self.keep(name, dialog)
        dialog.close()

    def keep_asked(self, name: str, ask: Callable[[], object]) -> None:
        """Save a screenshot of the modal dialog that `ask` opens."""
        failed: list[UserError] = []

        def look() -> None:
            shown = QApplication.activeModalWidget()
            if isinstance(shown, QDialog):
                try:
                    self.keep_dialog(name, shown)
                except UserError as refusal:
                    failed.append(refusal)
                    shown.reject()

        QTimer.singleShot(int(1000 * _SETTLE_S), look)
        ask()
        for refusal in failed:
            raise refusal


def main(arguments: Sequence[str] | None = None) -> int:
    """Save all screenshots; return the exit status."""
    parser = argparse.ArgumentParser(prog="panel_screenshots", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    parser.add_argument("--only", choices=_PASSES, help="light or dark; fine: double resolution, only the main window")
    parser.add_argument("--language", default="en", help="of the texts, such as de")
    chosen = parser.parse_args(arguments)
    folder: Path = chosen.folder
    folder.mkdir(parents=True, exist_ok=True)
    if chosen.only is None:
        return max(_in_a_process(folder, theme, ratio, chosen.language) for theme, ratio in _PASSES.items())
    use_language([chosen.language])
    screenshots = PanelScreenshots(folder, chosen.only)

    def shoot(window: Window, own: Path) -> None:
        for scene in (_table_scene,) if chosen.only.endswith("fine") else _SCENES:
            scene(screenshots, window, own)

    theme = Theme(chosen.only.removesuffix("-fine"))
    status = run_scene("panel_screenshots", lambda: SimulatedTable(demo_scene()), shoot, theme)
    for one in screenshots.problems:
        print(one, file=sys.stderr)
    return status or bool(screenshots.problems)


def _in_a_process(folder: Path, theme: str, ratio: float, language: str) -> int:
    options = ["--only", theme, "--language", language]
    command = [sys.executable, "-m", "tools.panel_screenshots", str(folder), *options]
    return subprocess.run(command, env={**os.environ, "QT_SCALE_FACTOR": str(ratio)}, check=False).returncode


def _guide_scene(screenshots: PanelScreenshots, window: Window, _: Path) -> None:
    """The first step of the guide, and one that waits for the table."""
    guide = window.help.guide
    guide.begin()
    wait_for(lambda: window.store.source_controller.frame, "the first picture")
    screenshots.keep("guide-camera", window)
    guide.choose("demo")
    wait_for(lambda: guide.bar.shown and guide.bar.shown.step is GuideStep.EMPTY and guide.bar.shown.ready, "markers")
    screenshots.keep("guide-empty", window)
    guide.leave()


def _table_scene(screenshots: PanelScreenshots, window: Window, _: Path) -> None:
    """The picture and what can be placed on it."""
    view = all_seen(window)
    window.features.frozen_frame.compare(True)  # nothing was frozen, so a message appears
    screenshots.keep("message", window)
    window.store.use_tool("measure")
    pair = enemies(view.figures, set())
    for figure in pair:
        click(window, view, figure.centre_in, figure.z_in)
    window.picture.left.emit()
    window.display.referee.setChecked(True)
    screenshots.keep("large-answer", window)
    window.features.projector.switch.setChecked(True)
    screenshots.keep("projector", window.features.projector.screen)
    window.features.projector.switch.setChecked(False)
    window.display.referee.setChecked(False)
    window.display.map.setChecked(True)
    screenshots.keep("map", window)
    window.display.map.setChecked(False)
    window.store.use_tool("fan")
    click(window, view, pair[0].centre_in, pair[0].z_in)
    screenshots.keep("targets", window)
    window.commands.cancel()
    window.store.use_tool("correct")
    click(window, view, pair[0].centre_in, pair[0].z_in)
    if window.features.corrections.menu is not None:
        screenshots.keep("correct", window.features.corrections.menu)
        for number, menu in enumerate(window.features.corrections.menu.findChildren(QMenu)):
            screenshots.keep(f"correct-{number}", menu)
        window.features.corrections.menu.close()


def _setup_scene(screenshots: PanelScreenshots, window: Window, own: Path) -> None:
    """Comparison, terrain and calibration."""
    view = all_seen(window)
    window.actions_.freeze.setChecked(True)
    wait(1.0)
    window.actions_.freeze.setChecked(False)
    wait(1.0)
    window.actions_.compare.setChecked(True)
    screenshots.keep("compare", window)
    window.actions_.compare.setChecked(False)
    window.store.use_tool("terrain")
    terrain = window.store.session.state.setup.terrain
    window.features.terrain.tool.select(terrain[0].name if terrain else None)
    screenshots.keep("terrain", window)
    window.store.use_tool("select")
    controller, frame = window.features.calibration, view.frame
    for name, ask in (
        ("markers", controller.choose_marker_size),
        ("diagnosis", controller.check_markers),
        ("corners", controller.click_corners),
        ("distance", controller.measure_distance),
        ("area", controller.choose_area),
    ):
        ask()
        if controller.dialog is not None:
            wait(2.0 if name == "diagnosis" else 0.0)
            screenshots.keep_dialog(name, controller.dialog)
    screenshots.keep_dialog("lens", LensDialog(lambda: frame, "A camera", window))
    screenshots.keep_dialog("print", PrintDialog(PrintJob(), ArmyLists(own / "armies"), window))


def _devices_scene(screenshots: PanelScreenshots, window: Window, _: Path) -> None:
    """The emulated devices, from top to bottom."""
    devices = window.devices
    window.sides.setCurrentWidget(devices.panel)
    screenshots.keep("devices", window)
    devices.panel.rod.emulated.emit()
    devices.panel.dice.emulated.emit()
    screenshots.keep_asked("tray", lambda: devices.panel.tray.connected.emit(TABLE))
    devices.panel.thrown.emit("2d6")
    wait(2.0)
    screenshots.keep("devices-emulated", window)
    devices.panel.ensureWidgetVisible(devices.panel.tray)
    screenshots.keep("devices-below", window)
    screenshots.keep_dialog("wled", WledDialog("192.168.1.40", window, find=lambda _: ()))
    for box in (devices.panel.rod, devices.panel.dice, devices.panel.tray):
        box.forgotten.emit()


def _battle_scene(screenshots: PanelScreenshots, window: Window, own: Path) -> None:
    """From the battle's setup to its history."""
    dialog = setup_dialog(window, own)
    dialog.show()
    screenshots.keep("battle-setup", dialog)
    dialog.reject()
    screenshots.keep_dialog("own-card", CardDialog(open_game("fudge_miniatures"), None, window))
    begin_battle(window, own, dialog)
    controller = window.battle
    window.picture.left.emit()
    screenshots.keep("battle", window)
    screenshots.keep_asked("ruling", controller.overrule)
    screenshots.keep_asked("goals", controller.ask_goals)
    if controller.panel.chosen is not None:
        controller.panel.wanted.emit(controller.panel.chosen.action)
    screenshots.keep("dice", window)
    controller.cancel()
    controller.panel.round_bar.started.emit("Fire")
    wait(2.0)
    screenshots.keep("walk", window)
    controller.cancel()
    window.features.history.show()
    if window.features.history.dialog is not None:
        screenshots.keep_dialog("history", window.features.history.dialog)
    window.features.history.save_film()
    if window.features.history.film is not None:
        screenshots.keep_dialog("film", window.features.history.film)


def _phone_scene(screenshots: PanelScreenshots, window: Window, _: Path) -> None:
    """The dialog of the phone page before and after its start."""
    phone = window.features.phone
    phone.addresses = lambda: (LOOPBACK, "192.168.178.25")
    for name in ("phone-page-off", "phone-page"):
        phone.show()
        if phone.dialog is not None:
            screenshots.keep_dialog(name, phone.dialog)
        phone.start(LOOPBACK)
    phone.stop()


def help_scene(screenshots: PanelScreenshots, window: Window, _: Path) -> None:
    """The menus, the help texts and the error box."""
    bar = window.menuBar()
    for top in bar.actions() if bar is not None else ():
        menu = top.menu()
        if menu is not None:
            menu.adjustSize()
            screenshots.keep(f"menu-{top.text().replace('&', '').lower()}", menu)
    for name, show in (
        ("keys", window.help.show_keys),
        ("about", window.help.show_about),
        ("licences", window.help.show_licences),
        ("details", window.help.show_details),
    ):
        show()
        if window.help.dialog is not None:
            wait(3.0 if name == "details" else 0.0)
            screenshots.keep_dialog(name, window.help.dialog)
    report = ErrorReporter(window)
    with contextlib.redirect_stderr(io.StringIO()):  # it would look like an error of this program
        report.catch(ValueError, ValueError("an example for the screenshot"), None)
    wait(_SETTLE_S)
    if report.box is not None:
        screenshots.keep_dialog("last-resort", report.box)
    report.remove()


_SCENES: tuple[Callable[[PanelScreenshots, Window, Path], None], ...] = (
    _guide_scene,
    _table_scene,
    _setup_scene,
    _devices_scene,
    _battle_scene,
    _phone_scene,
    help_scene,
)


if __name__ == "__main__":
    sys.exit(main())
