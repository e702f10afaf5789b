"""Moves, fear, loot, spells and gifts in Fudge Miniatures Battles."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

from rules.battle.battle import Battle
from rules.battle.referees import perform, position_of
from rules.engine.dice import Scripted
from rules.engine.preview import available_actions
from rules.engine.roster import Recruit, enlistment
from rules.tabletop.table import PointIn
from tests.rules.battle_driver import BattleDriver, begun, played_from
from tests.rules.bridge import (
    BLUE,
    HARPY,
    PLACES,
    RED,
    TERRAIN,
    YANNI,
    army,
    go,
    go_to,
    look,
    owed_by,
    put,
    reason,
    say,
    set_up,
)

driver = played_from(set_up)


# Moves.


def test_the_rest_of_the_move_is_available_in_step_4(driver: BattleDriver) -> None:
    go_to(driver, "blue move")
    assert driver.march((0, 6), "blue-1").numbers["reason"] == "too_far"
    assert driver.march((-2, 0), "blue-1").numbers["left_in"] == 3
    go_to(driver, "blue move_on")
    assert driver.march((0, -3.1), "blue-1").numbers["reason"] == "too_far"
    assert driver.march((0, -3), "blue-1").numbers["left_in"] == 0


def test_a_wound_in_the_own_turn_reduces_both_moves(driver: BattleDriver) -> None:
    """FM-21, FM-A10: 5 in, 3 used, and 4 in now that he is Hurt: 1 in is left."""
    go_to(driver, "blue move")
    driver.march((-3, 0), "blue-1")
    go_to(driver, "blue action")
    say(driver, "blue-1", "wounds_to_mark", [3])
    go_to(driver, "blue damage")
    driver.do(owed_by(driver, "blue-1", "apply_wounds"))
    go_to(driver, "blue move_on")
    assert driver.available_actions("blue-1").movement.why_not == "Blue 1 checks Guts first (FM-46)"
    driver.do(owed_by(driver, "blue-1", "guts_check"), 1, 1, 1, 1, 0, 0, 0, 0)
    left = driver.available_actions("blue-1").movement.before
    assert left is not None
    assert (left.numbers["left_in"], left.numbers["allowance_in"]) == (1, 4)


def test_leaving_an_enemy_requires_a_test(driver: BattleDriver) -> None:
    put(driver, red_1=(10.5, 11), red_4=(9.5, 10))
    go_to(driver, "blue move")
    away = driver.referee.march(driver.position, {"blue-1": ((10.5, 10), (10.5, 7))})
    assert reason(driver, away) == "break_away_first"
    several = driver.other("blue-1", "leave_several")
    assert several.at == ("red-1", "red-4")
    # Dexterity 1 against the Knave's Strength 2 and the harpy's 1, a test each (FM-A14)
    found = driver.do(several, *(0, 0, 0, 0), *(1, 0, 0, 0))
    assert found.numbers["free_attacks_by_enemy"] == [1, 0]
    assert "the free attack of Red 1 comes first" in driver.available_actions("blue-1").movement.why_not
    strikes = [one for one in driver.referee.obligations(driver.position) if one.name == "free_attack"]
    assert [one.by for one in strikes] == [("red-1",)]
    driver.do(strikes[0], -1, -1, -1, -1)  # -4 + 7 against 1: 2, Scratch, at once
    assert driver.battle.state.unit("blue-1").statuses["wounds"] == ["scratch"]
    go(driver, "blue-1", (10.5, 7))
    assert "broke_from" not in driver.battle.state.unit("blue-1").this_turn


def test_a_harpy_strikes_once_with_either_claw(driver: BattleDriver) -> None:
    put(driver, red_4=(9.5, 10))
    go_to(driver, "blue move")
    driver.do(driver.other("blue-1", "disengage"), -1, -1, -1, -1)
    strikes = [one for one in driver.referee.obligations(driver.position) if one.name == "free_attack"]
    assert [one.weapon for one in strikes] == ["Claw", "Claw (2)"]
    driver.do(strikes[1], -1, -1, -1, -1)
    assert not [one for one in driver.referee.obligations(driver.position) if one.name == "free_attack"]


def test_a_charge_at_the_terrifying_is_declared(driver: BattleDriver) -> None:
    put(driver, blue_1=(12, 13))
    go_to(driver, "blue move")
    at_him = driver.referee.march(driver.position, {"blue-1": ((12, 13), (12, 16))})
    assert reason(driver, at_him) == "declare_the_charge"
    assert reason(driver, driver.other("blue-2", "charge", "red-2")) == "too_far"  # 6.01 in off, 6 in left
    driver.do(driver.other("blue-1", "charge", "red-2"))
    assert reason(driver, driver.referee.march(driver.position, {"blue-1": ((12, 13), (12, 16))})) == "guts_check"
    found = driver.do(owed_by(driver, "blue-1", "guts_check"), 0, 0, 0, 0)
    assert (found.numbers["target"], found.outcome) == (1, "none")  # Guts 1 reaches one gift
    go(driver, "blue-1", (12, 16))
    assert driver.battle.state.unit("blue-1").at_in == (12, 16)


def test_models_run_after_failing_by_three_or_because_of_a_fault(driver: BattleDriver) -> None:
    put(driver, blue_1=(12, 13))
    go_to(driver, "blue move")
    driver.do(driver.other("blue-1", "charge", "red-2"))
    driver.do(owed_by(driver, "blue-1", "guts_check"), -1, -1, -1, 0)  # -3 + 1 against 1 fails by 3
    assert not any(one.possible for one in driver.available_actions("blue-1").attacks)
    least = driver.available_actions("blue-1").movement.before
    assert least is not None
    assert (least.numbers["min_in"], least.numbers["max_in"]) == (2.5, 5)
    for to, why in (((12, 11), "bad_run"), ((12, 16), "no_safe_place")):
        assert reason(driver, driver.referee.march(driver.position, {"blue-1": ((12, 13), to)})) == why
    found = driver.do(driver.other("blue-1", "flee"))
    assert found.outcome == "runs"
    unit = driver.battle.state.unit("blue-1")
    assert unit.at_in is not None
    assert unit.at_in[1] < 10
    assert "must_run" not in unit.statuses


def test_a_failed_check_is_made_again_until_it_is_passed(driver: BattleDriver) -> None:
    """FM-55 to FM-57: King, Guts 1, target +1; a further wound takes the next bonus away."""
    go_to(driver, "red action")
    say(driver, "blue-1", "wounds_to_mark", [3])
    go_to(driver, "red damage")
    driver.do(owed_by(driver, "blue-1", "apply_wounds"))
    driver.do(owed_by(driver, "blue-1", "guts_check"), -1, 0, 0, 0)  # -1 + 0 against 1 fails by 2
    go_to(driver, "blue move")
    assert "checks Guts again first (FM-55)" in driver.available_actions("blue-1").movement.why_not
    again = driver.do(owed_by(driver, "blue-1", "guts_recovery"), -1, 0, 0, 0)
    assert (again.outcome, again.numbers["bonus"]) == ("goes on", 1)
    assert driver.available_actions("blue-1").movement.possible
    go_to(driver, "blue action")
    put(driver, red_1=(10.5, 11))
    assert reason(driver, driver.attack("blue-1", "red-1")) == "stopped"  # FM-52
    say(driver, "blue-1", "wounds_to_mark", [5])
    go_to(driver, "blue damage")
    driver.do(owed_by(driver, "blue-1", "apply_wounds"))
    driver.do(owed_by(driver, "blue-1", "guts_check"), 1, 1, 1, 1, 0, 0, 0, 0)
    go_to(driver, "blue move")
    third = driver.do(owed_by(driver, "blue-1", "guts_recovery"), 1, 1, 0, 0)
    assert (third.numbers["bonus"], third.outcome) == (1, "recovers")  # the second +1 is lost; 2 - 1 + 1 reaches +1


def test_peasants_fear_the_king(driver: BattleDriver) -> None:
    """FM-59: peasants are known by the name on their card."""
    put(driver, red_3=(10.5, 11))
    go_to(driver, "red action")
    say(driver, "red-3", "guts_checks_owed", {"new_wound_level": {"trigger": "new_wound_level"}})
    assert owed_by(driver, "red-3", "guts_check").given["in_melee_with_king"] is True
    put(driver, red_3=(10.5, 13))
    assert owed_by(driver, "red-3", "guts_check").given["in_melee_with_king"] is False


def test_followers_miss_their_king(tmp_path: Path) -> None:
    """FM-59: followers are known by the name of their squad."""
    blue = replace(BLUE, recruits=(*BLUE.recruits, Recruit(figure="blue-4", card=YANNI, squad="followers")))
    armies = {"blue": blue, "red": RED}
    with begun(tmp_path / "b", "fudge_miniatures", armies, {**PLACES, "blue-4": (2, 2)}) as battle:
        driver = BattleDriver(battle, TERRAIN, look)
        go_to(driver, "red action")
        say(driver, "blue-4", "guts_checks_owed", {"new_wound_level": {"trigger": "new_wound_level"}})
        before = driver.preview_of(owed_by(driver, "blue-4", "guts_check")).odds["none"]
        say(driver, "blue-1", "wounds", ["near_death"])
        after = driver.preview_of(owed_by(driver, "blue-4", "guts_check")).odds["none"]
    # Guts 1 against +1: 0 or more is 50 of 81; with -1 it takes 1 or more: 31
    assert (before, after) == (Fraction(50, 81), Fraction(31, 81))


def test_the_dead_are_looted_at_their_side(driver: BattleDriver) -> None:
    put(driver, red_1=(11, 9.2))
    say(driver, "red-1", "wounds", ["dead"])
    say(driver, "red-1", "eliminated", True)
    go_to(driver, "blue action")
    lying = position_of(driver.battle, [look(unit) for unit in driver.battle.state.units.values()], TERRAIN)
    loot = {name: available_actions(driver.referee, lying, name).others[-2] for name in ("blue-1", "blue-3")}
    assert [one.action.title for one in loot.values()] == ["Loot Red 1", "Loot Red 1"]
    assert loot["blue-1"].possible
    assert "out" not in loot["blue-1"].why_not
    assert loot["blue-3"].why_not.endswith("in off (FM-A13)")
    gone = available_actions(driver.referee, lying, "red-1")
    assert (gone.attacks, gone.others, gone.movement.possible) == ((), (), False)
    found = perform(driver.battle, driver.referee, lying, loot["blue-1"].action, Scripted([]))
    assert found.allowed
    assert driver.battle.state.unit("blue-1").statuses["carries"] == ["red-1"]


SPELLS = """\
inherits = "fudge_miniatures"

