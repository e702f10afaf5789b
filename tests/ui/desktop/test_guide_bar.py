"""The guide's bar keeps its height, so that the picture below it does not move under the mouse."""

from __future__ import annotations

import pytest
from PyQt6.QtWidgets import QApplication

from tests.ui.windows import Owned
from ui.desktop.guide_bar import GuideBar
from ui.guide import Guide, GuideStep, StepMark, Tick

MARKS = dict.fromkeys(GuideStep, StepMark.AHEAD)
LONG = (
    "Auf mehr Soldaten klicken, um sie besser zu finden. Um eine weitere Armee zu lernen, ihren Namen eingeben und auf"
    " einen Soldaten klicken."
)
ISSUE = (
    "Marker 17 ist zu klein zum Messen (12 px breit; 20 nötig): die Kamera näher heranbringen"
    " oder größere Marker drucken"
)


@pytest.mark.parametrize("width_px", [1024, 1366])
def test_its_height_is_the_same_at_every_step(owned: Owned[GuideBar], width_px: int) -> None:
    bar = owned(GuideBar())
    bar.resize(width_px, bar.sizeHint().height())
    bar.show()
    heights = set()
    for guide in (
        Guide(MARKS, GuideStep.CAMERA, "Short.", "Choose…"),
        Guide(
            MARKS, GuideStep.MARKERS, LONG, "Print markers…", ticks=(Tick("marker 3", True), *[Tick(ISSUE, False)] * 2)
        ),
        Guide(MARKS, GuideStep.ARMIES, LONG, "Teach army", ticks=(Tick("green: 12 seen", True),)),
        Guide(MARKS, GuideStep.ARMIES, LONG, busy=True),
        Guide(MARKS, GuideStep.SHOT, LONG),
        Guide(MARKS, None, "Done.", "Close"),
    ):
        bar.show_guide(guide)
        QApplication.processEvents()
        heights.add(bar.sizeHint().height())
        if not guide.ticks:
            assert bar.words.height() > bar.button.height(), "the words have the room of the missing ticks"
        for part in (bar.words, bar.ticks):
            assert part.heightForWidth(part.width()) <= part.height(), f"{part.text()} is clipped"
    assert len(heights) == 1


def test_while_the_program_works_nothing_asks_for_a_click(owned: Owned[GuideBar]) -> None:
    bar = owned(GuideBar())
    bar.show()
    bar.show_guide(Guide(MARKS, GuideStep.ARMIES, "Looking for the soldiers.", busy=True))
    assert [part.isVisible() for part in (bar.busy, bar.button, bar.army)] == [True, False, False]
    bar.show_guide(Guide(MARKS, GuideStep.ARMIES, "Found them.", "Use them"))
    assert [part.isVisible() for part in (bar.busy, bar.button, bar.army)] == [False, True, True]
