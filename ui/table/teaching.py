"""Teaching an army's plastic by a click: finds the figure, prevents wrong colours, and learns from corrections."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Posture
from ui.background_task import BackgroundTask
from ui.rules_text import display_name, side_name
from ui.table.corrections import ArmyChanged, Confirmed, Correction, PostureSet
from ui.table.portrait import figure_crop
from ui.translation import tr
from vision.examples import CROP_PX, Appearance, Example
from vision.frame import Frame
from vision.palette import ArmyColour, Palette, merged
from vision.setup import Setup
from vision.stock_colours import is_stock_colour
from vision.table_outline import marker_papers
from vision.table_view import TableView
from vision.teaching import ClickedFigure, FigurePicker

_NEAREST_IN = 6.0
"""A click within this distance may have been meant for a figure."""


class NoFigureThere(UserError):
    """A click to teach an army's colour hit bare table."""

    def __init__(self, nearest: Figure | None = None, nearest_px: PointPx | None = None) -> None:
        super().__init__(
            tr("No soldier here. The nearest is {soldier}.", soldier=display_name(nearest.id))
            if nearest
            else tr("No soldier here. Click the middle of a base.")
        )
        self.nearest, self.nearest_px = nearest, nearest_px


class OtherPlastic(UserError):
    """A click to teach one army hit a figure that looks like another army's.

    Attributes:
        like: The known army that the figure looks like; empty if none.
    """

    def __init__(self, army: str, like: str) -> None:
        super().__init__(
            tr("That soldier looks like {army}.", army=side_name(like))
            if like
            else tr("That soldier looks different from {army}.", army=side_name(army))
        )
        self.army, self.like = army, like


def no_figure(view: TableView, px: PointPx) -> NoFigureThere:
    """The error for a click on bare table, with the figure nearest to it; `view` must have a calibration."""
    assert view.calibration is not None
    camera = view.calibration.camera
    x, y = camera.pixel_to_table(px)[0]
    near = [(math.dist((x, y), figure.centre_in), figure) for figure in view.figures]
    away_in, nearest = min(near, key=lambda pair: pair[0], default=(math.inf, None))
    if nearest is None or not away_in < _NEAREST_IN:
        return NoFigureThere()
    u, v = camera.table_to_pixel((*nearest.centre_in, nearest.z_in))[0]
    return NoFigureThere(nearest, (float(u), float(v)))


def refuse_other_plastic(clicked: ArmyColour, palette: Palette) -> None:
    """Prevent mixing two armies' plastics, or teaching one army under two names.

    Args:
        clicked: The clicked colour, with the name of the army to teach.
        palette: The armies; those that still have their usual colour accept any plastic.

    Raises:
        OtherPlastic: if the click does not fit its army, or fits another better.
    """
    seen = [colour for colour in palette if not is_stock_colour(colour)]
    own = own_plastic(clicked, tuple(seen))
    if own is not None and not is_other_plastic(clicked, own):
        return
    like = same_plastic(clicked, [colour for colour in seen if colour.name != clicked.name])
    if own is not None or like is not None:
        raise OtherPlastic(clicked.name, like.name if like is not None else "")


def taught(clicked: ArmyColour, palette: Palette) -> Palette:
    """The palette with the clicked colour, which refines the most similar plastic of its army."""
    known = own_plastic(clicked, palette)
    others = tuple(colour for colour in palette if colour is not known)
    colour = clicked if known is None else merged(known, clicked)
    return tuple(sorted((*others, colour), key=lambda army: army.name))


def own_plastic(clicked: ArmyColour, palette: Palette) -> ArmyColour | None:
    """The plastic of the same army that is most similar to the clicked colour; None if the army is new."""
    own = [colour for colour in palette if colour.name == clicked.name]
    return min(own, key=lambda colour: apart(colour, clicked), default=None)


_CROP_IN = 2.4  # side of an example's square picture


def learned(
    setup: Setup, corrections: Iterable[Correction], shown: TableView, seen: TableView, names: Mapping[str, str]
) -> Setup:
    """The setup with the examples from these corrections; the identical setup if there are none.

    `shown` is the view with the earlier corrections, `seen` without; `names` has the shown id for each track id.
    """
    looks = {names.get(track, track): look for track, look in seen.appearances.items()}
    figures = {figure.id: figure for figure in shown.figures}
    new = [
        example
        for change in corrections
        if isinstance(change, Confirmed | PostureSet | ArmyChanged) and change.id in looks and change.id in figures
        for example in _examples(change, figures[change.id], looks[change.id], seen)
    ]
    return replace(setup, examples=setup.examples.with_added(new)) if new else setup


def _examples(
    correction: Confirmed | PostureSet | ArmyChanged, figure: Figure, look: Appearance, view: TableView
) -> Iterable[Example]:
    match correction:
        case PostureSet(_, posture):
            figure = replace(figure, posture=posture)
        case ArmyChanged(_, army):
            figure = replace(figure, army=army)
    if figure.posture is not Posture.VEHICLE and (crop := figure_crop(view, figure, _CROP_IN, CROP_PX)) is not None:
        yield Example(figure.id, figure.army, figure.posture, look.signature, look.colour, crop)


