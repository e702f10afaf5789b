"""The finder: soldiers and vehicles in one picture, at the places of their bases.

The picture is rectified to the table and to every raised surface (`ground`), every pixel gets its evidence for each
army (`segment`), and where that stands out (`tile_proposals`) three small networks look for figures (`recogniser`).
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Container, Mapping, Sequence
from dataclasses import replace

import numpy as np

from calibration.camera import TableCamera
from rules.tabletop.errors import user_error
from rules.tabletop.table import STANDING_HEIGHT_IN, Outline, PointIn, TerrainPiece
from vision.area import table_area
from vision.figure_search import EXPECTED_IN, UNTAUGHT, FigureSearch, Hidden, Sighting
from vision.frame import ImageBgr
from vision.ground import Grounds, RectifiedGround
from vision.motion import Box
from vision.palette import ArmyColour, Palette, learn_colour
from vision.proposals import FigurePlastic, proposed_palette, refined_by_groups, shadows, with_new_armies
from vision.recogniser import Recogniser
from vision.segment import CellImage, Likelihood, any_plastic, cells_of, likelihood
from vision.separation import Separation, separations
from vision.silhouette import figure_scale

_LEAST_SHADOWS = 3  # of a proposed army that is dropped
_REFINING_CHANCE, _MIN_REFINING_FIGURES = 0.9, 3  # chance and number of figures that refine an army's colour
_REFINING_ROUNDS, _REFINING_ROUNDS_WITH_REFERENCE = 2, 1  # more change little
_SAMPLE_STEP = 2  # step between the rows and columns from which the table's colours are learned


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
        search = FigureSearch(
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
        search = FigureSearch((UNTAUGHT,), scale, self._recogniser, in_any_colour, (), self._hidden)
        deque(search.sightings(rectified), maxlen=0)

        def unknown(figures: Sequence[FigurePlastic]) -> list[FigurePlastic]:
            near_in = EXPECTED_IN * scale
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
        search = FigureSearch(armies, scale, self._recogniser, table_colours, expected_in, self._hidden)
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
