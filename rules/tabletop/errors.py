"""The error that players read, and the check that refuses values which no file of this program holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

_LONGEST_SENTENCE = 1800
_DEEPEST = 40
_LARGEST = 10**18


class UserError(ValueError):
    """Input that cannot be used. Its text is one sentence for the player: what is wrong, and the way out."""

    def __str__(self) -> str:
        """The sentence, its middle left out where a stranger's file has put a novel into it."""
        words = super().__str__()
        half = _LONGEST_SENTENCE // 2
        return words if len(words) <= _LONGEST_SENTENCE else f"{words[:half]} [...] {words[-half:]}"


def refuse_strange(value: Any, what: str) -> None:
    """Refuse plain values (of JSON, of TOML) that nothing of ours would write, and that others stumble over later.

    Whoever goes through lists in lists by calling himself runs out of stack at some hundred; Python neither turns a
    number of 5000 digits into text nor half a character (a lone surrogate) into UTF-8.

    Raises:
        UserError: in the name of `what`.
    """
    level = [value]
    for _ in range(_DEEPEST):
        if any(isinstance(one, int) and abs(one) > _LARGEST for one in level):
            raise UserError(
                f"{what} has a whole number of more than {len(str(_LARGEST)) - 1} digits: write a smaller one"
            )
        if any(isinstance(one, str) and _is_broken(one) for one in level):
            raise UserError(f"{what} has a text with half a character in it (a lone surrogate): type it again")
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    raise UserError(f"{what} has values nested more than {_DEEPEST} deep: choose a file of this program")


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return (*value, *value.values())
    return value if isinstance(value, list) else ()


def _is_broken(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)
