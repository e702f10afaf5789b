"""Armies as groups of figures of one colour: accepting, naming, merging and splitting them. No Qt here.

Before the player accepts the groups that were found, they are those of the view; the first change accepts them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.formatting import begun
from ui.session import TableState
from ui.setup.colours import MARK_THEM
from ui.table.correction_options import everybody
from ui.table.corrections import Added, ArmyChanged, Correction, names_in, next_name
from vision.figure_colours import plastic_colours
from vision.palette import ArmyColour, FloatImage, Palette, army_names, learn_colour
from vision.proposals import halves, named
from vision.table_view import TableView

_LONGEST_NAME = 30


class OneColour(UserError):
    """An army cannot be split because all of its figures have nearly the same colour."""

    def __init__(self, army: str) -> None:
        super().__init__(f"{begun(army)}: all figures are nearly the same colour. To split them, {MARK_THEM}")


def armies_of(view: TableView, state: TableState) -> tuple[str, ...]:
    """Names of the armies that are taught or, while none is, were found by colour; then those set by hand alone."""
    known = army_names(state.setup.palette or view.proposed)
    by_hand = {one.army for one in state.corrections if isinstance(one, ArmyChanged)}
    seen = (figure.army for figure in view.figures if figure.army in by_hand)
    return tuple(dict.fromkeys((*known, *seen)))


def accepted(view: TableView, state: TableState) -> TableState:
    """With the groups that were found by colour as the armies."""
    return _with(state, state.setup.palette or view.proposed)


def renamed(view: TableView, state: TableState, army: str, name: str) -> TableState:
    """With another name for an army.

    Raises:
        UserError: if it is not a name, or another army has it.
    """
    name = name.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise UserError(f"An army's name has 1 to {_LONGEST_NAME} letters. Type another one.")
    if name != army and name in armies_of(view, state):
        raise UserError(f"There is an army called {name} already. To make them one army, select both and press Merge.")
    return _moved(view, state, {army: name})


def merged(view: TableView, state: TableState, into: str, others: Iterable[str]) -> TableState:
    """With one army instead of several: it has the plastics of all."""
    return _moved(view, state, dict.fromkeys(set(others) - {into}, into))


def split(view: TableView, state: TableState, army: str, other: Figure | None = None) -> tuple[TableState, str]:
    """With two armies instead of one, by the colours of its figures, and the name of the new one.

    Args:
        view, state: The table.
        army: The army; an army of several plastics is split into these, any other by what its figures look like now.
        other: A figure of the new army; the fewer are the new army if None.

    Raises:
        OneColour: if its figures cannot be told apart.
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
    """The correction that puts one figure alone into a new army, named after the plastic that is nearest."""
    palette = state.setup.palette or view.proposed
    own = next((colour for colour in palette if colour.name == figure.army), None)
    taken = frozenset((figure.army, *armies_of(view, state)))
    name = _new_name(own, (), taken) if own else f"other {figure.army}"
    return ArmyChanged(figure.id, name, next_name(name, everybody(view)))


def _new_name(colour: ArmyColour, others: Palette, taken: frozenset[str]) -> str:
    """The usual plastic that a colour is, seen beside the others; the nearest one that is free if that is taken."""
    beside = named((colour, *others))[0].name
    return beside if beside not in taken else named((colour,), taken)[0].name


def _with(state: TableState, palette: Palette) -> TableState:
    by_name = tuple(sorted(palette, key=lambda colour: colour.name))
    return replace(state, setup=replace(state.setup, palette=by_name))


def _moved(view: TableView, state: TableState, names: Mapping[str, str]) -> TableState:
    """With other names for some armies; what the players have corrected stays with its army."""
    palette = tuple(
        replace(colour, name=names.get(colour.name, colour.name)) for colour in state.setup.palette or view.proposed
    )
    corrections = tuple(_corrected(one, names) for one in state.corrections)
    # A figure that was corrected keeps the army that the camera has for it.
    pinned = names_in(state.corrections) - names_in(c for c in corrections if isinstance(c, ArmyChanged | Added))
    more: list[Correction] = []
    for figure in view.figures:
        if figure.id in pinned and figure.army in names:
            army = names[figure.army]
            placed = [*everybody(view), *(replace(figure, id=c.to) for c in more if isinstance(c, ArmyChanged))]
            more.append(ArmyChanged(figure.id, army, next_name(army, placed)))
    return _with(replace(state, corrections=(*corrections, *more)), palette)


def _corrected(one: Correction, names: Mapping[str, str]) -> Correction:
    match one:
        case ArmyChanged(_, army, _) if army in names:
            return replace(one, army=names[army])
        case Added(figure) if figure.army in names:
            return replace(one, figure=replace(figure, army=names[figure.army]))
        case _:
            return one


def _of_several(view: TableView, state: TableState, own: Palette, other: Figure | None) -> tuple[Palette, Palette]:
    """The plastics that stay and the one that goes: that of a figure, else the one that fewest pixels taught."""
    goes = min(own, key=lambda colour: colour.samples)
    if other is not None and len(seen := _plastic(view, state, own, other)):
        middle = np.median(seen, axis=0)
        goes = min(own, key=lambda colour: float(np.linalg.norm(colour.mean[:2] - middle[:2])))
    return tuple(colour for colour in own if colour is not goes), (goes,)


def _of_figures(view: TableView, state: TableState, own: Palette, other: Figure | None) -> tuple[Palette, Palette]:
    """The colours of the two kinds of figures that an army has."""
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
