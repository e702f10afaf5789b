"""The guide to the first shot, without a window."""

from __future__ import annotations

from dataclasses import replace
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from tests.ui.views import figure, view_of
from ui.diagnostics import LIBRARIES, libraries
from ui.guide import GuideStep, Progress, StepMark, TableStatus, guide
from ui.session import Ruler, TableState
from ui.setup.cameras import Camera, cameras
from vision.palette import ArmyColour
from vision.separation import Separation, SeparationLevel
from vision.setup import Setup
from vision.tracks import Tracking
from vision.webcam import SETTLING

NOTHING = TableStatus("demo", None, TableState())


BOTH_SEEN = replace(view_of(figure("green-1", 8, 8), figure("tan-1", 12, 8)), calibration=None)
"""Soldiers of two armies, uncalibrated, so that the step of the markers is not done."""


def army(name: str) -> ArmyColour:
    return ArmyColour(name, np.zeros(3), np.eye(3), 100)


def with_setup(**known: object) -> TableStatus:
    return replace(NOTHING, state=TableState(Setup(**known)))  # type: ignore[arg-type]


def test_no_step_is_done_at_first_and_each_can_be_skipped() -> None:
    progress = Progress()
    for step in GuideStep:
        shown = guide(NOTHING, progress)
        assert shown.step is step
        assert shown.marks[step] is StepMark.NOW
        assert shown.words.endswith(".")
        assert shown.button
        progress = progress.skip(step)
    last = guide(NOTHING, progress)
    assert last.step is None
    assert set(last.marks.values()) == {StepMark.SKIPPED}


@pytest.mark.parametrize(
    ("now", "done"),
    [
        (with_setup(reference_bgr=np.zeros((2, 2, 3), np.uint8)), GuideStep.EMPTY),
        (replace(with_setup(palette=(army("green"), army("tan"))), view=BOTH_SEEN), GuideStep.ARMIES),
        (replace(NOTHING, playing=True), GuideStep.GAME),
        (replace(NOTHING, state=TableState(rulers=(Ruler("green-1", "tan-1"),))), GuideStep.SHOT),
    ],
)
def test_a_step_becomes_done_automatically(now: TableStatus, done: GuideStep) -> None:
    marks = guide(now, Progress()).marks
    assert [step for step, mark in marks.items() if mark is StepMark.DONE] == [done]
    assert guide(now, Progress().skip(done)).marks[done] is StepMark.DONE, "a step that is done is not skipped"
    assert guide(now, Progress().go_to(done)).is_done


def test_the_guide_says_that_the_program_is_still_looking() -> None:
    practising = Progress().agree(GuideStep.CAMERA)
    assert guide(NOTHING, practising).busy, "no picture has been searched since Practise was pressed"
    assert not guide(NOTHING, Progress()).busy
    assert not guide(replace(NOTHING, problem="the camera no longer answers"), practising).busy
    armies, waiting = Progress().go_to(GuideStep.ARMIES), replace(with_setup(propose=True), is_searching=True)
    assert (guide(waiting, armies).busy, guide(waiting, armies).button) == (True, "")
    assert guide(replace(waiting, is_searching=False), armies).button == "Teach army"


def test_an_army_that_is_never_found_is_not_done() -> None:
    """For example because its soldiers stood on the table when it was learned as empty."""
    taught = with_setup(palette=(army("green"), army("tan")))
    only_green = replace(BOTH_SEEN, tracking=Tracking(figures=(figure("green-1", 8, 8),)))
    assert guide(replace(taught, view=only_green), Progress()).marks[GuideStep.ARMIES] is StepMark.AHEAD
    carried_off = replace(BOTH_SEEN, tracking=Tracking((figure("green-1", 8, 8),), lost=(figure("tan-1", 12, 8),)))
    assert guide(replace(taught, view=carried_off), Progress()).marks[GuideStep.ARMIES] is StepMark.DONE


