"""Sources of frames: their pictures, and the messages when there are none."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from vision.frame import Frame
from vision.pictures import FOLDER_STEP_S, ImageSequence, read_image
from vision.source import open_source
from vision.video import Video
from vision.webcam import Webcam, camera_numbers


def write_picture(path: Path, value: int = 100, size_px: tuple[int, int] = (8, 6)) -> Path:
    ok, data = cv2.imencode(path.suffix, np.full((size_px[1], size_px[0], 3), value, np.uint8))
    assert ok
    path.write_bytes(data.tobytes())
    return path


class FakeCamera:
    """A camera that grants every setting except those in `stubborn`."""

    def __init__(self, brightness: list[int], stubborn: dict[int, float] | None = None, opened: bool = True) -> None:
        self.brightness = list(brightness)
        self.stubborn = stubborn or {}
        self.values: dict[int, float] = {cv2.CAP_PROP_EXPOSURE: 157.0, cv2.CAP_PROP_WB_TEMPERATURE: 4600.0}
        self.asked: list[tuple[int, float]] = []
        self.opened, self.released = opened, 0
        self.size_px = (1920, 1080)

    def __call__(self, number: int, backend: int) -> FakeCamera:
        self.number, self.backend = number, backend
        return self

    def isOpened(self) -> bool:
        return self.opened

    def read(self) -> tuple[bool, np.ndarray | None]:
        if not self.brightness:
            return False, None
        return True, np.full((self.size_px[1] // 8, self.size_px[0] // 8, 3), self.brightness.pop(0), np.uint8)

    def get(self, wish: int) -> float:
        return self.stubborn.get(wish, self.values.get(wish, 0.0))

    def set(self, wish: int, value: float) -> bool:
        self.asked.append((wish, value))
        self.values[wish] = value
        return True

    def release(self) -> None:
        self.released += 1


def clock_of(*times_s: float):
    ticks = iter(times_s)
    return lambda: next(ticks)


def test_an_image_is_a_single_frame(tmp_path: Path) -> None:
    source = open_source(str(write_picture(tmp_path / "Tisch \u00e4\u732b.png", 77)))
    frame = source.read()
    assert (frame.size_px, frame.index, frame.time_s, frame.image_bgr[0, 0].tolist()) == ((8, 6), 0, 0.0, [77] * 3)
    assert source.read() is None
    assert (source.name, source.live, source.still) == ("Tisch \u00e4\u732b.png", False, True)


def test_a_folder_gives_its_pictures_sorted_by_name(tmp_path: Path) -> None:
    for name, value in (("b.JPG", 20), ("a.bmp", 10), ("c.tif", 30), ("d.webp", 40)):
        write_picture(tmp_path / name, value)
    (tmp_path / "notes.txt").write_text("no picture")
    (tmp_path / "z.png").mkdir()
    source = open_source(str(tmp_path))
    frames = list(iter(source.read, None))
    assert [round(f.image_bgr.mean(), -1) for f in frames] == [10, 20, 30, 40]
    assert [(f.index, f.time_s) for f in frames] == [(n, n * FOLDER_STEP_S) for n in range(4)]
    assert not source.still


def test_the_orientation_in_a_file_is_ignored(tmp_path: Path) -> None:
    path = write_picture(tmp_path / "phone.jpg", size_px=(16, 8))
    # EXIF with one entry, tag 0x0112 (orientation) = 6: "turn by a quarter to show".
    tiff = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0\x06\0\0\0\0\0\0\0"
    segment = b"Exif\0\0" + tiff
    data = path.read_bytes()
    path.write_bytes(data[:2] + b"\xff\xe1" + (len(segment) + 2).to_bytes(2, "big") + segment + data[2:])
    assert cv2.imread(str(path)).shape == (16, 8, 3)  # OpenCV does turn it
    assert read_image(path).shape == (8, 16, 3)


@pytest.mark.parametrize("suffix", [".jpg", ".png", ".bmp", ".webp", ".tif"])
@pytest.mark.parametrize("part", [0.0, 0.4, 0.98])
def test_truncated_picture_is_refused_by_name(tmp_path: Path, suffix: str, part: float) -> None:
    path = tmp_path / f"half{suffix}"
    noise = np.random.default_rng(0).integers(0, 255, (60, 80, 3), np.uint8)
    data = cv2.imencode(suffix, noise)[1].tobytes()
    path.write_bytes(data[: int(part * len(data))])
    with pytest.raises(UserError, match=f"half{suffix} is not a picture, or is broken"):
        open_source(str(path)).read()


def test_bad_paths_are_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no '.*nowhere.png': choose another picture"):
        open_source(str(tmp_path / "nowhere.png"))
    with pytest.raises(UserError, match=r"holds no pictures: their names must end in \.bmp, \.jpeg"):
        open_source(str(tmp_path))
    (tmp_path / "film.mp4").write_bytes(b"no film at all" * 50)
    with pytest.raises(UserError, match=r"film\.mp4 is neither a picture nor a video"):
        open_source(str(tmp_path / "film.mp4"))


def test_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    with path.open("wb") as file:
        file.truncate(300_000_000)  # a hole: takes no room on the disk
    with pytest.raises(UserError, match="300 MB, too large"):
        read_image(path)


def test_pictures_of_two_sizes_are_refused_with_both_sizes(tmp_path: Path) -> None:
    paths = [write_picture(tmp_path / "a.png"), write_picture(tmp_path / "b.png", size_px=(16, 12))]
    source = ImageSequence(paths, "folder")
    assert source.read() is not None
    with pytest.raises(UserError, match=r"b.png is 16 x 12 pixels, the pictures before it 8 x 6"):
        source.read()


def test_a_video_gives_its_frames_with_their_times(tmp_path: Path) -> None:
    path = tmp_path / "film.avi"
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 25, (64, 48))
    for n in range(4):
        writer.write(np.full((48, 64, 3), 40 * n, np.uint8))
    writer.release()
    source = open_source(str(path))
    frames = list(iter(source.read, None))
    source.close()
    source.close()
    assert [round(f.time_s, 6) for f in frames] == [0, 0.04, 0.08, 0.12]
    assert [f.image_bgr.mean() for f in frames] == pytest.approx([0, 40, 80, 120], abs=3)


def test_a_broken_video_causes_only_our_own_message(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.mp4").write_bytes(b"\0" * 9)
    with pytest.raises(UserError, match="convert it to MP4"):
        open_source(str(tmp_path / "a.mp4"))
    assert capfd.readouterr().err == ""


def test_an_empty_name_is_refused() -> None:
    with pytest.raises(UserError, match="no source is named"):
        open_source("")


def test_video_without_a_picture_is_refused() -> None:
    with pytest.raises(UserError, match=r"film\.mp4 holds no picture"):
        Video(Path("film.mp4"), FakeCamera([])).read()


@pytest.mark.slow
def test_demo_is_a_live_table() -> None:
    source = open_source("demo", clock_of(5.0))
    frame = source.read()
    assert source.live
    assert frame.size_px == (1920, 1080)


def test_number_opens_that_camera_and_asks_for_1080p_as_mjpg() -> None:
    camera = FakeCamera([90])
    source = open_source("2", clock_of(10.0, 10.25), camera)
    assert camera.number == 2
    # MJPG before the size: a driver that is asked for 1080p in its raw format may fall back to a smaller one.
    assert [wish for wish, _ in camera.asked[:3]] == [
        cv2.CAP_PROP_FOURCC,
        cv2.CAP_PROP_FRAME_WIDTH,
        cv2.CAP_PROP_FRAME_HEIGHT,
    ]
    frame = source.read()
    assert (source.name, source.live, frame.time_s) == ("camera 2", True, 0.25)
    source.close()
    assert camera.released == 1


def test_settings_report_what_the_camera_granted() -> None:
    camera = FakeCamera([], {cv2.CAP_PROP_FRAME_WIDTH: 1280.0, cv2.CAP_PROP_FRAME_HEIGHT: 720.0})
    source = Webcam(0, clock_of(0.0), camera, linux=True)
    assert source.settings.startswith("1280 x 720 MJPG at 30 frames a second; exposure")


def test_exposure_is_locked_once_the_camera_has_settled() -> None:
    camera = FakeCamera([90, 90, 91, 90], {cv2.CAP_PROP_AUTOFOCUS: 1.0})
    source = Webcam(0, clock_of(0.0, 0.5, 1.1, 1.5, 2.2), camera, linux=True)
    source.read()
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3  # still finding its value
    for _ in range(3):
        source.read()
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 1
    assert camera.asked.index((cv2.CAP_PROP_AUTO_EXPOSURE, 1.0)) < camera.asked.index((cv2.CAP_PROP_EXPOSURE, 157.0))
    assert source.settings.endswith("exposure held, white balance held, focus automatic")


def test_exposure_is_unlocked_if_locking_darkened_the_picture() -> None:
    camera = FakeCamera([90, 90, 30])
    source = Webcam(0, clock_of(0.0, 0.5, 1.1, 2.2), camera, linux=True)
    for _ in range(3):
        source.read()
    assert camera.values[cv2.CAP_PROP_AUTO_EXPOSURE] == 3
    assert source.settings.endswith("exposure automatic, white balance held, focus held")


def test_unplugged_camera_is_refused_by_name() -> None:
    source = Webcam(1, clock_of(0.0), FakeCamera([]))
    with pytest.raises(UserError, match="camera 1 no longer answers: plug it in again"):
        source.read()


def test_camera_whose_picture_changes_its_size_is_refused() -> None:
    camera = FakeCamera([90, 90])
    source = Webcam(0, clock_of(0.0, 0.1, 0.2), camera, linux=False)
    source.read()
    camera.size_px = (1280, 720)
    with pytest.raises(UserError, match="camera 0 is 160 x 90 pixels, the pictures before it 240 x 135"):
        source.read()


def test_a_missing_camera_lists_the_available_ones(tmp_path: Path) -> None:
    closed = FakeCamera([], opened=False)
    with pytest.raises(UserError, match="no camera 3, and no other: plug one in, or open another source"):
        Webcam(3, clock_of(), closed, devices=tmp_path, linux=True)
    for name in ("video0", "video10", "video2", "videodev"):
        (tmp_path / name).touch()
    assert camera_numbers(tmp_path) == [0, 2, 10]
    with pytest.raises(UserError, match="no camera 3: choose one of 0, 2, 10"):
        Webcam(3, clock_of(), closed, devices=tmp_path, linux=True)
    with pytest.raises(UserError, match="camera 2 cannot be opened: close the program that uses it"):
        Webcam(2, clock_of(), closed, devices=tmp_path, linux=True)
    assert closed.released == 3


def test_a_camera_without_permission_explains_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "video0").touch()
    monkeypatch.setattr(os, "access", lambda path, mode: False)  # root may use everything
    with pytest.raises(UserError, match="run `sudo usermod -aG video"):
        Webcam(0, clock_of(), FakeCamera([], opened=False), devices=tmp_path, linux=True)


def test_opening_a_missing_camera_prints_nothing_and_restores_opencvs_log_level(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    before = cv2.utils.logging.getLogLevel()
    with pytest.raises(UserError, match="there is no camera 63"):
        Webcam(63, clock_of(), devices=tmp_path, linux=True)
    assert capfd.readouterr().err == ""
    assert cv2.utils.logging.getLogLevel() == before


def write_film(path: Path, frames: int = 40) -> Path:
    """A film of 25 frames a second; the brightness of frame n is 6 n. Each twelfth frame is a key frame."""
    writer = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*"mp4v"), 25, (64, 48))
    for n in range(frames):
        writer.write(np.full((48, 64, 3), 6 * n, np.uint8))
    writer.release()
    return path


def spread_out(path: Path, after: int) -> Path:
    """Make the frames of a Matroska film last 0.2 s instead of 0.04 s from one on: rewrite the times of its blocks."""
    data = bytearray(path.read_bytes())
    at = data.index(b"\x1f\x43\xb6\x75")  # the cluster
    for n in range(40):
        while not (data[at] == 0xA3 and _block_time(data, at)[1] == 40 * n):
            at += 1
        place, time_ms = _block_time(data, at)
        late_ms = time_ms + max(0, n - after) * 160
        data[place : place + 2] = late_ms.to_bytes(2, "big")
        at = place
    path.write_bytes(data)
    return path


def _block_time(data: bytearray, at: int) -> tuple[int, int]:
    """Where a block's time in ms stands, and the time; a block is an id, a size of 1 to 8 bytes, a track, a time."""
    place = at + 2 + 8 - data[at + 1].bit_length() + 1
    return place, int.from_bytes(data[place : place + 2], "big")


