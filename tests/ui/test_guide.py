"""The user's guide agrees with the program: keys, units, buttons, pictures and links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rules.games import GAMES, open_game
from tests.ui.windows import Open
from ui.desktop.help_controller import actions_of, keys_of

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "guide.md").read_text()


def section(title: str) -> str:
    """A section, from its heading to the next heading of the same or a higher level."""
    [(rank, body)] = re.findall(rf"^(#+) {re.escape(title)}\n(.*?)(?=^\1 |^##? |\Z)", GUIDE, re.M | re.S)
    assert rank
    return str(body)


def test_the_guide_lists_every_tool_with_its_key(open_window: Open) -> None:
    window = open_window()
    tools = dict(keys_of(window))["Tools"]
    rows = re.findall(r"^\| `(.+?)` \| ([\w ]+) \| (.+) \|$", section("The tools"), re.M)
    assert rows == list(tools)


def test_keys_and_menus_in_the_guide_exist(open_window: Open) -> None:
    window = open_window()
    every = {key for _, rows in keys_of(window) for keys, _, _ in rows for key in keys.split()}
    assert set(re.findall(r"`(Ctrl\+\S+?|F\d|[A-Z])`", GUIDE)) <= every
    names = {action.text().replace("&", "") for action in actions_of(window)}
    menus = set(re.findall(r"\*(?:Table|Calibration|Battle), ([^*]+?)\*", re.sub(r"\s+", " ", GUIDE)))
    assert len(menus) > 8
    assert menus <= names


@pytest.mark.parametrize("game", GAMES)
def test_units_in_the_guide_exist_in_their_game(game: str) -> None:
    opened = open_game(game)
    part = (
        section(opened.title)
        if game != "simple_plastic_figure"
        else section("Simple Plastic Figure (WW2), segment one")
    )
    battle_setup = re.sub(r"\s+", " ", part).split("2. **")[0]
    cards = {str(card.get("title") or name) for name, card in opened.rules.plain["cards"].items()}
    named = {re.sub("s$", "", words) for words in re.findall(r"(?<!\*)\*([A-Z][^*]+)\*(?!\*)", battle_setup)}
    named -= {"Own card…", "OK", "Save list…"}
    named -= {"Check armie", "Squad", "Print…, Unit card", "Are both sides ready", "Goals…", "Next"}
    assert len(named) >= 4
    assert {words for words in named if words not in cards and words + "s" not in cards} == set()


def test_the_guides_pictures_and_links_exist() -> None:
    headings = {
        re.sub(r"[^\w -]", "", words.lower()).replace(" ", "-") for words in re.findall(r"^#+ (.+)$", GUIDE, re.M)
    }
    for target in re.findall(r"\]\(([^)]+)\)", GUIDE):
        if target.startswith("#"):
            assert target[1:] in headings
        else:
            assert (DOCS / target.partition("#")[0]).exists(), target


def test_the_pictures_stay_small() -> None:
    # Each loads in a second on a slow line; new versions of a JPEG differ by some kB.
    assert max(path.stat().st_size for path in (DOCS / "pictures").iterdir()) < 300_000
