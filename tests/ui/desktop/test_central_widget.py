"""The hint and the message below the picture."""

from __future__ import annotations

import pytest

from tests.ui.windows import Owned, Wait
from ui.desktop.parts import HINT_PX, HintLabel
from ui.desktop.theme import TEXT_PX
from ui.desktop.window import Window


@pytest.mark.parametrize(("words", "size_px"), [(8, 18), (40, TEXT_PX)])
def test_a_long_hint_is_smaller_but_not_higher(owned: Owned[HintLabel], words: int, size_px: int) -> None:
    hint = owned(HintLabel())
    height_px = hint.height()
    hint.resize(616, height_px)
    hint.show_text("click " * words)
    assert hint.font().pixelSize() == size_px
    assert hint.heightForWidth(616) <= hint.height() == height_px
    hint.show_text("Click a soldier.")
    assert hint.font().pixelSize() == 18


def test_a_message_of_three_lines_is_smaller_and_leaves_the_film_bar_free(window: Window, wait_until: Wait) -> None:
    window.resize(1366, 768)
    words = "Marker 0 is too small to measure with (15 px wide; 20 needed): " + 2 * "move the camera closer, or so. "
    window.store.say(words, [(name, lambda: None) for name in ("Print markers…", "Check markers", "Marker size…")])
    wait_until(lambda: window.bar.isVisible() and window.bar.height() == HINT_PX)
    assert not window.bar.geometry().intersects(window.picture.geometry())
