"""Calibration in the window: diagnosis, measured distances, drift, stored lenses."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QCheckBox, QDialogButtonBox, QLabel, QPushButton

from calibration.calibration_targets import CalibrationTargets
from calibration.lens import LensViews
from calibration.lens_fit import LensFit
from calibration.marker_issue import MarkerIssue, Reason
from calibration.opencv import cv2
from calibration.print_scale import PrintScale
from rules.battle.battle import Battle
from tests.calibration.drawn import camera as drawn_camera
from tests.calibration.drawn import marker_corners, picture
from tests.calibration.test_lens import LENS, PLACES, SIZE
from tests.ui.commands.test_lens import picture as board_picture
from tests.ui.windows import LEFT, POSTS, TABLE_IN, Open, Wait, at, place_shown, point, settings_in, texts
from tests.ui.windows import click as click_at
from ui.desktop.help_controller import actions_of
from ui.desktop.picture.picture_dialog import PictureDialog
from ui.desktop.setup.diagnosis_dialog import DiagnosisDialog, MarkerSizeDialog
from ui.desktop.setup.lens_dialog import LensDialog
from ui.desktop.setup.pointing_dialogs import AreaDialog, CornersDialog, DistanceDialog
from ui.desktop.source_controller import SourceController
from ui.desktop.widgets import NumberBox
from ui.desktop.window import Window
from ui.picture.shapes import Label
from ui.setup.lens import LensProfiles, LensSession
from ui.vocabulary import Unit
from vision.frame import Frame, ImageBgr
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import overhead_camera, render

SMALL = (960, 540)
SCENE = Scene(TABLE_IN, markers=corner_markers(TABLE_IN), models=(Model("a", "green", Sculpt.RIFLEMAN, 8.0, 10.0),))
OVER = overhead_camera(SMALL, TABLE_IN, 40.0)


@pytest.fixture(scope="module")
def seen_from_above() -> ImageBgr:
    return render(SCENE, OVER, np.random.default_rng(1))


class Shots:
    """A camera that shows a series of pictures and repeats the last one."""

    name, live, still = "camera 0", True, False

    def __init__(self, *images: ImageBgr) -> None:
        self.images = list(images)
        self._numbers = itertools.count()

    def read(self) -> Frame:
        number = next(self._numbers)
        image = self.images.pop(0) if len(self.images) > 1 else self.images[0]
        return Frame(image, number, number / 30)

    def close(self) -> None:
        pass


def colour(gray: np.ndarray) -> ImageBgr:
    return np.repeat(gray[:, :, None], 3, axis=2)


@pytest.fixture(autouse=True)
def profiles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> LensProfiles:
    """A temporary folder, and a fixed camera name, which differs between systems."""
    monkeypatch.setattr("ui.desktop.setup.calibration_controller.lens_folder", lambda: tmp_path / "lenses")
    return LensProfiles(tmp_path / "lenses")


def press(window: Window, name: str) -> None:
    (button,) = [one for one in window.bar.findChildren(QPushButton) if one.text() == name]
    QTest.mouseClick(button, LEFT)


def click(dialog: PictureDialog, px: np.ndarray) -> None:
    QTest.mouseClick(dialog.picture, LEFT, pos=dialog.picture.to_widget((float(px[0]), float(px[1]))).toPoint())


def test_the_reason_for_missing_inches_is_shown_on_the_picture(open_window: Open, wait_until: Wait) -> None:
    seen_by = drawn_camera()
    gray = picture(seen_by, {5: marker_corners((20, 14), 3.0)}, dictionary="5X5_50")
    window = open_window("0", lambda _: Shots(colour(gray)))
    wait_until(lambda: window.bar.text.startswith("No marker found"))
    press(window, "Check markers")
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, DiagnosisDialog)
    wait_until(lambda: dialog.look is not None)
    assert dialog.words.text() == "No marker can be used, because:"
    item = dialog.sentences.item(0)
    assert item.text().startswith("1  This is marker 5 of dictionary 5X5_50, not of 4X4_50: choose dictionary 5X5_50")
    (label,) = [shape for shape in dialog.picture.shapes if isinstance(shape, Label)]
    middle = seen_by.table_to_pixel((20.0, 14.0))[0]
    assert math.dist(label.at_px, middle) < 60
    assert label.rows[0][0] == "marker 5: from another dictionary"
    dialog.close()


def test_good_markers_get_a_tick(window: Window, wait_until: Wait) -> None:
    window.features.calibration.check_markers()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, DiagnosisDialog)
    wait_until(lambda: dialog.look is not None)
    assert dialog.words.text() == "4 markers are good. Inches are known."
    assert sorted(dialog.look.used) == [0, 1, 2, 3] if dialog.look else False
    dialog.close()


@pytest.fixture
def bare(qt: object) -> tuple[Shots, Callable[..., np.ndarray]]:
    """A table without markers, and the pixels of its places."""
    seen_by = drawn_camera()
    noise = np.random.default_rng(3).normal(0, 18, (540, 960))
    gray = np.clip(picture(seen_by, {}) + noise, 0, 255).astype(np.uint8)
    return Shots(colour(gray)), lambda *place: seen_by.table_to_pixel(place)[0]


@pytest.mark.slow
def test_four_clicked_corners_calibrate_the_camera(
    open_window: Open, wait_until: Wait, bare: tuple[Shots, Callable[..., np.ndarray]]
) -> None:
    shots, seen = bare
    window = open_window("0", lambda _: shots)
    wait_until(lambda: window.bar.text.startswith("No marker found"))
    window.features.calibration.click_corners()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, CornersDialog)
    dialog.what.setCurrentIndex(2)
    dialog.width_box.setValue(32.0)
    dialog.depth_box.setValue(22.0)
    corners = ((4.0, 3.0), (36.0, 3.0), (36.0, 25.0), (4.0, 25.0))
    for place, name in zip(corners, ("near left", "near right", "far right", "far left"), strict=True):
        assert f"the rectangle's {name} corner" in dialog.words.text()
        click(dialog, seen(*place))
        at_px = dialog.magnifier.at_px
        assert at_px is not None
        assert math.dist(at_px, seen(*place)) < 1.5  # screen pixels are at least as large as picture pixels
    wait_until(lambda: dialog.words.text().startswith("Places will be accurate to 0."))
    dialog.accept()
    wait_until(lambda: window.store.view and window.store.view.calibration)
    view = window.store.view
    # A click is accurate to a pixel, and 18 px are an inch; without a lens profile the centre is off by a tenth.
    there = view.calibration.camera.pixel_to_table(seen(20.0, 14.0))[0]
    assert there == pytest.approx((16.0, 11.0), abs=0.3)
    assert window.store.session.can_undo == "calibrate by corners"


@pytest.mark.slow
def test_corners_clicked_before_a_bump_are_refused(
    open_window: Open, wait_until: Wait, seen_from_above: ImageBgr
) -> None:
    shots, there = Shots(seen_from_above), np.roll(seen_from_above, (7, -11), axis=(0, 1))
    window = open_window("0", lambda _: shots)
    wait_until(lambda: window.store.view is not None)
    window.features.calibration.click_corners()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, CornersDialog)
    for px in ((150, 480), (800, 480), (800, 60), (150, 60)):
        click(dialog, np.array(px))
    wait_until(lambda: dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).isEnabled())
    shots.images = [there]
    wait_until(lambda: window.store.frame and window.store.frame.image_bgr is there)
    dialog.accept()
    assert window.bar.text.startswith("The camera or the table moved while you clicked")
    assert window.store.session.can_undo is None


def test_corners_in_the_wrong_order_are_refused(window: Window, wait_until: Wait) -> None:
    window.features.calibration.click_corners()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, CornersDialog)
    for px in ((100, 100), (800, 100), (800, 400), (100, 400)):
        click(dialog, np.array(px))
    wait_until(lambda: "near left, near right, far right, far left" in dialog.words.text())
    dialog.clear()
    assert dialog.places_px == []
    dialog.reject()


def test_sides_that_no_camera_sees_like_this_are_refused_and_named(window: Window, wait_until: Wait) -> None:
    window.features.calibration.click_corners()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, CornersDialog)
    ok = dialog.buttons.button(QDialogButtonBox.StandardButton.Ok)
    for px in ((100, 400), (500, 400), (500, 100), (100, 100)):
        click(dialog, np.array(px))
    wait_until(ok.isEnabled)
    assert "Check the width" not in dialog.words.text(), "400 x 300 pixels fit a sheet of A4"
    assert dialog.what.currentText() == "A sheet of A4 paper"
    height = dialog.words.height()
    dialog.width_box.setValue(1.0)
    assert dialog.what.currentText() == "Something else"
    wait_until(lambda: "do not fit a rectangle of 1 x 8.27 in" in dialog.words.text())
    assert not ok.isEnabled()
    dialog.what.setCurrentIndex(1)
    wait_until(ok.isEnabled)
    assert (dialog.width_box.value(), dialog.depth_box.value()) == (11.0, 8.5)
    assert dialog.words.height() == height, "the boxes stay where they are"
    dialog.reject()


@pytest.mark.slow
def test_a_measured_distance_reduces_the_uncertainty(
    open_window: Open, wait_until: Wait, seen_from_above: ImageBgr
) -> None:
    window = open_window("0", lambda _: Shots(seen_from_above))
    wait_until(lambda: window.store.view and window.store.view.calibration)
    view = window.store.view
    assert view.calibration is not None
    known = view.calibration
    window.features.calibration.measure_distance()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, DistanceDialog)
    for place in ((4.0, 16.0), (26.0, 4.0)):
        click(dialog, known.camera.table_to_pixel(place)[0])
    a, b = dialog.places_px
    seen_in = math.dist(*known.camera.pixel_to_table([a, b]))
    assert f"the camera measures {seen_in:.1f} in" in dialog.words.text().lower()
    dialog.distance_box.setValue(seen_in + 5)
    assert "You measured" in dialog.words.text()
    dialog.distance_box.setValue(seen_in)
    dialog.accept()
    assert window.store.session.can_undo == "add a measured distance"
    wait_until(lambda: window.store.view is not view and window.store.view.calibration is not known)
    after = window.store.view
    far = [[28.0, 18.0, 0.0]]
    assert after.calibration.sigma_in(far) < 0.9 * known.sigma_in(far)


def test_dragged_edges_become_the_origin_of_places(window: Window) -> None:
    window.features.calibration.choose_area()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, AreaDialog)
    here, there = (at(window, place) for place in ((2.0, 3.0), (28.0, 18.0)))
    ends = [dialog.picture.to_widget(window.picture.to_picture(point.toPointF())).toPoint() for point in (here, there)]
    QTest.mousePress(dialog.picture, LEFT, pos=ends[0])
    QTest.mouseMove(dialog.picture, ends[1])
    QTest.mouseRelease(dialog.picture, LEFT, pos=ends[1])
    dialog.depth_box.setValue(14.0)
    dialog.accept()
    area = window.store.session.state.area
    assert area.origin_in == pytest.approx((2.0, 3.0), abs=0.1)
    assert (area.width_in, area.depth_in) == pytest.approx((26.0, 14.0), abs=0.2)
    point(window, (12.0, 9.0))
    assert place_shown(window) == pytest.approx((10.0, 6.0), abs=0.2)
    window.commands.undo()
    assert window.store.session.state.area is None


@pytest.fixture
def bumped() -> Shots:
    nudged = overhead_camera(SMALL, TABLE_IN, 40.5, tilt_deg=4.0)
    here, there = (render(SCENE, one, np.random.default_rng(seed)) for seed, one in enumerate((OVER, nudged)))
    return Shots(*[here] * 30, there)


@pytest.mark.slow
def test_a_bump_is_reported_and_journalled(
    found: None, open_window: Open, wait_until: Wait, bumped: Shots, tmp_path: Path
) -> None:
    window = open_window("0", lambda _: bumped)
    battle = Battle.begin(tmp_path / "b.battle", lambda: 0.0, "simple_plastic", ["green", "blue"])
    window.battle.resume(battle)
    wait_until(lambda: "was moved" in window.bar.text)
    assert window.bar.text.endswith("the camera position was updated, and positions on the table stay valid.")
    assert window.bar.text.startswith("The camera")
    assert [entry.kind for entry in battle.entries] == ["begun", "camera_moved"]
    assert battle.can_undo is None


def set_aside(window: Window, monkeypatch: pytest.MonkeyPatch, marker: MarkerIssue) -> None:
    """Let the calibration hear of a marker that cannot be used."""
    view = window.store.view
    assert view is not None
    monkeypatch.setattr(SourceController, "view", property(lambda _: replace(view, set_aside=(marker,))))
    window.features.calibration.pull()


def test_a_marker_set_aside_is_named_once(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    bent = MarkerIssue(((0.0, 0.0),), Reason.NOT_FLAT, "marker 2 does not lie flat: press it down", 2)
    set_aside(window, monkeypatch, bent)
    assert window.bar.text == "Marker 2 does not lie flat: press it down."
    window.store.say("something else")
    window.features.calibration.pull()
    assert window.bar.text == "Something else"


def test_what_only_looks_like_a_marker_is_not_named(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the simulated table, all markers are known."""
    brick = MarkerIssue(((0.0, 0.0),), Reason.TOO_SMALL, "marker 17 is too small to measure with", 17)
    set_aside(window, monkeypatch, brick)
    assert window.bar.text == ""


