"""The corrections that a player can choose for a figure or a bare place."""

from __future__ import annotations

import cmath
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from rules.tabletop.errors import user_error
from rules.tabletop.path import placed
from rules.tabletop.table import Figure, PointIn, Posture
from ui.rules_text import display_name, side_name
from ui.table.corrections import (
    Added,
    ArmyChanged,
    Confirmed,
    Correction,
    Deleted,
    FacingSet,
    Merged,
    PlacedAt,
    PostureSet,
    Renamed,
    SizeSet,
    heading_deg,
    next_name,
    usual_base,
)
from ui.translation import tr
from ui.vocabulary import posture_words
from vision.patch_memory import spot_at
from vision.table_view import TableView

_CLICK_SIGMA_IN = 0.1  # of a click on a base's centre
_NEIGHBOURS = 5
_SPLIT_IN = (0.8, 1.6)  # two figures seen as one stand base to base, at most as far apart as that one is long
_ADDED = (Posture.STANDING, Posture.PRONE, Posture.DOWN, Posture.VEHICLE)
_POSTURES = (Posture.STANDING, Posture.KNEELING, Posture.PRONE, Posture.DOWN)


@dataclass(frozen=True, slots=True)
class CorrectionOption:
    """One choice.

    Attributes:
        group: Text of its submenu; empty for none.
        words: Text of the choice.
        label: Label of the undo step.
    """

    group: str
    words: str
    label: str
    corrections: tuple[Correction, ...]


def everybody(view: TableView) -> tuple[Figure, ...]:
    """The visible and the lost figures of a view."""
    return (*view.figures, *view.tracking.lost)


def options_for(
    view: TableView, figure: Figure, at_in: PointIn | None, armies: Iterable[str]
) -> tuple[CorrectionOption, ...]:
    """All corrections of a figure that was clicked, at the height on which it stands."""
    name, title = figure.id, display_name(figure.id)
    found = [
        CorrectionOption(
            "", tr("Confirm: this is a soldier"), tr("confirm {soldier}", soldier=title), (Confirmed(name),)
        ),
        CorrectionOption(
            "", tr("Delete: no soldier is here"), tr("delete {soldier}", soldier=title), (_deleted(view, figure),)
        ),
    ]
    found += [_split(view, figure, at_in)]
    others = [army for army in dict.fromkeys(armies) if army != figure.army]
    for army in others:
        to = next_name(army, everybody(view))
        label = tr("{soldier} is {name}", soldier=title, name=army)
        found.append(CorrectionOption("Army", army, label, (ArmyChanged(name, army, to),)))
    if figure.posture is not Posture.VEHICLE:
        found += [
            posture_option(figure, posture)
            for posture in _POSTURES
            if posture is not figure.posture or len(figure.possible_postures) > 1
        ]
    found += [merge(figure, other) for other in _nearest(view.figures, figure)]
    found += [_rename(view, name, other.id) for other in _nearest(everybody(view), figure, figure.army)]
    return tuple(found)


def posture_option(figure: Figure, posture: Posture) -> CorrectionOption:
    """The correction that a figure is in this posture."""
    words = posture_words(posture)
    label = tr("{soldier} is {name}", soldier=display_name(figure.id), name=words)
    return CorrectionOption("Posture", words, label, (PostureSet(figure.id, posture, figure.posture),))


def options_at(view: TableView, at_in: PointIn, z_in: float, armies: Iterable[str]) -> tuple[CorrectionOption, ...]:
    """All corrections at a bare place: adding a figure, or moving one that is detected beside its true place."""
    sigma_in = hand_sigma_in(view, at_in, z_in)
    found = []
    for army in dict.fromkeys(armies):
        for posture in _ADDED:
            name = next_name(army, everybody(view))
            added = Figure(name, army, *at_in, z_in, sigma_in, posture, usual_base(posture, at_in))
            label = tr("add {name}", name=display_name(name))
            kind = "" if posture is Posture.STANDING else f", {posture_words(posture)}"
            found.append(CorrectionOption("Add", f"{side_name(army)}{kind}", label, (Added(added),)))
    nearest = sorted(everybody(view), key=lambda figure: math.dist(figure.centre_in, at_in))[:_NEIGHBOURS]
    return (*found, *(place(view, figure, at_in, z_in) for figure in nearest))


def _deleted(view: TableView, figure: Figure) -> Deleted:
    place_in = (*figure.centre_in, figure.z_in)
    spot = spot_at(view.frame, view.calibration.camera, place_in) if view.calibration else None
    return Deleted(figure.id, figure.centre_in, spot)


