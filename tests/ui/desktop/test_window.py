"""The real window on the simulated table, operated by the mouse."""

import gc
import math
import sys
import threading
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PyQt6 import sip
from PyQt6.QtCore import QLocale, QObject, QPoint, QPointF, Qt, QTimer
from PyQt6.QtGui import QWheelEvent
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QDoubleSpinBox, QLabel, QMenu, QMenuBar, QPushButton, QStatusBar, QWidget

from calibration.calibration_targets import CalibrationTargets
from rules.tabletop.errors import UserError
from tests.ui.desktop.test_calibration_controller import Shots
from tests.ui.windows import BARE_IN, LEFT, POSTS, Open, Wait, at, click, move, point, refresh
from ui import measuring
from ui.desktop.app import ErrorReporter
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.setup.diagnosis_dialog import MarkerSizeDialog
from ui.desktop.window import Window
from ui.measuring import figure_at, measured
from ui.picture.shapes import Label
from vision.frame import Frame
from vision.pictures import read_image
from vision.setup import Setup
from vision.simulation.simulator import SimulatedTable
from vision.source import Source


def inches(words: str) -> float:
    return float(words.split()[0])


def drawn_words(window: Window) -> list[str]:
    return [row for shape in window.picture.shapes if isinstance(shape, Label) for row, _ in shape.rows]


def test_two_clicks_measure_real_detections(open_window: Open, wait_until: Wait) -> None:
    """Uses no stand-ins: the networks find the figures."""
    window = open_window()
    wait_until(lambda: window.store.view and len(window.store.view.figures) >= 2, timeout_s=60)
    view = window.store.view
    a, b = (next(f for f in view.figures if f.army == army) for army in ("green", "blue"))
    for figure in (a, b):
        click(window, figure.centre_in)
    assert [(r.a, r.b) for r in window.store.session.state.rulers] == [(a.id, b.id)]
    posts = [min(POSTS.values(), key=lambda post: math.dist(post, figure.centre_in)) for figure in (a, b)]
    assert inches(window.panel.headline.text()) == pytest.approx(math.dist(*posts), abs=0.3)


def test_the_answer_is_previewed_before_the_second_click(window: Window) -> None:
    click(window, POSTS["green-1"])
    assert window.store.session.state.rulers == ()
    point(window, POSTS["blue-1"])
    assert inches(window.panel.headline.text()) == pytest.approx(12.0, abs=0.1)  # 20 - 8
    assert any(words.startswith("12.0 in") for words in drawn_words(window))
    point(window, BARE_IN)
    assert inches(window.panel.headline.text()) == pytest.approx(math.hypot(7, 5), abs=0.1)


