"""Film files, read again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from ui.battle.film import FORMATS, format_of, write_film
from vision.frame import ImageBgr

COLOURS = ((200, 40, 40), (40, 200, 40), (40, 40, 200))
LASTS_S = (0.5, 1.0, 0.23)


def pictures(path: Path) -> Iterator[tuple[ImageBgr, float]]:
    width, height = format_of(path).size_px
    for colour, lasts_s in zip(COLOURS, LASTS_S, strict=True):
        yield np.full((height, width, 3), colour, np.uint8), lasts_s


def test_an_mp4_repeats_each_picture_as_long_as_it_lasts(tmp_path: Path) -> None:
    path = tmp_path / "b.mp4"
    write_film(path, pictures(path))
    video = cv2.VideoCapture(str(path))
    assert video.get(cv2.CAP_PROP_FPS) == 20
    frames = []
    while (found := video.read())[0]:
        frames.append(found[1])
    assert frames[0].shape == (720, 1280, 3)
    shown = [min(range(3), key=lambda n: np.abs(frame[360, 640] - np.float64(COLOURS[n])).sum()) for frame in frames]
    assert shown == [0] * 10 + [1] * 20 + [2] * 5  # 20 a second until 0.5, 1.5 and 1.73 s: 10, 30 and 34.6 frames
    assert [path.name for path in tmp_path.iterdir()] == ["b.mp4"]


@pytest.mark.parametrize("suffix", [".webp", ".GIF"])
def test_an_animation_holds_each_picture_once(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"b{suffix}"
    write_film(path, pictures(path))
    done, film = cv2.imreadanimation(str(path))
    assert done
    assert [int(lasts_ms) for lasts_ms in film.durations] == [500, 1000, 230]
    assert [frame.shape[:2] for frame in film.frames] == [(360, 640)] * 3
    for frame, colour in zip(film.frames, COLOURS, strict=True):
        # GIF has 8, 8 and 4 levels of red, green and blue: steps of 36 and 85, so that a level may be off by 43.
        assert frame[180, 320, :3] == pytest.approx(np.array(colour), abs=43)


def test_an_unknown_ending_is_rejected_before_any_work(tmp_path: Path) -> None:
    def none() -> Iterator[tuple[ImageBgr, float]]:
        pytest.fail("a picture was painted")
        yield

    with pytest.raises(UserError, match=r"b\.avi needs a name ending in \.mp4, \.webp, \.gif"):
        write_film(tmp_path / "b.avi", none())
    with pytest.raises(UserError, match=r"no such folder.*choose another folder"):
        write_film(tmp_path / "none" / "b.mp4", none())


@pytest.mark.parametrize("suffix", [one.suffix for one in FORMATS])
def test_a_cancelled_film_leaves_the_old_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"b{suffix}"
    path.write_bytes(b"old")

    def cancelled() -> Iterator[tuple[ImageBgr, float]]:
        yield from pictures(path)
        raise UserError("Cancelled.")

    with pytest.raises(UserError, match="Cancelled"):
        write_film(path, cancelled())
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="only POSIX limits the size of files")
@pytest.mark.parametrize("suffix", [".mp4", ".webp"])
def test_a_full_disk_is_reported_in_a_sentence(tmp_path: Path, suffix: str) -> None:
    import resource

    path = tmp_path / f"b{suffix}"
    width, height = format_of(path).size_px
    noise = np.random.default_rng(1).integers(0, 255, (height, width, 3), np.uint8)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))  # a picture of noise needs 200 kB
    try:
        with pytest.raises(UserError, match=r"cannot be written.*free some space"):
            write_film(path, [(noise, 0.1)] * 2)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())
