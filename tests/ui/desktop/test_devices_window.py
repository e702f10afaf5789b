"""The Devices tab in the real window: rod and dice, emulated or on a port, stored, refused, forgotten."""

from __future__ import annotations

import os
import random
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QEvent, QPoint, Qt, QTimer
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QCheckBox, QComboBox, QLineEdit, QPushButton, QWidget

from hardware.emulator import EmulatedDice, EmulatedRod, Wire
from hardware.range_rod import FIRST_MARK, PLAIN, Alarm, DiceWait, Lamp, Measured, RodShape, plain_colours
from hardware.range_rod import Ruler as EmptyRod
from rules.engine.dice import DiceRequest, Die, Roll
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import POSTS, Open, Owned, Wait, button, click, next_phase, settings_in
from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.devices.devices_controller import DiceStrip
from ui.desktop.devices.panel import DeviceBox, DevicesPanel
from ui.desktop.devices.tray_view import TrayDialog, TrayPicture, TrayView, close_up, dice_shapes, doubtful_close_ups
from ui.desktop.widgets import NumberBox
from ui.desktop.window import Window
from ui.devices.device_connection import DeviceStatus, PortChoice, StatusLevel
from ui.devices.tray_camera import TABLE, Region, Seen
from ui.picture.shapes import Label
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="pseudo-terminals")

LEFT = Qt.MouseButton.LeftButton
TWO = DiceRequest(Die.D6, 2, "green-1", "the attack")


@pytest.fixture
def panel(window: Window) -> DevicesPanel:
    """The Devices tab, opened."""
    window.sides.setCurrentWidget(window.devices.panel)
    return window.devices.panel


@pytest.fixture
def nothing_left() -> Iterator[None]:
    """Created before the window: when the window is closed, no link thread is left."""
    yield
    left = {thread.name for thread in threading.enumerate()}
    assert left & {"link", "closing device", "sandtable dice tray"} == set()


def press(parent: QWidget, words: str) -> None:
    [button] = [one for one in parent.findChildren(QPushButton) if one.text() == words and one.isVisible()]
    QTest.mouseClick(button, LEFT)


def measure(window: Window) -> None:
    window.store.use_tool("measure")
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])


def test_pressed_buttons_stay_where_they_are(window: Window, panel: DevicesPanel, wait_until: Wait) -> None:
    def places() -> list[QPoint]:
        for _ in range(3):  # the box, what it lies in, and the scrolled area
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        return [one.mapTo(panel, QPoint()) for one in panel.rod.findChildren(QPushButton) if one.text() == "Test"]

    before = places()
    press(panel.rod, "Try one")
    wait_until(lambda: "Connected: the emulated rod" in panel.rod.state.text())
    assert places() == before
    press(panel.rod, "Stop")
    wait_until(lambda: "Not connected" in panel.rod.state.text())
    assert places() == before


def test_the_emulated_rod_shows_the_range(window: Window, panel: DevicesPanel, wait_until: Wait) -> None:
    assert "Not connected" in panel.rod.state.text()
    press(panel.rod, "Try one")
    wait_until(lambda: "Connected: the emulated rod" in panel.rod.state.text())
    measure(window)
    sign = window.devices.rod.sign  # immediately, before the window is painted
    assert isinstance(sign, Measured)
    assert sign.range_in == pytest.approx(12, abs=0.1)
    # 12 in from (8, 10) to (20, 10), 1.524 LEDs an inch: the tip in LED 18, the mark at 6 in in LED 9, plain before.
    wait_until(lambda: panel.rod_view.lights[18] > (230, 230, 230))
    assert all(abs(a - b) < 16 for a, b in zip(panel.rod_view.lights[9], FIRST_MARK, strict=True))
    assert all(abs(a - b) < 16 for led in (0, 8, 17) for a, b in zip(panel.rod_view.lights[led], PLAIN, strict=True))
    window.commands.clear()
    wait_until(lambda: not any(map(any, panel.rod_view.lights)))
    press(panel.rod, "Stop")
    wait_until(lambda: "Not connected" in panel.rod.state.text())


