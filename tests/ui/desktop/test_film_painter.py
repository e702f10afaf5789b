"""The painted film: its pixels, its names, its length."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtWidgets import QApplication

from calibration.opencv import cv2
from rules.engine.events import Throw
from rules.tabletop.errors import UserError
from tests.ui.battle.filmed import fought
from ui.battle.film import FORMATS, Pace, Scene, film_scenes
from ui.battle.history import BattleReport, report_of
from ui.battle.thumbnail_store import ThumbnailStore, small_jpeg
from ui.desktop.battle.film import FilmPainter, fitting_pace, save_film
from ui.theme import GREEN
from vision.frame import ImageBgr

HOSTILE = ('<b>"Ü&\n', "\u202e{0}%s" + "W" * 300)
MP4, _, GIF = FORMATS


@pytest.fixture
def report(tmp_path: Path) -> BattleReport:
    with fought(tmp_path / "b") as battle:
        return report_of(battle)


def painted(report: BattleReport, picture: bytes | None = None) -> list[tuple[Scene, ImageBgr]]:
    """The scenes without motion, in half size."""
    painter = FilmPainter(report, lambda _: picture, (640, 360))
    pictured = {7} if picture else ()
    return [(scene, painter.frame(scene)) for scene in film_scenes(report, pictured, Pace(motion_hz=0))]


def greens(frame: ImageBgr, x: int, y: int) -> int:
    """Pixels of the green army's colour within 8 pixels of a place."""
    part = frame[y - 8 : y + 9, x - 8 : x + 9].astype(int)
    return int((np.abs(part - GREEN[2::-1]).sum(2) < 60).sum())


def test_a_figure_moves_across_the_map(qt: QApplication, report: BattleReport) -> None:
    """The map shows x from -2 to 22 and y from -4 to 20: the places with 3 in of room, and at least 24 in.

    It is 528 px high, so that an inch has 22, and stands in the middle of (16, 72) to (816, 600): its corner is at
    (152, 72). (4, 4) is at (152 + 22 * 6, 72 + 22 * 16) = (284, 424), (10, 4) at (416, 424); in half size at (142, 212)
    and (208, 212).
    """
    frames = {scene.title: frame for scene, frame in painted(report)}
    before, after = frames["Turn 1"], frames["Green 1 moved 6.0 in"]
    assert greens(before, 142, 212) > 20
    assert greens(before, 208, 212) == 0
    assert greens(after, 208, 212) > 60, "the thick ring of the figure that acts"
    # Where it was, only its dashed line begins.
    assert greens(after, 142, 212) < greens(before, 142, 212)


def test_texts_dice_and_pictures_have_their_places(qt: QApplication, report: BattleReport) -> None:
    blue = cv2.imencode(".jpg", np.full((180, 320, 3), (250, 20, 20), np.uint8))[1].tobytes()
    bare = {scene.title: frame for scene, frame in painted(report)}
    full = {scene.title: frame for scene, frame in painted(report, blue)}
    shot = "Green 1: Rifle at Tan 1, kills"
    assert not np.array_equal(bare[shot][:32], bare["Turn 1"][:32]), "the score"
    assert (bare[shot][304:] > 200).all(2).sum() > 300, "the sentence"
    assert (bare[shot][36:60, 420:444] > 220).all(2).sum() > 200, "the ivory of a die"
    # 416 x 234 at (840, 72), in half size from (420, 36); the dice are below it.
    assert full[shot][90, 520].tolist() == pytest.approx([250, 20, 20], abs=6)
    assert (full[shot][158:182, 420:444] > 220).all(2).sum() > 200


def test_of_many_throws_the_last_are_shown(qt: QApplication, report: BattleReport) -> None:
    """Without a picture of the table, 528 px have room for five throws of 80 px and two lines."""
    painter = FilmPainter(report, lambda _: None, (640, 360))
    [scene] = [one for one in film_scenes(report, (), Pace(motion_hz=0)) if one.title == "Turn 1"]
    throws = tuple(Throw(die="D6", for_whom="green", why="a tie", faces=(face,)) for face in range(1, 7))
    all_, last = (painter.frame(replace(scene, throws=some)) for some in (throws, throws[-5:]))
    assert np.array_equal(all_, last)


def test_letters_of_other_languages_are_not_question_marks(qt: QApplication, report: BattleReport) -> None:
    scene = list(film_scenes(report, (), Pace(motion_hz=0)))[2]
    painter = FilmPainter(report, lambda _: None, (640, 360))
    titles = {painter.frame(replace(scene, title=title))[304:].tobytes() for title in ("Ü", "U", "ß", "?")}
    assert len(titles) == 4


@pytest.mark.parametrize("sides", [HOSTILE, ("\x00\x07", "🪖" * 40)])
def test_hostile_names_are_painted_as_text(qt: QApplication, tmp_path: Path, sides: tuple[str, str]) -> None:
    with fought(tmp_path / "b", sides) as battle:
        frames = painted(report_of(battle))
    assert all(frame.shape == (360, 640, 3) for _, frame in frames)


def test_a_film_is_written_and_read_again(qt: QApplication, tmp_path: Path) -> None:
    path, steps = tmp_path / "b.webp", list[tuple[int, int]]()
    with fought(tmp_path / "b") as battle:
        pictures = ThumbnailStore(battle)
        pictures.put(7, small_jpeg(np.full((180, 320, 3), 99, np.uint8)))
        save_film(path, report_of(battle), pictures, 2.0, lambda *at: steps.append(at))
        pictures.close()
        # 0.6, 0.3 and 0.4 s at 12.5 Hz and double speed: 4, 2 and 2 scenes, and 7 still ones.
        assert steps[-1] == (15, 15)
    done, film = cv2.imreadanimation(str(path))
    assert done
    assert len(film.frames) == 15
    scenes = film_scenes(report_of(battle), {7}, Pace(2.0, 12.5))
    assert sum(film.durations) == pytest.approx(1000 * sum(scene.lasts_s for scene in scenes), abs=15)


def test_a_long_battle_loses_its_motion_and_then_needs_mp4(report: BattleReport) -> None:
    assert fitting_pace(report, GIF, 1.0)[0].motion_hz == 12.5
    # The move, the shot and the note have 8 + 1, 4 + 5 + 1 and 1 scenes, with half of the motion 4 + 1, 2 + 2 + 1 and
    # 1, without it 3. The title, the places, the turn and the score add 4.
    acts = report.moments[-3:]
    assert fitting_pace(replace(report, moments=report.moments + 19 * acts), GIF, 1.0)[0].motion_hz == 6.25
    assert fitting_pace(replace(report, moments=report.moments + 70 * acts), GIF, 1.0) == (Pace(1.0, 0.0), 4 + 71 * 3)
    too_long = replace(report, moments=report.moments + 120 * acts)
    with pytest.raises(UserError, match=r"367 scenes, but a \.gif film at most 240: save it as \.mp4"):
        fitting_pace(too_long, GIF, 1.0)
    assert fitting_pace(too_long, MP4, 1.0)[0].motion_hz == 20
