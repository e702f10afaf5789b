import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.print_scale import PrintScale
from rules.tabletop.errors import UserError
from ui.paper.marker_sheet import marker_sheet
from ui.paper.page import PAPERS_MM, Sheet, corrected

MEASURED_MM = st.floats(95.0, 105.0)


@given(MEASURED_MM, MEASURED_MM)
def test_a_corrected_print_has_the_right_size(across_mm: float, down_mm: float) -> None:
    scale = PrintScale(across_mm, down_mm)
    printed = np.multiply(scale.correction, scale.factors)  # enlarged drawing, reduced print
    assert printed == pytest.approx([1.0, 1.0])


def test_an_uneven_print_is_not_square() -> None:
    # 99 mm for 100 across, 102 down: a 3 in marker is 2.97 x 3.06 in.
    corners = np.array([[-1.5, 1.5], [1.5, 1.5], [1.5, -1.5], [-1.5, -1.5]])
    true = PrintScale(99, 102).true_in(corners)
    assert np.ptp(true, axis=0) == pytest.approx([2.97, 3.06])


@pytest.mark.parametrize(
    ("across_mm", "down_mm", "message"),
    [
        (94.9, 100.0, "the level scale cannot be 94.9 mm long"),
        (100.0, 105.1, "the upright scale cannot be 105.1 mm long"),
        (100.0, math.nan, "the upright scale cannot be nan mm long"),
        (4.0, 100.0, "measure from 0 to 100 in millimetres"),  # typed in inches
        (94.0, 94.0, "print it at 100 % (actual size)"),  # a letter page fitted to A4
    ],
)
def test_an_impossible_scale_is_refused(across_mm: float, down_mm: float, message: str) -> None:
    with pytest.raises(UserError, match=re.escape(message)):
        PrintScale(across_mm, down_mm)


@pytest.mark.parametrize("paper", PAPERS_MM)
@given(MEASURED_MM, MEASURED_MM)
def test_an_enlarged_drawing_stays_on_the_paper(paper: str, across_mm: float, down_mm: float) -> None:
    sheet = corrected(Sheet("bare", paper, marker_sheet(paper).pages[:1]), PrintScale(across_mm, down_mm))
    for size_mm, stretch in zip(sheet.size_mm, sheet.stretch, strict=True):
        # 10 mm from the edge before, at least 2 mm after; the printer then shrinks it back.
        assert (size_mm / 2 - 10) * stretch <= size_mm / 2 - 2
