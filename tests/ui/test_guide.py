"""The user's guide tells of the program as it is: its keys, units, buttons, pictures and links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from PyQt6.QtGui import QAction

from rules.games import GAMES, open_game
from tests.ui.windows import Open
from ui.desktop.help_controller import keys_of

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "guide.md").read_text()


def section(title: str) -> str:
    """From its heading to the next of its rank or above."""
    [(rank, body)] = re.findall(rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |^##? |\Z)", GUIDE, re.M | re.S)
    assert rank
    return str(body)


def test_each_tool_stands_there_with_its_key_and_what_it_does(open_window: Open) -> None:
    window = open_window()
    tools = dict(keys_of(window))["Tools"]
    rows = re.findall(r"^\| `(.+?)` \| (\w+) \| (.+) \|$", section("The tools"), re.M)
    assert rows == list(tools)


def test_each_key_and_each_menu_that_is_named_is_there(open_window: Open) -> None:
    window = open_window()
    every = {key for _, rows in keys_of(window) for keys, _, _ in rows for key in keys.split()}
    assert set(re.findall(r"`(Ctrl\+\S+?|F\d|[A-Z])`", GUIDE)) <= every
    names = {action.text().replace("&", "") for action in window.findChildren(QAction)}
    menus = set(re.findall(r"\*(?:Table|Inches|Battle), ([^*]+?)\*", re.sub(r"\s+", " ", GUIDE)))
    assert len(menus) > 8
    assert menus <= names


@pytest.mark.parametrize("game", GAMES)
def test_units_that_a_game_is_mustered_from_are_its_own(game: str) -> None:
    opened = open_game(game)
    part = (
        section(opened.title)
        if game != "simple_plastic_figure"
        else section("Simple Plastic Figure (WW2), segment one")
    )
    muster = re.sub(r"\s+", " ", part).split("2. **")[0]
    cards = {str(card.get("title") or name) for name, card in opened.rules.plain["cards"].items()}
    named = {re.sub("s$", "", words) for words in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", muster)}
    named -= {"Check armie", "Squad", "Print…, Unit card", "Are both sides ready", "Next"}
    assert len(named) >= 4
    assert {words for words in named if words not in cards and words + "s" not in cards} == set()


def test_its_pictures_and_links_lead_somewhere() -> None:
    headings = {
        re.sub(r"[^\w -]", "", words.lower()).replace(" ", "-") for words in re.findall(r"^#+ (.+)$", GUIDE, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        if target.startswith("#"):
            assert target[1:] in headings
        else:
            assert (DOCS / target).exists(), target


def test_the_pictures_stay_small() -> None:
    # Each is there in a second on a slow line; JPEG packs them by some kB better or worse whenever they are made anew.
    assert max(path.stat().st_size for path in (DOCS / "pictures").iterdir()) < 300_000
