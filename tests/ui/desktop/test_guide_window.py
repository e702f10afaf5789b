"""The guide in the real window: from the camera to the first measured shot, on the simulated table."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPoint
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QTextBrowser

from tests.ui.windows import LEFT, POSTS, Open, Wait, click, settings_in
from ui.desktop.help_controller import actions_of, keys_of
from ui.desktop.window import Window
from ui.guide import GuideStep, StepMark
from ui.setup.cameras import Camera
from vision.frame import Frame
from vision.simulation.simulator import SimulatedTable
from vision.source import Source
from vision.webcam import SETTLING, Webcam


@pytest.fixture(autouse=True)
def no_cameras(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.desktop.guide.cameras", tuple)


@pytest.fixture(autouse=True)
def manned(table: SimulatedTable) -> None:
    """Reset the table, which all tests share and an unfinished guide leaves bare."""
    table.bare = False


def step_of(window: Window) -> GuideStep | None:
    shown = window.help.guide.bar.shown
    return shown.step


def press(window: Window) -> None:
    assert window.help.guide.bar.button.isEnabled()
    QTest.mouseClick(window.help.guide.bar.button, LEFT)


def choose_source(window: Window, words: str) -> None:
    """Choose a source in the first step's menu."""
    guide = window.help.guide
    guide.choices.aboutToShow.emit()
    [action] = [one for one in guide.choices.actions() if one.text() == words]
    action.trigger()


def on_base(window: Window, table: SimulatedTable, name: str) -> QPoint:
    """Position of a soldier's base in the window, from the true camera."""
    return window.picture.to_widget(tuple(table.camera.table_to_pixel(POSTS[name])[0])).toPoint()


def teach(window: Window, table: SimulatedTable, army: str, wait_until: Wait) -> None:
    """Click its soldiers until one is accepted: in one noisy picture of twenty a colour runs into the table."""
    known = [colour.name for colour in window.store.session.state.setup.palette]
    for name in [name for name in POSTS if name.startswith(army)] * 5:
        frame = window.store.frame
        QTest.mouseClick(window.picture, LEFT, pos=on_base(window, table, name))
        if len(window.store.session.state.setup.palette) > len(known):
            return
        wait_until(lambda frame=frame: window.store.frame is not frame)
    raise AssertionError(window.bar.text)


def test_the_guide_leaves_most_of_a_small_screen_to_the_table(open_window: Open, wait_until: Wait) -> None:
    window = open_window()
    window.resize(1366, 768)
    window.show()
    window.help.guide.begin()
    # Beside menus, the guide in three lines and the status bar.
    wait_until(lambda: window.help.guide.bar.isVisible() and window.picture.height() > 590)