[spells.fire_bolt]
rule = "FM-64"
text = "a bolt of fire"
odf = 4
range_in = 10

[spells.fog]
rule = "FM-64"
text = "fog about a model"
range_in = 10
"""


def test_only_registered_spells_can_be_cast(tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(SPELLS, encoding="utf-8")
    sides = {"blue": BLUE, "red": RED}
    with Battle.begin(tmp_path / "b", lambda: 0.0, "fudge_miniatures", list(sides), house_rules=rules) as battle:
        for side, one in sides.items():
            for recruit in enlistment(battle.game, one, side):
                battle.record(recruit)
        driver = BattleDriver(battle, TERRAIN, look)
        put(driver, **{name.replace("-", "_"): place for name, place in PLACES.items()})
        go_to(driver, "blue action")
        bolt = driver.preview_of(driver.attack("blue-1", "red-1", "fire_bolt"))
        assert bolt.before is not None
        assert bolt.before.numbers["to_hit"] == 1 - 4  # FM-38: against the Knave's DDF 1
        assert reason(driver, driver.other("blue-3", "cast_spell", "red-3")) == "out_of_range"
        assert driver.do(driver.other("blue-1", "cast_spell", "blue-2")).allowed
        assert reason(driver, driver.attack("blue-1", "red-1", "fire_bolt")) == "already_acted"


def test_a_model_in_a_fight_breaks_off_before_it_runs(driver: BattleDriver) -> None:
    put(driver, blue_1=(12, 13), red_1=(12, 14))
    say(driver, "blue-1", "must_run", True)
    go_to(driver, "red action")  # at once, in whosever turn it is (FM-53)
    away = driver.referee.march(driver.position, {"blue-1": ((12, 13), (12, 9))})
    assert reason(driver, away) == "break_off_first"
    driver.do(driver.other("blue-1", "flee"))
    strike = driver.obligation("free_attack")
    # FM-53: +1, and no test of Dexterity. MODF 7 + 1 against DDF 1
    assert driver.preview_of(strike).before.numbers["to_hit"] == 1 - 8  # type: ignore[union-attr]
    driver.do(strike, -1, -1, -1, -1)  # 4 against 1: 3, Hurt
    driver.do(owed_by(driver, "blue-1", "guts_check"), 1, 0, 0, 0)  # 1 + Guts 1 - 1 passes +1
    go(driver, "blue-1", (12, 9))  # 4 in of the 4 that he has now
    unit = driver.battle.state.unit("blue-1")
    assert (unit.at_in, unit.allowance_used_in, "must_run" in unit.statuses) == ((12, 9), 0, False)


def test_a_runner_may_have_nowhere_to_go(driver: BattleDriver) -> None:
    """The rules do not know the table's edge: the players decide that no place is safe."""
    say(driver, "blue-1", "must_run", True)
    go_to(driver, "blue move")
    assert driver.preview_of(driver.other("blue-1", "minimum_run")).possible
    driver.do(driver.other("blue-1", "minimum_run"))
    assert driver.battle.state.unit("blue-1").at_in == PLACES["blue-1"]
    assert driver.available_actions("blue-1").movement.action.name == "move"


