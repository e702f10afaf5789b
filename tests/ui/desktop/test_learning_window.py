"""Two corrected figures teach a third in the real window; one command forgets it, and Undo brings it back."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from PyQt6.QtGui import QAction

import vision.pipeline
from rules.tabletop.table import Posture
from tests.ui.desktop.test_correct_window import ask, choose, figures
from tests.ui.windows import POSTS, Open, Wait
from ui.desktop.help_controller import actions_of
from ui.desktop.window import Window
from vision.examples import Appearance
from vision.figure_search import Sighting
from vision.likeness import DIRECTIONS, unit

KNEELS_MISREAD = (0.7, 0.25, 0.03, 0.02)
FORGET = "Forget examples"


def appearance(number: int, army: str) -> Appearance:
    """Nearly equal features for the first three figures, different ones for the fourth."""
    sculpt = np.random.default_rng(number == 3).normal(size=DIRECTIONS)
    noise = np.random.default_rng(10 + number).normal(0, 0.1, DIRECTIONS)
    colour = (0.5, 0.1, -1.0) if army == "blue" else (-0.5, 0.1, -1.0)
    return Appearance(unit((sculpt + noise).astype(np.float32)), KNEELS_MISREAD, ((army, 1.0),), colour)


@pytest.fixture
def learning_window(found: None, monkeypatch: pytest.MonkeyPatch, open_window: Open, wait_until: Wait) -> Window:
    """Four figures classified as standing; three of them are one kneeling sculpt."""
    find = vision.pipeline.Finder.find
    order = sorted(POSTS.values())

    def seen(*args: object, **options: object) -> tuple[Sighting, ...]:
        return tuple(replace(one, appearance=appearance(_post(one, order), one.army)) for one in find(*args, **options))

    monkeypatch.setattr("vision.pipeline.Finder.find", seen)
    window = open_window()
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    return window


def _post(one: Sighting, order: list[tuple[float, float]]) -> int:
    return int(np.argmin([np.hypot(one.x_in - x, one.y_in - y) for x, y in order]))


def kneeling(window: Window) -> list[str]:
    window.pull()
    return sorted(name for name, (_, posture) in figures(window).items() if posture is Posture.KNEELING)


def forget_action(window: Window) -> QAction:
    return next(action for action in actions_of(window) if action.text() == FORGET)


def test_two_corrected_kneeling_figures_teach_the_third(learning_window: Window, wait_until: Wait) -> None:
    window = learning_window
    order = sorted(POSTS, key=POSTS.__getitem__)
    siblings, other = order[:3], order[3]
    assert kneeling(window) == []
    for name in siblings[:2]:
        choose(ask(window, POSTS[name]), "Posture", "kneeling")
    wait_until(lambda: kneeling(window) == sorted(siblings))
    assert figures(window)[other][1] is Posture.STANDING
    learned = window.store.session.state.setup.examples.all
    assert [(one.name, one.posture) for one in learned] == [(name, Posture.KNEELING) for name in siblings[:2]]
    assert all(one.crop_bgr.std() > 3 for one in learned), "each has its picture"

    forget_action(window).trigger()
    assert "Forgot 2 examples" in window.bar.text
    wait_until(lambda: kneeling(window) == sorted(siblings[:2]))  # the corrections stay
    assert window.store.session.can_undo == "forget examples"
    window.commands.undo()
    wait_until(lambda: kneeling(window) == sorted(siblings))


def test_undoing_a_correction_removes_its_example(learning_window: Window, wait_until: Wait) -> None:
    window = learning_window
    order = sorted(POSTS, key=POSTS.__getitem__)
    choose(ask(window, POSTS[order[0]]), "Posture", "kneeling")
    wait_until(lambda: kneeling(window) == sorted(order[:3]))
    window.commands.undo()
    wait_until(lambda: kneeling(window) == [])
    assert window.store.session.state.setup.examples.all == ()


def test_without_examples_there_is_nothing_to_forget(learning_window: Window) -> None:
    forget_action(learning_window).trigger()
    assert learning_window.bar.text.startswith("There are no examples yet")
    assert learning_window.store.session.can_undo is None
