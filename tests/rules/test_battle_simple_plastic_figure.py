"""A whole battle of Simple Plastic Figure, from objectives to victory: a house, a foxhole, shells, a reserve.

Every distance, every part of a body behind terrain and every blast is measured on the table that the state describes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from rules.battle import Battle
from rules.dice import Scripted
from rules.events import Doubted, PhaseBegun, Settled
from rules.referee import SET_UP, Deed, Prospect, at_spot
from rules.roster import Army, Recruit, points_check
from rules.state import Unit
from rules.table import Figure, PointIn, Posture, Refused, TerrainKind, TerrainPiece
from rules.template import Blast
from tests.rules.board import box, figure, piece
from tests.rules.evening import (
    Evening,
    begun,
    plot,
    random_evening,
    recruits,
    replays_to_the_same,
    told,
    undone_and_done_again,
)

GAME = "simple_plastic_figure"
HOUSE = piece("house", TerrainKind.BUILDING, box(3, 12, 9, 17), height=5.0)
FOXHOLE = piece("foxhole", TerrainKind.FOXHOLE, box(14, 18, 16.5, 20), height=0.4)
HEDGE = piece("hedge", TerrainKind.HEDGE, box(9.5, 9, 18, 9.4), height=1.0)


def army(side: str, *cards: str) -> Army:
    return Army(name=f"The {side} platoon", game=GAME, recruits=recruits(side, *cards))


GERMAN = army(
    "german",
    "german_officer_with_binoculars",
    "german_machine_gunner",
    "german_rifleman_with_bayonet",
    "german_grenadier",
    "german_50mm_mortar",
    "sentry",
)
AMERICAN = army(
    "american",
    "american_officer",
    "american_bar_gunner",
    "american_rifleman",
    "american_radioman",
    "american_bazooka",
    "wounded",
)
PLACES: dict[str, PointIn] = {
    "german-1": (12, 4), "german-2": (22, 6), "german-3": (6, 7),
    "german-4": (13, 7.5), "german-5": (16, 3), "german-6": (2, 1),
    "american-1": (18, 23), "american-2": (15.2, 19), "american-3": (6, 15),
    "american-4": (22, 25), "american-5": (11, 19), "american-6": (28, 29),
}  # fmt: skip
"""Centres of round bases an inch across on a table 30 in deep: edges are half an inch nearer on either side."""


def posed(battle: Battle, unit: Unit, sigma: float = 0.0) -> Figure:
    """A figure as its card has it modelled."""
    card = battle.game.rules.tables.cards[unit.card] if unit.card else None
    assert unit.at_in is not None
    posture = Posture(card.pose) if card else Posture.STANDING
    return replace(figure(unit.id, *unit.at_in, sigma), posture=posture)


def set_up(path: Path) -> Evening:
    battle = begun(path, GAME, {"german": GERMAN, "american": AMERICAN}, PLACES)
    for side, edge_in in (("german", 0), ("american", 30)):
        found = points_check(battle.game, GERMAN if side == "german" else AMERICAN)
        assert found is not None
        assert (found.outcome, found.numbers["reserves"]) == ("legal", 1)
        for unit in battle.state.standing(side):
            assert unit.at_in is not None
            deep = {"distance_to_own_edge_in": abs(unit.at_in[1] - edge_in)}
            assert battle.game.ask("setup", deep, Scripted([])).allowed  # WW-06: two feet in at most
    return Evening(battle, [HOUSE, FOXHOLE, HEDGE], lambda unit: posed(battle, unit))


def duty(evening: Evening, action: str, **facts: Any) -> Deed:
    """What is owed, by some of its facts."""
    deeds = (one for one in evening.referee.duties(evening.moment) if one.action == action)
    return next(one for one in deeds if all(one.given.get(fact) == value for fact, value in facts.items()))


def spread(evening: Evening, name: str, *at: str) -> Deed:
    """The shots of one weapon over these enemies."""
    return next(one for one in evening.referee.others(evening.moment, name) if one.action == "volley" and one.at == at)


def turn_1(evening: Evening) -> None:
    evening.do(evening.duty("armies"))
    evening.do(duty(evening, "objective", side="german", goal="eliminate_number"))  # half of them, which is 3
    evening.do(duty(evening, "objective", side="american", goal="eliminate_all"))
    evening.next_phase(1, "", "initiative")
    evening.do(evening.duty("initiative"), 5, 3)
    evening.do(duty(evening, "turn", first="german"))
    evening.next_phase(1, "german", "first_status")
    evening.do(evening.duty("status_checks"), 1, 2, 3, 6, 4, 2)  # WW-09: the grenadier may do nothing
    evening.next_phase(1, "german", "first_actions")
    evening.do(evening.other("german-1", "command_actions"))  # he leads
    # WW-56, WW-A03: the grenadier is 2.6 in off, rolls again, and 4 less 1 is 3: he may do anything.
    evening.do(evening.other("german-4", "status_reroll"), 4)
    evening.march((0, 4), "german-4")  # 6 and 1 for the leader, less 3 for the hedge, are just 4
    evening.march((0, 4), "german-3")  # up to the wall of the house
    # WW-52, WW-53: automatic +1, standing +1: a 4 each. The third shot is lost on a dead man (WW-A40).
    evening.do(spread(evening, "german-2", "american-1", "american-4"), 4, 3, 2, 3)
    evening.do(evening.attack("german-5", "american-2"), 5)  # WW-44: on the spot
    # WW-45: a 4 is no direct hit, and it bursts outside. The bazooka 3.7 in away has less than half of him behind the
    # rim: +3 and +1 for the leader need a 2.
    evening.do(evening.duty("burst"), 4, 1)
    evening.next_phase(1, "american", "second_status")
    evening.do(evening.duty("status_checks"), 1, 5, 1, 1, 1)  # the man in the house may only fire
    evening.next_phase(1, "american", "second_actions")
    evening.do(evening.attack("american-2", "german-4"), 3, 2, 3)  # +1 automatic, +1 standing, 6.8 in away: a 4
    evening.do(evening.attack("american-5", "german-4"), 1)  # +3 and +1 standing: only a 1 spares him
    evening.do(evening.attack("american-3", "german-3"), 1, 2)  # 3 in away +2, standing +1: twice a 3
    # WW-62: no mortar of his own side on the board. WW-44: a 4 is left, which for him is up the table's x axis.
    evening.do(evening.other("american-4", "radio", "german-2"))
    evening.do(evening.duty("deviation"), 4, 2)
    evening.do(evening.duty("burst"), 3)  # 1.5 in off, +3, prone -1: a 4


def turn_2(evening: Evening) -> None:
    evening.next_phase(2, "", "initiative")
    evening.do(evening.duty("initiative"), 2, 6)
    evening.do(duty(evening, "turn", first="american"))
    evening.next_phase(2, "american", "first_status")
    evening.do(evening.duty("reserve"))  # WW-59: the officer comes back where the wounded man lay
    evening.do(evening.duty("status_checks"), 1, 6, 1, 1, 6)
    evening.next_phase(2, "american", "first_actions")
    evening.do(evening.attack("american-3", "german-3"), 2, 2)
    evening.do(evening.other("american-4", "radio", "german-5"))
    # A 2 is toward the opponent: down the table by 3 in. Kneeling and in the open: +3, a 3. The officer is 5.2 in away.
    evening.do(evening.duty("deviation"), 2, 3)
    evening.do(evening.duty("burst"), 2)
    evening.next_phase(2, "german", "second_status")
    evening.do(evening.duty("status_checks"), 1, 2, 3, 3, 4, 2)
    evening.next_phase(2, "german", "second_actions")
    evening.march((0.9, 5.9), "german-4")  # 5.97 in
    assert evening.march((0, 2.5), "german-3").numbers["must_fight"]  # WW-17: into the house
    evening.do(evening.duty("hand_to_hand"), 4, 5, 3, 2)  # 4 and 1 for the bayonet against 5 is a tie; 4 against 2
    evening.do(evening.other("german-1", "direct_fire_binoculars", "german-5"))
    evening.do(evening.attack("german-5", "american-2"), 6)
    # WW-45: a 6 is a direct hit. +3, standing counts as kneeling (WW-33), cover -3, directed +1 (WW-57): a 5.
    evening.do(evening.duty("burst"), 6, 4)


def turn_3(evening: Evening) -> None:
    evening.next_phase(3, "", "initiative")
    evening.do(evening.duty("initiative"), 4, 4, 5, 1)  # WW-A01: a tie is rolled again
    evening.do(duty(evening, "turn", first="german"))
    evening.next_phase(3, "german", "first_status")
    evening.do(evening.duty("status_checks"), 1, 2, 3, 3, 4, 2)
    evening.next_phase(3, "german", "first_actions")
    # WW-41: from 1.6 in it lands inside, and the thrower is safe. +3, close +2, cover -3: a 4.
    evening.do(evening.attack("german-4", "american-2"), 4)
    evening.do(duty(evening, "victory", side="german"))  # the wounded man, the rifleman, the BAR gunner


def played(path: Path) -> Battle:
    return set_up(path).played(turn_1, turn_2, turn_3)


@pytest.fixture(scope="module")
def battle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battle]:
    """Played once for all who only read it."""
    with played(tmp_path_factory.mktemp("evening") / "evening.battle") as one:
        yield one


def test_it_reads_as_a_story(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("  Armies: ready.") : lines.index("Turn 2, initiative")] == [
        "  Armies: ready.",
        "  Objective: agreed.",
        "  Goal of german: eliminate_number.",
        "  Needed by german: 3.",
        "  Objective: agreed.",
        "  Goal of american: eliminate_all.",
        "",
        "Turn 1, initiative",
        "  Initiative: german.",
        "  Turn: german goes first.",
        "",
        "Turn 1, German, first status",
        "  German 1, German 2, German 3, German 4, German 5, German 6: status checks: checked.",
        "",
        "Turn 1, German, first actions",
        "  German 1: command actions: may lead.",
        "  German 4: status reroll: move or fire.",
        "  German 4: move: may move.",
        "  German 4 moves 4.0 in to (13.0, 11.5), which takes 7.0.",
        "  German 3: move: may move.",
        "  German 3 moves 4.0 in to (6.0, 11.0).",
        "  German 2: volley: fired.",
        "  American 1 eliminated.",
        "  American 1: lost in turn 1.",
        "  German 5: shell: on spot.",
        "  German 5: burst: eliminates 0 of 1.",
        "",
        "Turn 1, American, second status",
        "  American 2, American 3, American 4, American 5, American 6: status checks: checked.",
        "",
        "Turn 1, American, second actions",
        "  American 2: attack: unharmed.",
        "  American 5: charge: eliminates 0 of 1.",
        "  American 3: attack: unharmed.",
        "  American 4: radio: calls a shot.",
        "  American 4: deviation: left.",
        "  American 4: burst: eliminates 0 of 1.",
        "",
    ]
    assert lines[lines.index("Turn 2, American, first status") :] == [
        "Turn 2, American, first status",
        "  American 6: reserve: returns.",
        "  American 1 moves 0.0 in to (28.0, 29.0).",
        "  American 1 no longer eliminated.",
        "  American 1 no longer lost in turn.",
        "  American 6 eliminated.",
        "  American 1, American 2, American 3, American 4, American 5: status checks: checked.",
        "",
        "Turn 2, American, first actions",
        "  American 3: attack: unharmed.",
        "  American 4: radio: calls a shot.",
        "  American 4: deviation: toward opponent.",
        "  American 4: burst: eliminates 0 of 1.",
        "",
        "Turn 2, German, second status",
        "  German 1, German 2, German 3, German 4, German 5, German 6: status checks: checked.",
        "",
        "Turn 2, German, second actions",
        "  German 4: move: may move.",
        "  German 4 moves 6.0 in to (13.9, 17.4).",
        "  German 3: move: moves into hand-to-hand.",
        "  German 3 moves 2.5 in to (6.0, 13.5).",
        "  German 3: hand to hand: attacker wins.",
        "  American 3 eliminated.",
        "  German 1: direct fire binoculars: directs.",
        "  German 5: shell: on spot.",
        "  German 5: burst: eliminates 0 of 1.",
        "",
        "Turn 3, initiative",
        "  Initiative: german.",
        "  Turn: german goes first.",
        "",
        "Turn 3, German, first status",
        "  German 1, German 2, German 3, German 4, German 5, German 6: status checks: checked.",
        "",
        "Turn 3, German, first actions",
        "  German 4: charge: eliminates 1 of 1.",
        "  American 2 eliminated.",
        "  Victory: won for German.",
        "  Victory: german.",
    ]


def test_the_grenade_tells_its_dice_and_its_rules(battle: Battle) -> None:
    lines = told(battle)
    thrown = lines.index("  German 4: charge: eliminates 1 of 1.")
    assert lines[thrown + 1] == "    4 on the dice: american-2, the effect of the grenade"
    assert lines[thrown + 5] == (
        "    WW-41  A grenade lands in a foxhole or trench from within 3 inches, and its blast stays inside."
    )
    assert lines[thrown + 9 : thrown + 14] == [
        "    WW-51  1.56 in away (+2)",
        "    WW-52  explosives fire (+3)",
        "    WW-53  the target is kneeling (+0)",  # WW-33: he stands, and counts as one pose lower
        "    WW-54  cover: cover (-3)",
        "    WW-50  rolled 4, with +2 that is 6",
    ]


def test_who_leads_tells_what_that_does(battle: Battle) -> None:
    lines = told(battle)
    assert lines[lines.index("  German 1: command actions: may lead.") + 1].startswith("    WW-56  A leader may lead")


def test_the_germans_win_with_everybody_on_his_feet(battle: Battle) -> None:
    state = battle.state
    assert (state.figures_left, state.turn, state.statuses["victory"]) == ({"german": 6, "american": 3}, 3, "german")
    officer = state.unit("american-1")
    assert (officer.at_in, dict(officer.statuses)) == ((28, 29), {})
    assert dict(state.unit("german-3").acts) == {"status_checks": 3, "move": 2, "hand_to_hand": 1}


def test_replayed_it_is_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undone_to_the_beginning_and_done_again(tmp_path: Path) -> None:
    with played(tmp_path / "evening.battle") as battle:
        names = undone_and_done_again(battle)
    assert names[:3] == ["Victory: german", "American 2 eliminated", "turn 3, German, first actions"]
    assert names[-1] == "German 1 joins German"


# What a figure can do.


def table(
    path: Path,
    german: Sequence[str],
    american: Sequence[str],
    places: Sequence[PointIn],
    terrain: Sequence[TerrainPiece] = (),
    dice: Sequence[int] = (),
    sigma: float = 0.0,
    **options: object,
) -> Evening:
    """Two sides that stand where the script says, Germans first, in the Germans' half after their status checks."""
    armies = {"german": army("german", *german), "american": army("american", *american)}
    names = [one.figure for side in armies.values() for one in side.recruits]
    battle = begun(path / "b", GAME, armies, dict(zip(names, places, strict=True)), options)
    evening = Evening(battle, terrain, lambda unit: posed(battle, unit, sigma))
    battle.record(PhaseBegun(turn=1, side="german", phase="first_status"))
    evening.do(evening.duty("status_checks"), *(dice or [1] * len(german)))
    evening.next_phase(1, "german", "first_actions")
    return evening


