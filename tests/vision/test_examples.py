"""Examples shift the odds between postures and armies, by a bounded weight, and nothing else."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.table import Posture, ellipse_outline
from vision.examples import ARMY_BOUND, CROP_PX, MOST_EXAMPLES, POSTURE_BOUND, Appearance, Example, Examples
from vision.figure_search import Sighting
from vision.likeness import DIRECTIONS, signature, unit, version
from vision.recogniser import POSTURES
from vision.relabelling import relabelled

CROP = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)
GREEN, TAN = (-0.5, 0.1, -1.0), (0.4, 0.2, -0.6)
STANDS = (0.7, 0.25, 0.03, 0.02)  # a kneeling figure that is misread: odds of 2.8 for standing, exp(1.03)
SURELY_STANDS = (0.999, 0.0008, 0.0001, 0.0001)
FALLEN = (0.1, 0.2, 0.1, 0.6)


def direction(number: int) -> np.ndarray:
    return unit(np.random.default_rng(number).normal(size=DIRECTIONS).astype(np.float32))


KNEELER, OTHER = direction(1), direction(2)  # 48 random numbers: their product is about 0.1


def nearly(of: np.ndarray, seed: int, by: float = 0.02) -> np.ndarray:
    """Another look at the same sculpt: with 0.02 for each of 48 numbers the product is about 0.99."""
    return unit(of + np.random.default_rng(seed).normal(0, by, DIRECTIONS).astype(np.float32))


def example(of: np.ndarray, posture: Posture = Posture.KNEELING, army: str = "green", name: str = "green-1") -> Example:
    return Example(name, army, posture, of, GREEN if army == "green" else TAN, CROP)


def looks(of: np.ndarray, postures: tuple[float, ...] = STANDS, green: float = 0.5) -> Appearance:
    return Appearance(of, postures, (("green", green), ("tan", 1 - green)), GREEN)


def sighting(appearance: Appearance | None, posture: Posture = Posture.STANDING) -> Sighting:
    base = ellipse_outline((3.0, 4.0), 0.54, 0.41, 30.0)
    return Sighting("green", 3.0, 4.0, 0.5, 0.04, posture, base, 30.0, 0.6, appearance)


def test_two_corrections_fix_the_siblings_and_leave_the_others() -> None:
    taught = Examples().with_added([example(nearly(KNEELER, 1)), example(nearly(KNEELER, 2))])
    for seed in range(3, 10):
        assert taught.posture_of(looks(nearly(KNEELER, seed))) is Posture.KNEELING
        assert taught.posture_of(looks(nearly(OTHER, seed))) is Posture.STANDING
    assert Examples().posture_of(looks(KNEELER)) is Posture.STANDING


def test_a_clear_case_stays_as_it_is() -> None:
    # ln(0.999 / 0.0008) = 7.1, more than the bound of 5.
    taught = Examples().with_added(example(nearly(KNEELER, seed, 0.04)) for seed in range(20))
    assert taught.posture_of(looks(KNEELER, SURELY_STANDS)) is Posture.STANDING


def test_a_bystander_keeps_examples_from_spreading_to_similar_figures() -> None:
    taught = Examples().with_added([example(unit(KNEELER + 0.35 * OTHER))])
    seen = looks(unit(KNEELER + OTHER))  # as like the one as the other, nearly
    sure = looks(unit(0.8 * KNEELER + OTHER), SURELY_STANDS)
    assert taught.posture_of(seen) is Posture.KNEELING
    assert taught.posture_of(seen, taught.bystanders([sure])) is Posture.STANDING
    unsure = looks(sure.signature, STANDS)
    assert taught.posture_of(seen, taught.bystanders([unsure])) is Posture.KNEELING
    of_the_example = looks(taught.all[0].signature, SURELY_STANDS)
    assert taught.posture_of(seen, taught.bystanders([of_the_example])) is Posture.KNEELING, "its player knows better"


def test_correct_examples_outvote_a_wrong_one() -> None:
    taught = Examples().with_added([example(nearly(KNEELER, 1))])
    assert taught.posture_of(looks(KNEELER)) is Posture.KNEELING
    right = [example(nearly(KNEELER, seed), Posture.STANDING) for seed in (2, 3)]
    assert taught.with_added(right).posture_of(looks(KNEELER)) is Posture.STANDING


def test_a_newer_example_of_the_same_look_replaces_the_older() -> None:
    taught = Examples().with_added([example(KNEELER, Posture.PRONE), example(OTHER), example(KNEELER)])
    assert [one.posture for one in taught.all] == [Posture.KNEELING, Posture.KNEELING]


def test_the_oldest_examples_are_dropped() -> None:
    taught = Examples().with_added(example(direction(n), name=f"green-{n}") for n in range(MOST_EXAMPLES + 5))
    assert [taught.all[0].name, taught.all[-1].name] == ["green-5", f"green-{MOST_EXAMPLES + 4}"]
    assert len(taught.all) == MOST_EXAMPLES


@pytest.mark.parametrize("posture", POSTURES)
def test_examples_never_change_whether_a_figure_is_a_casualty(posture: Posture) -> None:
    taught = Examples().with_added(example(nearly(KNEELER, seed), posture) for seed in range(4))
    assert taught.posture_of(looks(KNEELER, FALLEN)) is Posture.DOWN
    assert taught.posture_of(looks(KNEELER)) is not Posture.DOWN


def test_votes_change_how_sure_a_posture_is() -> None:
    # The one example is identical, so its share of the votes is 1 / (1 + 0.4), and 5 / 1.4 = 3.57 is added to the odds.
    taught = Examples((example(KNEELER),))
    postures = taught.postures_of(looks(KNEELER, (0.6, 0.4, 0.0, 0.0)))
    kneels = 0.4 * math.exp(5 / 1.4)
    assert postures[:2] == pytest.approx((0.6 / (0.6 + kneels), kneels / (0.6 + kneels)), abs=1e-4)
    assert Examples().postures_of(looks(KNEELER, (0.6, 0.4, 0.0, 0.0))) == (0.6, 0.4, 0.0, 0.0)
    again = relabelled([sighting(looks(KNEELER, (0.6, 0.4, 0.0, 0.0)))], taught, 1.0)
    assert [(one.posture, one.postures) for one in again] == [(Posture.KNEELING, postures)]


def test_similar_plastic_gets_the_army_of_the_example() -> None:
    taught = Examples().with_added([example(KNEELER, army="green")])
    assert taught.army_of(looks(OTHER, green=0.4)) == "green", "whatever the figure's shape"
    assert taught.army_of(looks(OTHER, green=0.01)) == "tan", "ln 99 = 4.6 is more than the bound of 3"
    assert taught.army_of(replace(looks(OTHER, green=0.4), colour=TAN)) == "tan", "this plastic is another"
    assert Examples((example(KNEELER, army="blue"),)).army_of(looks(OTHER, green=0.4)) == "tan", "blue is not known"


numbers = st.lists(st.integers(0, 40), max_size=12)


@given(numbers, st.lists(st.sampled_from(POSTURES), min_size=12, max_size=12), st.integers(0, 40))
def test_votes_are_bounded_and_never_negative(seeds: list[int], said: list[Posture], asked: int) -> None:
    examples = Examples(tuple(example(direction(n), posture) for n, posture in zip(seeds, said, strict=False)))
    votes = examples.posture_votes(direction(asked))
    assert (votes >= 0).all()
    assert votes.sum() < POSTURE_BOUND
    armies = examples.army_votes(GREEN, ("green", "tan"))
    assert (armies >= 0).all()
    assert armies.sum() < ARMY_BOUND


@given(numbers, st.integers(0, 40), st.floats(0.01, 0.98))
def test_another_example_never_supports_another_posture(seeds: list[int], new: int, stands: float) -> None:
    before = Examples(tuple(example(direction(n), POSTURES[n % 3]) for n in seeds))
    more = Examples((*before.all, example(direction(new), Posture.KNEELING)))
    seen = looks(direction(new + 1), (stands, 0.99 - stands, 0.005, 0.005))
    if before.posture_of(seen) is Posture.KNEELING:
        assert more.posture_of(seen) is Posture.KNEELING


@given(numbers, numbers)
def test_no_figure_appears_disappears_or_moves(taught: list[int], asked: list[int]) -> None:
    examples = Examples(tuple(example(direction(n), POSTURES[n % 4], "tan") for n in taught))
    before = [sighting(looks(direction(n))) for n in asked] + [sighting(None, Posture.VEHICLE)]
    after = relabelled(before, examples, 1.0)
    assert len(after) == len(before)
    for old, new in zip(before, after, strict=True):
        assert (new.x_in, new.y_in, new.z_in, new.sigma_in) == (old.x_in, old.y_in, old.z_in, old.sigma_in)
        assert (new.confidence, new.facing_deg) == (old.confidence, old.facing_deg)
        assert new.appearance is old.appearance
    assert after[-1] is before[-1], "of vehicles nothing is learned"


def test_a_figure_that_lies_has_a_longer_base_in_its_own_direction() -> None:
    taught = Examples(tuple(example(nearly(KNEELER, seed), Posture.PRONE) for seed in (1, 2, 3)))
    (prone,) = relabelled([sighting(looks(KNEELER, (0.6, 0.02, 0.37, 0.01)))], taught, 1.0)
    assert prone.posture is Posture.PRONE
    corners = np.array(prone.base_in) - (3.0, 4.0)
    # Half a prone base is 0.76 by 0.35 in; a polygon of 24 corners and its area reaches 0.6 % further.
    assert np.hypot(*corners.T).max() == pytest.approx(0.76, rel=0.01)
    assert np.degrees(np.arctan2(*corners[np.hypot(*corners.T).argmax() % 12][::-1])) == pytest.approx(30, abs=1)


def test_signatures_have_length_one_and_a_network_version() -> None:
    features = np.random.default_rng(3).uniform(0, 3, 224).astype(np.float32)
    assert signature(features).shape == (DIRECTIONS,)
    assert np.linalg.norm(signature(features)) == pytest.approx(1, abs=1e-5)
    assert len(version()) == 12
