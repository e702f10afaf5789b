"""Sentences for the players in their language; English until a catalog is in use.

`ui.translation` chooses the catalog. The command line never does, so it stays English.
"""

from __future__ import annotations

import gettext


class _Language:
    """The language of this process; it is chosen once, before the first window."""

    catalog = gettext.NullTranslations()


def use_catalog(catalog: gettext.NullTranslations) -> None:
    """Translate with this catalog from now on."""
    _Language.catalog = catalog


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