def shots(evening: Evening, name: str) -> dict[tuple[str, str], Prospect]:
    """What comes of each weapon at each enemy."""
    return {(one.deed.weapon, one.deed.at[0]): one for one in evening.outlook(name).attacks}


def why(evening: Evening, name: str) -> dict[str, str]:
    """Why a figure may not fire its one weapon at each enemy; empty where it may."""
    return {at: one.why_not for (_, at), one in shots(evening, name).items()}


def needs(one: Prospect) -> int | None:
    """What a die must show."""
    assert one.before is not None, one.refusal
    found = one.before.numbers["needs_roll"]
    return None if found is None else int(found)


FAR: PointIn = (90, 90)
RIFLE, GI = "german_rifleman", "american_rifleman"


def test_exact_odds_of_every_shot_and_the_numbers_they_need(tmp_path: Path) -> None:
    cards = ["german_sniper", "german_submachine_gunner", RIFLE]
    places: list[PointIn] = [(0, 0), (10, 0), (20, 0), (10, 7), (20, 3)]
    evening = table(tmp_path, cards, ["american_medium_machine_gunner", GI], places)
    sniper, gunner, rifle = (shots(evening, f"german-{n}") for n in (1, 2, 3))
    assert {at: one.deed.band for (_, at), one in gunner.items()} == {"american-1": "near", "american-2": "far"}
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


