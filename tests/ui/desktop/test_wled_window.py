"""A rod on a WLED controller on the network, chosen in the Devices tab."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QComboBox, QLineEdit, QPushButton, QWidget

from hardware.range_rod import Measured, RodShape, colours
from hardware.wled import Segment
from hardware.wled_emulator import EmulatedWled
from tests.ui.desktop.modal import answered
from tests.ui.windows import POSTS, Open, Owned, Wait, click, settings_in
from ui.desktop.devices.panel import DevicesPanel
from ui.desktop.devices.wled_dialog import WledDialog
from ui.desktop.window import Window
from ui.devices.device_connection import WLED

LEFT = Qt.MouseButton.LeftButton
LEDS = RodShape().leds


@pytest.fixture
def controller() -> Iterator[EmulatedWled]:
    device = EmulatedWled([Segment(0, "Table edge", 100), Segment(1, "Rod", LEDS)])
    yield device
    device.unplug()


@pytest.fixture
def panel(window: Window) -> DevicesPanel:
    window.sides.setCurrentWidget(window.devices.panel)
    return window.devices.panel


def press(parent: QWidget, words: str) -> None:
    [button] = [one for one in parent.findChildren(QPushButton) if one.text() == words and one.isVisible()]
    QTest.mouseClick(button, LEFT)


def ask_for_wled(panel: DevicesPanel) -> None:
    ports = panel.rod.findChild(QComboBox)
    ports.setCurrentIndex(ports.findData(WLED))
    press(panel.rod, "Connect")


def find(dialog: WledDialog, host: str) -> QComboBox:
    """Type an address and ask it for its segments."""
    [line], [box] = dialog.findChildren(QLineEdit), dialog.findChildren(QComboBox)
    line.setText(host)
    press(dialog, "Find segments")
    return box


def test_a_segment_is_chosen_by_name_and_kept(
    window: Window, panel: DevicesPanel, controller: EmulatedWled, wait_until: Wait, open_window: Open, tmp_path: Path
) -> None:
    def choose(dialog: WledDialog) -> None:
        box = find(dialog, controller.path)
        wait_until(lambda: box.count() == 2)
        assert box.itemText(1) == f"Rod ({LEDS} LEDs)"
        box.setCurrentIndex(1)
        press(dialog, "Connect")

    with answered(WledDialog, choose):
        ask_for_wled(panel)
    wait_until(lambda: f"Connected: {controller.path}" in panel.rod.state.text())
    assert settings_in(tmp_path).port("rod") == f"wled:{controller.path}/Rod"
    window.store.use_tool("measure")
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    sign = window.devices.rod.sign
    assert isinstance(sign, Measured)
    wait_until(lambda: controller.strip(1) == colours(RodShape(), sign, 0))
    assert not any(map(any, controller.strip(0)))
    ports = panel.rod.findChild(QComboBox)
    wait_until(lambda: ports.currentText() == f"Rod of WLED at {controller.path}")
    window.close()
    assert not any(map(any, controller.strip(1)))
    again = open_window()
    wait_until(lambda: again.devices.rod.connection.standing.words == f"Connected: {controller.path}.")


@pytest.mark.slow
def test_the_emulated_controller_is_tried_unplugged_and_stopped(
    window: Window, panel: DevicesPanel, wait_until: Wait, tmp_path: Path
) -> None:
    with answered(WledDialog, lambda dialog: press(dialog, "Try one")):
        ask_for_wled(panel)
    wait_until(lambda: "Connected: the emulated rod" in panel.rod.state.text())
    assert settings_in(tmp_path).port("rod") is None  # it has another address next time
    press(panel.rod, "Test")
    wait_until(lambda: any(map(any, panel.rod_view.lights)))
    press(panel.rod, "Unplug")
    wait_until(lambda: "unplugged" in panel.rod.state.text())
    press(panel.rod, "Stop")
    wait_until(lambda: "Not connected" in panel.rod.state.text())


def test_a_wrong_address_is_explained_in_the_dialog(owned: Owned[WledDialog], wait_until: Wait) -> None:
    dialog = owned(WledDialog("127.0.0.1:1"))
    dialog.show()
    box = find(dialog, "a b")
    assert dialog.words.text() == "'a b' is no network address: enter the one that WLED shows, such as 192.168.1.40."
    find(dialog, "127.0.0.1:1")
    assert dialog.words.text() == "Asking 127.0.0.1:1…"
    wait_until(lambda: dialog.words.text().startswith("No answer from 127.0.0.1:1: switch WLED on"))
    assert not box.isEnabled()
    empty = owned(WledDialog("host", find=lambda _: ()))
    empty.show()
    press(empty, "Find segments")
    wait_until(lambda: empty.words.text() == "This controller has no segments: add one on its own page.")


def test_another_address_forgets_the_segments_found(
    owned: Owned[WledDialog], controller: EmulatedWled, wait_until: Wait
) -> None:
    dialog = owned(WledDialog(""))
    dialog.show()
    box = find(dialog, controller.path)
    wait_until(lambda: box.count() == 2)
    [line] = dialog.findChildren(QLineEdit)
    line.setText("elsewhere")
    assert box.count() == 0
    [connect] = [one for one in dialog.findChildren(QPushButton) if one.text() == "Connect"]
    assert not connect.isEnabled()


def test_a_stored_address_that_is_none_is_explained(panel: DevicesPanel, window: Window, wait_until: Wait) -> None:
    panel.rod.connected.emit("wled:a b/Rod")
    wait_until(lambda: "is no network address: enter the one that WLED shows" in panel.rod.state.text())
