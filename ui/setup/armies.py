"""Armies as groups of figures of one colour: how well they separate, and how they are changed. No Qt here.

Until the player accepts the proposed groups, they come from the view; the first change accepts them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace

import numpy as np

from calibration.calibration_targets import CalibrationTargets
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure, Posture
from ui.formatting import capitalized
from ui.rules_text import side_name
from ui.session import TableState
from ui.table.correction_options import everybody
from ui.table.corrections import Added, ArmyChanged, Correction, names_in, next_name
from ui.translation import mark_for_translation, tr
from vision.figure_colours import plastic_colours
from vision.frame import Frame, ImageBgr
from vision.palette import ArmyColour, FloatImage, Palette, army_names, learn_colour, teach
from vision.proposals import halves, named
from vision.separation import Separation, SeparationLevel
from vision.setup import Setup
from vision.simulation.simulator import Truth
from vision.table_view import TableView

_MAX_NAME = 30


class OneColour(UserError):
    """An army cannot be split because its figures all have nearly the same colour."""

    def __init__(self, army: str) -> None:
        super().__init__(
            tr(
                "{army}: all soldiers are nearly the same colour. To split them, right-click each soldier of one army"
                " and choose its army, or put one army on bases of another colour.",
                army=capitalized(side_name(army)),
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
        raise user_error("An army's name has 1 to {count} letters. Type another one.", count=_MAX_NAME)
    if name != army and name in armies_of(view, state):
        raise user_error(
            "There is already an army called {name}. To make them one army, select both and press Merge.", name=name
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
    name = _new_name(own, (), taken) if own else tr("other {army}", army=side_name(figure.army))
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


WITHOUT_EMPTY = mark_for_translation(
    "Without a picture of the empty table, fewer soldiers are found, above all in shadow."
)

_WORST_FIRST = (SeparationLevel.ALIKE, SeparationLevel.FAIR, SeparationLevel.WELL)


_PAIRS = {
    SeparationLevel.WELL: mark_for_translation("{army} and {other} are easy to tell apart."),
    SeparationLevel.FAIR: mark_for_translation("{army} and {other} can be told apart, less reliably in shade."),
    SeparationLevel.ALIKE: mark_for_translation(
        "{army} and {other} look alike. Click more soldiers of each, some of them in shade, or add light."
    ),
}
_WELL = mark_for_translation("{army} stands out well from this table.")
_ON_TABLE = {
    (SeparationLevel.WELL, False): _WELL,
    (SeparationLevel.WELL, True): _WELL,
    (SeparationLevel.FAIR, False): mark_for_translation(
        "{army} is visible on this table, less reliably in shade. A picture of the empty table helps."
    ),
    (SeparationLevel.FAIR, True): mark_for_translation(
        "{army} is visible on this table, less reliably in shade. More light helps."
    ),
    (SeparationLevel.ALIKE, False): mark_for_translation(
        "{army} and this table look alike. Take a picture of the empty table, or add light."
    ),
    (SeparationLevel.ALIKE, True): mark_for_translation(
        "{army} and this table look alike even with a picture of the empty table. Add light, or use another cloth."
    ),
}


def separation_sentence(found: Separation, say: Callable[..., str] = tr) -> str:
    """The separation as a sentence with what would help; with `str.format` it is English."""
    army = capitalized(side_name(found.army))
    if found.other is not None:
        return say(_PAIRS[found.level], army=army, other=side_name(found.other))
    return say(_ON_TABLE[found.level, found.empty_known], army=army)


def separations_of(view: TableView, setup: Setup) -> tuple[Separation, ...]:
    """The separations of the present armies, worst first."""
    names = {None, *(colour.name for colour in setup.palette or view.proposed)}
    now = [found for found in view.separations if found.army in names and found.other in names]
    return tuple(sorted(now, key=lambda found: _WORST_FIRST.index(found.level)))


def groups_of(view: TableView) -> dict[str, int]:
    """Number of figures in each proposed group, largest group first."""
    count = Counter(figure.army for figure in view.figures)
    return {army.name: count[army.name] for army in sorted(view.proposed, key=lambda army: -count[army.name])}


def group_words(view: TableView) -> str:
    """Such as "9 tan and 8 green soldiers"; empty if no figure of a proposed army is visible."""
    counts = [f"{count} {side_name(army)}" for army, count in groups_of(view).items() if count]
    if len(counts) < 2:
        return tr("{armies} soldiers", armies=counts[0]) if counts else ""
    return tr("{armies} and {last} soldiers", armies=", ".join(counts[:-1]), last=counts[-1])


def proposed(view: TableView | None, state: TableState) -> str:
    """The groups that the player has not accepted yet, as `group_words`; empty if there are none."""
    setup = state.setup
    return group_words(view) if view is not None and setup.propose and not setup.palette else ""


def found_all(view: TableView, armies: int) -> bool:
    """Whether the proposed groups are at least so many; before that, the search may still be going on."""
    return sum(count > 0 for count in groups_of(view).values()) >= armies


def one_plastic(view: TableView) -> bool:
    """Whether all proposed figures have one colour, so that two armies of that colour cannot be separated."""
    return len(view.proposed) == 1


def one_colour_words(view: TableView) -> str:
    """Advice if the proposed groups may mix two armies of one colour; empty if their colours differ clearly."""
    if one_plastic(view):
        return tr(
            "They are all one colour. If they are two armies, right-click each soldier of one army and choose its army,"
            " or put one army on bases of another colour."
        )
    now = {army.name for army in view.proposed}
    for found in view.separations:
        if found.level is SeparationLevel.ALIKE and found.other is not None and {found.army, found.other} <= now:
            return tr(
                "{army} and {other} are nearly the same colour. If soldiers are mixed up, right-click each soldier of"
                " one army and choose its army, or put one army on bases of another colour.",
                army=capitalized(side_name(found.army)), other=side_name(found.other),
            )  # fmt: skip
    return ""


def doubts(view: TableView, setup: Setup) -> tuple[Separation, ...]:
    """The separations that are not good."""
    return tuple(found for found in separations_of(view, setup) if found.level is not SeparationLevel.WELL)


def separation_words(view: TableView, setup: Setup) -> tuple[str, ...]:
    """Sentences about the colours: doubts, worst first, or that all is well; and a hint if the empty table is missing.

    Empty before an army was taught and searched for.
    """
    seen = separations_of(view, setup)
    if not seen:
        return ()
    words = tuple(map(separation_sentence, doubts(view, setup))) or (_all_well(seen),)
    return (*words, tr(WITHOUT_EMPTY)) if setup.reference_bgr is None else words


def _all_well(seen: tuple[Separation, ...]) -> str:
    if len(seen) == 1:
        return separation_sentence(seen[0])
    return tr("All armies stand out well from each other and from this table.")


_CLICKS = 3
"""Soldiers clicked in each army; more than one make its colour more reliable."""


def demo_setup(frame: Frame, truth: Truth, empty_bgr: ImageBgr) -> Setup:
    """The complete setup of the simulated table, with the coordinates of the markers in `truth`."""
    return replace(demo_ground(truth), palette=demo_palette(frame, truth), reference_bgr=empty_bgr)


def demo_ground(truth: Truth) -> Setup:
    """The setup of the simulated table before its armies are taught: markers, lens and terrain."""
    return Setup(CalibrationTargets(layout=truth.markers), truth.camera.lens, propose=True, terrain=truth.terrain)


def demo_palette(frame: Frame, truth: Truth) -> Palette:
    """Every army's colour, from clicks on standing soldiers' bases."""
    soldiers: dict[str, list[Figure]] = {}
    for figure in truth.figures:
        if figure.posture is Posture.STANDING:
            soldiers.setdefault(figure.army, []).append(figure)
    learned = (_learn(frame, truth, army, soldiers[army][:_CLICKS]) for army in sorted(soldiers))
    return tuple(colour for colour in learned if colour is not None)


def _learn(frame: Frame, truth: Truth, army: str, soldiers: list[Figure]) -> ArmyColour | None:
    colour = None
    for soldier in soldiers:
        x, y = truth.camera.table_to_pixel((*soldier.centre_in, soldier.z_in))[0]
        with suppress(UserError):  # a soldier in the shadow of a tree
            colour = teach(frame.image_bgr, (float(x), float(y)), army, colour)
    return colour
