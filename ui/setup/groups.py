"""Armies as groups of figures of one colour: accepting, naming, merging and splitting them. No Qt here.

Until the player accepts the proposed groups, they come from the view; the first change accepts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.formatting import capitalized
from ui.session import TableState
from ui.table.correction_options import everybody
from ui.table.corrections import Added, ArmyChanged, Correction, names_in, next_name
from ui.translation import tr
from vision.figure_colours import plastic_colours
from vision.palette import ArmyColour, FloatImage, Palette, army_names, learn_colour
from vision.proposals import halves, named
from vision.table_view import TableView

_MAX_NAME = 30


class OneColour(UserError):
    """An army cannot be split because its figures all have nearly the same colour."""

    def __init__(self, army: str) -> None:
        super().__init__(
            tr(
                "{army}: all soldiers are nearly the same colour. To split them, right-click each soldier of one army"
                " and choose its army, or put one army on bases of another colour.",
                army=capitalized(army),
            )
        )


def armies_of(view: TableView, state: TableState) -> tuple[str, ...]:
    """Names of the taught armies, or of the proposed ones while none is taught; then those that corrections added."""
    known = army_names(state.setup.palette or view.proposed)
    by_hand = {change.army for change in state.corrections if isinstance(change, ArmyChanged)}
    seen = (figure.army for figure in view.figures if figure.army in by_hand)
    return tuple(dict.fromkeys((*known, *seen)))


def accepted(view: TableView, state: TableState) -> TableState:
    """The state with the proposed groups as armies."""
    return _with(state, state.setup.palette or view.proposed)


def renamed(view: TableView, state: TableState, army: str, name: str) -> TableState:
    """The state with another name for an army. Raises `UserError` if the name is not valid, or another army has it."""
    name = name.strip()
    if not name or len(name) > _MAX_NAME or not name.isprintable():
        raise UserError(tr("An army's name has 1 to {count} letters. Type another one.", count=_MAX_NAME))
    if name != army and name in armies_of(view, state):
        raise UserError(
            tr("There is already an army called {name}. To make them one army, select both and press Merge.", name=name)
        )
    return _moved(view, state, {army: name})


def merged(view: TableView, state: TableState, into: str, others: Iterable[str]) -> TableState:
    """The state with several armies merged into one, which has all their plastics."""
    return _moved(view, state, dict.fromkeys(set(others) - {into}, into))


def split(view: TableView, state: TableState, army: str, other: Figure | None = None) -> tuple[TableState, str]:
    """The state with an army split into two by the colours of its figures, and the name of the new army.

    Args:
        army: The army; if it has several plastics it is split by them, else by the figures' present colours.
        other: A figure of the new army; if None, the smaller part is the new army.

    Raises:
        OneColour: if its figures' colours cannot be separated.
    """
    palette = state.setup.palette or view.proposed
    own = tuple(colour for colour in palette if colour.name == army)
    rest = tuple(colour for colour in palette if colour.name != army)
    if not own:
        raise OneColour(army)
    stays, goes = _of_several(view, state, own, other) if len(own) > 1 else _of_figures(view, state, own, other)
    name = _new_name(goes[0], (*rest, *stays), frozenset((army, *armies_of(view, state))))
    halves_now = (*_called(stays, army), *_called(goes, name))
    return _with(state, (*rest, *halves_now)), name


def another_army(view: TableView, state: TableState, figure: Figure) -> ArmyChanged:
    """The correction that moves one figure to a new army, named after the nearest plastic."""
    palette = state.setup.palette or view.proposed
    own = next((colour for colour in palette if colour.name == figure.army), None)
    taken = frozenset((figure.army, *armies_of(view, state)))
    name = _new_name(own, (), taken) if own else tr("other {army}", army=figure.army)
    return ArmyChanged(figure.id, name, next_name(name, everybody(view)))


def _new_name(colour: ArmyColour, others: Palette, taken: frozenset[str]) -> str:
    """The name of the usual plastic closest to a colour, compared with the others; the nearest free one if taken."""
    name = named((colour, *others))[0].name
    return name if name not in taken else named((colour,), taken)[0].name


def _with(state: TableState, palette: Palette) -> TableState:
    by_name = tuple(sorted(palette, key=lambda colour: colour.name))
    return replace(state, setup=replace(state.setup, palette=by_name))


def _moved(view: TableView, state: TableState, names: Mapping[str, str]) -> TableState:
    """The state with other names for some armies; corrected figures stay in their army."""
    palette = tuple(
        replace(colour, name=names.get(colour.name, colour.name)) for colour in state.setup.palette or view.proposed
    )
    corrections = tuple(_corrected(correction, names) for correction in state.corrections)
    # Otherwise vision would keep a corrected figure in its old army.
    pinned = names_in(state.corrections) - names_in(c for c in corrections if isinstance(c, ArmyChanged | Added))
    more: list[Correction] = []
    for figure in view.figures:
        if figure.id in pinned and figure.army in names:
            army = names[figure.army]
            placed = [*everybody(view), *(replace(figure, id=c.to) for c in more if isinstance(c, ArmyChanged))]
            more.append(ArmyChanged(figure.id, army, next_name(army, placed)))
    return _with(replace(state, corrections=(*corrections, *more)), palette)


def _corrected(correction: Correction, names: Mapping[str, str]) -> Correction:
    match correction:
        case ArmyChanged(_, army, _) if army in names:
            return replace(correction, army=names[army])
        case Added(figure) if figure.army in names:
            return replace(correction, figure=replace(figure, army=names[figure.army]))
        case _:
            return correction


def _of_several(view: TableView, state: TableState, own: Palette, other: Figure | None) -> tuple[Palette, Palette]:
    """The plastics that stay, and the one that goes: that of `other`, else the one learned from the fewest pixels."""
    goes = min(own, key=lambda colour: colour.samples)
    if other is not None and len(seen := _plastic(view, state, own, other)):
        middle = np.median(seen, axis=0)
        goes = min(own, key=lambda colour: float(np.linalg.norm(colour.mean[:2] - middle[:2])))
    return tuple(colour for colour in own if colour is not goes), (goes,)


def _of_figures(view: TableView, state: TableState, own: Palette, other: Figure | None) -> tuple[Palette, Palette]:
    """The colours of an army's two kinds of figures."""
    figures = [figure for figure in view.figures if figure.army == own[0].name]
    plastics = [_plastic(view, state, own, figure) for figure in figures]
    found = halves(plastics)
    if found is None:
        raise OneColour(own[0].name)
    stays, goes = found
    if other is not None and other.id in {figures[k].id for k in stays}:
        stays, goes = goes, stays
    return (_learned(plastics, stays),), (_learned(plastics, goes),)


def _learned(plastics: list[FloatImage], figures: Iterable[int]) -> ArmyColour:
    return learn_colour(np.concatenate([plastics[k] for k in figures]), "")


def _plastic(view: TableView, state: TableState, own: Palette, figure: Figure) -> FloatImage:
    if view.calibration is None:
        return np.empty((0, 3), np.float32)
    camera, height_in = view.calibration.camera, state.setup.figure_height_in
    return plastic_colours(view.frame.image_bgr, camera, figure, own, height_in)


def _called(colours: Palette, name: str) -> Palette:
    return tuple(replace(colour, name=name) for colour in colours)
