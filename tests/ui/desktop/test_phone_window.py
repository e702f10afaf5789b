"""The phone page in the window: nothing listens unless asked, its dialog, and that it stops with the window."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest

from calibration.opencv import cv2
from tests.ui.desktop.test_battle_window import press, rolls, started_battle
from tests.ui.windows import LEFT, POSTS, Wait, click, next_phase, texts
from tests.waiting import PATIENCE_S
from ui.desktop.phone import PhoneDialog
from ui.desktop.picture.image import to_bgr
from ui.desktop.window import Window
from ui.phone.addresses import LOOPBACK

on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the sockets of a process")


def listening() -> set[str]:
    """The local addresses at which this process listens, as /proc/net/tcp writes them."""
    own = set()
    for entry in os.scandir("/proc/self/fd"):
        try:
            own.add(os.readlink(entry.path))
        except FileNotFoundError:  # the folder's own descriptor
            continue
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in own:  # 0A: listening
                found.add(fields[1])
    return found


def opened(window: Window, addresses: tuple[str, ...] = (LOOPBACK,)) -> PhoneDialog:
    """The dialog of the phone page, as the menu opens it."""
    phone = window.features.phone
    phone.addresses = lambda: addresses
    phone.action.trigger()
    assert phone.dialog is not None
    return phone.dialog


class Follower(threading.Thread):
    """A phone that shows the page.

    Attributes:
        states: What it was sent.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url
        self.states: list[dict[str, Any]] = []
        self.start()

    def run(self) -> None:
        address = urlsplit(self._url)
        connection = HTTPConnection(address.netloc, timeout=PATIENCE_S)
        connection.request("GET", f"{address.path}events")
        for line in connection.getresponse():
            if line.startswith(b"data: {") and line.strip() != b"data: {}":
                self.states.append(json.loads(line[6:]))
        connection.close()


def test_return_does_not_stop_the_page(window: Window) -> None:
    dialog = opened(window)
    QTest.mouseClick(dialog.start, LEFT)
    QTest.keyClick(dialog.url, Qt.Key.Key_Return)
    assert window.features.phone.server is not None


def test_the_menu_opens_only_one_dialog(window: Window) -> None:
    dialog = opened(window)
    assert opened(window) is dialog


@on_linux
def test_nothing_listens_unless_asked(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b")
    dialog = opened(window)
    assert listening() == set()
    QTest.mouseClick(dialog.start, LEFT)
    server = window.features.phone.server
    assert listening() == {f"0100007F:{server.port:04X}"}  # 127.0.0.1 alone, not every network
    QTest.mouseClick(dialog.stop, LEFT)
    server.join()
    assert listening() == set()


def test_the_dialog_shows_a_code_that_leads_to_the_page(window: Window) -> None:
    dialog = opened(window)
    assert dialog.start.isVisible()
    assert not dialog.code.isVisible()
    QTest.mouseClick(dialog.start, LEFT)
    server = window.features.phone.server
    assert dialog.stop.isVisible()
    assert cv2.QRCodeDetector().detectAndDecode(to_bgr(dialog.code.pixmap().toImage()))[0] == server.url
    assert dialog.url.text() == server.url
    assert window.features.phone.action.text() == "Phone page (on)…"
    dialog.close()
    assert server.running
    again = opened(window)
    assert again.url.text() == server.url
    QTest.mouseClick(again.stop, LEFT)
    assert not server.running
    assert again.start.isVisible()
    again.close()


def test_phones_follow_the_battle_and_are_counted(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    panel = started_battle(window, tmp_path / "b")
    dialog = opened(window)
    QTest.mouseClick(dialog.start, LEFT)
    assert dialog.phones.text() == "0 connected"
    phone = Follower(dialog.url.text())
    received = phone.states
    wait_until(lambda: received)
    wait_until(lambda: dialog.phones.text() == "1 connected")
    assert {figure["id"] for figure in received[-1]["figures"]} == POSTS.keys()
    for _ in range(2):
        next_phase(window)
    wait_until(lambda: received[-1]["turn"]["words"] == "Turn 1 · Green attacks")
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    panel.action_list.choose(0)
    rolls(window, 6)
    press(panel, "Roll")
    wait_until(lambda: any("kills" in line.lower() for line in received[-1]["verdict"]))
    window.commands.undo()
    wait_until(lambda: received[-1]["verdict"] == [])
    window.features.phone.stop()
    phone.join()
    dialog.close()


def test_the_page_stops_with_the_window(window: Window) -> None:
    QTest.mouseClick(opened(window).start, LEFT)
    server = window.features.phone.server
    window.close()
    assert not server.running
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((LOOPBACK, server.port), 5)


def test_without_a_network_there_is_one_sentence(window: Window) -> None:
    dialog = opened(window, ())
    assert not dialog.start.isEnabled()
    assert "This computer is not on a private network." in " ".join(texts(dialog))
    dialog.close()


def test_of_several_networks_one_is_chosen(window: Window) -> None:
    dialog = opened(window, ("192.0.2.99", LOOPBACK))
    QTest.mouseClick(dialog.start, LEFT)  # an address that has gone meanwhile
    assert "Choose another network." in window.bar.text
    assert dialog.start.isVisible()
    dialog.networks.setCurrentText(LOOPBACK)
    QTest.mouseClick(dialog.start, LEFT)
    assert dialog.url.text().startswith(f"http://{LOOPBACK}:")
    dialog.close()


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_failure_of_the_page_is_said_once(window: Window, monkeypatch: pytest.MonkeyPatch, wait_until: Wait) -> None:
    def fail(_: object) -> dict[str, object]:
        raise RuntimeError("a fault in the program")

    monkeypatch.setattr("ui.phone.server.page_data", fail)
    dialog = opened(window)
    QTest.mouseClick(dialog.start, LEFT)
    wait_until(lambda: "stopped unexpectedly" in window.bar.text)
    assert window.features.phone.server is None
    assert dialog.start.isVisible()
    dialog.close()
