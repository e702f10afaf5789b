"""Every scripted situation of `tests/data/situations` goes as its file expects, with the rulebook's words beside it.

`expect` holds parts of the right answer: an object matches where all of its keys do, a list element by element, numbers
within a millionth. Of `actions`, `owed`, `reasons`, `modifiers`, `effects` and `asks` each expected element must match
some element, and an empty list matches an empty one; after a key that ends in `!`, as `owed!`, none may match. Steps
are matched by their numbers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.games import GAMES, open_game

FOLDER = Path(__file__).parents[2] / "data" / "situations"
FILES = sorted(FOLDER.glob("*/*.json"))
ANY_ORDER = {"actions", "owed", "reasons", "modifiers", "effects", "asks"}


def differences(expected: Any, found: Any, place: str = "") -> list[str]:
    """The differences between an answer and the expected one, as text."""
    if isinstance(expected, Mapping):
        if not isinstance(found, Mapping):
            return [f"{place}: {found!r} instead of {expected!r}"]
        return [line for key, value in expected.items() for line in _of_key(key, value, found, f"{place}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [line for n, (one, other) in pairs for line in differences(one, other, f"{place}[{n}]")]
    numbers = all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in (expected, found))
    same = math.isclose(expected, found, abs_tol=1e-6) if numbers else expected == found
    return [] if same else [f"{place}: {found!r} instead of {expected!r}"]


def _of_key(key: str, expected: Any, found: Mapping[str, Any], place: str) -> list[str]:
    name = key.removesuffix("!")
    if name not in found:
        return [f"{place}: missing among {sorted(found)}"]
    if name not in ANY_ORDER or not isinstance(expected, list) or not expected:
        return differences(expected, found[name], place)
    matched = [any(not differences(one, other) for other in found[name]) for one in expected]
    wrong = [one for one, is_there in zip(expected, matched, strict=True) if is_there == key.endswith("!")]
    return [f"{place}: {one!r} {'is' if key.endswith('!') else 'is not'} in {found[name]!r}" for one in wrong]


def _by_step(steps: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    return {str(one["step"]): one for one in steps}


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}-{file.stem}")
def test_a_situation_has_the_expected_answers(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    assert document["game"] == file.parent.name
    assert document["source"], "quote the rulebook"
    assert set(document["rows"]) <= set(open_game(document["game"]).rules.header.rules), "rows are ids of rules"
    answer = play_situation(situation_of(document))
    expected = document["expect"]
    assert expected, "say what is right"
    found = {"steps": _by_step(answer["steps"]), "state": answer["state"]}
    wanted = {**expected, "steps": _by_step(expected.get("steps", []))}
    assert differences(wanted, found) == []


def test_situations_of_every_game() -> None:
    assert {file.parent.name for file in FILES} <= set(GAMES)