def test_what_forbids_a_shot_is_told(tmp_path: Path) -> None:
    wall = piece("wall", TerrainKind.WALL, box(8, 3, 12, 3.5), height=4.0)
    cards = [RIFLE, "german_officer", RIFLE, RIFLE]
    places: list[PointIn] = [(0, 0), (3, 0), (10, 1), (6, 0), (0, 25.5), (10, 8)]
    evening = table(tmp_path, cards, [GI, GI], places, [wall], dice=[1, 1, 1, 6])
    assert "in away; the German rifle reaches 24 in (WW-25)" in why(evening, "german-1")["american-1"]
    assert "the pistol reaches 6 in (WW-25)" in why(evening, "german-2")["american-1"]
    assert "0% of the target is exposed (WW-26)" in why(evening, "german-3")["american-2"]
    assert "rolled 6: it may do nothing (WW-09)" in why(evening, "german-4")["american-2"]
    assert why(evening, "american-1")["german-1"] == "it is the half of German (WW-08)"
    evening.do(evening.attack("german-1", "american-2"), 1)
    assert set(why(evening, "german-1").values()) == {"A figure moves or fires in a turn, never both. (WW-10)"}
    assert "(WW-10)" in evening.outlook("german-1").movement.why_not
    evening.next_phase(1, "american", "second_status")
    assert "figures act after their status checks" in why(evening, "american-1")["german-1"]
    evening.next_phase(1, "american", "second_actions")
    assert why(evening, "american-1")["german-1"] == "its status check comes first (WW-09)"
    evening.do(evening.other("american-1", "status_check"), 5)  # one by one is as good
    assert "may only fire" in evening.outlook("american-1").movement.why_not
    assert "(WW-25)" in why(evening, "american-1")["german-1"]  # he might fire, were they nearer


