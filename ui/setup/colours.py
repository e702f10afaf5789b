"""How well the armies' colours separate, in words for the player. No Qt here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from ui.session import TableState
from vision.separation import Level, Separation
from vision.setup import Setup
from vision.table_view import TableView

WITHOUT_EMPTY = "Without a picture of the empty table fewer soldiers are found, most of all in shade."

MARK_THEM = "right-click each soldier of one army and choose its army, or put one army on bases of another colour."
"""What helps where two armies have one colour."""

_WORST_FIRST = (Level.ALIKE, Level.FAIR, Level.WELL)


def separations_of(view: TableView, setup: Setup) -> tuple[Separation, ...]:
    """Those of the armies that are known now, the worst first."""
    names = {None, *(colour.name for colour in setup.palette or view.proposed)}
    now = [one for one in view.separations if one.army in names and one.other in names]
    return tuple(sorted(now, key=lambda one: _WORST_FIRST.index(one.level)))


def groups_of(view: TableView) -> dict[str, int]:
    """Number of figures in each group found by colour, the largest group first."""
    count = Counter(figure.army for figure in view.figures)
    return {army.name: count[army.name] for army in sorted(view.proposed, key=lambda one: -count[one.name])}


def group_words(view: TableView) -> str:
    """As "9 tan and 8 green figures"; empty where no army was proposed, or none of its figures is seen."""
    counts = [f"{count} {army}" for army, count in groups_of(view).items() if count]
    if not counts:
        return ""
    words = " and ".join(filter(None, (", ".join(counts[:-1]), counts[-1])))
    return f"{words} figures"


def proposed(view: TableView | None, state: TableState) -> str:
    """The groups that wait to be accepted, as `group_words`; empty where there are none."""
    setup = state.setup
    return group_words(view) if view is not None and setup.propose and not setup.palette else ""


def one_plastic(view: TableView) -> bool:
    """Whether all proposed figures are of one colour, so that two armies of that colour cannot be told apart."""
    return len(view.proposed) == 1


def one_colour_words(view: TableView) -> str:
    """What to do where the groups found may hold two armies of one colour; empty where they differ clearly."""
    if one_plastic(view):
        return f"They are all one colour. If they are two armies, {MARK_THEM}"
    now = {army.name for army in view.proposed}
    for one in view.separations:
        if one.level is Level.ALIKE and one.other is not None and {one.army, one.other} <= now:
            army = one.army[:1].upper() + one.army[1:]
            return f"{army} and {one.other} are nearly the same colour. If soldiers are mixed up, {MARK_THEM}"
    return ""


def doubts(view: TableView, setup: Setup) -> tuple[Separation, ...]:
    """Those that are not told apart well."""
    return tuple(one for one in separations_of(view, setup) if one.level is not Level.WELL)


def separation_words(view: TableView, setup: Setup) -> tuple[str, ...]:
    """What there is to know of the colours: the doubts, the worst first, or that there are none; and what is missing.

    Nothing before an army was taught and looked for.
    """
    seen = separations_of(view, setup)
    if not seen:
        return ()
    words = _sentences(doubts(view, setup)) or (_all_well(seen),)
    return (*words, WITHOUT_EMPTY) if setup.reference_bgr is None else words


def _sentences(those: Iterable[Separation]) -> tuple[str, ...]:
    return tuple(one.sentence for one in those)


def _all_well(seen: tuple[Separation, ...]) -> str:
    if len(seen) == 1:
        return seen[0].sentence
    return "All armies stand out well from each other and from this table."
