"""Translates what the players read, with gettext; English is the default.

To add a language, run `make strings LANGUAGE=de`, translate `ui/locales/de/LC_MESSAGES/sandtable.po` with Poedit or an
editor, and run it again. Strings created before the language is known, such as module constants, are marked with
`mark_for_translation` and translated with `tr` when they are shown.
"""

from __future__ import annotations

import gettext
import struct
from collections.abc import Iterable
from pathlib import Path

from rules.tabletop.errors import UserError

DOMAIN = "sandtable"
"""Name of the catalogs in `FOLDER`."""

FOLDER = Path(__file__).parent / "locales"


class _Language:
    """The language of this process; it is chosen once, before the first window."""

    catalog = gettext.NullTranslations()
    name = "en"


def use_language(names: Iterable[str], folder: Path = FOLDER) -> str:
    """Translate from now on into the first of these languages that has a catalog; return its name, or "en".

    Args:
        names: In order of preference, such as "de-AT", "de", "en".
        folder: Where the catalogs lie, as gettext expects them.

    Raises:
        UserError: if the catalog cannot be read.
    """
    _Language.catalog, _Language.name = gettext.NullTranslations(), "en"
    for name in names:
        if name.split("-")[0] == "en":
            break
        file = folder / name.replace("-", "_") / "LC_MESSAGES" / f"{DOMAIN}.mo"
        if file.is_file():
            _Language.catalog, _Language.name = _read(file), name
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
        raise UserError(f"{file} is not a catalog of translations ({error}): compile it again, or delete it") from error


def tr(words: str, /, **values: object) -> str:
    """Translate a string.

    Args:
        words: English, a literal so that `tools.extract_strings` finds it. Braces work as in `str.format`.
        values: The values for the braces.

    Returns:
        The translation with its values; English if there is none or its braces differ.
    """
    return _filled(_Language.catalog.gettext(words), words, values)


def tr_count(one: str, many: str, /, count: int, **values: object) -> str:
    """Translate a string that depends on a number, which is the value of `{count}` in it.

    Args:
        one: English for one, such as "{count} soldier".
        many: English for any other number.
        count: The number.
        values: The values for further braces.
    """
    values["count"] = count
    return _filled(_Language.catalog.ngettext(one, many, count), one if count == 1 else many, values)


def mark_for_translation(words: str) -> str:
    """Return the string unchanged; marks it for extraction where `tr` is called later with a variable."""
    return words


def _filled(translated: str, english: str, values: dict[str, object]) -> str:
    if not values:
        return translated
    try:
        return translated.format(**values)
    except (KeyError, IndexError, ValueError):
        return english.format(**values)
