"""The web page of a battle."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from rules.battle.battle import Battle
from rules.battle.progress import no_step
from rules.tabletop.errors import UserError
from tests.ui.battle.filmed import fought
from ui.battle.history import report_of
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import small_jpeg
from ui.translation import use_language

JPEG = small_jpeg(np.full((36, 64, 3), 99, np.uint8))
_VOID = {"meta", "img", "rect", "circle", "path", "use", "polygon", "polyline", "symbol"}


class Outline(HTMLParser):
    """The tags in order and the text outside the style; a tag that is not closed fails."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in _VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag not in _VOID:
            assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if data.strip() and self._open[-1] != "style":
            self.words.append(data.strip())

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


@pytest.fixture
def english() -> Iterator[None]:
    yield
    use_language(["en"])


def page_of(battle: Battle, picture: Callable[[int], bytes | None] = lambda _: None) -> str:
    return report_page(report_of(battle), picture, no_step).decode()


def test_the_page_tells_the_battle(tmp_path: Path) -> None:
    with fought(tmp_path / "b") as battle:
        page = Outline(page_of(battle, {11: JPEG, 12: JPEG}.get))
    words = page.words
    assert words[:3] == ["Green against Tan: Simple Plastic Wargame", "Simple Plastic Wargame", "Green against Tan"]
    assert "Rifle at Tan 1, kills" in " ".join(words)
    order = [
        words.index(one) for one in ("Score so far", "Before the battle", "Army of Green", "Green attacks", "SP-11")
    ]
    assert order == sorted(order)
    row = words.index("Green", words.index("Casualties"))
    assert words[row : row + 6] == ["Green", "1 of 1", "none", "Tan", "1 of 2", "Tan 1"]
    assert "Green attacks" in words
    assert "Green moves" not in words, "nothing happened in this phase"
    # Entry 11 is a move, which the map shows; 12 is the shot.
    [image] = page.all("img")
    assert base64.b64decode(str(image["src"]).partition(",")[2]) == JPEG
    assert image["alt"] == "The table after: Green 1: Rifle at Tan 1, kills"


def test_the_page_is_self_contained(tmp_path: Path) -> None:
    with fought(tmp_path / "b") as battle:
        page = page_of(battle, lambda _: JPEG)
    assert not re.search(r"<script|https?://|url\(|@import|src=\"(?!data:)|href=\"(?!#)|\son\w+=", page)
    assert "default-src 'none'" in page
    outline = Outline(page)
    targets = {str(attributes["id"]) for _, attributes in outline.tags if "id" in attributes}
    links = {str(attributes["href"])[1:] for name in ("a", "use") for attributes in outline.all(name)}
    assert links <= targets
    assert links == {"turn-1", "D66"}


def test_the_map_shows_figures_ways_and_casualties(tmp_path: Path) -> None:
    with fought(tmp_path / "b") as battle:
        outline = Outline(page_of(battle))
    before, after = (attributes for attributes in outline.all("svg") if attributes.get("class") == "map")
    assert before["aria-label"] == "Map: 3 soldiers, 0 of them out"
    assert after["aria-label"] == "Map: 3 soldiers, 1 of them out"
    lines = outline.all("polyline")
    assert len(lines) == 3, "the way, and the two strokes of a cross"
    # 24 in in 560 px: 23.3 px an inch; from (4, 4) to (10, 4) they are 140 px.
    ends = [float(point.partition(",")[0]) for point in str(lines[0]["points"]).split()]
    assert ends[-1] - ends[0] == pytest.approx(140, abs=0.2)
    assert lines[0]["stroke-dasharray"]


@pytest.mark.parametrize("side", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "{0}%s\u202e&amp;"])
def test_hostile_names_are_text(tmp_path: Path, side: str) -> None:
    with fought(tmp_path / "b", (side, "tan")) as battle:
        outline = Outline(page_of(battle))
    assert not outline.all("script")
    assert not outline.all("img")
    assert not outline.all("i")
    assert "<i>Wald</i>" in outline.words
    assert any(side[1:9] in words for words in outline.words)
    assert any("<b>Tee & Gebäck</b> 茶" in words for words in outline.words)


def test_the_page_speaks_the_language_of_the_program(tmp_path: Path, english: None) -> None:
    use_language(["de"])
    with fought(tmp_path / "b") as battle:
        page = Outline(page_of(battle))
    assert page.all("html") == [{"lang": "de"}]
    assert {attributes.get("lang") for attributes in page.all("article")} == {None}, "its sentences are translated too"
    assert page.all("footer") == [{"lang": "en"}], "the rulebook's own words"


def test_a_battle_without_actions_has_a_page(tmp_path: Path) -> None:
    with Battle.begin(tmp_path / "b", lambda: 7.0, "simple_plastic", ["green", "tan"]) as battle:
        page = Outline(page_of(battle))
    assert "0 of 0" in page.words
    assert not page.all("figure")


def test_the_page_can_be_cancelled(tmp_path: Path) -> None:
    def cancel(done: int, of: int) -> None:
        assert done < of
        raise UserError("called off")

    with fought(tmp_path / "b") as battle, pytest.raises(UserError, match="called off"):
        report_page(report_of(battle), lambda _: None, cancel)
