"""What a question or a row leaves out does not apply: it is false, 0 or none.

This is the convention of the worked examples: "absent facts mean false, in the open, level ground, line of sight clear,
full crew, not moved, no leader, not a hero, not adjacent". The few values that are something else, such as a clear line
of sight, are listed in `tests/data/left_out.json`: facts, of all actions or of one, and columns of tables.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rules.games import GAMES, open_game

SOMETHING = json.loads((Path(__file__).parents[2] / "data" / "left_out.json").read_text(encoding="utf-8"))


def left_out(facts: Any) -> Iterator[tuple[str, Any]]:
    """Each field that may be left out, with its value then."""
    for one in dataclasses.fields(facts):
        if one.default is not dataclasses.MISSING:
            yield one.name, one.default
        elif one.default_factory is not dataclasses.MISSING:
            yield one.name, one.default_factory()


def is_right(value: Any, expected: Any) -> bool:
    if isinstance(value, bool) or isinstance(expected, bool):
        return value is (expected or False)
    if expected is None:
        return not value
    return bool((list(value) if isinstance(value, tuple) else value) == expected)


@pytest.mark.parametrize("game", GAMES)
def test_what_is_left_out_does_not_apply(game: str) -> None:
    facts, columns = SOMETHING["facts"][game], SOMETHING["columns"][game]
    for name, rule in open_game(game).actions.items():
        for fact, value in left_out(rule.facts):
            assert is_right(value, facts.get(f"{name}.{fact}", facts.get(fact))), (name, fact, value)
    for table, hint in typing.get_type_hints(type(open_game(game).rules.tables)).items():
        for row in filter(dataclasses.is_dataclass, typing.get_args(hint)):
            for column, value in left_out(row):
                assert is_right(value, columns.get(f"{table}.{column}")), (table, column, value)
