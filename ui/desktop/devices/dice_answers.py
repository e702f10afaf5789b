"""Answers the open dice request from electronic dice and the dice camera, each with a part of the dice card."""

from __future__ import annotations

from collections.abc import Callable

from PyQt6.QtWidgets import QWidget

from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.devices.tray_view import TrayView, close_up
from ui.desktop.widgets import button_with_tip, escape_markup, in_column, in_row, markup_label
from ui.devices.dice import ElectronicDiceController, ElectronicDiceSource
from ui.devices.tray import TrayDice, TrayDiceSource
from ui.devices.tray_camera import Seen
from ui.translation import tr

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
        """Show the current progress."""
        doubt = bool(self._asking.doubt)
        self.words.setText(f"<b>{escape_markup(self._name)}</b>: {escape_markup(self._asking.words)}")
        self._yes.setVisible(doubt)
        self._no.setVisible(doubt)
        self._yes.setText(self._asking.yes_words)

    def _settle(self, yes: bool) -> None:
        self._asking.settle(yes)
        self.refresh()
