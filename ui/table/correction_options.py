"""What can be corrected of a figure or at a place, each as one choice of a menu. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from rules.tabletop.errors import UserError
from rules.tabletop.path import placed
from rules.tabletop.table import Figure, PointIn, Posture
from ui.table.corrections import (
    Added,
    ArmyChanged,
    Confirmed,
    Correction,
    Deleted,
    Merged,
    PlacedAt,
    PostureSet,
    Renamed,
    next_name,
    usual_base,
)
from vision.patch_memory import spot_at
from vision.table_view import TableView

_HAND_IN = 0.1  # a click on a base misses its centre by so much
_NEIGHBOURS = 5
_TWO_APART_IN = (0.8, 1.6)  # two in one blob stand base to base, and not farther than a blob is long
_ADDED = {Posture.STANDING: "{}", Posture.DOWN: "{}, lying", Posture.VEHICLE: "{}, a vehicle"}
_POSTURES = (Posture.STANDING, Posture.KNEELING, Posture.PRONE, Posture.DOWN)


@dataclass(frozen=True, slots=True)
class Remedy:
    """One choice.

    Attributes:
        group: Words of the submenu that it is in; empty for none.
        words: What the choice says.
        label: Name of the step, for undo.
        corrections: What it comes to.
    """

    group: str
    words: str
    label: str
    corrections: tuple[Correction, ...]


def everybody(view: TableView) -> tuple[Figure, ...]:
    """Those seen and those lost."""
    return (*view.figures, *view.tracking.lost)


def remedies_for(view: TableView, figure: Figure, at_in: PointIn | None, armies: Iterable[str]) -> tuple[Remedy, ...]:
    """All that may be wrong with a figure that was clicked.

    Args:
        view: As it is shown.
        figure: Of this view.
        at_in: The place that was clicked, at the height of what the figure stands on.
        armies: Names of all that are taught.
    """
    name = figure.id
    found = [
        Remedy("", "Confirm: this is a figure", f"confirm {name}", (Confirmed(name),)),
        Remedy("", "Delete: there is no figure here", f"delete {name}", (_deleted(view, figure),)),
    ]
    found += [_split(view, figure, at_in)]
    others = [army for army in dict.fromkeys(armies) if army != figure.army]
    for army in others:
        to = next_name(army, everybody(view))
        found.append(Remedy("Army", army, f"{name} is {army}", (ArmyChanged(name, army, to),)))
    if figure.posture is not Posture.VEHICLE:
        found += [
            Remedy("Posture", str(p), f"{name} is {p}", (PostureSet(name, p, figure.posture),))
            for p in _POSTURES
            if p is not figure.posture
        ]
    found += [merge(figure, other) for other in _nearest(view.figures, figure)]
    found += [_rename(view, name, other.id) for other in _nearest(everybody(view), figure, figure.army)]
    return tuple(found)


def remedies_at(view: TableView, at_in: PointIn, z_in: float, armies: Iterable[str]) -> tuple[Remedy, ...]:
    """All that may be missing at a bare place: a figure nobody saw, or one that is seen beside where it stands."""
    sigma_in = hand_sigma_in(view, at_in, z_in)
    found = []
    for army in dict.fromkeys(armies):
        for posture, words in _ADDED.items():
            name = next_name(army, everybody(view))
            figure = Figure(name, army, *at_in, z_in, sigma_in, posture, usual_base(posture, at_in))
            found.append(Remedy("Add", words.format(army), f"add {name}", (Added(figure),)))
    around = sorted(everybody(view), key=lambda one: math.dist(one.centre_in, at_in))[:_NEIGHBOURS]
    return (*found, *(place(view, one, at_in, z_in) for one in around))


def _deleted(view: TableView, figure: Figure) -> Deleted:
    place_in = (*figure.centre_in, figure.z_in)
    spot = spot_at(view.frame, view.calibration.camera, place_in) if view.calibration else None
    return Deleted(figure.id, figure.centre_in, spot)


def place(view: TableView, figure: Figure, at_in: PointIn, z_in: float) -> Remedy:
    """The figure stands there."""
    sigma_in = hand_sigma_in(view, at_in, z_in)
    put = PlacedAt(figure.id, figure.centre_in, at_in, z_in, sigma_in)
    return Remedy("Stands here", figure.id, f"place {figure.id}", (put, *_kept(view, figure)))


def rename(view: TableView, figure: Figure, to: str) -> Remedy:
    """The figure is called so; whoever was takes its name.

    Raises:
        UserError: if that is no name.
    """
    to = to.strip()
    if not to or len(to) > 40 or not to.isprintable():
        raise UserError(f"{figure.id} cannot be called {to!r}: give a name of up to 40 letters, as {figure.army}-7")
    return _rename(view, figure.id, to)


def hand_sigma_in(view: TableView, at_in: PointIn, z_in: float) -> float:
    """How sure a place is that was clicked."""
    if view.calibration is None:
        return _HAND_IN
    sigma_in = float(view.calibration.sigma_in([(*at_in, z_in)])[0])
    return math.hypot(_HAND_IN, sigma_in) if math.isfinite(sigma_in) else 1.0


def _kept(view: TableView, figure: Figure) -> tuple[Correction, ...]:
    """Who is placed while he is not seen stays on the table."""
    return () if any(one.id == figure.id for one in view.figures) else (Confirmed(figure.id),)


def _split(view: TableView, figure: Figure, at_in: PointIn | None) -> Remedy:
    """Two stand where one is seen: the second where the click was, the first as far to the other side."""
    way = np.subtract(at_in or figure.centre_in, figure.centre_in)
    length = float(np.hypot(*way))
    if length < 0.1:
        outline = np.array(figure.base_in) - figure.centre_in
        way = outline[np.argmax(np.hypot(*outline.T))]
        length = float(np.hypot(*way))
    half = way / length * np.clip(length, *np.divide(_TWO_APART_IN, 2))
    one, two = ((figure.x_in + s * half[0], figure.y_in + s * half[1]) for s in (-1, 1))
    sigma_in = hand_sigma_in(view, figure.centre_in, figure.z_in)
    name = next_name(figure.army, everybody(view))
    other = replace(placed(figure, two), id=name, sigma_in=sigma_in)
    put = PlacedAt(figure.id, figure.centre_in, one, figure.z_in, sigma_in)
    return Remedy("", "Split: these are two", f"split {figure.id}", (put, Added(other)))


def merge(figure: Figure, other: Figure) -> Remedy:
    """Both are one figure, which goes by the other's name."""
    return Remedy("The same as", other.id, f"merge {figure.id} into {other.id}", (Merged(other.id, figure.id),))


def _rename(view: TableView, name: str, to: str) -> Remedy:
    taken = any(one.id == to for one in everybody(view))
    words = f"{to} (they exchange names)" if taken else to
    return Remedy("Is really", words, f"{name} is {to}", (Renamed(name, to),))


def _nearest(figures: Iterable[Figure], figure: Figure, army: str | None = None) -> list[Figure]:
    others = [one for one in figures if one.id != figure.id and army in (None, one.army)]
    return sorted(others, key=lambda one: math.dist(one.centre_in, figure.centre_in))[:_NEIGHBOURS]
