"""Soldiers in one picture, placed where their bases stand.

The picture is laid flat on the table and on each hill (`sheet`), every pixel gets its evidence for each army
(`segment`), and where there is some (`lookout`) three small networks look more closely (`recogniser`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from calibration.camera import TableCamera
from calibration.opencv import cv2
from rules.table import (
    POSTURE_HEIGHT_IN,
    STANDING_HEIGHT_IN,
    FloatArray,
    Outline,
    PointIn,
    Posture,
    TerrainPiece,
    UserError,
)
from vision.area import table_area
from vision.examples import Appearance
from vision.frame import ImageBgr
from vision.ground import Ground, Laid, Lie
from vision.likeness import signature
from vision.motion import Box
from vision.palette import ArmyColour, FloatImage, Palette, learn_colour, log_colour
from vision.proposals import SeenPlastic, joined, proposed_palette, refined_by_groups
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
    in_the_light_of_now,
    likelihood,
)
from vision.separation import Separation, separations
from vision.silhouette import base_outline, figure_scale, solids
from vision.tile_proposals import worth_a_look
from vision.tiles import View
from vision.vehicles import hulls

_LEAST_CHANCE = 0.5  # that somebody stands there
_LEAST_UNKNOWN = 0.7  # the same where nobody knows what lay there before: print and leaves are believed too easily
_LEAST_CHANCE_EXPECTED = 0.2  # where somebody stood a moment ago
_EXPECTED_IN = 0.5  # as near as this to where he stood
_SURE, _ENOUGH_FIGURES = 0.9, 3  # figures that the armies' colours are refined from
_SURE_OF_UNKNOWN = 0.7  # the same while no colour is known
_ROUNDS, _ROUNDS_BESIDE_EMPTY = 2, 1  # of refining; more change little
_APART_IN = 0.42  # two do not stand nearer together
_LYING_APART_IN = 0.75  # nor lie: a casualty is 2 in long, and its two ends are not two
_FACING_SURE = 0.6
_SIGMA = (0.03, 1.5)  # inches that are always there, and how many times its sigma the closer look errs on unseen toys
_VEHICLE_SIGMA_IN = 0.2
_SPARSE = 2  # one row and column in so many teaches the table's colours
_UNKNOWN = ArmyColour("", np.zeros(3), np.eye(3), 0)
"""The army of every figure while no colour is known."""
_DARK = (-2.8, 0.5)  # log brightness below which a colour is noise, and that above it from which it counts in full


@dataclass(frozen=True, slots=True)
class Sighting:
    """One figure in one picture, without an identity yet.

    Attributes:
        army: Name of the army.
        x_in, y_in: Centre of the base (of a casualty, of its outline).
        z_in: Height of the surface it stands on.
        sigma_in: One standard deviation of the place along one axis, calibration apart.
        posture: Standing, kneeling, prone, down or vehicle.
        base_in: Outline of the base (of a casualty or a vehicle, of the whole).
        facing_deg: Counter-clockwise from +x; None when the shape does not tell.
        confidence: 0 to 1.
        appearance: What it looks like; None of a vehicle.
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
    """Finds figures in picture after picture and keeps what stays the same between them: the lie of the land.

    Attributes:
        separations: How well the armies separate in the picture that was last searched as a whole.
        proposed: The armies found by grouping the figures by colour, while none was taught.
    """

    def __init__(self) -> None:
        self.separations: tuple[Separation, ...] = ()
        self.proposed: Palette = ()
        self._asked: tuple[object, ...] = ()
        self._reference: ImageBgr | None = None
        self._lie: Lie | None = None
        self._palette: Palette = ()
        self._refined: Palette = ()
        self._known: Likelihood | None = None  # of the palette and the picture that was last searched as a whole
        self._recogniser: Recogniser | None = None

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
    ) -> tuple[Sighting, ...]:
        """Find the figures of the taught armies in one picture, or in a part of it.

        Args:
            image_bgr: (height, width, 3) uint8.
            camera: where the picture was taken from.
            palette: the armies; without any, those that were proposed are found.
            figure_height_in: height of a standing figure.
            terrain: pieces on the table; figures may stand on those with a level top.
            reference_bgr: the empty table seen by the same camera, of the same size; it must not be written to later.
            reference_camera: where the camera hung then, if it was bumped since.
            keep_out_in: outlines on the table that are no figures, as the markers.
            aside_px: parts of the picture where nobody is looked for.
            area_in: outline of the table; without it, it is told from the picture and the papers.
            expected_in: where figures stood a moment ago; less makes them believed there.
            within_px: only figures whose feet are seen in this part of the picture; the table's colours are then those
                of the last picture that was searched as a whole. It costs as much less as it is smaller.
            propose: without a palette, group the figures that are recognised in the whole picture by their plastic, and
                propose groups whose plastic is new as armies.

        Raises:
            UserError: if the reference is not of the picture's size, or the figure height is no height.
        """
        _refuse_unfit(image_bgr, reference_bgr, figure_height_in)
        if not (palette or self.proposed or propose):
            return ()
        asked = (
            camera,
            figure_height_in,
            tuple(terrain),
            tuple(keep_out_in),
            tuple(aside_px),
            area_in,
            reference_camera,
        )
        if self._lie is None or asked != self._asked or reference_bgr is not self._reference:
            self._asked, self._reference = asked, reference_bgr
            bare_bgr = image_bgr if reference_bgr is None else reference_bgr  # no hand reaches over the empty table
            bare_camera = camera if reference_bgr is None else reference_camera or camera
            table_in = area_in or table_area(bare_camera, bare_bgr, keep_out_in)
            scale = figure_scale(figure_height_in)
            self._lie = Lie(camera, table_in, terrain, keep_out_in, reference_bgr, scale, reference_camera, aside_px)
            self._known = None
        if not palette:
            if propose:
                self._propose(self._lie.scale, self._lie.laid(image_bgr))
            palette = self.proposed
        if not palette:
            return ()
        found = self._on(self._lie, image_bgr, palette, expected_in, within_px)
        return found if within_px is None else tuple(one for one in found if _is_seen_in(within_px, camera, one))

    def forget_proposed(self) -> None:
        """Propose all armies anew, whatever was proposed before."""
        self.proposed = ()

    def _on(
        self, lie: Lie, image_bgr: ImageBgr, palette: Palette, expected_in: Sequence[PointIn], within_px: Box | None
    ) -> tuple[Sighting, ...]:
        """The figures on each level of the land, by the table's colours as this or an earlier picture taught them."""
        part_px = within_px if self._known is not None and palette == self._palette else None
        laid = lie.laid(image_bgr, part_px)
        if not laid:
            return ()
        self._recogniser = self._recogniser or Recogniser()
        if palette != self._palette:
            refined = self._refined_before(palette) or self._refine(lie.scale, laid, palette, expected_in)
            self._palette, self._known, self._refined = palette, None, refined
        if part_px is None or self._known is None:
            table = laid[-1]
            self._known = _table_colours(table, self._refined)
            self.separations = separations(self._refined, self._known, table.picture_bgr, table.ground.empty)
        return tuple(_Search(self._refined, lie.scale, self._recogniser, self._known, expected_in).over(laid))

    def _propose(self, scale: float, laid: Sequence[Laid]) -> None:
        """Add the plastics that no proposed army has."""
        self.proposed = joined(self.proposed, self._groups(scale, laid))
        if self._reference is not None:
            # Grey soldiers on a grey table pass for shadows on it, unless it is asked what else is there.
            alone = [replace(one, ground=replace(one.ground, empty=None)) for one in laid]
            self.proposed = joined(self.proposed, self._groups(scale, alone))

    def _groups(self, scale: float, laid: Sequence[Laid]) -> Palette:
        """The plastics of the figures that are recognised whatever their colour."""
        if not laid:
            return ()
        self._recogniser = self._recogniser or Recogniser()
        search = _Search((_UNKNOWN,), scale, self._recogniser, any_plastic(_cells_of_table(laid[-1])), ())
        deque(search.over(laid), maxlen=0)
        return proposed_palette(search.plastic.get(0, []))

    def _refined_before(self, palette: Palette) -> Palette:
        """The refined colours of armies that only have other names now, or are fewer; empty if any colour is new."""
        found = []
        for army in palette:
            pairs = zip(self._palette, self._refined, strict=True)
            same = next((refined for one, refined in pairs if one.mean is army.mean), None)
            if same is None:
                return ()
            found.append(replace(same, name=army.name))
        return tuple(found)

    def _refine(self, scale: float, laid: Sequence[Laid], palette: Palette, expected_in: Sequence[PointIn]) -> Palette:
        """The armies' colours as all of their figures show them: one click shows one figure in one light."""
        assert self._recogniser is not None  # `_on` loads it
        if palette is self.proposed:
            if self._reference is not None:
                return palette  # beside the empty table its groups hold nearly every figure
            refined = palette
        else:
            # One click may show one soldier in the sun: begin with whatever figures have nearly its colour.
            refined = refined_by_groups(palette, self._groups(scale, laid))
        for _ in range(_ROUNDS if self._reference is None else _ROUNDS_BESIDE_EMPTY):
            search = _Search(refined, scale, self._recogniser, _table_colours(laid[-1], refined), expected_in)
            deque(search.over(laid), maxlen=0)
            refined = tuple(_refined(army, search.plastic.get(k, [])) for k, army in enumerate(palette))
        return refined


