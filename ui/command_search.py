"""Finds commands by what the player types: the beginnings of words, or some letters of a name in order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """What can be done in the window.

    Attributes:
        name: What the menu calls it.
        menu: The menu that it is in; empty if it is in none.
        keys: Its keys, as text.
        effect: What it does, in one sentence.
    """

    name: str
    menu: str
    keys: str
    effect: str


def matching(typed: str, commands: Sequence[Command]) -> tuple[int, ...]:
    """The positions of the commands that match every typed word, the best first; all if nothing is typed."""
    ranks = ((_rank(typed.casefold().split(), command), at) for at, command in enumerate(commands))
    return tuple(at for rank, at in sorted((rank, at) for rank, at in ranks if rank is not None))


def _rank(words: Sequence[str], command: Command) -> int | None:
    """How well the words match, 0 is best; None if one of them does not."""
    ranks = [_word_rank(word, command) for word in words]
    known = [rank for rank in ranks if rank is not None]
    return sum(known) if len(known) == len(ranks) else None


def _word_rank(word: str, command: Command) -> int | None:
    name = command.name.casefold()
    matches = (
        name.startswith(word),
        _begins_a_word(word, name),
        _begins_a_word(word, command.menu.casefold()),
        _begins_a_word(word, command.effect.casefold()),
        _has_letters(word, name),
    )
    return next((rank for rank, fits in enumerate(matches) if fits), None)


def _begins_a_word(word: str, words: str) -> bool:
    return any(one.strip("(").startswith(word) for one in words.split())


def _has_letters(word: str, name: str) -> bool:
    """Whether the name contains the letters of the word in this order, with others between them."""
    rest = iter(name)
    return all(letter in rest for letter in word)
