import numpy as np
import pytest

from calibration.markers import Board, dictionary_of, find_board, find_markers, refit_marker
from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from tests.calibration.drawn import camera, marker_corners, picture

CAMERA = camera()
PLACES = {0: marker_corners((6, 6), 3), 7: marker_corners((30, 22), 3, 30), 23: marker_corners((10, 21), 2, -100)}
DICTIONARY = "4X4_50"


def outwards_px(seen, true):
    """Mean distance of corners outside the true ones along the diagonals: the bias of scale, without noise."""
    away = true - true.mean(0)
    return ((seen - true) * away / np.linalg.norm(away, axis=1)[:, None]).sum(1).mean()


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"blur_px": 1.6},
        {"noise": 4.0},
        {"exposure": 1.6},  # clipped paper: its edge shifts into the ink
        {"exposure": 0.2},
        {"ink_grows_in": 0.02},  # half a pixel of bleeding ink
    ],
)
def test_corners_are_unbiased(how):
    found = find_markers(picture(CAMERA, PLACES, **how), DICTIONARY)
    assert [marker.id for marker in found] == [0, 7, 23]
    for marker in found:
        true = CAMERA.table_to_pixel(PLACES[marker.id])
        # Edges of 40 px and more, each placed by some 40 profiles to a tenth of a pixel: corners to some hundredths,
        # and a fifth of a pixel with the worst of these disturbances.
        assert np.abs(marker.corners_px - true).max() < 0.2
        assert abs(outwards_px(marker.corners_px, true)) < 0.08


def test_opencv_alone_is_biased_here():
    """Proves that the pictures of the test above need a correction."""
    gray = picture(CAMERA, PLACES, exposure=1.6)
    parameters = cv2.aruco.DetectorParameters()
    parameters.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_SUBPIX
    corners, ids, _ = cv2.aruco.ArucoDetector(dictionary_of(DICTIONARY), parameters).detectMarkers(gray)
    for quad, number in zip(corners, ids.ravel(), strict=True):
        true = CAMERA.table_to_pixel(PLACES[int(number)])
        assert outwards_px(quad.reshape(4, 2), true) < -0.3


@pytest.mark.slow
def test_the_edge_shift_is_measured():
    def shift(**how):
        return np.mean([m.edge_shift_px for m in find_markers(picture(CAMERA, PLACES, **how), DICTIONARY)])

    assert shift(exposure=1.6) > 0.2 > shift() > -0.1
    # Ink 0.02 in wider at 15 px an inch pushes its edges out by 0.3 px.
    assert shift(ink_grows_in=0.02) == pytest.approx(shift() - 0.3, abs=0.1)


def test_duplicate_markers_are_refused():
    gray = picture(CAMERA, {3: marker_corners((6, 6), 3)})
    gray[:, 480:] = picture(CAMERA, {3: marker_corners((30, 22), 3)})[:, 480:]
    with pytest.raises(UserError, match=r"marker 3 .*more than once"):
        find_markers(gray, DICTIONARY)


def test_an_empty_picture_has_no_markers():
    assert find_markers(np.full((300, 400), 90, np.uint8), DICTIONARY) == ()
    assert find_markers(picture(CAMERA, PLACES), "6X6_250") == ()


def test_an_unknown_dictionary_is_refused():
    with pytest.raises(UserError, match="'9X9_7'"):
        dictionary_of("9X9_7")
    assert dictionary_of("DICT_4X4_50").markerSize == 4


def test_refit_follows_a_small_shift_and_detects_hidden_markers():
    gray = picture(CAMERA, PLACES)
    true = CAMERA.table_to_pixel(PLACES[7])
    again = refit_marker(gray, true + (2.0, -1.5), DICTIONARY, 7)
    assert np.abs(again.corners_px - true).max() < 0.1
    assert refit_marker(gray, true + (40, 0), DICTIONARY, 7) is None
    assert refit_marker(gray, true, DICTIONARY, 8) is None, "another marker lies there"
    hidden = gray.copy()
    x, y = true.astype(int).min(0)
    hidden[y : y + 60, x : x + 30] = 128
    seen = refit_marker(hidden, true, DICTIONARY, 7)
    assert seen is None or np.abs(seen.corners_px - true).max() < 0.3
    assert refit_marker(gray, true + 5000, DICTIONARY, 7) is None


def board_picture(legacy=False):
    board = cv2.aruco.CharucoBoard((7, 5), 1.4, 1.0, dictionary_of(DICTIONARY))
    board.setLegacyPattern(legacy)
    return np.pad(board.generateImage((700, 500)), 40, constant_values=255)


def test_board_corners_are_numbered_along_the_rows():
    board = Board(7, 5, 1.4, 1.0)
    seen = find_board(board_picture(), board, DICTIONARY)
    assert seen.ids.tolist() == list(range(24))
    # Squares of 100 px, drawn from (40, 40); pixel centres are at integers: corner k is at 100 k - 0.5.
    expected = board.corners_in(seen.ids) * (1, -1) / 1.4 * 100 + 39.5
    assert seen.corners_px == pytest.approx(expected, abs=0.3)
    marks = board.marker_corners_in(DICTIONARY)
    assert marks[0].tolist() == pytest.approx(np.array([[1.6, -0.2], [2.6, -0.2], [2.6, -1.2], [1.6, -1.2]]))


def test_a_picture_without_a_board():
    assert find_board(np.full((300, 400), 90, np.uint8), Board(7, 5, 1.4, 1.0), DICTIONARY) is None


def test_a_custom_dictionary_is_read_from_a_file(tmp_path):
    """A dictionary of two markers that 4X4_50 does not have under these ids."""
    theirs, file = dictionary_of("4X4_50"), tmp_path / "mine.yml"
    mine = cv2.aruco.Dictionary(theirs.bytesList[[7, 3]], theirs.markerSize, theirs.maxCorrectionBits)
    store = cv2.FileStorage(str(file), cv2.FILE_STORAGE_WRITE)
    mine.writeDictionary(store)
    store.release()
    gray = picture(camera(), {7: marker_corners((20, 14), 3.0)})
    (seen,) = find_markers(gray, str(file))
    assert seen.id == 0
    assert seen.corners_px == pytest.approx(find_markers(gray, "4X4_50")[0].corners_px, abs=0.01)


def test_a_dictionary_of_one_marker_is_enough(tmp_path):
    theirs, file = dictionary_of("4X4_50"), tmp_path / "one.yml"
    store = cv2.FileStorage(str(file), cv2.FILE_STORAGE_WRITE)
    cv2.aruco.Dictionary(theirs.bytesList[[7]], theirs.markerSize, 0).writeDictionary(store)
    store.release()
    assert len(dictionary_of(str(file)).bytesList) == 1


@pytest.mark.parametrize("text", [None, "a: [", "%YAML:1.0\n---\nlens: 3\n", "nonsense"])
def test_an_invalid_dictionary_file_is_refused(tmp_path, text):
    file = tmp_path / "mine.yml"
    if text is not None:
        file.write_text(text)
    with pytest.raises(UserError, match=r"the dictionary .*mine\.yml"):
        dictionary_of(str(file))