def test_a_previewed_ruler_is_measured_once(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    click(window, POSTS["green-1"])
    for timer in window.findChildren(QTimer):  # they also redraw
        timer.stop()
    pairs = []
    measured = measuring.measured
    monkeypatch.setattr(measuring, "measured", lambda view, pair: pairs.append(pair) or measured(view, pair))
    point(window, POSTS["blue-1"])
    assert inches(window.panel.headline.text()) == pytest.approx(12.0, abs=0.1)
    assert len(pairs) == 1


def test_a_drag_measures_to_a_bare_place(window: Window) -> None:
    QTest.mousePress(window.picture, LEFT, pos=at(window, BARE_IN))
    point(window, POSTS["green-2"])
    QTest.mouseRelease(window.picture, LEFT, pos=at(window, POSTS["green-2"]))
    (ruler,) = window.store.session.state.rulers
    assert ruler.a == pytest.approx(BARE_IN, abs=0.05)
    assert isinstance(ruler.b, str)
    assert inches(window.panel.headline.text()) == pytest.approx(math.hypot(4, 9), abs=0.1)


def test_escape_cancels_the_ruler_then_the_tool(window: Window) -> None:
    click(window, POSTS["green-1"])
    window.commands.cancel()
    assert window.store.tool.name == "measure"
    click(window, POSTS["blue-1"])
    assert window.store.session.state.rulers == ()
    window.commands.cancel()
    window.commands.cancel()
    assert window.store.tool.name == "select"


def test_a_blast_shows_the_covered_figures_and_fractions(window: Window) -> None:
    window.store.use_tool("blast")
    point(window, POSTS["blue-1"])
    assert window.panel.headline.text() == "2 soldiers"
    turn_wheel(window.picture, at(window, POSTS["blue-1"]), -3)
    assert "1.5 in" in window.store.tool.hint  # 3 minus three half inches
    click(window, POSTS["blue-1"])
    (blast,) = window.store.session.state.templates
    assert blast.radius_in == 1.5
    assert blast.centre_in == pytest.approx(POSTS["blue-1"], abs=0.05)
    percents = sorted(int(words.split()[0]) for words in drawn_words(window) if words.endswith("%"))
    # The second stands sqrt(1.5^2 + 0.5^2) = 1.58 in off, its centre just outside the rim.
    assert percents[-1] == 100
    assert 20 < percents[0] < 50


def test_a_laid_blast_is_drawn_once_until_the_mouse_moves(window: Window) -> None:
    window.store.use_tool("blast")
    point(window, BARE_IN)
    click(window, BARE_IN)
    assert drawn_words(window).count("blast of 3 in") == 1
    window.commands.turn(1)
    assert "blast of 3.5 in" in drawn_words(window)
    window.commands.turn(-1)
    move(window.picture, at(window, BARE_IN) + QPoint(9, 0))
    assert drawn_words(window).count("blast of 3 in") == 2


def turn_wheel(view: PictureView, where: QPoint, steps: int, keys: Qt.KeyboardModifier | None = None) -> None:
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    angle, spot = QPoint(0, 120 * steps), QPointF(where)
    keys = Qt.KeyboardModifier.NoModifier if keys is None else keys
    event = QWheelEvent(spot, view.mapToGlobal(spot), QPoint(), angle, none, keys, phase, False)
    QApplication.sendEvent(view, event)


def test_teaching_the_bare_table_is_refused(window: Window) -> None:
    window.store.use_tool("teach")
    palette = window.store.session.state.setup.palette
    click(window, BARE_IN)
    assert window.bar.text.startswith("No soldier here.")
    assert window.bar.isVisible()
    assert window.store.session.state.setup.palette is palette
    window.commands.cancel()
    assert not window.bar.isVisible()


@pytest.mark.parametrize("guided", [False, True])
def test_a_message_never_moves_the_picture_and_covers_it_only_beside_the_guide(window: Window, guided: bool) -> None:
    if guided:
        window.help.guide.begin()
    QApplication.processEvents()
    before = window.picture.geometry()
    window.store.say("No soldier here.", [("Teach Green 4", lambda: None)])
    QApplication.processEvents()
    assert window.bar.isVisible()
    assert window.picture.geometry() == before
    assert window.bar.geometry().intersects(before) == guided


def test_an_army_is_forgotten_and_taught_again(window: Window, wait_until: Wait) -> None:
    window.panel.armies.forgotten.emit("blue")
    wait_until(lambda: {f.army for f in window.store.view.figures} == {"green"})
    window.store.use_tool("teach")
    window.panel.choose("blue")
    click(window, POSTS["blue-1"])
    wait_until(lambda: {f.army for f in window.store.view.figures} == {"green", "blue"})


def test_a_missing_camera_leaves_the_window_usable(open_window: Open, wait_until: Wait, table: SimulatedTable) -> None:
    tries: list[str] = []

    def opener(spec: str) -> Source:
        tries.append(spec)
        if len(tries) == 1:
            raise UserError("there is no picture there: choose another")
        return table

    window = open_window("table.png", opener)
    wait_until(lambda: window.bar.text == "There is no picture there: choose another")
    buttons = {button.text(): button for button in window.bar.findChildren(QPushButton)}
    assert set(buttons) == {"Try again", "Open…"}
    QTest.mouseClick(buttons["Try again"], LEFT)
    wait_until(lambda: window.store.frame is not None and not window.bar.isVisible())
    assert tries == ["table.png", "table.png"]


def test_without_a_marker_the_bar_offers_help(open_window: Open, wait_until: Wait) -> None:
    class Blank:
        name, live = "blank", False
        left = 1

        def read(self) -> Frame | None:
            self.left -= 1
            return Frame(np.full((270, 480, 3), 90, np.uint8), 0, 0.0) if self.left == 0 else None

        def close(self) -> None: ...

    window = open_window("blank.png", lambda _: Blank())
    wait_until(lambda: "No marker found" in window.bar.text)
    ways = [button.text() for button in window.bar.findChildren(QPushButton)]
    assert ways == ["Without markers…", "Check markers", "Marker size…"], "no marker can be laid in a picture"
    QTest.mouseClick(window.picture, LEFT, pos=QPoint(100, 100))
    assert window.store.session.state.rulers == ()


def test_a_frozen_picture_can_be_measured(window: Window, wait_until: Wait) -> None:
    window.actions_.freeze.setChecked(True)
    wait_until(lambda: window.store.view.frame is window.store.source_controller.worker.frame is window.store.frame)
    still = window.store.frame
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    assert len(window.store.session.state.rulers) == 1
    window.pull()
    assert window.store.frame is still
    assert window.statusBar().findChild(QLabel, "pictures").text() == "Frozen"
    window.actions_.freeze.setChecked(False)
    wait_until(lambda: window.store.frame is not still)


def test_the_saved_picture_contains_the_drawings(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    window.actions_.freeze.setChecked(True)
    window.commands.save_snapshot(tmp_path / "table.png")
    wait_until(lambda: "Saved" in window.bar.text)
    saved, plain = read_image(tmp_path / "table.png"), window.store.frame.image_bgr
    assert saved.shape == plain.shape
    middle = window.store.view.calibration.camera.table_to_pixel((14.0, 10.0))[0].round().astype(int)
    assert saved[middle[1], middle[0]].tolist() == pytest.approx([66, 228, 240], abs=40)  # the ruler's yellow
    window.commands.save_snapshot(tmp_path / "bare.png", bare=True)
    wait_until(lambda: "bare.png" in window.bar.text)
    assert np.array_equal(read_image(tmp_path / "bare.png"), plain)
    window.commands.save_snapshot(tmp_path / "nowhere" / "table.png")
    wait_until(lambda: "there is no such folder" in window.bar.text or "No such file" in window.bar.text)


@pytest.mark.slow
def test_settings_are_restored_at_the_next_start(open_window: Open, wait_until: Wait) -> None:
    first = open_window(None)
    assert first.store.source_controller.spec == "demo"
    first.store.open("3")
    wait_until(lambda: first.store.source_controller.spec == "3")
    first.close()
    assert open_window(None).store.source_controller.spec == "3"


def test_rulers_are_measured_once_for_the_picture_and_the_list(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    window.actions_.freeze.trigger()
    for ends in combinations(("green-1", "green-2", "blue-1", "blue-2"), 2):
        window.store.session.lay_ruler(*ends)
    refresh(window)
    asked: list[object] = []
    monkeypatch.setattr(measuring, "measured", lambda *pair: asked.append(pair) or measured(*pair))
    window.store.session.lay_ruler("green-1", BARE_IN)
    refresh(window)
    refresh(window)
    assert len(asked) == 1


def setup_once_open(window: Window, spec: str, wait_until: Wait) -> Setup:
    """Open a source; returns its setup before its first picture, which may teach the simulated armies."""
    setups: list[Setup] = []
    window.store.opened.connect(lambda: setups.append(window.store.session.state.setup))
    window.store.open(spec)
    wait_until(lambda: setups)
    assert window.store.source_controller.spec == spec
    return setups[0]


def test_qt_makes_no_menu_action_or_button_for_the_window(window: Window) -> None:
    # PyQt does not notice when Qt deletes what Qt made, and may give its wrapper to another object (decision 12).
    for menu in window.findChildren(QMenu):
        menu.aboutToShow.emit()  # fills it
    gc.collect()
    made = {type(one) for one in gc.get_objects() if isinstance(one, QObject) and not sip.ispycreated(one)}
    # Of these each window has one for its whole life, or, for the area behind a scroll bar, its panel has.
    assert made <= {QMenuBar, QStatusBar, QWidget}


def test_another_source_starts_an_empty_table(window: Window, wait_until: Wait) -> None:
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    setup = setup_once_open(window, "7", wait_until)
    assert window.store.session.state.rulers == ()
    assert setup.palette == (), "the simulated armies are not the player's"
    window.store.open("demo")
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))


def test_a_picture_starts_without_the_armies_of_the_last_table(open_window: Open, wait_until: Wait) -> None:
    """Its soldiers may have other colours, and would not be found."""
    window = open_window("7", lambda _: Shots(np.full((270, 480, 3), 128, np.uint8)))
    window.store.change(lambda: window.store.session.begin_army("tan"))
    setup = setup_once_open(window, "/some/where/table.jpg", wait_until)
    assert setup.palette == ()
    assert setup.propose
    assert [army.name for army in setup_once_open(window, "7", wait_until).palette] == ["tan"]


def test_a_source_that_does_not_open_changes_nothing(
    found: None, open_window: Open, table: SimulatedTable, wait_until: Wait
) -> None:
    def opener(spec: str) -> Source:
        if spec != "demo":
            raise UserError("it is broken")
        return table

    window = open_window("demo", opener)
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    before = window.store.source_controller
    for spec in ("/some/where/table.jpg", "5"):
        window.store.open(spec)
        assert window.bar.text.startswith("Opening ")
        wait_until(lambda: window.bar.text == "It is broken")
        assert window.store.source_controller is before
        assert window.windowTitle() == "Simulated table"
        assert len(window.store.session.state.rulers) == 1


@pytest.mark.parametrize("typed", ["2,95", "2.95"])
@pytest.mark.parametrize("language", [QLocale.Language.German, QLocale.Language.English])
def test_a_markers_side_accepts_point_or_comma(qt: QApplication, typed: str, language: QLocale.Language) -> None:
    usual = QLocale()
    QLocale.setDefault(QLocale(language))
    try:
        dialog = MarkerSizeDialog(CalibrationTargets())
        side = dialog.findChild(QDoubleSpinBox)
        assert side.text() == "3.000 in"
        side.selectAll()
        QTest.keyClicks(side, typed)
        assert dialog.prints.side_in == 2.95
    finally:
        QLocale.setDefault(usual)


def test_an_unexpected_error_is_shown_and_the_window_continues(
    window: Window, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    last = ErrorReporter(window)
    last.install()
    window.actions_.undo.setEnabled(True)
    monkeypatch.setattr(window.store.session, "undo", lambda: 1 / 0)
    window.actions_.undo.trigger()
    QApplication.processEvents()
    box = last.box
    assert box.isVisible()
    assert "ZeroDivisionError" in box.detailedText()
    assert "ZeroDivisionError" in capsys.readouterr().err
    box.close()
    last.remove()
    window.store.use_tool("blast")
    assert window.isVisible()


PICTURE_PX = (960, 540)


@pytest.mark.usefixtures("application")
@settings(max_examples=40)
@given(st.floats(-5, 965), st.floats(-5, 545), st.lists(st.tuples(st.integers(-4, 6), st.integers(0, 799)), max_size=4))
def test_zoom_keeps_the_place_under_the_cursor(x: float, y: float, turns: list[tuple[int, int]]) -> None:
    view = PictureView()
    view.resize(800, 450)
    view.show_picture(to_qimage(np.zeros((PICTURE_PX[1], PICTURE_PX[0], 3), np.uint8)))
    for steps, across in turns:
        cursor = QPointF(across, across / 2)
        before, scale = view.to_picture(cursor), view.scale
        view.zoom(1.2**steps, cursor)
        fitted = view.scale == pytest.approx(800 / 960)
        inside = 0 <= before[0] < 960 and 0 <= before[1] < 540
        if not fitted and inside and view.scale != scale:
            assert view.to_picture(cursor) == pytest.approx(before, abs=1e-6)
    there = view.to_widget((x, y))
    assert view.to_picture(there) == pytest.approx((x, y), abs=1e-6)
    assert 800 / 960 - 1e-9 <= view.scale <= 16


def test_a_fitted_picture_reaches_the_widgets_edges(qt: QApplication) -> None:
    view = PictureView()
    view.resize(480, 400)
    view.show_picture(to_qimage(np.zeros((540, 960, 3), np.uint8)))
    # Half size, 270 of 400 high, centred: the top left pixel's centre is half a picture pixel in.
    assert view.to_widget((0, 0)) == QPointF(0.25, 65.25)
    assert view.to_widget((959, 539)) == QPointF(479.75, 334.75)


def test_the_wheel_zooms_and_the_right_button_drags(window: Window) -> None:
    view, spot = window.picture, at(window, POSTS["blue-1"])
    before = view.to_picture(QPointF(spot))
    turn_wheel(view, spot, 3)
    assert view.to_picture(QPointF(spot)) == pytest.approx(before, abs=1e-6)
    right = Qt.MouseButton.RightButton
    QTest.mousePress(view, right, pos=spot)
    move(view, spot + QPoint(30, 20), right)
    QTest.mouseRelease(view, right, pos=spot + QPoint(30, 20))
    assert view.to_picture(QPointF(spot + QPoint(30, 20))) == pytest.approx(before, abs=1e-6)
    # A click still hits the soldier seen there.
    assert figure_at(window.store.view, view.to_picture(QPointF(at(window, POSTS["blue-1"])))).army == "blue"
    view.fit()
    window.store.use_tool("plan")
    scale = view.scale
    turn_wheel(view, spot, 1)
    assert view.scale > scale, "a finished plan stays as it is"
    view.fit()
    window.store.use_tool("blast")
    scale = view.scale
    turn_wheel(view, spot, 1, Qt.KeyboardModifier.ControlModifier)
    assert view.scale > scale


def test_numbers_can_be_switched_off(window: Window, wait_until: Wait) -> None:
    def numbered() -> bool:
        return any(isinstance(shape, Label) and shape.small for shape in window.picture.shapes)

    wait_until(numbered)
    window.actions_.numbers.trigger()
    assert not numbered()
    window.actions_.numbers.trigger()
    assert numbered()
