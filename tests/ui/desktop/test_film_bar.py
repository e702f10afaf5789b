"""The bar for films and folders in the real window, and a battle on a recording."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from calibration.opencv import cv2
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import LEFT, POSTS, TABLE_IN, Open, Wait, next_phase, texts
from ui.desktop.window import Window
from ui.setup.armies import demo_setup
from vision.figure_search import Sighting
from vision.frame import Frame, ImageBgr
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, Stage, truth_of
from vision.source import Source, open_source


def write_pictures(folder: Path, *names: str) -> Path:
    for number, name in enumerate(names):
        assert cv2.imwrite(str(folder / name), np.full((60, 80, 3), 40 * number, np.uint8))
    return folder


def write_film(path: Path, frames: int = 30) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"mp4v"), 30, (80, 60))
    for number in range(frames):
        writer.write(np.full((60, 80, 3), 8 * number, np.uint8))
    writer.release()
    return path


def shown(window: Window) -> int:
    """The number of the frame on the screen, -1 before the first."""
    frame = window.store.frame
    return frame.index if frame is not None else -1


def test_a_film_plays_to_its_end_and_again(open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    window = open_window(str(write_film(tmp_path / "film.mp4")), opener=open_source)
    bar = window.film.bar
    wait_until(lambda: bar.isVisible() and shown(window) > 0)
    assert window.film.play.text() == "Pause"
    assert not bar.picture.isVisible()
    wait_until(lambda: window.film.play.text() == "Play again" and shown(window) == 29)
    wait_until(lambda: "At the end" in texts(window.statusBar()))
    assert (bar.place.text(), window.film.forward.isEnabled()) == ("0:00 / 0:00", False)
    QTest.mouseClick(bar.play, LEFT)
    wait_until(lambda: window.film.play.text() == "Pause" and 0 < shown(window) < 29)
    QTest.keyClick(window.picture, Qt.Key.Key_Space)
    wait_until(lambda: window.film.play.text() == "Play")


def test_keys_step_and_the_slider_jumps(open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    window = open_window(str(write_film(tmp_path / "film.mp4")), opener=open_source)
    window.store.use_tool("measure")
    wait_until(lambda: shown(window) >= 0)
    window.film.play.trigger()
    window.film.bar.slider.setValue(500)  # ms: frame 15
    wait_until(lambda: shown(window) == 15)
    for key, frame in ((".", 16), (".", 17), (",", 16), (",", 15), (Qt.Key.Key_PageDown, 16)):
        QTest.keyClick(window, key)
        wait_until(lambda frame=frame: shown(window) == frame)
    assert window.film.bar.slider.value() == 533  # 16 / 30 s
    window.store.use_tool("blast")  # now the point belongs to the template's size
    wait_until(lambda: window.actions_.decimal_point.isEnabled())
    assert [key.toString() for key in window.film.forward.shortcuts()] == ["PgDown"]


def test_a_click_on_the_slider_jumps_there(open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    folder = write_pictures(tmp_path, "a.png", "b.png", "c.png", "d.png", "e.png")
    window = open_window(str(folder), opener=open_source)
    slider = window.film.bar.slider
    wait_until(lambda: slider.isVisible() and slider.maximum() == 4)
    # Three quarters of the way from 0 to 4
    QTest.mouseClick(slider, LEFT, pos=slider.rect().center() + (slider.rect().topRight() - slider.rect().center()) / 2)
    wait_until(lambda: shown(window) == 3)


def test_a_folder_is_stepped_through_past_a_broken_picture(open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    folder = write_pictures(tmp_path, "a.png", "b.png", "d.png")
    (folder / "c.png").write_bytes(b"broken")
    window = open_window(str(folder), opener=open_source)
    bar = window.film.bar
    wait_until(lambda: bar.place.text() == "1 of 4")
    assert (bar.picture.text(), window.film.back.isEnabled(), bar.speed.isVisible()) == ("a.png", False, False)
    QTest.keyClick(window, Qt.Key.Key_PageDown)
    wait_until(lambda: bar.place.text() == "2 of 4")
    QTest.mouseClick(bar.forward, LEFT)
    wait_until(lambda: bar.picture.text() == "d.png")
    wait_until(lambda: "c.png is not a picture" in window.bar.text)
    assert (bar.place.text(), window.film.forward.isEnabled()) == ("4 of 4", False)
    QTest.keyClick(window, Qt.Key.Key_PageUp)
    wait_until(lambda: bar.picture.text() == "b.png")


def test_a_broken_first_picture_is_named(open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    folder = write_pictures(tmp_path, "b.png", "c.png")
    (folder / "a.png").write_bytes(b"broken")
    window = open_window(str(folder), opener=open_source)
    wait_until(lambda: window.film.bar.place.text() == "2 of 3" and window.store.view is not None)
    assert "a.png is not a picture" in window.bar.text


def test_cameras_and_pictures_have_no_bar(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    assert not window.film.bar.isVisible()
    assert not any(action.isEnabled() for action in (window.film.play, window.film.back, window.film.forward))
    assert window.actions_.decimal_point.isEnabled()


def test_space_presses_the_button_that_has_the_focus(open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    window = open_window(str(write_film(tmp_path / "film.mp4")), opener=open_source)
    wait_until(lambda: window.film.play.text() == "Pause")
    window.activateWindow()
    button = window.film.bar.looking_back
    button.show()
    clicks: list[bool] = []
    button.clicked.connect(clicks.append)
    button.setFocus()
    wait_until(button.hasFocus)
    QTest.keyClick(button, Qt.Key.Key_Space)
    assert len(clicks) == 1


class Photos:
    """A folder of photographs of the small table: before a move, after it, and after the next."""

    name, live, still = "photos", False, False
    pictures, step_s, duration_s = ("a", "b", "c"), 1.0, 2.0

    def __init__(self, table: SimulatedTable) -> None:
        posts = [POSTS, POSTS | {"green-1": (13.0, 10.0)}]
        posts.append(posts[-1] | {"green-1": (10.0, 7.0)})
        models = [
            [Model(one, one.split("-")[0], Sculpt.RIFLEMAN, *at) for one, at in places.items()] for places in posts
        ]
        scene = Scene(TABLE_IN, markers=corner_markers(TABLE_IN))
        stage = Stage(scene, table.camera)
        self.images: list[ImageBgr] = [stage.picture(men).copy() for men in models]
        self.truths = [truth_of(replace(scene, models=tuple(men)), table.camera) for men in models]
        self._next = 0

    def read(self) -> Frame | None:
        index, self._next = self._next, self._next + 1
        return Frame(self.images[index], index, float(index)) if index < len(self.images) else None

    def frame_at(self, time_s: float) -> Frame | None:
        self._next = round(time_s)
        return self.read()

    def frame_before(self, time_s: float) -> Frame | None:
        self._next = round(time_s) - 1
        return self.read() if self._next >= 0 else None

    def close(self) -> None: ...


@pytest.fixture
def photos(table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> Photos:
    """The photographs, with a finder that knows their figures."""
    made = Photos(table)
    figures = {id(image): truth.figures for image, truth in zip(made.images, made.truths, strict=True)}

    def find(_: object, image: ImageBgr, *__: object, **___: object) -> tuple[Sighting, ...]:
        return tuple(
            Sighting(f.army, f.x_in, f.y_in, f.z_in, 0.03, f.posture, f.base_in, f.facing_deg, 1.0)
            for f in figures[id(image)]
        )

    monkeypatch.setattr("vision.pipeline.Finder.find", find)
    return made


def go_to(window: Window, index: int, wait_until: Wait) -> None:
    """Step to a picture and wait until all soldiers on it are found."""
    steps = index - shown(window)
    for _ in range(abs(steps)):
        before = shown(window)
        (window.film.forward if steps > 0 else window.film.back).trigger()
        wait_until(lambda before=before: shown(window) != before)
    wait_until(lambda: _is_settled(window, index))


def _is_settled(window: Window, index: int) -> bool:
    view = window.store.view
    return view is not None and view.frame.index == index and len(view.figures) == len(POSTS)


def proposed(window: Window) -> list[str]:
    return [pending.words for pending in window.battle.pending]


@pytest.mark.slow
def test_looking_back_moves_nobody_in_a_battle(
    photos: Photos, table: SimulatedTable, open_window: Open, wait_until: Wait, tmp_path: Path
) -> None:
    source: Callable[[str], Source] = lambda _: photos  # noqa: E731
    window = open_window("photos", opener=source)
    wait_until(lambda: shown(window) == 0)
    assert window.store.frame is not None
    window.store.session.reset(demo_setup(window.store.frame, photos.truths[0], table.empty_bgr))
    wait_until(lambda: _is_settled(window, 0))
    started_battle(window, tmp_path / "b")
    next_phase(window)
    go_to(window, 1, wait_until)
    wait_until(lambda: len(proposed(window)) == 1)
    [first] = proposed(window)
    assert "moved 5.0 in" in first
    go_to(window, 0, wait_until)
    wait_until(window.film.bar.looking_back.isVisible)
    assert proposed(window) == [first]
    go_to(window, 1, wait_until)
    [pending] = window.battle.pending
    pending.buttons[-1].does()
    assert proposed(window) == []
    go_to(window, 0, wait_until)  # here he has not moved yet, which is no move back
    assert proposed(window) == []
    go_to(window, 2, wait_until)
    wait_until(lambda: len(proposed(window)) == 1)
    assert "moved 4.2 in" in proposed(window)[0]  # 3 right and 3 back
    go_to(window, 0, wait_until)
    QTest.mouseClick(window.film.bar.looking_back, LEFT)
    wait_until(lambda: _is_settled(window, 2))
    assert len(proposed(window)) == 1
    wait_until(lambda: not window.film.bar.looking_back.isVisible())
