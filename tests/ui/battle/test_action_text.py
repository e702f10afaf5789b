"""Actions as text."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from rules.engine.action import Action
from rules.engine.ambiguity import Ambiguity
from rules.engine.game import Question
from rules.engine.needed import needed_words
from rules.engine.position import View
from rules.engine.preview import ActionPreview, Odds
from rules.engine.verdict import Reason, Verdict, forbidden
from rules.tabletop.measure import Range
from ui.battle.action_text import (
    action_words,
    chance_words,
    numbered_names,
    obligation_key,
    obligation_words,
    odds_column,
    odds_words,
    ranked,
    reason_rows,
    refusal_words,
    success_chance,
    verdict_rows,
)
from ui.translation import tr, use_language

SHOT = Action("Rifle at Tan 4", "shoot", {}, by=("green-1",), at=("tan-4",), weapon="rifle")
GUTS = Action("Tan 1 checks Guts", "guts_check", {}, by=("tan-1",), round="Guts", owed="FM-46")
HALF = Odds({"kills": Fraction(1, 2), "misses": Fraction(1, 2)})


def asked(**parts: object) -> ActionPreview:
    return ActionPreview(**{"action": SHOT, "before": None, "odds": HALF} | parts)  # type: ignore[arg-type]


def test_an_action_is_shown_with_its_target() -> None:
    assert action_words(asked()) == "Rifle at Tan 4"
    both = Action("Hand-to-hand", "fight", {}, by=("green-1",), at=("tan-4", "tan-5"))
    assert action_words(asked(action=both)) == "Hand-to-hand: Tan 4, 5"
    assert action_words(asked(action=Action("Clear the jam", "clear", {}, by=("green-1",)))) == "Clear the jam"
    thrown = Action("Grenade at the spot (3.0, 4.5)", "blast", {}, ("green-1",), ("tan-4", "tan-5"), spot_in=(3.0, 4.5))
    assert action_words(asked(action=thrown)) == "Grenade"
    assert "at that place: Tan 4, 5" in reason_rows(asked(action=thrown))


def test_an_answer_that_says_its_outcome_has_no_odds() -> None:
    begins = Action("Green begins", "order", {}, owed="FM-17")
    assert reason_rows(asked(action=begins, odds=Odds({"green": Fraction(1)}))) == ()
    first = Action("Green moves first", "order", {}, owed="PF-23")
    assert odds_column(asked(action=first, odds=Odds({"green moves first": Fraction(1)}))) == ""
    removal = Action("Take off Tan 4", "remove_casualties", {}, owed="AM-40")
    assert odds_column(asked(action=removal, odds=Odds({"removed": Fraction(1)}))) == ""


def test_several_figures_are_named_by_their_numbers() -> None:
    assert numbered_names(("tan-2", "tan-10", "tan-1", "tan-2")) == "Tan 2, 10, 1"
    assert numbered_names(("tan-4", "grey-3", "field_grey-1")) == "Tan 4, Grey 3, Field grey 1"
    assert numbered_names(("Leader",)) == "Leader"


@pytest.mark.parametrize(
    ("preview", "words"),
    [
        (asked(), "kills 50 %, misses 50 %"),
        (asked(odds=Odds({"walks": Fraction(1)})), "walks"),
        (asked(odds=Odds({"none": Fraction(1, 2), "falls": Fraction(1, 2)})), "falls 50 %, passed 50 %"),  # Guts
        (asked(odds=Odds({"green": Fraction(1, 2), "tan": Fraction(1, 2)})), "Green 50 %, Tan 50 %"),
        (asked(odds=Odds()), "yes"),
        (asked(refusal="out of range"), "no"),
        (asked(ambiguities=(Ambiguity("in reach?", ("range_in",), {"in": 5.9, "out": 6.1}),)), "your call"),
    ],
)
def test_odds_in_a_few_words(preview: ActionPreview, words: str) -> None:
    assert chance_words(preview) == words


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        ({"needs_roll": 3, "dice": 1}, "3 or more"),  # Simple Plastic, SP-11
        ({"needs_roll": 4, "dice": 4}, "4 or more on each of 4 dice"),
        ({"needs_roll": 1}, "any roll hits"),
        ({"needs_roll": 7}, "no roll hits"),  # Simple Plastic Figure
        ({"needs_roll": {"tan-1": 3, "tan-2": 5}}, "Tan 1: 3 or more; Tan 2: 5 or more"),
        ({"needs_roll": {"tan-1": 3, "tan-2": None}}, "Tan 1: 3 or more; Tan 2: no roll hits"),
        ({"at_most": 7}, "7 or less on two dice"),  # Army Men, AM-37
        ({"at_most": 0}, "no roll hits"),
        ({"to_hit": -1}, "-1 or more on the Fudge dice"),  # Fudge Miniatures
        ({"to_hit": -7}, "any roll hits"),  # four dice show -4 to +4
        ({"to_hit": -4}, "any roll hits"),
        ({"to_hit": 4}, "+4 or more on the Fudge dice"),
        ({"to_hit": 5}, "no roll hits"),
        ({"to_hit": None}, ""),
        ({"to_injure": 2, "to_kill": 4}, "+2 injures, +4 kills"),  # Plastic Fudge
        ({"to_injure": 2, "to_kill": None}, "+2 injures"),
        ({}, ""),
        ({"allowed": False, "needs_roll": 3}, ""),
    ],
)
def test_the_text_of_the_number_needed(numbers: dict[str, object], words: str) -> None:
    assert needed_words(asked(before=Verdict("may attack", numbers, ()))) == words
    assert needed_words(asked(before=None)) == ""


def test_outcomes_are_sorted_by_probability_then_name() -> None:
    odds = {"misses": Fraction(1, 6), "hits_armour": Fraction(1, 6), "kills": Fraction(2, 3)}
    assert odds_words(odds) == "kills 67 %, hits armour 17 %, misses 17 %"


def test_each_figure_under_a_blast_has_its_own_odds() -> None:
    odds = {"tan-1 KIL": Fraction(3, 4), "tan-1 NE": Fraction(1, 4)}
    each = {"tan-1": Odds(odds), "tan-2": Odds({"hit": Fraction(1)})}
    assert reason_rows(asked(odds=Odds(), odds_of=each)) == ("Tan 1: kills 75 %, no effect 25 %", "Tan 2: hit 100 %")


def test_a_forbidden_action_shows_the_reason_instead_of_odds() -> None:
    assert reason_rows(asked(refusal="jammed")) == ("jammed",)


def test_a_missing_fact_is_shown_as_a_question() -> None:
    which = Question("facing_deg", "Which way does he face?", None, holds=float)
    refused = asked(refusal="the question 'rout_move' lacks the key 'facing_deg': give it a number", asks=(which,))
    assert reason_rows(refused) == ("answer first: Which way does he face?",)
    assert refusal_words(asked(refusal="green-2 is not seen", asks=(which,))) == "Green 2 is not seen"


def test_reasons_use_readable_figure_names() -> None:
    hurt = Verdict("may_attack", {}, (Reason("PF-52", "green-9 is hurt", -1.0), Reason("WW-46", "seen by field_gun")))
    assert verdict_rows(hurt) == ("-1  Green 9 is hurt (PF-52)", "seen by field gun (WW-46)")


def test_reasons_list_signed_modifiers_with_rules_then_odds() -> None:
    before = Verdict("needs_4", {}, (Reason("FM-12", "in cover", -1.0), Reason("FM-03", "roll 4 or more")))
    assert reason_rows(asked(before=before)) == (
        "-1  in cover (FM-12)",
        "roll 4 or more (FM-03)",
        "kills 50 %, misses 50 %",
    )


def test_alternatives_are_joined_by_or() -> None:
    sides = [Action(f"{name} begins", "turn", {}, owed="SP-01") for name in ("Green", "Tan")]
    morale = Action("Morale of Tan 4", "morale", {}, by=("tan-4",), owed="PF-60")
    owed = [asked(action=action) for action in (*sides, morale)]
    assert obligation_words(owed) == "Still to do: Green begins or Tan begins, Morale of Tan 4"


def test_the_chance_of_an_attack_is_that_of_harm() -> None:
    """A hit that does nothing, such as a rifle's at a tank, is no success; what is forbidden has no chance."""
    odds = Odds({"hit": Fraction(5, 6), "miss": Fraction(1, 6)}, harm=Fraction(1, 2))
    assert success_chance(asked(odds=odds)) == 0.5
    assert success_chance(asked(odds=Odds())) is None
    assert success_chance(asked(odds=odds, refusal="out of range")) is None


