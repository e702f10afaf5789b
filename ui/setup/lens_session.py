"""Live lens calibration with the printed board: takes or rejects each picture and says what to do next. No Qt.

`calibration.lens` judges single views; this module adds that the board must not move.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from calibration.lens import MIN_VIEWS, BoardView, LensViews, add_view, find_view, view_distance_px
from calibration.lens_fit import LensFit, fit_lens
from calibration.markers import Board, ImageGray
from ui.formatting import sentence
from ui.paper.marker_sheet import LENS_BOARD
from ui.translation import mark_for_translation, tr

WANTED_VIEWS = 12
"""More views hardly improve the lens."""

WANTED_PART = 0.8
"""Part of the frame to cover; the board's own border keeps its corners from the edges."""

_STILL_WIDTHS = 1.5 / 1920

_PARTS = {
    "top left": mark_for_translation("top left"),
    "top centre": mark_for_translation("top centre"),
    "top right": mark_for_translation("top right"),
    "middle left": mark_for_translation("middle left"),
    "middle": mark_for_translation("middle"),
    "middle right": mark_for_translation("middle right"),
    "bottom left": mark_for_translation("bottom left"),
    "bottom centre": mark_for_translation("bottom centre"),
    "bottom right": mark_for_translation("bottom right"),
}
"""The ninths of `calibration.lens.Coverage.missing`."""


@dataclass(frozen=True, slots=True, eq=False)
class LensSession:
    """The state of the session; every picture leads to the next state.

    Attributes:
        lens_views: The views taken.
        seen: The board in the newest picture; None if it was not found.
        words: What happened to that picture, and what to do.
        taken: Whether it was taken.
        board, dictionary: The board that the player holds.
    """

    lens_views: LensViews
    seen: BoardView | None = None
    words: str = field(
        default_factory=lambda: tr("Hold the printed board in front of the camera, fully in the picture.")
    )
    taken: bool = False
    board: Board = LENS_BOARD
    dictionary: str = "4X4_50"
    _before: BoardView | None = field(default=None, repr=False)

    def with_picture(self, gray: ImageGray) -> LensSession:
        """The session after one more picture, (height, width)."""
        view = find_view(gray, self.board, self.dictionary)
        answer = add_view(self.lens_views, view)
        if answer.accepted and not self._rests(view):
            words = tr("Hold it still for a moment…")
            return replace(self, seen=view, words=words, taken=False, _before=view)
        words = self._next(answer.lens_views) if answer.accepted else answer.refusal
        return replace(
            self, lens_views=answer.lens_views, seen=view, words=sentence(words), taken=answer.accepted, _before=view
        )

    def _rests(self, view: BoardView | None) -> bool:
        """Whether the board is still; a rolling shutter distorts a moving board, and one picture cannot show that."""
        if view is None or self._before is None:
            return False
        return view_distance_px(view, self._before) < max(1.0, _STILL_WIDTHS * self.lens_views.image_size[0])

    def _next(self, lens_views: LensViews) -> str:
        coverage = lens_views.coverage
        if coverage.missing:
            return tr(
                "Picture taken. Hold the board at the {part} of the picture.", part=tr(_PARTS[coverage.missing[0]])
            )
        if coverage.slanted < 2:
            return tr("Picture taken. Tilt the board: hold one side nearer to the camera.")
        if len(lens_views.views) >= WANTED_VIEWS:
            return tr("Picture taken. That is enough.")
        return tr("Picture taken. Hold the board at another place, or tilt it.")

    def without_last(self) -> LensSession:
        """The session without the last picture."""
        lens_views = replace(self.lens_views, views=self.lens_views.views[:-1])
        return replace(self, lens_views=lens_views, words=tr("The last picture is deleted."), taken=False)

    @property
    def can_fit(self) -> bool:
        """Whether there are enough views to compute a lens."""
        return len(self.lens_views.views) >= MIN_VIEWS

    @property
    def is_enough(self) -> bool:
        """Whether more views would hardly help."""
        coverage = self.lens_views.coverage
        return len(self.lens_views.views) >= WANTED_VIEWS and coverage.part >= WANTED_PART and coverage.slanted >= 2

    @property
    def progress(self) -> float:
        """From 0 to 1: the smaller of the parts of views and of the frame."""
        pictures = len(self.lens_views.views) / WANTED_VIEWS
        return min(1.0, pictures, self.lens_views.coverage.part / WANTED_PART)

    def fit(self) -> LensFit:
        """Compute the lens; raises `UserError` as `fit_lens`."""
        return fit_lens(self.lens_views)


def lens_story(views: LensViews, fit: LensFit) -> dict[str, object]:
    """How a lens was measured, for its file."""
    cells = views.coverage.cells.astype(int).tolist()
    return {"views": len(views.views), "residual_px": fit.residual_px, "coverage": cells}
