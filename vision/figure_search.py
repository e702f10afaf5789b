"""The search of one picture for figures in some armies' colours, ground by ground."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.table import POSTURE_HEIGHT_IN, FloatArray, Outline, PointIn, Posture
from vision.examples import Appearance
from vision.frame import ImageBgr
from vision.ground import Ground, RectifiedGround
from vision.likeness import signature
from vision.palette import ArmyColour, FloatImage, Palette, log_colour
from vision.proposals import FigurePlastic
from vision.recogniser import POSTURES, Candidate, Recogniser
from vision.rectified import BoolImage
from vision.segment import EVIDENCE_LIMIT, Likelihood, army_evidence, disc, relit_empty_table
from vision.silhouette import base_outline, solids
from vision.tile_proposals import propose_tiles
from vision.tiles import NetworkView
from vision.vehicles import hulls

_MIN_CHANCE = 0.5  # of a candidate that counts as a figure
_MIN_CHANCE_TO_LEARN = 0.7  # of one that shows an army's colour, without the empty table: prints and leaves deceive
_MIN_CHANCE_EXPECTED = 0.2  # where a figure stood a moment ago
EXPECTED_IN = 0.5  # largest distance from that place
_MIN_SEPARATION_IN = 0.42  # figures do not stand nearer together
_MIN_LYING_SEPARATION_IN = 0.75  # the same for casualties: each is 2 in long, and its two ends may look like two
_MIN_FACING_CONFIDENCE = 0.6
_SIGMA = (0.03, 1.5)  # inches that are always there, and the close-up network's error on unseen toys / its own sigma
_VEHICLE_SIGMA_IN = 0.2
UNTAUGHT = ArmyColour("", np.zeros(3), np.eye(3), 0)
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
        postures: Probability of each of `vision.recogniser.POSTURES`; empty if the posture is known.
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
    postures: tuple[float, ...] = ()

    def chance_of(self, posture: Posture) -> float:
        """Probability that it has this posture."""
        return self.postures[POSTURES.index(posture)] if posture in POSTURES and self.postures else 1.0

    def likeliest_besides(self, posture: Posture) -> Posture | None:
        """The likeliest other posture; None if the posture is known."""
        chances = zip(self.postures, POSTURES, strict=False)
        others = [(chance, other) for chance, other in chances if other is not posture]
        return max(others)[1] if others else None


class FigureSearch:
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
            if self.palette == (UNTAUGHT,):
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
            expected = any(math.dist((x, y), place) < EXPECTED_IN * self.scale for place in self.expected_in)
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
            postures=one.postures,
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
