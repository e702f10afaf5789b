"""`python -m tools.pictures FOLDER`: makes the guide's pictures by playing on the simulated table."""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from shutil import which

from PyQt6.QtCore import QEvent, Qt
from PyQt6.QtGui import QImage, QPixmap
from PyQt6.QtWidgets import QApplication, QLabel, QWidget

from hardware.wled import Segment
from rules.battle.progress import no_step
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture
from rules.tabletop.template import Blast
from tools.phone_browser import PHONE_PX, Phone, installed
from tools.screenshot import QUALITY, click, enemies, figures_seen, run_scene, wait
from ui.battle.battle_setup import ArmyLists
from ui.battle.film import SIZE_PX, Pace, film_scenes
from ui.battle.history import BattleReport, report_of
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import ThumbnailStore
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.film import FilmPainter
from ui.desktop.devices.wled_dialog import WledDialog
from ui.desktop.picture.image import painting, to_qimage
from ui.desktop.theme import Theme
from ui.desktop.window import Window
from ui.guide import GuideStep
from ui.measuring import sights
from ui.phone.addresses import LOOPBACK
from ui.setup.armies import proposed
from ui.table.portrait import portrait
from vision.examples import CROP_PX
from vision.simulation.practice_table import practice_table
from vision.table_view import TableView

_WIDTH_PX = 1000
_BETWEEN_PX = 20
_FLEETING = ("outcome",)
"""Scenes that end by themselves: the banner goes after two seconds."""
_PATIENCE_S = 300.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pictures; return the exit status."""
    parser = argparse.ArgumentParser(prog="pictures", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args(arguments).folder

    def shoot(window: Window, own: Path) -> None:
        for name, scene in _SCENES.items():
            shown = scene(window, own)
            wait(0.2 if name in _FLEETING else 0.5)
            _save(shown, folder / f"{name}.jpg")

    return run_scene("pictures", practice_table, shoot)


def _save(shown: QWidget, path: Path) -> None:
    for _ in range(3):  # a text, its panel, and what scrolls the panel
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    picture = shown.grab()
    if picture.width() > _WIDTH_PX:
        picture = picture.scaledToWidth(_WIDTH_PX, Qt.TransformationMode.SmoothTransformation)
    if not picture.save(str(path), quality=QUALITY):
        raise UserError(f"cannot write {path}: choose another folder")
    print(path)


def wait_for(condition: Callable[[], object], what: str) -> None:
    """Process Qt's events until the condition holds. Raises `UserError` if it does not hold in time."""
    until_s = time.monotonic() + _PATIENCE_S
    while not condition():
        if time.monotonic() > until_s:
            raise UserError(f"no sign of {what} in time: close other programs and try again")
        wait(0.05)


def _guide(window: Window, _: Path) -> QWidget:
    """The guide while it proposes the armies."""
    guide = window.help.guide
    guide.begin()
    guide.choose("demo")
    wait_for(lambda: guide.bar.shown and guide.bar.shown.step is GuideStep.EMPTY and guide.bar.shown.ready, "markers")
    guide.bar.button.click()
    table = window.store.source_controller.simulated
    if table is None:
        raise UserError("this needs the simulated table: open it")
    wait_for(lambda: not table.bare, "the armies")
    wait_for(lambda: proposed(window.store.view, window.store.session.state), "the armies")
    window.picture.left.emit()
    return window


def _armies(window: Window, _: Path) -> QWidget:
    """Two armies found by colour."""
    window.help.guide.leave()
    window.store.open("demo")
    window.store.source_controller.practise(bare=False)
    wait_for(lambda: window.features.groups.offer[0], "the armies")
    all_seen(window)
    window.store.use_tool("measure")
    window.picture.left.emit()
    return window


