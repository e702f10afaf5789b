"""The figure under a click: its outline in the picture and the colours of its plastic.

Its army need not be known. The colour under the pointer shows where such plastic is, the networks (`recogniser`) find
the figure whose body is there, and the body shows which pixels are plastic. Sizes are in inches on the table, so the
scale of the picture does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.table import (
    STANDING_HEIGHT_IN,
    FloatArray,
    Outline,
    PointIn,
    Posture,
    TerrainPiece,
    ellipse_outline,
)
from vision.frame import ImageBgr
from vision.ground import Grounds, RectifiedGround
from vision.motion import MaskImage
from vision.palette import ArmyColour, FloatImage, Palette, learn_colour, log_colour
from vision.recogniser import POSTURES, Candidate, Hint, Recogniser
from vision.rectified import BoolImage, RectifiedImage
from vision.segment import EVIDENCE_LIMIT, Likelihood, army_evidence, cells_of, disc, likelihood, relit_empty_table
from vision.silhouette import figure_scale, solids
from vision.tiles import TILE_PX_PER_IN, NetworkView, tile_at
from vision.vehicles import hulls

_AROUND_IN = 2.5  # searched on each side of the click
_VEHICLE_IN, _VEHICLE_SCORE = 6.0, 2.0  # the same for vehicles, and the score of a vehicle, found by its shape alone
_PATCH_IN = 0.14  # radius around the click that is taken for plastic
_PATCH_CHROMA, _PATCH_LIGHT = 0.12, 0.5  # log ratios: pixels that differ more from the clicked one are left out
_PATCH_SIGMA = (0.05, 0.07, 0.3)
_HEIGHTS_IN = (0.2, 0.7, 1.3)  # possible heights of the clicked point above the feet: base or body
_LYING_IN = ((0.5, 0.0), (-0.5, 0.0), (0.0, 0.5), (0.0, -0.5))  # possible offsets of a casualty's middle from there
_LIKELIEST, _LIKELY = 4, 0.3  # number of best candidates that are examined again, and the least chance of the results
_REACH_IN = 1.2  # a figure whose feet are further from the click is another figure
_BESIDE_IN = 0.12  # outside the body per unit of log odds: the modelled body has no arms and rifles
_LYING_BESIDE_IN = 0.25  # the same for casualties, whose limbs reach further out
_CONTRAST = 2.0  # log odds per unit of evidence under the click
_MIN_SCORE = -1.5  # accepts 207 of 208 soldiers of the rendered tables, and few bare places
_ARMS_IN = 0.1  # plastic extends this far beyond the modelled body
_TABLE_IN = (0.3, 1.0)  # distances from the body between which bare table is seen
_MAX_OWN_SHARE, _MIN_TABLE_SHARE = 0.3, 0.3
"""The click fell between the limbs if less of the body, and more of the table, has the clicked colour."""
_COLOUR_CLUSTERS = 4  # in a body: plastic in light and in shade, table, shadow
_MIN_PLASTIC_IN2 = 0.05  # less plastic is not enough to learn from
_SAMPLE_STEP = 4  # step between the rows and columns from which the table's colours are learned


@dataclass(frozen=True, slots=True, eq=False)
class ClickedFigure:
    """The figure under a click.

    Attributes:
        foot_in: Place of its base.
        outline_px: (N, 2) pixels of the picture around its plastic.
        colours: (M, 3) log colours of its plastic.
        score: Log odds that it is a figure, plus the contrast of the clicked colour; near 0 is doubtful.
    """

    foot_in: PointIn
    outline_px: FloatArray
    colours: FloatImage
    score: float

    @property
    def is_figure(self) -> bool:
        """Whether this is a figure rather than bare table."""
        return self.score > _MIN_SCORE

    def learn(self, army: str, known: ArmyColour | None = None) -> ArmyColour:
        """The army's colour refined by this figure."""
        return learn_colour(self.colours, army, known)


@dataclass(frozen=True, slots=True, eq=False)
class _Click:
    """A click, the colour under it, and the scale of the figures (standing height / 2.1 in)."""

    camera: TableCamera
    px: tuple[float, float]
    scale: float
    colour: ArmyColour


@dataclass(frozen=True, slots=True, eq=False)
class _FigureAtClick:
    """A candidate at the click, with the ground it stands on."""

    score: float
    candidate: Candidate
    rectified: RectifiedGround
    evidence: FloatImage
    body_in: Sequence[FloatArray]
    foot_in: PointIn


