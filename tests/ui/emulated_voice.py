"""An emulated espeak-ng: a script on the PATH that writes what it would speak, and when, to a file."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

_SCRIPT = """#!/bin/sh
begin=$(date +%s.%N)
sleep {seconds}
printf '%s %s %s\\n' "$begin" "$(date +%s.%N)" "$*" >> '{log}'
"""


@dataclass(frozen=True)
class Spoken:
    """A sentence with the times at which it began and ended, in seconds of the epoch, and the language's option."""

    began_s: float
    ended_s: float
    language: str
    words: str


class EmulatedVoice:
    """The command `espeak-ng` in a folder of its own."""

    def __init__(self, folder: Path, seconds: float = 0.05, name: str = "espeak-ng") -> None:
        """`seconds`: how long each sentence takes."""
        folder.mkdir(exist_ok=True)
        self.folder, self._log = folder, folder / "spoken.txt"
        command = folder / name
        command.write_text(_SCRIPT.format(seconds=seconds, log=self._log))
        command.chmod(0o755)

    @property
    def spoken(self) -> list[Spoken]:
        """The sentences that were spoken to their end."""
        if not self._log.exists():
            return []
        rows = (row.split(" ", 5) for row in self._log.read_text().splitlines())
        return [Spoken(float(began), float(ended), code, words) for began, ended, _, code, _, words in rows]

    @property
    def words(self) -> list[str]:
        return [one.words for one in self.spoken]
