"""Limits: larger input is refused early, for the right reason; long tasks show progress and can be cancelled."""

from __future__ import annotations

import errno
import json
import math
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtGui import QImage

from calibration.markers import dictionary_of
from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.database import START, Row, next_checksum
from rules.battle.journal import MOST_BYTES, Journal
from rules.battle.progress import Cancelled
from rules.battle.survey import MOST_ENTRIES, MOST_VALUES
from rules.engine.events import Noted
from rules.engine.state import MOST_KEPT
from rules.tabletop.errors import UserError
from rules.tabletop.table import MAX_PIECES, MOST_CORNERS, TerrainKind, TerrainPiece
from tests.hostile.nasty import is_a_sentence
from tools.damaged_saves import run_rounds, without_checksums
from tools.kills import play_and_kill
from ui.battle.history import battle_json
from ui.cli import main
from ui.files import read_terrain, write_json
from vision.pictures import read_image
from vision.source import open_source

SAVES, KILLS = 150, 5
"""`python -m tools.damaged_saves` and `python -m tools.kills` try more."""


def is_refused_within(seconds: float, read: Callable[[], object], match: str) -> None:
    began_s = time.process_time()
    with pytest.raises(UserError, match=match) as refusal:
        read()
    is_a_sentence(str(refusal.value))
    assert time.process_time() - began_s < seconds


def star(corners: int) -> list[list[float]]:
    """An outline that does not cross itself."""
    angles = [2 * math.pi * k / corners for k in range(corners)]
    return [
        [(30 + k % 2) * math.cos(angle) + 40, (30 + k % 2) * math.sin(angle) + 40] for k, angle in enumerate(angles)
    ]


def terrain_file(path: Path, *outlines: list[list[float]]) -> Path:
    pieces = [{"name": "x", "kind": "hill", "outline_in": outline, "height_in": 1} for outline in outlines]
    path.write_text(json.dumps({"schema": 1, "pieces": pieces}))
    return path


# Damaged battles and kills, a small sample


@pytest.mark.timeout(100)
@pytest.mark.slow
def test_damaged_saves(tmp_path: Path) -> None:
    found = run_rounds(tmp_path, SAVES, seed=7)
    assert found.faults == []
    assert len(found.outcomes) >= 5


@pytest.mark.timeout(100)
@pytest.mark.slow
def test_kills_in_the_middle_of_writing(tmp_path: Path) -> None:
    found = play_and_kill(tmp_path, KILLS, seed=7)
    assert found.faults == []
    assert found.confirmed >= KILLS


# G: terrain


@pytest.mark.slow
def test_terrain_has_a_limit_of_corners(tmp_path: Path) -> None:
    path = tmp_path / "terrain.json"
    assert len(read_terrain(terrain_file(path, star(MOST_CORNERS)))) == 1
    is_refused_within(5, lambda: read_terrain(terrain_file(path, star(100_000))), "100,000 corners, more than 1,000")
    is_refused_within(5, lambda: read_terrain(terrain_file(path, *[star(3)] * (MAX_PIECES + 1))), "501 pieces")
    with pytest.raises(UserError, match="1,001 corners"):
        TerrainPiece("x", TerrainKind.HILL, tuple((x, y) for x, y in star(MOST_CORNERS + 1)), 0, 1)


# K: battles


def forged(path: Path, bodies: Sequence[tuple[str, str]]) -> Path:
    """A battle with these entries (kind and body) after its beginning, with correct checksums."""
    Battle.begin(path, lambda: 0.0, "simple_plastic", ["green", "tan"]).close()
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("BEGIN")
    raw.executemany("INSERT INTO entry (time_s, kind, version, body) VALUES (0, ?, 1, ?)", bodies)
    checksum, rows = START, raw.execute("SELECT seq, time_s, kind, version, body FROM entry ORDER BY seq").fetchall()
    for row in rows:
        fields: Row = row
        checksum = next_checksum(checksum, fields)
        raw.execute("INSERT OR REPLACE INTO checksum VALUES (?, ?)", (fields[0], checksum))
    raw.execute("COMMIT")
    raw.close()
    return path


def opened(path: Path) -> Callable[[], object]:
    return lambda: Battle.open(path, lambda: 0.0)


