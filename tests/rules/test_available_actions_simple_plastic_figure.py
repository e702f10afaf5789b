"""What a figure of Simple Plastic Figure can do now, with odds, and the reasons why other actions are not allowed."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from rules.engine.events import PhaseBegun, QuestionAnswered, QuestionAsked
from rules.engine.preview import SET_UP
from rules.engine.roster import Army, Recruit
from rules.tabletop.errors import UserError
from rules.tabletop.table import PointIn, TerrainKind
from tests.rules.battle_driver import (
    BattleDriver,
    begun,
)
from tests.rules.board import box, piece
from tests.rules.farmhouse import (
    GAME,
    GI,
    HOUSE,
    RIFLE,
    army,
    needs,
    posed,
    set_up,
    shots,
    spread,
    table,
    why,
)


def test_exact_odds_of_every_shot_and_the_numbers_they_need(tmp_path: Path) -> None:
    cards = ["german_sniper", "german_submachine_gunner", RIFLE]
    places: list[PointIn] = [(0, 0), (10, 0), (20, 0), (10, 7), (20, 3)]
    driver = table(tmp_path, cards, ["american_medium_machine_gunner", GI], places)
    sniper, gunner, rifle = (shots(driver, f"german-{n}") for n in (1, 2, 3))
    assert {at: one.action.band for (_, at), one in gunner.items()} == {"american-1": "near", "american-2": "far"}
    # WW-51 to WW-53: far, sniper +2, kneeling 0; 6 in away +1, automatic +1, kneeling 0; 2 in away +2, standing +1.
    needed = [
        sniper["sniper_rifle", "american-1"],
        gunner["smg_german", "american-1"],
        rifle["rifle_german", "american-2"],
    ]
    assert [needs(one) for one in needed] == [4, 4, 3]
    assert needed[0].odds["eliminated"] == Fraction(1, 2)
    assert needed[1].odds["eliminated"] == 1 - Fraction(1, 2) ** 3  # three shots at one man
    assert needed[2].odds == {"eliminated": Fraction(2, 3), "unharmed": Fraction(1, 3)}
    added = [one.rule for one in needed[1].before.reasons if one.modifier]  # type: ignore[union-attr]
    assert added == ["WW-51", "WW-52"]


def test_a_forbidden_shot_has_a_reason(tmp_path: Path) -> None:
    wall = piece("wall", TerrainKind.WALL, box(8, 3, 12, 3.5), height=4.0)
    cards = [RIFLE, "german_officer", RIFLE, RIFLE]
    places: list[PointIn] = [(0, 0), (3, 0), (10, 1), (6, 0), (0, 25.5), (10, 8)]
    driver = table(tmp_path, cards, [GI, GI], places, [wall], dice=[1, 1, 1, 6])
    assert "in away; the German rifle reaches 24 in (WW-25)" in why(driver, "german-1")["american-1"]
    assert "the pistol reaches 6 in (WW-25)" in why(driver, "german-2")["american-1"]
    assert "0% of the target is exposed (WW-26)" in why(driver, "german-3")["american-2"]
    assert "rolled 6: it may do nothing (WW-09)" in why(driver, "german-4")["american-2"]
    assert why(driver, "american-1")["german-1"] == "it is the half of German (WW-08)"
    driver.do(driver.attack("german-1", "american-2"), 1)
    assert set(why(driver, "german-1").values()) == {"A figure moves or fires in a turn, never both (WW-10)"}
    assert "(WW-10)" in driver.available_actions("german-1").movement.why_not
    driver.next_phase(1, "american", "second_status")
    assert "figures act after their status checks" in why(driver, "american-1")["german-1"]
    driver.next_phase(1, "american", "second_actions")
    assert why(driver, "american-1")["german-1"] == "its status check comes first (WW-09)"
    driver.do(driver.other("american-1", "status_check"), 5)  # one by one is as good
    assert "may only fire" in driver.available_actions("american-1").movement.why_not
    assert "(WW-25)" in why(driver, "american-1")["german-1"]  # he might fire, were they nearer


def test_actions_are_forbidden_before_the_first_turn(tmp_path: Path) -> None:
    driver = set_up(tmp_path / "b")
    with driver.battle:
        assert driver.available_actions("german-1").movement.why_not == SET_UP
        with pytest.raises(UserError, match="not started yet"):
            driver.do(driver.attack("german-2", "american-1"), 6, 6, 6, 6)


def test_half_of_a_body_behind_terrain_is_cover(tmp_path: Path) -> None:
    """WW-29: a wall hides less than half of a standing man, more of a kneeling man, and all of a prone man."""
    wall = piece("wall", TerrainKind.LOW_WALL, box(-2, 8, 12, 8.4), height=0.9)
    hedge = piece("hedge", TerrainKind.HEDGE, box(13, 8, 22, 8.4), height=0.9)
    american = [GI, "american_bazooka", "american_bazooka", "american_sniper"]
    places: list[PointIn] = [(5, 0), (0, 9.5), (9, 9.5), (16, 9.5), (4, 8.9)]
    driver = table(tmp_path, [RIFLE], american, places, [wall, hedge])
    found = {at: one for (_, at), one in shots(driver, "german-1").items()}
    covers = {at: one.before.numbers["covers"] for at, one in found.items() if one.before and one.possible}
    cover, hedged = ["cover"], ["concealment"]
    assert covers == {"american-1": ["none"], "american-2": cover, "american-3": hedged, "american-4": cover}  # WW-34
    assert (needs(found["american-1"]), needs(found["american-2"])) == (5, None)  # +1; -3, which no 6 outdoes


def test_a_man_at_a_window_shows_a_quarter_of_himself(tmp_path: Path) -> None:
    cards = ["german_machine_gunner"]
    driver = table(tmp_path, cards, [GI], [(0, 0), (6, 13)], [HOUSE])
    [one] = driver.available_actions("german-1").attacks
    assert [ask.fact for ask in one.asks] == ["target_at_opening"]
    driver.say("german-1", "target_at_opening at american-1", True)
    [one] = driver.available_actions("german-1").attacks
    assert one.asks == ()
    assert one.action.given["target_at_opening"] is True
    # WW-31: he stands, counts as kneeling, and is in cover: automatic +1, -3. No die does it.
    assert needs(one) is None
    assert one.before is not None
    assert one.before.numbers["pose"] == "kneeling"


def test_a_rifle_of_a_players_own_card_may_have_a_scope(tmp_path: Path) -> None:
    own = {"title": "Hunter", "weapons": ["rifle_american"], "nation": "american"}
    hunter = Army(name="Own", game=GAME, recruits=(Recruit(figure="american-1", own=own),))
    armies = {"american": hunter, "german": army("german", RIFLE)}
    battle = begun(tmp_path / "b", GAME, armies, {"american-1": (0, 0), "german-1": (0, 10)})
    driver = BattleDriver(battle, [], lambda unit: posed(battle, unit))
    battle.record(PhaseBegun(turn=1, side="american", phase="first_status"))
    driver.do(driver.obligation("status_checks"), 1)
    driver.next_phase(1, "american", "first_actions")
    [one] = driver.available_actions("american-1").attacks
    assert ([ask.fact for ask in one.asks], one.action.given["shots"], needs(one)) == (["scope"], 2, 5)
    driver.say("american-1", "scope at german-1", True)
    [one] = driver.available_actions("american-1").attacks
    assert (one.asks, one.action.given["shots"], needs(one)) == ((), 1, 3)  # WW-35: a sniper rifle, +2 and one shot


def test_a_range_at_the_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    driver = table(tmp_path, [RIFLE], [GI], [(0, 0), (0, 25)], sigma=0.05)
    [one] = driver.available_actions("german-1").attacks
    [doubt] = one.ambiguities
    assert doubt.question == ("turn 1, german, German rifle at American 1: the range from German 1 to American 1")
    with pytest.raises(UserError, match="too close to call: settle it first"):
        driver.do(one.action, 6)
    driver.battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
    driver.battle.record(QuestionAnswered(question=doubt.question, answer="more"))
    assert "(WW-25)" in why(driver, "german-1")["american-1"]
    driver.battle.undo()
    driver.battle.record(QuestionAnswered(question=doubt.question, answer="less"))
    assert driver.do(one.action, 6).outcome == "eliminated"


def test_remaining_shots_go_to_the_next_target_and_undo_restores_them(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (0, 10), (3, 10)]
    driver = table(tmp_path, ["german_machine_gunner"], [GI, GI], places, targets_named="one_by_one")
    gun = driver.attack("german-1", "american-1")
    assert gun.given["shots"] == 4  # WW-36
    driver.do(gun, 3, 4)  # automatic +1, standing +1: the second kills, and two are left
    [second] = driver.available_actions("german-1").attacks
    assert (second.possible, second.action.given["shots"]) == (True, 2)
    driver.battle.undo()
    assert driver.attack("german-1", "american-1").given["shots"] == 4
    driver.battle.redo()
    driver.do(driver.attack("german-1", "american-2"), 1, 2)
    assert "(WW-10)" in why(driver, "german-1")["american-2"]


def test_shots_may_be_spread_over_any_two_of_the_easiest_or_over_more(tmp_path: Path) -> None:
    """WW-36: an MG fires four times; standing men need a 4 and the kneeling one a 5."""
    places: list[PointIn] = [(0, 0), (0, 9), (3, 9), (6, 9)]
    driver = table(tmp_path, ["german_machine_gunner"], [GI, "american_bazooka", GI], places)
    others = driver.available_actions("german-1").others
    volleys = {one.action.at: one.before for one in others if one.action.name == "volley"}
    one, two, three = "american-1", "american-2", "american-3"
    assert list(volleys) == [(one, three), (one, two), (three, two), (one, three, two)]
    before = volleys[one, three, two]
    assert before is not None
    assert before.numbers["needs_roll"] == {one: 4, two: 5, three: 4}
    found = driver.do(spread(driver, "german-1", one, three, two), 4, 3, 5, 6)  # the fourth at the first again
    assert found.numbers["eliminated"] == [one, two]


def test_a_leader_helps_figures_nearby(tmp_path: Path) -> None:
    """WW-56: within 6 in +1 in or +1 on fire; two leaders are as good as one (WW-A06)."""
    cards = ["german_officer", "german_sergeant", RIFLE, RIFLE]
    places: list[PointIn] = [(0, 0), (1.5, 0), (0, 7), (0, 8), (0, 20)]
    driver = table(tmp_path, cards, [GI], places, dice=[1, 1, 1, 5])
    before = driver.available_actions("german-3")
    assert (before.movement.before.numbers["allowance_in"], needs(before.attacks[0])) == (6, 5)  # type: ignore[union-attr]
    assert [one.action.name for one in before.others] == []
    driver.do(driver.other("german-1", "command_actions"))
    driver.do(driver.other("german-2", "command_actions"))
    after = driver.available_actions("german-3")
    assert (after.movement.before.numbers["allowance_in"], needs(after.attacks[0])) == (7, 4)  # type: ignore[union-attr]
    far = driver.available_actions("german-4")  # 7 in from the one, 7.1 in from the other
    assert needs(far.attacks[0]) == 5
    assert all("(WW-56)" in one.why_not for one in far.others)
    assert "(WW-56)" in driver.available_actions("german-1").movement.why_not  # who leads does nothing else


def test_a_second_check_is_allowed_once_and_only_before_acting(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (0, 4), (3, 0), (0, 12)]
    driver = table(tmp_path, ["german_officer", RIFLE, RIFLE], [GI], places, dice=[1, 5, 5])
    assert driver.available_actions("german-2").others == ()
    driver.do(driver.other("german-1", "command_actions"))
    [again] = driver.available_actions("german-2").others
    # WW-A03: less 1, so that 1 to 5 are 4 or less or the 4; only a 6 stays a 5.
    assert again.odds == {"move or fire": Fraction(5, 6), "only fire": Fraction(1, 6)}
    driver.do(again.action, 6)
    assert "(WW-A04)" in driver.available_actions("german-2").others[0].why_not
    driver.do(driver.attack("german-3", "american-1"), 1)
    assert "(WW-A04)" in driver.available_actions("german-3").others[0].why_not


def test_binoculars_direct_one_gun_and_a_radio_any_mortar(tmp_path: Path) -> None:
    cards = ["observer", "german_machine_gunner", RIFLE, "german_radioman", "german_81mm_mortar"]
    places: list[PointIn] = [(0, 0), (0, 3), (0, 8.5), (30, 0), (0, -10), (0, 20), (31, 37.5)]
    driver = table(tmp_path, cards, [GI, GI], places)
    by = {one.action.at[0]: one for one in driver.available_actions("german-1").others}
    assert "(WW-57)" in by["german-3"].why_not  # 7.5 in away
    driver.do(by["german-2"].action)
    assert needs(shots(driver, "german-2")["mg34_42", "american-1"]) == 3  # +1 automatic, +1 standing, +1
    assert "(WW-57)" in driver.available_actions("german-1").movement.why_not
    driver.do(driver.other("german-4", "radio", "german-5"))
    mortar = {at: one.action.given for (_, at), one in shots(driver, "german-5").items()}
    assert mortar["american-1"]["directed_by_radio"]
    assert "directed_by_radio" not in mortar["american-2"]  # WW-61: 36.5 in from the radioman
    assert "(WW-25)" in why(driver, "german-5")["american-2"]


def test_with_a_mortar_on_the_board_no_shell_is_called(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (9, 0), (0, 20)]
    driver = table(tmp_path, ["german_radioman", "german_50mm_mortar"], [GI], places)
    calls = [one for one in driver.available_actions("german-1").others if one.action.given.get("mode") == "offboard"]
    assert ["(WW-62)" in one.why_not for one in calls] == [True]
    driver.do(driver.attack("german-2", "american-1"), 1, 2)  # WW-44: toward himself, who sits at the near edge
    assert driver.battle.state.this_turn["landed"]["spot_in"] == [0, 18]
    assert "a shell is still to come down" in driver.available_actions("german-1").movement.why_not
    # Still in the blast: +3 and standing +1, all but a 1. The radioman is far away.
    burst = driver.preview_of(driver.obligation("burst"))
    assert burst.odds == {"eliminates 1 of 1": Fraction(5, 6), "eliminates 0 of 1": Fraction(1, 6)}
    driver.do(burst.action, 2)
    assert driver.available_actions("german-1").movement.possible


def test_players_choose_the_kind_of_a_terrain_piece(tmp_path: Path) -> None:
    hedge = piece("hedge", TerrainKind.HEDGE, box(-2, 8.4, 1.5, 8.9), height=1.0)
    ditch = piece("ditch", TerrainKind.TRENCH, box(2.2, 8.8, 4, 11), height=0.2)
    american, places = ["american_bazooka", GI], [(0.0, 5.0), (0.0, 9.5), (3.0, 9.5)]
    driver = table(tmp_path, ["german_submachine_gunner"], american, places, [hedge, ditch], ditch_lowers_pose=False)
    # Near +1, automatic +1; he kneels, and a hedge conceals -1: a 5. In a trench one kneels at most, with -3: no die.
    assert [needs(one) for one in driver.available_actions("german-1").attacks] == [5, None]
    for name, what in (("hedge", "hedgerow"), ("ditch", "ditch")):
        driver.say("", f"{name} is", what, this_turn=False)
    # WW-54: a hedgerow covers, -3. WW-A17: a ditch was agreed not to lower the pose, standing +1.
    assert [needs(one) for one in driver.available_actions("german-1").attacks] == [None, 6]
