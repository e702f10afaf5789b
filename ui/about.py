"""The program's version and licence, and those of the libraries that it uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

from ui.translation import tr

LIBRARIES = (
    "PyQt6",
    "PyQt6-Qt6",
    "PyQt6-sip",
    "opencv-python",
    "numpy",
    "scipy",
    "shapely",
    "pyserial",
    "platformdirs",
    "bleak",
)
"""Names in the package index; the last is optional."""

_CLASSIFIER = "License :: OSI Approved :: "
_MAX_NAME = 60  # characters; some packages put the whole licence where its name belongs


@dataclass(frozen=True, slots=True)
class Library:
    """A library's name, version, name of its licence and home page."""

    name: str
    version: str
    licence: str
    home: str


def about_words() -> str:
    """What the program is, its version and its licence, in paragraphs."""
    try:
        version = metadata.version("sandtable")
    except metadata.PackageNotFoundError:  # run from an unpacked folder
        version = tr("(not installed)")
    purpose = tr(
        "Sandtable measures a table of plastic soldiers through a webcam. It reads the scale from a printed marker,"
        " shows how accurate every length is, and plays five published games by their rules."
    )
    terms = tr(
        "Free software under the GNU General Public License, version 3 or later, without any warranty. The games belong"
        " to their authors, who are named when a battle begins."
    )
    return f"Sandtable {version}\n\n{purpose}\n\n{terms}"


def libraries(read: Callable[[str], metadata.PackageMetadata] = metadata.metadata) -> tuple[Library, ...]:
    """The libraries that are installed, from their own metadata."""
    found = []
    for name in LIBRARIES:
        try:
            about = read(name)
        except metadata.PackageNotFoundError:
            continue
        found.append(Library(name, about["Version"], _licence(about), _home(about)))
    return tuple(found)


def _licence(about: metadata.PackageMetadata) -> str:
    if expression := _field(about, "License-Expression"):
        return expression
    classes = [words.removeprefix(_CLASSIFIER) for words in about.get_all("Classifier") or () if _CLASSIFIER in words]
    name = _field(about, "License").strip()
    return name if name and len(name) < _MAX_NAME and "\n" not in name else ", ".join(classes) or "unknown"


def _home(about: metadata.PackageMetadata) -> str:
    if home := _field(about, "Home-page"):
        return home
    links = [link.split(", ", 1) for link in about.get_all("Project-URL") or ()]
    named = {name.lower(): link for name, link in links}
    return next((named[name] for name in ("homepage", "repository", "source") if name in named), "")


def _field(about: metadata.PackageMetadata, name: str) -> str:
    return next(iter(about.get_all(name) or ()), "")