def _refuse_unfit(image_bgr: ImageBgr, reference_bgr: ImageBgr | None, figure_height_in: float) -> None:
    """Refuse a picture of the empty table of another size, and a height that is none."""
    if reference_bgr is not None and reference_bgr.shape != image_bgr.shape:
        raise UserError(
            f"the picture of the empty table is {reference_bgr.shape[1]}x{reference_bgr.shape[0]} pixels and this "
            f"one {image_bgr.shape[1]}x{image_bgr.shape[0]}; take both with the same camera settings"
        )
    if not figure_height_in > 0:
        raise UserError(f"a standing figure cannot be {figure_height_in:g} in high; 54 mm soldiers are 2.1 in")


def _refined(army: ArmyColour, figures: Sequence[SeenPlastic]) -> ArmyColour:
    if len(figures) < _ENOUGH_FIGURES:
        return army
    return learn_colour(np.concatenate([figure.colours for figure in figures]), army.name, army)


def _table_colours(table: Laid, palette: Palette) -> Likelihood:
    """What the table, which is the last of the grounds, teaches of colours."""
    return likelihood(_cells_of_table(table), palette)


def _cells_of_table(table: Laid) -> CellImage:
    some, inside = table.picture_bgr[::_SPARSE, ::_SPARSE], table.ground.inside[::_SPARSE, ::_SPARSE]
    return cells_of(some)[inside]