def test_before_the_first_turn_nobody_acts(tmp_path: Path) -> None:
    evening = set_up(tmp_path / "b")
    with evening.battle:
        assert evening.outlook("german-1").movement.why_not == SET_UP
        with pytest.raises(Refused, match="the battle is still being set up"):
            evening.do(evening.attack("german-2", "american-1"), 6, 6, 6, 6)


def test_half_of_a_body_behind_terrain_is_cover(tmp_path: Path) -> None:
    """WW-29: a wall hides less than half of a standing man behind it, more of a kneeling one, and all of who lies."""
    wall = piece("wall", TerrainKind.LOW_WALL, box(-2, 8, 12, 8.4), height=0.9)
    hedge = piece("hedge", TerrainKind.HEDGE, box(13, 8, 22, 8.4), height=0.9)
    american = [GI, "american_bazooka", "american_bazooka", "american_sniper"]
    places: list[PointIn] = [(5, 0), (0, 9.5), (9, 9.5), (16, 9.5), (4, 8.9)]
    evening = table(tmp_path, [RIFLE], american, places, [wall, hedge])
    found = {at: one for (_, at), one in shots(evening, "german-1").items()}
    covers = {at: one.before.numbers["covers"] for at, one in found.items() if one.before and one.possible}
    assert covers == {"american-1": ["none"], "american-2": ["cover"], "american-3": ["concealment"]}
    assert (needs(found["american-1"]), needs(found["american-2"])) == (5, None)  # +1; -3, which no 6 outdoes
    assert "(WW-26)" in found["american-4"].why_not  # he lies wholly behind it
    assert [one.fact for one in found["american-4"].asks] == ["target_at_opening"]


def test_a_man_at_a_window_shows_a_quarter_of_himself(tmp_path: Path) -> None:
    cards = ["german_machine_gunner"]
    evening = table(tmp_path, cards, [GI], [(0, 0), (6, 13)], [HOUSE])
    [one] = evening.outlook("german-1").attacks
    assert [ask.fact for ask in one.asks] == ["target_at_opening"]
    evening.say("german-1", "target_at_opening at american-1", True)
    [one] = evening.outlook("german-1").attacks
    assert one.asks == ()
    assert one.deed.given["target_at_opening"] is True
    # WW-31: he stands, counts as kneeling, and is in cover: automatic +1, -3. No die does it.
    assert needs(one) is None
    assert one.before is not None
    assert one.before.numbers["pose"] == "kneeling"


def test_a_rifle_of_ones_own_card_may_have_a_scope(tmp_path: Path) -> None:
    own = {"title": "Hunter", "weapons": ["rifle_american"], "nation": "american"}
    hunter = Army(name="Own", game=GAME, recruits=(Recruit(figure="american-1", own=own),))
    armies = {"american": hunter, "german": army("german", RIFLE)}
    battle = begun(tmp_path / "b", GAME, armies, {"american-1": (0, 0), "german-1": (0, 10)})
    evening = Evening(battle, [], lambda unit: posed(battle, unit))
    battle.record(PhaseBegun(turn=1, side="american", phase="first_status"))
    evening.do(evening.duty("status_checks"), 1)
    evening.next_phase(1, "american", "first_actions")
    [one] = evening.outlook("american-1").attacks
    assert ([ask.fact for ask in one.asks], one.deed.given["shots"], needs(one)) == (["scope"], 2, 5)
    evening.say("american-1", "scope at german-1", True)
    [one] = evening.outlook("american-1").attacks
    assert (one.asks, one.deed.given["shots"], needs(one)) == ((), 1, 3)  # WW-35: a sniper rifle, +2 and one shot


def test_a_range_at_the_limit_is_settled_by_the_players(tmp_path: Path) -> None:
    evening = table(tmp_path, [RIFLE], [GI], [(0, 0), (0, 25)], sigma=0.05)
    [one] = evening.outlook("german-1").attacks
    [doubt] = one.doubts
    assert doubt.question == ("turn 1, german, German rifle at American 1: the range from German 1 to American 1")
    with pytest.raises(Refused, match="too close to call: settle it first"):
        evening.do(one.deed, 6)
    evening.battle.record(Doubted(question=doubt.question, answers=tuple(doubt.answers)))
    evening.battle.record(Settled(question=doubt.question, answer="more"))
    assert "(WW-25)" in why(evening, "german-1")["american-1"]
    evening.battle.undo()
    evening.battle.record(Settled(question=doubt.question, answer="less"))
    assert evening.do(one.deed, 6).outcome == "eliminated"


def test_shots_left_go_to_the_next_target_and_undo_gives_them_back(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (0, 10), (3, 10)]
    evening = table(tmp_path, ["german_machine_gunner"], [GI, GI], places, targets_named="one_by_one")
    gun = evening.attack("german-1", "american-1")
    assert gun.given["shots"] == 4  # WW-36
    evening.do(gun, 3, 4)  # automatic +1, standing +1: the second kills, and two are left
    [second] = evening.outlook("german-1").attacks
    assert (second.possible, second.deed.given["shots"]) == (True, 2)
    evening.battle.undo()
    assert evening.attack("german-1", "american-1").given["shots"] == 4
    evening.battle.redo()
    evening.do(evening.attack("german-1", "american-2"), 1, 2)
    assert "(WW-10)" in why(evening, "german-1")["american-2"]


