"""What a unit of Plastic Fudge can do now, with odds, and the reasons why other actions are not allowed."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from rules.engine.events import PhaseBegun, Placed, QuestionAnswered, QuestionAsked
from rules.engine.preview import at_spot
from rules.engine.roster import Army, Recruit
from rules.engine.state import Unit
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, PointIn, Posture, TerrainKind
from rules.tabletop.template import Blast
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
)
from tests.rules.board import box, piece
from tests.rules.minefield import (
    EVEN,
    army,
    obligation,
    square_base,
    table,
)


def shots(driver: BattleDriver, name: str) -> dict[str, str]:
    """For each enemy, the reason why it cannot be attacked, or else the range band."""
    return {one.action.at[0]: one.why_not or one.action.band for one in driver.available_actions(name).attacks}


FAR: PointIn = (40, 40)


def test_exact_odds_of_a_shot_and_the_number_it_needs(tmp_path: Path) -> None:
    driver = table(tmp_path, ["crawling"], ["radioman"], [(0, 0), (0, 7)])  # Fair against Fair, 6 in away
    [one] = driver.available_actions("green-1").attacks
    # Four dice against four fall as eight dice do: of 6561 ways 1107, 1016, 784, 504 differ by 0, 1, 2 and 3, and 423
    # by more; Fair keeps all totals on the damage chart (PF-49).
    ways = {"NE": 1107 + 1016, "INJ": 784 + 504, "KIL": 423, "--": 6561 - 1107 - 1016 - 784 - 504 - 423}
    assert one.odds == {result: Fraction(many, 6561) for result, many in ways.items()}
    assert one.before is not None
    numbers = one.before.numbers
    assert (numbers["attack_level"], numbers["defense_level"], numbers["to_injure"], numbers["to_kill"]) == (0, 0, 2, 4)
    assert (one.action.band, numbers["limit_in"]) == ("R2", 9)


def test_reasons_for_targets_out_of_range_hidden_or_in_the_wrong_phase(tmp_path: Path) -> None:
    wall = piece("wall", TerrainKind.WALL, box(2, 3, 8, 3.5), height=6.0)
    places: list[PointIn] = [(0, 0), (0, 7.1), (5, 5), (0, 4)]
    driver = table(tmp_path, ["basic"], ["basic", "basic", "basic"], places, [wall])
    why = shots(driver, "green-1")
    assert "6.1 in away; the rifle reaches 6 in (PF-10)" in why["tan-1"]  # R2 is two bands of 3 in
    assert why["tan-2"] == "the target is not in sight (PF-A08)"
    assert why["tan-3"] == "R1"
    driver.do(driver.attack("green-1", "tan-3"), *EVEN, *EVEN)
    assert set(shots(driver, "green-1").values()) == {"A unit makes one attack a turn (PF-45)"}
    assert driver.battle.undo() == "Green 1: Rifle at Tan 3, no effect"
    assert shots(driver, "green-1")["tan-3"] == "R1"  # the attack is given back
    driver.next_phase(1, "", "morale")
    assert "(PF-44)" in shots(driver, "green-1")["tan-3"]


def test_attacks_in_any_phase_with_that_option(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (0, 4)]
    driver = table(tmp_path, ["basic"], ["basic"], places, phase="a_moves", attacks_when="any_time")
    assert shots(driver, "green-1") == {"tan-1": "R1"}
    driver.next_phase(1, "tan", "b_moves")
    driver.next_phase(1, "", "morale")  # no part of the round is kept for attacks


def test_a_range_at_its_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    """6 in from edge to edge with 0.1 for each of the two places: the rules would answer otherwise."""
    driver = table(tmp_path, ["basic"], ["basic"], [(0, 0), (0, 7)], sigma=0.1)
    [one] = driver.available_actions("green-1").attacks
    [doubt] = one.ambiguities
    assert doubt.question == "turn 1, all, Rifle at Tan 1: the range to Tan 1"
    assert doubt.answers == {"less": pytest.approx(6 - 0.2 * 2**0.5), "more": pytest.approx(6 + 0.2 * 2**0.5)}
    with pytest.raises(UserError, match="settle it first"):
        driver.do(one.action, *EVEN, *EVEN)
    driver.battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
    driver.battle.record(QuestionAnswered(question=doubt.question, answer="more"))
    assert "(PF-10)" in shots(driver, "green-1")["tan-1"]
    driver.battle.undo()
    driver.battle.record(QuestionAnswered(question=doubt.question, answer="less"))
    assert driver.do(one.action, *EVEN, *EVEN).outcome == "NE"


def test_a_mortar_needs_a_spotter(tmp_path: Path) -> None:
    wall = piece("wall", TerrainKind.WALL, box(-5, 3, 5, 3.5), height=6.0)
    places: list[PointIn] = [(0, 0), (9, 4), (0, 8)]
    driver = table(tmp_path, ["mortar", "spotter"], ["basic"], places, [wall])
    assert shots(driver, "green-1") == {"tan-1": "R3"}  # 7 in away behind the wall, in sight of the spotter
    driver.say("green-2", "routed", True, this_turn=False)
    assert "(PF-109)" in shots(driver, "green-1")["tan-1"]


def test_hand_to_hand_is_asked_only_in_contact_and_for_units_that_it_changes(tmp_path: Path) -> None:
    driver = table(tmp_path, ["bazooka"], ["bfg", "basic"], [(0, 0), (0, 1), FAR])
    [near, _] = driver.available_actions("green-1").attacks
    assert [one.fact for one in near.asks] == ["attacked_hand_to_hand"]
    # PF-114, PF-119: his AL 2 falls to 0 once he is attacked by hand; the BFG's 2 rises to 4 by its knife.
    driver.do(driver.attack("tan-1", "green-1"), *EVEN, *EVEN)
    [near, far] = driver.available_actions("green-1").attacks
    assert near.asks == ()
    assert near.before is not None
    assert near.before.numbers["attack_level"] == 0
    assert "reaches 6 in (PF-10)" in far.why_not  # RL 2 falls to -1
    driver.do(near.action, 1, 0, 0, 0, *EVEN)
    [knife] = driver.available_actions("tan-1").attacks
    assert "(PF-45)" in knife.why_not


def test_a_tank_has_odds_for_each_unit_in_its_disk(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (0, 8), (0, 11.5), (3, 8)]
    driver = table(tmp_path, ["tank", "basic"], ["basic", "crawling"], [places[0], places[3], *places[1:3]])
    one = next(one for one in driver.available_actions("green-1").attacks if one.action.at == ("tan-1",))
    assert one.odds == {}
    assert set(one.odds_of) == {"green-2", "tan-1", "tan-2"}  # the basic trooper beside him is one of Green's
    # PF-76: wholly in it he defends as against any attack; the crawling trooper is in by half, a step less (PF-77).
    alone = driver.battle.game.odds("attack", {"attacker_AL": 2, "defender_DL": -1, "ranged": True})
    assert one.odds_of["tan-1"] == {f"tan-1 {result}": chance for result, chance in alone.items()}
    half = driver.battle.game.odds("attack", {"attacker_AL": 2, "defender_DL": 1, "ranged": True})
    assert one.odds_of["tan-2"]["tan-2 NE"] == half["INJ"]
    assert "tan-2 KIL" not in one.odds_of["tan-2"]


def test_a_grenade_between_two_catches_both_in_part(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (-1.4, 4), (1.4, 4), FAR]
    driver = table(tmp_path, ["grenade_and_rifle"], ["basic", "basic", "basic"], places)
    others = driver.available_actions("green-1").others
    assert [one.action.title for one in others] == ["Grenade between Tan 1 and Tan 2"]
    # 3.5 in across and 1.4 in to either: a corner 1.96 in away is out, so each takes a step less (PF-77).
    assert {one["id"]: one["fraction"] < 1 for one in others[0].action.given["targets"]} == {
        "tan-1": True,
        "tan-2": True,
    }
    found = driver.do(others[0].action, 1, 1, 0, 0, *EVEN, 1, 1, 1, 1)  # 4 against -1 and 3
    assert found.outcome == "tan-1 INJ, tan-2 --"


def test_a_flight_shakes_each_friend_once_or_each_time(tmp_path: Path) -> None:
    """A second flight in the same round, with morale checks after every phase."""
    for path, once in ((tmp_path / "once", True), (tmp_path / "again", False)):
        path.mkdir()
        places: list[PointIn] = [(0, 9), (2, 9), FAR]
        cards = ["basic", "commander"]
        driver = table(path, cards, ["basic"], places, morale_when="after_each_phase", rout_spreads_once=once)
        for _ in range(2):
            driver.do(obligation(driver, "morale_check", "green-1"), -1, -1, -1, 0)
            driver.do(obligation(driver, "rout_move", "green-1"))
            owed = [one for one in driver.referee.obligations(driver.position) if one.at == ("green-1",)]
            if driver.battle.state.phase == "attacks":
                driver.do(owed[0], *EVEN)  # PF-68: from an inch away
                driver.next_phase(1, "", "morale")
                driver.battle.record(Placed(figure="green-1", at_in=(0, 9)))
        assert bool(owed) is not once


def test_units_move_one_by_one_and_the_remaining_move_is_shown(tmp_path: Path) -> None:
    hill = piece("hill", TerrainKind.HILL, box(-3, 2, 3, 8), height=3.0)
    driver = table(tmp_path, ["basic", "50_cal"], ["basic"], [(0, 0), (9, 0), FAR], [hill], phase="a_moves")
    both = driver.referee.march(driver.position, {"green-1": ((0, 0), (0, 1)), "green-2": ((9, 0), (9, 1))})
    assert "by itself" in driver.preview_of(both).why_not
    driver.march((0, 3), "green-1")  # an inch more onto the hill, a band of 3 in high (PF-41)
    left = driver.available_actions("green-1").movement.before
    assert left is not None
    assert (left.numbers["allowance_in"], left.numbers["left_in"]) == (6, 2)
    assert driver.battle.undo() == "Green 1 moved 3.0 in"
    back = driver.available_actions("green-1").movement.before
    assert back is not None
    assert back.numbers["left_in"] == 6
    assert "(PF-112)" in driver.available_actions("green-2").movement.why_not
    assert "(PF-25)" in driver.available_actions("tan-1").movement.why_not


def test_a_bazooka_takes_a_hole_out_of_a_base_and_a_tank_wears_it_down(tmp_path: Path) -> None:
    camp = piece("camp", TerrainKind.BUNKER, box(-2, 6, 2, 8), height=1.0)
    driver = table(tmp_path, ["bazooka", "tank"], ["basic"], [(0, 0), (4, 0), (0, 9)], [camp])
    driver.do(driver.other("green-1", "hole"))
    assert driver.battle.state.statuses["holes in camp"] == [[0, 6]]  # where it is nearest to him
    assert "(PF-45)" in driver.preview_of(driver.other("green-1", "hole")).why_not
    # PF-A30: a base is Fair: 2 against 0 injures it, a step less for its far part (PF-77).
    found = driver.do(driver.attack("green-2", "tan-1"), 1, 0, 0, 0, *EVEN, *EVEN)
    assert found.outcome == "tan-1 KIL, camp NE"
    driver.battle.undo()
    driver.do(driver.attack("green-2", "tan-1"), 1, 1, 1, 1, *EVEN, *EVEN)
    assert driver.battle.state.statuses["base camp"] == -1


def test_a_grenade_can_be_aimed_at_any_visible_place(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (-1, 4), (1, 4), (0, 6.5)]
    driver = table(tmp_path, ["grenade_and_rifle"], ["basic", "basic", "basic"], places)
    found = driver.at_spot("green-1", (0, 4))
    assert found.action.template == Blast((0, 4), 1.75)  # PF-03: 3.5 in across
    # The corners of the two are 1.6 in off at most, those of the third 2 in at least.
    assert (found.action.at, found.action.band) == (("tan-1", "tan-2"), "R2")  # 3.5 in from edge to spot
    assert set(found.odds_of) == {"tan-1", "tan-2"}
    assert sum(found.odds_of["tan-1"].values()) == 1
    assert "he throws" not in found.why_not
    assert "reaches 4.5 in" in driver.at_spot("green-1", (0, 5.1)).why_not  # PF-74: half of his 9 in
    wall = piece("wall", TerrainKind.WALL, box(-5, 2, 5, 2.2), height=4)
    hidden = BattleDriver(driver.battle, [wall], square_base).at_spot("green-1", (0, 4))
    assert "(PF-A08)" in hidden.why_not
    outcome = driver.do(found.action, *EVEN, *EVEN, *EVEN).outcome  # 2 against -1 twice
    assert outcome == "tan-1 INJ, tan-2 INJ"
    with pytest.raises(UserError, match="finite"):
        driver.at_spot("green-1", (float("nan"), 0))


def test_a_flame_is_aimed_at_a_place(tmp_path: Path) -> None:
    driver = table(tmp_path, ["flamethrower"], ["basic", "basic"], [(0, 0), (2, 0), (0, 2)])
    found = driver.at_spot("green-1", (2.5, 0))  # PF-05: 45 degrees wide and 3 in long
    assert found.action.at == ("tan-1",)


def test_a_bazooka_hole_gives_a_view_behind_the_base(tmp_path: Path) -> None:
    camp = piece("camp", TerrainKind.BUNKER, box(-4, 6, 4, 8), height=3.0)
    driver = table(tmp_path, ["bazooka", "basic"], ["basic"], [(0, 0), (1, 0), (0, 11)], [camp])
    assert driver.position.view("green-1", "tan-1").exposure == 0
    found = next(one for one in at_spot(driver.referee, driver.position, "green-1", (0, 7)))
    assert (found.action.piece, found.action.template) == ("camp", Blast((0, 7), 1.75))
    driver.do(found.action)
    # PF-81: 1.75 in about (0, 7) is more than the base is deep: it is parted, 1.4 in to either side at its walls.
    assert [one.name for one in driver.position.terrain] == ["camp, part 1", "camp, part 2"]
    assert driver.position.view("green-1", "tan-1").exposure == 1
    assert driver.preview_of(driver.attack("green-2", "tan-1")).before is not None
    driver.battle.undo()
    driver.battle.undo()
    assert [one.name for one in driver.position.terrain] == ["camp"]


def test_a_players_own_card_changes_a_ready_made_one(tmp_path: Path) -> None:
    own = {"unit": "basic", "title": "Veteran", "RL": ["Good"], "AL": ["Good"], "DL": "Fair", "TL": "Good"}
    hero = Army(name="Own", game="plastic_fudge", recruits=(Recruit(figure="green-1", own=own),))
    places: dict[str, PointIn] = {"green-1": (0, 0), "tan-1": (0, 10)}
    battle = begun(tmp_path / "b", "plastic_fudge", {"green": hero, "tan": army("tan", "basic")}, places)
    battle.record(PhaseBegun(turn=1, phase="attacks"))

    def kneeling(unit: Unit) -> Figure:
        return replace(square_base(unit), posture=Posture.KNEELING)

    driver = BattleDriver(battle, [], kneeling)
    [mine], [his] = driver.available_actions("green-1").attacks, driver.available_actions("tan-1").attacks
    assert mine.before is not None
    assert (mine.before.numbers["attack_level"], mine.before.numbers["limit_in"]) == (1, 12)
    assert his.action.given["target_DL"] == 1  # PF-95: Fair, and a level for kneeling
    assert "9 in away" in his.why_not


def test_a_flag_counts_for_the_side_that_took_it_and_is_asked_about_until_then(tmp_path: Path) -> None:
    """PF-87."""
    driver = table(tmp_path, ["basic"], ["basic"], [(0, 0), FAR], phase="end")

    def told() -> list[object]:
        owed = [one for one in driver.referee.obligations(driver.position) if one.name == "victory_check"]
        return [one.given.get("flag_taken", "asked") for one in owed]

    assert told() == ["asked", "asked"]
    driver.say("", "flag_taken", "tan", this_turn=False)
    assert told() == [False, True]


def test_a_helicopter_picks_up_only_troopers(tmp_path: Path) -> None:
    """All but the last touch it."""
    places: list[PointIn] = [(0, 0), (0, 1), (1, 0), (-3, 0), FAR]
    driver = table(tmp_path, ["helicopter", "basic", "tank", "basic"], ["basic"], places)
    lifts = [one for one in driver.referee.others(driver.position, "green-1") if one.name == "carry"]
    assert [one.at for one in lifts] == [("green-2",)]