@pytest.mark.slow
def test_the_rod_shows_the_selected_shots_verdict(window: Window, wait_until: Wait, tmp_path: Path) -> None:
    battle = started_battle(window, tmp_path / "b")
    window.store.use_tool("select")
    click(window, POSTS["green-1"])
    battle.action_list.choose(0)
    window.pull()
    sign = window.devices.rod.sign
    assert isinstance(sign, Measured)
    assert sign.lamp is Lamp.RED  # no shots during the setup
    for _ in range(2):
        next_phase(window)
    click(window, POSTS["green-1"])
    battle.action_list.choose(0)
    window.pull()
    sign = window.devices.rod.sign
    assert isinstance(sign, Measured)
    assert sign.lamp is Lamp.GREEN
    measured_in = battle.chosen.action.given["distance_in"] if battle.chosen else 0
    assert sign.range_in == pytest.approx(measured_in)


@pytest.mark.slow
def test_the_test_button_lights_the_rod_and_an_unplugged_rod_is_shown(
    window: Window, panel: DevicesPanel, wait_until: Wait
) -> None:
    press(panel.rod, "Try one")
    wait_until(lambda: "Connected" in panel.rod.state.text())
    press(panel.rod, "Test")
    bands = plain_colours(RodShape(), EmptyRod(), 0)
    wait_until(lambda: all(abs(a - b) < 24 for a, b in zip(panel.rod_view.lights[12], bands[12], strict=True)))
    press(panel.rod, "Unplug")
    wait_until(lambda: "unplugged" in panel.rod.state.text())
    press(panel.rod, "Plug in")
    wait_until(lambda: "Connected" in panel.rod.state.text())


@pytest.mark.slow
def test_a_rod_reconnects_at_the_next_start_and_is_dark_at_the_end(
    nothing_left: None, found: None, open_window: Open, wait_until: Wait, tmp_path: Path
) -> None:
    wire = Wire(tmp_path / "rod")
    strip = EmulatedRod(wire, time.monotonic)
    first = open_window()
    first.devices.panel.rod.connected.emit(str(wire.path))
    wait_until(lambda: (strip.step(), strip.frames)[1])
    first.close()
    wait_until(lambda: (strip.step(), not wire.connected)[1])
    assert not any(map(any, strip.leds))
    second = open_window()
    frames = strip.frames
    wait_until(lambda: second.store.view and len(second.store.view.figures) == len(POSTS))
    measure(second)
    wait_until(lambda: (strip.step(), strip.frames > frames and any(map(any, strip.leds)))[1])
    box = second.devices.panel.rod
    box.forgotten.emit()
    second.close()
    third = open_window()
    wait_until(lambda: third.store.frame)
    assert third.devices.rod.connection.spec is None
    wire.unplug()


def test_the_chosen_port_is_connected_and_its_error_shown(
    window: Window, panel: DevicesPanel, wait_until: Wait
) -> None:
    panel.dice.connected.emit("/dev/sandtable-nowhere")
    wait_until(lambda: "/dev/sandtable-nowhere is not plugged in: plug it in" in panel.dice.state.text())
    ports = panel.dice.findChild(QComboBox)
    wait_until(lambda: ports.findData("/dev/sandtable-nowhere") >= 0)
    panel.rod.connected.emit("/dev/sandtable-nowhere")
    assert window.bar.text.startswith("That port is used by the dice.")
    assert "Not connected" in panel.rod.state.text()
    press(panel.dice, "Forget")
    wait_until(lambda: "Not connected" in panel.dice.state.text())