def place_of(frame: Frame | None) -> float | None:
    return None if frame is None else round(frame.time_s, 3)


@pytest.mark.parametrize("after", [40, 20], ids=["constant", "variable"])
def test_a_film_goes_to_each_frame_and_back(tmp_path: Path, after: int) -> None:
    path = spread_out(write_film(tmp_path / "film.mkv"), after)
    film = Video(path)
    times_s = [round(0.04 * n + 0.16 * max(0, n - after), 3) for n in range(40)]
    assert [place_of(frame) for frame in iter(film.read, None)] == times_s
    for n in (0, 1, 13, 39, 20, 19, 25, 2):
        assert place_of(film.frame_at(times_s[n])) == times_s[n]
        assert place_of(film.read()) == (times_s[n + 1] if n < 39 else None)
        before = film.frame_before(times_s[n])
        assert place_of(before) == (times_s[n - 1] if n else None)
        if before is not None:
            assert before.image_bgr.mean() == pytest.approx(6 * (n - 1), abs=4)
        assert place_of(film.read()) == times_s[n]
    assert film.frame_at(100.0) is None
    assert place_of(film.frame_before(100.0)) == times_s[-1]
    film.close()


def test_a_film_that_is_cut_off_plays_to_where_it_ends(tmp_path: Path) -> None:
    data = write_film(tmp_path / "film.avi").read_bytes()
    (tmp_path / "film.avi").write_bytes(data[: data.index(b"idx1") - len(data) // 10])  # the index is at the end
    film = Video(tmp_path / "film.avi")
    assert film.duration_s == pytest.approx(39 / 25)  # as the file claims
    frames = list(iter(film.read, None))
    assert 5 < len(frames) < 35
    assert film.frame_at(1.5) is None
    assert place_of(film.frame_before(1.5)) == place_of(frames[-1])
    assert place_of(film.frame_at(0.08)) == 0.08
    film.close()


class Endless(FakeCamera):
    """A stream without length and times that refuses to seek."""

    def set(self, wish: int, value: float) -> bool:
        return False


def test_a_film_that_cannot_seek_is_read_again_from_the_start() -> None:
    opened: list[Endless] = []

    def opener(name: str, backend: int) -> Endless:
        opened.append(Endless([10, 20, 30, 40]))
        return opened[-1]

    film = Video(Path("film.h264"), opener)  # type: ignore[arg-type]
    assert film.duration_s is None
    assert len(list(iter(film.read, None))) == 4
    frame = film.frame_at(2 / 30)
    assert (frame.index, frame.image_bgr[0, 0, 0]) == (2, 30)
    assert all(one.released for one in opened[:-1])


def test_a_folder_goes_to_each_picture_and_on_after_a_broken_one(tmp_path: Path) -> None:
    for name in "abd":
        write_picture(tmp_path / f"{name}.png")
    (tmp_path / "c.png").write_bytes(b"broken")
    folder = open_source(str(tmp_path))
    assert isinstance(folder, ImageSequence)
    assert folder.pictures == ("a.png", "b.png", "c.png", "d.png")
    assert folder.duration_s == 3 * FOLDER_STEP_S
    assert place_of(folder.frame_at(1.0)) == 1.0
    with pytest.raises(UserError, match=r"c\.png is not a picture"):
        folder.read()
    assert place_of(folder.read()) == 3.0
    assert place_of(folder.frame_before(1.0)) == 0.0
    assert folder.frame_before(0.0) is None
