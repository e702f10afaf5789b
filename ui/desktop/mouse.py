"""Tracks the mouse over the picture and what it points at."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.picture.view import PictureView
from ui.desktop.tools.tool import PickResult
from ui.picture.overlay import PointPx


class Mouse:
    """Tracks the mouse over one picture."""

    def __init__(
        self,
        picture: PictureView,
        meaning: Callable[[PointPx], PickResult | None],
        press: Callable[[PickResult], None],
        release: Callable[[PickResult], None],
        moved: Callable[[], None],
    ) -> None:
        """Start tracking.

        Args:
            picture: The picture.
            meaning: Returns what is at a picture pixel; None without a picture.
            press, release: Called when the left button is pressed or released.
            moved: Called when the mouse has moved.
        """
        self._pick_at, self._moved = meaning, moved
        self._at_px: PointPx | None = None
        picture.pressed.connect(lambda x, y: self._use((x, y), press))
        picture.released.connect(lambda x, y: self._use((x, y), release))
        picture.moved.connect(lambda x, y: self._go((x, y)))
        picture.left.connect(lambda: self._go(None))

    @property
    def pointed(self) -> PickResult | None:
        """What the mouse points at now."""
        return self._pick_at(self._at_px) if self._at_px is not None else None

    def _use(self, at_px: PointPx, button: Callable[[PickResult], None]) -> None:
        self._at_px = at_px
        if (at := self.pointed) is not None:
            button(at)

    def _go(self, at_px: PointPx | None) -> None:
        self._at_px = at_px
        self._moved()
