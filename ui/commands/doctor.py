"""`sandtable doctor`: examines the computer and says what is missing and how to fix it. Imports no Qt of its own."""

from __future__ import annotations

import importlib
import os
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from ui.commands.libraries import (
    FONT_PACKAGE,
    LIBRARIES,
    WINDOW_LIBRARIES,
    has_font,
    install_line,
    loads,
    missing_libraries,
)
from ui.setup.cameras import Camera, known_cameras

if TYPE_CHECKING:
    from hardware.ports import Port

OLDEST_PYTHON = (3, 11)
LOW_SPACE_BYTES = 500_000_000
"""Far more than the battles of an evening need with their pictures."""

_SETUP = "make setup"
_PYTHON_LIBRARIES = {
    "opencv-python": "calibration.opencv",
    "numpy": "numpy",
    "scipy": "scipy",
    "shapely": "shapely",
    "PyQt6": "PyQt6.QtWidgets",
    "pyserial": "serial",
}
"""Name in the package index -> module whose import shows that it works."""


class CheckState(StrEnum):
    """`MISSING` stops the program, `WARNING` only a part of it."""

    OK = "ok"
    WARNING = "warning"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class CheckResult:
    """One result; `remedy` says what to do, empty if nothing."""

    state: CheckState
    name: str
    detail: str
    remedy: str = ""


_ok, _warning, _missing = (partial(CheckResult, state) for state in CheckState)


def import_version(package: str, module: str) -> str:
    """Import the module and return the package's version.

    Raises:
        ImportError: if it is not installed or does not load; its text gives the reason.
    """
    importlib.import_module(module)
    return metadata.version(package)


def serial_ports() -> tuple[tuple[str, str], ...]:
    """The computer's serial ports as (device, description), likely ones first; none without pyserial."""
    try:
        ports = importlib.import_module("hardware.ports")
    except ImportError:
        return ()
    return tuple((port.device, _described(port, ports.holder(port.device))) for port in ports.attached())


def lens_profiles() -> tuple[tuple[str, str], ...]:
    """This user's lens profiles as (camera and picture size, problem); none without OpenCV."""
    try:
        profiles = importlib.import_module("ui.setup.lens")
    except ImportError:
        return ()
    kept = profiles.LensProfiles(profiles.lens_folder()).kept()
    return tuple((f"{lens.camera}, {lens.image_size[0]}x{lens.image_size[1]}", lens.problem) for lens in kept)


def _described(port: Port, holder: str) -> str:
    """What is on a port, whether it may be our device, and which program uses it."""
    notes = ["may be the rod or dice"] * port.likely + [f"in use by {holder}"] * bool(holder)
    return port.description + (f" ({', '.join(notes)})" if notes else "")


@dataclass(frozen=True, slots=True)
class Machine:
    """The computer to examine; the defaults are the real one.

    Attributes:
        root: Folder of /dev, /sys and /usr.
        may_use: Whether this user may read and write a file.
        free_bytes: Free space on the disk of a folder.
    """

    platform: str = sys.platform
    python: tuple[int, int, int] = sys.version_info[:3]
    environ: Mapping[str, str] = field(default_factory=lambda: os.environ)
    root: Path = Path("/")
    import_version: Callable[[str, str], str] = import_version
    loads: Callable[[str], bool] = loads
    ports: Callable[[], Iterable[tuple[str, str]]] = serial_ports
    lenses: Callable[[], Iterable[tuple[str, str]]] = lens_profiles
    may_use: Callable[[Path], bool] = lambda path: os.access(path, os.R_OK | os.W_OK)
    free_bytes: Callable[[Path], int] = lambda folder: shutil.disk_usage(folder).free


def examine(machine: Machine | None = None, saves: Path | None = None) -> tuple[CheckResult, ...]:
    """Examine everything that the program uses; the folder `saves` of battles need not exist, by default this one."""
    machine = machine or Machine()
    linux = machine.platform == "linux"
    return (
        _python(machine),
        *(_python_library(machine, package, module) for package, module in _PYTHON_LIBRARIES.items()),
        *(_system(machine) if linux else ()),
        _display(machine),
        *(_cameras(machine) if linux else ()),
        *_ports(machine),
        *_lenses(machine),
        _space(machine, saves or Path.cwd()),
    )


def format_findings(findings: Iterable[CheckResult]) -> str:
    """The findings as aligned lines, each remedy under its finding, without a final line break."""
    findings = tuple(findings)
    wide = max((len(finding.name) for finding in findings), default=0)
    lines = []
    for finding in findings:
        lines.append(f"{finding.state:<7}  {finding.name:<{wide}}  {finding.detail}")
        if finding.remedy:
            lines.append(f"{'':<7}  {'':<{wide}}  -> {finding.remedy}")
    return "\n".join(lines)


