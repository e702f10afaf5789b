"""What the program says of itself, and of the libraries that it stands on. No Qt here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import metadata

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
"""By their names in the package index; the last is there only where it was asked for."""

_CLASSIFIER = "License :: OSI Approved :: "
_LONGEST = 60  # some packages put the whole text where its name belongs


@dataclass(frozen=True, slots=True)
class Library:
    """One library: its name, its version, the name of its licence, where it comes from."""

    name: str
    version: str
    licence: str
    home: str


def about_words() -> str:
    """The program, its version and its licence, as paragraphs."""
    try:
        version = metadata.version("sandtable")
    except metadata.PackageNotFoundError:  # run from a folder that was only unpacked
        version = "of this folder"
    return (
        f"Sandtable {version}\n\n"
        "A table of plastic soldiers that measures itself: a webcam over it, a printed marker on it, true inches with"
        " how sure they are, and five published rulesets played to the letter.\n\n"
        "Free software under the GNU General Public License, version 3 or later, without any warranty. The rulesets are"
        " their authors'; each is named with its credit where a battle begins."
    )


def libraries(read: Callable[[str], metadata.PackageMetadata] = metadata.metadata) -> tuple[Library, ...]:
    """Those that are installed here, as they describe themselves."""
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
    told = _field(about, "License").strip()
    return told if told and len(told) < _LONGEST and "\n" not in told else ", ".join(classes) or "not told"


def _home(about: metadata.PackageMetadata) -> str:
    if home := _field(about, "Home-page"):
        return home
    links = [link.split(", ", 1) for link in about.get_all("Project-URL") or ()]
    named = {name.lower(): link for name, link in links}
    return next((named[name] for name in ("homepage", "repository", "source") if name in named), "")


def _field(about: metadata.PackageMetadata, name: str) -> str:
    return next(iter(about.get_all(name) or ()), "")
