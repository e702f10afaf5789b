"""Catalogs of translations for tests."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from babel.messages.catalog import Catalog
from babel.messages.mofile import write_mo

Words = str | tuple[str, str]


def write_catalog(folder: Path, language: str, table: Mapping[Words, Words]) -> Path:
    """Write a compiled catalog where `use_language` looks for it; pairs are singular and plural."""
    catalog = Catalog(language)
    for english, other in table.items():
        catalog.add(english, other)
    path = folder / language / "LC_MESSAGES" / "sandtable.mo"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        write_mo(stream, catalog)
    return path
