"""Invalid and truncated pictures, folders and videos: read, or refused in one sentence."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from tests.hostile.nasty import damaged, few, only_refuses
from vision.pictures import read_image
from vision.source import open_source

_STILLS = ("png", "jpg", "bmp", "webp", "tif")


def drawn() -> np.ndarray:
    image = np.full((48, 64, 3), 90, np.uint8)
    image[10:30, 20:40] = (20, 160, 60)
    return image


STILLS = {suffix: cv2.imencode(f".{suffix}", drawn())[1].tobytes() for suffix in _STILLS}


@pytest.fixture(scope="module")
def video(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Three small frames of a video."""
    path = tmp_path_factory.mktemp("video") / "v.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, (64, 48))
    for _ in range(3):
        writer.write(drawn())
    writer.release()
    return path.read_bytes()


def watch(spec: Path) -> None:
    """All pictures of a source, a hundred at most."""
    source = open_source(str(spec))
    try:
        for _ in range(100):
            frame = source.read()
            if frame is None:
                break
            assert frame.image_bgr.ndim == 3
            assert frame.image_bgr.dtype == np.uint8
    finally:
        source.close()


@pytest.mark.parametrize("suffix", _STILLS)
@few
@given(data=st.data())
def test_a_damaged_picture(suffix: str, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(data.draw(damaged(STILLS[suffix])))
    only_refuses(lambda: watch(path), path)


@few
@given(data=st.data())
def test_a_damaged_video(video: bytes, tmp_path: Path, data: st.DataObject) -> None:
    path = tmp_path / "x.avi"
    path.write_bytes(data.draw(damaged(video) | st.binary(max_size=300)))
    only_refuses(lambda: watch(path), path)


@few
@given(content=st.binary(max_size=300), suffix=st.sampled_from((*_STILLS, "mp4", "mkv", "y4m", "txt")))
def test_any_bytes_under_any_name(tmp_path: Path, content: bytes, suffix: str) -> None:
    path = tmp_path / f"x.{suffix}"
    path.write_bytes(content)
    only_refuses(lambda: watch(path), path)


def png_of(width: int, height: int) -> bytes:
    """A white picture of one bit a pixel: a thousandth of its size in memory."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    rows = zlib.compress((b"\0" + b"\xff" * -(-width // 8)) * height, 1)
    head = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def test_a_small_file_with_a_huge_picture(tmp_path: Path) -> None:
    """121 million pixels take 363 MB in memory."""
    path = tmp_path / "bomb.png"
    path.write_bytes(png_of(11_000, 11_000))
    assert path.stat().st_size < 400_000
    with pytest.raises(UserError, match="too many pixels"):
        read_image(path)
    path.write_bytes(png_of(40, 30))
    assert read_image(path).shape == (30, 40, 3)


@pytest.mark.parametrize(
    "name", ["/dev/null", "/dev/zero", "/dev/stdin/x", "a\0b", "x" * 5000, "/proc/self/mem", "ä\udce4"]
)
def test_paths_that_are_not_files(name: str) -> None:
    only_refuses(lambda: watch(Path(name)))


def test_a_folder_of_files_with_picture_suffixes(tmp_path: Path) -> None:
    (tmp_path / "1.png").write_bytes(STILLS["png"])
    (tmp_path / "2.png").mkdir()
    (tmp_path / "3.png").symlink_to(tmp_path / "nowhere")
    (tmp_path / "4.png").symlink_to("/dev/zero")
    (tmp_path / "5.jpg").write_bytes(b"")
    with pytest.raises(UserError, match=r"5\.jpg"):
        watch(tmp_path)


def test_an_endless_picture(tmp_path: Path) -> None:
    (tmp_path / "x.png").symlink_to("/dev/zero")
    with pytest.raises(UserError, match="is not a file"):
        watch(tmp_path / "x.png")