class FigurePicker:
    """Finds the figure under a click; holds the networks, so do not share it between threads."""

    def __init__(self) -> None:
        self._recogniser = Recogniser()

    def pick(
        self,
        image_bgr: ImageBgr,
        camera: TableCamera,
        px: tuple[float, float],
        *,
        palette: Palette = (),
        figure_height_in: float = STANDING_HEIGHT_IN,
        terrain: Sequence[TerrainPiece] = (),
        reference_bgr: ImageBgr | None = None,
        reference_camera: TableCamera | None = None,
        papers_in: Sequence[Outline] = (),
    ) -> ClickedFigure | None:
        """The likeliest figure under a click; None if the click is outside the table.

        Args:
            image_bgr: (height, width, 3) uint8.
            camera: Its pose and lens.
            px: (x, y) of the click.
            palette: The armies known already; their colours are not the table's.
            figure_height_in: Height of a standing figure.
            terrain: Pieces on the table; figures may stand on those with a level top.
            reference_bgr: The empty table, of the same size.
            reference_camera: Pose from which that was taken, if not `camera`.
            papers_in: Outlines of the markers' paper.
        """
        scale = figure_scale(figure_height_in)
        ends = np.vstack([camera.pixel_to_table(px, height * scale) for height in (0.0, STANDING_HEIGHT_IN)])
        if not np.isfinite(ends).all():
            return None

        def grounds_around(reach_in: float) -> Grounds:
            low, high = ends.min(axis=0) - reach_in * scale, ends.max(axis=0) + reach_in * scale
            around = ((low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1]))
            return Grounds(camera, around, terrain, papers_in, reference_bgr, scale, reference_camera)

        patch = _patch_colour(image_bgr, px, _PATCH_IN * scale * camera.px_per_inch(*ends[0].tolist()))
        known = likelihood(cells_of(image_bgr[::_SAMPLE_STEP, ::_SAMPLE_STEP]).ravel(), (patch, *palette))
        click = _Click(camera, px, scale, patch)
        found = [
            one
            for rectified in grounds_around(_AROUND_IN).rectified(image_bgr)
            for one in self._candidates(rectified, click, known)
        ]
        best = max(found, key=lambda one: one.score, default=None)
        figure = None if best is None else _clicked_figure(best, click)
        if figure is not None and figure.is_figure:
            return figure
        hulls_there = (
            _vehicle(rectified, click, known) for rectified in grounds_around(_VEHICLE_IN).rectified(image_bgr)
        )
        return next((hull for hull in hulls_there if hull is not None), figure)

    def _candidates(self, rectified: RectifiedGround, click: _Click, known: Likelihood) -> Iterator[_FigureAtClick]:
        """Candidates on one ground that would be seen under the click."""
        ground, image, scale = rectified.ground, rectified.ground.image, click.scale
        heights = image.z_in + np.array((0.0, *_HEIGHTS_IN)) * scale
        click_in, *feet_in = click.camera.pixel_to_table(np.repeat([click.px], len(heights), axis=0), heights)
        if not any(ground.contains(float(x), float(y)) for x, y in feet_in):
            return
        evidence = army_evidence(rectified.picture_bgr, known, ground.empty)[0]
        evidence[ground.excluded] = 0
        empty = None if ground.empty is None else relit_empty_table(rectified.picture_bgr, ground.empty)
        view = NetworkView(
            rectified.picture_bgr, rectified.photo, evidence, ground.seen * ~ground.excluded, ground.eye_px, empty
        )
        zoom = image.px_per_in * scale / TILE_PX_PER_IN
        feet = image.to_pixel(np.array(feet_in))
        hints = [
            hint
            for hint in self._recogniser.hints(view, [tile_at(ground.eye_px, feet.mean(axis=0), zoom)])
            if np.linalg.norm(hint.at - feet, axis=1).min() < _REACH_IN * zoom * TILE_PX_PER_IN
        ]
        hints += [Hint(at, 0.5, zoom) for at in feet]
        contrast = _CONTRAST * _mean_at(evidence, image.to_pixel(click_in[None])[0])
        for one in self._recognised(view, hints, feet[0], zoom):
            x, y = (float(v) for v in image.to_table(one.column, one.row))
            posture = POSTURES[int(np.argmax(one.postures))]
            body = [image.project_solid(part) for part in solids(posture, x, y, math.degrees(one.facing_rad), scale)]
            beside_in = max(0.0, min(-_inside_in(part, click_in) for part in body)) / scale
            reach_in = _LYING_BESIDE_IN if posture is Posture.DOWN else _BESIDE_IN
            odds = math.log(max(one.chance, 1e-9) / max(1 - one.chance, 1e-9))
            yield _FigureAtClick(odds + contrast - beside_in / reach_in, one, rectified, evidence, body, (x, y))

    def _recognised(
        self, view: NetworkView, hints: Sequence[Hint], foot: FloatArray, zoom: float
    ) -> Iterator[Candidate]:
        """Candidates at some hints, and likely ones from a second examination around the click and the best of them.

        The second one finds casualties: a click on the hand of one is two inches from its middle.
        """
        seen = [look.candidate for look in self._recogniser.looks(view, hints)]
        yield from seen
        likeliest = sorted(seen, key=lambda one: -one.chance)[:_LIKELIEST]
        again = [Hint(np.array([one.column, one.row]), one.chance, zoom) for one in likeliest]
        again += [Hint(foot + np.array(away) * zoom * TILE_PX_PER_IN, 0.5, zoom) for away in _LYING_IN]
        yield from (look.candidate for look in self._recogniser.looks(view, again) if look.candidate.chance > _LIKELY)


