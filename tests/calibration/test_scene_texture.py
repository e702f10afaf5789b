"""Shift detection without markers, tested on rendered texture that is shifted by known pixels."""

import numpy as np
import pytest

from calibration.opencv import cv2
from calibration.scene_texture import PATIENCE, SceneTexture


def texture(width=960, height=540, seed=1):
    noise = np.random.default_rng(seed).random((height, width))
    return np.clip(cv2.GaussianBlur(noise, (0, 0), 2.5) * 1600 - 670, 0, 255).astype(np.uint8)


def shifted(gray, x_px, y_px=0.0):
    return cv2.warpAffine(
        gray, np.array([[1.0, 0, x_px], [0, 1, y_px]]), gray.shape[::-1], borderMode=cv2.BORDER_REFLECT
    )


HERE, ELSEWHERE = texture(), texture(seed=2)


def dots(count, x_px=0):
    """Round dots of 9 px in two rows, 60 px apart."""
    gray = np.full((200, 960), 90, np.uint8)
    for k in range(count):
        cv2.circle(gray, (60 + 60 * (k // 2) + x_px, 60 + 80 * (k % 2)), 4, 200, -1, cv2.LINE_AA)
    return cv2.GaussianBlur(gray, (0, 0), 1.5)


def covered(gray, part, by=ELSEWHERE):
    """The picture with its left part hidden by another texture."""
    edge = int(part * gray.shape[1])
    return np.hstack([by[:, :edge], gray[:, edge:]])


def test_a_still_picture_has_not_shifted():
    watching = SceneTexture(HERE)
    assert [watching.has_shifted(gray) for gray in (HERE, shifted(HERE, 0.4), shifted(HERE, 0, -0.4)) * 2] == [
        False
    ] * 6


@pytest.mark.parametrize("shift_px", [(1.3, 0.0), (0.0, -1.3), (9.0, 5.0)])
def test_a_shift_of_more_than_a_pixel_is_detected_at_once(shift_px):
    assert SceneTexture(HERE).has_shifted(shifted(HERE, *shift_px)) is True


def test_a_rotated_picture_is_detected_at_once():
    turn = cv2.getRotationMatrix2D((480, 270), 1.5, 1.0)
    assert SceneTexture(HERE).has_shifted(cv2.warpAffine(HERE, turn, (960, 540), borderMode=cv2.BORDER_REFLECT)) is True


def test_a_small_shift_is_detected_after_some_frames():
    watching = SceneTexture(HERE)
    assert [watching.has_shifted(shifted(HERE, 0.8)) for _ in range(PATIENCE)] == [False, False, True]
    assert PATIENCE == 3


def test_a_matching_frame_resets_the_count():
    watching = SceneTexture(HERE)
    moved = shifted(HERE, 0.8)
    reported = [watching.has_shifted(gray) for gray in (moved, moved, HERE, moved, moved, moved)]
    assert reported == [False, False, False, False, False, True]


def test_in_a_larger_picture_pixels_are_smaller():
    """At 2880 px across, the limit is 1.5 px."""
    wide = texture(2880, 160)
    assert SceneTexture(wide).has_shifted(shifted(wide, 0.65)) is False
    patient = SceneTexture(wide)
    assert [patient.has_shifted(shifted(wide, 1.3)) for _ in range(3)] == [False, False, True]
    assert SceneTexture(wide).has_shifted(shifted(wide, 1.8)) is True
    small = texture(480, 300)
    assert [SceneTexture(small).has_shifted(shifted(small, x)) for x in (0.4, 0.8, 1.3)] == [False, False, True]


def test_hands_and_soldiers_may_hide_the_most_of_it():
    """A quarter of the features is enough."""
    watching = SceneTexture(HERE)
    assert [watching.has_shifted(covered(HERE, 0.65)) for _ in range(4)] == [False] * 4
    blind = SceneTexture(HERE)
    assert [blind.has_shifted(covered(HERE, 0.9)) for _ in range(4)] == [False, False, True, True]


def test_most_features_must_move_together():
    """Only matched features count; hidden ones do not."""
    for hidden in (0.3, 0.7):
        assert SceneTexture(HERE).has_shifted(covered(shifted(HERE, 4, 3), hidden)) is True
    ways = [(4, 0), (-4, 0), (0, 4), (-5, -5)]
    apart = np.vstack([shifted(HERE, *way)[135 * k : 135 * k + 135] for k, way in enumerate(ways)])
    assert SceneTexture(HERE).has_shifted(apart) is False


def test_too_little_texture_detects_nothing():
    blank = np.full((540, 960), 120, np.uint8)
    watching = SceneTexture(blank)
    assert [watching.has_shifted(HERE) for _ in range(5)] == [False] * 5
    few = SceneTexture(dots(11))
    assert [few.has_shifted(dots(11, 6)) for _ in range(5)] == [False] * 5
    assert SceneTexture(dots(12)).has_shifted(dots(12, 6)) is True
    hidden = dots(16, 6)
    hidden[:, 330:] = 90
    assert SceneTexture(dots(16)).has_shifted(hidden) is False, "ten of them are seen"