def test_who_chooses_who_begins_is_not_asked_about_the_pizza(driver: BattleDriver) -> None:
    """FM-17: the pizza decides only if nothing else does."""
    begins = [one for one in driver.referee.obligations(driver.position) if one.name == "turn_order"]
    assert [one.title for one in begins] == ["Blue begins", "Red begins"]
    assert not any(driver.preview_of(one).asks for one in begins)
    driver.do(begins[1])
    assert driver.battle.state.statuses["order"] == ["red", "blue"]


def test_nothing_is_too_close_to_call_about_the_run_that_the_program_proposes(driver: BattleDriver) -> None:
    """It runs its whole Movement: measured, that would always be too close to the limit."""
    say(driver, "blue-1", "must_run", True)
    go_to(driver, "blue move")
    run = driver.other("blue-1", "flee")
    assert not run.measured
    driver.do(run)
    assert driver.battle.state.unit("blue-1").at_in != PLACES["blue-1"]


def test_a_model_moved_too_early_still_breaks_away_first(driver: BattleDriver) -> None:
    """The camera sees the model after its move; the test uses its place in the journal."""
    put(driver, red_1=(10.5, 11))
    go_to(driver, "blue move")
    units = driver.battle.state.units.values()
    gone = [look(replace(unit, at_in=(10.5, 7)) if unit.id == "blue-1" else unit) for unit in units]
    seen = position_of(driver.battle, gone, TERRAIN)
    actions = {one.action.name: one for one in available_actions(driver.referee, seen, "blue-1").others}
    assert actions["disengage"].possible
    # Dexterity 1 against the Knave's Strength 2: 1 or more of 4 dice is 31 of 81
    assert actions["disengage"].odds["away"] == Fraction(31, 81)


