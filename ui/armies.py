"""Army lists as files, to be used again on another evening."""

from __future__ import annotations

from pathlib import Path

from calibration.profile import read_json
from rules.roster import Army, army_document, army_of
from rules.table import Refused
from ui.files import write_json


def save_army(path: Path, army: Army) -> None:
    """Write an army list, whole or not at all.

    Raises:
        Refused: if the folder is missing, not writable or full.
    """
    write_json(path, army_document(army))


def load_army(path: Path) -> Army:
    """An army list from a file.

    Raises:
        Refused: if the file is none, or was written by a newer program.
    """
    document = read_json(path, "army list")
    try:
        return army_of(document)
    except Refused as refusal:
        raise Refused(f"{path}: {refusal}") from refusal