def display_problem(environ: Mapping[str, str], platform: str) -> str | None:
    """Why no window can open, as a sentence; None if one can.

    Call this before using Qt, because without a display Qt ends the process without an exception.
    """
    if platform != "linux":
        return None
    x11, wayland, chosen = (environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))
    if chosen and not (chosen.startswith("xcb") and not x11):
        return None
    if chosen or not (x11 or wayland):
        return "There is no display for a window: DISPLAY and WAYLAND_DISPLAY are not set."
    return None


def _python(machine: Machine) -> CheckResult:
    version = ".".join(map(str, machine.python))
    if machine.python[:2] < OLDEST_PYTHON:
        return _missing("Python", f"{version} is too old", "install Python 3.11 or newer, then make setup")
    return _ok("Python", version)


def _python_library(machine: Machine, package: str, module: str) -> CheckResult:
    try:
        return _ok(package, machine.import_version(package, module))
    except ImportError as problem:
        return _missing(package, str(problem), _SETUP)


def _system(machine: Machine) -> tuple[CheckResult, ...]:
    no_display = display_problem(machine.environ, machine.platform)
    font = _missing("font", "none, so no text would be visible", install_line([FONT_PACKAGE]))
    return (
        _shared("system libraries", missing_libraries(LIBRARIES, machine.loads), CheckState.MISSING),
        _shared(
            "window libraries",
            missing_libraries(WINDOW_LIBRARIES, machine.loads),
            CheckState.WARNING if no_display else CheckState.MISSING,
        ),
        _ok("font", "found") if has_font(machine.root) else font,
    )


def _shared(name: str, missing: Mapping[str, str], bad: CheckState) -> CheckResult:
    if not missing:
        return _ok(name, "all found")
    return CheckResult(bad, name, ", ".join(missing), install_line(missing.values()))


def _display(machine: Machine) -> CheckResult:
    problem = display_problem(machine.environ, machine.platform)
    if problem is None:
        return _ok("display", "a window can open")
    return _warning("display", "none", "start Sandtable from a desktop, or run sandtable demo")


def _cameras(machine: Machine) -> list[CheckResult]:
    found = known_cameras(machine.root)
    if not found:
        remedy = "plug one in; until then, use the simulated table"
        return [_warning("camera", "none found", remedy)]
    return [_camera(machine, camera) for camera in found]


def _camera(machine: Machine, camera: Camera) -> CheckResult:
    device = f"dev/video{camera.number}"
    detail = f"/{device} {camera.name}".rstrip()
    if machine.may_use(machine.root / device):
        return _ok("camera", detail)
    return _forbidden("camera", detail, "video")


def _ports(machine: Machine) -> list[CheckResult]:
    found = list(machine.ports())
    if not found:
        return [_ok("serial port", "none; electronic dice and the range rod are optional")]
    return [_port(machine, device, description) for device, description in found]


def _port(machine: Machine, device: str, description: str) -> CheckResult:
    detail = f"{device} {description}"
    if machine.platform != "linux" or machine.may_use(machine.root / device.lstrip("/")):
        return _ok("serial port", detail)
    return _forbidden("serial port", detail, "dialout")


def _forbidden(name: str, detail: str, group: str) -> CheckResult:
    remedy = f"sudo usermod -aG {group} $USER, then log out and in again"
    return _warning(name, f"{detail}: you may not open it", remedy)


def _lenses(machine: Machine) -> list[CheckResult]:
    found = list(machine.lenses())
    if not found:
        return [_ok("lens profile", "none; the lens is estimated from the markers, less exactly")]
    remedy = "delete the file, then measure the lens again: Inches, Camera lens…"
    return [
        _warning("lens profile", problem, remedy) if problem else _ok("lens profile", camera)
        for camera, problem in found
    ]


def _space(machine: Machine, saves: Path) -> CheckResult:
    folder = next(place for place in (saves, *saves.absolute().parents) if place.is_dir())
    free = machine.free_bytes(folder)
    detail = f"{free / 1e9:.1f} GB free for saves in {saves}"
    if not machine.may_use(folder):
        return _missing("disk", f"{saves} cannot be written", f"make {folder} writable, or save in another folder")
    if free < LOW_SPACE_BYTES:
        return _warning("disk", detail, "free some space before a long battle")
    return _ok("disk", detail)