def test_attacks_on_a_terrified_model_and_on_one_near_death(driver: BattleDriver) -> None:
    """FM-54 and FM-45: against HDDF, and the second is hit by itself; Sir Knightly strikes neither (FM-60)."""
    put(driver, red_2=(10.5, 11), blue_2=(11.5, 11))
    go_to(driver, "blue action")
    fell = {"effect": "fall_helpless", "target": 1, "first": 1, "lost": 0, "wound": True}
    for statuses, outcome in (
        ({"guts_failed": {"fall_helpless": fell}}, "-5 or more hits"),  # MODF 7 against Brutas's HDDF 2
        ({"wounds": ["near_death"]}, "hits by itself"),
    ):
        for key, value in statuses.items():
            say(driver, "red-2", key, value)
        found = driver.preview_of(driver.attack("blue-1", "red-2"))
        assert found.before is not None
        assert found.before.outcome == outcome
        assert reason(driver, driver.attack("blue-2", "red-2")) == "defenceless_target"
    assert driver.preview_of(driver.attack("blue-1", "red-2")).odds["near_death"] > 0
    go_to(driver, "red move")
    assert "can do nothing (FM-42)" in driver.available_actions("red-2").movement.why_not


def test_a_model_near_death_may_stay_down(driver: BattleDriver) -> None:
    say(driver, "blue-1", "wounds", ["near_death"])
    say(driver, "blue-1", "clings_to_life_from_turn", 1)
    go_to(driver, "blue move")
    found = driver.preview_of(owed_by(driver, "blue-1", "near_death_roll"))
    # FM-44: Guts 1, so a sum of 1 or more rises (31 of 81), -2 or less dies (15 of 81)
    assert found.odds == {"very_hurt": Fraction(31, 81), "near_death": Fraction(35, 81), "dead": Fraction(15, 81)}
    driver.do(found.action, -1, 0, 0, 0)
    assert not [one for one in driver.referee.obligations(driver.position) if one.name == "near_death_roll"]
    go_to(driver, "blue move")
    driver.do(owed_by(driver, "blue-1", "near_death_roll"), -1, -1, 0, 0)
    assert driver.battle.state.unit("blue-1").out