def test_shots_may_be_spread_over_any_two_of_the_easiest_or_over_more(tmp_path: Path) -> None:
    """WW-36: an MG fires four times; standing men need a 4 and the kneeling one a 5."""
    places: list[PointIn] = [(0, 0), (0, 9), (3, 9), (6, 9)]
    evening = table(tmp_path, ["german_machine_gunner"], [GI, "american_bazooka", GI], places)
    volleys = {one.deed.at: one.before for one in evening.outlook("german-1").others}
    one, two, three = "american-1", "american-2", "american-3"
    assert list(volleys) == [(one, three), (one, two), (three, two), (one, three, two)]
    before = volleys[one, three, two]
    assert before is not None
    assert before.numbers["needs_roll"] == {one: 4, two: 5, three: 4}
    found = evening.do(spread(evening, "german-1", one, three, two), 4, 3, 5, 6)  # the fourth at the first again
    assert found.numbers["eliminated"] == [one, two]


def test_a_leader_helps_whoever_is_near(tmp_path: Path) -> None:
    """WW-56: within 6 in +1 in or +1 on fire; two leaders are as good as one (WW-A06)."""
    cards = ["german_officer", "german_sergeant", RIFLE, RIFLE]
    places: list[PointIn] = [(0, 0), (1.5, 0), (0, 7), (0, 8), (0, 20)]
    evening = table(tmp_path, cards, [GI], places, dice=[1, 1, 1, 5])
    before = evening.outlook("german-3")
    assert (before.movement.before.numbers["allowance_in"], needs(before.attacks[0])) == (6, 5)  # type: ignore[union-attr]
    assert [one.deed.action for one in before.others] == []
    evening.do(evening.other("german-1", "command_actions"))
    evening.do(evening.other("german-2", "command_actions"))
    after = evening.outlook("german-3")
    assert (after.movement.before.numbers["allowance_in"], needs(after.attacks[0])) == (7, 4)  # type: ignore[union-attr]
    far = evening.outlook("german-4")  # 7 in from the one, 7.1 in from the other
    assert needs(far.attacks[0]) == 5
    assert all("(WW-56)" in one.why_not for one in far.others)
    assert "(WW-56)" in evening.outlook("german-1").movement.why_not  # who leads does nothing else


def test_a_second_check_is_for_once_and_for_those_who_have_not_acted(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (0, 4), (3, 0), (0, 12)]
    evening = table(tmp_path, ["german_officer", RIFLE, RIFLE], [GI], places, dice=[1, 5, 5])
    assert evening.outlook("german-2").others == ()
    evening.do(evening.other("german-1", "command_actions"))
    [again] = evening.outlook("german-2").others
    # WW-A03: less 1, so that 1 to 5 are 4 or less or the 4; only a 6 stays a 5.
    assert again.odds == {"move or fire": Fraction(5, 6), "only fire": Fraction(1, 6)}
    evening.do(again.deed, 6)
    assert "(WW-A04)" in evening.outlook("german-2").others[0].why_not
    evening.do(evening.attack("german-3", "american-1"), 1)
    assert "(WW-A04)" in evening.outlook("german-3").others[0].why_not


def test_binoculars_direct_one_gun_and_a_radio_any_mortar(tmp_path: Path) -> None:
    cards = ["observer", "german_machine_gunner", RIFLE, "german_radioman", "german_81mm_mortar"]
    places: list[PointIn] = [(0, 0), (0, 3), (0, 8.5), (30, 0), (0, -10), (0, 20), (31, 37.5)]
    evening = table(tmp_path, cards, [GI, GI], places)
    by = {one.deed.at[0]: one for one in evening.outlook("german-1").others}
    assert "(WW-57)" in by["german-3"].why_not  # 7.5 in away
    evening.do(by["german-2"].deed)
    assert needs(shots(evening, "german-2")["mg34_42", "american-1"]) == 3  # +1 automatic, +1 standing, +1
    assert "(WW-57)" in evening.outlook("german-1").movement.why_not
    evening.do(evening.other("german-4", "radio", "german-5"))
    mortar = {at: one.deed.given for (_, at), one in shots(evening, "german-5").items()}
    assert mortar["american-1"]["directed_by_radio"]
    assert "directed_by_radio" not in mortar["american-2"]  # WW-61: 36.5 in from the radioman
    assert "(WW-25)" in why(evening, "german-5")["american-2"]


def test_with_a_mortar_on_the_board_no_shell_is_called(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (9, 0), (0, 20)]
    evening = table(tmp_path, ["german_radioman", "german_50mm_mortar"], [GI], places)
    calls = [one for one in evening.outlook("german-1").others if one.deed.given.get("mode") == "offboard"]
    assert ["(WW-62)" in one.why_not for one in calls] == [True]
    evening.do(evening.attack("german-2", "american-1"), 1, 2)  # WW-44: toward himself, who sits at the near edge
    assert evening.battle.state.this_turn["landed"]["spot_in"] == [0, 18]
    assert "a shell is still to come down" in evening.outlook("german-1").movement.why_not
    # Still in the blast: +3 and standing +1, all but a 1. The radioman is far away.
    burst = evening.prospect(evening.duty("burst"))
    assert burst.odds == {"eliminates 1 of 1": Fraction(5, 6), "eliminates 0 of 1": Fraction(1, 6)}
    evening.do(burst.deed, 2)
    assert evening.outlook("german-1").movement.possible


def test_the_players_say_what_a_piece_is(tmp_path: Path) -> None:
    hedge = piece("hedge", TerrainKind.HEDGE, box(-2, 8.4, 1.5, 8.9), height=1.0)
    ditch = piece("ditch", TerrainKind.TRENCH, box(2.2, 8.8, 4, 11), height=0.2)
    american, places = ["american_bazooka", GI], [(0.0, 5.0), (0.0, 9.5), (3.0, 9.5)]
    evening = table(tmp_path, ["german_submachine_gunner"], american, places, [hedge, ditch], ditch_lowers_pose=False)
    # Near +1, automatic +1; he kneels, and a hedge conceals -1: a 5. In a trench one kneels at most, with -3: no die.
    assert [needs(one) for one in evening.outlook("german-1").attacks] == [5, None]
    for name, what in (("hedge", "hedgerow"), ("ditch", "ditch")):
        evening.say("", f"{name} is", what, this_turn=False)
    # WW-54: a hedgerow covers, -3. WW-A17: a ditch was agreed not to lower the pose, standing +1.
    assert [needs(one) for one in evening.outlook("german-1").attacks] == [None, 6]


