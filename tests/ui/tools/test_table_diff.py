"""Changes between two views, on tables small enough to calculate by hand."""

from __future__ import annotations

from dataclasses import replace

from rules.tabletop.table import Figure, Posture
from tests.ui.picture.test_overlay import view_of
from tests.ui.tables import soldier
from ui.table.finding import Note, Trace
from ui.tools.table_diff import changes, compared
from ui.vocabulary import Unit

RESTS, BEFORE, AFTER = soldier("green-1", 10, 10, 0.05), soldier("tan-1", 20, 10, 0.05), soldier("tan-1", 23, 14, 0.05)
GONE, NEW = soldier("green-2", 5, 5), soldier("tan-2", 30, 5)


def told(then: tuple[Figure, ...], now: tuple[Figure, ...]) -> list[tuple[str, str]]:
    return [(change.figure.id, change.words()) for change in changes(then, now)]


def test_changes_are_listed_by_army_and_number() -> None:
    """From (20, 10) to (23, 14) is a triangle of 3, 4, 5."""
    assert told((RESTS, BEFORE, GONE), (NEW, AFTER, RESTS)) == [
        ("green-2", "is gone"),
        ("tan-1", "moved 5.0 in"),
        ("tan-2", "is new"),
    ]


def test_jitter_is_not_a_move() -> None:
    """Within two standard deviations of the distance, which combines those of both places."""
    unsure = soldier("green-1", 10, 10, 0.5)
    assert told((unsure,), (replace(unsure, x_in=11.0),)) == []  # 2 x hypot(0.5, 0.5) = 1.41
    assert told((unsure,), (replace(unsure, x_in=11.5),)) == [("green-1", "moved 1.5 in")]
    assert told((RESTS,), (replace(RESTS, x_in=10.3),)) == []  # a hand in the picture shifts bases this much


def test_a_fallen_figure_is_a_change() -> None:
    assert told((BEFORE,), (replace(BEFORE, posture=Posture.DOWN),)) == [("tan-1", "now down")]
    assert told((BEFORE,), (replace(AFTER, posture=Posture.DOWN),)) == [("tan-1", "moved 5.0 in, now down")]


def test_a_move_is_drawn_from_old_to_new_place() -> None:
    found = compared(view_of(RESTS, BEFORE), view_of(RESTS, AFTER))
    assert found.answer.headline == "1 change"
    assert found.answer.rows == ("Tan 1 moved 5.0 in (± 0.2)",)  # 2 x hypot(0.05, 0.05) = 0.14, in tenths upwards
    way = next(mark for mark in found.marks if isinstance(mark, Trace) and not mark.closed)
    assert (way.points_in[0][:2], way.points_in[-1][:2]) == (BEFORE.centre_in, AFTER.centre_in)
    (note,) = [mark for mark in found.marks if isinstance(mark, Note)]
    assert note.rows[0][0] == "moved 5.0 in"


def test_no_change_is_reported_and_units_are_respected() -> None:
    assert compared(view_of(RESTS), view_of(RESTS)).answer.headline == "nothing has changed"
    assert compared(view_of(RESTS), view_of(RESTS)).marks == ()
    assert "12.7 cm" in compared(view_of(BEFORE), view_of(AFTER), Unit.CENTIMETRE).answer.rows[0]


def test_a_long_list_of_changes_is_shortened() -> None:
    many = [soldier(f"green-{n}", n, 5) for n in range(1, 13)]
    found = compared(view_of(), view_of(*many))
    assert found.answer.headline == "12 changes"
    assert found.answer.rows[-1] == "and 4 more"
