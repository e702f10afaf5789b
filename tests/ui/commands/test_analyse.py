"""`sandtable analyse`: a measured print, and the saved lens of a camera."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.tabletop.table import FloatArray
from tests.calibration.drawn import camera, marker_corners, picture
from ui.cli import main
from ui.setup.lens import LensProfiles
from vision.frame import Frame, ImageBgr

SEEN_BY = camera()
PLACES = {0: (6, 5), 1: (34, 5), 2: (33, 23), 3: (7, 22)}


@pytest.fixture(scope="module")
def image() -> ImageBgr:
    gray = picture(SEEN_BY, {number: marker_corners(place, 3.0) for number, place in PLACES.items()}, noise=1.0)
    return np.repeat(gray[:, :, None], 3, axis=2)


def calibration(source: str, out: Path, *more: str) -> dict[str, object]:
    assert main(["analyse", source, "--json", str(out), *more]) == 0
    found: dict[str, object] = json.loads(out.read_text())["calibration"]
    return found


@pytest.mark.slow
def test_a_picture_without_colours_is_named(
    image: ImageBgr, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    cv2.imwrite(str(tmp_path / "grey.png"), image)
    assert main(["analyse", str(tmp_path / "grey.png")]) == 0
    assert "this picture has no colours" in capsys.readouterr().out


@pytest.mark.slow
def test_a_measured_sheet_improves_the_scale(image: ImageBgr, tmp_path: Path) -> None:
    table, out = tmp_path / "table.png", tmp_path / "out.json"
    cv2.imwrite(str(table), image)

    def apart(found: dict[str, object]) -> FloatArray:
        corners = {marker["id"]: np.mean(marker["corners_in"], axis=0) for marker in found["markers"]}  # type: ignore
        return np.asarray(corners[1] - corners[0])

    unsaid, true, small = (
        calibration(str(table), out, *more) for more in ((), ("--measured", "100,100"), ("--measured", "98,98"))
    )
    assert true["sigma_in"] < 0.7 * unsaid["sigma_in"]  # type: ignore[operator]
    assert np.hypot(*apart(true)) == pytest.approx(28.0, rel=0.004)
    assert np.hypot(*apart(small)) == pytest.approx(0.98 * np.hypot(*apart(true)), rel=1e-3)


class Camera:
    name, live, still = "camera 77", True, False

    def __init__(self, image: ImageBgr) -> None:
        self._image = image

    def read(self) -> Frame:
        return Frame(self._image, 0, 0.0)

    def close(self) -> None:
        pass


def test_a_saved_lens_is_used_and_a_wrong_size_reported(
    image: ImageBgr, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("ui.commands.analyse.lens_folder", lambda: tmp_path / "lenses")
    LensProfiles(tmp_path / "lenses").keep("camera 77", SEEN_BY.lens)
    monkeypatch.setattr("ui.commands.analyse.open_source", lambda _: Camera(image))
    found = calibration("77", tmp_path / "out.json")
    assert found["camera"]["matrix"] == SEEN_BY.lens.matrix.tolist()  # type: ignore[index]
    monkeypatch.setattr("ui.commands.analyse.open_source", lambda _: Camera(image[:500]))
    found = calibration("77", tmp_path / "out.json")
    assert found["camera"]["matrix"] != SEEN_BY.lens.matrix.tolist()  # type: ignore[index]
    assert "is for pictures of 960x540, but these are 960x500" in capsys.readouterr().err
