"""Details for a bug report, as a text that players can read and send. No Qt here."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ui.about import about_words, libraries
from ui.diagnostics.event_log import EventLog

# Folder names may contain spaces, so everything up to a path's last slash is removed, even if that is a word too many.
_FOLDERS = re.compile(r"""(?:~|\b[A-Za-z]:|(?<![\w.]))[/\\](?:.*[/\\])?|[^\s"'(]*[/\\]""")


def bug_report(examined: str, event_log: EventLog, home: Path | None = None) -> str:
    """The report.

    Args:
        examined: The findings of `sandtable doctor`.
        event_log: The event log.
        home: The player's home folder, whose name is removed; this user's if None.
    """
    home = Path.home() if home is None else home
    version = about_words().partition("\n")[0]
    parts: dict[str, Sequence[str]] = {
        version: [f"{library.name} {library.version}" for library in libraries()],
        "This computer": examined.splitlines(),
        "Times when the window did not respond": event_log.stalls,
        "Last messages": [line for message in event_log.told for line in message.splitlines()],
    }
    sections = ((title, [without_folders(line, home) for line in lines]) for title, lines in parts.items())
    return "\n\n".join("\n".join((title, *(lines or ["none"]))) for title, lines in sections)


def without_folders(line: str, home: Path) -> str:
    """The line with all folders removed from its paths, including the player's home folder."""
    return _FOLDERS.sub("", line.replace(str(home), "~") if len(home.parts) > 1 else line)
