"""The commands of the command line, one module each. No Qt here."""

from __future__ import annotations


def sanitized(text: str) -> str:
    """Text from a file, whose control characters could form escape sequences, made safe to print on a terminal."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "\N{REPLACEMENT CHARACTER}" for letter in text)
