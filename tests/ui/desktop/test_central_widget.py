"""The hint below the picture."""

from __future__ import annotations

import pytest

from tests.ui.windows import Owned
from ui.desktop.central_widget import HintLabel
from ui.desktop.theme import TEXT_PX


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