@pytest.mark.slow
def test_a_battle_has_a_limit_of_entries_and_values(tmp_path: Path) -> None:
    notes = [("noted", '{"text": "n"}')] * MOST_ENTRIES
    is_refused_within(10, opened(forged(tmp_path / "a", notes)), "at most 20,000 entries")
    lists = f'{{"changes": [{{"figure": "", "key": "k", "value": [{"[]," * 300_000}[]]}}]}}'
    many = [("changed", lists)] * (1 + MOST_VALUES // 600_000)
    is_refused_within(20, opened(forged(tmp_path / "b", many)), "2,000,000 values")


def test_a_battle_has_a_limit_of_figures_statuses_and_answers(tmp_path: Path) -> None:
    """Each answer copies the previous ones: 100,000 answers took hours."""
    settled = [("settled", f'{{"question": "q{n}", "answer": "in"}}') for n in range(MOST_KEPT + 1)]
    is_refused_within(10, opened(forged(tmp_path / "a", settled)), "at most 2,000 figures, statuses or answers")
    with Battle.open(forged(tmp_path / "b", settled[:-1]), lambda: 0.0) as battle:
        assert len(battle.state.settled) == MOST_KEPT


def test_a_battle_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    path = forged(tmp_path / "a", [])
    with path.open("r+b") as file:
        file.truncate(MOST_BYTES + 4096)
    is_refused_within(1, opened(path), "larger than 32 MB")


def test_a_battle_at_the_limit_can_be_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rules.battle.survey.MOST_ENTRIES", 3)
    with Journal(tmp_path / "b", lambda: 0.0) as journal:
        for n in range(3):
            journal.append("noted", {"n": n})
        with pytest.raises(UserError, match="begin another battle in a new file"):
            journal.append("noted", {"n": 3})
        assert len(journal.entries()) == 3


def test_opening_and_saving_report_progress_and_can_be_cancelled(tmp_path: Path) -> None:
    path = forged(tmp_path / "a", [("noted", '{"text": "n"}')] * 200)
    parts: list[float] = []
    with Battle.open(path, lambda: 0.0, lambda done, of: parts.append(done / of)) as battle:
        assert parts == sorted(parts)
        assert parts[-1] > 0.9
        saved: list[int] = []
        battle_json(battle, lambda done, _of: saved.append(done))
        assert len(saved) == 201

    def ended(done: int, of: int) -> None:
        if done > of / 2:
            raise Cancelled("cancelled by the player")

    without_checksums(path)
    before = path.read_bytes()
    with pytest.raises(Cancelled, match=r"^cancelled by the player$"):
        Battle.open(path, lambda: 0.0, ended)
    assert path.read_bytes() == before
    Battle.open(path, lambda: 0.0).close()


# D: impossible numbers


@pytest.mark.parametrize("count", [0, -1, 2, 10**9, -(2**40)])
def test_a_dictionary_of_no_markers(count: int, tmp_path: Path) -> None:
    path = tmp_path / "d.yml"
    path.write_text(f'%YAML:1.0\n---\nnmarkers: {count}\nmarkersize: 4\nmaxCorrectionBits: 0\nmarker_0: "{"10" * 8}"\n')
    is_refused_within(1, lambda: dictionary_of(str(path)), "was not written by OpenCV")


@pytest.mark.parametrize("seed", ["-1", "1.5", "x", ""])
def test_an_impossible_seed_is_wrong_usage(seed: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["demo", f"--seed={seed}"])
    assert stop.value.code == 2
    assert "not a whole number from 0" in capsys.readouterr().err


# L: the right reason, and no output of a library before our sentence

COLOURS = np.full((48, 64, 3), (20, 160, 60), np.uint8)


def test_a_cmyk_jpeg(tmp_path: Path) -> None:
    """CMYK: cyan, magenta, yellow and black."""
    image = QImage(64, 48, QImage.Format.Format_CMYK8888)
    image.fill(0x80402010)
    assert image.save(str(tmp_path / "x.jpg"), "JPG", 50)
    assert read_image(tmp_path / "x.jpg").shape == (48, 64, 3)


@pytest.mark.parametrize(("ending", "pictures"), [("gif", 3), ("webp", 1), ("png", 1)])
def test_an_animated_picture(ending: str, pictures: int, tmp_path: Path) -> None:
    animation = cv2.Animation()
    animation.frames = [COLOURS, COLOURS // 2, COLOURS]
    animation.durations = np.array([100, 100, 100])
    path = tmp_path / f"x.{ending}"
    assert cv2.imwriteanimation(str(path), animation)
    source = open_source(str(path))
    frames = list(iter(source.read, None))
    source.close()
    assert [frame.size_px for frame in frames] == [(64, 48)] * pictures


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 3, 4])
@pytest.mark.parametrize("ending", ["png", "tif"])
def test_pictures_of_every_depth(ending: str, channels: int, dtype: type, tmp_path: Path) -> None:
    path = tmp_path / f"x.{ending}"
    assert cv2.imwrite(str(path), np.full((9, 12, channels), 77, dtype))
    assert read_image(path).shape == (9, 12, 3)
    assert read_image(path).dtype == np.uint8


@pytest.mark.parametrize("ending", ["png", "jpg", "tif", "webp", "bmp"])
def test_libraries_print_nothing_about_a_broken_picture(
    ending: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    whole = cv2.imencode(f".{ending}", np.random.default_rng(1).integers(0, 255, (60, 80, 3), np.uint8))[1].tobytes()
    path = tmp_path / f"x.{ending}"
    for hurt in (whole[: len(whole) // 2], whole[:200] + b"\xff" * 40 + whole[240:]):
        path.write_bytes(hurt)
        main(["analyse", str(path)])
        said = capfd.readouterr().err
        assert said.count("\n") == 1
        assert said.startswith("sandtable: ")


def test_the_advice_for_a_folder_depends_on_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, way_out in (
        (errno.EROFS, "choose another folder"),
        (errno.EACCES, "choose another folder"),
        (errno.ENOSPC, "free some space"),
    ):

        def refuses(*_: object, number: int = number, **__: object) -> None:
            raise OSError(number, "no")

        monkeypatch.setattr("tempfile.mkstemp", refuses)
        with pytest.raises(UserError, match=way_out) as refusal:
            write_json(tmp_path / "x.json", {})
        assert ("free some space" in str(refusal.value)) == (number == errno.ENOSPC)


def test_a_long_note_is_below_every_limit(tmp_path: Path) -> None:
    """Nothing that an evening's battle writes comes near a limit."""
    with Battle.begin(tmp_path / "b", lambda: 0.0, "simple_plastic", ["green", "tan"]) as battle:
        battle.record(Noted(text="x, " * 20_000))
    Battle.open(tmp_path / "b", lambda: 0.0).close()
