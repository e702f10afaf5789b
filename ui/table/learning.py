"""Learns from corrections: a corrected figure becomes an example, which is saved with the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rules.tabletop.table import Figure, Posture
from ui.table.corrections import ArmyChanged, Confirmed, Correction, PostureSet
from ui.table.portrait import figure_crop
from vision.examples import CROP_PX, Appearance, Example
from vision.setup import Setup
from vision.table_view import TableView

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
