"""Time of answering a rules question (`sandtable resolve` without its start): every game's worked examples.

Run with `python -m benchmarks.questions`. The baseline, in the same run, is reading the questions as JSON.
"""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.page import Table, number
from benchmarks.stopwatch import time_with_baseline
from ui.commands.resolve import resolve_question

EXAMPLES = Path(__file__).parents[1] / "tests" / "data"
REPEATS = 20
"""Baseline runs per round of answers; one alone is too short for the clock."""


def main() -> None:
    print(table(15).markdown())


def table(rounds: int) -> Table:
    """The page's table: for each game, all examples at once and a single question."""
    rows = []
    for game in sorted(path.stem.removesuffix("_more") for path in EXAMPLES.glob("*_more.json")):
        examples = [one for path in sorted(EXAMPLES.glob(f"{game}*.json")) for one in json.loads(path.read_text())]
        questions = [{key: one[key] for key in ("ruleset", "given", "dice")} for one in examples]
        questions = [one for one in questions if one["ruleset"] == game]
        text = json.dumps(questions)
        timing = time_with_baseline(
            lambda q=questions: resolve_question(q),  # type: ignore[misc]
            lambda t=text: json.loads(t),  # type: ignore[misc]
            rounds=rounds,
            repeats=REPEATS,
        )
        each_us = 1000 * timing.ms / len(questions)
        rows.append((game, str(len(questions)), number(timing.ratio), number(each_us)))
    head = ("game", "questions", "x reading them as JSON", "µs each")
    return Table("resolve", head, rows)


if __name__ == "__main__":
    main()
