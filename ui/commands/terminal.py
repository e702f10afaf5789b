"""Makes text from files, which may be malicious, safe to print on a terminal."""

from __future__ import annotations


def sanitized(text: str) -> str:
    """The text with control characters, which could form escape sequences, replaced."""
    return "".join(letter if letter.isprintable() or letter == "\n" else "\N{REPLACEMENT CHARACTER}" for letter in text)
