"""Connects rod and dice with the window: the rod shows the measured range, dice answer the open request."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Sequence
from functools import partial

from PyQt6.QtCore import QObject
from PyQt6.QtWidgets import QWidget

from hardware.emulator import FaultInjector
from hardware.ports import attached
from hardware.range_rod import Alarm, DiceWait, Idle, RodShape, Sign
from rules.engine.dice import Die
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.devices.panel import DeviceBox, DevicesPanel
from ui.desktop.devices.tray_view import TrayDialog, TrayPicture, TrayView, close_up
from ui.desktop.devices.wled_dialog import WledDialog
from ui.desktop.settings import Settings
from ui.desktop.source_controller import SourceController
from ui.desktop.widgets import button_with_tip, escape_markup, in_column, in_row, markup_label
from ui.devices.device_connection import EMULATED, EMULATED_WLED, WLED, Ports, choices
from ui.devices.dice import ElectronicDiceController, ElectronicDiceSource, kept_words, request_of
from ui.devices.rod import Rod, action_sign, ruler_sign, sign_words
from ui.devices.tray import TrayDice, TrayDiceSource, cameras, numbers
from ui.devices.tray_camera import TABLE, WHOLE, Region, Seen, figure_outlines_px
from ui.formatting import Basis
from ui.measuring import Reading
from ui.translation import tr
from vision.source import Source, open_source

_UPDATE_EVERY_S = 0.2
_LIST_EVERY_S = 2.0

Device = Rod | ElectronicDiceController | TrayDice


class DevicesController(QObject):
    """The devices of one window."""

    def __init__(
        self,
        settings: Settings,
        say: Callable[[str], None],
        chance: random.Random,
        opener: Callable[[str], Source] = open_source,
    ) -> None:
        """Connect the devices that were used last; `chance` rolls emulated dice, `opener` opens the tray's camera."""
        self.panel = DevicesPanel(settings.rod_shape)
        super().__init__(self.panel)
        self._settings, self._say = settings, say
        self._cameras: Sequence[int] = ()
        self._ports = Ports(attached)
        self.rod = Rod(settings.rod_shape, lambda: self.dice.connection.port)
        self.dice = ElectronicDiceController(chance, lambda: self.rod.connection.port, ports=lambda: self._ports.found)
        self.tray = TrayDice(settings.tray_region, opener)
        self._answers = DiceAnswers(self.dice, self.tray)
        self._source: SourceController | None = None
        self._ruler: Sign = Idle()
        self._shot: tuple[Position, ActionPreview, Sign | None] | None = None
        self._updated_s = self._listed_s = -_LIST_EVERY_S
        self._devices: tuple[tuple[str, DeviceBox, Device], ...] = (
            ("rod", self.panel.rod, self.rod),
            ("dice", self.panel.dice, self.dice),
            ("tray", self.panel.tray, self.tray),
        )
        for name, box, device in self._devices:
            self._join(box, device, name)
        self.panel.strip.changed.connect(self._reshape)
        self.panel.strip.refused.connect(say)
        self.panel.thrown.connect(self._throw)
        self.panel.draw_tray.clicked.connect(self._draw_tray)
        self._update_panel()

    def _join(self, box: DeviceBox, device: Device, name: str) -> None:
        box.connected.connect(lambda spec: self._connect(device, name, spec))
        box.emulated.connect(lambda: device.connection.connect(EMULATED))
        box.tested.connect(device.test)
        box.forgotten.connect(lambda: self._forget(device, name))
        box.replugged.connect(device.connection.replug)
        self._reconnect(device, name)

    def _reconnect(self, device: Device, name: str) -> None:
        kept = self._settings.port(name)
        if kept is not None:
            device.connection.connect(kept)

    def _connect(self, device: Device, name: str, spec: str) -> None:
        for _, _, other in self._devices:
            if spec and other is not device and spec == other.connection.spec:
                words = tr(
                    "That port is used by the {name}. Choose another port, or forget the {name} first.",
                    name=other.connection.title,
                )
                self._say(words)
                return
        if device is self.tray and spec == TABLE and self._settings.tray_region(TABLE) is None and not self._draw(spec):
            return  # the tray cannot be the whole picture of the table
        chosen = self._ask_wled() if spec == WLED else spec
        if chosen is None:
            return
        device.connection.connect(chosen)
        if chosen != EMULATED_WLED:
            self._settings.keep_port(name, chosen)

    def _ask_wled(self) -> str | None:
        """Ask for a segment of a WLED controller; return its spec, None if the player cancels."""
        kept = self._settings.port("rod") or ""
        host = kept.removeprefix(WLED).partition("/")[0] if kept.startswith(WLED) else ""
        dialog = WledDialog(host, self.panel)
        accepted = dialog.exec() == WledDialog.DialogCode.Accepted
        dialog.deleteLater()
        return dialog.spec if accepted else None

    def _forget(self, device: Device, name: str) -> None:
        emulated = device.connection.spec in (EMULATED, EMULATED_WLED)
        device.connection.leave()
        if emulated:
            self._reconnect(device, name)
        else:
            self._settings.keep_port(name, None)

    def _reshape(self, shape: RodShape) -> None:
        self.rod.reshape(shape)
        self._settings.keep_rod_shape(shape)

    # The tray

    def _draw_tray(self) -> None:
        spec = self.tray.connection.spec or TABLE
        if self._draw(spec) and self.tray.connection.spec is not None:
            self.tray.connection.connect(spec)

    def _draw(self, spec: str) -> bool:
        """Ask where the tray is in a camera's picture; return whether the player drew it."""
        device = self.tray.connection.device
        frame = device.picture if device is not None else None
        if spec == TABLE:
            frame = self._source.frame if self._source is not None else None
        if frame is None:
            self._say(tr("There is no picture of the tray yet. Connect the camera first, or open another source."))
            return False
        dialog = TrayDialog(frame.image_bgr, self._settings.tray_region(spec), self.panel)
        accepted = dialog.exec() == TrayDialog.DialogCode.Accepted
        if accepted:
            self._settings.keep_tray_region(spec, dialog.region)
        dialog.deleteLater()
        return accepted

    @property
    def _tray_region(self) -> Region:
        return self._settings.tray_region(self.tray.connection.spec or TABLE) or WHOLE

    # Ranges and open requests

    def answer(self, reading: Reading | None, basis: Basis) -> None:
        """Show the range of a ruler on the rod, unless it shows a shot."""
        self._ruler = ruler_sign(reading, basis)
        self._light()  # before the window is painted, so that the rod is as fast as the screen

    def _aim(self, shot: tuple[Position, ActionPreview] | None) -> None:
        """Show the range, reach and verdict of a shot on the rod; they are computed once per shot."""
        if shot is None:
            self._shot = None
        elif self._shot is None or self._shot[0] is not shot[0] or self._shot[1] is not shot[1]:
            self._shot = (*shot, action_sign(*shot))

    def _light(self) -> None:
        asked = (self._shot[2] if self._shot is not None else None) or self._ruler
        self.rod.show(Alarm() if self._answers.doubtful else DiceWait() if self._answers.open else asked)

    def pull(
        self,
        card: DiceCard | None,
        source_controller: SourceController,
        shot: tuple[Position, ActionPreview] | None = None,
    ) -> None:
        """Update all devices; called by the window's timer with the open dice request and the selected shot, if any."""
        self._source, view = source_controller, source_controller.view
        camera = view.calibration.camera if view is not None and view.calibration is not None else None
        self.dice.pull()
        frame = source_controller.worker.frame
        figures_px = tuple if view is None or camera is None else partial(figure_outlines_px, view.figures, camera)
        self.tray.pull(frame, camera, figures_px)
        if frame is not None:
            source_controller.session.put_aside(self.tray.on_table_px(frame.size_px))
        self._answers.pull(card)
        self._aim(shot)
        self._light()
        self.rod.pull()
        if self.panel.isVisible():
            self._show()

    def close(self) -> None:
        """Switch the rod off and release all ports and cameras; waits until that is done."""
        for _, _, device in self._devices:
            device.connection.leave()
        for _, _, device in self._devices:
            device.connection.close()
        self._ports.close()

    def _throw(self, what: str) -> None:
        if what in tuple(FaultInjector):
            self.dice.throw(Die.D6, 1, FaultInjector(what))
        else:
            request = request_of(what)
            self.dice.throw(request.die, request.count)

    # Display

    def _show(self) -> None:
        now_s = time.monotonic()
        if now_s - self._listed_s > _LIST_EVERY_S:
            self._listed_s = now_s
            self._ports.refresh()
            self._cameras = numbers()
        self.panel.show_rod(self.rod.shape, self.rod.lights, sign_words(self.rod.sign))
        if now_s - self._updated_s > _UPDATE_EVERY_S:
            self._updated_s = now_s
            self._update_panel()

    def _update_panel(self) -> None:
        found, table = self._ports.found, self._source.spec if self._source is not None else ""
        for (_, box, device), offered in zip(
            self._devices,
            (
                choices(found, self.rod.connection.spec, network=True),
                choices(found, self.dice.connection.spec, radio=True),
                cameras(self._cameras, table, self.tray.connection.spec),
            ),
            strict=True,
        ):
            connection = device.connection
            box.show_choices(offered, connection.spec)
            box.show_status(connection.standing, plugged=connection.wire.plugged if connection.wire else None)
            box.show_counters(device.counters)
        kept = self.dice.tray.kept
        rows = [
            self.dice.test_words,
            tr("Kept for the next roll: {kept}.", kept=kept_words(kept)) if kept else "",
            *self.dice.recent,
        ]
        self.panel.show_dice([row for row in rows if row], emulated=self.dice.connection.wire is not None)
        rows = [self.tray.test_words, self.tray.kept_words, *self.tray.recent]
        self.panel.show_tray(self._tray_picture(), [row for row in rows if row])

    def _tray_picture(self) -> TrayPicture | None:
        device, seen = self.tray.connection.device, self.tray.seen
        frame = device.picture if device is not None else None
        if frame is None:
            return None
        left, top, right, bottom = self._tray_region.box_px(frame.size_px)
        return TrayPicture(frame.image_bgr[top:bottom, left:right], seen if self.tray.resting else None)