@pytest.mark.slow
def test_the_whole_guide_on_the_simulated_table(
    found: None, open_window: Open, table: SimulatedTable, wait_until: Wait
) -> None:
    window = open_window(None)
    guide = window.help.guide
    guide.begin_on_first_start()
    assert step_of(window) is GuideStep.CAMERA
    assert "No camera is plugged in" in guide.bar.words.text()
    choose_source(window, "Simulated table")
    wait_until(lambda: step_of(window) is GuideStep.EMPTY, timeout_s=60)
    assert guide.bar.shown.marks[GuideStep.MARKERS] is StepMark.DONE, "four markers lie there"
    assert window.store.session.state.setup.palette == (), "nothing is taught before the player teaches it"
    wait_until(lambda: guide.bar.button.isEnabled())
    bare = window.store.frame.image_bgr.astype(int)
    assert np.abs(bare - table.empty_bgr).max() < 60, "the armies are not on the table yet"
    press(window)
    wait_until(lambda: step_of(window) is GuideStep.ARMIES)
    assert window.store.session.state.setup.reference_bgr is not None
    assert window.store.tool.name == "teach"
    wait_until(lambda: np.abs(window.store.frame.image_bgr.astype(int) - table.empty_bgr).max() > 60)
    assert window.panel.army == "green"
    teach(window, table, "green", wait_until)
    wait_until(lambda: window.panel.army == "tan", timeout_s=5)
    QTest.keyClicks(guide.bar.army.lineEdit(), "x")
    guide.bar.army.setEditText("blue")
    assert window.panel.army == "blue"
    teach(window, table, "blue", wait_until)
    wait_until(lambda: step_of(window) is GuideStep.GAME)
    wait_until(lambda: len(window.store.view.figures) == len(POSTS))
    assert [colour.name for colour in window.store.session.state.setup.palette] == ["blue", "green"]
    assert guide.spotlight.target is window.battle.panel.games
    QTest.mouseClick(guide.bar.skip, LEFT)
    wait_until(lambda: step_of(window) is GuideStep.SHOT)
    assert window.store.tool.name == "measure"
    for _ in range(2):  # a soldier, then one of the other army
        wait_until(lambda: guide.spotlight.isVisible())
        QTest.mouseClick(window.picture, LEFT, pos=guide.spotlight.centre)
        guide.pull()
    wait_until(lambda: step_of(window) is None)
    [ruler] = window.store.session.state.rulers
    assert {str(end).partition("-")[0] for end in (ruler.a, ruler.b)} == {"green", "blue"}
    press(window)
    assert not guide.bar.isVisible()
    guide.begin_on_first_start()
    assert not guide.bar.isVisible(), "who was led once is not led again"


def test_the_armies_of_a_table_that_was_bare_are_counted(
    open_window: Open, table: SimulatedTable, wait_until: Wait
) -> None:
    table.bare = True
    table.read()
    window = open_window("demo")
    wait_until(lambda: window.store.frame)
    assert window.store.source_controller.armies == 2


def test_the_guide_can_be_left_at_any_step(open_window: Open, wait_until: Wait, found: None) -> None:
    window = open_window(None)
    guide = window.help.guide
    for skipped in range(3):  # by the third the markers are seen, and their step needs no skipping
        guide.begin()
        for _ in range(skipped):
            QTest.mouseClick(guide.bar.skip, LEFT)
        assert step_of(window) is not None
        QTest.mouseClick(guide.bar.leave, LEFT)
        assert not guide.bar.isVisible()
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    assert {f.army for f in window.store.view.figures} == {"green", "blue"}, "the simulated table is taught again"


def test_the_guide_leaves_a_table_in_use_alone(window: Window) -> None:
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    source_controller = window.store.source_controller
    window.help.guide.begin()
    assert window.store.source_controller is source_controller
    assert len(window.store.session.state.rulers) == 1
    marks = window.help.guide.bar.shown.marks
    assert [marks[step] for step in (GuideStep.EMPTY, GuideStep.ARMIES, GuideStep.SHOT)] == [StepMark.DONE] * 3
    window.help.guide.leave()
    assert len(window.store.session.state.rulers) == 1


def test_a_source_that_is_opened_without_the_guide_completes_the_camera_step(
    open_window: Open, wait_until: Wait
) -> None:
    window = open_window(None)
    window.help.guide.begin()
    window.help.guide.pull()
    assert step_of(window) is GuideStep.CAMERA
    window.store.open("demo")  # as with Ctrl+D
    wait_until(lambda: step_of(window) is GuideStep.EMPTY, timeout_s=60)


@pytest.mark.slow
def test_the_player_can_go_back_to_a_step(open_window: Open, wait_until: Wait) -> None:
    window = open_window(None)
    guide = window.help.guide
    guide.begin()
    choose_source(window, "Simulated table")
    wait_until(lambda: step_of(window) is GuideStep.EMPTY, timeout_s=60)
    QTest.mouseClick(guide.bar.steps[GuideStep.MARKERS], LEFT)
    assert step_of(window) is GuideStep.MARKERS
    assert [tick.words for tick in guide.bar.shown.ticks] == [f"marker {n}" for n in range(4)]
    assert guide.bar.skip.text() == "Continue"
    QTest.mouseClick(guide.bar.skip, LEFT)
    assert step_of(window) is GuideStep.EMPTY


