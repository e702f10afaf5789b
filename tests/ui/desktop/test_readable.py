"""Every part of the window and its dialogs can be read: a name, a tooltip, large text, nothing clipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QLabel,
    QLineEdit,
    QListWidget,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from rules.engine.roster import Army, Recruit
from tests.ui.windows import Open, Owned, Wait, show_battle
from tools.layout_check import SCREEN, access_problems, layout_problems
from ui.battle.battle_setup import ArmyLists, BattleSetup
from ui.desktop.action import icon
from ui.desktop.printing import PrintDialog
from ui.desktop.setup.lens_dialog import LensDialog
from ui.desktop.theme import TEXT_PX
from ui.desktop.window import Window
from ui.paper.printing import PrintJob
from ui.translation import use_language


@pytest.fixture(params=["en", "de"])
def language(request: pytest.FixtureRequest) -> Iterator[None]:
    """The language of the texts."""
    assert use_language([request.param]) == request.param
    yield
    use_language(["en"])


@pytest.fixture
def window(found: None, language: None, open_window: Open, wait_until: Wait, tmp_path: Path) -> Window:
    """A window on the smallest screen, with a battle, in each language."""
    shown = open_window()
    shown.resize(*SCREEN)
    wait_until(lambda: shown.store.view and len(shown.store.view.figures) == 4)
    figures = shown.store.view.figures
    recruits = {
        side: tuple(Recruit(figure=f.id, card="soldier") for f in figures if f.army == side)
        for side in ("green", "blue")
    }
    armies = {side: Army(name=side, game="simple_plastic", recruits=some) for side, some in recruits.items()}
    shown.battle.begin(tmp_path / "evening.battle", BattleSetup("simple_plastic", armies))
    show_battle(shown)
    wait_until(lambda: shown.battle.position)
    return shown


def problems(where: str, shown: QWidget) -> list[str]:
    """What cannot be read once the layout is up to date."""
    QApplication.processEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    return [f"{where}: {one}" for one in (*access_problems(shown), *layout_problems(shown))]


def test_every_tab_can_be_read(window: Window) -> None:
    found = []
    for tab in range(window.sides.count()):
        window.sides.setCurrentIndex(tab)
        found += problems(window.sides.tabText(tab), window)
    window.help.guide.begin()
    assert [*found, *problems("guide", window)] == []


def test_the_card_and_the_dice_can_be_read(window: Window) -> None:
    for _phase in range(2):
        window.battle.turn_bar.go_on.emit()
    window.battle.choose("green-1")
    window.battle.panel.action_list.choose(0)
    found = problems("card", window)
    window.battle.panel.wanted.emit(window.battle.panel.chosen.action)
    assert window.battle.rolling.card is not None
    assert [*found, *problems("dice", window)] == []


@pytest.mark.slow
def test_every_dialog_can_be_read(window: Window, tmp_path: Path, owned: Owned[QDialog]) -> None:
    calibration, help_, view = window.features.calibration, window.help, window.store.view
    made = (LensDialog(lambda: view.frame, "A camera"), PrintDialog(PrintJob(), ArmyLists(tmp_path)))
    found = []
    for asks, controller in (
        (
            (
                calibration.choose_marker_size,
                calibration.check_markers,
                calibration.click_corners,
                calibration.measure_distance,
                calibration.choose_area,
            ),
            calibration,
        ),
        ((help_.show_keys, help_.show_about, help_.show_licences, help_.show_details), help_),
        ((window.features.history.show,), window.features.history),
    ):
        for ask in asks:
            ask()
            found += problems(controller.dialog.windowTitle(), controller.dialog)
            controller.dialog.reject()
    for dialog in map(owned, made):
        dialog.show()
        found += problems(dialog.windowTitle(), dialog)
    assert found == []


@pytest.mark.usefixtures("qt")
def test_what_has_no_name_or_small_text_is_reported(owned: Owned[QWidget]) -> None:
    around = owned(QWidget())
    layout = QVBoxLayout(around)
    button, label, field, named = QToolButton(), QLabel("Small"), QLineEdit(), QListWidget()
    button.setIcon(icon("open"))
    named.setAccessibleName("Rows")
    label.setStyleSheet(f"font-size: {TEXT_PX - 1}px")
    title = QLabel("Name:")
    title.setBuddy(field)
    for part in (button, label, title, field, named, QComboBox(), QTabBar()):
        layout.addWidget(part)
    around.show()
    assert access_problems(around) == (
        "the QToolButton has no accessible name",
        "the button '' shows only an icon and has no tooltip",
        "'Small' is only 13 px high",
        "the QComboBox has no accessible name",
        "the QTabBar has no accessible name",
    )