def test_a_known_camera_gets_its_lens_and_another_size_is_refused(
    found: None, open_window: Open, wait_until: Wait, seen_from_above: ImageBgr, profiles: LensProfiles
) -> None:
    lens, image = OVER.lens, seen_from_above
    profiles.keep("camera 77", lens)
    pictures = [image]
    window = open_window("77", lambda _: Shots(pictures[-1]))
    wait_until(lambda: window.store.session.state.setup.lens is not None)
    assert np.array_equal(window.store.session.state.setup.lens.matrix, lens.matrix)
    assert window.store.session.can_undo is None
    pictures.append(image[:500])
    window.store.open("78")
    wait_until(lambda: window.store.source_controller.spec == "78" and window.store.view is not None)
    assert window.store.session.state.setup.lens is None, "another camera"
    window.store.open("77")
    wait_until(lambda: "is for pictures of 960x540, but these are 960x500" in window.bar.text)
    assert window.store.session.state.setup.lens is None


@pytest.mark.slow
def test_the_lens_dialog_computes_the_lens(qt: object, wait_until: Wait) -> None:
    shots = [
        board_picture((0.5 * x, 0.35 * y), (25 * (-1) ** k, 25 * (k % 3 - 1))) for k, (x, y) in enumerate(PLACES[:7])
    ]
    newest = [Frame(colour(np.full(SIZE[::-1], 90, np.uint8)), 0, 0.0)]
    dialog = LensDialog(lambda: newest[0], "camera 0")
    dialog.show()
    wait_until(lambda: dialog.words.text().startswith("No board found"))
    assert not dialog.compute.isEnabled()

    def show(gray: np.ndarray) -> str:
        newest[0] = Frame(colour(gray), newest[0].index + 1, 0.0)
        before = dialog.session
        wait_until(lambda: dialog.session is not before)
        return dialog.words.text()

    for count, gray in enumerate(shots, 1):
        assert show(gray).startswith("Hold it still")
        assert show(gray).startswith("Picture taken. ")
        assert len(dialog.session.lens_views.views) == count
    assert "at the same place as in picture 7" in show(shots[-1])
    assert "blurred" in show(cv2.blur(board_picture((0.2, 0.1), (0, 20)), (1, 8)))
    assert "7 taken" in dialog.coverage.text()
    assert 0 < dialog.progress.value() < 100
    QTest.mouseClick(dialog.compute, LEFT)
    wait_until(lambda: dialog.fit is not None)
    assert dialog.fit.lens.matrix[0, 0] == pytest.approx(LENS.matrix[0, 0], rel=0.02)
    assert "px (rms): good" in dialog.verdict.text()
    assert dialog.measurement["views"] == 7
    QTest.mouseClick(dialog.undo, LEFT)
    assert dialog.fit is None
    dialog.reject()


