"""The system libraries that the program needs, and the packages of Debian and Ubuntu that contain them.

Uses only the standard library, because `setup.sh` runs it before there is an environment.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

LIBRARIES = {
    "libGL.so.1": "libgl1",  # Qt, and OpenCV 4.12
    "libgthread-2.0.so.0": "libglib2.0-0",  # Ubuntu 24.04 and Debian 13 call it libglib2.0-0t64 and accept this name
    "libEGL.so.1": "libegl1",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
}
"""Shared library -> package, for what the wheels of OpenCV and PyQt6 need but do not contain."""

WINDOW_LIBRARIES = {
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
}
"""Further libraries that Qt needs for a window on X11 or Wayland."""

FONT_PACKAGE = "fonts-dejavu-core"


def loads(library: str) -> bool:
    """Whether the system's loader finds the shared library."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_libraries(wanted: Mapping[str, str], loads: Callable[[str], bool] = loads) -> dict[str, str]:
    """The part of `wanted`, library -> package, that does not load."""
    return {library: package for library, package in wanted.items() if not loads(library)}


def has_font(root: Path = Path("/")) -> bool:
    """Whether a font is installed for all users; without one, Qt draws no text and reports no error."""
    folders = (root / "usr/share/fonts", root / "usr/local/share/fonts")
    return any(file.suffix in {".ttf", ".otf", ".ttc", ".pfb"} for folder in folders for file in folder.rglob("*"))


def install_line(packages: Iterable[str]) -> str:
    """The command that installs the packages on Debian or Ubuntu."""
    return f"sudo apt-get install --no-install-recommends {' '.join(packages)}"


def main() -> None:
    """Print what is missing, a line each: "needed package library", or "window ..." if only the window needs it."""
    for kind, wanted in (("needed", LIBRARIES), ("window", WINDOW_LIBRARIES)):
        for library, package in missing_libraries(wanted).items():
            print(kind, package, library)
    if not has_font():
        print("needed", FONT_PACKAGE, "font")


if __name__ == "__main__" and sys.platform == "linux":
    main()
