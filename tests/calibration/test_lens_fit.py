"""The quality of a lens fit, and rejected views."""

from dataclasses import replace

import numpy as np
import pytest

from calibration.camera import Lens
from calibration.intrinsics import lens_parameters
from calibration.lens import LensViews
from calibration.lens_fit import LensFit, fit_lens
from rules.tabletop.errors import UserError
from tests.calibration.test_lens import LENS, SIZE, random_views

GATHERED = random_views(np.random.default_rng(1))


def with_views(*changed, views=GATHERED.views, px=4.0):
    """Views of which some have a large error."""
    rng = np.random.default_rng(0)
    off = {k: rng.normal(0, px, views[k].seen_px.shape) for k in changed}
    return LensViews(SIZE, tuple(replace(v, seen_px=v.seen_px + off.get(k, 0.0)) for k, v in enumerate(views)))


def known_to(focal_sigma):
    covariance = np.diag([focal_sigma**2, *[1e-6] * 8])
    return Lens((960, 540), [[700, 0, 480], [0, 700, 270], [0, 0, 1]], [0] * 5, covariance)


@pytest.mark.parametrize(
    ("residual_px", "judged"),
    [
        (0.174, "excellent"),  # twice that at 1920 px across
        (0.176, "good"),
        (0.399, "good"),
        (0.401, "usable; a stiffer board, more light or a locked focus would improve it"),
    ],
)
def test_the_sentence_rates_the_residual(residual_px, judged):
    assert LensFit(known_to(0.0123), residual_px, ()).sentence == (
        f"the board's corners are off by {residual_px:.2f} px (rms): {judged}; the focal length is known to ±2.5 %"
    )


def test_six_views_are_needed():
    assert fit_lens(replace(GATHERED, views=GATHERED.views[:6])).lens.covariance is not None
    with pytest.raises(UserError, match="there is 1 usable picture of the board, but 6 are needed"):
        fit_lens(replace(GATHERED, views=GATHERED.views[:1]))
    with pytest.raises(UserError, match="there are no usable pictures of the board"):
        fit_lens(LensViews(SIZE))


def left_out(lens_views):
    return np.flatnonzero(np.isnan(fit_lens(lens_views).by_view_px)).tolist()


def test_outlying_views_are_rejected_until_six_remain():
    assert left_out(GATHERED) == []
    assert left_out(with_views(2, 7)) == [2, 7]
    six = LensViews(SIZE, with_views(2, px=1.0).views[:6])
    assert left_out(six) == [], "of six none can be spared"
    assert left_out(LensViews(SIZE, with_views(2, px=1.0).views[:7])) == [2]


def test_a_view_that_fits_twice_as_badly_as_others_is_kept():
    """The limit is 2.5 times the median; 0.2 px of noise and 0.35 px more are 0.4 px."""
    fit = fit_lens(with_views(3, px=0.35))
    assert np.isfinite(fit.by_view_px).all()
    assert int(np.argmax(fit.by_view_px)) == 3
    rest = [rms for k, rms in enumerate(fit.by_view_px) if k != 3]
    # Over two axes; the pose of each view uses 6 of its 70 measurements.
    assert rest == pytest.approx([0.2 * np.sqrt(2)] * 8, rel=0.25)
    assert fit.by_view_px[3] == pytest.approx(0.4 * np.sqrt(2), rel=0.25)
    assert fit.residual_px == pytest.approx(np.sqrt(np.mean(np.square(fit.by_view_px))))


def test_views_that_do_not_fit_any_lens_are_refused():
    """The limit is 1.33 px at 1280 px across."""
    with pytest.raises(UserError, match=r"the pictures do not fit any lens \(off by [23]\.\d px\)"):
        fit_lens(with_views(*range(9), px=2.0))
    assert fit_lens(with_views(*range(9), px=0.7)).residual_px < 1.3


def test_exact_corners_get_a_minimum_noise():
    rng = np.random.default_rng(5)
    exact, noisy = (fit_lens(random_views(rng, noise_px)) for noise_px in (1e-6, 0.02))
    assert exact.residual_px < 0.01
    assert noisy.focal_sigma / exact.focal_sigma == pytest.approx(1, rel=0.3)
    assert np.abs(lens_parameters(exact.lens) - lens_parameters(LENS))[:2].max() < 1e-3


def test_correlated_errors_widen_the_covariance():
    """Each board is bent or moved differently: its errors form a smooth field as large as the noise."""
    rng = np.random.default_rng(3)
    views = []
    for view in random_views(np.random.default_rng(1), 1e-6).views:
        x, y = (view.points_in - view.points_in.mean(0)).T / 2
        field = rng.normal(0, 0.12, 2) * np.c_[x**2, y**2] + rng.normal(0, 0.12, 2) * np.c_[x * y, x * y]
        views.append(replace(view, seen_px=view.seen_px + field + rng.normal(0, 0.02, field.shape)))
    combine_frames = fit_lens(LensViews(SIZE, tuple(views)))
    alone = fit_lens(random_views(np.random.default_rng(1), combine_frames.residual_px / np.sqrt(2)))
    assert combine_frames.focal_sigma > 1.4 * alone.focal_sigma


def test_the_covariance_is_symmetric():
    covariance = fit_lens(GATHERED).lens.covariance
    assert covariance == pytest.approx(covariance.T, rel=1e-12, abs=0)
