"""The files of the phone page, with their texts in the player's language. No Qt here."""

from __future__ import annotations

from html import escape
from importlib.resources import files
from string import Template

from ui.translation import tr


def page_files() -> dict[str, tuple[str, bytes]]:
    """The media type and the content of each file of the page, by its path below the token."""
    folder = files(__package__)
    html = Template((folder / "page.html").read_text("utf-8"))
    words = {name: escape(text) for name, text in _words().items()}
    return {
        "": ("text/html", html.substitute(words).encode()),
        "page.css": ("text/css", (folder / "page.css").read_bytes()),
        "page.js": ("text/javascript", (folder / "page.js").read_bytes()),
    }


def _words() -> dict[str, str]:
    return {
        "language": tr("en"),
        "title": tr("Sandtable: the battle"),
        "waiting": tr("Waiting for the table…"),
        "lost": tr("Connection lost. Trying again… If this lasts, scan the code on the big screen again."),
        "no_battle": tr("No battle is open. The map shows the table."),
        "map": tr("Map of the table"),
        "turn_map": tr("Turn map"),
        "soldier": tr("Soldier"),
        "choose": tr("Tap a soldier"),
        "busy": tr("The program is busy. Tap again in a moment."),
        "thinking": tr("Asking the rules…"),
        "nothing": tr("Nothing to do now"),
        "forbidden": tr("Not possible now"),
        "verdict": tr("Last verdict"),
        "side_left": tr("{side}: {left} left"),
    }
