"""`python -m tools.extract_strings de` collects the program's strings into `ui/locales/de` and compiles them.

Existing translations are kept; those of strings that changed are marked "fuzzy" and not used until they are checked.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from babel import Locale, UnknownLocaleError
from babel.messages.catalog import Catalog
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import PoFileError, read_po, write_po

from rules.tabletop.errors import UserError
from ui.translation import DOMAIN, FOLDER

SOURCES = Path(__file__).parents[1] / "ui"
KEYWORDS = {"tr": None, "mark_for_translation": None, "tr_count": (1, 2)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the files; return the exit status."""
    parser = argparse.ArgumentParser(prog="extract_strings", description=__doc__)
    parser.add_argument("language", metavar="LANGUAGE", help="such as de or pt_BR")
    try:
        catalog = collect(parser.parse_args(arguments).language, FOLDER)
    except UserError as refusal:
        print(f"extract_strings: {refusal}", file=sys.stderr)
        return 1
    ready = sum(bool(message.id and message.string and not message.fuzzy) for message in catalog)
    print(f"{path_of(str(catalog.locale), FOLDER)}: {ready} of {len(catalog)} strings are translated")
    return 0


def path_of(language: str, folder: Path) -> Path:
    """The file that translators edit; the compiled one lies beside it."""
    return folder / language / "LC_MESSAGES" / f"{DOMAIN}.po"


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
    catalog.update(_strings(), no_fuzzy_matching=False)
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        write_po(
            stream, catalog, width=120, omit_header=False, sort_output=True, no_location=True, ignore_obsolete=True
        )
    with path.with_suffix(".mo").open("wb") as stream:
        write_mo(stream, catalog)
    return catalog


def _strings() -> Catalog:
    """All strings of the program."""
    found = Catalog()
    for _, _, words, _, _ in extract_from_dir(SOURCES, [("**.py", "python")], keywords=KEYWORDS):
        found.add(words)
    return found


if __name__ == "__main__":
    sys.exit(main())
