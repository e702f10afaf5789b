from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hardware.ports import Port
from ui.commands.doctor import CheckResult, CheckState, Machine, display_problem, examine, format_findings, serial_ports
from ui.commands.libraries import LIBRARIES, WINDOW_LIBRARIES, has_font, missing_libraries


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The file system of a computer with a font, a webcam that has two devices, and a capture stick."""
    _write(tmp_path / "usr/share/fonts/truetype/DejaVuSans.ttf")
    for device, index, name in (("video0", "0", "HD Webcam"), ("video1", "1", "HD Webcam"), ("video10", "0", "Stick")):
        _write(tmp_path / "sys/class/video4linux" / device / "index", index + "\n")
        _write(tmp_path / "sys/class/video4linux" / device / "name", name + "\n")
    return tmp_path


def _write(file: Path, text: str = "") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


def _machine(root: Path, **changed: Any) -> Machine:
    well: dict[str, Any] = {
        "platform": "linux",
        "python": (3, 12, 1),
        "environ": {"DISPLAY": ":0"},
        "root": root,
        "import_version": lambda package, module: "1.2",
        "loads": lambda library: True,
        "ports": lambda: [("/dev/ttyUSB0", "CP2102")],
        "lenses": lambda: [("HD Webcam, 1920x1080", "")],
        "may_use": lambda path: True,
        "free_bytes": lambda folder: 10**11,
    }
    return Machine(**(well | changed))


def _found(findings: Sequence[CheckResult], name: str) -> CheckResult:
    (finding,) = [finding for finding in findings if finding.name == name]
    return finding


def test_a_complete_computer_has_no_problems(root: Path) -> None:
    findings = examine(_machine(root), root / "saves")
    assert {finding.state for finding in findings} == {CheckState.OK}
    assert not any(finding.remedy for finding in findings)
    assert [finding.detail for finding in findings if finding.name == "camera"] == [
        "/dev/video0 HD Webcam",
        "/dev/video10 Stick",
    ]
    assert _found(findings, "serial port").detail == "/dev/ttyUSB0 CP2102"
    assert _found(findings, "disk").detail.startswith("100.0 GB free")


def test_missing_libraries_come_with_an_install_command(root: Path) -> None:
    findings = examine(_machine(root, loads=lambda library: library not in ("libEGL.so.1", "libgthread-2.0.so.0")))
    finding = _found(findings, "system libraries")
    assert finding.state is CheckState.MISSING
    assert finding.remedy == "sudo apt-get install --no-install-recommends libglib2.0-0 libegl1"


@pytest.mark.parametrize(("environ", "state"), [({"DISPLAY": ":0"}, CheckState.MISSING), ({}, CheckState.WARNING)])
def test_window_libraries_are_needed_only_with_a_display(
    root: Path, environ: dict[str, str], state: CheckState
) -> None:
    findings = examine(_machine(root, environ=environ, loads=lambda library: library in LIBRARIES))
    finding = _found(findings, "window libraries")
    assert finding.state is state
    assert all(package in finding.remedy for package in WINDOW_LIBRARIES.values())


def test_a_failed_import_is_reported_with_its_reason(root: Path) -> None:
    def broken(package: str, module: str) -> str:
        if module == "PyQt6.QtWidgets":
            raise ImportError("libEGL.so.1: cannot open shared object file")
        return "1.2"

    finding = _found(examine(_machine(root, import_version=broken)), "PyQt6")
    assert (finding.state, finding.remedy) == (CheckState.MISSING, "make setup")
    assert "libEGL.so.1" in finding.detail


def test_an_old_python_is_reported(root: Path) -> None:
    finding = _found(examine(_machine(root, python=(3, 10, 14))), "Python")
    assert (finding.state, finding.detail) == (CheckState.MISSING, "3.10.14 is too old")


def test_inaccessible_devices_name_the_missing_group(root: Path) -> None:
    findings = examine(_machine(root, may_use=lambda path: path.name not in ("video0", "ttyUSB0")))
    video = next(finding for finding in findings if finding.name == "camera")
    port = _found(findings, "serial port")
    assert (video.state, port.state) == (CheckState.WARNING, CheckState.WARNING)
    assert video.remedy.startswith("sudo usermod -aG video $USER,")
    assert port.remedy.startswith("sudo usermod -aG dialout $USER,")


def test_missing_font_camera_and_display_are_reported(tmp_path: Path) -> None:
    findings = examine(_machine(tmp_path, environ={}, ports=list))
    assert _found(findings, "font").state is CheckState.MISSING
    assert _found(findings, "camera").state is CheckState.WARNING
    assert _found(findings, "display").state is CheckState.WARNING
    assert _found(findings, "serial port").state is CheckState.OK  # hardware is optional


def test_an_unwritable_folder_and_a_full_disk_are_reported(root: Path) -> None:
    saves = root / "not" / "yet"
    asked: list[Path] = []
    full = examine(_machine(root, free_bytes=lambda folder: asked.append(folder) or 1_000_000), saves)  # type: ignore[func-returns-value]
    assert asked == [root]  # the nearest folder that exists
    assert _found(full, "disk").state is CheckState.WARNING
    closed = examine(_machine(root, may_use=lambda path: path != root), saves)
    assert _found(closed, "disk").state is CheckState.MISSING


def test_lens_profiles_are_listed(root: Path) -> None:
    assert _found(examine(_machine(root), root), "lens profile").detail == "HD Webcam, 1920x1080"
    assert "none; the lens is estimated" in _found(examine(_machine(root, lenses=list), root), "lens profile").detail
    broken = _found(
        examine(_machine(root, lenses=lambda: [("x, 0x0", "the lens file x.json is not JSON")]), root), "lens profile"
    )
    assert (broken.state, broken.detail) == (CheckState.WARNING, "the lens file x.json is not JSON")
    assert broken.remedy.startswith("delete the file")


def test_other_systems_skip_linux_checks(root: Path) -> None:
    findings = examine(_machine(root, platform="darwin", environ={}, loads=lambda library: False))
    assert not {"system libraries", "font", "camera"} & {finding.name for finding in findings}
    assert {finding.state for finding in findings} == {CheckState.OK}


@pytest.mark.parametrize(
    ("environ", "platform", "problem"),
    [
        ({}, "linux", True),
        ({"DISPLAY": ""}, "linux", True),
        ({"DISPLAY": ":0"}, "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", False),
        ({"QT_QPA_PLATFORM": "offscreen"}, "linux", False),
        ({"QT_QPA_PLATFORM": "xcb"}, "linux", True),
        ({"QT_QPA_PLATFORM": "xcb", "WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({}, "win32", False),
    ],
)
def test_display_problem(environ: dict[str, str], platform: str, problem: bool) -> None:
    assert (display_problem(environ, platform) is not None) is problem


def test_findings_are_aligned_with_remedies_below() -> None:
    text = format_findings(
        [CheckResult(CheckState.OK, "disk", "fine"), CheckResult(CheckState.WARNING, "a camera", "none", "plug in")]
    )
    assert text.splitlines() == ["ok       disk      fine", "warning  a camera  none", "                   -> plug in"]
    assert format_findings([]) == ""


def test_the_real_computer_can_be_examined(tmp_path: Path) -> None:
    findings = examine(saves=tmp_path)
    running = {"Python", "opencv-python", "numpy", "scipy", "shapely", "PyQt6", "pyserial", "disk"}
    assert {finding.name for finding in findings if finding.state is CheckState.OK} >= running


def test_libraries_are_checked_by_the_system_loader() -> None:
    wanted = {"libc.so.6": "libc6", "libnowhere.so.7": "libnowhere7"}
    assert "libnowhere.so.7" in missing_libraries(wanted)


@pytest.mark.parametrize(("name", "font"), [("a/b.ttf", True), ("a/b.txt", False)])
def test_fonts_are_found_by_file_type(tmp_path: Path, name: str, font: bool) -> None:
    _write(tmp_path / "usr/share/fonts" / name)
    assert has_font(tmp_path) is font


def test_ports_are_described(monkeypatch: pytest.MonkeyPatch) -> None:
    esp = Port("/dev/ttyUSB0", "CP2102", 0x10C4, 0xEA60)
    gps = Port("/dev/ttyACM0", "u-blox GPS", 0x1546, 0x01A7)
    monkeypatch.setattr("hardware.ports.attached", lambda: (esp, gps))
    monkeypatch.setattr("hardware.ports.holder", lambda device: "gpsd (12)" if device == gps.device else "")
    assert serial_ports() == (
        ("/dev/ttyUSB0", "CP2102 (may be the rod or dice)"),
        ("/dev/ttyACM0", "u-blox GPS (in use by gpsd (12))"),
    )


def test_without_pyserial_there_are_no_ports(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "hardware.ports", None)
    assert serial_ports() == ()