class HeldCamera:
    """An OpenCV camera that accepts every setting and shows the simulated table."""

    def __init__(self, table: SimulatedTable) -> None:
        self.table, self.values = table, {}

    def isOpened(self) -> bool:
        return True

    def read(self) -> tuple[bool, object]:
        frame = self.table.read()
        return frame is not None, None if frame is None else frame.image_bgr

    def get(self, wish: int) -> float:
        return self.values.get(wish, 0.0)

    def set(self, wish: int, value: float) -> bool:
        self.values[wish] = value
        return True

    def release(self) -> None: ...


def test_the_cameras_exposure_is_locked_and_shown(
    open_window: Open, table: SimulatedTable, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ui.desktop.guide.cameras", lambda: (Camera(2, "HD Webcam"),))

    def opener(spec: str) -> Source:
        return Webcam(2, open_capture=lambda *_: HeldCamera(table), linux=True) if spec == "2" else table

    window = open_window(None, opener)
    guide = window.help.guide
    guide.begin()
    assert guide.bar.words.text().startswith("Choose the camera over the table.")
    choose_source(window, "HD Webcam (camera 2)")
    wait_until(lambda: window.store.source_controller.locked_settings == SETTLING)
    guide.pull()
    assert step_of(window) is GuideStep.CAMERA
    assert "is adjusting to the light" in guide.bar.words.text()
    wait_until(lambda: step_of(window) is GuideStep.EMPTY)  # four markers are on the table
    QTest.mouseClick(guide.bar.steps[GuideStep.CAMERA], LEFT)
    assert [(tick.words, tick.good) for tick in guide.bar.shown.ticks] == [
        ("exposure held", True),
        ("white balance held", True),
        ("focus held", True),
    ]
    assert "HD Webcam" in guide.bar.words.text()


def cut_off(table: SimulatedTable) -> np.ndarray:
    """The empty table with only one marker, a quarter of it outside the picture on the left."""
    image = table.empty_bgr.copy()
    corners_px = {n: table.camera.table_to_pixel(corners) for n, corners in table.truth.markers.items()}
    (first, *others) = sorted(corners_px, key=lambda n: corners_px[n][:, 0].min())
    for number in others:
        (left, top), (right, bottom) = (
            corners_px[number].min(0).astype(int) - 8,
            corners_px[number].max(0).astype(int) + 8,
        )
        image[max(0, top) : bottom, max(0, left) : right] = image[270, 480]
    left, right = corners_px[first][:, 0].min(), corners_px[first][:, 0].max()
    return np.ascontiguousarray(image[:, int(left + 0.25 * (right - left)) :])


def test_the_guide_explains_an_unusable_marker(open_window: Open, table: SimulatedTable, wait_until: Wait) -> None:

    class Still:
        name, live, still, left = "still", False, True, 1

        def read(self) -> Frame | None:
            self.left -= 1
            return Frame(cut_off(table), 0, 0.0) if self.left == 0 else None

        def close(self) -> None: ...

    window = open_window("table.png", lambda _: Still())
    guide = window.help.guide
    guide.begin()
    wait_until(lambda: step_of(window) is GuideStep.MARKERS and guide.bar.shown.ticks)
    assert not guide.bar.shown.ticks[0].good
    assert guide.bar.shown.ticks[0].words.startswith("a marker is cut off at the edge of the picture")
    assert guide.bar.button.text() == "Print markers…"


def test_taught_armies_are_stored_for_each_camera(
    found: None, open_window: Open, table: SimulatedTable, wait_until: Wait, tmp_path: Path
) -> None:
    def opener(_: str) -> Source:
        return Webcam(3, open_capture=lambda *_: HeldCamera(table), linux=True)

    window = open_window("3", opener)
    assert window.store.session.state.setup.palette == ()
    wait_until(lambda: window.store.view and window.store.view.calibration)
    window.store.use_tool("teach")
    window.panel.choose("blue")
    teach(window, table, "blue", wait_until)
    [taught] = window.store.session.state.setup.palette
    window.close()
    again = open_window("3", opener)
    [known] = again.store.session.state.setup.palette
    assert (known.name, known.samples) == ("blue", taught.samples)
    np.testing.assert_allclose(known.mean, taught.mean)
    np.testing.assert_allclose(known.covariance, taught.covariance)
    again.close()
    kept = settings_in(tmp_path).settings
    [key] = [key for key in kept.allKeys() if key.startswith("armies_")]
    kept.setValue(key, '[{"name": "blue", "mean": [1, 2], "covariance": 3, "samples": 1}]')
    kept.sync()
    assert open_window("3", opener).store.session.state.setup.palette == (), "what makes no sense is not used"


def test_every_key_is_in_the_list_of_keys(window: Window) -> None:
    sections = dict(keys_of(window))
    tools = {name: keys for keys, name, _ in sections["Tools"]}
    assert tools["Measure"] == "M"
    every = {key for rows in sections.values() for keys, _, _ in rows for key in keys.split()}
    own = {key.toString() for action in actions_of(window) for key in action.shortcuts()}
    assert own <= every
    assert {"Esc", "F1", "N", "0", "+"} <= every
    nameless = [keys for rows in sections.values() for keys, name, tip in rows if not name or not tip]
    assert nameless == []
    window.help.show_keys()
    assert "Measure" in window.help.dialog.findChild(QTextBrowser).toPlainText()
    window.help.dialog.close()


def test_about_and_licences_name_the_program_and_its_libraries(window: Window) -> None:
    window.help.show_about()
    assert "GNU General Public License" in window.help.dialog.findChild(QTextBrowser).toPlainText()
    window.help.dialog.close()
    window.help.show_licences()
    words = window.help.dialog.findChild(QTextBrowser).toPlainText()
    known = ("PyQt6", "GPL-3.0-only"), ("scipy", "BSD License"), ("opencv-python", "Apache 2.0"), ("Inter", "OFL-1.1")
    for name, licence in known:
        assert name in words
        assert licence in words
    window.help.dialog.close()


@pytest.mark.slow
def test_the_steps_can_be_done_in_any_order(
    found: None, open_window: Open, table: SimulatedTable, wait_until: Wait
) -> None:
    window = open_window(None)
    guide = window.help.guide
    guide.begin()
    choose_source(window, "Simulated table")
    wait_until(lambda: step_of(window) is GuideStep.EMPTY, timeout_s=60)
    QTest.mouseClick(guide.bar.steps[GuideStep.ARMIES], LEFT)
    press(window)  # "Teach army" stays at the step
    assert step_of(window) is GuideStep.ARMIES
    assert window.store.tool.name == "teach"
    wait_until(lambda: np.abs(window.store.frame.image_bgr.astype(int) - table.empty_bgr).max() > 60)
    teach(window, table, "green", wait_until)
    wait_until(lambda: window.panel.army == "tan", timeout_s=5)
    guide.bar.army.setEditText("blue")
    teach(window, table, "blue", wait_until)
    wait_until(lambda: step_of(window) is GuideStep.EMPTY)  # the skipped step follows automatically
    assert guide.bar.shown.marks[GuideStep.ARMIES] is StepMark.DONE
    wait_until(lambda: guide.bar.button.isEnabled())
    press(window)
    wait_until(lambda: step_of(window) is GuideStep.GAME)
    marks = guide.bar.shown.marks
    assert [marks[step] for step in (GuideStep.CAMERA, GuideStep.MARKERS, GuideStep.EMPTY, GuideStep.ARMIES)] == [
        StepMark.DONE
    ] * 4
