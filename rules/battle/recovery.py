"""Recovery of a damaged battle into a copy."""

from __future__ import annotations

import os
from pathlib import Path

from rules.battle.battle import Clock
from rules.battle.history import valid_beginning
from rules.battle.journal import Journal, survey_of
from rules.battle.progress import Step, no_step
from rules.engine.events import Noted
from rules.tabletop.errors import UserError


def recover(path: Path, copy: Path, clock: Clock, step: Step = no_step) -> int:
    """Copy the intact part of a damaged battle into a new file; the damaged file stays unchanged.

    The copy ends with a note that names its origin. If the damaged file has no checksums or lost them, the copy gets
    all entries that can be read.

    Args:
        path: The damaged battle; an intact one is copied completely.
        copy: The new file.
        clock: Seconds, for the note.
        step: Receives the progress and may cancel.

    Returns:
        Number of entries copied.

    Raises:
        UserError: if nothing can be recovered, or the copy exists or cannot be written; also whatever `step` raises.
    """
    if os.path.lexists(copy):
        raise UserError(f"the file {copy} exists already: choose another name for the copy")
    found = survey_of(path, step)
    recovered = valid_beginning(found.entries[: found.kept])
    if not recovered:
        raise UserError(f"nothing in the battle {path} can be saved ({found.fault}): restore it from a backup")
    note = Noted(text=_note(path, len(recovered), is_checked=bool(found.checked)))
    try:
        with Journal(copy, clock) as journal, journal.together():
            journal.copy_entries(recovered)
            journal.append(note.kind, note.to_body(), note.version)
    except UserError:
        copy.unlink(missing_ok=True)  # an empty file would block its name for the next attempt
        raise
    return len(recovered)


def _note(path: Path, count: int, *, is_checked: bool) -> str:
    remark = "" if is_checked else ", which could not be checked"
    return f"Copied from {path.name}, entries 1 to {count}{remark}."
