"""Saved army lists, which players use again in other battles."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_data_path

from calibration.profile import read_json
from rules.engine.roster import Army, army_document, army_of
from rules.tabletop.errors import UserError
from ui.files import make_folder, write_json
from ui.translation import tr


def save_army(path: Path, army: Army) -> None:
    """Write an army list. Raises `UserError` like `ui.files.write_json`."""
    write_json(path, army_document(army))


def load_army(path: Path) -> Army:
    """Read an army list from a file. Raises `UserError` if it is not an army list, or a newer program wrote it."""
    document = read_json(path, tr("army list"))
    try:
        return army_of(document)
    except UserError as error:
        raise UserError(tr("the army list {path} cannot be read: {reason}", path=path, reason=error)) from error


def armies_folder() -> Path:
    """The folder of the player's army lists."""
    return user_data_path("sandtable", appauthor=False) / "armies"


@dataclass(frozen=True, slots=True)
class ListedArmy:
    """A file in the folder: its army, or the problem with it."""

    path: Path
    army: Army | None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ArmyLists:
    """The army lists in a folder, each in its own file, found by name.

    A file that is not an army list is listed with its problem, and is not overwritten.
    """

    folder: Path

    def listed(self) -> tuple[ListedArmy, ...]:
        """Every file, by file name; none if the folder does not exist yet."""
        return tuple(_listed(path) for path in sorted(self.folder.glob("*.json")))

    def names(self) -> tuple[str, ...]:
        """The names of all valid army lists."""
        return tuple(listed.army.name for listed in self.listed() if listed.army is not None)

    def take(self, name: str) -> Army:
        """Load the army list with this name. Raises `UserError` if there is none, or its file is not an army list."""
        path = self._path(name)
        army = load_army(path) if os.path.exists(path) else None
        if army is None or army.name.casefold() != name.casefold():
            known = ", ".join(self.names())
            if known:
                raise UserError(tr("there is no army list {name!r}: choose one of {known}", name=name, known=known))
            raise UserError(tr("there is no army list {name!r}: save one first", name=name))
        return army

    def keep(self, army: Army) -> None:
        """Save an army under its name, replacing an older list of this name.

        Raises:
            UserError: if the name gives no file name, the file holds another list, or it cannot be written.
        """
        path = self._path(army.name)
        if os.path.exists(path):
            held = load_army(path)
            if held.name.casefold() != army.name.casefold():
                raise UserError(
                    tr(
                        "{name!r} is too similar to the saved list {saved!r}: choose another name",
                        name=army.name, saved=held.name,
                    )
                )  # fmt: skip
        make_folder(self.folder)
        save_army(path, army)

    def _path(self, name: str) -> Path:
        """The file of an army; names that differ only in case or punctuation share one."""
        words = "".join(letter if letter.isalnum() else " " for letter in name.casefold()).split()
        if not words:
            raise UserError(tr("{name!r} cannot be the name of an army list: use letters or digits", name=name))
        return self.folder / f"{'-'.join(words)[:80]}.json"


def find_army(named: Path) -> Army:
    """Load an army list by its file, or by the name of a saved list.

    Raises:
        UserError: as `load_army` and `ArmyLists.take`.
    """
    return load_army(named) if os.path.exists(named) or named.suffix else ArmyLists(armies_folder()).take(str(named))


def _listed(path: Path) -> ListedArmy:
    try:
        return ListedArmy(path, load_army(path))
    except UserError as error:
        return ListedArmy(path, None, str(error))
