"""Which rolls answer a request, with a simulated clock."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware.dice_protocol import RollLine
from hardware.dice_reader import DOUBLE_S, FORGET_S, KEEP_S, SETTLE_S, DiceCollector, ElectronicDice, Why
from rules.engine.dice import DiceRequest, Die, Procedure, Roll, play

ONE = DiceRequest(Die.D6, 1, "the firer", "the attack")
TWO = DiceRequest(Die.D6, 2, "the firer", "the attack")
FOUR_FUDGE = DiceRequest(Die.FUDGE, 4, "the firer", "the attack")


class Table:
    """A dice collector with a simulated clock."""

    def __init__(self) -> None:
        self.now_s = 100.0
        self.tray = DiceCollector(lambda: self.now_s)

    def d6(self, face: int, name: str = "d1", **more: object) -> None:
        self.tray.add_roll(RollLine(Die.D6, face, name, **more))

    def later(self, seconds: float) -> Table:
        self.now_s += seconds
        return self

    def settled_roll(self) -> Roll | None:
        """The answer after the settling time."""
        return self.later(SETTLE_S).tray.answer()


@pytest.fixture
def table() -> Table:
    return Table()


def test_requested_dice_answer_the_request(table: Table) -> None:
    table.tray.ask(TWO)
    table.d6(3)
    assert table.settled_roll() is None
    table.d6(5, "d2")
    assert table.tray.answer() is None  # a third might still be rolling
    assert table.settled_roll() == Roll((3, 5))
    assert table.tray.request is None


def test_a_recent_roll_answers_the_next_request(table: Table) -> None:
    table.d6(3)
    assert [one.line.face for one in table.tray.kept] == [3]
    table.later(KEEP_S - 1).tray.ask(ONE)
    assert table.settled_roll() == Roll((3,))
    assert table.tray.kept == ()
    table.tray.ask(ONE)
    assert table.settled_roll() is None  # a roll answers only once


def test_a_stale_roll_raises_a_question(table: Table) -> None:
    table.d6(3)
    table.later(KEEP_S + 1)
    assert table.tray.kept == ()
    table.tray.ask(ONE)
    question = table.tray.question
    assert question.why is Why.STALE
    assert question.text == "d1 shows 3: rolled 6 s before the program asked for it. Does it count for the attack?"
    assert table.settled_roll() is None
    table.tray.settle(yes=True)
    assert table.settled_roll() == Roll((3,))


def test_a_stale_roll_that_does_not_count(table: Table) -> None:
    table.d6(3)
    table.later(KEEP_S + 1).tray.ask(ONE)
    table.tray.settle(yes=False)
    table.d6(4)
    assert table.settled_roll() == Roll((4,))


def test_an_old_roll_is_dropped(table: Table) -> None:
    table.d6(3)
    table.later(FORGET_S + 1).tray.ask(ONE)
    assert table.tray.question is None
    assert table.settled_roll() is None


def test_a_delayed_line_uses_its_stated_age(table: Table) -> None:
    table.tray.ask(ONE)
    table.d6(3, age_s=KEEP_S + 20)
    assert table.tray.question.why is Why.STALE
    table.tray.settle(yes=False)
    table.later(10).d6(4, age_s=8)  # delayed, but thrown after the request
    assert table.settled_roll() == Roll((4,))


def test_a_slow_answer_does_not_age_the_rolls(table: Table) -> None:
    table.tray.ask(TWO)
    table.d6(3, cocked=True)
    table.d6(5, "d2")
    table.later(KEEP_S * 3).tray.settle(yes=True)
    assert table.tray.question is None
    assert table.settled_roll() == Roll((3, 5))


def test_a_cocked_die_raises_a_question(table: Table) -> None:
    table.tray.ask(ONE)
    table.d6(3, cocked=True)
    assert table.tray.question.text == "d1 shows 3, but it leans: does it count?"
    table.tray.settle(yes=False)
    table.d6(2)
    assert table.settled_roll() == Roll((2,))


def test_a_doubtful_line_raises_a_question(table: Table) -> None:
    table.tray.ask(ONE)
    table.tray.add_roll(RollLine(None, 1, doubt="the line may be torn"))
    assert table.tray.question.why is Why.TORN
    table.tray.settle(yes=True)
    assert table.settled_roll() == Roll((1,))


@pytest.mark.parametrize(("yes", "faces"), [(True, (6, 5)), (False, (3, 6))])
def test_a_die_thrown_twice_raises_a_question(table: Table, yes: bool, faces: tuple[int, ...]) -> None:
    table.tray.ask(TWO)
    table.d6(3)
    table.d6(6, "d2")
    table.d6(5)
    assert table.tray.question.why is Why.DOUBLE
    assert table.tray.question.text == "d1 shows 5 now, after 3: does the later roll count instead?"
    table.tray.settle(yes)
    assert table.settled_roll() == Roll(faces)


def test_a_single_die_may_be_thrown_again_for_the_next(table: Table) -> None:
    table.tray.ask(TWO)
    table.d6(3)
    table.later(DOUBLE_S).d6(5)
    assert table.tray.question is None
    assert table.settled_roll() == Roll((3, 5))
    table.tray.ask(TWO)
    table.d6(3)
    table.later(DOUBLE_S / 2).d6(5)  # bounced or nudged
    assert table.tray.question.why is Why.DOUBLE
    table.tray.settle(yes=False)
    table.later(DOUBLE_S).d6(6)
    table.d6(1)  # replaces the 6, not the 3
    table.tray.settle(yes=True)
    assert table.settled_roll() == Roll((3, 1))


@pytest.mark.parametrize("yes", [True, False])
def test_one_die_too_many_raises_a_question(table: Table, yes: bool) -> None:
    table.tray.ask(TWO)
    for k in range(3):
        table.d6(k + 1, f"d{k}")
    assert table.tray.question.text == "d2 shows 3, but 2 dice are enough: roll them all again?"
    table.tray.settle(yes)
    assert table.settled_roll() == (None if yes else Roll((1, 2)))


def test_a_fudge_die_does_not_answer_a_six_sided_request(table: Table) -> None:
    table.tray.ask(ONE)
    table.tray.add_roll(RollLine(Die.FUDGE, 1, "f1"))
    assert table.settled_roll() is None
    assert table.tray.ignored == RollLine(Die.FUDGE, 1, "f1")


def test_six_sided_dice_serve_as_fudge_dice(table: Table) -> None:
    # PF-06: 1 and 2 are minus, 3 and 4 blank, 5 and 6 plus; bare numbers are faces of the requested die.
    table.tray.ask(FOUR_FUDGE)
    for k, face in enumerate((1, 4, 6)):
        table.d6(face, f"d{k}")
    table.tray.add_roll(RollLine(None, 1))
    assert table.settled_roll() == Roll((-1, 0, 1, 1))


def test_a_ruleset_may_convert_six_sided_dice_differently() -> None:
    table = Table()
    table.tray = DiceCollector(
        lambda: table.now_s, read_d6=lambda faces: tuple(-1 if face <= 3 else 1 for face in faces)
    )
    table.tray.ask(DiceRequest(Die.FUDGE, 1, "the firer", "the attack"))
    table.d6(3)
    assert table.settled_roll() == Roll((-1,))


def test_a_new_request_cancels_the_old_one(table: Table) -> None:
    table.tray.ask(TWO)
    table.d6(3)
    table.tray.ask(ONE)
    assert table.settled_roll() is None


lines = st.builds(
    RollLine,
    st.none() | st.sampled_from(Die),
    st.sampled_from([0, -1, 1]),
    st.sampled_from(["", "d1", "d2"]),
    st.none(),
    st.sampled_from([0.0, 3.0, 30.0]),
    st.booleans(),
).filter(lambda line: line.die is None or line.face in line.die.faces)


@given(st.lists(st.tuples(lines, st.sampled_from([0.0, 0.3, 2.0, 8.0]), st.booleans())), st.sampled_from([ONE, TWO]))
def test_answers_consist_of_thrown_faces(throws, request_) -> None:
    table = Table()
    table.tray.ask(request_)
    for line, pause_s, yes in throws:
        table.tray.add_roll(line)
        table.later(pause_s)
        if table.tray.question is not None:
            table.tray.settle(yes)
        roll = table.tray.answer()
        if roll is not None:
            fell = [one.face for one, _, _ in throws]
            assert len(roll.faces) == request_.count
            assert all(roll.faces.count(face) <= fell.count(face) for face in roll.faces)
            table.tray.ask(request_)


def test_electronic_dice_drive_a_procedure() -> None:
    def procedure() -> Procedure[tuple[int, int]]:
        first = yield TWO
        second = yield ONE
        return first.total, second.total

    table, asked = Table(), []
    # Rolls at each poll: before the first request, then its second die, leaning; then the third die.
    coming = [[("d1", 3, False)], [], [("d2", 4, True)], [], [], [("d1", 6, False)]]

    def arrivals() -> list[tuple[RollLine, float]]:
        new = coming.pop(0) if coming else []
        return [(RollLine(Die.D6, face, name, cocked=cocked), table.now_s) for name, face, cocked in new]

    def confirm(question) -> bool:
        asked.append(question.why)
        return True

    dice = ElectronicDice(table.tray, arrivals, confirm, lambda _: table.later(0.3))
    assert play(procedure(), dice) == (7, 6)
    assert asked == [Why.COCKED]


def test_an_interrupted_wait_cancels_the_request() -> None:
    table = Table()

    def wait(_: float) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ElectronicDice(table.tray, list, lambda _: True, wait)(ONE)
    assert table.tray.request is None