def test_the_computed_lens_is_used_and_saved(
    found: None, open_window: Open, wait_until: Wait, seen_from_above: ImageBgr, profiles: LensProfiles
) -> None:
    window = open_window("77", lambda _: Shots(seen_from_above))
    wait_until(lambda: window.store.view is not None)
    window.features.calibration.learn_lens()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, LensDialog)
    dialog.session, dialog.fit = LensSession(LensViews(SMALL)), LensFit(OVER.lens, 0.2, (0.2,))
    dialog.accept()
    assert window.store.session.can_undo == "the lens profile"
    assert window.store.session.state.setup.lens is OVER.lens
    assert [(one.camera, one.image_size, one.problem) for one in profiles.kept()] == [("camera 77", SMALL, "")]
    assert json.loads(profiles.path_of("camera 77", SMALL).read_text())["residual_px"] == 0.2


def test_the_lens_needs_a_live_camera(window: Window) -> None:
    window.features.calibration.learn_lens()
    assert "measured with a live camera" in window.bar.text


def test_the_measured_print_scale_is_stored(window: Window, tmp_path: Path) -> None:
    window.store.source_controller.spec = "0"  # the simulated table's own markers are not the player's
    window.features.calibration.choose_marker_size()
    dialog = window.features.calibration.dialog
    assert isinstance(dialog, MarkerSizeDialog)
    assert dialog.prints.scale is None
    measured = dialog.findChild(QCheckBox)
    measured.setChecked(True)
    [across, _] = [box for box in dialog.findChildren(NumberBox) if box.value() == 100]
    across.setValue(99.5)
    dialog.accept()
    assert window.store.session.state.setup.prints.scale == PrintScale(99.5, 100.0)
    settings = settings_in(tmp_path)
    assert settings.prints.scale == PrintScale(99.5, 100.0)
    settings.keep_prints(CalibrationTargets())
    assert settings.prints.scale is None


