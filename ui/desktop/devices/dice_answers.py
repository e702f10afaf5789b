"""Answers the open dice request from electronic dice and the dice camera."""

from __future__ import annotations

from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.battle.dice_strip import DiceStrip
from ui.desktop.devices.tray_view import TrayView, close_up
from ui.devices.dice_source import DiceSource, ElectronicDiceSource
from ui.devices.rod_and_dice import ElectronicDiceController
from ui.devices.tray import TrayDice
from ui.devices.tray_asking import TrayDiceSource
from ui.devices.tray_camera import Seen
from ui.translation import tr


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
