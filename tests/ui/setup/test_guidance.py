"""The hint below the picture."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tests.ui.views import figure, view_of
from ui.hints import TEACH, next_step
from ui.session import TableState
from vision.frame import Frame


def test_a_picture_without_colours_is_named() -> None:
    """Armies are found by colour, so that teaching would not help."""
    grey = view_of()
    image = np.full((80, 100, 3), 90, np.uint8)
    image[:40, :, 2] = 120
    coloured = replace(grey, frame=Frame(image, 0, 0.0))
    for tool in ("measure", TEACH):
        assert "no colours" in next_step(grey, TableState(), tool, "")
        assert "no colours" not in next_step(coloured, TableState(), tool, "")
    assert "no colours" not in next_step(view_of(figure("green-1", 5, 5)), TableState(), TEACH, "")