def _vehicle(rectified: RectifiedGround, click: _Click, known: Likelihood) -> ClickedFigure | None:
    """The vehicle under a click, if there is one."""
    ground, image = rectified.ground, rectified.ground.image
    evidence = army_evidence(rectified.picture_bgr, known, ground.empty)[0]
    evidence[ground.excluded] = 0
    column, row = np.round(image.to_pixel(click.camera.pixel_to_table(click.px, image.z_in))[0]).astype(int)
    for hull in hulls(evidence, image.px_per_in * click.scale, EVIDENCE_LIMIT):
        if 0 <= row < hull.mask.shape[0] and 0 <= column < hull.mask.shape[1] and hull.mask[row, column]:
            x, y = image.to_table(*hull.corners_px.mean(axis=0))
            colours = log_colour(rectified.picture_bgr)[hull.mask & (evidence > 0)]
            whole = (slice(0, hull.mask.shape[0]), slice(0, hull.mask.shape[1]))
            outline_px = _outline_px(hull.mask, whole, image, click.camera)
            return ClickedFigure((float(x), float(y)), outline_px, colours, _VEHICLE_SCORE)
    return None


def _inside_in(outline_in: FloatArray, at_in: FloatArray) -> float:
    """Distance in inches of a place inside an outline; negative outside."""
    return cv2.pointPolygonTest(outline_in.astype(np.float32), (float(at_in[0]), float(at_in[1])), True)


def _mean_at(evidence: FloatImage, at: FloatArray) -> float:
    """Mean evidence of the 5 x 5 pixels around a point of a rectified image."""
    rows, columns = evidence.shape
    column, row = np.clip(np.round(at).astype(int), 2, (columns - 3, rows - 3))
    return float(evidence[row - 2 : row + 3, column - 2 : column + 3].mean())


def _clicked_figure(found: _FigureAtClick, click: _Click) -> ClickedFigure:
    """Pixels of a figure that have the clicked colour; if the click fell between its limbs, of its rarest colour."""
    image = found.rectified.ground.image
    px_per_in = click.scale * image.px_per_in
    patch = _circle(click.camera.pixel_to_table(click.px, image.z_in)[0], _PATCH_IN * click.scale)
    window, outline = image.rasterized([*found.body_in, patch])
    window, body = _widened(window, outline, round(_TABLE_IN[1] * px_per_in), image.shape)
    around = cv2.dilate(body, disc(_TABLE_IN[1] * px_per_in)) > cv2.dilate(body, disc(_TABLE_IN[0] * px_per_in))
    inside = cv2.dilate(body, disc(_ARMS_IN * px_per_in)) > 0
    colours = log_colour(np.asarray(cv2.blur(found.rectified.picture_bgr, (3, 3)), np.uint8))[window]
    alike = found.evidence[window] > 0
    if (
        _share(alike, body > 0) < _MAX_OWN_SHARE
        and _share(_similar(colours, click.colour.mean), around) > _MIN_TABLE_SHARE
    ):
        alike = _rarest_around(colours, inside, around)
    plastic = inside & alike
    if plastic.sum() < _MIN_PLASTIC_IN2 * px_per_in**2:
        spot = np.zeros(image.shape, np.uint8)
        image.fill(spot, patch, 1)
        plastic = np.asarray(spot[window] > 0)
    return ClickedFigure(
        found.foot_in, _outline_px(plastic, window, image, click.camera), colours[plastic], found.score
    )


