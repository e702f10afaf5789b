import io
import json

import numpy as np
import pytest

from calibration.profile import lens_document, read_json, read_layout, read_lens, read_text
from rules.tabletop.errors import UserError

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
        (LENS | {"schema": 2}, "update Sandtable"),
        ({k: v for k, v in LENS.items() if k != "matrix"}, "matrix"),
        (LENS | {"matrix": [[1, 2], [3, 4]]}, "matrix"),
        (LENS | {"image_size": ["a", 2]}, "image_size"),
        (LENS | {"distortion": [float("nan")] * 5}, "distortion"),
        (LENS | {"matrix": [[0, 0, 1], [0, 1, 1], [0, 0, 1]]}, "file.json.*focal"),
    ],
)
def test_an_invalid_lens_file_is_refused(tmp_path, document, fault):
    with pytest.raises(UserError, match=fault):
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
def test_an_invalid_layout_file_is_refused(tmp_path, document, fault):
    with pytest.raises(UserError, match=fault):
        read_layout(written(tmp_path, document))


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(UserError, match="cannot be read"):
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
    with pytest.raises(UserError, match="covariance 9x9"):
        read_lens(written(tmp_path, LENS | {"covariance": [[1.0]]}))


def matrix(focal_x=500.0, focal_y=501.0, axis_x=320.0):
    return [[focal_x, 0, axis_x], [0, focal_y, 240], [0, 0, 1]]


@pytest.mark.parametrize(
    ("changed", "fault"),
    [
        ({"image_size": [0, 480]}, "0x480 pixels is not a valid picture size"),
        ({"image_size": [640, -1]}, "640x-1 pixels is not a valid picture size"),
        ({"image_size": [640, 100_001]}, "640x100001 pixels is not a valid picture size"),
        ({"matrix": matrix(focal_x=0.9)}, "focal lengths must be at least 1 px"),
        ({"matrix": matrix(focal_y=0.9)}, "focal lengths must be at least 1 px"),
        ({"matrix": matrix(axis_x=-1.1e6)}, r"a number is larger than 1e\+06"),
        ({"distortion": [0, 0, 0, 0, 1.1e6]}, r"a number is larger than 1e\+06"),
        ({"covariance": np.diag([1.1e6] + [1.0] * 8).tolist()}, r"a number is larger than 1e\+06"),
    ],
)
def test_invalid_lens_values_are_refused(tmp_path, changed, fault):
    with pytest.raises(UserError, match=fault):
        read_lens(written(tmp_path, LENS | changed))


def test_the_smallest_and_largest_lens(tmp_path):
    assert read_lens(written(tmp_path, LENS | {"image_size": [1, 100_000]})).image_size == (1, 100_000)
    assert read_lens(written(tmp_path, LENS | {"matrix": matrix(1.0, 1.0, 1e6)})).matrix[0].tolist() == [1, 0, 1e6]


def marker(*corners_in):
    return {"markers": [{"id": 1, "corners_in": corners_in}]}


@pytest.mark.parametrize(
    "corners_in",
    [
        ((997, 3), (1000, 3), (1000, 0), (997, 0)),
        ((0, 2.8), (3, 2.8), (3, 0), (0, 0)),  # sides of 28 to 30
        ((0, 0.5), (0.5, 0.5), (0.5, 0), (0, 0)),
        ((1.03, 2.82), (4.03, 2.82), (3, 0), (0, 0)),  # sheared by 20 degrees: a sine of 0.94
    ],
)
def test_a_layout_by_hand_may_be_a_little_off(tmp_path, corners_in):
    assert read_layout(written(tmp_path, marker(*corners_in)))[1].tolist() == [list(at) for at in corners_in]


@pytest.mark.parametrize(
    ("corners_in", "fault"),
    [
        (((998, 3), (1001, 3), (1001, 0), (998, 0)), "marker 1 lies beyond 1000 in"),
        (((0, -1001), (3, -1001), (3, -1004), (0, -1004)), "marker 1 lies beyond 1000 in"),
        (((0, 2.6), (3, 2.6), (3, 0), (0, 0)), "square"),  # sides of 26 to 30
        (((1.5, 2.6), (4.5, 2.6), (3, 0), (0, 0)), "square"),  # sheared by 30 degrees: a sine of 0.87
        (((0, 3), (0, 0), (3, 0), (3, 3)), "do not run clockwise"),
    ],
)
def test_a_layout_marker_must_be_a_square(tmp_path, corners_in, fault):
    with pytest.raises(UserError, match=fault):
        read_layout(written(tmp_path, marker(*corners_in)))


def test_every_marker_is_checked(tmp_path):
    document = {"markers": [*LAYOUT["markers"], {"id": 5, "corners_in": [[3, 3], [0, 3], [0, 0], [3, 0]]}]}
    with pytest.raises(UserError, match="the corners of marker 5"):
        read_layout(written(tmp_path, document))


def test_an_endless_file_is_refused():
    assert len(read_text(io.StringIO("x" * 10_000_000), "the file")) == 10_000_000
    with pytest.raises(UserError, match="the file has more than 10 million characters"):
        read_text(io.StringIO("x" * 10_000_001), "the file")


def test_a_binary_file_is_refused(tmp_path):
    (tmp_path / "lens.json").write_bytes(b'{"a": "\xff\xfe"}')
    with pytest.raises(UserError, match=r"the lens file .*lens\.json is not a text file"):
        read_lens(tmp_path / "lens.json")


def test_a_missing_schema_means_the_current_one(tmp_path):
    assert read_json(written(tmp_path, {"a": 1}), "lens") == {"a": 1}


def test_strange_values_are_refused(tmp_path):
    with pytest.raises(UserError, match=r"the lens file .*file\.json has a text with half a character in it"):
        read_lens(written(tmp_path, '{"schema": 1, "a": "\\ud800"}'))
