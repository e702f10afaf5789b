"""The order of actions on the battle card, and their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import pytest

from rules.engine.referee import Action, ActionPreview
from ui.battle.action_text import success_chance
from ui.battle.card import Ranking, forbidden_words, odds_column, ranked

HALF = Fraction(1, 2)


def preview(title: str, hit: Fraction | None = None, *, refusal: str = "", owed: str = "") -> ActionPreview:
    """An attack with this chance to hit, or another action without one."""
    at = ("tan-1",) if hit is not None else ()
    odds = {} if hit is None or refusal else {"hit": hit, "miss": 1 - hit}
    return ActionPreview(Action(title, "shoot", {}, by=("green-1",), at=at, owed=owed), None, odds, refusal=refusal)


def test_what_is_owed_comes_first_then_the_best_attack() -> None:
    previews = [
        preview("Hide"),
        preview("Rifle at Tan 1", Fraction(1, 3)),
        preview("Pistol at Tan 1", Fraction(2, 3)),
        preview("Grenade", refusal="no target"),
        preview("Morale of Green 1", owed="PF-61"),
        preview("Wait"),
    ]
    assert ranked(previews) == Ranking(best=(4, 2, 1), more=(0, 5), impossible=(3,))
    assert ranked(previews[:4]) == Ranking(best=(2, 1, 0), more=(), impossible=(3,))
    assert ranked([]) == Ranking((), (), ())


def test_one_more_action_needs_no_fold() -> None:
    assert ranked([preview(name) for name in "abcd"]) == Ranking(best=(0, 1, 2, 3), more=(), impossible=())


@pytest.mark.parametrize(
    ("odds", "chance"),
    [
        ({"kills": HALF, "misses": HALF}, 0.5),
        ({"missed": Fraction(1, 4), "hit": Fraction(3, 4)}, 0.75),
        (
            {"tan-1 NE, tan-2 --": HALF, "tan-1 KIL, tan-2 NE": Fraction(1, 4), "tan-1 --, tan-2 INJ": Fraction(1, 4)},
            0.5,
        ),
        ({"hits 1 of 2": HALF, "hits 2 of 2": Fraction(1, 4), "misses": Fraction(1, 4)}, 0.75),
        ({"miss": Fraction(1)}, 0.0),
    ],
)
def test_the_chance_of_success_is_that_of_any_effect(odds: dict[str, Fraction], chance: float) -> None:
    attack = Action("Burst", "burst", {}, by=("green-1",), at=("tan-1", "tan-2"))
    assert success_chance(ActionPreview(attack, None, odds)) == pytest.approx(chance)


def test_the_column_shows_a_chance_only_for_attacks() -> None:
    assert odds_column(preview("Rifle at Tan 1", HALF)) == "50 %"
    assert odds_column(preview("Hide")) == ""
    check = Action("Morale of Green 1", "morale", {}, by=("green-1",))
    assert (
        odds_column(ActionPreview(check, None, {"stays": Fraction(3, 4), "runs": Fraction(1, 4)}))
        == "stays 75 %\nruns 25 %"
    )


def test_a_forbidden_action_names_the_rule() -> None:
    assert forbidden_words(preview("Rifle at Tan 1", HALF, refusal="out of range")) == "Rifle at Tan 1: Out of range."


class FirstOnly(Mapping[str, Mapping[str, Fraction]]):
    """The odds of two targets, of which only the first may be read."""

    def __getitem__(self, name: str) -> Mapping[str, Fraction]:
        assert name == "tan-1", "hundreds of targets of bursts would take seconds"
        return {"hits 1 of 1": Fraction(1, 4), "hits 0 of 1": Fraction(3, 4)}

    def __iter__(self) -> Iterator[str]:
        return iter(("tan-1", "tan-2"))

    def __len__(self) -> int:
        return 2


def test_a_burst_is_ranked_by_its_first_target() -> None:
    burst = Action("Burst", "burst", {}, by=("green-1",), at=("tan-1", "tan-2"))
    one = ActionPreview(burst, None, {}, odds_of=FirstOnly())
    assert odds_column(one) == "25 %"
    assert ranked([preview("Rifle at Tan 1", HALF / 5), one]).best == (1, 0)
