"""Chooses the language of what the players read; `tr` itself is below, where all packages can use it.

To add a language, run `make strings LANGUAGE=de`, translate `ui/locales/de/LC_MESSAGES/sandtable.po` with Poedit or an
editor, and run it again. Strings created before the language is known, such as module constants, are marked with
`mark_for_translation` or `mark_all_for_translation`, and translated with `tr` when they are shown.
"""

from __future__ import annotations

import gettext
import struct
from collections.abc import Iterable
from pathlib import Path

from rules.tabletop.errors import user_error
from rules.tabletop.translation import mark_for_translation, tr, tr_count, use_catalog

__all__ = [
    "language",
    "languages",
    "mark_all_for_translation",
    "mark_for_translation",
    "tr",
    "tr_count",
    "use_language",
]

DOMAIN = "sandtable"
"""Name of the catalogs in `FOLDER`."""

FOLDER = Path(__file__).parent / "locales"


def mark_all_for_translation(*words: str) -> tuple[str, ...]:
    """The strings as they are, marked as `mark_for_translation` marks one."""
    return words


class _Language:
    """The name of this process's language."""

    name = "en"


def use_language(names: Iterable[str], folder: Path = FOLDER) -> str:
    """Translate from now on into the first of these languages that has a catalog; return its name, or "en".

    Args:
        names: In order of preference, such as "de-AT", "de", "en".
        folder: Where the catalogs lie, as gettext expects them.

    Raises:
        UserError: if the catalog cannot be read.
    """
    _Language.name = "en"
    use_catalog(gettext.NullTranslations())
    for name in names:
        if name.split("-")[0] == "en":
            break
        file = folder / name.replace("-", "_") / "LC_MESSAGES" / f"{DOMAIN}.mo"
        if file.is_file():
            use_catalog(_read(file))
            _Language.name = name
            break
    return _Language.name


def language() -> str:
    """The name of the language in use, such as "de"."""
    return _Language.name


def languages(folder: Path = FOLDER) -> tuple[str, ...]:
    """The names of all languages that can be used, English first."""
    return ("en", *sorted(file.parents[1].name for file in folder.glob(f"*/LC_MESSAGES/{DOMAIN}.mo")))


def _read(file: Path) -> gettext.GNUTranslations:
    try:
        with file.open("rb") as stream:
            return gettext.GNUTranslations(stream)
    except (OSError, ValueError, struct.error) as error:
        raise user_error(
            "{file} is not a catalog of translations ({reason}): compile it again, or delete it",
            file=file,
            reason=error,
        ) from error
