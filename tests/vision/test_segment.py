from dataclasses import replace

import numpy as np
import pytest

from tests.vision.figure_pictures import GREEN, TAN, camera, empty, soldier
from vision.palette import teach
from vision.segment import EVIDENCE_LIMIT, army_evidence, cells_of, empty_table, likelihood

EYE = camera()


@pytest.fixture(scope="module")
def scene():
    image = empty()
    soldier(image, EYE, 8, 8, GREEN)
    soldier(image, EYE, 22, 16, TAN)
    px = [tuple(map(float, EYE.table_to_pixel(at)[0])) for at in ((8, 8), (22, 16))]
    palette = teach(image, px[0], "green"), teach(image, px[1], "tan")
    return image, palette, [(round(v), round(u)) for u, v in px]


def known(image, palette):
    return likelihood(cells_of(image).ravel(), palette)


def bare(image):
    return empty_table(image, np.ones(image.shape[:2], bool))


def test_evidence_is_positive_for_the_own_army_and_negative_elsewhere(scene):
    image, palette, (green_at, tan_at) = scene
    evidence = army_evidence(image, known(image, palette))
    assert evidence.shape == (2, *image.shape[:2])
    assert np.abs(evidence).max() <= EVIDENCE_LIMIT
    green, tan = evidence
    assert green[green_at] > 1 > 0 > tan[green_at]
    assert tan[tan_at] > 1 > 0 > green[tan_at]
    assert (evidence > 0).mean() < 0.01, "two soldiers are less than a hundredth of the picture; the rest is table"


def test_plastics_of_one_army_are_no_evidence_against_each_other(scene):
    image, (green, tan), (green_at, _) = scene
    alike = replace(green, mean=green.mean + (0.03, 0, 0))
    alone, rival, own = (
        army_evidence(image, known(image, (green, *more)))[0] for more in ((), (alike,), (replace(alike, name="tan"),))
    )
    assert rival[green_at] == alone[green_at]
    assert own[green_at] < alone[green_at]
    assert tan.name != green.name


def test_a_shadow_gives_no_evidence(scene):
    image, palette, _ = scene
    shaded = image.copy()
    shaded[100:140, 500:540] //= 2
    evidence = army_evidence(shaded, known(shaded, palette))[:, 100:140, 500:540]
    # In the shade wood comes near to tan; what counts as likely plastic begins at 0.15 of the limit.
    assert (evidence.mean(axis=(1, 2)) < 0.15 * EVIDENCE_LIMIT).all()


def test_the_empty_table_separates_a_soldier_from_a_table_of_the_same_colour(scene):
    _, palette, _ = scene
    # A mat of green plastic's own colour covers half the table: only what was not there before is a soldier.
    mat = empty()
    mat[:, 480:] = np.clip(np.array(GREEN) + np.random.default_rng(3).normal(0, 2, (720, 480, 1)), 0, 255)
    image = mat.copy()
    soldier(image, EYE, 6, 6, GREEN)
    row, column = (round(float(v)) for v in EYE.table_to_pixel((6, 6))[0][::-1])
    alone = army_evidence(image, known(image, palette))[0]
    helped = army_evidence(image, known(image, palette), bare(mat))[0]
    assert alone[:, 600:].mean() > helped[:, 600:].mean()
    assert helped[:, 600:].mean() < -1
    assert helped[row, column] > 0


def test_a_brighter_lamp_gives_no_evidence_on_a_mat_of_the_armys_colour(scene):
    _, palette, _ = scene
    grain = np.random.default_rng(3).normal(0, 2, (720, 960, 1))
    mat = np.clip(np.array(GREEN) + grain, 0, 255).astype(np.uint8)
    lit = np.clip(mat * 1.2, 0, 255).astype(np.uint8)
    evidence = army_evidence(lit, known(lit, palette), bare(mat))[0]
    # What has not changed but for the lamp is empty for certain: all of it at the limit, but for the grain's tails.
    assert evidence.mean() < -0.9 * EVIDENCE_LIMIT


def test_evidence_does_not_depend_on_a_pixels_place(scene):
    image, palette, _ = scene
    colours, table = known(image, palette), empty()
    lamp_in_all_rows = np.zeros(image.shape[:2], bool)
    lamp_in_all_rows[200:260] = True  # the same pixels tell the lamp in both
    whole = army_evidence(image, colours, empty_table(table, lamp_in_all_rows))
    part = army_evidence(image[200:260], colours, empty_table(table[200:260], np.ones((60, image.shape[1]), bool)))
    assert np.array_equal(whole[:, 200:260], part)


def test_half_the_table_may_change_its_light_while_the_dark_half_is_noisy(scene):
    _, palette, _ = scene
    rng = np.random.default_rng(7)
    half = np.zeros((720, 960, 1))
    half[:, 480:] = 1
    was, now = (
        np.clip(np.array(GREEN) * (0.25 + half * gain) + rng.normal(0, 3, (720, 960, 3)), 0, 255).astype(np.uint8)
        for gain in (1.0, 1.3)
    )
    evidence = army_evidence(now, known(now, palette), bare(was))[0]
    # Log colours scatter 3 / (30 + 8) in the dark and 3 / (110 + 8) in the light, which alone has become brighter.
    assert (evidence[:, :440] > 0).mean() < 0.02
    assert (evidence[:, 520:] > 0).mean() < 0.02


@pytest.mark.parametrize("shown", [0, 3])
def test_a_part_that_shows_hardly_any_table_has_evidence_too(scene, shown):
    image, palette, _ = scene
    within = np.zeros(image.shape[:2], bool)
    within[0, :shown] = True
    evidence = army_evidence(image, known(image, palette), empty_table(empty(), within))
    assert np.isfinite(evidence).all()
