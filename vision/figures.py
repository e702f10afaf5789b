"""The finder: soldiers and vehicles in one picture, at the places of their bases.

The picture is rectified to the table and to every raised surface (`ground`), every pixel gets its evidence for each
army (`segment`), and where that stands out (`tile_proposals`) three small networks look for figures (`recogniser`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.tabletop.errors import user_error
from rules.tabletop.table import (
    POSTURE_HEIGHT_IN,
    STANDING_HEIGHT_IN,
    FloatArray,
    Outline,
    PointIn,
    Posture,
    TerrainPiece,
)
from vision.area import table_area
from vision.examples import Appearance
from vision.frame import ImageBgr
from vision.ground import Ground, Grounds, RectifiedGround
from vision.likeness import signature
from vision.motion import Box
from vision.palette import ArmyColour, FloatImage, Palette, learn_colour, log_colour
from vision.proposals import FigurePlastic, proposed_palette, refined_by_groups, shadows, with_new_armies
from vision.recogniser import POSTURES, Candidate, Recogniser
from vision.rectified import BoolImage
from vision.segment import (
    EVIDENCE_LIMIT,
    CellImage,
    Likelihood,
    any_plastic,
    army_evidence,
    cells_of,
    disc,
    likelihood,
    relit_empty_table,
)
from vision.separation import Separation, separations
from vision.silhouette import base_outline, figure_scale, solids
from vision.tile_proposals import propose_tiles
from vision.tiles import NetworkView
from vision.vehicles import hulls

_MIN_CHANCE = 0.5  # of a candidate that counts as a figure
_LEAST_SHADOWS = 3  # of a proposed army that is dropped
_MIN_CHANCE_TO_LEARN = 0.7  # of one that shows an army's colour, without the empty table: prints and leaves deceive
_MIN_CHANCE_EXPECTED = 0.2  # where a figure stood a moment ago
_EXPECTED_IN = 0.5  # largest distance from that place
_REFINING_CHANCE, _MIN_REFINING_FIGURES = 0.9, 3  # chance and number of figures that refine an army's colour
_REFINING_ROUNDS, _REFINING_ROUNDS_WITH_REFERENCE = 2, 1  # more change little
_MIN_SEPARATION_IN = 0.42  # figures do not stand nearer together
_MIN_LYING_SEPARATION_IN = 0.75  # the same for casualties: each is 2 in long, and its two ends may look like two
_MIN_FACING_CONFIDENCE = 0.6
_SIGMA = (0.03, 1.5)  # inches that are always there, and the close-up network's error on unseen toys / its own sigma
_VEHICLE_SIGMA_IN = 0.2
_SAMPLE_STEP = 2  # step between the rows and columns from which the table's colours are learned
_UNTAUGHT = ArmyColour("", np.zeros(3), np.eye(3), 0)
"""Stands for all armies while no colour is known."""
_DARK_RAMP = (-2.8, 0.5)  # log brightness up to which evidence is 0, and the width of the ramp up to full evidence

Hidden = Callable[[tuple[float, float, float]], bool]
"""Whether a place on the table, in inches, is hidden by a hand."""


@dataclass(frozen=True, slots=True)
class Sighting:
    """One figure in one picture, before it has an id.

    Attributes:
        army: Name of the army.
        x_in, y_in: Centre of the base; of a casualty, of its outline.
        z_in: Height of the surface it stands on.
        sigma_in: One standard deviation of the place along one axis, without the calibration's error.
        posture: Standing, kneeling, prone, down or vehicle.
        base_in: Outline of the base; of a casualty or a vehicle, of the whole.
        facing_deg: Counter-clockwise from +x; None when the shape does not show it.
        confidence: 0 to 1.
        appearance: None for a vehicle.
    """

    army: str
    x_in: float
    y_in: float
    z_in: float
    sigma_in: float
    posture: Posture
    base_in: Outline
    facing_deg: float | None
    confidence: float
    appearance: Appearance | None = field(default=None, compare=False, repr=False)


class Finder:
    """Finds figures, and keeps what does not change from picture to picture.

    Attributes:
        separations: How well the armies' colours separate, as of the last search of a whole picture.
        proposed: Armies found by grouping the figures by colour, while no army is taught.
    """

    def __init__(self) -> None:
        self.separations: tuple[Separation, ...] = ()
        self.proposed: Palette = ()
        self._grounds_key: tuple[object, ...] = ()
        self._reference: ImageBgr | None = None
        self._grounds: Grounds | None = None
        self._palette: Palette = ()
        self._refined: Palette = ()
        self._colour_model: Likelihood | None = None  # of the palette and the last picture that was searched whole
        self._recogniser: Recogniser | None = None
        self._hidden: Hidden = lambda _: False

    def find(
        self,
        image_bgr: ImageBgr,
        camera: TableCamera,
        palette: Palette,
        *,
        figure_height_in: float = STANDING_HEIGHT_IN,
        terrain: Sequence[TerrainPiece] = (),
        reference_bgr: ImageBgr | None = None,
        reference_camera: TableCamera | None = None,
        keep_out_in: Sequence[Outline] = (),
        aside_px: Sequence[Box] = (),
        area_in: Outline | None = None,
        expected_in: Sequence[PointIn] = (),
        within_px: Box | None = None,
        propose: bool = False,
        hidden: Hidden = lambda _: False,
        known_in: Sequence[PointIn] = (),
    ) -> tuple[Sighting, ...]:
        """Find the figures of the taught armies in one picture, or in a part of it.

        Args:
            image_bgr: (height, width, 3) uint8.
            camera: Pose and lens.
            palette: The armies; if empty, the proposed armies are found.
            figure_height_in: Height of a standing figure.
            terrain: Pieces on the table; figures may stand on those with a level top.
            reference_bgr: The empty table from the same camera, of the same size; must not be written to later.
            reference_camera: Pose of the camera then, if it has moved since.
            keep_out_in: Outlines on the table where no figure stands, such as markers.
            aside_px: Parts of the picture that are not searched.
            area_in: Outline of the table; if None, it is found from the picture and the markers.
            expected_in: Where figures stood a moment ago; a lower chance suffices there.
            within_px: Return only figures whose feet are seen in this part of the picture, with the table's colours of
                the last picture that was searched whole. Costs less in proportion to the area.
            propose: Without a palette, group the figures in the whole picture by plastic, and propose groups of new
                plastics as armies.
            hidden: Where armies' colours are not learned, because sleeves have colours too.
            known_in: Where figures stand that form no new army.

        Raises:
            UserError: If the reference has another size than the picture, or the figure height is not positive.
        """
        _check_inputs(image_bgr, reference_bgr, figure_height_in)
        self._hidden = hidden
        if not (palette or self.proposed or propose):
            return ()
        key = (camera, figure_height_in, tuple(terrain), tuple(keep_out_in), tuple(aside_px), area_in, reference_camera)
        if self._grounds is None or key != self._grounds_key or reference_bgr is not self._reference:
            self._grounds_key, self._reference = key, reference_bgr
            bare_bgr = image_bgr if reference_bgr is None else reference_bgr  # no hand reaches over the empty table
            bare_camera = camera if reference_bgr is None else reference_camera or camera
            table_in = area_in or table_area(bare_camera, bare_bgr, keep_out_in)
            scale = figure_scale(figure_height_in)
            self._grounds = Grounds(
                camera, table_in, terrain, keep_out_in, reference_bgr, scale, reference_camera, aside_px
            )
            self._colour_model = None
        if not palette:
            if propose:
                self._propose_armies(self._grounds.scale, self._grounds.rectified(image_bgr), known_in)
            palette = self.proposed
        if not palette:
            return ()
        found = self._search(self._grounds, image_bgr, palette, expected_in, within_px, propose)
        return found if within_px is None else tuple(one for one in found if _is_seen_in(within_px, camera, one))

    def forget_unseen(self, seen: Container[str]) -> None:
        """Discard the proposed armies whose names are not among these."""
        self.proposed = tuple(army for army in self.proposed if army.name in seen)

    def _search(
        self,
        grounds: Grounds,
        image_bgr: ImageBgr,
        palette: Palette,
        expected_in: Sequence[PointIn],
        within_px: Box | None,
        propose: bool,
    ) -> tuple[Sighting, ...]:
        """Figures on every ground; the table's colours come from this picture or the last one searched whole."""
        part_px = within_px if self._colour_model is not None and palette == self._palette else None
        rectified = grounds.rectified(image_bgr, part_px)
        if not rectified:
            return ()
        self._recogniser = self._recogniser or Recogniser()
        if palette != self._palette:
            refined = self._already_refined(palette) or self._refine(grounds.scale, rectified, palette, expected_in)
            self._palette, self._colour_model, self._refined = palette, None, refined
        if part_px is None or self._colour_model is None:
            table = rectified[-1]
            self._colour_model = _table_colours(table, self._refined)
            self.separations = separations(self._refined, self._colour_model, table.picture_bgr, table.ground.empty)
        search = _Search(
            self._refined,
            grounds.scale,
            self._recogniser,
            self._colour_model,
            expected_in,
            self._hidden,
            to_learn=False,
        )
        found = tuple(search.sightings(rectified))
        if propose and palette is self.proposed:
            return self._without_shadows(found, search.plastic, grounds.scale)
        return found

    def _without_shadows(
        self, found: Sequence[Sighting], plastic: Mapping[int, Sequence[FigurePlastic]], scale: float
    ) -> tuple[Sighting, ...]:
        """Without the proposed armies that turn out to be shadows of others' figures, now that all are known."""
        are_shadows = shadows([plastic.get(k, ()) for k in range(len(self.proposed))], scale)
        dropped = {
            army.name
            for k, (army, shadow) in enumerate(zip(self.proposed, are_shadows, strict=True))
            if shadow and len(plastic[k]) >= _LEAST_SHADOWS  # two soldiers may well stand like this
        }
        self.proposed = tuple(army for army in self.proposed if army.name not in dropped)
        return tuple(one for one in found if one.army not in dropped)

    def _propose_armies(self, scale: float, rectified: Sequence[RectifiedGround], known_in: Sequence[PointIn]) -> None:
        """Propose the plastics that no proposed army has yet."""
        self.proposed = with_new_armies(self.proposed, self._colour_groups(scale, rectified, known_in))
        if self._reference is not None:
            # Beside the empty table, grey soldiers on a grey table look like shadows; so search without it as well.
            alone = [replace(one, ground=replace(one.ground, empty=None)) for one in rectified]
            self.proposed = with_new_armies(self.proposed, self._colour_groups(scale, alone, known_in))

    def _colour_groups(
        self, scale: float, rectified: Sequence[RectifiedGround], known_in: Sequence[PointIn] = ()
    ) -> Palette:
        """Plastics of the figures that are recognised in any colour, except those known."""
        if not rectified:
            return ()
        self._recogniser = self._recogniser or Recogniser()
        in_any_colour = any_plastic(_table_cells(rectified[-1]))
        search = _Search((_UNTAUGHT,), scale, self._recogniser, in_any_colour, (), self._hidden)
        deque(search.sightings(rectified), maxlen=0)

        def unknown(figures: Sequence[FigurePlastic]) -> list[FigurePlastic]:
            near_in = _EXPECTED_IN * scale
            return [one for one in figures if all(math.dist(one.at_in, place) > near_in for place in known_in)]

        figures = unknown(search.plastic.get(0, []))
        if self._reference is not None:
            return proposed_palette(figures, scale=scale)  # with a reference, hardly any group of soldiers is doubtful
        return proposed_palette(
            figures, lambda armies: [unknown(one) for one in self._figures_of(scale, rectified, armies)], scale
        )

    def _figures_of(
        self,
        scale: float,
        rectified: Sequence[RectifiedGround],
        armies: Palette,
        expected_in: Sequence[PointIn] = (),
    ) -> list[list[FigurePlastic]]:
        """The figures that a search for some armies finds, for each army."""
        assert self._recogniser is not None  # the callers load it
        table_colours = _table_colours(rectified[-1], armies)
        search = _Search(armies, scale, self._recogniser, table_colours, expected_in, self._hidden)
        deque(search.sightings(rectified), maxlen=0)
        return [search.plastic.get(k, []) for k in range(len(armies))]

    def _already_refined(self, palette: Palette) -> Palette:
        """The refined colours if all armies are known and only renamed or fewer, else ()."""
        found = []
        for army in palette:
            pairs = zip(self._palette, self._refined, strict=True)
            same = next((refined for one, refined in pairs if one.mean is army.mean), None)
            if same is None:
                return ()
            found.append(replace(same, name=army.name))
        return tuple(found)

    def _refine(
        self, scale: float, rectified: Sequence[RectifiedGround], palette: Palette, expected_in: Sequence[PointIn]
    ) -> Palette:
        """The armies' colours refined by all of their figures: one click shows one figure in one light."""
        if palette is self.proposed:
            if self._reference is not None:
                return palette  # with a reference, the groups hold nearly every figure already
            refined = palette
        else:
            # The click may have shown a soldier in the sun, so start with the group of figures of nearly its colour.
            refined = refined_by_groups(palette, self._colour_groups(scale, rectified))
        for _ in range(_REFINING_ROUNDS if self._reference is None else _REFINING_ROUNDS_WITH_REFERENCE):
            found = self._figures_of(scale, rectified, refined, expected_in)
            refined = tuple(_refined(army, figures) for army, figures in zip(palette, found, strict=True))
        return refined


