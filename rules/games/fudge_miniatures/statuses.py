"""Fudge Miniatures Battles: the names of the statuses of models and of the battle."""

from __future__ import annotations

WOUNDS = "wounds"
"""The marked columns of its wound track, a name for each box."""
TO_MARK = "wounds_to_mark"
"""Wounds of step 2 that wait for step 3."""
GUTS_OWED = "guts_checks_owed"
"""Checks to be made at once, by their triggers, each with the facts that affect it."""
SHAKEN = "guts_failed"
"""Checks that failed and are not passed since, by their effects.

Each has its effect, its target, the turn of its first repetition, the bonuses it lost, and whether a wound called for
it.
"""
TRIED = "pulled_itself_together"
"""Of this turn: which of them were tried again, and of a model Near Death that it has rolled."""
CLINGS = "clings_to_life_from_turn"
"""The turn in which a model Near Death rolls first."""
MUST_RUN, FALLS = "must_run", "falls_from_the_air"
WIELDS, CARRIES, FLIES = "wields", "carries", "flies"
SURPRISED, HELPLESS = "surprised", "helpless"
"""What only the players say of a model."""
MOVEMENT_BEFORE = "movement_before"
DONE, STRUCK_WITH, STRUCK_AT = "done", "struck_with", "struck_at"
"""Of this turn: the kinds of its actions, the weapons that it attacked with, and its targets."""
BROKE_FROM, STRIKES = "broke_from", "free_strikes_on_it"
"""Of this turn: the enemies that it tested against to leave them, and those that may strike, each with the reason."""
DARED, SHOT_PAST = "dared", "shot_past_by"
"""Of this turn: the terrifying opponents that it charges, and how often which friend shot into its fight."""
ORDER, VICTORY = "order", "victory"
"""Of the battle: the players in the order of their turns, and the side that has won."""
HELD_BY = "turns_held_by_{}"
"""The battle's status with the number of turns for which a side has kept up its task."""
LAST_HELD_BY = "last_held_by_{}"
"""The battle's status with the last turn in which a side kept up its task."""
AGREED_FOR = "turns_agreed_for_{}"
"""The battle's status with the number of turns for which a side must keep up its task."""
THIS_TURN = frozenset(
    {TRIED, MOVEMENT_BEFORE, DONE, STRUCK_WITH, STRUCK_AT, BROKE_FROM, STRIKES, DARED, SHOT_PAST, SURPRISED}
)
"""The statuses that end with the turn."""
