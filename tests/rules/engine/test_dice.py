"""Dice requests, impossible rolls, and exact odds compared with odds counted by hand."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.engine.dice import (
    DiceRequest,
    Die,
    Procedure,
    Roll,
    Scripted,
    as_fudge,
    asks_again,
    falls,
    no_dice,
    odds,
    play,
    rolled,
)
from rules.engine.verdict import RuleRefusal
from rules.tabletop.errors import UserError

ONE = DiceRequest(Die.D6, 1, "the firer", "the attack")
TWO = DiceRequest(Die.D6, 2, "the firer", "the attack")
FUDGE = DiceRequest(Die.FUDGE, 4, "the firer", "the attack")


def test_procedure_receives_the_rolls_it_requests() -> None:
    def procedure() -> Procedure[list[int]]:
        first = yield TWO
        second = yield ONE
        return [first.total, second.total]

    assert play(procedure(), Scripted([3, 4, 6])) == [7, 6]


@pytest.mark.parametrize(
    ("request_", "faces", "code"),
    [
        (TWO, [3, 7], "impossible_die_face"),
        (TWO, [0, 3], "impossible_die_face"),
        (TWO, [True, 3], "impossible_die_face"),
        (TWO, [3.0, 3], "impossible_die_face"),
        (FUDGE, [1, 0, -1, 2], "impossible_die_face"),
        (TWO, [3], "wrong_dice_count"),
        (TWO, [3, 3, 3], "wrong_dice_count"),
        (FUDGE, [], "wrong_dice_count"),
    ],
)
def test_impossible_rolls_are_refused(request_: DiceRequest, faces: list[int], code: str) -> None:
    with pytest.raises(RuleRefusal) as refusal:
        rolled(request_, faces)
    assert refusal.value.code == code


def test_unused_dice_are_refused() -> None:
    script = Scripted([1, 2, 3])
    script(TWO)
    with pytest.raises(RuleRefusal, match="leave out 1 of them"):
        script.finish()


def test_request_without_dice_is_refused() -> None:
    with pytest.raises(UserError, match="at least one die"):
        DiceRequest(Die.D6, 0, "nobody", "nothing")


def test_six_sided_dice_as_fudge_dice() -> None:
    assert as_fudge([1, 2, 3, 4, 5, 6]) == (-1, -1, 0, 0, 1, 1)
    with pytest.raises(RuleRefusal):
        as_fudge([0])


@given(die=st.sampled_from(Die), count=st.integers(1, 5))
def test_combinations_count_all_permutations(die: Die, count: int) -> None:
    found = list(falls(DiceRequest(die, count, "the firer", "the attack")))
    assert sum(chance for _, chance in found) == 1
    assert len({roll.faces for roll, _ in found}) == len(found)


def _just(request_: DiceRequest) -> Procedure[int]:
    roll = yield request_
    return roll.total


def test_odds_of_two_dice() -> None:
    # 36 throws: one way to 2, six to 7
    found = odds(lambda: _just(TWO), lambda total: total)
    assert found[2] == Fraction(1, 36)
    assert found[7] == Fraction(6, 36)
    assert sum(found.values()) == 1


def test_odds_of_fudge_dice() -> None:
    # 81 throws of 4dF: 1, 4, 10, 16, 19, 16, 10, 4, 1 from -4 to +4
    found = odds(lambda: _just(FUDGE), lambda total: total)
    assert [found[total] * 81 for total in range(-4, 5)] == [1, 4, 10, 16, 19, 16, 10, 4, 1]


def _duel(left: DiceRequest, right: DiceRequest) -> Procedure[str]:
    a, b = (yield left), (yield right)
    while a.total == b.total:
        a, b = (yield left.once_more()), (yield right)
    return "left" if a.total > b.total else "right"


def test_tie_is_rolled_again_without_limit() -> None:
    # Six-sided: 15 of 36 each way, and 6 ties that are distributed evenly.
    left, right = (DiceRequest(Die.D6, 1, side, "the duel") for side in ("left", "right"))
    assert odds(lambda: _duel(left, right), str) == {"left": Fraction(1, 2), "right": Fraction(1, 2)}


def test_tie_keeps_the_probabilities_of_earlier_rolls() -> None:
    # A Fudge die first: on + the left side wins at once (1/3), otherwise the duel is even.
    left, right = (DiceRequest(Die.D6, 1, side, "the duel") for side in ("left", "right"))

    def procedure() -> Procedure[str]:
        coin = yield DiceRequest(Die.FUDGE, 1, "left", "the coin")
        return "left" if coin.total > 0 else (yield from _duel(left, right))

    assert odds(procedure, str)["left"] == Fraction(2, 3)


def test_rerolls_keep_the_proportion_of_outcomes() -> None:
    # One die: 1 wins, 2 and 3 lose, the rest is rolled again: 1 to 2.
    def procedure() -> Procedure[bool]:
        roll = yield ONE
        while roll.total > 3:
            roll = yield ONE.once_more()
        return roll.total == 1

    assert odds(procedure, bool) == {True: Fraction(1, 3), False: Fraction(2, 3)}


def test_endless_reroll_is_refused() -> None:
    def procedure() -> Procedure[None]:
        yield ONE
        while True:
            yield ONE.once_more()

    with pytest.raises(UserError, match="the roll for the attack would never end"):
        odds(procedure, str)


def test_too_many_combinations_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rules.engine.dice.MOST_BRANCHES", 500)

    def procedure() -> Procedure[int]:
        count = 0
        for man in range(9):
            roll = yield DiceRequest(Die.D6, 2, f"man {man}", "the attack")
            count += roll.total
        return count

    with pytest.raises(UserError, match="fewer targets"):
        odds(procedure, lambda count: count)


def test_two_equal_requests_are_not_a_reroll() -> None:
    # Two equal requests in a row that are not `again`: 1/6 each for a double of one face.
    def procedure() -> Procedure[tuple[int, int]]:
        first = yield ONE
        second = yield ONE
        return first.total, second.total

    assert odds(procedure, lambda pair: pair[0] == pair[1])[True] == Fraction(1, 6)


def test_roll_keeps_its_faces() -> None:
    assert Roll((1, 6)).total == 7


def test_a_procedure_that_may_need_more_dice_is_recognised() -> None:
    def hit_then_wound() -> Procedure[str]:
        if (yield TWO).total > 7:
            return "miss"
        return "kill" if (yield ONE).total > 3 else "hurt"

    assert asks_again(hit_then_wound, [], TWO)  # two ones hit
    assert not asks_again(hit_then_wound, [Roll((1, 1))], ONE)


def test_six_sided_dice_stand_only_for_dice_that_allow_it() -> None:
    with pytest.raises(RuleRefusal, match="six-sided dice cannot be rolled for the attack") as refusal:
        FUDGE.read_d6([1, 2, 3, 4])
    assert refusal.value.code == "impossible_die_face"


def test_a_question_without_dice_that_needs_some_says_so() -> None:
    with pytest.raises(RuleRefusal, match="the attack of the firer needs dice") as refusal:
        no_dice(ONE)
    assert refusal.value.code == "wrong_dice_count"
