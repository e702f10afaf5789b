"""`python -m ui.desktop.pictures FOLDER`: the pictures of the guide, made by playing it on the simulated table."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import QWidget

from rules.table import Figure, Posture, Refused
from ui.battle.armies import Shelf
from ui.desktop.battle.muster_dialog import MusterDialog
from ui.desktop.screenshot import QUALITY, click, enemies, figures_seen, staged, wait
from ui.desktop.window import Window
from ui.measuring import sights
from ui.setup.first_run import Step
from vision.pipeline import TableView
from vision.simulator import SimulatedTable
from vision.table_scene import demo_scene

_WIDTH_PX = 1000
_PATIENCE_S = 300.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the pictures; the exit status."""
    parser = argparse.ArgumentParser(prog="pictures", description=__doc__)
    parser.add_argument("folder", type=Path, metavar="FOLDER")
    folder: Path = parser.parse_args(arguments).folder

    def shoot(window: Window, own: Path) -> None:
        for name, scene in _SCENES.items():
            shown = scene(window, own)
            wait(0.5)
            _save(shown, folder / f"{name}.jpg")

    return staged("pictures", lambda: SimulatedTable(demo_scene()), shoot)


def _save(shown: QWidget, path: Path) -> None:
    picture = shown.grab()
    if picture.width() > _WIDTH_PX:
        picture = picture.scaledToWidth(_WIDTH_PX, Qt.TransformationMode.SmoothTransformation)
    if not picture.save(str(path), quality=QUALITY):
        raise Refused(f"cannot write {path}: choose another folder")
    print(path)


def _wait_for(condition: Callable[[], object], what: str) -> None:
    until_s = time.monotonic() + _PATIENCE_S
    while not condition():
        if time.monotonic() > until_s:
            raise Refused(f"waited in vain for {what}: try again with less going on")
        wait(0.05)


def _guide(window: Window, _: Path) -> QWidget:
    """The guide while the third army is asked for."""
    guide = window.help.guide
    guide.begin()
    guide.choose("demo")
    _wait_for(lambda: guide.bar.shown and guide.bar.shown.step is Step.EMPTY and guide.bar.shown.ready, "markers")
    guide.bar.button.click()
    table = window.bench.simulated
    if table is None:
        raise Refused("this is not the simulated table: open that")
    _wait_for(lambda: not table.bare, "the armies")
    wait(2.0)
    for army in ("green", "tan"):
        window.panel.choose(army)
        for soldier in [f for f in table.truth.figures if f.army == army and f.posture is Posture.STANDING][:3]:
            px = table.camera.table_to_pixel((*soldier.centre_in, soldier.z_in))[0]
            window.picture.pressed.emit(*px)
            window.picture.released.emit(*px)
    _wait_for(lambda: window.bench.view and any(f.army == "tan" for f in window.bench.view.figures), "the soldiers")
    window.picture.left.emit()
    wait(8.5)  # until the message that they are taught has gone
    return window


def _measure(window: Window, _: Path) -> QWidget:
    """A range, the answer in large type."""
    window.help.guide.leave()
    window.open("demo")
    view = _all_seen(window)
    window.use_tool("measure")
    for figure in enemies(view.figures, set()):
        click(window, view, figure.centre_in, figure.z_in)
    window.picture.left.emit()
    window.stage.referee.setChecked(True)
    return window


def _sight(window: Window, _: Path) -> QWidget:
    """What one soldier sees of another."""
    window.stage.referee.setChecked(False)
    window.clear()
    view = _all_seen(window)
    window.use_tool("sight")
    for figure in _across_the_terrain(window, view):
        click(window, view, figure.centre_in, figure.z_in)
    return window


def _targets(window: Window, _: Path) -> QWidget:
    """Whom a soldier can shoot."""
    window.use_tool("fan")
    view = _all_seen(window)
    shooter = enemies(view.figures, set())[0]
    click(window, view, shooter.centre_in, shooter.z_in)
    return window


def _map(window: Window, _: Path) -> QWidget:
    """The table from straight above."""
    window.let_go()
    window.use_tool("select")
    window.stage.map.setChecked(True)
    window.picture.left.emit()
    return window


def _muster(window: Window, own: Path) -> QWidget:
    """The question which game is played, and who is what."""
    window.stage.map.setChecked(False)
    dialog = _mustered(window, own)
    dialog.show()
    return dialog


def _battle(window: Window, own: Path) -> QWidget:
    """What a soldier can do, and how likely."""
    dialog = _mustered(window, own)
    window.battle.begin(own / "evening.battle", dialog.muster)
    dialog.deleteLater()
    window.sides.setCurrentWidget(window.battle.panel)
    view = _all_seen(window)
    _wait_for(lambda: window.battle.moment, "the battle")
    for _step in range(2):
        window.battle.panel.go_on.emit()
    rivals = [f for f in view.figures if f.army in ("green", "tan") and f.posture is not Posture.VEHICLE]
    by = next(figure for figure in enemies(rivals, set()) if figure.army == "green")
    window.use_tool("select")
    click(window, view, by.centre_in, by.z_in)
    window.battle.panel.choose(0)
    return window


def _mustered(window: Window, own: Path) -> MusterDialog:
    view = _all_seen(window)
    dialog = MusterDialog(["green", "tan"], view.figures, Shelf(own / "armies"), window)
    dialog.choose_game("simple_plastic")
    for side in ("green", "tan"):
        soldiers = [f for f in view.figures if f.army == side and f.posture is not Posture.VEHICLE]
        for number, figure in enumerate(soldiers):
            dialog.choose_card(figure.id, "heavy_machine_gunner" if number == 0 else "soldier", "first")
        for figure in view.figures:
            if figure.army == side and figure not in soldiers:
                dialog.choose_card(figure.id, "")
    return dialog


def _all_seen(window: Window) -> TableView:
    """The table when no more soldiers come to light."""
    view = figures_seen(window)
    _wait_for(lambda: len(window.bench.view.figures) > 20 if window.bench.view else False, "all soldiers")
    return window.bench.view or view


def _across_the_terrain(window: Window, view: TableView) -> tuple[Figure, Figure]:
    """Two enemies with something between them that hides a part."""
    part = sights(view, window.session.state.setup).exposure
    seen = [(a, b, part[i, j]) for i, a in enumerate(view.figures) for j, b in enumerate(view.figures)]
    pairs = [(a, b) for a, b, exposed in seen if a.army != b.army and 0.2 < exposed < 0.8]
    return pairs[0] if pairs else enemies(view.figures, set())


_SCENES: dict[str, Callable[[Window, Path], QWidget]] = {
    "guide": _guide,
    "measure": _measure,
    "sight": _sight,
    "targets": _targets,
    "map": _map,
    "muster": _muster,
    "battle": _battle,
}


if __name__ == "__main__":
    sys.exit(main())
