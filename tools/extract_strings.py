"""`python -m tools.extract_strings de` collects the program's strings into `ui/locales/de` and compiles them.

Existing translations are kept; those of strings that changed are marked "fuzzy" and not used until they are checked.
What is left to do is printed: strings without a translation, fuzzy ones, and those whose placeholders or keys differ.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir, extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po

from rules.tabletop.errors import UserError
from ui.battle.battle_setup import option_texts
from ui.rules_text import COLOURS, phrases
from ui.translation import DOMAIN, FOLDER
from ui.vocabulary import kind_texts

SOURCES = [Path(__file__).parents[1] / name for name in ("calibration", "hardware", "rules", "ui", "vision")]
"""The packages of the program."""

_PLACEHOLDER = re.compile(r"(?<!\{)\{\w[^{}]*\}")
_MNEMONIC = re.compile(r"&\w")
KEYWORDS = {"tr": None, "user_error": None, "mark_for_translation": None, "tr_count": (1, 2)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; return the exit status."""
    parser = argparse.ArgumentParser(prog="extract_strings", description=__doc__)
    parser.add_argument("language", metavar="LANGUAGE", help="such as de or pt_BR")
    try:
        catalog = collect(parser.parse_args(arguments).language, FOLDER)
    except UserError as refusal:
        print(f"extract_strings: {refusal}", file=sys.stderr)
        return 1
    ready = sum(bool(message.id and all(_translations(message)) and not message.fuzzy) for message in catalog)
    for problem in problems(catalog):
        print(problem)
    print(f"{path_of(str(catalog.locale), FOLDER)}: {ready} of {len(catalog)} strings are translated")
    return 0


def path_of(language: str, folder: Path) -> Path:
    """The file that translators edit; the compiled one lies beside it."""
    return folder / language / "LC_MESSAGES" / f"{DOMAIN}.po"


def load(language: str, folder: Path) -> Catalog:
    """The translator's file as it is."""
    path = path_of(language, folder)
    return read_po(path.read_bytes().splitlines(keepends=True), language, DOMAIN, abort_invalid=True)


def problems(catalog: Catalog) -> tuple[str, ...]:
    """What is left for the translator, one line for each string."""
    messages = sorted((message for message in catalog if message.id), key=lambda message: str(message.id))
    return tuple(f"{_first(message.id)!r} {problem}" for message in messages if (problem := _problem(message)))


def _first(words: str | tuple[str, ...] | list[str]) -> str:
    return words if isinstance(words, str) else words[0]


def _translations(message: Message) -> list[str]:
    """The translation, or that of the singular and of each plural; empty strings where it is missing."""
    return list(message.string) if isinstance(message.string, tuple | list) else [message.string or ""]


def _problem(message: Message) -> str:
    english = [message.id] if isinstance(message.id, str) else list(message.id)
    translated = _translations(message)
    if not all(translated):
        return "has no translation"
    if message.fuzzy:
        return f"has changed: check {translated[0]!r} and remove the mark fuzzy"
    wanted = {frozenset(_PLACEHOLDER.findall(words)) for words in english}
    if not {frozenset(_PLACEHOLDER.findall(words)) for words in translated} <= wanted:
        return "has other placeholders in its translation"
    if any(bool(_MNEMONIC.search(words)) != bool(_MNEMONIC.search(english[0])) for words in translated):
        return "has an & for a key in only one language"
    return ""


def collect(language: str, folder: Path) -> Catalog:
    """Create or update the catalog of a language and compile it.

    Raises:
        UserError: if the language is unknown or its file is not a catalog.
    """
    try:
        locale = Locale.parse(language)
    except (UnknownLocaleError, ValueError) as error:
        raise UserError(f"there is no language {language!r}: name one such as de or pt_BR") from error
    path = path_of(language, folder)
    catalog = Catalog(
        locale, domain=DOMAIN, project="Sandtable", version="", copyright_holder="its translators", fuzzy=False
    )
    try:
        if path.is_file():
            catalog = read_po(path.read_bytes().splitlines(keepends=True), locale, DOMAIN, abort_invalid=True)
    except (PoFileError, ValueError) as error:
        raise UserError(f"{path} is not a catalog ({error}): repair or delete it") from error
    catalog.update(extracted(), no_fuzzy_matching=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        write_po(
            stream, catalog, width=120, omit_header=False, sort_output=True, no_location=True, ignore_obsolete=True
        )
    with path.with_suffix(".mo").open("wb") as stream:
        write_mo(stream, catalog)
    return catalog


def catalog_strings(catalog: Catalog) -> set[str]:
    """The English strings of a catalog, of each plural only the singular."""
    return {_first(message.id) for message in catalog} - {""}


def extracted() -> Catalog:
    """All strings of the program."""
    found = Catalog()
    for source in SOURCES:
        for _, _, words, _, _ in extract_from_dir(source, [("**.py", "python")], keywords=KEYWORDS):
            found.add(words)
        for file in source.rglob("*.py"):
            with file.open("rb") as stream:
                for _, _, some, _ in extract_python(stream, ("mark_all_for_translation",), (), {}):
                    for words in filter(None, some):  # None after a trailing comma
                        found.add(words)
    for phrase in (*COLOURS, *phrases(), *option_texts(), *kind_texts()):
        found.add(phrase)
    return found


if __name__ == "__main__":
    sys.exit(main())
