"""What the mouse does: each tool answers a click, shows what a click would do, and lets go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from rules.tabletop.table import Figure, PointIn
from ui.desktop.translation import tr
from ui.measuring import figure_at
from ui.picture.overlay import PointPx, Preview
from ui.session import End, Ruler, Session
from vision.frame import Frame
from vision.table_view import TableView

_DRAG_PX = 12.0
"""On the screen; a shorter way from press to release is a click."""
REACH_PX = 10.0
"""On the screen; so near to a figure the mouse points at it."""


@dataclass(frozen=True, slots=True, eq=False)
class PickResult:
    """What the mouse points at.

    Attributes:
        frame: The picture on the screen.
        px: The pixel of it.
        figure: The figure there, if any.
        place_in: The place on the table's surface, None where there is none (no calibration, beyond the horizon).
        screen_scale: Pixels of the screen that one of the picture takes up.
        figures: Everybody who is seen.
    """

    frame: Frame
    px: PointPx
    figure: Figure | None
    place_in: PointIn | None
    screen_scale: float = 1.0
    figures: tuple[Figure, ...] = ()

    def place_of(self, end: End) -> PointIn | None:
        """Where an end of a ruler is now; None for a figure that is not seen."""
        if not isinstance(end, str):
            return end
        return next((figure.centre_in for figure in self.figures if figure.id == end), None)

    @property
    def end(self) -> End | None:
        """What a ruler would be laid to: the figure, else the bare place."""
        return self.figure.id if self.figure else self.place_in


def point_at(frame: Frame, view: TableView | None, px: PointPx, screen_scale: float) -> PickResult:
    """What a pixel means under the newest view."""
    if view is None or view.calibration is None:
        return PickResult(frame, px, None, None, screen_scale)
    figure = figure_at(view, px, reach_px=REACH_PX / screen_scale)
    x, y = view.calibration.camera.pixel_to_table(px)[0]
    width, height = view.calibration.camera.lens.image_size
    inside = 0 <= px[0] < width and 0 <= px[1] < height and bool(np.isfinite(x) and np.isfinite(y))
    return PickResult(frame, px, figure, (float(x), float(y)) if inside else None, screen_scale, view.figures)


def was_dragged(from_px: PointPx, at: PickResult) -> bool:
    """Whether the way from where the button went down is longer than that of a click."""
    return bool(np.hypot(at.px[0] - from_px[0], at.px[1] - from_px[1]) * at.screen_scale > _DRAG_PX)


class Tool(Protocol):
    """One tool; `hint` says in one line what the next click does."""

    name: str
    takes_wheel: bool

    @property
    def in_progress(self) -> bool:
        """Whether Enter or the right button would end something."""
        ...

    @property
    def hint(self) -> str:
        """What to do next."""
        ...

    def press(self, at: PickResult) -> None:
        """The button went down."""
        ...

    def release(self, at: PickResult) -> None:
        """The button came up."""
        ...

    def turn(self, steps: int) -> None:
        """The wheel, or + and -."""
        ...

    def number(self, value: float) -> None:
        """A number was typed, of inches."""
        ...

    def again(self) -> None:
        """It was chosen while it was in hand already."""
        ...

    def finish(self) -> None:
        """Enter, or the right button, while something is in progress."""
        ...

    def cancel(self) -> bool:
        """Let go of what is half done; whether there was something."""
        ...

    def preview(self, at: PickResult | None) -> Preview:
        """What to show while the mouse points there."""
        ...


class PlainTool:
    """What most tools do with a gesture that is not theirs: nothing."""

    takes_wheel = False

    @property
    def in_progress(self) -> bool:
        """Nothing is."""
        return False

    def press(self, at: PickResult) -> None:
        """Nothing."""

    def release(self, at: PickResult) -> None:
        """Nothing."""

    def turn(self, steps: int) -> None:
        """Nothing."""

    def number(self, value: float) -> None:
        """Nothing."""

    def again(self) -> None:
        """Begin anew."""
        self.cancel()

    def finish(self) -> None:
        """Nothing."""

    def cancel(self) -> bool:
        """Nothing was half done."""
        return False

    def preview(self, at: PickResult | None) -> Preview:
        """The figure under the mouse stands out."""
        return Preview(hovered=at.figure.id if at and at.figure else None)


class SelectTool(PlainTool):
    """Shows what is known of a figure: the one under the mouse, else the one clicked."""

    name = "select"

    def __init__(self) -> None:
        self._picked: str | None = None

    @property
    def hint(self) -> str:
        """What to do next."""
        return tr("Point at a figure to see what is known of it; click to keep it picked.")

    def press(self, at: PickResult) -> None:
        """Pick the figure, or none."""
        self._picked = at.figure.id if at.figure else None

    def cancel(self) -> bool:
        """Pick none."""
        had, self._picked = self._picked is not None, None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The picked figure and the one under the mouse stand out."""
        hovered = at.figure.id if at and at.figure else None
        return Preview(hovered=hovered, picked=self._picked, asked=hovered or self._picked)