def test_a_connected_port_cannot_be_connected_again(owned: Owned[DeviceBox]) -> None:
    box = owned(DeviceBox("Range rod", "", "Try one", "", ""))
    box.show_choices([PortChoice("one", "First port"), PortChoice("two", "Second port")], "one")
    [connect] = [one for one in box.findChildren(QPushButton) if one.text() == "Connect"]
    for level, emulated, may_connect in (
        (StatusLevel.OFF, False, True),
        (StatusLevel.UP, False, False),
        (StatusLevel.TROUBLE, False, True),
        (StatusLevel.UP, True, True),  # the emulated device is not at this port
    ):
        box.show_status(DeviceStatus(level, "words"), plugged=True if emulated else None)
        assert connect.isEnabled() == may_connect, (level, emulated)
    box.show_status(DeviceStatus(StatusLevel.UP, "words"), plugged=None)
    [ports] = box.findChildren(QComboBox)
    ports.setCurrentIndex(1)
    assert connect.isEnabled()


def test_the_connect_button_takes_the_port_in_the_list(window: Window, panel: DevicesPanel, tmp_path: Path) -> None:
    ports = panel.dice.findChild(QComboBox)
    ports.setCurrentIndex(ports.findData("bluetooth:pixels"))
    press(panel.dice, "Connect")
    assert window.devices.dice.connection.spec == "bluetooth:pixels"
    assert settings_in(tmp_path).port("dice") == "bluetooth:pixels"


