"""How well the armies' colours separate, as text for the player. No Qt here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from ui.formatting import capitalized
from ui.session import TableState
from ui.translation import mark_for_translation, tr
from vision.separation import Separation, SeparationLevel
from vision.setup import Setup
from vision.table_view import TableView

WITHOUT_EMPTY = mark_for_translation(
    "Without a picture of the empty table, fewer soldiers are found, above all in shadow."
)

_WORST_FIRST = (SeparationLevel.ALIKE, SeparationLevel.FAIR, SeparationLevel.WELL)


_PAIRS = {
    SeparationLevel.WELL: mark_for_translation("{army} and {other} are easy to tell apart."),
    SeparationLevel.FAIR: mark_for_translation(
        "{army} and {other} can be told apart, less reliably in shade. Click another soldier of each."
    ),
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
    army = capitalized(found.army)
    if found.other is not None:
        return say(_PAIRS[found.level], army=army, other=found.other)
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
    counts = [f"{count} {army}" for army, count in groups_of(view).items() if count]
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
                army=capitalized(found.army), other=found.other,
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
