"""A whole battle of Simple Plastic Figure, from objectives to victory: a house, a foxhole, shells, a reserve.

Every distance, every part of a body behind terrain and every blast is measured on the table that the state describes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.battle.battle import Battle
from rules.tabletop.table import PointIn, TerrainKind
from tests.rules.battle_driver import (
    BattleDriver,
    play_at_random,
    plot,
    replays_to_the_same,
    story_of,
    undone_and_done_again,
)
from tests.rules.board import box, piece
from tests.rules.farmhouse import (
    HEDGE,
    HOUSE,
    obligation,
    set_up,
    spread,
    table,
)


def turn_1(driver: BattleDriver) -> None:
    driver.do(driver.obligation("armies"))
    driver.do(obligation(driver, "objective", side="german", goal="eliminate_number"))  # half of them, which is 3
    driver.do(obligation(driver, "objective", side="american", goal="eliminate_all"))
    driver.next_phase(1, "", "initiative")
    driver.do(driver.obligation("initiative"), 5, 3)
    driver.do(obligation(driver, "turn", first="german"))
    driver.next_phase(1, "german", "first_status")
    driver.do(driver.obligation("status_checks"), 1, 2, 3, 6, 4, 2)  # WW-09: the grenadier may do nothing
    driver.next_phase(1, "german", "first_actions")
    driver.do(driver.other("german-1", "command_actions"))  # he leads
    # WW-56, WW-A03: the grenadier is 2.6 in off, rolls again, and 4 less 1 is 3: he may do anything.
    driver.do(driver.other("german-4", "status_reroll"), 4)
    driver.march((0, 4), "german-4")  # 6 and 1 for the leader, less 3 for the hedge, are just 4
    driver.march((0, 4), "german-3")  # up to the wall of the house
    # WW-52, WW-53: automatic +1, standing +1: a 4 each. The third shot is lost on a dead man (WW-A40).
    driver.do(spread(driver, "german-2", "american-1", "american-4"), 4, 3, 2, 3)
    driver.do(driver.attack("german-5", "american-2"), 5)  # WW-44: on the spot
    # WW-45: a 4 is no direct hit, and it bursts outside. The bazooka 3.7 in away has less than half of him behind the
    # rim: +3 and +1 for the leader need a 2.
    driver.do(driver.obligation("burst"), 4, 1)
    driver.next_phase(1, "american", "second_status")
    driver.do(driver.obligation("status_checks"), 1, 5, 1, 1, 1)  # the man in the house may only fire
    driver.next_phase(1, "american", "second_actions")
    driver.do(driver.attack("american-2", "german-4"), 3, 2, 3)  # +1 automatic, +1 standing, 6.8 in away: a 4
    driver.do(driver.attack("american-5", "german-4"), 1)  # +3 and +1 standing: only a 1 spares him
    driver.do(driver.attack("american-3", "german-3"), 1, 2)  # 3 in away +2, standing +1: twice a 3
    # WW-62: no mortar of his own side on the board. WW-44: a 4 is left, which for him is up the table's x axis.
    driver.do(driver.other("american-4", "radio", "german-2"))
    driver.do(driver.obligation("deviation"), 4, 2)
    driver.do(driver.obligation("burst"), 3)  # 1.5 in off, +3, prone -1: a 4


def turn_2(driver: BattleDriver) -> None:
    driver.next_phase(2, "", "initiative")
    driver.do(driver.obligation("initiative"), 2, 6)
    driver.do(obligation(driver, "turn", first="american"))
    driver.next_phase(2, "american", "first_status")
    driver.do(driver.obligation("reserve"))  # WW-59: the officer comes back where the wounded man lay
    driver.do(driver.obligation("status_checks"), 1, 6, 1, 1, 6)
    driver.next_phase(2, "american", "first_actions")
    driver.do(driver.attack("american-3", "german-3"), 2, 2)
    driver.do(driver.other("american-4", "radio", "german-5"))
    # A 2 is toward the opponent: down the table by 3 in. Kneeling and in the open: +3, a 3. The officer is 5.2 in away.
    driver.do(driver.obligation("deviation"), 2, 3)
    driver.do(driver.obligation("burst"), 2)
    driver.next_phase(2, "german", "second_status")
    driver.do(driver.obligation("status_checks"), 1, 2, 3, 3, 4, 2)
    driver.next_phase(2, "german", "second_actions")
    driver.march((0.9, 5.9), "german-4")  # 5.97 in
    assert driver.march((0, 2.5), "german-3").numbers["must_fight"]  # WW-17: into the house
    driver.do(driver.obligation("hand_to_hand"), 4, 5, 3, 2)  # 4 and 1 for the bayonet against 5 is a tie; 4 against 2
    driver.do(driver.other("german-1", "direct_fire_binoculars", "german-5"))
    driver.do(driver.attack("german-5", "american-2"), 6)
    # WW-45: a 6 is a direct hit. +3, standing counts as kneeling (WW-33), cover -3, directed +1 (WW-57): a 5.
    driver.do(driver.obligation("burst"), 6, 4)


def turn_3(driver: BattleDriver) -> None:
    driver.next_phase(3, "", "initiative")
    driver.do(driver.obligation("initiative"), 4, 4, 5, 1)  # WW-A01: a tie is rolled again
    driver.do(obligation(driver, "turn", first="german"))
    driver.next_phase(3, "german", "first_status")
    driver.do(driver.obligation("status_checks"), 1, 2, 3, 3, 4, 2)
    driver.next_phase(3, "german", "first_actions")
    # WW-41: from 1.6 in it lands inside, and the thrower is safe. +3, close +2, cover -3: a 4.
    driver.do(driver.attack("german-4", "american-2"), 4)
    driver.do(obligation(driver, "victory", side="german"))  # the wounded man, the rifleman, the BAR gunner


def played(path: Path) -> Battle:
    return set_up(path).played(turn_1, turn_2, turn_3)


@pytest.fixture(scope="module")
def battle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Battle]:
    """Played once for all tests that only read it."""
    with played(tmp_path_factory.mktemp("evening") / "evening.battle") as one:
        yield one


def test_the_story_of_the_battle(battle: Battle) -> None:
    lines = plot(battle)
    assert lines[lines.index("  Are both sides ready: ready.") : lines.index("Turn 2 · Initiative")] == [
        "  Are both sides ready: ready.",
        "  German is to eliminate a number (3): agreed.",
        "  Goal of german: eliminate number.",
        "  Needed by german: 3.",
        "  American is to eliminate all: agreed.",
        "  Goal of american: eliminate all.",
        "",
        "Turn 1 · Initiative",
        "  Who goes first: German.",
        "  German goes first.",
        "",
        "Turn 1 · German checks status",
        "  German 1, German 2, German 3, German 4, German 5, German 6: Status checks of German: checked.",
        "",
        "Turn 1 · German acts",
        "  German 1: Lead: may lead.",
        "  German 4: Second check, led: German 1: move or fire.",
        "  German 4: Move: may move.",
        "  German 4 moves 4.0 in to (13.0, 11.5), which costs 7.0 in.",
        "  German 3: Move: may move.",
        "  German 3 moves 4.0 in to (6.0, 11.0).",
        "  German 2: MG34 or MG42 at American 1, American 4: fired.",
        "  American 1 eliminated.",
        "  American 1: lost in turn 1.",
        "  German 5: 50 or 60 mm mortar at American 2: on spot.",
        "  The shell of German 5 bursts: American 2, American 5: eliminates 0 of 1.",
        "",
        "Turn 1 · American checks status",
        "  American 2, American 3, American 4, American 5, American 6: Status checks of American: checked.",
        "",
        "Turn 1 · American acts",
        "  American 2: BAR at German 4: unharmed.",
        "  American 5: Bazooka at German 4: eliminates 0 of 1.",
        "  American 3: American rifle at German 3: unharmed.",
        "  American 4: Call a shell: German 2: calls a shot.",
        "  The shell of American 4 comes down: left.",
        "  The shell of American 4 bursts: German 2: eliminates 0 of 1.",
        "",
    ]
    assert lines[lines.index("Turn 2 · American checks status") :] == [
        "Turn 2 · American checks status",
        "  American 6 brings back: American 1: returns.",
        "  American 1 moves 0.0 in to (28.0, 29.0).",
        "  American 1 no longer eliminated.",
        "  American 1 no longer lost in turn.",
        "  American 6 eliminated.",
        "  American 1, American 2, American 3, American 4, American 5: Status checks of American: checked.",
        "",
        "Turn 2 · American acts",
        "  American 3: American rifle at German 3: unharmed.",
        "  American 4: Call a shell: German 5: calls a shot.",
        "  The shell of American 4 comes down: toward opponent.",
        "  The shell of American 4 bursts: German 5: eliminates 0 of 1.",
        "",
        "Turn 2 · German checks status",
        "  German 1, German 2, German 3, German 4, German 5, German 6: Status checks of German: checked.",
        "",
        "Turn 2 · German acts",
        "  German 4: Move: may move.",
        "  German 4 moves 6.0 in to (13.9, 17.4).",
        "  German 3: Move: moves into hand-to-hand.",
        "  German 3 moves 2.5 in to (6.0, 13.5).",
        "  German 3: Hand-to-hand: American 3: attacker wins.",
        "  American 3 eliminated.",
        "  German 1: Direct the fire: German 5: directs.",
        "  German 5: 50 or 60 mm mortar at American 2: on spot.",
        "  The shell of German 5 bursts: American 2, German 4, American 5: eliminates 0 of 1.",
        "",
        "Turn 3 · Initiative",
        "  Who goes first: German.",
        "  German goes first.",
        "",
        "Turn 3 · German checks status",
        "  German 1, German 2, German 3, German 4, German 5, German 6: Status checks of German: checked.",
        "",
        "Turn 3 · German acts",
        "  German 4: Grenade at American 2: eliminates 1 of 1.",
        "  American 2 eliminated.",
        "  Declare victory of German: won for German.",
        "  Victory: german.",
    ]


def test_the_story_of_the_grenade_has_dice_and_rules(battle: Battle) -> None:
    lines = story_of(battle)
    thrown = lines.index("  German 4: Grenade at American 2: eliminates 1 of 1.")
    assert lines[thrown + 1] == "    4 rolled for American 2: the effect of the grenade"
    assert lines[thrown + 5] == (
        "    WW-41  A grenade lands in a foxhole or trench if thrown from within 3 inches, and its blast stays inside."
    )
    assert lines[thrown + 9 : thrown + 14] == [
        "    WW-51  1.56 in away (+2)",
        "    WW-52  explosives fire (+3)",
        "    WW-53  the target is kneeling (+0)",  # WW-33: he stands, and counts as one pose lower
        "    WW-54  cover: cover (-3)",
        "    WW-50  rolled 4, with +2 that is 6",
    ]


def test_the_story_of_a_leader_says_what_leading_does(battle: Battle) -> None:
    lines = story_of(battle)
    assert lines[lines.index("  German 1: Lead: may lead.") + 1].startswith("    WW-56  A leader may lead")


def test_the_germans_win_without_losses(battle: Battle) -> None:
    state = battle.state
    assert (state.figures_left, state.turn, state.statuses["victory"]) == ({"german": 6, "american": 3}, 3, "german")
    officer = state.unit("american-1")
    assert (officer.at_in, dict(officer.statuses)) == ((28, 29), {})
    assert dict(state.unit("german-3").acts) == {"status_checks": 3, "move": 2, "hand_to_hand": 1}


def test_replaying_gives_the_same_battle(tmp_path: Path) -> None:
    path = tmp_path / "evening.battle"
    replays_to_the_same(path, played(path))


def test_undoing_everything_and_redoing_it_gives_the_same_battle(tmp_path: Path) -> None:
    with played(tmp_path / "evening.battle") as battle:
        names = undone_and_done_again(battle)
    assert names[:3] == [
        "Declare victory of German, won",
        "German 4: Grenade at American 2, eliminates 1 of 1",
        "Turn 3 · German acts",
    ]
    assert names[-1] == "German 1 joins German"


@pytest.mark.slow
def test_random_play_causes_no_errors(tmp_path: Path) -> None:
    play_at_random(set_up(tmp_path / "b"), seed=3, steps=40)


def test_random_play_with_guns_and_a_bunker_causes_no_errors(tmp_path: Path) -> None:
    bunker = piece("bunker", TerrainKind.BUNKER, box(4, 8, 8, 11), height=2.0)
    german = ["german_105mm_howitzer", "german_officer_with_binoculars", "german_panzerfaust", "german_grenadier"]
    american = ["american_60mm_mortar", "american_radioman", "american_bar_gunner", "american_grenadier", "marcher"]
    places: list[PointIn] = [(0, 0), (3, 1), (5, 7), (2, 9), (6, 9.5), (9, 12), (6, 14), (3, 14.4), (0, 20)]
    options: dict[str, Any] = {
        "targets_named": "one_by_one",
        "blast_range": "firer_to_figure",
        "contact": "where_it_ends",
    }
    driver = table(tmp_path, german, american, places, [bunker, HOUSE, HEDGE], **options)
    play_at_random(driver, seed=11, steps=30)
