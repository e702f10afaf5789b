"""The error that players read, and the check that refuses values which no file of this program holds."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rules.tabletop.translation import tr

_LONGEST_SENTENCE = 1800
_DEEPEST = 40
_LARGEST = 10**18


class UserError(ValueError):
    """Input that cannot be used. The message is one sentence for the player: what is wrong and what to do."""

    def __str__(self) -> str:
        """The message; if text from a file made it very long, its middle is left out."""
        message = super().__str__()
        half = _LONGEST_SENTENCE // 2
        return message if len(message) <= _LONGEST_SENTENCE else f"{message[:half]} [...] {message[-half:]}"


def user_error(words: str, /, **values: object) -> UserError:
    """The error with a translated message; see `tr` for its words and values."""
    return UserError(tr(words, **values))


def refuse_unusable_values(value: Any, what: str) -> None:
    """Refuse plain values from JSON or TOML that this program never writes and that would fail later.

    Recursion over nested lists overflows the stack at a depth of some hundreds; Python converts neither a number of
    5000 digits to text nor a lone surrogate (half a character) to UTF-8.

    Raises:
        UserError: if there is such a value; the message names `what`.
    """
    level = [value]
    for _ in range(_DEEPEST):
        if any(isinstance(one, int) and abs(one) > _LARGEST for one in level):
            raise user_error(
                "{what} has a whole number of more than {digits} digits: use a smaller number",
                what=what,
                digits=len(str(_LARGEST)) - 1,
            )
        if any(isinstance(one, str) and _is_broken(one) for one in level):
            raise user_error(
                "{what} has a text with half a character in it (a lone surrogate): type the text again", what=what
            )
        level = [inner for one in level for inner in _inside(one)]
        if not level:
            return
    raise user_error(
        "{what} has values nested more than {levels} levels deep: choose a file that this program wrote",
        what=what,
        levels=_DEEPEST,
    )


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return (*value, *value.values())
    return value if isinstance(value, list) else ()


def _is_broken(text: str) -> bool:
    return not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text)