def _widened(
    window: tuple[slice, slice], mask: BoolImage, by: int, shape: tuple[int, int]
) -> tuple[tuple[slice, slice], MaskImage]:
    """A window of a rectified image and the mask on it, extended on each side within the image."""
    rows, columns = (
        slice(max(0, part.start - by), min(size, part.stop + by)) for part, size in zip(window, shape, strict=True)
    )
    wide = np.zeros((rows.stop - rows.start, columns.stop - columns.start), np.uint8)
    down, across = window[0].start - rows.start, window[1].start - columns.start
    wide[down : down + mask.shape[0], across : across + mask.shape[1]] = mask
    return (rows, columns), wide


def _share(alike: BoolImage, where: BoolImage) -> float:
    return float(alike[where].mean()) if where.any() else 0.0


def _rarest_around(colours: FloatImage, inside: BoolImage, around: BoolImage) -> BoolImage:
    """Mask of the body's colour cluster that is rarest around the body."""
    own = np.float32(colours[inside])
    criteria = (cv2.TERM_CRITERIA_EPS + cv2.TERM_CRITERIA_MAX_ITER, 20, 0.01)
    cv2.setRNGSeed(1)
    _, _, kinds = cv2.kmeans(own, _COLOUR_CLUSTERS, np.empty(0), criteria, 2, cv2.KMEANS_PP_CENTERS)  # type: ignore[call-overload]
    near = [_similar(colours, kind) for kind in kinds]
    return max(near, key=lambda alike: _share(alike, inside) - _share(alike, around))


def _similar(colours: FloatImage, colour: FloatArray | FloatImage) -> BoolImage:
    away = np.abs(colours - colour)
    return np.asarray((np.hypot(away[..., 0], away[..., 1]) < _PATCH_CHROMA) & (away[..., 2] < _PATCH_LIGHT))


def _circle(middle_in: FloatArray, radius_in: float) -> FloatArray:
    return np.array(ellipse_outline((float(middle_in[0]), float(middle_in[1])), radius_in, radius_in, points=12))


def _outline_px(
    plastic: BoolImage, window: tuple[slice, slice], image: RectifiedImage, camera: TableCamera
) -> FloatArray:
    """(N, 2) pixels of the picture around the largest connected part of a mask on a window of a rectified image."""
    outlines, _ = cv2.findContours(plastic.astype(np.uint8), cv2.RETR_EXTERNAL, cv2.CHAIN_APPROX_NONE)
    points = max(outlines, key=len).reshape(-1, 2) + (window[1].start, window[0].start)
    places = image.low_in + points / image.px_per_in
    return camera.table_to_pixel(np.c_[places, np.full(len(places), image.z_in)])


def _patch_colour(image_bgr: ImageBgr, px: tuple[float, float], radius_px: float) -> ArmyColour:
    """The colour around a click, without pixels that differ from the clicked one."""
    x, y = round(px[0]), round(px[1])
    reach = max(1, round(2 * radius_px))
    left, top = max(0, x - reach), max(0, y - reach)
    part = cv2.GaussianBlur(image_bgr[top : y + reach + 1, left : x + reach + 1], (0, 0), max(0.6, 0.2 * radius_px))
    colours = log_colour(np.asarray(part, np.uint8))
    at = (y - top, x - left)
    own = colours[max(0, at[0] - 1) : at[0] + 2, max(0, at[1] - 1) : at[1] + 2].reshape(-1, 3).mean(axis=0)
    rows, columns = np.ogrid[: colours.shape[0], : colours.shape[1]]
    near = (np.hypot(rows - at[0], columns - at[1]) <= max(1.0, radius_px)) & _similar(colours, own)
    near[at] = True
    covariance = np.diag(np.square(_PATCH_SIGMA))
    return ArmyColour("clicked", colours[near].mean(axis=0).astype(np.float64), covariance, int(near.sum()))
