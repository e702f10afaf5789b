"""What may be printed on a terminal: names and words in files may be a stranger's."""

from __future__ import annotations


def tame(text: str) -> str:
    """The text without what a terminal obeys, as escape sequences."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "\N{REPLACEMENT CHARACTER}" for letter in text)