# Moving.


def test_what_a_march_costs_and_what_stops_it(tmp_path: Path) -> None:
    tree = piece("tree", TerrainKind.TREE, box(9, 2, 11, 4), height=5.0)
    low = piece("low", TerrainKind.LOW_WALL, box(14, 2, 18, 2.5), height=0.6)
    high = piece("high", TerrainKind.WALL, box(19, 2, 23, 2.5), height=2.5)
    cards = [RIFLE] * 4
    places: list[PointIn] = [(0, 0), (10, 0), (16, 0), (21, 0), (0, 5)]
    evening = table(tmp_path, cards, [GI], places, [tree, low, high])
    both = evening.referee.march(evening.moment, {"german-1": ((0, 0), (0, 1)), "german-2": ((10, 0), (10, 1))})
    assert "one figure at a time" in evening.prospect(both).why_not
    assert evening.march((-3, 6), "german-1").numbers["reason"] == "too_far"
    assert evening.march((0, 5), "german-2").numbers["reason"] == "impassable"  # WW-15
    assert evening.march((0, 5.2), "german-3").numbers["reason"] == "too_far"  # WW-13: an inch for the low wall
    evening.march((0, 5), "german-3")
    assert evening.march((0, 5), "german-4").numbers["reason"] == "impassable"  # WW-A09
    man = evening.battle.state.unit("german-3")
    assert (man.at_in, man.allowance_used_in) == ((16, 5), 6)
    assert "(WW-10)" in evening.outlook("german-3").movement.why_not
    assert evening.battle.undo() is not None  # the march that was refused
    assert evening.battle.undo() == "German 3 moved 5.0 in"
    assert evening.outlook("german-3").movement.possible


def test_coming_out_of_a_foxhole_takes_half_of_the_move(tmp_path: Path) -> None:
    evening = table(tmp_path, [RIFLE, RIFLE], [GI], [(15.2, 19), (15.2, 24), FAR], [FOXHOLE])
    assert evening.march((0, 3.1), "german-1").numbers["reason"] == "too_far"  # WW-18: 3 in for leaving
    assert evening.march((0, 3), "german-1").allowed
    assert evening.battle.state.unit("german-1").allowance_used_in == 6
    assert evening.march((0, -5.5), "german-2").allowed  # going in is free


def test_touching_an_enemy_ends_a_move_and_must_be_fought_out(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (9, 0), (0, 4), (0.9, 4.6)]
    evening = table(tmp_path, ["german_rifleman_with_bayonet", RIFLE], [GI, "american_rifleman_with_bayonet"], places)
    start = (0.0, 0.0)
    past = evening.referee.march(evening.moment, {"german-1": (start, (0, 3), (-2.5, 3.2))})
    assert "(WW-22)" in evening.prospect(past).why_not
    into = evening.referee.march(evening.moment, {"german-1": (start, (1, 3.65))})
    assert evening.do(into).numbers["fights"] == ["american-2"]
    assert "German 1 must fight first" in evening.outlook("german-2").movement.why_not
    fight = evening.prospect(evening.other("german-1", "hand_to_hand"))
    assert fight.odds["attacker wins"] == Fraction(1, 2)  # a bayonet on either side
    evening.do(fight.deed, 1, 6)
    assert evening.battle.state.unit("german-1").out
    assert evening.outlook("german-2").movement.possible


def test_two_at_once_are_fought_in_the_order_of_his_choice(tmp_path: Path) -> None:
    evening = table(tmp_path, [RIFLE], [GI, GI], [(0, 0), (-0.5, 3), (0.5, 3)])
    evening.march((0, 2.13), "german-1")
    orders = [one.deed.at for one in evening.outlook("german-1").others]
    assert orders == [("american-1", "american-2"), ("american-2", "american-1")]
    evening.do(evening.other("german-1", "hand_to_hand"), 6, 1, 2, 3)
    state = evening.battle.state
    assert (state.figures_left, state.unit("american-1").out) == ({"german": 0, "american": 1}, True)


def test_in_a_house_there_is_one_fight_a_turn(tmp_path: Path) -> None:
    places: list[PointIn] = [(6, 9), (5, 15), (7, 15)]
    evening = table(tmp_path, [RIFLE], [GI, GI], places, [HOUSE])
    assert evening.march((0, 4.5), "german-1").numbers["fights"] == ["american-1", "american-2"]  # WW-17
    evening.do(evening.other("german-1", "hand_to_hand"), 6, 1)  # WW-23: the second is for another turn
    assert evening.battle.state.figures_left == {"german": 1, "american": 1}
    assert "(WW-10)" in evening.prospect(evening.other("german-1", "move")).why_not
    for _ in range(3):
        evening.battle.record(evening.referee.next_phase(evening.moment))
    evening.next_phase(2, "german", "first_status")
    evening.do(evening.duty("status_checks"), 1)
    evening.next_phase(2, "german", "first_actions")
    evening.do(evening.other("german-1", "move"))  # WW-A11: he fights on
    evening.do(evening.other("german-1", "hand_to_hand"), 6, 1)
    assert evening.battle.state.figures_left == {"german": 1, "american": 0}