def place(view: TableView, figure: Figure, at_in: PointIn, z_in: float) -> CorrectionOption:
    """The correction that a figure stands at this place."""
    sigma_in = hand_sigma_in(view, at_in, z_in)
    placed_at = PlacedAt(figure.id, figure.centre_in, at_in, z_in, sigma_in)
    title = display_name(figure.id)
    label = tr("place {soldier}", soldier=title)
    return CorrectionOption("Stands here", title, label, (placed_at, *_confirmed_if_lost(view, figure)))


def turn(figure: Figure, facing_deg: float) -> CorrectionOption:
    """The correction that a figure faces this way."""
    label = tr("turn {soldier}", soldier=display_name(figure.id))
    return CorrectionOption("", label, label, (FacingSet(figure.id, figure.centre_in, facing_deg),))


def resize(vehicle: Figure, corner_in: PointIn) -> CorrectionOption:
    """The correction that a corner of a vehicle's hull is here.

    Raises:
        UserError: if no vehicle has this size.
    """
    label = tr("resize {soldier}", soldier=display_name(vehicle.id))
    return CorrectionOption("", label, label, (SizeSet(vehicle.id, *hull_size_in(vehicle, corner_in)),))


def hull_size_in(vehicle: Figure, corner_in: PointIn) -> tuple[float, float]:
    """The length and width of a vehicle of which a corner is here."""
    arm = complex(*corner_in) - complex(*vehicle.centre_in)
    along = arm * cmath.rect(1.0, -math.radians(heading_deg(vehicle)))
    return 2 * abs(along.real), 2 * abs(along.imag)


def rename(view: TableView, figure: Figure, to: str) -> CorrectionOption:
    """The correction of a figure's name; a figure that has the name already gets this one's.

    Raises:
        UserError: if the name is not valid.
    """
    to = to.strip()
    if not to or len(to) > 40 or not to.isprintable():
        example = f"{figure.army}-7"
        raise user_error(
            "this is not a name: {name!r}. Type up to 40 letters, for example {example}", name=to, example=example
        )
    return _rename(view, figure.id, to)


def hand_sigma_in(view: TableView, at_in: PointIn, z_in: float) -> float:
    """The standard deviation of a clicked place."""
    if view.calibration is None:
        return _CLICK_SIGMA_IN
    sigma_in = float(view.calibration.sigma_in([(*at_in, z_in)])[0])
    return math.hypot(_CLICK_SIGMA_IN, sigma_in) if math.isfinite(sigma_in) else 1.0


def _confirmed_if_lost(view: TableView, figure: Figure) -> tuple[Correction, ...]:
    """Keeps a figure on the table that is placed while it is not visible."""
    return () if any(seen.id == figure.id for seen in view.figures) else (Confirmed(figure.id),)


def _split(view: TableView, figure: Figure, at_in: PointIn | None) -> CorrectionOption:
    """Splits a figure into two: the second at the click, the first at the same distance on the other side."""
    offset = np.subtract(at_in or figure.centre_in, figure.centre_in)
    length = float(np.hypot(*offset))
    if length < 0.1:
        outline = np.array(figure.base_in) - figure.centre_in
        offset = outline[np.argmax(np.hypot(*outline.T))]
        length = float(np.hypot(*offset))
    half = offset / length * np.clip(length, *np.divide(_SPLIT_IN, 2))
    first_in, second_in = ((figure.x_in + s * half[0], figure.y_in + s * half[1]) for s in (-1, 1))
    sigma_in = hand_sigma_in(view, figure.centre_in, figure.z_in)
    name = next_name(figure.army, everybody(view))
    other = replace(placed(figure, second_in), id=name, sigma_in=sigma_in)
    placed_at = PlacedAt(figure.id, figure.centre_in, first_in, figure.z_in, sigma_in)
    label = tr("split {name}", name=display_name(figure.id))
    return CorrectionOption("", tr("Split: these are two"), label, (placed_at, Added(other)))


def merge(figure: Figure, other: Figure) -> CorrectionOption:
    """The correction that both are one figure, which keeps the other's name."""
    title = display_name(other.id)
    return CorrectionOption(
        "The same as",
        title,
        tr("merge {soldier} into {other}", soldier=display_name(figure.id), other=title),
        (Merged(other.id, figure.id),),
    )


def _rename(view: TableView, name: str, to: str) -> CorrectionOption:
    taken = any(figure.id == to for figure in everybody(view))
    words = tr("{soldier} (they swap names)", soldier=display_name(to)) if taken else display_name(to)
    label = tr("{soldier} is {name}", soldier=display_name(name), name=display_name(to))
    return CorrectionOption("Is really", words, label, (Renamed(name, to),))


def _nearest(figures: Iterable[Figure], figure: Figure, army: str | None = None) -> list[Figure]:
    others = [other for other in figures if other.id != figure.id and army in (None, other.army)]
    return sorted(others, key=lambda other: math.dist(other.centre_in, figure.centre_in))[:_NEIGHBOURS]