def _check_inputs(image_bgr: ImageBgr, reference_bgr: ImageBgr | None, figure_height_in: float) -> None:
    """Raise an error for a reference of another size, or a height that is not positive."""
    if reference_bgr is not None and reference_bgr.shape != image_bgr.shape:
        raise user_error(
            "The picture of the empty table is {empty_width}x{empty_height} pixels, this one"
            " {width}x{height}. Take both with the same camera settings.",
            empty_width=reference_bgr.shape[1],
            empty_height=reference_bgr.shape[0],
            width=image_bgr.shape[1],
            height=image_bgr.shape[0],
        )
    if not figure_height_in > 0:
        raise user_error(
            "A standing figure cannot be {height:g} in high. 54 mm soldiers are 2.1 in.", height=figure_height_in
        )


def _refined(army: ArmyColour, figures: Sequence[FigurePlastic]) -> ArmyColour:
    figures = [figure for figure in figures if figure.chance > _REFINING_CHANCE]
    if len(figures) < _MIN_REFINING_FIGURES:
        return army
    return learn_colour(np.concatenate([figure.colours for figure in figures]), army.name, army)


def _table_colours(table: RectifiedGround, palette: Palette) -> Likelihood:
    """The colour model of the armies and of the table, which is the last of the grounds."""
    return likelihood(_table_cells(table), palette)