def test_gifts_and_faults_of_a_players_own_card_count(tmp_path: Path) -> None:
    """An ogre with Brutas's gift and fault: to charge him calls for a check, and he runs from any that he fails."""
    ogre = {**HARPY, "title": "Ogre", "flies": False, "gifts": ["terrifying"], "faults": ["mercenary"]}
    armies = {"blue": BLUE, "red": army("red", ogre)}
    places: dict[str, PointIn] = {"blue-1": (10, 10), "blue-2": (20, 10), "blue-3": (5, 5), "red-1": (10, 13)}
    with begun(tmp_path / "b", "fudge_miniatures", armies, places) as battle:
        driver = BattleDriver(battle, [], look)
        go_to(driver, "blue move")
        charge = driver.preview_of(driver.other("blue-1", "charge")).before
        assert charge is not None
        assert charge.numbers["checks"] == [{"who": "charger", "target": 1}]
        say(driver, "red-1", "guts_checks_owed", {"new_wound_level": {"trigger": "new_wound_level"}})
        driver.do(owed_by(driver, "red-1", "guts_check"), -1, 0, 0, 0)  # -1 + Guts 1 against 1 fails by 1
        assert battle.state.unit("red-1").statuses["must_run"]  # FM-63


def test_yanni_is_steadfast_when_he_is_charged(driver: BattleDriver) -> None:
    """FM-61: +1 when a Terrifying opponent charges him, not when he charges one."""
    put(driver, red_2=(6, 14))
    go_to(driver, "blue move")
    driver.do(driver.other("blue-3", "charge", "red-2"))
    assert owed_by(driver, "blue-3", "guts_check").given["charged_by_terrifying"] is False
    driver.battle.undo()
    go_to(driver, "red move")
    driver.do(driver.other("red-2", "charge", "blue-3"))
    found = driver.do(owed_by(driver, "blue-3", "guts_check"), -1, 0, 0, 0)
    assert (found.numbers["total"], found.numbers["passed"]) == (1, True)  # -1 + Guts 1 + 1 reaches +1


def test_a_shield_counts_in_the_hand_only(tmp_path: Path) -> None:
    """FM-16: two hands hold the greatsword or the shield; his DDF of 1 is the shield's."""
    sword = {"name": "Greatsword", "kind": "melee", "hands": 2, "damage": 4}
    guard = {
        **HARPY,
        "dexterity": 0,
        "equipment": [sword, {"name": "Shield", "kind": "shield", "hands": 1, "shield": 1}],
    }
    places: dict[str, PointIn] = {"blue-1": (10, 10), "blue-2": (20, 10), "blue-3": (5, 5), "red-1": (10, 11)}
    with begun(tmp_path / "b", "fudge_miniatures", {"blue": BLUE, "red": army("red", guard)}, places) as battle:
        driver = BattleDriver(battle, [], look)
        go_to(driver, "red action")
        assert driver.attack("blue-1", "red-1").given["ddf"] == 0
        driver.do(driver.other("red-1", "wield"))
        assert battle.state.unit("red-1").statuses["wields"] == ["Shield"]
        assert driver.attack("blue-1", "red-1").given["ddf"] == 1
        assert reason(driver, driver.attack("red-1", "blue-1", "Greatsword")) == "not_in_hand"


def test_checks_without_a_wound_may_gain_no_bonus(tmp_path: Path) -> None:
    """FM-A31: +1 a turn for every failed check, or for those of wounds alone."""
    for gains, bonus in (("all", 1), ("of_wounds", 0)):
        path, options = tmp_path / gains, {"recovery_bonus": gains}
        with begun(path, "fudge_miniatures", {"blue": BLUE, "red": RED}, PLACES, options) as battle:
            driver = BattleDriver(battle, TERRAIN, look)
            put(driver, blue_1=(12, 13))
            go_to(driver, "blue move")
            driver.do(driver.other("blue-1", "charge", "red-2"))
            driver.do(owed_by(driver, "blue-1", "guts_check"), -1, 0, 0, 0)  # -1 + 1 against 1 fails by 1
            go_to(driver, "blue move")
            found = driver.do(owed_by(driver, "blue-1", "guts_recovery"), 1, 1, 0, 0)
            assert found.numbers["bonus"] == bonus


def test_contact_too_close_to_call_is_asked_before_a_shot(driver: BattleDriver) -> None:
    """A harpy is 0.02 in away, with a standard deviation of 0.05; one enemy that certainly touches decides it."""
    go_to(driver, "blue action")

    def told() -> list[object]:
        shots = [one for one in driver.referee.attacks(driver.position, "blue-3") if one.weapon == "Shortbow"]
        return [one.given.get("in_base_contact_with_enemy", "asked") for one in shots]

    assert told() == [False] * 4
    put(driver, red_4=(6, 12.02))
    assert told() == [False] * 4
    driver.look = lambda unit: replace(look(unit), sigma_in=0.05 if unit.id == "red-4" else 0.0)
    assert told() == ["asked"] * 4
    put(driver, red_1=(6.98, 11))
    assert told() == [True] * 4