def _practice(window: Window, _: Path) -> QWidget:
    """A hand that carries a soldier across the simulated table."""
    window.store.open("demo")
    all_seen(window)
    table = window.store.source_controller.practice
    if table is None:
        raise UserError("this needs the simulated table: open it")
    soldier = table.now.model("green-4")
    x_px, y_px = table.camera.table_to_pixel((soldier.x_in, soldier.y_in, 0.0))[0]
    window.picture.moved.emit(x_px, y_px)
    window.picture.pressed.emit(x_px, y_px)
    for part in (0.5, 1.0):
        window.picture.moved.emit(x_px + 150 * part, y_px - 130 * part)
    wait_for(lambda: window.store.view and window.store.view.frozen, "the hand")
    wait(2.0)
    return window


def _measure(window: Window, _: Path) -> QWidget:
    """A range, with the answer in large type."""
    window.store.open("demo")
    view = all_seen(window)
    window.store.use_tool("measure")
    for figure in enemies(view.figures, set()):
        click(window, view, figure.centre_in, figure.z_in)
    window.picture.left.emit()
    window.display.referee.setChecked(True)
    return window


def _sight(window: Window, _: Path) -> QWidget:
    """What one soldier sees of another."""
    window.display.referee.setChecked(False)
    window.commands.clear()
    view = all_seen(window)
    window.store.use_tool("sight")
    for figure in _across_the_terrain(window, view):
        click(window, view, figure.centre_in, figure.z_in)
    return window


def _targets(window: Window, _: Path) -> QWidget:
    """The targets of a soldier."""
    window.store.use_tool("fan")
    view = all_seen(window)
    shooter = enemies(view.figures, set())[0]
    click(window, view, shooter.centre_in, shooter.z_in)
    return window


def _sight_fan(window: Window, _: Path) -> QWidget:
    """The ground that a soldier sees."""
    window.store.use_tool("sight_fan")
    view = all_seen(window)
    by = enemies(view.figures, set())[0]
    click(window, view, by.centre_in, by.z_in)
    wait_for(lambda: window.store.tool.preview(None).areas, "the sight fan")
    return window


def _map(window: Window, _: Path) -> QWidget:
    """The table map."""
    window.commands.cancel()
    window.store.use_tool("select")
    window.display.map.setChecked(True)
    window.picture.left.emit()
    return window


def _battle_setup(window: Window, own: Path) -> QWidget:
    """The battle setup dialog."""
    window.display.map.setChecked(False)
    dialog = setup_dialog(window, own)
    dialog.show()
    return dialog


def _battle(window: Window, own: Path) -> QWidget:
    """A soldier's actions and their odds."""
    begin_battle(window, own, setup_dialog(window, own))
    return window


def begin_battle(window: Window, own: Path, dialog: BattleSetupDialog) -> None:
    """Begin the battle of a setup, and select the first attack of a soldier."""
    window.battle.begin(own / "evening.battle", dialog.battle_setup)
    dialog.deleteLater()
    window.sides.setCurrentWidget(window.battle.panel)
    view = all_seen(window)
    wait_for(lambda: window.battle.position, "the battle")
    for _step in range(2):
        window.battle.turn_bar.go_on.emit()
    rivals = [f for f in view.figures if f.army in ("green", "tan") and f.posture is not Posture.VEHICLE]
    by = next(figure for figure in enemies(rivals, set()) if figure.army == "green")
    window.store.use_tool("select")
    click(window, view, by.centre_in, by.z_in)
    window.battle.panel.action_list.choose(0)


def _outcome(window: Window, _: Path) -> QWidget:
    """The banner after a hit, and the casualty's cross."""
    chosen = window.battle.panel.chosen
    if chosen is None:
        raise UserError("no action is selected: select one first")
    window.battle.panel.wanted.emit(chosen.action)
    while (card := window.battle.rolling.card) is not None and not window.banner.isVisible():
        card.take([6] * card.request.count)
        wait(0.01)
    return window


def _film(window: Window, _: Path) -> QWidget:
    """The battle's film while the casualty falls."""
    report, pictures = _report(window)
    painter = FilmPainter(report, pictures.picture, SIZE_PX)
    shot = [scene for scene in film_scenes(report, pictures.seqs, Pace()) if scene.throws]
    return _shown(QPixmap.fromImage(to_qimage(painter.frame(shot[-1]))))


