"""Army lists as files, to be used again on another evening."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path

from platformdirs import user_data_path

from calibration.profile import read_json
from rules.engine.roster import Army, army_document, army_of
from rules.tabletop.errors import UserError
from ui.files import make_folder, write_json


def save_army(path: Path, army: Army) -> None:
    """Write an army list, whole or not at all.

    Raises:
        UserError: if the folder is missing, not writable or full.
    """
    write_json(path, army_document(army))


def load_army(path: Path) -> Army:
    """An army list from a file.

    Raises:
        UserError: if the file is none, or was written by a newer program.
    """
    document = read_json(path, "army list")
    try:
        return army_of(document)
    except UserError as refusal:
        raise UserError(f"{path}: {refusal}") from refusal


def armies_folder() -> Path:
    """Where the player's army lists are kept."""
    return user_data_path("sandtable", appauthor=False) / "armies"


@dataclass(frozen=True, slots=True)
class Listed:
    """A file on the shelf: the army, or why there is none in it."""

    path: Path
    army: Army | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """The army lists of a folder, each in a file of its own, by their names.

    A file that is no army list is listed with its problem, and is neither written over nor taken away.
    """

    folder: Path

    def listed(self) -> tuple[Listed, ...]:
        """Every file of the shelf, by name; none where there is no folder yet."""
        return tuple(_listed(path) for path in sorted(self.folder.glob("*.json")))

    def names(self) -> tuple[str, ...]:
        """The armies that can be taken."""
        return tuple(one.army.name for one in self.listed() if one.army is not None)

    def take(self, name: str) -> Army:
        """An army by its name.

        Raises:
            UserError: if there is none of that name, or its file is no army list.
        """
        path = self._path(name)
        army = load_army(path) if os.path.exists(path) else None
        if army is None or army.name.casefold() != name.casefold():
            known = ", ".join(self.names())
            way_out = f"choose one of {known}" if known else "save one first"
            raise UserError(f"there is no army list {name!r}: {way_out}")
        return army

    def keep(self, army: Army) -> None:
        """Save an army under its name; the list that had this name is replaced.

        Raises:
            UserError: if the name makes no file name or its file holds something else, or it cannot be written.
        """
        path = self._path(army.name)
        if os.path.exists(path):
            held = load_army(path)
            if held.name.casefold() != army.name.casefold():
                raise UserError(f"{army.name!r} and {held.name!r} would share the file {path}: choose another name")
        make_folder(self.folder)
        save_army(path, army)

    def rename(self, name: str, new: str) -> None:
        """Give an army another name.

        Raises:
            UserError: as `take` and `keep`, or if another army has the new name.
        """
        army, old_path, path = self.take(name), self._path(name), self._path(new)
        if path != old_path and os.path.exists(path):
            raise UserError(f"there is an army list {new!r} already: delete it first, or choose another name")
        save_army(path, replace(army, name=new))
        if path != old_path:
            _remove(old_path)

    def delete(self, name: str) -> None:
        """Take an army off the shelf.

        Raises:
            UserError: as `take`, or if the file cannot be removed.
        """
        self.take(name)
        _remove(self._path(name))

    def _path(self, name: str) -> Path:
        """The file of an army; names that differ in case or signs only share one."""
        words = "".join(letter if letter.isalnum() else " " for letter in name.casefold()).split()
        if not words:
            raise UserError(f"an army list cannot be named {name!r}: give it a name with letters or digits")
        return self.folder / f"{'-'.join(words)[:80]}.json"


def find_army(named: Path) -> Army:
    """An army list by its file, or by the name that it is kept under.

    Raises:
        UserError: as `load_army` and `Shelf.take`.
    """
    return load_army(named) if os.path.exists(named) or named.suffix else Shelf(armies_folder()).take(str(named))


def _listed(path: Path) -> Listed:
    try:
        return Listed(path, load_army(path))
    except UserError as refusal:
        return Listed(path, None, str(refusal))


def _remove(path: Path) -> None:
    try:
        path.unlink()
    except OSError as error:
        raise UserError(f"the army list {path} cannot be removed: {error.strerror or error}") from error
