"""`sandtable lens`: pictures of the board, progress, and the lens profile."""

import json

import numpy as np
import pytest

from calibration.camera import TableCamera
from calibration.markers import dictionary_of
from calibration.opencv import cv2
from calibration.profile import read_lens
from tests.calibration.test_lens import LENS, PLACES, SIZE
from ui.cli import main

PX_PER_IN = 100


def picture(at, slant_deg, away_in=13.0):
    """The default board as LENS sees it, slightly blurred."""
    board = cv2.aruco.CharucoBoard((6, 8), 1.0, 0.75, dictionary_of("4X4_50"))
    sheet = np.pad(board.generateImage((6 * PX_PER_IN, 8 * PX_PER_IN)), 50, constant_values=255)
    turn = cv2.Rodrigues(np.radians([180 + slant_deg[0], slant_deg[1], 0.0]))[0]
    middle = np.array([at[0] * 0.64 * away_in, at[1] * 0.36 * away_in, away_in])
    camera = TableCamera(LENS, turn, middle - turn @ [3.0, -4.0, 0])
    coarse = np.stack(np.meshgrid(np.arange(0, SIZE[0] + 8, 8), np.arange(0, SIZE[1] + 8, 8)), -1)
    seen = camera.pixel_to_table(coarse.reshape(-1, 2)) * (PX_PER_IN, -PX_PER_IN) + 49.5
    seen = np.nan_to_num(seen, nan=-1e4).astype(np.float32).reshape(coarse.shape)
    u, v = np.meshgrid(np.arange(SIZE[0], dtype=np.float32), np.arange(SIZE[1], dtype=np.float32))
    place = cv2.remap(seen, u / 8, v / 8, cv2.INTER_CUBIC)
    gray = cv2.remap(sheet, place[..., 0], place[..., 1], cv2.INTER_AREA, borderValue=120)
    return cv2.GaussianBlur(gray, (0, 0), 0.8)


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("board")
    for k, (x, y) in enumerate(PLACES):
        slant = (25 * (-1) ** k, 25 * (k % 3 - 1))
        cv2.imwrite(str(folder / f"{k}.png"), picture((0.5 * x, 0.35 * y), slant))
    cv2.imwrite(str(folder / "again.png"), cv2.imread(str(folder / "8.png")))
    cv2.imwrite(str(folder / "blurred.png"), cv2.blur(picture((0.2, 0.1), (0, 20)), (1, 8)))
    cv2.imwrite(str(folder / "empty.png"), np.full((SIZE[1], SIZE[0]), 90, np.uint8))
    cv2.imwrite(str(folder / "small.png"), np.full((480, 640), 90, np.uint8))
    return folder


def test_a_lens_from_pictures(pictures, tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("ui.commands.lens.lens_folder", lambda: tmp_path / "lenses")
    out = tmp_path / "lens.json"
    names = [*map(str, range(9)), "again", "blurred", "empty"]
    assert main(["lens", *(str(pictures / f"{n}.png") for n in names), "-o", str(out), "--camera", "My cam"]) == 0
    said = capsys.readouterr().out
    assert "1.png: taken, 35 corners; 2 of at least 6" in said
    assert "again.png: rejected, the board is at the same place as in picture 9" in said
    assert "blurred.png: rejected, the picture is blurred by" in said
    assert "empty.png: rejected, no board found" in said
    assert "The board has been in" in said
    assert "px (rms)" in said
    lens = read_lens(out)
    sigma = np.sqrt(lens.covariance[0, 0])
    assert lens.matrix[0, 0] == pytest.approx(LENS.matrix[0, 0], rel=max(4 * sigma, 0.004))
    assert lens.distortion[0] == pytest.approx(LENS.distortion[0], abs=0.03)
    document = json.loads(out.read_text())
    assert document["schema"] == 1
    assert document["views"] == 9
    assert len(list((tmp_path / "lenses").iterdir())) == 1


def test_too_few_pictures(pictures, tmp_path, capsys):
    out = tmp_path / "lens.json"
    assert main(["lens", str(pictures / "0.png"), "-o", str(out)]) == 1
    assert "there is 1 usable picture of the board, but 6 are needed" in capsys.readouterr().err
    assert not out.exists()


def test_pictures_of_two_sizes(pictures, tmp_path, capsys):
    both = [str(pictures / "0.png"), str(pictures / "small.png")]
    assert main(["lens", *both, "-o", str(tmp_path / "lens.json")]) == 1
    assert "small.png is 640x480 but" in capsys.readouterr().err


def test_two_kinds_of_boards_at_once(pictures, tmp_path, capsys):
    options = ["--board", "6x8:1:0.75", "--chessboard", "9x6:1"]
    assert main(["lens", str(pictures / "0.png"), "-o", str(tmp_path / "lens.json"), *options]) == 1
    assert "different boards" in capsys.readouterr().err


def test_an_invalid_chessboard_is_rejected(tmp_path, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["lens", "a.png", "-o", "b.json", "--chessboard", "9by6"])
    assert stop.value.code == 2
    assert "COLSxROWS:SQUARE" in capsys.readouterr().err
