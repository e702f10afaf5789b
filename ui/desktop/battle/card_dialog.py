"""The dialog in which players make a card of their own: stats, a gift, a fault, and what the character carries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtWidgets import (
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QHeaderView,
    QLineEdit,
    QSpinBox,
    QTableWidget,
    QTableWidgetItem,
    QWidget,
)

from rules.engine.game import Game
from rules.tabletop.errors import UserError
from ui.battle.action_text import verdict_rows
from ui.battle.battle_setup import unit_title
from ui.battle.own_card import (
    TRAITS,
    checked_build,
    factor_words,
    has_own_cards,
    name_words,
    own_card,
    stat_range,
    traits_of,
)
from ui.desktop.widgets import NumberBox, button_with_tip, described, in_column, in_row, ok_and_cancel, wrapping_label
from ui.formatting import capitalized
from ui.rules_text import translated
from ui.translation import mark_for_translation, tr

_SIZE = (640, 620)
_NAME, _VALUE = 0, 3
_MOST_HANDS, _MOST_VALUE, _MOST_RANGE_IN = 2, 20, 100.0
_WORDS_LINES = 3
"""Room for what follows from the card, so that the buttons above do not move while it changes."""
_KINDS = {
    "melee": mark_for_translation("melee weapon"),
    "ranged": mark_for_translation("ranged weapon or spell"),
    "shield": mark_for_translation("shield"),
    "worn": mark_for_translation("armour, other"),
}
_VALUES = {"melee": "damage", "ranged": "damage", "shield": "shield", "worn": "armour"}
"""What the number of a thing is, by its kind."""


@dataclass(frozen=True, slots=True)
class _Thing:
    """The fields of a thing, and the data from which they were filled."""

    name: QTableWidgetItem
    kind: QComboBox
    hands: QSpinBox
    value: QSpinBox
    reach: NumberBox
    before: Mapping[str, Any]

    def show_range(self) -> None:
        """Let the player type a range if the thing has one."""
        is_ranged = self.kind.currentData() == "ranged"
        self.reach.setEnabled(is_ranged)
        self.reach.setSpecialValueText(tr("any") if is_ranged else "-")

    @property
    def data(self) -> dict[str, Any]:
        """The thing as data of a card; what no field shows of it is kept while its kind stays."""
        kind = str(self.kind.currentData())
        shown = {"name", "kind", "hands", "range_in", *_VALUES.values()}
        more = {key: one for key, one in self.before.items() if key not in shown and self.before.get("kind") == kind}
        if kind == "ranged" and self.reach.value():
            more["range_in"] = self.reach.value()
        name, hands = self.name.text().strip(), self.hands.value()
        return {"name": name, "kind": kind, "hands": hands, _VALUES[kind]: self.value.value(), **more}


class EquipmentTable(QTableWidget):
    """A row for each thing that a character carries.

    Signals:
        edited: Something in it changed.
    """

    edited = pyqtSignal()

    def __init__(self) -> None:
        super().__init__(0, 5)
        self._things: list[_Thing] = []
        described(self, tr("Equipment"))
        self.setHorizontalHeaderLabels([tr("Item"), tr("Kind"), tr("Hands"), tr("Value"), tr("Range")])
        columns, rows = self.horizontalHeader(), self.verticalHeader()
        if columns is not None and rows is not None:
            columns.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            columns.setSectionResizeMode(_NAME, QHeaderView.ResizeMode.Stretch)
            rows.hide()
        if (value := self.horizontalHeaderItem(_VALUE)) is not None:
            value.setToolTip(tr("The damage of a weapon or a spell, or what armour or a shield adds to the defence"))
        self.setSelectionMode(QTableWidget.SelectionMode.SingleSelection)
        self.setSelectionBehavior(QTableWidget.SelectionBehavior.SelectRows)
        self.itemChanged.connect(lambda _: self.edited.emit())

    @property
    def things(self) -> list[dict[str, Any]]:
        """The equipment, as data of a card."""
        return [thing.data for thing in self._things]

    def show_things(self, things: Iterable[Mapping[str, Any]]) -> None:
        self._things.clear()
        self.setRowCount(0)
        for thing in things:
            self.add(thing)
        self.edited.emit()

    def add(self, data: Mapping[str, Any]) -> None:
        kind, row = str(data.get("kind", "worn")), self.rowCount()
        thing = _Thing(QTableWidgetItem(str(data["name"])), QComboBox(), QSpinBox(), QSpinBox(), NumberBox(), data)
        for one, words in _KINDS.items():
            thing.kind.addItem(tr(words), one)
        thing.kind.setCurrentIndex(thing.kind.findData(kind))
        thing.hands.setRange(0, _MOST_HANDS)
        thing.hands.setValue(int(data.get("hands", 0)))
        thing.value.setRange(-_MOST_VALUE, _MOST_VALUE)
        thing.value.setValue(int(data.get(_VALUES[kind], 0)))
        thing.reach.setRange(0.0, _MOST_RANGE_IN)
        thing.reach.setDecimals(0)
        thing.reach.setSuffix(tr(" in"))
        thing.reach.setValue(float(data.get("range_in") or 0.0))
        thing.show_range()
        thing.kind.currentIndexChanged.connect(lambda _: thing.show_range())
        fields = (thing.kind.currentIndexChanged, thing.hands.valueChanged, thing.value.valueChanged)
        for changed in (*fields, thing.reach.valueChanged):
            changed.connect(lambda _: self.edited.emit())
        self._things.append(thing)
        self.insertRow(row)
        self.setItem(row, _NAME, thing.name)
        for column, field in enumerate((thing.kind, thing.hands, thing.value, thing.reach), _NAME + 1):
            header = self.horizontalHeaderItem(column)
            self.setCellWidget(row, column, described(field, header.text() if header is not None else ""))
        self.setCurrentCell(row, _NAME)

    def remove(self) -> None:
        """Remove the thing of the current row."""
        if (row := self.currentRow()) >= 0:
            del self._things[row]
            self.removeRow(row)
            self.edited.emit()


class CardDialog(QDialog):
    """Asks for a card of the players' own."""

    def __init__(self, game: Game[Any], card: Mapping[str, Any] | None, parent: QWidget | None = None) -> None:
        """Change `card`, a ready one or one of the players' own; None for a new one."""
        assert has_own_cards(game)
        super().__init__(parent)
        self.setWindowTitle(tr("Own card"))
        self.resize(*_SIZE)
        self._game = game
        self._name, self._like, self._words = QLineEdit(), QComboBox(), wrapping_label()
        self._stats = {name: described(QSpinBox(), name_words(name)) for name in game.rules.plain["stats"]}
        titles = {"gifts": tr("Gift"), "faults": tr("Fault")}
        self._traits = {kind: described(QComboBox(), titles[kind]) for kind in TRAITS}
        self.equipment = EquipmentTable()
        self._buttons = ok_and_cancel(self)
        self._fill()
        self._lay_out(titles)
        self._take(card if card is not None else next(iter(game.rules.plain["cards"].values())))
        self._name.setText(str((card or {}).get("title", "")))
        self._judge()

    @property
    def card(self) -> dict[str, Any]:
        """The card. Raises `UserError` if it is not complete."""
        stats = {name: box.value() for name, box in self._stats.items()}
        traits = {kind: [box.currentData()] if box.currentData() else [] for kind, box in self._traits.items()}
        return own_card(self._game, self._name.text(), {**stats, **traits, "equipment": self.equipment.things})

    def _fill(self) -> None:
        cards = self._game.rules.plain["cards"]
        self._like.addItem(tr("Choose a card…"), "")
        for name, card in cards.items():
            self._like.addItem(unit_title(name, card), name)
        self._like.activated.connect(lambda row: self._take(cards[self._like.itemData(row)]) if row else None)
        for name, box in self._stats.items():
            box.setRange(*stat_range(self._game, name))
            box.setSuffix(tr(" in") if name.endswith("_in") else "")
            box.valueChanged.connect(lambda _: self._judge())
        for kind, traits in self._traits.items():
            traits.addItem(tr("none"), "")
            for name in traits_of(self._game, kind):
                text = str(self._game.rules.plain["traits"][name]["text"])
                traits.addItem(f"{name_words(name)}: {translated(text)}", name)
            traits.currentIndexChanged.connect(lambda _: self._judge())
        self._name.textChanged.connect(lambda _: self._judge())
        self.equipment.edited.connect(self._judge)

    def _take(self, card: Mapping[str, Any]) -> None:
        """Show the values of a card; the name stays."""
        for name, box in self._stats.items():
            box.setValue(int(card[name]))
        for kind, traits in self._traits.items():
            traits.setCurrentIndex(max(0, traits.findData(next(iter(card.get(kind, ())), ""))))
        self.equipment.show_things(card.get("equipment", ()))

    def _judge(self) -> None:
        """Show what follows from the card, or what it lacks."""
        done = self._buttons.button(QDialogButtonBox.StandardButton.Ok)
        try:
            card = self.card
            words = "\n".join((factor_words(card), *verdict_rows(checked_build(self._game, card))))
        except UserError as refusal:
            card, words = {}, capitalized(str(refusal))
        self._words.setText(words)
        if done is not None:
            done.setEnabled(bool(card))

    def _lay_out(self, titles: Mapping[str, str]) -> None:
        form = QFormLayout()
        self._name.setMaxLength(40)
        self._name.setPlaceholderText(tr("such as: Merla the Mage"))
        form.addRow(tr("Name:"), described(self._name, tr("Name")))
        form.addRow(tr("Like:"), described(self._like, tr("Like"), tr("Take the values of this card")))
        names = [wrapping_label(name_words(name)) for name in self._stats]
        form.addRow(in_row(*(in_column(one, box) for one, box in zip(names, self._stats.values(), strict=True))))
        for kind, box in self._traits.items():
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            form.addRow(f"{titles[kind]}:", box)
        new = {"name": tr("Spell"), "kind": "ranged", "damage": 3, "range_in": 12}
        add = button_with_tip(tr("Add item"), tr("Add a weapon, armour or a spell"), lambda: self.equipment.add(new))
        remove = button_with_tip(tr("Remove"), tr("Remove the selected item"), self.equipment.remove)
        for button in (add, remove):
            button.setAutoDefault(False)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._words.setMinimumHeight(_WORDS_LINES * self.fontMetrics().lineSpacing())
        advice = wrapping_label(
            tr("A spell is a ranged weapon that needs no hand; without a range it reaches any distance.")
        )
        in_column(form, (self.equipment, 1), in_row(add, remove, None), advice, self._words, self._buttons, on=self)
