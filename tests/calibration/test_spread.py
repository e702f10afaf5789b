"""Noise, one-sigma steps and the odds of two poses; expected values are computed by hand."""

import numpy as np
import pytest

from calibration.spread import noise_estimate, one_sigma_steps, rival_probability, rival_step

FOUR_OF_ONE = np.ones((4, 1))  # four measurements of one parameter: three are redundant


def test_the_stated_noise_counts_as_six_measurements():
    """Without residuals, 6 stated and 3 redundant measurements give a variance of 6 / 9."""
    assert noise_estimate(FOUR_OF_ONE, np.zeros(4)) == pytest.approx((6 / 9, 3.0))


def test_residuals_increase_the_noise_less_than_quadratically():
    """A residual of 3 sigmas counts as 2 * 4**2 * (sqrt(1 + (3 / 4)**2) - 1) = 8, not 9."""
    assert noise_estimate(FOUR_OF_ONE, np.array([3.0, -3, 3, -3])) == pytest.approx(((6 + 32) / 9, 3.0))


def test_priors_reduce_the_redundancy_less():
    """Three measurements and one equal prior: the measurements determine 3/4 of the parameter."""
    assert noise_estimate(FOUR_OF_ONE, np.zeros(3)) == pytest.approx((6 / 8.25, 2.25))


def test_redundancy_is_never_negative():
    assert noise_estimate(np.eye(2), np.zeros(2)) == pytest.approx((1.0, 0.0))
    # More parameters than measurements: rounding must not make it negative.
    noise2, spare = noise_estimate(np.arange(1.0, 7).reshape(2, 3), np.zeros(2))
    assert (noise2, spare) == pytest.approx((1.0, 0.0))
    assert spare >= 0


def test_steps_have_the_least_squares_covariance():
    """(J'J)^-1 J'CJ (J'J)^-1, with the noise variance for measured rows and 1 for priors."""
    jacobian = np.random.default_rng(1).normal(size=(6, 3))
    steps = one_sigma_steps(jacobian, 4, 2.5)
    solved = np.linalg.inv(jacobian.T @ jacobian) @ jacobian.T
    assert steps.T @ steps == pytest.approx(solved @ np.diag([2.5] * 4 + [1.0] * 2) @ solved.T)
    across = steps @ steps.T
    assert across == pytest.approx(np.diag(np.diag(across))), "they are principal directions"


def test_an_undetermined_parameter_has_a_finite_step():
    steps = one_sigma_steps(np.array([[2.0, 0.0], [0.0, 0.0]]), 2, 1.0)
    assert np.linalg.norm(steps, axis=1) == pytest.approx([1e9, 0.5])


def test_rival_probability_uses_students_t():
    """With 6 stated measurements: ((6 + 2 * 6) / 6)**((6 + 2 + 2) / 2) = 243 to 1, and (28 / 14)**4 = 16 to 1."""
    assert rival_probability(6.0, 0.0, 2.0) == pytest.approx(1 / 244)
    assert rival_probability(11.0, 4.0, 0.0) == pytest.approx(1 / 17)
    assert rival_probability(2.0, 2.0, 2.0) == 0.5


def test_a_rival_step_has_the_length_of_its_sigma():
    """With a probability of 1/4: half of the difference in all parameters."""
    x, rival = np.array([3.0, 0, 0, 1, 2, 3, 7]), np.array([2.8, 0.2, 0, 1, 2, 5, 9])
    assert rival_step(x, rival, 0.25) == pytest.approx([-0.1, 0.1, 0, 0, 0, 1, 1])


@pytest.mark.parametrize(
    ("x", "rival", "step"),
    [
        (np.pi - 0.05, 0.05 - np.pi, 0.1),
        (5.9, -0.4, 2 * np.pi - 6.3),
        (3.0, 7 * np.pi, np.pi - 3.0),
        (7 * np.pi, np.pi - 0.2, -0.2),
        (0.3, 0.2, -0.1),
    ],
)
def test_a_rival_step_takes_the_shorter_rotation(x, rival, step):
    """Two rotation vectors just short of half a turn either way are neighbours: 0.1 rad apart, not 6.2.

    Where two poses coincide, IPPE may return rotations by more than a full turn.
    """
    assert rival_step(np.array([x, 0, 0, 1]), np.array([rival, 0, 0, 1]), 0.25)[0] == pytest.approx(step / 2)


def test_a_rival_without_rotation():
    x = np.array([0.2, 0, 0, 1, 2, 3])
    assert rival_step(x, np.array([0.0, 0, 0, 1, 2, 3]), 1.0) == pytest.approx([-0.2, 0, 0, 0, 0, 0])
