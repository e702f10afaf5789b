"""Every value of every option can be played: a situation goes on to its end, or one clear sentence says why not."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.games import GAMES, open_game
from rules.tabletop.errors import UserError

FOLDER = Path(__file__).parents[2] / "data" / "situations"


def choices() -> Iterator[tuple[str, str, Any]]:
    for game in GAMES:
        for name, option in open_game(game).options.items():
            default = option.default
            others = [value for value in option.values if value != default]
            if not option.values and isinstance(default, (int, float)) and not isinstance(default, bool):
                others = [type(default)(default * 2 + 1)]
            yield from ((game, name, value) for value in others)


def with_every_figure_asked(document: dict[str, Any]) -> dict[str, Any]:
    """The same situation, which goes on although a step fails, and asks every figure at its end."""
    names = [one["id"] for figures in document["sides"].values() for one in figures]
    return {**document, "steps": [*document.get("steps", []), {"ask": ""}, *({"ask": name} for name in names)]}


@pytest.mark.slow
@pytest.mark.parametrize(("game", "name", "value"), list(choices()))
def test_an_option_can_be_played(game: str, name: str, value: Any) -> None:
    """Plays the first situation that allows the option, in an order drawn with the option's name as the seed."""
    files = sorted((FOLDER / game).glob("*.json"))
    for file in random.Random(f"{game} {name} {value}").sample(files, len(files)):
        document = with_every_figure_asked(json.loads(file.read_text(encoding="utf-8")))
        document["options"] = {**document.get("options", {}), name: value}
        try:
            answer = play_situation(situation_of(document))
        except UserError:
            continue  # another option of the situation excludes this one, or a step is impossible under it
        assert answer["steps"][-1]["actions"] is not None
        return
    pytest.fail("no situation of the game can be played with this option")
