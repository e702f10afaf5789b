"""The worked examples of each game: questions as JSON, with the expected parts of their answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

Question = dict[str, Any]

_DATA = Path(__file__).parents[2] / "data"


def questions(game: str) -> list[Question]:
    """Examples from the rulebook, then more cases by rule and for every value of an option."""
    return [*_read(f"{game}.json"), *_read(f"{game}_more.json")]


def with_options(game: str) -> list[Question]:
    """The questions with a non-default option."""
    return [question for question in questions(game) if "options" in question]


def chosen(game: str) -> set[tuple[str, Any]]:
    """The options that are tried, with their values."""
    return {pair for question in with_options(game) for pair in question["options"].items()}


def told(question: Question, answer: Question) -> Question:
    """The parts of the answer that the question has expectations for."""
    return {key: answer.get(key, "no such key") for key in question["expect"]}


def _read(name: str) -> list[Question]:
    found: list[Question] = json.loads((_DATA / name).read_text(encoding="utf-8"))
    return found
