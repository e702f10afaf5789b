"""What whoever mends the program needs to know, as a text that players can read and send. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ui.about import about_words, libraries
from ui.diagnostics.event_log import Diary

# Folders have blanks in their names, so of a whole path all up to its last stroke goes: rather a word too many.
_FOLDERS = re.compile(r"""(?:~|\b[A-Za-z]:|(?<![\w.]))[/\\](?:.*[/\\])?|[^\s"'(]*[/\\]""")


def bug_report(examined: str, diary: Diary, home: Path | None = None) -> str:
    """The report.

    Args:
        examined: What the doctor found.
        diary: What happened lately.
        home: The player's folder, whose name is often his own; this user's if None.
    """
    home = Path.home() if home is None else home
    version = about_words().partition("\n")[0]
    parts: dict[str, Sequence[str]] = {
        version: [f"{one.name} {one.version}" for one in libraries()],
        "What the program finds here": examined.splitlines(),
        "Last stalls of the window": diary.stalls,
        "Last messages": [line for told in diary.told for line in told.splitlines()],
    }
    told = ((title, [without_folders(line, home) for line in lines]) for title, lines in parts.items())
    return "\n\n".join("\n".join((title, *(lines or ["none"]))) for title, lines in told)


def without_folders(line: str, home: Path) -> str:
    """The line with files' own names only: no folder, and not the name of the player's own."""
    return _FOLDERS.sub("", line.replace(str(home), "~") if len(home.parts) > 1 else line)