def test_a_bunker_is_touched_first_and_never_stormed(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(-3, 3, 3, 7), height=2.0)
    free, held = tmp_path / "free", tmp_path / "held"
    for path, enemy in ((free, FAR), (held, (0.0, 6.0))):
        path.mkdir()
        evening = table(path, [RIFLE, RIFLE], [GI], [(0, 2.5), (2, 1), enemy], [bunker])
        touching = evening.referee.march(evening.moment, {"german-1": ((0, 2.5), (0, 4.5))})
        apart = evening.referee.march(evening.moment, {"german-2": ((2, 1), (2, 4.5))})
        if path is free:
            assert "touched first" in evening.prospect(apart).why_not  # WW-19
            assert evening.do(touching).allowed
        else:
            assert "(WW-20)" in evening.prospect(touching).why_not


# Explosives.


def test_a_blast_spares_no_friend_and_is_aimed_between_two(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (1, 3), (-2, 5), (2, 6)]
    evening = table(tmp_path, ["german_grenadier", RIFLE], [GI, GI], places)
    at = {one.deed.at[0]: one for one in evening.outlook("german-1").attacks}
    assert set(at["american-1"].odds_of) == {"american-1", "american-2", "german-2"}  # WW-38
    between = next(one for one in evening.outlook("german-1").others if one.deed.action == "charge")
    assert (between.deed.title, between.deed.at) == (
        "Grenade between American 1 and American 2",
        ("american-1", "american-2"),
    )
    # 5 in away +1, +3, standing +1: a 1 will do. The friend is 2.7 - 0.5 in from the spot.
    assert between.odds_of["american-2"] == {"eliminates 1 of 1": Fraction(1)}
    evening.do(between.deed, 1, 1, 1)
    assert evening.battle.state.figures_left == {"german": 1, "american": 0}


def test_explosives_go_to_any_place(tmp_path: Path) -> None:
    places: list[PointIn] = [(0, 0), (3, 0), (20, 0), (0, 7), (-2, 8)]
    evening = table(tmp_path, ["german_grenadier", "german_50mm_mortar", RIFLE], [GI, GI], places)
    thrown = evening.at_spot("german-1", (-1, 6))
    assert thrown.deed.template == Blast((-1, 6), 4.0)  # WW-38
    # 5.6 in away +1, +3, standing +1: a 1 will do for either, who are 1 and 1.7 in off.
    assert {name: dict(odds) for name, odds in thrown.odds_of.items()} == {
        "american-1": {"eliminates 1 of 1": 1},
        "american-2": {"eliminates 1 of 1": 1},
    }
    assert "(WW-25)" in evening.at_spot("german-1", (0, 7)).why_not  # 6.5 in
    assert at_spot(evening.referee, evening.moment, "german-3", (20, 5)) == ()  # a rifle is aimed at a figure
    lofted = evening.at_spot("german-2", (3, 20))
    assert sum(lofted.odds.values()) == 1
    evening.do(lofted.deed, 4, 3)  # WW-44: 3 in to the left, as he sees it
    assert evening.battle.state.this_turn["landed"]["spot_in"] == [0, 20]
    burst = evening.duty("burst")
    assert (burst.spot_in, burst.template) == ((3, 20), Blast((0, 20), 4.5))


def test_a_place_behind_a_wall_is_for_mortars(tmp_path: Path) -> None:
    wall = piece("wall", TerrainKind.WALL, box(-9, 3, 9, 3.3), height=5)
    evening = table(tmp_path, ["german_grenadier", "german_50mm_mortar"], [GI], [(0, 0), (3, 0), (0, 7)], [wall])
    assert "(WW-26)" in evening.at_spot("german-1", (0, 5)).why_not
    assert evening.at_spot("german-2", (0, 5)).possible  # WW-A25


def test_a_radioman_calls_a_shell_to_a_place(tmp_path: Path) -> None:
    evening = table(tmp_path, ["german_radioman"], [GI], [(0, 0), (0, 20)])
    called = evening.at_spot("german-1", (2, 18))
    assert called.deed.title == "Call a shell at the spot (2.0, 18.0)"
    assert "(WW-62)" in evening.at_spot("german-1", (0, 37)).why_not  # 36.5 in
    evening.do(called.deed)
    evening.do(evening.duty("deviation"), 5)
    assert evening.battle.state.this_turn["landed"]["spot_in"] == [2, 18]


def test_a_grenade_into_a_house_and_beside_it(tmp_path: Path) -> None:
    places: list[PointIn] = [(6, 11.5), (1.5, 10), (5, 14), (1.6, 14)]
    evening = table(tmp_path, ["german_grenadier", "german_grenadier"], [GI, GI], places, [HOUSE])
    inside = shots(evening, "german-1")["grenade", "american-1"]
    # WW-39: he touches the wall, it goes off inside, and nobody outside is caught. 2.2 in away +2, +3, -3.
    assert inside.odds_of["american-1"] == {"eliminates 1 of 1": Fraction(1, 2), "eliminates 0 of 1": Fraction(1, 2)}
    assert inside.odds_of["german-1"] == {"catches nobody": Fraction(1)}
    beside = shots(evening, "german-2")["grenade", "american-1"]
    assert beside.before is not None
    # WW-40: thrown from farther off it does nothing inside; those outside within 4 in are caught, friends too.
    assert beside.before.numbers["targets"] == ["german-1", "american-2"]


def test_a_launcher_rolls_to_hit_a_bunker(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(-2, 6, 2, 9), height=2.0)
    evening = table(tmp_path, ["german_panzerschreck"], [GI], [(0, 0), (0, 7)], [bunker])
    evening.say("german-1", "target_at_opening at american-1", True)
    [one] = evening.outlook("german-1").attacks
    # WW-42: at 6.5 in a 5. Then +3, prone -1, cover -3: no 6 is more than 5.
    assert one.odds == {"misses": Fraction(2, 3), "eliminates 0 of 1": Fraction(1, 3)}


