"""Plastic Fudge: names of the statuses of units and the battle; `statuses` in the TOML explains each."""

from __future__ import annotations

FALLS, FELL_IN, EXPLODES = "falls", "fell_in", "explodes"
INJURIES = "under_fire"
LOST, LOST_BEFORE = "injured", "lost_defense"
"""Levels of Defense that injuries took for good; older battles keep them under the second name."""
ROUTED, FLEES, FLED, FLIGHTS, STAYS, ROUTED_OFF = "routed", "flees", "flight_path", "flights", "stays", "fled_the_table"
AGAIN = "again"
"""The value of `FLEES` for a unit that was routed before."""
PASSED, MUST_CHECK, CHECKED = "passed_by", "must_check", "checked"
ATTACKS_MADE, CARRIED, ATTACKED_BY_HAND = "attacks_made", "carried_this_turn", "attacked_hand_to_hand"
RIDES, CALLED_TURN, ON_MINES = "rides", "called_turn", "on_mines"
WINNER, SEAT_A, SEAT_B = "initiative", "A", "B"
DESTROYED = "destroyed"
"""The value of a base's status once nothing is left of it."""
FOUND, GONE = "found_active", frozenset({"deactivated", "gone"})
"""Values of a mine's status."""
MINE = "mine {}"
"""The battle's status with the known facts of a marker."""
BASE = "base {}"
"""The battle's status that holds the Defense Level that a base has left."""
HOLES = "holes in {}"
"""The battle's status with the holes in a base."""

THIS_TURN = frozenset(
    {
        FELL_IN, FLEES, FLED, FLIGHTS, STAYS, PASSED, MUST_CHECK, CHECKED, ATTACKS_MADE, CARRIED, ATTACKED_BY_HAND,
        ON_MINES, WINNER, SEAT_A, SEAT_B,
    }
)  # fmt: skip
"""The statuses that the next turn forgets."""
