"""Sculpts: posed bodies keep their proportions, and stand, kneel and lie as their posture says."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rules.tabletop.table import Posture
from training.finder.bodies import bodies
from training.finder.sculpts import Body, pose, sculpt, two_bones

_UPRIGHT_OR_PRONE = (Posture.STANDING, Posture.KNEELING, Posture.PRONE)
# The man is 1.95 in high, and so are his bones: thigh 0.47 in, shin 0.49 in, ankle 0.08 in above the sole. Sculpts are
# 0.94 to 1 times as large, on a base of 0.1 in.


def _posed(posture: Posture, seed: int) -> Body:
    rng = np.random.default_rng([17, seed])
    body = Body(bodies(), rng)
    pose(body, posture, rng)
    return body


@pytest.mark.parametrize("seed", range(6))
def test_postures_differ_in_height(seed: int) -> None:
    # Standing, the hip is as high as nearly straight legs, one of them up to 0.2 in ahead. Kneeling, it is at most a
    # thigh above a knee that lies on the base, and the neck 0.65 in higher. Prone, hip and neck are on the ground.
    hips_in = [_posed(one, seed).bones["pelvis"].to[2] for one in _UPRIGHT_OR_PRONE]
    assert 0.9 < hips_in[0] < 1.2
    assert 0.3 < hips_in[1] < 0.7
    assert 0.15 < hips_in[2] < 0.3


@pytest.mark.parametrize("seed", range(6))
def test_a_kneeling_body_rests_on_a_knee_and_its_feet(seed: int) -> None:
    body = _posed(Posture.KNEELING, seed)
    # The joint is 0.1 in inside the knee; a hip that leans back may lift it by 0.03 in.
    assert min(body.bones[f"calf_{side}"].to[2] for side in "lr") == pytest.approx(0.2, abs=0.03)
    # An ankle is 0.08 in above the sole; one behind the body, with its toes on the ground, is up to 0.12 in above the
    # knee beside it.
    assert all(0.15 < body.bones[f"foot_{side}"].to[2] < 0.33 for side in "lr")


@pytest.mark.parametrize("posture", _UPRIGHT_OR_PRONE)
@pytest.mark.parametrize("seed", range(4))
def test_bones_keep_their_lengths(posture: Posture, seed: int) -> None:
    body = _posed(posture, seed)
    for first, second in (("thigh", "calf"), ("calf", "foot"), ("upperarm", "lowerarm"), ("lowerarm", "hand")):
        for side in "lr":
            a, b = body.bones[f"{first}_{side}"], body.bones[f"{second}_{side}"]
            # A prone knee is laid onto the base, which makes the thigh up to 0.02 in longer.
            assert math.dist(a.to, b.to) == pytest.approx(math.dist(a.start, b.start), abs=0.02)
            assert a.turn @ a.turn.T == pytest.approx(np.eye(3), abs=1e-9)
            assert np.linalg.det(a.turn) == pytest.approx(1)


def test_a_bent_limb_ends_at_its_target() -> None:
    # Two bones of 3 and 4 that reach 5 away form a right angle: 9 / 5 along and 12 / 5 towards the pole.
    middle, end = two_bones(np.zeros(3), np.array([5.0, 0, 0]), np.array([0.0, 0, 1]), 3.0, 4.0)
    assert middle == pytest.approx([1.8, 0, 2.4])
    assert end == pytest.approx([5, 0, 0])


@pytest.mark.parametrize("posture", [*_UPRIGHT_OR_PRONE, Posture.DOWN])
def test_a_sculpt_stands_on_the_table(posture: Posture) -> None:
    for seed in range(4):
        toy = sculpt(posture, np.random.default_rng([19, seed]))
        corners = toy.mesh.polygons_in.reshape(-1, 3)
        assert toy.posture is posture
        # A body without a base lies up to 0.1 in above the table, and the fingers of a crawling one in it.
        assert -0.15 < corners[:, 2].min() < 0.15
        # It is over its base: a body of 2 in that lies down is at most 2.5 in long with its arms and weapon.
        middle = (corners.min(axis=0) + corners.max(axis=0)) / 2
        assert np.hypot(*middle[:2]) < 1.3