def test_what_cannot_harm_its_target_has_no_chance_of_success() -> None:
    """A figure sees another one run, or the shots are only named; a shot without a chance is one all the same."""
    check = Odds({"passed": Fraction(3, 8), "routed": Fraction(5, 8)}, harm=Fraction(0))
    assert odds_column(asked(odds=check)) == "routed 62 %\npassed 38 %"
    assert odds_column(asked(odds=Odds({"named": Fraction(1)}, harm=Fraction(0)))) == "named"
    here = ((0.0, 0.0), (20.0, 0.0))
    view = View(Range(20.0, 19.0, 0.1, here, here), 1.0, 1.0, ())
    hopeless = Odds({"unharmed": Fraction(1)}, harm=Fraction(0))
    assert odds_column(asked(action=replace(SHOT, view=view), odds=hopeless)) == "0 %"


def test_of_many_outcomes_of_a_check_that_it_passes_is_named() -> None:
    odds = {"run": 4, "no_attack": 5, "fall": 3, "minus1_rolls": 3, "none": 1}
    guts = asked(odds=Odds({outcome: Fraction(count, 16) for outcome, count in odds.items()}), action=GUTS)
    assert odds_column(guts) == "passed 6 %\nno attack 31 %\nand 3 more"


def test_to_run_or_to_stay_is_one_obligation_and_two_checks_are_two() -> None:
    run, stay = (Action(title, "run", {}, by=("tan-1",), owed="FM-53") for title in ("Run to safety", "Stay"))
    assert len({obligation_key(asked(action=one)) for one in (run, stay)}) == 1
    assert obligation_words([asked(action=one) for one in (run, stay)]) == (
        "Still to do: Tan 1: Run to safety or Tan 1: Stay"
    )
    checks = [replace(GUTS, title=f"Tan 1 checks Guts: {why}") for why in ("new wound level", "charged")]
    assert len({obligation_key(asked(action=one)) for one in checks}) == 2


