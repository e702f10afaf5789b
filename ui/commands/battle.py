"""A scripted situation as JSON in, what the rules say at each step as JSON out."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO

from calibration.profile import from_json, read_text
from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from ui.files import write_json


def play_file(source: Path | TextIO, out: Path | None) -> Any:
    """Play the situation of a file or stream.

    Args:
        source: Holds the situation, as `docs/formats.md` describes it.
        out: Where to write the answer, too.

    Returns:
        The answer, in values that JSON knows.

    Raises:
        UserError: if the source cannot be read or is not a situation, or `out` cannot be written.
    """
    what = f"the situation {source}" if isinstance(source, Path) else "the situation"
    answer = play_situation(situation_of(from_json(read_text(source, what), what)))
    if out is not None:
        write_json(out, answer)
    return answer