DiceSource = ElectronicDiceSource | TrayDiceSource


class DiceAnswers:
    """Passes the open request to every connected device, and their answers to the battle card."""

    def __init__(self, dice: ElectronicDiceController, tray: TrayDice) -> None:
        self._dice, self._tray = dice, tray
        self._card: DiceCard | None = None
        self._asked: list[tuple[DiceSource, DiceStrip]] = []
        self._picture: tuple[TrayDiceSource, TrayView] | None = None
        self._shown: Seen | None = None

    @property
    def open(self) -> bool:
        """Whether a dice request is open."""
        return self._card is not None

    @property
    def doubtful(self) -> bool:
        """Whether the players must decide something."""
        return any(asking.doubt for asking, _ in self._asked)

    def pull(self, card: DiceCard | None) -> None:
        """Update the open request; `card` is None if there is none."""
        if card is not self._card:
            self._set_card(card)
        for asking, strip in self._asked:
            if asking.pull() and asking.roll is not None and card is not None:
                card.take(asking.roll.faces)
            if card is not None and asking.begun:
                card.lock()
            strip.refresh()
        if self._picture is not None:
            seen, view = self._picture[0].seen, self._picture[1]
            if seen is not self._shown:
                self._shown = seen
                view.show_tray(None if seen is None else close_up(seen))
            view.setVisible(seen is not None)

    def _set_card(self, card: DiceCard | None) -> None:
        for asking, _ in self._asked:
            asking.end()
        self._card, self._asked, self._picture, self._shown = card, [], None, None
        if card is None:
            return
        request = card.request
        if self._dice.connection.spec is not None:
            electronic = ElectronicDiceSource(request, self._dice.tray)
            throw = None if self._dice.connection.wire is None else lambda: self._dice.throw(request.die, request.count)
            self._add(card, electronic, DiceStrip(tr("Electronic dice"), electronic, throw))
        if self._tray.connection.spec is not None:
            by_camera = TrayDiceSource(request, self._tray)
            self._add(card, by_camera, DiceStrip(tr("Camera"), by_camera))
            self._picture = by_camera, TrayView()
            card.add(self._picture[1])

    def _add(self, card: DiceCard, asking: DiceSource, strip: DiceStrip) -> None:
        self._asked.append((asking, strip))
        card.add(strip)


class DiceStrip(QWidget):
    """Shows the request's progress, asks about doubtful dice, and rolls emulated dice."""

    def __init__(self, name: str, asking: DiceSource, throw: Callable[[], object] | None = None) -> None:
        """`name` is the device; `throw` rolls emulated dice, None for real ones."""
        super().__init__()
        self._name, self._asking = name, asking
        self.words = markup_label()
        self.words.setAccessibleName(name)
        self._yes = button_with_tip("", "", lambda: self._settle(True))
        self._no = button_with_tip(tr("No"), "", lambda: self._settle(False))
        self._throw = button_with_tip(tr("Throw them"), tr("Throw the emulated dice"), throw)
        self._throw.setVisible(throw is not None)
        in_column(self.words, in_row(self._yes, self._no, self._throw, None), on=self, margin=0)
        self.refresh()

    def refresh(self) -> None:
        doubt = bool(self._asking.doubt)
        self.words.setText(f"<b>{escape_markup(self._name)}</b>: {escape_markup(self._asking.words)}")
        self._yes.setVisible(doubt)
        self._no.setVisible(doubt)
        self._yes.setText(self._asking.yes_words)

    def _settle(self, yes: bool) -> None:
        self._asking.settle(yes)
        self.refresh()