def _table_cells(table: RectifiedGround) -> CellImage:
    step = _SAMPLE_STEP
    return cells_of(table.picture_bgr[::step, ::step])[table.ground.inside[::step, ::step]]


def _is_seen_in(box_px: Box, camera: TableCamera, one: Sighting) -> bool:
    x, y = camera.table_to_pixel((one.x_in, one.y_in, one.z_in))[0]
    return bool(box_px[0] <= x < box_px[2] and box_px[1] <= y < box_px[3])


class _Search:
    """A search of one picture, ground by ground; what a figure covers is not searched again on lower grounds."""

    def __init__(
        self,
        palette: Palette,
        scale: float,
        recogniser: Recogniser,
        colour_model: Likelihood,
        expected_in: Sequence[PointIn],
        hidden: Hidden,
        to_learn: bool = True,
    ) -> None:
        self.to_learn = to_learn  # whether its figures show what colour an army has
        self.palette, self.scale, self.colour_model = palette, scale, colour_model
        self.recogniser, self.expected_in, self.hidden = recogniser, expected_in, hidden
        self.plastic: dict[int, list[FigurePlastic]] = {}  # by index of the colour in the palette
        self.covered_in: list[tuple[float, FloatArray]] = []  # (height, outline) in inches covered by figures

    def sightings(self, rectified: Sequence[RectifiedGround]) -> Iterator[Sighting]:
        """Sightings on each ground, from the highest to the lowest."""
        for one in rectified:
            evidence = self._evidence(one.ground, one.picture_bgr)
            if self.palette == (_UNTAUGHT,):
                low, range_ = _DARK_RAMP
                evidence *= np.clip((log_colour(one.picture_bgr)[..., 2] - low) / range_, 0, 1)
            else:
                yield from self._vehicles(one.ground, evidence)
            yield from self._soldiers(one, evidence)

    def _evidence(self, ground: Ground, picture: ImageBgr) -> FloatImage:
        evidence = army_evidence(picture, self.colour_model, ground.empty)
        if self.covered_in:
            covered = np.zeros(ground.image.shape, np.uint8)
            for z_in, outline_in in self.covered_in:
                ground.image.fill(covered, ground.image.project(outline_in, z_in), 1)
            evidence[(evidence > 0) & (covered > 0)] = 0
        evidence[:, ground.excluded] = 0
        evidence *= ground.seen
        return evidence

    def _soldiers(self, rectified: RectifiedGround, evidence: FloatImage) -> Iterator[Sighting]:
        ground, picture, image = rectified.ground, rectified.picture_bgr, rectified.ground.image
        best = evidence.max(axis=0) if len(evidence) > 1 else evidence[0]
        places = list(propose_tiles(ground, best, self.scale, self.expected_in))
        empty = None if ground.empty is None or not places else relit_empty_table(picture, ground.empty)
        min_chance = _MIN_CHANCE_TO_LEARN if self.to_learn and ground.empty is None else _MIN_CHANCE
        here: list[Sighting] = []
        view = NetworkView(picture, rectified.photo, best, ground.seen * ~ground.excluded, ground.eye_px, empty)
        for one in self.recogniser.candidates(view, places):
            x, y = (float(v) for v in image.to_table(one.column, one.row))
            expected = any(math.dist((x, y), place) < _EXPECTED_IN * self.scale for place in self.expected_in)
            if one.chance < (_MIN_CHANCE_EXPECTED if expected else min_chance) or not ground.contains(x, y):
                continue
            posture = POSTURES[int(np.argmax(one.postures))]
            if any(_conflicts((x, y), posture, other, self.scale) for other in here):
                continue
            sighting = self._sighting(ground, picture, (x, y), one, evidence)
            if sighting is not None:
                here.append(sighting)
                yield sighting

    def _sighting(
        self, ground: Ground, picture: ImageBgr, at_in: PointIn, one: Candidate, evidence: FloatImage
    ) -> Sighting | None:
        """The candidate as a sighting; None if no army's colour is seen there."""
        image = ground.image
        posture = POSTURES[int(np.argmax(one.postures))]
        turn_deg = math.degrees(one.facing_rad)
        body = solids(posture, *at_in, turn_deg, self.scale)
        lifted = [image.project_solid(part) for part in body]
        window, mask = image.rasterized(lifted)
        for_army = np.maximum(evidence[:, window[0], window[1]], 0)[:, mask].sum(axis=1)
        army = int(np.argmax(for_army))
        if not for_army[army] > 0:
            return None
        self.covered_in += [(image.z_in, part) for part in lifted]
        smooth = np.asarray(cv2.blur(picture[window], (3, 3)), np.uint8)
        colours = log_colour(smooth)[mask & (evidence[army][window] > 0)]
        if not self.hidden((*at_in, image.z_in)):
            self.plastic.setdefault(army, []).append(FigurePlastic(one.chance, colours, at_in))
        has_facing = one.facing_confidence > _MIN_FACING_CONFIDENCE and posture is not Posture.DOWN
        return Sighting(
            army=self.palette[army].name,
            x_in=at_in[0],
            y_in=at_in[1],
            z_in=image.z_in,
            sigma_in=math.hypot(_SIGMA[0], _SIGMA[1] * one.sigma_in) * self.scale,
            posture=posture,
            base_in=base_outline(posture, *at_in, turn_deg, self.scale),
            facing_deg=turn_deg % 360 if has_facing else None,
            confidence=one.chance,
            appearance=self._appearance(one, for_army, colours),
        )

    def _appearance(self, one: Candidate, for_army: FloatArray, colours: FloatImage) -> Appearance:
        shares = zip((colour.name for colour in self.palette), (for_army / for_army.sum()).tolist(), strict=True)
        middle = np.median(colours, axis=0)
        colour = (float(middle[0]), float(middle[1]), float(middle[2]))
        return Appearance(signature(one.features), one.postures, tuple(shares), colour)

    def _vehicles(self, ground: Ground, evidence: FloatImage) -> Iterator[Sighting]:
        """Vehicles; the evidence that they cover is removed."""
        image, eye = ground.image, ground.image.eye_in
        px_per_in = image.px_per_in * self.scale / 2
        middle_in = POSTURE_HEIGHT_IN[Posture.VEHICLE] * self.scale / 2
        margin = disc(0.15 * px_per_in)
        for army, layer in enumerate(evidence):
            half = cv2.resize(layer, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            for hull in hulls(half, px_per_in, EVIDENCE_LIMIT):
                seen = np.array([image.to_table(*corner) for corner in 2 * hull.corners_px + 0.5])
                corners = seen - (seen - eye[:2]) * middle_in / (eye[2] - image.z_in)
                x, y = (float(v) for v in corners.mean(axis=0))
                if not ground.contains(x, y):
                    continue
                covered = cv2.dilate(hull.mask.astype(np.uint8), margin) > 0
                for other in evidence:
                    _clear(other, covered)
                yield Sighting(
                    army=self.palette[army].name,
                    x_in=x,
                    y_in=y,
                    z_in=image.z_in,
                    sigma_in=_VEHICLE_SIGMA_IN,
                    posture=Posture.VEHICLE,
                    base_in=tuple((float(px), float(py)) for px, py in corners),
                    facing_deg=None if hull.facing_rad is None else math.degrees(hull.facing_rad) % 360,
                    confidence=min(1.0, hull.fill),
                )


def _conflicts(at_in: PointIn, posture: Posture, other: Sighting, scale: float) -> bool:
    """Whether another figure is too near, or its base or body covers this place."""
    both_lie = posture is other.posture is Posture.DOWN
    min_in = (_MIN_LYING_SEPARATION_IN if both_lie else _MIN_SEPARATION_IN) * scale
    if math.dist(at_in, (other.x_in, other.y_in)) < min_in:
        return True
    return cv2.pointPolygonTest(np.array(other.base_in, np.float32), at_in, False) > 0


def _clear(evidence: FloatImage, covered: BoolImage) -> None:
    """Set the evidence to its minimum where a mask of half its size is set."""
    whole = cv2.resize(covered.astype(np.uint8), evidence.shape[::-1], interpolation=cv2.INTER_NEAREST)
    evidence[whole > 0] = -EVIDENCE_LIMIT
