"""Answers the open dice request from electronic dice and the dice camera."""

from __future__ import annotations

from ui.desktop.battle.dice_dialog import DiceDialog
from ui.desktop.battle.dice_strip import DiceStrip
from ui.desktop.devices.tray_view import TrayView, close_up
from ui.devices.dice_source import DiceSource, ElectronicDiceSource
from ui.devices.rod_and_dice import ElectronicDiceController
from ui.devices.tray import TrayDice
from ui.devices.tray_asking import TrayDiceSource
from ui.devices.tray_camera import Seen
from ui.translation import tr


class DiceAnswers:
    """Passes the open request to every connected device, and their answers to the dialog."""

    def __init__(self, dice: ElectronicDiceController, tray: TrayDice) -> None:
        self._dice, self._tray = dice, tray
        self._dialog: DiceDialog | None = None
        self._asked: list[tuple[DiceSource, DiceStrip]] = []
        self._picture: tuple[TrayDiceSource, TrayView] | None = None
        self._shown: Seen | None = None

    @property
    def open(self) -> bool:
        """Whether a dice request is open."""
        return self._dialog is not None

    @property
    def doubtful(self) -> bool:
        """Whether the players must decide something."""
        return any(asking.doubt for asking, _ in self._asked)

    def pull(self, dialog: DiceDialog | None) -> None:
        """Update the open request; `dialog` is None if there is none."""
        if dialog is not self._dialog:
            self._set_dialog(dialog)
        for asking, strip in self._asked:
            if asking.pull() and asking.roll is not None and dialog is not None:
                dialog.take(asking.roll.faces, anew=True)
            strip.refresh()
        if self._picture is not None:
            seen, view = self._picture[0].seen, self._picture[1]
            if seen is not self._shown:
                self._shown = seen
                view.show_tray(None if seen is None else close_up(seen))
            view.setVisible(seen is not None)

    def _set_dialog(self, dialog: DiceDialog | None) -> None:
        for asking, _ in self._asked:
            asking.end()
        self._dialog, self._asked, self._picture, self._shown = dialog, [], None, None
        if dialog is None:
            return
        request = dialog.request
        if self._dice.berth.spec is not None:
            electronic = ElectronicDiceSource(request, self._dice.tray)
            throw = None if self._dice.berth.wire is None else lambda: self._dice.throw(request.die, request.count)
            self._add(dialog, electronic, DiceStrip(tr("Electronic dice"), electronic, tr("Roll again"), throw))
        if self._tray.berth.spec is not None:
            by_camera = TrayDiceSource(request, self._tray)
            self._add(dialog, by_camera, DiceStrip(tr("Camera"), by_camera, tr("Read again")))
            self._picture = by_camera, TrayView()
            dialog.add(self._picture[1])

    def _add(self, dialog: DiceDialog, asking: DiceSource, strip: DiceStrip) -> None:
        self._asked.append((asking, strip))
        dialog.add(strip)