def test_a_reason_with_a_full_stop_has_none_before_its_rule() -> None:
    no = forbidden("phase", Reason("SP-04", "each unit moves alone."), Reason("SP-01", "it may not move now"))
    assert verdict_rows(no) == ("each unit moves alone (SP-04)", "it may not move now (SP-01)")
    assert asked(before=no).why_not == "each unit moves alone (SP-04); it may not move now (SP-01)"


def test_the_number_needed_is_said_in_the_language_of_the_window() -> None:
    two_dice = asked(before=Verdict("may attack", {"at_most": 7}, ()))
    assert use_language(["de"]) == "de"
    try:
        assert needed_words(two_dice, tr) == "7 oder weniger mit zwei Würfeln"
        assert needed_words(two_dice) == "7 or less on two dice", "the command line stays English"
    finally:
        use_language(["en"])


def test_fleeing_soldiers_are_named_and_counted_one_by_one() -> None:
    """PF-65 has each of them flee; actions without an actor are answers to one rule."""
    flee = Action("Flee", "flee", {}, round="Flight", owed="PF-65")
    flights = [asked(action=replace(flee, by=(name,)), odds=Odds()) for name in ("tan-1", "tan-2")]
    assert obligation_words(flights) == "Still to do: Tan 1: Flee, Tan 2: Flee"
    assert len({obligation_key(one) for one in flights}) == 2


def test_a_victory_that_is_too_early_is_folded_away() -> None:
    early = asked(action=Action("Declare victory of Green", "victory", {}), odds=Odds({"not yet": Fraction(1)}))
    order = ranked([early, asked()])
    assert (order.best, order.more) == ((1,), (0,))


def test_an_outcome_of_a_side_begins_with_a_capital() -> None:
    second = Action("Green moves second", "order", {}, owed="PF-23")
    assert chance_words(asked(action=second, odds=Odds({"tan moves first": Fraction(1)}))) == "Tan moves first"
    flee = Action("Flee", "flee", {}, by=("tan-1",))
    assert odds_column(asked(action=flee, odds=Odds({"flees": Fraction(1)}))) == "", "the title says it"
