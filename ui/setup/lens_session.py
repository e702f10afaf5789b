"""A live session with the printed board: each picture is taken or refused, with what to do next. No Qt.

What is judged of single views is `calibration.lens`; here is what only a live picture needs: the board must rest.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from calibration.lens import FEWEST_VIEWS, Gathering, View, apart_px, find_view, offer
from calibration.lens_fit import LensFit, fit_lens
from calibration.markers import Board, ImageGray
from ui.formatting import sentence
from ui.paper.marker_sheet import LENS_BOARD

WANTED_VIEWS = 12
"""More make the lens hardly surer."""

WANTED_PART = 0.8
"""Of the frame; the board's own border keeps its corners from the very rim."""

_STILL_OF_WIDTH = 1.5 / 1920


@dataclass(frozen=True, slots=True, eq=False)
class LensSession:
    """The state of a session; every picture leads to the next.

    Attributes:
        gathering: What was taken.
        seen: The board in the newest picture; None where it was not found.
        words: What became of that picture, and what to do.
        taken: Whether it was taken.
        board, dictionary: What is held before the camera.
    """

    gathering: Gathering
    seen: View | None = None
    words: str = "Hold the printed board before the camera, wholly in the picture."
    taken: bool = False
    board: Board = LENS_BOARD
    dictionary: str = "4X4_50"
    _before: View | None = field(default=None, repr=False)

    def look(self, gray: ImageGray) -> LensSession:
        """After one more picture (height, width)."""
        view = find_view(gray, self.board, self.dictionary)
        answer = offer(self.gathering, view)
        if answer.accepted and not self._rests(view):
            words = "hold it still for a moment …"
            return replace(self, seen=view, words=sentence(words), taken=False, _before=view)
        words = f"taken; {self._next(answer.gathering)}" if answer.accepted else answer.refusal
        return replace(
            self, gathering=answer.gathering, seen=view, words=sentence(words), taken=answer.accepted, _before=view
        )

    def _rests(self, view: View | None) -> bool:
        """A rolling shutter bends a board that moves, and no single picture tells."""
        if view is None or self._before is None:
            return False
        return apart_px(view, self._before) < max(1.0, _STILL_OF_WIDTH * self.gathering.image_size[0])

    def _next(self, gathering: Gathering) -> str:
        coverage = gathering.coverage
        if coverage.missing:
            return f"now hold it at the {coverage.missing[0]} of the picture"
        if coverage.slanted < 2:
            return "now hold it at a slant: one side nearer to the camera"
        return "nothing is missing" if len(gathering.views) >= WANTED_VIEWS else "now hold it elsewhere, or at a slant"

    def without_last(self) -> LensSession:
        """Without the picture that was taken last."""
        gathering = replace(self.gathering, views=self.gathering.views[:-1])
        return replace(self, gathering=gathering, words="The last picture is thrown away.", taken=False)

    @property
    def can_fit(self) -> bool:
        """Whether there is enough to work out a lens at all."""
        return len(self.gathering.views) >= FEWEST_VIEWS

    @property
    def is_enough(self) -> bool:
        """Whether more would hardly help."""
        coverage = self.gathering.coverage
        return len(self.gathering.views) >= WANTED_VIEWS and coverage.part >= WANTED_PART and coverage.slanted >= 2

    @property
    def progress(self) -> float:
        """0 to 1: the least of pictures and covered frame."""
        pictures = len(self.gathering.views) / WANTED_VIEWS
        return min(1.0, pictures, self.gathering.coverage.part / WANTED_PART)

    def fit(self) -> LensFit:
        """The lens; raises `UserError` as `fit_lens`."""
        return fit_lens(self.gathering)
