"""The projector's marks are found on any table, from any camera, and only they."""

import numpy as np
import pytest

from calibration.markers import linear_light
from calibration.opencv import cv2
from vision.light_marks import LightMarks, cross_strokes, light_marks
from vision.simulation.simulator import overhead_camera

CAMERA = overhead_camera((1280, 720), (40.0, 26.0), 45.0)
BUMPED = overhead_camera((1280, 720), (40.0, 26.0), 46.0, tilt_deg=6.0, roll_deg=-2.0)
PLACES_IN = np.array([[6.0, 5.0], [34.0, 21.0]])
STROKE_IN = 0.08


def table(camera, seed=0):
    """A picture of a mat with strong texture, which lies on the table: other cameras see it elsewhere."""
    rng = np.random.default_rng(seed)
    texture = cv2.resize(rng.uniform(60, 120, (120, 180)).astype(np.float32), (1800, 1200))
    u, v = np.meshgrid(np.arange(1280), np.arange(720))
    at_in = camera.pixel_to_table(np.c_[u.ravel(), v.ravel()]).reshape(720, 1280, 2)
    return cv2.remap(texture, *(45 * at_in.astype(np.float32)).transpose(2, 0, 1), cv2.INTER_LINEAR)


def lit(picture, camera, places_in, times=1.2):
    """The picture with crosses of light, which make the stored values brighter by a factor."""
    light = np.ones_like(picture)
    for place in places_in:
        for stroke in cross_strokes(place):
            (x0, y0), (x1, y1) = stroke
            half = STROKE_IN / 2
            corners = [(x0 - half, y0 - half), (x1 + half, y0 - half), (x1 + half, y1 + half), (x0 - half, y1 + half)]
            pixels = np.round(camera.table_to_pixel(corners) * 16).astype(np.int32)
            cv2.fillPoly(light, [pixels], times, cv2.LINE_AA, 4)
    noise = np.random.default_rng(7).normal(0, 1.5, picture.shape)
    return np.clip(picture * light + noise, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def marks():
    dark = linear_light(np.asarray(table(CAMERA), np.uint8))
    paper = ((3.0, 20.0), (7.0, 20.0), (7.0, 24.0), (3.0, 24.0))
    found = light_marks(dark, CAMERA, np.array([*PLACES_IN.tolist(), [5.5, 18.8], [20.0, 13.0]]), (paper,))
    assert isinstance(found, LightMarks)
    return found


def test_they_lie_in_the_corners_and_away_from_printed_markers(marks):
    assert {tuple(place) for place in marks.places_in.tolist()} >= {(6.0, 5.0), (34.0, 21.0)}
    assert (5.5, 18.8) not in {tuple(place) for place in marks.places_in.tolist()}  # 1.5 in from the paper


@pytest.mark.parametrize("camera", [CAMERA, BUMPED], ids=["as then", "bumped"])
@pytest.mark.parametrize("shift_in", [(0.0, 0.0), (0.2, -0.3), (-0.4, 0.1)])
def test_their_shift_is_measured(marks, camera, shift_in):
    seen = lit(table(camera), camera, marks.places_in + shift_in)
    # Found on a grid of 0.05 in.
    assert marks.offsets_in(seen, camera) == pytest.approx(np.tile(shift_in, (len(marks.places_in), 1)), abs=0.051)


def test_brighter_lamps_do_not_matter_but_bare_table_is_no_mark(marks):
    seen = lit(1.3 * table(CAMERA), CAMERA, marks.places_in)
    assert np.abs(marks.offsets_in(seen, CAMERA)).max() < 0.051
    bare = lit(table(CAMERA), CAMERA, ())
    assert np.isnan(marks.offsets_in(bare, CAMERA)).all()
