"""The program never executes its input, calls a shell or unpickles objects, and few modules reach beyond it."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ROOMS = ("rules", "calibration", "vision", "hardware", "ui")
SOURCES = sorted(path for room in ROOMS for path in (ROOT / room).rglob("*.py"))

CALLS = {"eval", "exec", "compile", "__import__", "execfile", "breakpoint"}
"""Forbidden calls by their bare names; `dialog.exec()` belongs to Qt and shows a window."""

METHODS = {
    *("os.system", "os.popen", "os.startfile", "os.fork", "os.forkpty", "np.load", "numpy.load"),
    "importlib.import_module",
}
STARTS = ("os.exec", "os.spawn", "os.posix_spawn", "asyncio.create_subprocess")
MODULES = {
    *(
        "pickle",
        "cPickle",
        "dill",
        "marshal",
        "shelve",
        "joblib",
        "yaml",
        "code",
        "runpy",
        "subprocess",
        "pty",
        "shlex",
    ),
    *("socket", "socketserver", "http", "xmlrpc", "ftplib", "smtplib", "telnetlib", "urllib", "requests", "webbrowser"),
    *("PyQt6.QtNetwork", "PyQt6.QtWebSockets", "PyQt6.QtRemoteObjects", "PyQt6.QtDBus", "PyQt6.QtQml", "xml", "lxml"),
}
QT = {"QProcess", "QDesktopServices", "QTcpServer", "QLocalServer", "QUdpSocket", "QPluginLoader", "QLibrary"}
ALLOWED = {
    ("hardware/emulator.py", "pty"),
    *((where, "importlib.import_module") for where in ("rules/games/__init__.py", "ui/commands/doctor.py")),
    ("hardware/bluetooth_dice.py", "importlib.import_module"),
    ("ui/desktop/voice/qt_speaker.py", "importlib.import_module"),
    ("vision/likeness.py", "np.load"),
}
"""An emulated device is a pseudo-terminal, made with Python's own; nothing is started in it. Modules are imported by
name where they are large or may be missing: the names are the program's own, in tables beside the call. The
array of the learned likeness ships with the program and is read without pickles."""

REACHING = {
    **dict.fromkeys(("hardware/wled_emulator.py", "hardware/wled_link.py"), ("http", "socket")),
    **dict.fromkeys(("ui/phone/addresses.py", "ui/phone/server.py", "ui/phone/service.py"), ("socket", "urllib")),
    "ui/voice/system_voice.py": ("subprocess",),
}
"""The modules that reach beyond the program once a player asks for it, and by what: a WLED controller in the network
and its emulator, the phone page, and the system's program for speech, started without a shell."""


def dotted(node: ast.expr) -> str:
    """The dotted name of a call, such as "os.system"; for other expressions only the last part, such as ".exec"."""
    if isinstance(node, ast.Name):
        return node.id
    return f"{dotted(node.value)}.{node.attr}" if isinstance(node, ast.Attribute) else ""


def names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The forbidden calls in a module, each with its line."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = dotted(node.func)
            if called in CALLS | METHODS or called.startswith(STARTS) or called.split(".")[-1] in QT:
                yield node.lineno, called
            for keyword in node.keywords:
                if keyword.arg in ("shell", "allow_pickle"):
                    yield node.lineno, keyword.arg
        elif isinstance(node, ast.Import | ast.ImportFrom):
            module = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            for name in node.names:
                whole = f"{module}.{name.name}".strip(".")
                parts = {whole, module, whole.split(".")[0], module.split(".")[0]}
                if parts & (MODULES | METHODS) or whole.startswith(STARTS) or name.name in QT:
                    yield node.lineno, whole


@pytest.mark.slow
def test_no_module_executes_its_input() -> None:
    assert len(SOURCES) > 200
    found = [
        (where, line, name)
        for path in SOURCES
        for where in [path.relative_to(ROOT).as_posix()]
        for line, name in names(ast.parse(path.read_text("utf-8")))
        if (where, name) not in ALLOWED and name.split(".")[0] not in REACHING.get(where, ())
    ]
    assert found == []


def test_every_installed_package_is_searched() -> None:
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    searched = {path.parent.relative_to(ROOT).as_posix().replace("/", ".") for path in SOURCES}
    assert set(packages) <= searched
    assert {name.partition(".")[0] for name in packages} == set(ROOMS)


def test_the_search_finds_each_forbidden_call() -> None:
    guilty, innocent = ["import pickle", "eval('1')", "run(x, shell=True)"], ["from os import path", "self.exec()"]
    more = ["from PyQt6.QtCore import QProcess", "from os import system", "os.execvpe(x)", "from os import posix_spawn"]
    text = "\n".join([*guilty, *innocent, *more])
    assert [line for line, _ in sorted(names(ast.parse(text)))] == [1, 2, 3, 6, 7, 8, 9]


_WINDOW = """
import os, sys, tempfile
os.environ["QT_QPA_PLATFORM"] = "offscreen"
from pathlib import Path
import numpy as np
from calibration.opencv import cv2
from PyQt6.QtCore import QSettings
from PyQt6.QtWidgets import QApplication
from ui.desktop.window import Window

def listening():
    links = [f"/proc/self/fd/{fd}" for fd in os.listdir("/proc/self/fd")]
    own = {os.readlink(link) for link in links if os.path.lexists(link)}
    for kind, state, inode in (("tcp", 3, 9), ("tcp6", 3, 9), ("udp", 3, 9), ("udp6", 3, 9), ("unix", 5, 6)):
        for line in Path(f"/proc/self/net/{kind}").read_text().splitlines()[1:]:
            words = line.split()
            heard = words[state] == ("01" if kind == "unix" else "0A") or kind.startswith("udp")
            if heard and f"socket:[{words[inode]}]" in own:
                yield kind, line

application = QApplication(["sandtable"])
with tempfile.TemporaryDirectory() as folder:
    settings = QSettings(str(Path(folder) / "s.ini"), QSettings.Format.IniFormat)
    cv2.imwrite(folder + "/x.png", np.zeros((48, 64, 3), np.uint8))
    window = Window(folder + "/x.png", settings)
    window.show()
    for _ in range(20):
        application.processEvents()
    found = list(listening())
    window.close()
print(found)
sys.exit(bool(found))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.slow
def test_the_window_opens_no_listening_socket() -> None:
    done = subprocess.run([sys.executable, "-c", _WINDOW], cwd=ROOT, capture_output=True, text=True, timeout=240)
    assert (done.returncode, done.stdout.strip()) == (0, "[]"), done.stderr