def _is_seen_in(box_px: Box, camera: TableCamera, one: Sighting) -> bool:
    x, y = camera.table_to_pixel((one.x_in, one.y_in, one.z_in))[0]
    return bool(box_px[0] <= x < box_px[2] and box_px[1] <= y < box_px[3])


class _Search:
    """One picture being searched, ground by ground; what a figure on one ground covers is not searched on the next."""

    def __init__(
        self,
        palette: Palette,
        scale: float,
        recogniser: Recogniser,
        known: Likelihood,
        expected_in: Sequence[PointIn],
    ) -> None:
        self.palette, self.scale, self.known = palette, scale, known
        self.recogniser, self.expected_in = recogniser, expected_in
        self.sure = _SURE_OF_UNKNOWN if palette == (_UNKNOWN,) else _SURE
        self.plastic: dict[int, list[SeenPlastic]] = {}  # by the number of the army's colour in the palette
        self.claims: list[tuple[float, FloatArray]] = []  # height, and points in inches round what is covered there

    def over(self, laid: Sequence[Laid]) -> Iterator[Sighting]:
        """Sightings on each ground in turn, highest first."""
        for one in laid:
            evidence = self._evidence(one.ground, one.picture_bgr)
            if self.palette == (_UNKNOWN,):
                low, range_ = _DARK
                evidence *= np.clip((log_colour(one.picture_bgr)[..., 2] - low) / range_, 0, 1)
            else:
                yield from self._vehicles(one.ground, evidence)
            yield from self._soldiers(one, evidence)

    def _evidence(self, ground: Ground, picture: ImageBgr) -> FloatImage:
        evidence = army_evidence(picture, self.known, ground.empty)
        if self.claims:
            claimed = np.zeros(ground.sheet.shape, np.uint8)
            for z_in, outline_in in self.claims:
                ground.sheet.fill(claimed, ground.sheet.shadow(outline_in, z_in), 1)
            evidence[(evidence > 0) & (claimed > 0)] = 0
        evidence[:, ground.barred] = 0
        evidence *= ground.seen
        return evidence

    def _soldiers(self, laid: Laid, evidence: FloatImage) -> Iterator[Sighting]:
        ground, picture, sheet = laid.ground, laid.picture_bgr, laid.ground.sheet
        best = evidence.max(axis=0) if len(evidence) > 1 else evidence[0]
        places = list(worth_a_look(ground, best, self.scale, self.expected_in))
        empty = None if ground.empty is None or not places else in_the_light_of_now(picture, ground.empty)
        least = _LEAST_UNKNOWN if ground.empty is None else _LEAST_CHANCE
        here: list[Sighting] = []
        view = View(picture, laid.photo, best, ground.seen * ~ground.barred, ground.eye_px, empty)
        for one in self.recogniser.look(view, places):
            x, y = (float(v) for v in sheet.to_table(one.column, one.row))
            expected = any(math.dist((x, y), place) < _EXPECTED_IN * self.scale for place in self.expected_in)
            if one.chance < (_LEAST_CHANCE_EXPECTED if expected else least) or not ground.holds(x, y):
                continue
            posture = POSTURES[int(np.argmax(one.postures))]
            if any(_in_the_way((x, y), posture, other, self.scale) for other in here):
                continue
            sighting = self._sighting(ground, picture, (x, y), one, evidence)
            if sighting is not None:
                here.append(sighting)
                yield sighting

    def _sighting(
        self, ground: Ground, picture: ImageBgr, at_in: PointIn, one: Candidate, evidence: FloatImage
    ) -> Sighting | None:
        """Who stands there; nobody, where no army's colour is seen."""
        sheet = ground.sheet
        posture = POSTURES[int(np.argmax(one.postures))]
        turn_deg = math.degrees(one.facing_rad)
        body = solids(posture, *at_in, turn_deg, self.scale)
        lifted = [sheet.shadow_of(part) for part in body]
        window, mask = sheet.painted(lifted)
        for_army = np.maximum(evidence[:, window[0], window[1]], 0)[:, mask].sum(axis=1)
        army = int(np.argmax(for_army))
        if not for_army[army] > 0:
            return None
        self.claims += [(sheet.z_in, part) for part in lifted]
        smooth = np.asarray(cv2.blur(picture[window], (3, 3)), np.uint8)
        colours = log_colour(smooth)[mask & (evidence[army][window] > 0)]
        if one.chance > self.sure:
            self.plastic.setdefault(army, []).append(SeenPlastic(one.chance, colours))
        return Sighting(
            army=self.palette[army].name,
            x_in=at_in[0],
            y_in=at_in[1],
            z_in=sheet.z_in,
            sigma_in=math.hypot(_SIGMA[0], _SIGMA[1] * one.sigma_in) * self.scale,
            posture=posture,
            base_in=base_outline(posture, *at_in, turn_deg, self.scale),
            facing_deg=turn_deg % 360 if one.facing_sure > _FACING_SURE and posture is not Posture.DOWN else None,
            confidence=one.chance,
            appearance=self._appearance(one, for_army, colours),
        )

    def _appearance(self, one: Candidate, for_army: FloatArray, colours: FloatImage) -> Appearance:
        shares = zip((colour.name for colour in self.palette), (for_army / for_army.sum()).tolist(), strict=True)
        middle = np.median(colours, axis=0)
        colour = (float(middle[0]), float(middle[1]), float(middle[2]))
        return Appearance(signature(one.features), one.postures, tuple(shares), colour)

    def _vehicles(self, ground: Ground, evidence: FloatImage) -> Iterator[Sighting]:
        """The vehicles; what they cover is evidence no more."""
        sheet, eye = ground.sheet, ground.sheet.eye_in
        px_per_in = sheet.px_per_in * self.scale / 2
        middle_in = POSTURE_HEIGHT_IN[Posture.VEHICLE] * self.scale / 2
        margin = disc(0.15 * px_per_in)
        for army, layer in enumerate(evidence):
            half = cv2.resize(layer, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
            for hull in hulls(half, px_per_in, EVIDENCE_LIMIT):
                seen = np.array([sheet.to_table(*corner) for corner in 2 * hull.corners_px + 0.5])
                corners = seen - (seen - eye[:2]) * middle_in / (eye[2] - sheet.z_in)
                x, y = (float(v) for v in corners.mean(axis=0))
                if not ground.holds(x, y):
                    continue
                covered = cv2.dilate(hull.mask.astype(np.uint8), margin) > 0
                for other in evidence:
                    _strike(other, covered)
                yield Sighting(
                    army=self.palette[army].name,
                    x_in=x,
                    y_in=y,
                    z_in=sheet.z_in,
                    sigma_in=_VEHICLE_SIGMA_IN,
                    posture=Posture.VEHICLE,
                    base_in=tuple((float(px), float(py)) for px, py in corners),
                    facing_deg=None if hull.facing_rad is None else math.degrees(hull.facing_rad) % 360,
                    confidence=min(1.0, hull.fill),
                )


def _in_the_way(at_in: PointIn, posture: Posture, other: Sighting, scale: float) -> bool:
    """Whether no figure can be there because of another: too near, or on its base or body."""
    both_lie = posture is other.posture is Posture.DOWN
    if math.dist(at_in, (other.x_in, other.y_in)) < (_LYING_APART_IN if both_lie else _APART_IN) * scale:
        return True
    return cv2.pointPolygonTest(np.array(other.base_in, np.float32), at_in, False) > 0


def _strike(evidence: FloatImage, taken: BoolImage) -> None:
    """Strike out of the evidence what a mask of half its size covers."""
    whole = cv2.resize(taken.astype(np.uint8), evidence.shape[::-1], interpolation=cv2.INTER_NEAREST)
    evidence[whole > 0] = -EVIDENCE_LIMIT