class MeasureTool(PlainTool):
    """Lays a ruler from one figure or place to another: two clicks, or one drag."""

    name = "measure"

    def __init__(self, session: Session) -> None:
        self._session = session
        self._first: End | None = None
        self._pressed_px: PointPx = (0.0, 0.0)

    @property
    def hint(self) -> str:
        """What to do next."""
        if self._first is None:
            return tr("Click a soldier, then another: the distance. A bare place on the table will do, too.")
        return tr("Now click the other soldier, or a place on the table. Esc lets go.")

    def press(self, at: PickResult) -> None:
        """Take the first end, or lay the ruler to the second."""
        self._pressed_px = at.px
        if at.end is None:
            return
        if self._first is None:
            self._first = at.end
        else:
            self._lay(at.end)

    def release(self, at: PickResult) -> None:
        """After a drag: lay the ruler to where it ended."""
        if was_dragged(self._pressed_px, at) and at.end not in (None, self._first):
            self._lay(at.end)

    def _lay(self, end: End | None) -> None:
        if self._first is not None and end is not None and end != self._first:
            self._session.lay_ruler(self._first, end)
            self._first = None

    def cancel(self) -> bool:
        """Let go of the first end."""
        had, self._first = self._first is not None, None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The ruler as it would be laid."""
        end = at.end if at else None
        return Preview(
            hovered=at.figure.id if at and at.figure else None,
            picked=self._first if isinstance(self._first, str) else None,
            pin_in=None if isinstance(self._first, str) else self._first,
            ruler=Ruler(self._first, end) if self._first is not None and end not in (None, self._first) else None,
        )


class PathTool(PlainTool):
    """Lays a ruler round corners: click after click; Enter, the right button or a second click at the end ends it."""

    name = "path"

    def __init__(self, session: Session) -> None:
        self._session = session
        self._first: End | None = None
        self._stops: tuple[tuple[End, PointIn], ...] = ()

    @property
    def in_progress(self) -> bool:
        """Whether there is a path to end."""
        return bool(self._stops)

    @property
    def hint(self) -> str:
        """What to do next."""
        if self._first is None:
            return tr("Click a soldier or a place, then each corner of the way: how long it is.")
        return tr("Click the next corner; the right button, Enter or a second click ends the way. Esc lets go.")

    def press(self, at: PickResult) -> None:
        """Take the first end, then each corner."""
        if at.end is None:
            return
        if self._first is None:
            self._first = at.end
        elif at.end == (self._stops[-1][0] if self._stops else None):
            self.finish()
        elif (place := at.figure.centre_in if at.figure else at.place_in) is not None:
            self._stops = (*self._stops, (at.end, place))

    def finish(self) -> None:
        """Lay the ruler as far as the last click."""
        if self._first is not None and self._stops:
            via = tuple(place for _, place in self._stops[:-1])
            self._session.lay_ruler(self._first, self._stops[-1][0], via)
        self.cancel()

    def cancel(self) -> bool:
        """Let go of the path."""
        had, self._first, self._stops = self._first is not None, None, ()
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The ruler as far as the mouse."""
        end = at.end if at else None
        last = self._stops[-1][0] if self._stops else self._first
        loose = end if end not in (None, last) else None
        ruler = None
        if self._first is not None and loose is not None:
            ruler = Ruler(self._first, loose, tuple(place for _, place in self._stops))
        elif self._first is not None and self._stops:
            ruler = Ruler(self._first, self._stops[-1][0], tuple(place for _, place in self._stops[:-1]))
        return Preview(
            hovered=at.figure.id if at and at.figure else None,
            picked=self._first if isinstance(self._first, str) else None,
            pin_in=None if isinstance(self._first, str) else self._first,
            ruler=ruler,
        )