def test_proposed_armies_can_be_accepted() -> None:
    found = replace(BOTH_SEEN, proposed=(army("green"), army("tan")))
    now = replace(with_setup(propose=True), view=found)
    shown = guide(now, Progress().go_to(GuideStep.ARMIES))
    assert shown.button == "Use them"
    assert shown.words.startswith("Found 1 green and 1 tan soldiers, grouped by colour.")
    one = replace(now, view=replace(found, proposed=(army("green"),)))
    searching = guide(one, Progress().go_to(GuideStep.ARMIES))
    assert searching.words.startswith("Found so far: 1 green soldiers. Wait a moment")
    assert "They are all one colour" in searching.ticks[-1].words
    for other in (with_setup(), with_setup(propose=True, palette=(army("green"),))):
        assert guide(replace(other, view=found), Progress().go_to(GuideStep.ARMIES)).button == "Teach army"


def test_the_guide_says_that_armies_are_still_searched_for_and_does_not_distract_from_accepting_them() -> None:
    at_armies = Progress().go_to(GuideStep.ARMIES)
    searching = guide(replace(with_setup(propose=True), view=replace(view_of(), calibration=None)), at_armies)
    assert searching.words.startswith("Put the armies on the table and wait")
    fair = Separation("green", "tan", 0.8, empty_known=True)
    assert fair.level is SeparationLevel.FAIR
    found = replace(BOTH_SEEN, proposed=(army("green"), army("tan")), separations=(fair,))
    assert guide(replace(with_setup(propose=True), view=found), at_armies).ticks == ()
    taught = replace(with_setup(palette=(army("green"), army("tan"))), view=replace(found, proposed=()))
    assert "less reliably in shade" in guide(taught, at_armies).ticks[-1].words


def test_a_single_picture_needs_no_empty_table() -> None:
    """Soldiers cannot be taken off a photograph."""
    now = replace(with_setup(propose=True), spec="table.jpg", is_still=True)
    assert guide(now, Progress()).marks[GuideStep.EMPTY] is StepMark.SKIPPED
    back = guide(now, Progress().go_to(GuideStep.EMPTY))
    assert back.words.startswith("A single picture cannot show the table without its soldiers.")
    assert not back.button


def test_two_armies_of_three_are_not_enough() -> None:
    now = replace(with_setup(palette=(army("green"), army("tan"))), armies=3)
    assert guide(now, Progress()).marks[GuideStep.ARMIES] is StepMark.AHEAD
    assert "next army" in guide(now, Progress().go_to(GuideStep.ARMIES)).words


def test_a_failed_camera_offers_another() -> None:
    now = TableStatus("3", None, TableState(), (Camera(3, "HD Webcam"),), problem="camera 3 no longer answers")
    shown = guide(now, Progress())
    assert (shown.words, shown.button) == ("Camera 3 no longer answers.", "Choose another…")
    settling = guide(replace(now, problem="", held=SETTLING), Progress())
    assert settling.words.startswith("HD Webcam (camera 3) is adjusting")
    assert settling.step is GuideStep.CAMERA


def test_cameras_are_listed_without_metadata_devices(tmp_path: Path) -> None:
    for number, index, name in ((0, "0", "HD Webcam"), (1, "1", "HD Webcam"), (4, "0", "")):
        (tmp_path / "dev").mkdir(exist_ok=True)
        (tmp_path / f"dev/video{number}").touch()
        entry = tmp_path / f"sys/class/video4linux/video{number}"
        entry.mkdir(parents=True)
        (entry / "index").write_text(index + "\n")
        (entry / "name").write_text(name + "\n")
    assert [camera.words for camera in cameras(tmp_path)] == ["HD Webcam (camera 0)", "Camera 4"]
    assert cameras(tmp_path / "nowhere") == ()


def test_libraries_are_described_by_their_metadata() -> None:
    def read(name: str) -> metadata.PackageMetadata:
        if name != "PyQt6":
            raise metadata.PackageNotFoundError(name)
        return metadata.metadata("PyQt6")

    [only] = libraries(read)
    assert (only.name, only.licence) == ("PyQt6", "GPL-3.0-only")
    assert only.home.startswith("https://")
    assert set(LIBRARIES) >= {"numpy", "scipy", "shapely", "opencv-python", "pyserial", "platformdirs"}
