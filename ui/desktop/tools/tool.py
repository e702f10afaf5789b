"""The base of all mouse tools, and the tools that select and measure."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from rules.tabletop.table import Figure, PointIn
from ui.measuring import figure_at
from ui.picture.preview import Preview
from ui.picture.shapes import PointPx
from ui.session import End, Ruler, Session
from ui.translation import tr
from vision.frame import Frame
from vision.table_view import TableView

_DRAG_PX = 12.0
"""Screen pixels; a shorter movement from press to release is a click."""
REACH_PX = 10.0
"""Screen pixels; the mouse points at a figure that is this close."""


@dataclass(frozen=True, slots=True, eq=False)
class PickResult:
    """What the mouse points at.

    Attributes:
        frame: The picture on the screen.
        px: The picture pixel.
        figure: The figure there, if any.
        place_in: The place on the table's surface; None without a calibration or beyond the horizon.
        screen_scale: Screen pixels per picture pixel.
        figures: All figures seen.
    """

    frame: Frame
    px: PointPx
    figure: Figure | None
    place_in: PointIn | None
    screen_scale: float = 1.0
    figures: tuple[Figure, ...] = ()

    def place_of(self, end: End) -> PointIn | None:
        """Position of a ruler's end; None for a figure that is not seen."""
        if not isinstance(end, str):
            return end
        return next((figure.centre_in for figure in self.figures if figure.id == end), None)

    @property
    def end(self) -> End | None:
        """The end of a ruler laid here: the figure, else the place."""
        return self.figure.id if self.figure else self.place_in


def point_at(frame: Frame, view: TableView | None, px: PointPx, screen_scale: float) -> PickResult:
    """What is at a pixel in the newest view."""
    if view is None or view.calibration is None:
        return PickResult(frame, px, None, None, screen_scale)
    figure = figure_at(view, px, reach_px=REACH_PX / screen_scale)
    x, y = view.calibration.camera.pixel_to_table(px)[0]
    width, height = view.calibration.camera.lens.image_size
    inside = 0 <= px[0] < width and 0 <= px[1] < height and bool(np.isfinite(x) and np.isfinite(y))
    return PickResult(frame, px, figure, (float(x), float(y)) if inside else None, screen_scale, view.figures)


def was_dragged(from_px: PointPx, at: PickResult) -> bool:
    """Whether the mouse moved farther since the press than during a click."""
    return bool(np.hypot(at.px[0] - from_px[0], at.px[1] - from_px[1]) * at.screen_scale > _DRAG_PX)


class Tool:
    """A mouse tool; by default it ignores all gestures.

    Attributes:
        name: Its name in actions and settings.
        takes_wheel: Whether the wheel is the tool's; otherwise it zooms.
    """

    name: str
    takes_wheel = False

    @property
    def hint(self) -> str:
        """What the next click does, for the player, in one line."""
        raise NotImplementedError

    @property
    def in_progress(self) -> bool:
        """Whether Enter or a right click would end something."""
        return False

    def press(self, at: PickResult) -> None:
        """Handle the button's press."""

    def release(self, at: PickResult) -> None:
        """Handle the button's release."""

    def turn(self, steps: int) -> None:
        """Handle the wheel, or + and -."""

    def number(self, value: float) -> None:
        """Handle a typed number, in inches."""

    def again(self) -> None:
        """Handle the selection of the tool that is already selected: start over."""
        self.cancel()

    def finish(self) -> None:
        """Handle Enter or a right click while something is in progress."""

    def cancel(self) -> bool:
        """Cancel the current step; return whether there was one."""
        return False

    def preview(self, at: PickResult | None) -> Preview:
        """What to draw while the mouse points there: by default highlight the figure."""
        return Preview(hovered=figure_id(at))


def figure_id(at: PickResult | None) -> str | None:
    """The id of the figure that the mouse points at; None if there is none."""
    return at.figure.id if at is not None and at.figure is not None else None


def start_preview(start: End | None) -> Preview:
    """The highlighted start of a ruler or template: a figure or a place."""
    return Preview(picked=start) if isinstance(start, str) else Preview(pin_in=start)


class FigureTool(Tool):
    """A tool about one figure: a click keeps the figure there, a click on bare table none.

    Attributes:
        picked: The figure that was kept.
    """

    picked: str | None = None

    def press(self, at: PickResult) -> None:
        self.picked = figure_id(at)

    def cancel(self) -> bool:
        had, self.picked = self.picked is not None, None
        return had


class SelectTool(FigureTool):
    """Shows what is known about a figure: the one under the mouse, else the selected one."""

    name = "select"

    @property
    def hint(self) -> str:
        return tr("Point at a soldier to see what the program knows about it; click to keep it.")

    def preview(self, at: PickResult | None) -> Preview:
        hovered = figure_id(at)
        return Preview(hovered=hovered, picked=self.picked, asked=hovered or self.picked)


class PathTool(Tool):
    """Lays a ruler around corners, click by click; Enter, a right click or a second click at its end ends it."""

    name = "path"

    def __init__(self, session: Session) -> None:
        self._session = session
        self._first: End | None = None
        self._stops: tuple[tuple[End, PointIn], ...] = ()

    @property
    def in_progress(self) -> bool:
        return bool(self._stops)

    @property
    def hint(self) -> str:
        if self._first is None:
            return tr("Click a soldier or a place, then each corner of the path.")
        return tr("Click the next corner; a right click, Enter or a second click ends the path. Esc cancels.")

    def press(self, at: PickResult) -> None:
        if self._first is None:
            self._first = at.end
        elif self._stops and at.end == self._stops[-1][0]:
            self.finish()
        else:
            self._stops = self._stops_to(at)

    def finish(self) -> None:
        """Lay the ruler up to the last click."""
        ruler = self._ruler(self._stops)
        if ruler is not None:
            self._session.lay_ruler(ruler.a, ruler.b, ruler.via)
        self.cancel()

    def cancel(self) -> bool:
        had, self._first, self._stops = self._first is not None, None, ()
        return had

    def preview(self, at: PickResult | None) -> Preview:
        ruler = self._ruler(self._stops_to(at) if at is not None else self._stops)
        return replace(start_preview(self._first), hovered=figure_id(at), ruler=ruler)

    def _stops_to(self, at: PickResult) -> tuple[tuple[End, PointIn], ...]:
        """The stops and, if it is another one, what the mouse points at."""
        last = self._stops[-1][0] if self._stops else self._first
        place_in = at.figure.centre_in if at.figure else at.place_in
        return self._stops if at.end in (None, last) or place_in is None else (*self._stops, (at.end, place_in))

    def _ruler(self, stops: tuple[tuple[End, PointIn], ...]) -> Ruler | None:
        if self._first is None or not stops:
            return None
        return Ruler(self._first, stops[-1][0], tuple(place_in for _, place_in in stops[:-1]))


class MeasureTool(PathTool):
    """Lays a ruler between two figures or places, with two clicks or one drag."""

    name = "measure"
    _pressed_px: PointPx = (0.0, 0.0)

    @property
    def hint(self) -> str:
        if self._first is None:
            return tr("Click two soldiers to measure the distance. You can also click places on the table.")
        return tr("Now click the other soldier, or a place on the table. Esc cancels.")

    def press(self, at: PickResult) -> None:
        self._pressed_px = at.px
        self._click(at)

    def release(self, at: PickResult) -> None:
        """Take the end of a drag for the second click."""
        if self._first is not None and was_dragged(self._pressed_px, at):
            self._click(at)

    def _click(self, at: PickResult) -> None:
        super().press(at)
        if self._stops:
            self.finish()