def _page(window: Window, own: Path) -> QWidget:
    """The battle's web page beside its first turn on a phone, as Chromium shows it."""
    report, pictures = _report(window)
    page, whole = own / "battle.html", report_page(report, pictures.picture, no_step)
    browser = which("chromium") or which("google-chrome")
    if browser is None:
        raise UserError("the picture of the web page needs Chromium: install it")
    both = QPixmap(1400, 1300)
    both.fill(Qt.GlobalColor.gray)
    with painting(both) as painter:
        for width_px, left_px, style in (
            (920, 0, b""),
            (440, 960, b"header, nav, section:not(#turn-1) {display: none}"),
        ):
            page.write_bytes(whole.replace(b"</style>", style + b"</style>"))
            picture = own / "page.png"
            size = f"--window-size={width_px},1300"
            options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--screenshot={picture}"]
            subprocess.run([browser, *options, size, page.as_uri()], check=True, capture_output=True)
            painter.drawPixmap(left_px, 0, QPixmap(str(picture)))
    return _shown(both)


def _report(window: Window) -> tuple[BattleReport, ThumbnailStore]:
    """The report of the battle, and its pictures once the last one is stored."""
    play, pictures = window.battle.play, window.features.history.recorder.thumbnails
    if play is None or pictures is None:
        raise UserError("there is no battle: start one")
    wait_for(lambda: play.battle.entries[-1].seq in pictures.seqs, "the last picture")
    return report_of(play.battle), pictures


def _shown(picture: QPixmap) -> QWidget:
    label = QLabel()
    label.setPixmap(picture)
    label.resize(picture.size())
    return label


def _terrain(window: Window, _: Path) -> QWidget:
    """The terrain, a hill with its handles."""
    window.store.use_tool("terrain")
    window.features.terrain.tool.select(window.store.session.state.setup.terrain[0].name)
    return window


def _devices(window: Window, _: Path) -> QWidget:
    """The emulated rod and dice."""
    devices = window.devices.panel
    window.store.use_tool("select")
    window.sides.setCurrentWidget(devices)
    devices.rod.emulated.emit()
    devices.dice.emulated.emit()
    devices.thrown.emit("2d6")
    wait(2.0)
    return window


def _wled(window: Window, _: Path) -> QWidget:
    """The dialog that finds the segments of a WLED controller."""
    found = (Segment(0, "Rod", 54), Segment(1, "Table edge", 120))
    dialog = WledDialog("192.168.1.40", window, find=lambda _: found)
    dialog.show()
    dialog.list_segments()
    wait_for(lambda: dialog.words.text().startswith("Choose"), "the segments")
    dialog.finished.connect(dialog.deleteLater)
    return dialog


def _speech(window: Window, _: Path) -> QWidget:
    """The menu that switches announcements on and off."""
    for dialog in window.findChildren(WledDialog):
        dialog.reject()
    return window.features.voice.menu


def _history(window: Window, _: Path) -> QWidget:
    """The battle's history with pictures of the table."""
    window.devices.panel.rod.forgotten.emit()
    window.devices.panel.dice.forgotten.emit()
    window.features.history.show()
    if window.features.history.dialog is None:
        raise UserError("there is no battle with a history: start one")
    return window.features.history.dialog


def _light(window: Window, _: Path) -> QWidget:
    """The battle in the light theme."""
    if window.features.history.dialog is not None:
        window.features.history.dialog.reject()
    window.sides.setCurrentWidget(window.battle.panel)
    window.appearance.themes[Theme.LIGHT].trigger()
    return window


def _phone(window: Window, own: Path) -> QWidget:
    """The phone page with a soldier's targets, light and dark side by side; needs Chromium."""
    program = installed()
    if program is None:
        raise UserError("the picture of the phone page needs Chromium or Chrome: install it")
    window.features.phone.start(LOOPBACK)
    server = window.features.phone.server
    if server is None:
        raise UserError("the phone page does not run: try again")
    width_px, height_px = PHONE_PX
    both = QPixmap(2 * width_px + _BETWEEN_PX, height_px)
    both.fill(Qt.GlobalColor.transparent)
    with Phone(program, own / "browser") as phone, painting(both) as painter:
        for number, theme in enumerate(("light", "dark")):
            phone.show(server.url, theme)
            wait_for(lambda: phone.text("sides"), "the battle on the phone")
            phone.value(f"choose({_other(window)!r})")
            wait_for(lambda: phone.value("document.querySelectorAll('#actions li').length"), "the soldier's targets")
            screen = QImage.fromData(phone.picture()).scaledToWidth(
                width_px, Qt.TransformationMode.SmoothTransformation
            )
            painter.drawImage(number * (width_px + _BETWEEN_PX), 0, screen)
    window.features.phone.stop()
    return _shown(both)