def test_a_dictionary_from_a_file(qt: object, tmp_path: Path) -> None:
    dialog, mine = MarkerSizeDialog(CalibrationTargets()), tmp_path / "mine.yml"
    mine.write_text("nonsense")
    dialog.use_dictionary(mine)
    [problem] = [label for label in dialog.findChildren(QLabel) if "was not written by OpenCV" in label.text()]
    assert dialog.prints.dictionary == "4X4_50"
    bits = "".join("10"[k % 3 == 0] for k in range(16))
    mine.write_text(f'%YAML:1.0\n---\nnmarkers: 1\nmarkersize: 4\nmaxCorrectionBits: 0\nmarker_0: "{bits}"\n')
    dialog.use_dictionary(mine)
    assert dialog.prints.dictionary == str(mine)
    assert not problem.isVisibleTo(dialog)


def test_centimetres_are_shown_and_stored(window: Window, open_window: Open, wait_until: Wait) -> None:
    click_at(window, POSTS["green-1"])
    click_at(window, POSTS["blue-1"])
    assert window.panel.headline.text().startswith("12.0 in")
    [centimetres] = [one for one in actions_of(window) if "entimet" in one.text()]
    centimetres.trigger()
    # 20 - 8 = 12 in are 30.48 cm; twice the deviation, in tenths of a centimetre rounded up.
    assert window.panel.headline.text().split()[:2] in (["30.5", "cm"], ["30.4", "cm"])
    labels = [row for shape in window.picture.shapes if isinstance(shape, Label) for row, _ in shape.rows]
    assert any(" cm ± " in row for row in labels)
    point(window, (10.0, 5.0))
    assert place_shown(window) == pytest.approx((25.4, 12.7), abs=0.2)
    window.commands.undo()
    assert window.store.session.state.unit is Unit.CENTIMETRE
    wait_until(lambda: any("accurate to ±" in words and " cm" in words for words in texts(window.statusBar())))
    again = open_window()
    wait_until(lambda: again.store.view is not None)
    assert again.store.session.state.unit is Unit.CENTIMETRE
