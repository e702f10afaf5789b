import json

import numpy as np
import pytest

from calibration.profile import lens_document, read_layout, read_lens
from rules.table import Refused

LENS = {
    "schema": 1,
    "image_size": [640, 480],
    "matrix": [[500, 0, 320], [0, 501, 240], [0, 0, 1]],
    "distortion": [-0.1, 0.02, 0.001, -0.002, 0.0],
}
LAYOUT = {"schema": 1, "markers": [{"id": 4, "corners_in": [[0, 3], [3, 3], [3, 0], [0, 0]]}]}


def written(folder, document):
    path = folder / "file.json"
    path.write_text(document if isinstance(document, str) else json.dumps(document), "utf-8")
    return path


def test_a_lens(tmp_path):
    lens = read_lens(written(tmp_path, LENS))
    assert lens.image_size == (640, 480)
    assert lens.matrix[1, 1] == 501
    assert lens.distortion[3] == -0.002


def test_a_layout(tmp_path):
    layout = read_layout(written(tmp_path, LAYOUT))
    assert list(layout) == [4]
    assert np.array_equal(layout[4], [[0, 3], [3, 3], [3, 0], [0, 0]])


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ("{", "not JSON"),
        ("[]", "JSON object"),
        ("[" * 100_000, "not JSON"),
        ('{"image_size": ' + "9" * 5000 + "}", "not JSON"),
        ("\udce4".encode("utf-8", "surrogateescape").decode("latin-1"), "not JSON"),
        (LENS | {"schema": 2}, "another version"),
        ({k: v for k, v in LENS.items() if k != "matrix"}, "matrix"),
        (LENS | {"matrix": [[1, 2], [3, 4]]}, "matrix"),
        (LENS | {"image_size": ["a", 2]}, "image_size"),
        (LENS | {"distortion": [float("nan")] * 5}, "distortion"),
        (LENS | {"matrix": [[0, 0, 1], [0, 1, 1], [0, 0, 1]]}, "file.json.*focal"),
    ],
)
def test_a_lens_file_that_is_none(tmp_path, document, fault):
    with pytest.raises(Refused, match=fault):
        read_lens(written(tmp_path, document))


@pytest.mark.parametrize(
    ("document", "fault"),
    [
        ({"schema": 1}, "markers"),
        ({"schema": 1, "markers": []}, "no marker"),
        ({"markers": LAYOUT["markers"] * 2}, "twice"),
        ({"markers": [{"id": 1, "corners_in": [[0, 0], [1, 1]]}]}, "corners_in"),
        ({"markers": [{"id": 1, "corners_in": [[0, 0], [1, 1], [2, 2], [float("inf"), 0]]}]}, "not a number"),
        ({"markers": 7}, "markers"),
        ({"markers": [{"id": 1, "corners_in": [[3, 3], [0, 3], [0, 0], [3, 0]]}]}, "marker 1 do not run clockwise"),
        ({"markers": [{"id": 1, "corners_in": [[0, 3], [4, 3], [4, 0], [0, 0]]}]}, "square"),
        ({"markers": [{"id": 1, "corners_in": [[0, 0], [0, 0], [0, 0], [0, 0]]}]}, "square"),
    ],
)
def test_a_layout_file_that_is_none(tmp_path, document, fault):
    with pytest.raises(Refused, match=fault):
        read_layout(written(tmp_path, document))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(Refused, match="cannot be read"):
        read_lens(tmp_path / "none.json")


def test_a_file_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "lens.json"
    path.write_text(json.dumps(LENS), "utf-8-sig")
    assert read_lens(path).image_size == (640, 480)


def test_a_lens_with_its_covariance_is_read_back(tmp_path):
    lens = read_lens(written(tmp_path, LENS | {"covariance": np.diag(np.arange(1.0, 10)).tolist(), "views": 7}))
    assert lens.covariance[8, 8] == 9
    assert lens_document(lens) == LENS | {"covariance": np.diag(np.arange(1.0, 10)).tolist()}
    assert "covariance" not in lens_document(read_lens(written(tmp_path, LENS)))
    with pytest.raises(Refused, match="covariance 9x9"):
        read_lens(written(tmp_path, LENS | {"covariance": [[1.0]]}))