def _other(window: Window) -> str:
    """A soldier of the side that acts, other than the selected one."""
    position = window.battle.position
    if position is None:
        raise UserError("there is no battle: start one")
    return next(unit.id for unit in position.state.standing(position.state.side) if unit.id != window.battle.chosen)


def _projector(window: Window, _: Path) -> QWidget:
    """The table itself, with what the projector paints on it during the battle."""
    projector, view = window.features.projector, all_seen(window)
    projector.screen.resize(1280, 720)
    projector.align()
    wait_for(lambda: projector.light, "the projector's light")
    window.store.use_tool("select")
    by = next(figure for figure in view.figures if figure.army == "green" and figure.posture is Posture.STANDING)
    click(window, view, by.centre_in, by.z_in)
    window.store.session.lay_ruler(*(figure.id for figure in enemies(view.figures, set())))
    window.store.session.lay(Blast((32.0, 13.0), 3.0))
    window.store.show()
    wait(8.0)  # until soldiers are searched among the lines, and the lines are painted
    if window.store.frame is None:
        raise UserError("the simulated table has no picture: open it")
    return _shown(QPixmap.fromImage(to_qimage(window.store.frame.image_bgr)))


def setup_dialog(window: Window, own: Path) -> BattleSetupDialog:
    """The battle setup dialog, filled in for a battle of two armies; `own` holds its army lists."""
    view = all_seen(window)
    crops = {figure.id: crop for figure in view.figures if (crop := portrait(view, figure.id, CROP_PX)) is not None}
    dialog = BattleSetupDialog(["green", "tan"], view.figures, ArmyLists(own / "armies"), window, crops=crops)
    dialog.choose_game("simple_plastic")
    for side in ("green", "tan"):
        soldiers = [f for f in view.figures if f.army == side and f.posture is not Posture.VEHICLE]
        for number, figure in enumerate(soldiers):
            dialog.soldiers.choose(figure.id, "heavy_machine_gunner" if number == 0 else "soldier", "first")
        for figure in view.figures:
            if figure.army == side and figure not in soldiers:
                dialog.soldiers.choose(figure.id, "")
    return dialog


def all_seen(window: Window) -> TableView:
    """The view once no more soldiers appear."""
    view = figures_seen(window)
    wait_for(lambda: window.store.view and len(window.store.view.figures) > 20, "all soldiers")
    return window.store.view or view


def _across_the_terrain(window: Window, view: TableView) -> tuple[Figure, Figure]:
    """Two enemies partly hidden from each other by terrain."""
    part = sights(view, window.store.session.state.setup).exposure
    seen = [(a, b, part[i, j]) for i, a in enumerate(view.figures) for j, b in enumerate(view.figures)]
    pairs = [(a, b) for a, b, exposed in seen if a.army != b.army and 0.2 < exposed < 0.8]
    return pairs[0] if pairs else enemies(view.figures, set())


_SCENES: dict[str, Callable[[Window, Path], QWidget]] = {
    "guide": _guide,
    "armies": _armies,
    "practice": _practice,
    "measure": _measure,
    "sight": _sight,
    "targets": _targets,
    "sight-fan": _sight_fan,
    "map": _map,
    "battle-setup": _battle_setup,
    "battle": _battle,
    "outcome": _outcome,
    "film": _film,
    "page": _page,
    "terrain": _terrain,
    "devices": _devices,
    "wled": _wled,
    "speech": _speech,
    "history": _history,
    "light": _light,
    "phone": _phone,
    "projector": _projector,
}


if __name__ == "__main__":
    sys.exit(main())