def test_a_gun_takes_a_bunker_away_and_blows_a_hole(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(-2, 30, 2, 33), height=2.0)
    house = piece("house", TerrainKind.BUILDING, box(8, 30, 14, 35), height=5.0)
    cards = ["german_75mm_infantry_gun", "german_75mm_infantry_gun", RIFLE]
    places: list[PointIn] = [(0, 0), (10, 0), (0, 25), (0, 31), (10, 32), (12, 32), (0, 37)]
    evening = table(tmp_path, cards, [GI, GI, GI, GI], places, [bunker, house])
    assert "(WW-26)" in why(evening, "german-3")["american-4"]
    evening.do(evening.attack("german-1", "american-1"), 6)
    evening.do(evening.duty("burst"), 6)  # WW-48
    assert evening.battle.state.unit("american-1").out
    assert evening.battle.state.statuses["gone"] == ["bunker"]
    assert needs(shots(evening, "german-3")["rifle_german", "american-4"]) == 5  # nothing hides him any more
    evening.do(evening.attack("german-2", "american-2"), 6)
    burst = evening.prospect(evening.duty("burst"))
    assert [one.fact for one in burst.asks] == ["choice"]
    evening.say("german-2", "choice at (10.0, 32.0)", "hole")
    # WW-49: 2.5 in wide. He is at the spot; the other, 1.5 in from it, is rolled for: +3, standing 0 lower, cover -3.
    found = evening.do(evening.duty("burst"), 5, 6)
    assert (found.numbers["eliminated"], found.numbers["hole_in"]) == (["american-2", "american-3"], 2.5)
    assert evening.battle.state.statuses["holes in house"] == 1
    walk = evening.referee.march(evening.moment, {"german-1": ((0, 0), (0, 5))})
    assert "(WW-10)" in evening.prospect(walk).why_not


# Reserves and victory.


def test_a_reserve_brings_back_one_a_turn_where_that_was_agreed(tmp_path: Path) -> None:
    cards, places = [GI, GI, "sentry", "marcher"], [(0.0, 0.0), (0.0, 3.0), (2.0, 3.0), (20.0, 30.0), (24.0, 30.0)]
    for name, agreed in (("each", "one_each_lost"), ("one", "one")):
        (tmp_path / name).mkdir()
        evening = table(tmp_path / name, ["german_machine_gunner"], cards, places, reserves_a_turn=agreed)
        evening.do(spread(evening, "german-1", "american-1", "american-2"), 6, 6, 1, 1)
        evening.next_phase(1, "american", "second_status")
        back = [evening.prospect(one) for one in evening.referee.duties(evening.moment) if one.action == "reserve"]
        assert len(back) == 4  # either man in the place of either
        assert {"(WW-59)" in one.why_not for one in back} == {True}  # not before the next turn
        evening.next_phase(1, "american", "second_actions")
        evening.next_phase(2, "", "initiative")
        evening.do(evening.duty("initiative"), 1, 6)
        evening.do(duty(evening, "turn", first="american"))
        evening.next_phase(2, "american", "first_status")
        evening.do(evening.duty("reserve"))
        assert evening.battle.state.unit("american-1").at_in == (20, 30)
        assert evening.prospect(evening.duty("reserve")).possible is (agreed == "one_each_lost")


def test_who_leaves_by_the_far_edge_counts_for_victory(tmp_path: Path) -> None:
    evening = table(tmp_path, [RIFLE, RIFLE], [GI], [(0, 0), (9, 0), FAR], dice=[1, 5])
    for key, value in (("goal_of_german", "exit_far_edge"), ("needed_by_german", 1)):
        evening.say("", key, value, this_turn=False)
    assert "(WW-09)" in evening.prospect(evening.other("german-2", "leave_table")).why_not
    evening.march((0, 5), "german-1")
    leaving = evening.other("german-1", "leave_table")
    assert [one.fact for one in evening.prospect(leaving).asks] == ["reaches_far_edge"]
    assert not evening.prospect(leaving).possible
    evening.say("german-1", "reaches_far_edge", True)
    evening.do(leaving)
    assert evening.do(duty(evening, "victory", side="german")).numbers["won"]
    # He is no casualty: the other side has eliminated nobody.
    assert duty(evening, "victory", side="american").given["enemies_eliminated"] == 0


def test_whether_a_place_is_held_is_asked(tmp_path: Path) -> None:
    evening = table(tmp_path, [RIFLE], [GI], [(0, 0), FAR])
    evening.say("", "goal_of_american", "take_or_hold", this_turn=False)
    held = evening.prospect(duty(evening, "victory", side="american"))
    assert ([one.fact for one in held.asks], held.odds) == (["reached"], {"not yet": Fraction(1)})
    evening.say("american-1", "reached", True)
    assert evening.do(held.deed).numbers["winner"] == "american"


def test_tied_dice_go_to_the_last_chooser_where_that_was_agreed(tmp_path: Path) -> None:
    evening = table(tmp_path, [RIFLE], [GI], [(0, 0), FAR], tied_initiative="last_chooser")
    for turn, faces in ((2, (2, 5)), (3, (3, 3))):
        while evening.battle.state.phase != "initiative" or evening.battle.state.turn != turn:
            evening.battle.record(evening.referee.next_phase(evening.moment))
        evening.do(evening.duty("initiative"), *faces)
        assert {one.title for one in evening.referee.duties(evening.moment) if one.action == "turn"} == {
            "American lets German go first",
            "American lets American go first",
        }


def test_a_random_player_breaks_nothing(tmp_path: Path) -> None:
    random_evening(set_up(tmp_path / "b"), seed=3, steps=40)


def test_a_random_player_breaks_nothing_with_guns_and_a_bunker(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(4, 8, 8, 11), height=2.0)
    german = ["german_105mm_howitzer", "german_officer_with_binoculars", "german_panzerfaust", "german_grenadier"]
    american = ["american_60mm_mortar", "american_radioman", "american_bar_gunner", "american_grenadier", "marcher"]
    places: list[PointIn] = [(0, 0), (3, 1), (5, 7), (2, 9), (6, 9.5), (9, 12), (6, 14), (3, 14.4), (0, 20)]
    options: dict[str, Any] = {
        "targets_named": "one_by_one",
        "blast_range": "firer_to_figure",
        "contact": "where_it_ends",
    }
    evening = table(tmp_path, german, american, places, [bunker, HOUSE, HEDGE], **options)
    random_evening(evening, seed=11, steps=30)
