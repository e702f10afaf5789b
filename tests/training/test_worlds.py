"""The random tables that the networks are trained on."""

from __future__ import annotations

import numpy as np
import pytest

from rules.tabletop.table import Posture
from training.finder.tiles import views
from training.finder.worlds import SIZE_IN, World, world


@pytest.fixture(scope="module")
def drawn() -> World:
    # The first of these random tables on which every army can be clicked and a casualty lies.
    for seed in range(10):
        scene = world(np.random.default_rng([7, seed]))
        if scene is not None and any(figure.posture is Posture.DOWN for figure in scene.figures):
            return scene
    raise AssertionError("none of ten random tables has a casualty and visible figures of every army")


def test_figures_stand_on_the_table_and_the_picture_covers_it(drawn: World) -> None:
    height, width = drawn.picture.shape[:2]
    assert drawn.empty.shape == drawn.picture.shape
    assert (width / drawn.px_per_in, height / drawn.px_per_in) == pytest.approx(SIZE_IN, abs=1.5 / drawn.px_per_in)
    for figure in drawn.figures:
        assert 0 <= figure.part <= 1
        assert (figure.place_in > 0).all()
        assert (figure.place_in < SIZE_IN).all()


def test_only_the_figures_tell_the_two_pictures_apart(drawn: World) -> None:
    # A figure that is seen whole changes its own place; the change is the greatest there.
    change = np.abs(drawn.picture.astype(int) - drawn.empty).sum(axis=2)
    seen = [figure for figure in drawn.figures if figure.part > 0.9]
    at = [change[int(y * drawn.px_per_in), int(x * drawn.px_per_in)] for x, y in (one.place_in for one in seen)]
    assert np.median(at) > 3 * np.median(change)


def test_each_army_is_clicked_on_one_of_its_figures(drawn: World) -> None:
    armies = {figure.army for figure in drawn.figures}
    assert set(range(len(drawn.clicks))) >= armies
    for army, (x, y) in enumerate(drawn.clicks):
        own = [figure.place_in for figure in drawn.figures if figure.army == army and figure.part > 0.9]
        # A standing body of 2.1 in leans at most 1.7 times its height away from its base.
        assert min(np.linalg.norm(np.array([x, y]) / drawn.px_per_in - place) for place in own) < 3.6


def test_a_world_is_seen_with_and_without_the_empty_table() -> None:
    seen = list(views(np.random.default_rng([101, 1]))) or list(views(np.random.default_rng([101, 2])))
    assert [view.empty is None for _, view, _ in seen] == [False, True]


def test_an_oblique_camera_stands_beside_the_table() -> None:
    for seed in range(4):
        for scene, _, _ in views(np.random.default_rng([103, seed]), oblique=True):
            away_in = float(np.linalg.norm(scene.eye_in[:2] - np.array(SIZE_IN) / 2))
            assert 0.75 <= away_in / scene.eye_in[2] <= 1.9
