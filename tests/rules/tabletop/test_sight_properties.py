"""Properties of sight on any table. Tables are generated from a seed, so that nothing is aligned by chance."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.tabletop.opacity import OPACITY, CoverKind
from rules.tabletop.scene import SightRules
from rules.tabletop.sight import exposures, sight
from rules.tabletop.table import Figure, Posture, TerrainKind, TerrainPiece, ellipse_outline
from tests.rules.board import Turned

seeds = st.integers(0, 2**32 - 1)
KINDS = [kind for kind in TerrainKind if OPACITY[kind].cover_kind is not CoverKind.CLEAR]
few = settings(max_examples=30)


def soldier(name, x, y, posture=Posture.STANDING, turn=0.0):
    return Figure(name, "tan", x, y, 0.0, 0.1, posture, ellipse_outline((x, y), 0.6, 0.4, turn), turn)


def rectangle(name, kind, centre, length, width, turn, height, base=0.0):
    c, s = math.cos(turn), math.sin(turn)
    corners = [(u * length / 2, v * width / 2) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    outline = tuple((centre[0] + c * u - s * v, centre[1] + s * u + c * v) for u, v in corners)
    return TerrainPiece(name, kind, outline, base, height)


def table(seed, figures=6, pieces=8):
    rng = np.random.default_rng(seed)
    postures = rng.choice(list(Posture), figures)
    soldiers = [
        soldier(f"f{n}", *rng.uniform(0, 20, 2), Posture(postures[n]), rng.uniform(0, 180)) for n in range(figures)
    ]
    terrain = [
        rectangle(f"p{n}", KINDS[rng.integers(len(KINDS))], rng.uniform(0, 20, 2), rng.uniform(1, 6),
                  rng.uniform(0.3, 3), rng.uniform(0, math.pi), rng.uniform(0.2, 3), rng.choice([0, 0, 0.8]))
        for n in range(pieces)
    ]  # fmt: skip
    return soldiers, terrain


@few
@given(seeds, st.builds(Turned, st.floats(0, 360), st.floats(-30, 30), st.floats(-30, 30)))
def test_sight_does_not_depend_on_the_tables_pose(seed, other):
    soldiers, terrain = table(seed)
    here = exposures(soldiers, terrain)
    there = exposures([other.figure(f) for f in soldiers], [other.piece(p) for p in terrain])
    assert there.exposure == pytest.approx(here.exposure, abs=1e-6)


@settings(max_examples=10)
@given(seeds, st.booleans())
def test_exposures_agree_with_sight(seed, figures_hide):
    soldiers, terrain = table(seed, figures=3)
    rules = SightRules(figures_hide=figures_hide)
    everything = exposures(soldiers, terrain, rules)
    for i, a in enumerate(soldiers):
        for j, b in enumerate(soldiers):
            if i == j:
                continue
            one = sight(a, b, terrain, soldiers, rules)
            assert one.exposure == pytest.approx(everything.exposure[i, j], abs=1e-12)
            assert one.exposure_to_fire == pytest.approx(everything.exposure_to_fire[i, j], abs=1e-12)
            assert one.shooter_exposure == pytest.approx(everything.exposure[j, i], abs=1e-12)
            assert one.visible == everything.visible[i, j]
            assert {h.name: h.fraction for h in one.hidden_by} == pytest.approx(dict(everything.hidden_by(i, j)))


@few
@given(seeds)
def test_fractions_are_within_0_and_1_and_bound_the_hidden_part(seed):
    soldiers, terrain = table(seed)
    everything = exposures(soldiers, terrain)
    assert everything.exposure.min() >= 0
    assert everything.exposure.max() <= 1
    assert not ((everything.exposure > 0) & (everything.exposure < 1e-9)).any()  # a hidden figure has exactly 0
    assert (everything.exposure_to_fire >= everything.exposure).all()
    for i in range(len(soldiers)):
        for j in range(len(soldiers)):
            alone = [part for _, part in everything.hidden_by(i, j)]
            assert all(0 < part <= 1 + 1e-9 for part in alone)
            hidden = 1 - everything.exposure[i, j]
            assert max(alone, default=0) - 1e-9 <= hidden <= sum(alone) + 1e-9


@few
@given(seeds, st.floats(0.05, 0.95))
def test_wall_cut_in_two_hides_the_same(seed, cut):
    soldiers, _ = table(seed)
    rng = np.random.default_rng(seed)
    centre, turn, height = rng.uniform(5, 15, 2), rng.uniform(0, math.pi), rng.uniform(0.3, 3)
    whole = rectangle("whole", TerrainKind.WALL, centre, 8, 0.5, turn, height)
    a, b, c, d = whole.outline_in

    def between(p, q):
        return (p[0] + cut * (q[0] - p[0]), p[1] + cut * (q[1] - p[1]))

    left = replace(whole, name="left", outline_in=(a, between(a, b), between(d, c), d))
    right = replace(whole, name="right", outline_in=(between(a, b), b, c, between(d, c)))
    soldiers = [f for f in soldiers if not over(f, whole)]  # a figure that leans on one half may not touch the other
    one, two = exposures(soldiers, [whole]), exposures(soldiers, [left, right])
    assert two.exposure == pytest.approx(one.exposure, abs=1e-9)


@few
@given(seeds, st.floats(0.1, 3))
def test_taller_piece_never_exposes_more(seed, by):
    soldiers, terrain = table(seed, pieces=3)
    # A figure inside a piece may stand on the lower one but inside the taller one, which is a different case.
    soldiers = [f for f in soldiers if not any(over(f, p) for p in terrain)]
    low = exposures(soldiers, terrain).exposure
    taller = [replace(terrain[0], height_in=terrain[0].height_in + by), *terrain[1:]]
    assert (exposures(soldiers, taller).exposure <= low + 1e-9).all()


def over(figure, piece):
    """Whether a figure's centre may be over a piece."""
    xs, ys = zip(*piece.outline_in, strict=True)
    x, y = figure.centre_in
    return min(xs) <= x <= max(xs) and min(ys) <= y <= max(ys)


@few
@given(st.floats(6, 40), st.floats(1, 20), st.floats(0.2, 4), st.floats(0.1, 3.5))
def test_nearer_eye_sees_more_over_a_low_wall_and_less_over_a_high_one(far, step, thick, height):
    wall = rectangle("w", TerrainKind.WALL, (-1 - thick / 2, 0), thick, 400, 0.0, height)
    target = soldier("t", 0, 0)
    near_in = 1 + thick + 0.1
    near = max(near_in, far - step)
    there, here = (sight(soldier("s", -x, 0), target, [wall]).exposure for x in (max(far, near), near))
    if height <= 1.6:
        assert here >= there - 1e-9
    else:
        assert here <= there + 1e-9


@few
@given(seeds, st.floats(0, 8), st.floats(0.5, 5))
def test_pieces_behind_either_figure_never_count(seed, away, deep):
    rng = np.random.default_rng(seed)
    a, b = soldier("a", 0, 0), soldier("b", rng.uniform(2, 20), 0)
    turn = rng.uniform(-0.3, 0.3)
    # Half the length of a piece turned by 0.3 reaches 1.5 in towards them.
    for centre in (b.x_in + 1.6 + deep + away, -1.6 - deep - away):
        piece = rectangle("p", TerrainKind.WALL, (centre, 0), deep, 10, turn, 9.0)
        found = sight(a, b, [piece])
        assert found.exposure == found.shooter_exposure == 1
