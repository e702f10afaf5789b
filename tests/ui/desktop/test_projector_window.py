"""The projector in the real window: align, paint, notice that it no longer holds."""

from collections.abc import Callable

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from rules.tabletop.template import Blast
from tests.ui.windows import LEFT, POSTS, Open, Wait, button, click
from ui.desktop.help_controller import actions_of
from ui.desktop.projector import ProjectorController, letter_outlines
from ui.desktop.window import Window
from vision.simulation.simulator import SimulatedTable
from vision.source import open_source

BLAST_IN, RADIUS_IN = (14.0, 14.0), 2.0


def align(window: Window) -> ProjectorController:
    """Choose the menu's entry."""
    [action] = [one for one in actions_of(window) if one.text() == "Align projector…"]
    action.trigger()
    return window.features.projector


@pytest.fixture(autouse=True)
def quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """This camera is not late: each picture may be used as soon as it has changed."""
    for wait in ("_FIRST_S", "_LEAST_S"):
        monkeypatch.setattr(f"ui.projector.{wait}", 0.05)
    monkeypatch.setattr("ui.desktop.projector.CHECK_EVERY_S", 0.1)


@pytest.fixture
def aligned(window: Window, wait_until: Wait) -> ProjectorController:
    projector = align(window)
    assert projector.screen.isVisible()
    wait_until(lambda: window.bar.text.startswith("Aligning the projector"))
    wait_until(lambda: not projector.alignment)
    assert projector.light is not None, projector.offer
    return projector


def redness(window: Window) -> Callable[[], float]:
    """How much redder the camera sees the rim of the blast than its middle."""

    def now() -> float:
        view = window.store.view
        turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
        ring = np.c_[np.cos(turns), np.sin(turns)]
        red = []
        for radius_in in (RADIUS_IN, RADIUS_IN / 2):
            px = np.round(view.calibration.camera.table_to_pixel(BLAST_IN + radius_in * ring)).astype(int)
            red.append(float(view.frame.image_bgr[px[:, 1], px[:, 0], 2].mean()))
        return red[0] - red[1]

    return now


def test_after_aligning_a_blast_appears_on_the_table(
    window: Window, aligned: ProjectorController, wait_until: Wait
) -> None:
    before = {figure.id: figure.centre_in for figure in window.store.view.figures}  # type: ignore[union-attr]
    redder = redness(window)
    bare = redder()
    window.store.change(lambda: window.store.session.lay(Blast(BLAST_IN, RADIUS_IN)))
    # Vermilion light, as bright as the lamp, on wood: 255 instead of 190 under the middle of the line.
    wait_until(lambda: redder() > bare + 20)
    assert {figure.id: figure.centre_in for figure in window.store.view.figures} == before  # type: ignore[union-attr]
    window.store.change(window.store.session.clear)
    wait_until(lambda: redder() < bare + 5)


def test_the_keys_stay_with_the_main_window(window: Window) -> None:
    """The platform of these tests activates every window, so this only checks what the desktop is asked for."""
    assert window.features.projector.screen.testAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)


def test_vision_sees_nothing_of_the_patterns(window: Window, wait_until: Wait) -> None:
    worker, seen = window.store.source_controller.worker, set[int]()
    projector = align(window)

    def over() -> bool:
        if worker.frame is not None:
            seen.add(worker.frame.index)
        return not projector.alignment

    wait_until(over)
    assert len(seen) <= 2  # the last picture before, and one that was on its way


def test_lines_that_follow_the_mouse_wait_until_it_rests(window: Window, aligned: ProjectorController) -> None:
    picture = aligned.screen.light
    click(window, POSTS["green-1"])
    window.pull()
    assert aligned.screen.light is picture


def test_another_size_of_its_window_ends_the_alignment(
    window: Window, aligned: ProjectorController, wait_until: Wait
) -> None:
    aligned.screen.resize(700, 500)
    wait_until(lambda: "another size" in window.bar.text)
    assert aligned.light is None
    QTest.mouseClick(button(window.bar, "Align again"), LEFT)
    wait_until(lambda: aligned.light is not None)
    assert not aligned.offer[0]


def test_cancel_gives_the_cameras_pictures_back(window: Window, wait_until: Wait) -> None:
    projector = align(window)
    wait_until(lambda: window.bar.text.startswith("Aligning the projector"))
    QTest.mouseClick(button(window.bar, "Cancel"), LEFT)
    wait_until(lambda: "not aligned" in window.bar.text)
    frame = window.store.frame
    wait_until(lambda: window.store.frame is not frame)
    QTest.mouseClick(button(window.bar, "Not now"), LEFT)
    assert not projector.offer[0]
    assert projector.light is None


def test_closing_its_window_ends_an_alignment(window: Window, table: SimulatedTable, wait_until: Wait) -> None:
    projector = align(window)
    projector.screen.close()
    assert not projector.alignment
    assert not projector.switch.isChecked()
    assert table.projector is None
    frame = window.store.frame
    wait_until(lambda: window.store.frame is not frame)  # once the last pattern has faded


def test_a_problem_is_shown_with_a_button(window: Window, wait_until: Wait, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.projector.AlignmentWatch.problem", lambda *_: "It has moved.")
    projector = align(window)
    wait_until(lambda: projector.light is not None)
    wait_until(lambda: window.bar.text == "It has moved.")
    QTest.mouseClick(button(window.bar, "Not now"), LEFT)
    assert projector.light is not None  # the players know better


def test_a_film_cannot_be_aligned_with(open_window: Open, found: None, wait_until: Wait) -> None:
    window = open_window("samples/cardboard/table.jpg", opener=open_source)
    wait_until(lambda: window.store.source_controller.worker.ended and window.store.view)
    projector = align(window)
    assert "A film cannot see the projector's light" in window.store.message.now[0]
    assert not projector.alignment


def test_words_have_outlines_of_height_one(qt: object) -> None:
    stroke, *ring = letter_outlines("IO")
    assert len(ring) == 2  # one of them is the hole
    assert 0.6 < max(y for _, y in stroke) < 0.9  # capitals are about three quarters of a font's size
    assert min(y for _, y in stroke) == pytest.approx(0.0, abs=0.02)  # they stand on their line
    assert max(x for x, _ in stroke) < min(x for outline in ring for x, _ in outline)
