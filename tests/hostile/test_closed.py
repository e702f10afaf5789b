"""The program never executes its input, calls a shell or unpickles objects, and listens on no port until asked."""

from __future__ import annotations

import ast
import os
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
    *(
        (where, "importlib.import_module")  # of names in the code, except for the games in a folder that a user names
        for where in ("rules/games/__init__.py", "ui/commands/doctor.py", "ui/cli.py")
    ),
    ("hardware/bluetooth_dice.py", "importlib.import_module"),
    ("vision/likeness.py", "np.load"),
    *(("hardware/wled_link.py", name) for name in ("socket", "http.HTTPStatus")),
    *(("hardware/wled_link.py", f"http.client.{name}") for name in ("HTTPConnection", "HTTPException")),
    ("hardware/wled_emulator.py", "http.HTTPStatus"),
    *(
        ("hardware/wled_emulator.py", f"http.server.{name}")
        for name in ("BaseHTTPRequestHandler", "ThreadingHTTPServer")
    ),
    *((f"ui/phone/{name}.py", "socket") for name in ("addresses", "server")),
    ("ui/phone/server.py", "urllib.parse.unquote"),
    ("ui/system_voice.py", "subprocess"),
    ("ui/desktop/appearance.py", "PyQt6.QtCore.QProcess"),
    ("ui/desktop/voice.py", "importlib.import_module"),
}
"""An emulated device is a pseudo-terminal, made with Python's own; nothing is started in it. Modules are imported by
name where they are large or may be missing: the names are the program's own, in tables beside the call. The
array of the learned likeness ships with the program and is read without pickles. WLED and the phone page use the
network once a player has started them. The voice is a command of the system: no shell reads the spoken words. *Restart
now* starts this program with the arguments that it was started with."""


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
        if (where, name) not in ALLOWED
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


_PROGRAM = """
import os, sys
from pathlib import Path
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QApplication
from ui.desktop.app import run
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

def look():
    windows = [one for one in application.topLevelWidgets() if isinstance(one, Window)]
    if windows and windows[0].store.view is not None:
        timer.stop()
        print(list(listening()))
        print(sorted({"asyncio", "http.client", "http.server", "ssl", "PyQt6.QtTextToSpeech"} & set(sys.modules)))
        windows[0].close()

application = QApplication(["sandtable"])
timer = QTimer()
timer.timeout.connect(look)
timer.start(20)
sys.exit(run())
"""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
@pytest.mark.slow
def test_the_program_listens_nowhere_and_imports_no_server_until_asked(tmp_path: Path) -> None:
    # HOME keeps the test away from the player's own settings.
    own = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), str(tmp_path))
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM],
        cwd=ROOT,
        env=os.environ | own | {"QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert (done.returncode, done.stdout.split("\n")) == (0, ["[]", "[]", ""]), done.stderr