PointPx = tuple[float, float]
"""x and y in pixels of the camera's picture."""

RESTS_S = 0.1
"""The mouse rests if it has not moved for this time."""
_SAME_PX = 4.0  # movement of the mouse during a click
_AROUND_PX = 40  # margin of the picture that must be unchanged; a soldier is 40 to 60 pixels high
_BLUR_PX, _SAME_LEVELS = 7, 24  # grey levels: noise averages to 2 over the blur, a new soldier changes 40

# Log chroma between single clicks on the simulated table, three seeds, with and without its empty picture: on two
# soldiers of one army 0.04 in the middle and 0.10 at most, shade included; on a green and a tan one 0.13 at least.
_OTHER_PLASTIC = 0.12
_SAME_PLASTIC = 0.08


@dataclass(frozen=True, slots=True, eq=False)
class PickRequest:
    """A request to find the figure at a pixel.

    Attributes:
        view: The newest view; it must have a calibration.
    """

    frame: Frame
    px: PointPx
    view: TableView
    setup: Setup

    def answer(self, picker: FigurePicker) -> Pick:
        """Find the figure; takes 50 to 300 ms."""
        calibration, setup = self.view.calibration, self.setup
        assert calibration is not None
        found = picker.pick(
            self.frame.image_bgr,
            calibration.camera,
            self.px,
            palette=setup.palette,
            figure_height_in=setup.figure_height_in,
            terrain=setup.terrain,
            reference_bgr=setup.reference_bgr,
            reference_camera=self.view.reference_camera,
            papers_in=marker_papers(calibration),
        )
        return Pick(self, found if found is not None and found.is_figure else None)

    def covers(self, other: PickRequest) -> bool:
        """Whether the other request has the same answer: nearly the same pixel, and an unchanged picture around it."""
        if self.setup is not other.setup or math.dist(self.px, other.px) > _SAME_PX:
            return False
        if self.frame is other.frame:
            return True
        one, two = self._around(self.frame), self._around(other.frame)
        return one.shape == two.shape and bool(cv2.absdiff(one, two).max() < _SAME_LEVELS)

    def _around(self, frame: Frame) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
        """The blurred picture around the pixel."""
        x, y = round(self.px[0]), round(self.px[1])
        rows = slice(max(0, y - _AROUND_PX), y + _AROUND_PX + 1)
        columns = slice(max(0, x - _AROUND_PX), x + _AROUND_PX + 1)
        return np.asarray(cv2.blur(frame.image_bgr[rows, columns], (_BLUR_PX, _BLUR_PX)), np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Pick:
    """The answer to a request; no figure on bare table."""

    request: PickRequest
    figure: ClickedFigure | None


class HoverPicker:
    """Finds the figure under the resting mouse, one request at a time, in the background."""

    def __init__(self) -> None:
        self._task: BackgroundTask[Pick] = BackgroundTask("sandtable pick")
        self._picker: FigurePicker | None = None
        self._asked: PickRequest | None = None
        self._ready: Pick | None = None
        self._at_px: PointPx | None = None
        self._since_s = 0.0

    def follow(self, request: PickRequest | None, now_s: float) -> bool:
        """Follow the mouse; to be called often. Returns whether a new answer has arrived."""
        came = self._task.take()
        if came is not None:
            self._ready = came
        if request is None:
            self._at_px = None
        elif self._at_px is None or math.dist(self._at_px, request.px) > _SAME_PX:
            self._at_px, self._since_s = request.px, now_s
        elif now_s - self._since_s >= RESTS_S and not self._task.busy:
            self._ask(request)
        return came is not None

    def pick_for(self, request: PickRequest) -> Pick | None:
        """The answer to a request; None until it is known."""
        return self._ready if self._ready is not None and self._ready.request.covers(request) else None

    def close(self) -> None:
        """Stop for good; a search in progress ends by itself."""
        self._task.drop()

    def _ask(self, request: PickRequest) -> None:
        if self._asked is not None and self._asked.covers(request):
            return
        self._asked = request
        self._task.start(lambda: self._answer(request))

    def _answer(self, request: PickRequest) -> Pick:
        self._picker = self._picker or FigurePicker()  # here, because loading the networks is slow
        return request.answer(self._picker)


def is_other_plastic(clicked: ArmyColour, army: ArmyColour) -> bool:
    """Whether the clicked colour clearly is not an army's plastic in any light."""
    return apart(clicked, army) > _OTHER_PLASTIC


def same_plastic(clicked: ArmyColour, armies: Iterable[ArmyColour]) -> ArmyColour | None:
    """The army whose plastic looks like the clicked colour, or None."""
    nearest = min(armies, key=lambda army: apart(clicked, army), default=None)
    return nearest if nearest is not None and apart(clicked, nearest) < _SAME_PLASTIC else None


def apart(colour: ArmyColour, other: ArmyColour) -> float:
    """Distance between two log chromas, without brightness, which depends on the light."""
    return math.dist(colour.mean[:2], other.mean[:2])