@pytest.mark.slow
def test_the_strips_settings_are_applied_and_remembered(
    window: Window, panel: DevicesPanel, open_window: Open, wait_until: Wait
) -> None:
    press(panel.rod, "Try one")
    fold = next(one for one in panel.findChildren(QCheckBox) if one.text() == "Strip settings")
    QTest.mouseClick(fold, LEFT, pos=QPoint(8, fold.height() // 2))
    length = next(one for one in panel.findChildren(NumberBox) if one.value() == 36)
    length.setValue(24)
    length.editingFinished.emit()
    assert window.devices.rod.shape.length_in == 24
    wait_until(lambda: len(panel.rod_view.lights) == 36)  # 24 in with 1.524 an inch
    assert open_window().devices.rod.shape == window.devices.rod.shape


def test_unrequested_dice_are_shown_and_answer_the_next_request(
    window: Window, panel: DevicesPanel, wait_until: Wait
) -> None:
    press(panel.dice, "Try some")
    wait_until(lambda: greeted(window))
    press(panel.dice, "Roll 2d6")
    wait_until(lambda: "Kept for the next roll: d1 shows" in panel.rolls.text())
    card = asked(window, TWO)
    wait_until(lambda: card.roll is not None)
    assert f"d1 shows {card.roll.faces[0]}" in panel.rolls.text()
    assert f"d2 shows {card.roll.faces[1]}" in panel.rolls.text()
    ended(window)


def greeted(window: Window) -> bool:
    """Whether the dice have sent their first message."""
    device = window.devices.dice.connection.device
    return device is not None and device.status.received > 0


def asked(window: Window, request: DiceRequest) -> DiceCard:
    """The card of a request."""
    card = DiceCard(request, random.Random(1), window)
    card.resize(320, 600)
    card.show()
    window.battle.rolling.card = card
    window.pull()
    QApplication.processEvents()
    return card


def ended(window: Window) -> None:
    card, window.battle.rolling.card = window.battle.rolling.card, None
    window.pull()
    if card is not None:
        card.deleteLater()


def strip_of(card: DiceCard) -> DiceStrip:
    [strip] = card.findChildren(DiceStrip)
    return strip


@pytest.fixture
def cup(window: Window, wait_until: Wait, tmp_path: Path) -> Iterator[EmulatedDice]:
    """Emulated dice on a port, which the window takes for real ones."""
    wire = Wire(tmp_path / "dice")
    dice = EmulatedDice(wire, time.monotonic, random.Random(1))
    window.devices.panel.dice.connected.emit(str(wire.path))
    wait_until(
        lambda: (dice.step(), "Connected" in window.devices.dice.connection.standing.words and greeted(window))[1]
    )
    yield dice
    wire.unplug()


@pytest.mark.slow
def test_rolled_dice_answer_the_open_request_and_light_the_rod(
    window: Window, cup: EmulatedDice, wait_until: Wait
) -> None:
    card = asked(window, TWO)
    assert window.devices.rod.sign == DiceWait()
    assert "Roll the dice" in strip_of(card).words.text()
    cup.roll([5, 2])
    wait_until(lambda: card.roll == Roll((5, 2)))
    cup.roll([1, 1])  # a roll is final
    wait_until(lambda: window.devices.dice.heard == 4)
    window.pull()
    assert card.roll == Roll((5, 2))
    ended(window)


@pytest.mark.slow
def test_a_leaning_die_needs_confirmation_and_flashes_the_rod(
    window: Window, cup: EmulatedDice, wait_until: Wait
) -> None:
    card = asked(window, TWO)
    cup.roll([5, 2], cocked=True)
    wait_until(lambda: "it leans: does it count?" in strip_of(card).words.text())
    assert window.devices.rod.sign == Alarm()
    press(strip_of(card), "Yes, it counts")
    wait_until(lambda: "d2 shows 2" in strip_of(card).words.text())
    press(strip_of(card), "No")
    cup.roll([3, 6])  # both: d1 reports twice
    wait_until(lambda: "does the later roll count instead?" in strip_of(card).words.text())
    press(strip_of(card), "No")
    wait_until(lambda: card.roll == Roll((5, 6)))
    ended(window)


def test_typing_beside_the_dice_still_works(window: Window, cup: EmulatedDice) -> None:
    card = asked(window, TWO)
    faces = card.findChild(QLineEdit)
    assert faces is not None
    QTest.keyClicks(faces, "43")
    QTest.keyClick(faces, Qt.Key.Key_Return)
    assert card.roll == Roll((4, 3))
    ended(window)


@pytest.mark.slow
def test_a_battles_dice_are_rolled_on_the_table(
    window: Window, cup: EmulatedDice, wait_until: Wait, tmp_path: Path
) -> None:
    """Army Men: a rifle needs two dice, and the first die on the table ends the time to cancel."""
    panel = started_battle(window, tmp_path / "b", "army_men", "rifleman")
    while "Small arms" not in window.battle.turn_bar.shown.heading:
        next_phase(window)
    window.battle.choose("green-1")
    assert panel.action_list.choose_target("blue-1") or panel.action_list.choose_target("blue-2")
    QTest.mouseClick(button(panel, "Own dice"), LEFT)
    card = window.battle.rolling.card
    assert card.may_cancel
    window.pull()
    cup.roll([6])
    wait_until(lambda: not card.may_cancel)
    window.commands.cancel()
    assert window.battle.rolling.card is card
    field = card.findChild(QLineEdit)
    assert field is not None
    QTest.keyClicks(field, "66")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.battle.rolling.card is None
    assert panel.result.text() == "Miss"
    wait_until(lambda: window.devices.dice.tray.request is None)


def test_the_faces_are_written_beside_the_dice() -> None:
    square = ((120.0, 60.0), (140.0, 60.0), (140.0, 80.0), (120.0, 80.0))
    dice = (DieSeen(6, DieKind.D6, square, 0.4), DieSeen(-1, DieKind.FUDGE, square, 0.99))
    seen = Seen(TrayReading(dice, 0.0), np.full((60, 80, 3), 60, np.uint8), (100, 50), 0.0)
    labels = [shape for shape in dice_shapes(seen) if isinstance(shape, Label)]
    assert [label.rows[0][0] for label in labels] == ["6?", "-"]
    # In the tray's part of the picture, which begins at (100, 50); a label keeps clear of the outline of its die.
    assert {label.around for label in labels} == {((20.0, 10.0), (40.0, 10.0), (40.0, 30.0), (20.0, 30.0))}


def test_doubtful_dice_are_shown_enlarged(qt: QApplication) -> None:
    clear = DieSeen(4, DieKind.D6, ((20.0, 20.0), (40.0, 20.0), (40.0, 40.0), (20.0, 40.0)), 0.99)
    unsure = DieSeen(6, DieKind.D6, ((120.0, 60.0), (140.0, 60.0), (140.0, 80.0), (120.0, 80.0)), 0.4)
    tray = np.full((120, 160, 3), 60, np.uint8)
    seen = Seen(TrayReading((clear, unsure), 0.0), tray, (0, 0), 0.0)
    (alone,) = doubtful_close_ups(seen)
    assert alone.image_bgr.shape == (40, 40, 3)  # the die and half a side around it
    view = TrayView()
    view.resize(400, 130)
    view.show_tray(close_up(seen))
    assert view.enlarged == 1
    assert not view.grab().isNull()
    view.show_tray(close_up(Seen(TrayReading((clear,), 0.0), tray, (0, 0), 0.0)))
    assert view.enlarged == 0
    view.deleteLater()


def test_the_tray_is_marked_in_the_tables_picture_and_stored(
    window: Window, panel: DevicesPanel, wait_until: Wait, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[TrayPicture | None] = []
    show = TrayView.show_tray
    monkeypatch.setattr(TrayView, "show_tray", lambda view, tray: (shown.append(tray), show(view, tray))[1])

    def draw() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, TrayDialog)
        picker = dialog.picture
        picker.resize(960, 540)
        QTest.mousePress(picker, LEFT, pos=QPoint(96, 54))
        QTest.mouseRelease(picker, LEFT, pos=QPoint(97, 55))
        assert "This box is too small" in dialog.words.text()
        QTest.mousePress(picker, LEFT, pos=QPoint(480, 270))
        QTest.mouseRelease(picker, LEFT, pos=QPoint(96, 54))
        dialog.accept()

    QTimer.singleShot(200, draw)
    panel.tray.connected.emit(TABLE)
    settings = settings_in(tmp_path)
    assert settings.tray_region(TABLE) == Region(0.1, 0.1, 0.5, 0.5)
    assert settings.port("tray") == TABLE
    wait_until(lambda: "Connected: the table's camera" in panel.tray.state.text())
    wait_until(lambda: shown and shown[-1] is not None and shown[-1].image_bgr.shape[1] == 384)  # 0.4 of 960 pixels
    session = window.store.session
    assert session.state.setup.aside_px == ((96, 54, 480, 270),), "soldiers are not searched for in it"
    steps = session.can_undo
    panel.tray.forgotten.emit()
    wait_until(lambda: session.state.setup.aside_px == ())
    assert session.can_undo == steps


def test_an_unmarked_tray_is_not_connected(window: Window, panel: DevicesPanel, tmp_path: Path) -> None:
    QTimer.singleShot(200, lambda: QApplication.activeModalWidget().reject())  # type: ignore[union-attr]
    panel.tray.connected.emit(TABLE)
    assert window.devices.tray.connection.spec is None
    assert settings_in(tmp_path).port("tray") is None


def test_the_window_closes_with_everything_connected_and_leaves_nothing(
    nothing_left: None, found: None, open_window: Open, wait_until: Wait, tmp_path: Path
) -> None:
    files = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    window = open_window()
    settings_in(tmp_path).keep_tray_region(TABLE, Region(0.1, 0.1, 0.5, 0.5))
    window.sides.setCurrentWidget(window.devices.panel)
    panel = window.devices.panel
    panel.rod.emulated.emit()
    panel.dice.emulated.emit()
    panel.tray.connected.emit(TABLE)
    wait_until(lambda: all("Connected" in box.state.text() for box in (panel.rod, panel.dice, panel.tray)))
    window.close()
    if sys.platform == "linux":
        assert len(os.listdir("/proc/self/fd")) <= files
