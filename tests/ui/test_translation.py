"""Translation with gettext: values, plurals, missing and damaged catalogs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from rules.tabletop.errors import UserError
from tests.ui.catalogs import write_catalog
from ui.translation import tr, tr_count, use_language
from vision.pictures import read_image

GERMAN = {"Quit": "Beenden", "Use camera {number}": "Kamera {number} verwenden"}
SOLDIERS = ("{count} soldier of {army}", "{count} soldiers of {army}")


@pytest.fixture(autouse=True)
def english_afterwards() -> Iterator[None]:
    yield
    use_language(["en"])


def test_values_are_inserted_into_the_translation(tmp_path: Path) -> None:
    write_catalog(tmp_path, "de", GERMAN)
    assert use_language(["de"], tmp_path) == "de"
    assert tr("Use camera {number}", number=2) == "Kamera 2 verwenden"
    assert tr("Print") == "Print", "what is not translated stays English"


@pytest.mark.parametrize("wrong", ["Kamera {nummer}", "Kamera {0}", "Kamera {number", "Kamera {number:d}"])
def test_a_translation_with_wrong_placeholders_is_not_used(tmp_path: Path, wrong: str) -> None:
    write_catalog(tmp_path, "de", {"Use camera {number}": wrong})
    use_language(["de"], tmp_path)
    assert tr("Use camera {number}", number="two") == "Use camera two"


def test_without_a_translation_strings_are_english() -> None:
    assert tr("Saving {name}", name="{x}") == "Saving {x}"
    assert tr("50 % of {it}") == "50 % of {it}"
    assert tr_count(*SOLDIERS, 1, army="Green") == "1 soldier of Green"
    assert tr_count(*SOLDIERS, 0, army="Green") == "0 soldiers of Green"


def test_each_language_has_its_own_plurals(tmp_path: Path) -> None:
    write_catalog(tmp_path, "fr", {SOLDIERS: ("{count} soldat de {army}", "{count} soldats de {army}")})
    use_language(["fr"], tmp_path)
    # French uses the singular for 0 as well.
    assert [tr_count(*SOLDIERS, n, army="Vert")[:8] for n in (0, 1, 2)] == ["0 soldat", "1 soldat", "2 soldat"]
    assert tr_count(*SOLDIERS, 0, army="Vert") == "0 soldat de Vert"
    assert tr_count(*SOLDIERS, 2, army="Vert") == "2 soldats de Vert"


def test_the_first_language_with_a_catalog_is_used(tmp_path: Path) -> None:
    write_catalog(tmp_path, "de", GERMAN)
    write_catalog(tmp_path, "pt_BR", {"Quit": "Sair"})
    # Qt's languages of an Austrian, a Brazilian, an Englishman who knows German, and of no locale.
    for names, quits in (
        (["de-Latn-AT", "de-AT", "de"], "Beenden"),
        (["pt-Latn-BR", "pt-BR", "pt"], "Sair"),
        (["en-GB", "en", "de"], "Quit"),
        (["C"], "Quit"),
        (["fr-FR", "fr"], "Quit"),
    ):
        use_language(names, tmp_path)
        assert tr("Quit") == quits


def test_errors_from_below_the_window_are_translated(tmp_path: Path) -> None:
    english = "{path} is not a picture, or is broken: open it in a picture viewer, or save it again as PNG"
    write_catalog(tmp_path, "de", {english: "{path} ist kein Bild"})
    use_language(["de"], tmp_path)
    broken = tmp_path / "broken.png"
    broken.write_bytes(b"text")
    with pytest.raises(UserError, match=r"broken\.png ist kein Bild$"):
        read_image(broken)


@pytest.mark.parametrize("damaged", [b"", b"no catalog", b"\xde\x12\x04\x95" + b"\xff" * 40])
def test_a_damaged_catalog_is_named(tmp_path: Path, damaged: bytes) -> None:
    write_catalog(tmp_path, "de", GERMAN).write_bytes(damaged)
    with pytest.raises(UserError, match=r"sandtable\.mo is not a catalog of translations .*delete it"):
        use_language(["de"], tmp_path)
    assert tr("Quit") == "Quit"
