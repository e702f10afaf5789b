"""The order of actions on the battle card, and their words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

import pytest

from rules.engine.action import Action
from rules.engine.preview import ActionPreview, Odds
from ui.battle.action_text import Ranking, forbidden_groups, forbidden_words, odds_column, ranked

HALF = Fraction(1, 2)


def preview(title: str, hit: Fraction | None = None, *, refusal: str = "", owed: str = "") -> ActionPreview:
    """An attack with this chance to hit, or another action without one."""
    at = ("tan-1",) if hit is not None else ()
    odds = Odds() if hit is None or refusal else Odds({"hit": hit, "miss": 1 - hit}, harm=hit)
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


@pytest.mark.usefixtures("german")
def test_in_german_an_action_without_dice_has_no_chance_either() -> None:
    assert odds_column(preview("Hide")) == ""


def test_the_column_shows_a_chance_only_for_attacks() -> None:
    assert odds_column(preview("Rifle at Tan 1", HALF)) == "50 %"
    assert odds_column(preview("Hide")) == ""
    check = Action("Morale of Green 1", "morale", {}, by=("green-1",))
    assert (
        odds_column(ActionPreview(check, None, Odds({"stays": Fraction(3, 4), "runs": Fraction(1, 4)})))
        == "stays 75 %\nruns 25 %"
    )


def test_a_forbidden_action_names_the_rule() -> None:
    assert forbidden_words(preview("Rifle at Tan 1", HALF, refusal="out of range")) == "Rifle at Tan 1: Out of range."


def test_one_reason_for_many_targets_is_given_once() -> None:
    def shot(weapon: str, target: int, refusal: str) -> ActionPreview:
        name = f"tan-{target}"
        action = Action(f"{weapon} at Tan {target}", "shoot", {}, by=("green-1",), at=(name,))
        return ActionPreview(action, None, {}, refusal=refusal)

    far = "Tan {} is {} in away; the rifle reaches 24 in (AM-38)"
    previews = [
        shot("Rifle", 1, far.format(1, 26.39)),
        shot("Rifle", 2, "it is out of sight (AM-2)"),
        shot("Pistol", 1, "it is out of sight (AM-2)"),
        shot("Rifle", 3, far.format(3, 31.7)),
        ActionPreview(Action("Dig in", "dig", {}, by=("green-1",)), None, {}, refusal="no shovel"),
        shot("Rifle", 4, far.format(4, 29)),
    ]
    assert forbidden_groups(previews, range(6)) == (
        ("Rifle at 3 targets: The target is 26.4 to 31.7 in away; the rifle reaches 24 in (AM-38).", (0, 3, 5)),
        ("Rifle at Tan 2: It is out of sight (AM-2).", (1,)),
        ("Pistol at Tan 1: It is out of sight (AM-2).", (2,)),
        ("Dig in: No shovel.", (4,)),
    )


class FirstOnly(Mapping[str, Odds]):
    """The odds of two targets, of which only the first may be read."""

    def __getitem__(self, name: str) -> Odds:
        assert name == "tan-1", "hundreds of targets of bursts would take seconds"
        return Odds({"hits 1 of 1": Fraction(1, 4), "hits 0 of 1": Fraction(3, 4)}, harm=Fraction(1, 4))

    def __iter__(self) -> Iterator[str]:
        return iter(("tan-1", "tan-2"))

    def __len__(self) -> int:
        return 2


def test_a_burst_is_ranked_by_its_first_target() -> None:
    burst = Action("Burst", "burst", {}, by=("green-1",), at=("tan-1", "tan-2"))
    one = ActionPreview(burst, None, odds_of=FirstOnly())
    assert odds_column(one) == "25 %"
    assert ranked([preview("Rifle at Tan 1", HALF / 5), one]).best == (1, 0)
