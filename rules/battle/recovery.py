"""Going on with a damaged battle: what can be trusted of it, in a copy."""

from __future__ import annotations

import os
from pathlib import Path

from rules.battle.battle import Clock
from rules.battle.history import foldable
from rules.battle.journal import Journal, survey_of
from rules.battle.progress import Step, no_step
from rules.engine.events import Noted
from rules.tabletop.errors import UserError


def recover(path: Path, copy: Path, clock: Clock, step: Step = no_step) -> int:
    """Begin a battle in a new file with what can be trusted of a damaged one, which stays as it is.

    The copy ends with a note that says where it comes from. Where the damaged file has no checksums, or they are lost,
    the copy has all that can be read of it.

    Args:
        path: Of the damaged battle; one that is sound is copied whole.
        copy: Of the new file.
        clock: Seconds, for the note.
        step: Called now and then with the progress; it may end the work.

    Returns:
        How many entries were taken over.

    Raises:
        UserError: if nothing can be recovered, the copy exists or cannot be written; or what `step` raises.
    """
    if os.path.lexists(copy):
        raise UserError(f"there is a file {copy} already: choose another name for the copy")
    found = survey_of(path, step)
    taken = foldable(found.entries[: found.kept])
    if not taken:
        raise UserError(f"nothing of the battle {path} can be saved ({found.fault}): take a copy of it from a backup")
    note = Noted(text=_note(path, len(taken), is_checked=bool(found.checked)))
    try:
        with Journal(copy, clock) as journal, journal.together():
            journal.take_over(taken)
            journal.append(note.kind, note.to_body(), note.version)
    except UserError:
        copy.unlink(missing_ok=True)  # it is empty, and would keep its name from the next attempt
        raise
    return len(taken)


def _note(path: Path, count: int, *, is_checked: bool) -> str:
    known = "" if is_checked else ", which could not be checked"
    return f"Taken over from {path.name}, entries 1 to {count}{known}."
