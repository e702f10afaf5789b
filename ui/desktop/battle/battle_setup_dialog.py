"""The dialog that sets up a battle: the game, its house rules, and the unit of each figure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PyQt6.QtCore import Qt
from PyQt6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFileDialog,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QPushButton,
    QScrollArea,
    QTableWidget,
    QTableWidgetItem,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from rules.battle.referees import referee_of
from rules.engine.game import Game
from rules.engine.roster import Army, Recruit
from rules.engine.text import display_name
from rules.games import game_names, open_game
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure
from ui.battle.action_text import verdict_rows
from ui.battle.armies import ArmyLists
from ui.battle.battle_setup import BattleSetup, checked, fitted, usual_army
from ui.battle.titles import title_of
from ui.desktop.battle.goals_dialog import GoalsForm
from ui.desktop.labels import literal_text, plain_label, wrapping_label
from ui.formatting import in_order
from ui.translation import tr

_FIGURE, _CARD, _SQUAD = range(3)


class BattleSetupDialog(QDialog):
    """Sets up a battle with the figures seen.

    Attributes:
        goals: The goals of the sides.
    """

    def __init__(
        self, armies: Sequence[str], figures: Sequence[Figure], store: ArmyLists, parent: QWidget | None = None
    ) -> None:
        """Ask about these armies' figures; army lists are loaded from and saved in `store`."""
        super().__init__(parent)
        self._shelf = store
        self._lists: dict[str, QComboBox] = {side: QComboBox() for side in armies}
        self.setWindowTitle(tr("New battle"))
        self.resize(640, 560)
        self._sides = tuple(armies)
        self._figures = in_order([figure for figure in figures if figure.army in armies])
        self._house_rules: Path | None = None
        self._choices: dict[str, QComboBox] = {}
        self._game, self._credit, self._house, self._words = (
            QComboBox(),
            wrapping_label(),
            plain_label(tr("none")),
            wrapping_label(),
        )
        self._table, self._options = QTableWidget(len(self._figures), 3), QScrollArea()
        self.goals = GoalsForm(self._sides)
        self._lay_out()
        self._take_game()

    @property
    def battle_setup(self) -> BattleSetup:
        """The chosen setup."""
        name = self._game.currentData()
        chosen = {key: box.currentData() for key, box in self._choices.items()}
        defaults = {key: option.default for key, option in self._opened.options.items()}
        options = {key: value for key, value in chosen.items() if value != defaults[key]}
        armies = {side: Army(name=side, game=name, recruits=self._recruits(side)) for side in self._sides}
        return BattleSetup(name, armies, options, self._house_rules, self.goals.aims)

    def say(self, words: str) -> None:
        """Show a message above the buttons, such as why the battle cannot begin."""
        self._words.setText(words)

    def choose_game(self, name: str) -> None:
        """Choose the game."""
        self._game.setCurrentIndex(self._game.findData(name))

    def choose_card(self, figure: str, card: str, squad: str = "") -> None:
        """Choose a figure's card and squad."""
        row = [one.id for one in self._figures].index(figure)
        box = self._box(row)
        box.setCurrentIndex(box.findData(card))
        self._table.setItem(row, _SQUAD, QTableWidgetItem(squad))

    def take_list(self, side: str, name: str) -> None:
        """Apply a saved army list to a side's figures.

        Raises:
            UserError: if there is no such list or it is for another game.
        """
        army = self._shelf.take(name)
        if army.game != self._opened.name:
            raise UserError(
                tr("The list {name!r} is for {game}. Choose that game first.", name=name, game=title_of(army.game))
            )
        recruits, left_over = fitted(army, [figure for figure in self._figures if figure.army == side])
        for row, figure in enumerate(self._figures):
            if figure.army == side:
                self._enlist(row, next((one for one in recruits if one.figure == figure.id), None))
        self._words.setText(
            tr("{left_over} units of the list {name!r} have no soldier on the table.", left_over=left_over, name=name)
            if left_over
            else ""
        )

    def keep_list(self, side: str, name: str) -> None:
        """Save a side's units as an army list.

        Raises:
            UserError: see `ArmyLists.keep`.
        """
        self._shelf.keep(Army(name=name, game=self._opened.name, recruits=self._recruits(side)))
        self._fill_lists()
        self._lists[side].setCurrentIndex(self._lists[side].findData(name))

    def _enlist(self, row: int, recruit: Recruit | None) -> None:
        box, card = self._box(row), "" if recruit is None else recruit.card
        if recruit is not None and recruit.own is not None:
            box.addItem(str(recruit.own.get("title", tr("own card"))), dict(recruit.own))
            box.setCurrentIndex(box.count() - 1)
        else:
            box.setCurrentIndex(box.findData(card))
        self._table.setItem(row, _SQUAD, QTableWidgetItem("" if recruit is None else recruit.squad))

    def _recruits(self, side: str) -> tuple[Recruit, ...]:
        rows = [(row, figure) for row, figure in enumerate(self._figures) if figure.army == side]
        found = ((figure.id, self._box(row).currentData(), self._squad(row)) for row, figure in rows)
        return tuple(
            Recruit(figure=name, squad=squad, **({"card": card} if isinstance(card, str) else {"own": card}))
            for name, card, squad in found
            if card
        )

    def _box(self, row: int) -> QComboBox:
        box = self._table.cellWidget(row, _CARD)
        assert isinstance(box, QComboBox)  # filled by _take_game
        return box

    def _squad(self, row: int) -> str:
        item = self._table.item(row, _SQUAD)
        return item.text().strip() if item is not None else ""

    def _take_game(self) -> None:
        try:
            self._opened: Game[Any] = open_game(self._game.currentData(), self._house_rules)
        except UserError as refusal:
            self._words.setText(str(refusal))
            self._house_rules = None
            self._house.setText(tr("none"))
            self._opened = open_game(self._game.currentData())
        self._credit.setText(self._opened.credit)
        self._fill_lists()
        self._fill_table()
        self._fill_options()
        sizes = {side: sum(figure.army == side for figure in self._figures) for side in self._sides}
        self.goals.offer(referee_of(self._opened.name).tasks(self._opened.rules), sizes)

    def _fill_lists(self) -> None:
        known = [one.army for one in self._shelf.listed() if one.army and one.army.game == self._opened.name]
        for box in self._lists.values():
            box.clear()
            box.addItem(tr("Choose a saved list…"), "")
            for army in known:
                box.addItem(f"{army.name} ({len(army.recruits)})", army.name)
            box.setEnabled(bool(known))

    def _ask_list(self, side: str) -> None:
        name = self._lists[side].currentData()
        if name:
            self._try(lambda: self.take_list(side, name))

    def _ask_name(self, side: str) -> None:
        question = literal_text(tr("Name of {side}'s list:", side=side))
        name, sure = QInputDialog.getText(self, tr("Save the army list"), question, text=side)
        if sure:
            self._try(lambda: self.keep_list(side, name))

    def _try(self, change: Callable[[], None]) -> None:
        try:
            change()
        except UserError as refusal:
            self._words.setText(str(refusal))

    def _list_row(self, side: str) -> QHBoxLayout:
        box, keep = self._lists[side], QPushButton(tr("Save list…"))
        box.setToolTip(tr("Saved army lists for this game; choosing one assigns its units to the soldiers in order"))
        box.activated.connect(lambda _: self._ask_list(side))
        keep.setToolTip(tr("Save these units as a list for another day"))
        keep.clicked.connect(lambda: self._ask_name(side))
        row = QHBoxLayout()
        row.addWidget(box, 1)
        row.addWidget(keep)
        return row

    def _fill_table(self) -> None:
        cards = self._opened.rules.plain["cards"]
        usual = {one.figure: one.card for side in self._sides for one in self._usual(side)}
        self._table.clearContents()
        for row, figure in enumerate(self._figures):
            item = QTableWidgetItem(figure.id)
            item.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
            self._table.setItem(row, _FIGURE, item)
            box = QComboBox()
            for name, card in cards.items():
                box.addItem(str(card.get("title") or name.replace("_", " ")), name)
            box.addItem(tr("not in this battle"), "")
            box.setCurrentIndex(box.findData(usual[figure.id]))
            box.setToolTip(
                tr("The unit that this soldier plays; hold Ctrl to choose it for all soldiers of its army below")
            )
            box.activated.connect(lambda _, row=row: self._same_below(row))
            box.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
            self._table.setCellWidget(row, _CARD, box)
            self._table.setItem(row, _SQUAD, QTableWidgetItem(""))
        self._table.resizeColumnsToContents()

    def _usual(self, side: str) -> tuple[Recruit, ...]:
        return usual_army(self._opened, side, self._figures).recruits

    def _same_below(self, row: int) -> None:
        if QApplication.keyboardModifiers() & Qt.KeyboardModifier.ControlModifier:
            for other in range(row + 1, len(self._figures)):
                if self._figures[other].army == self._figures[row].army:
                    self._box(other).setCurrentIndex(self._box(row).currentIndex())

    def _fill_options(self) -> None:
        inner = QWidget()
        form = QFormLayout(inner)
        self._choices = {}
        for name, option in self._opened.options.items():
            box = QComboBox()
            for value in option.values:
                words = (tr("yes") if value else tr("no")) if isinstance(value, bool) else str(value).replace("_", " ")
                box.addItem(tr("{answer} (usual)", answer=words) if value == option.default else words, value)
            box.setCurrentIndex(option.values.index(option.default))
            box.setToolTip(literal_text(tr("{rule}: the rulebook leaves this choice to you", rule=option.rule)))
            form.addRow(wrapping_label(option.title), box)
            self._choices[name] = box
        self._options.setWidget(inner)

    def _check(self) -> None:
        try:
            found = checked(self.battle_setup)
        except UserError as refusal:
            self._words.setText(str(refusal))
            return
        rows = [f"{side}: {one.outcome}. {' '.join(verdict_rows(one))}" for side, one in found.items()]
        self._words.setText("\n".join(rows) or tr("This game does not limit armies."))

    def _choose_house_rules(self) -> None:
        path = QFileDialog.getOpenFileName(self, tr("House rules"), "", tr("House rules (*.toml);;All files (*)"))[0]
        if path:
            self._house_rules = Path(path)
            self._house.setText(Path(path).name)
            self._take_game()

    def _lay_out(self) -> None:
        for name in game_names():
            self._game.addItem(title_of(name), name)
        self._game.currentIndexChanged.connect(lambda _: self._take_game())
        self._table.setHorizontalHeaderLabels([tr("Soldier"), tr("Unit"), tr("Squad")])
        self._options.setWidgetResizable(True)
        header = self._table.horizontalHeader()
        if header is not None:
            header.setStretchLastSection(True)
        house = QPushButton(tr("Choose…"))
        house.setToolTip(tr("Choose a file that changes some rules of the game"))
        house.clicked.connect(self._choose_house_rules)
        row = QHBoxLayout()
        row.addWidget(self._house, 1)
        row.addWidget(house)
        form = QFormLayout()
        form.addRow(tr("Game:"), self._game)
        form.addRow(tr("House rules:"), row)
        for side in self._sides:
            form.addRow(plain_label(f"{display_name(side)}:"), self._list_row(side))
        tabs = QTabWidget()
        tabs.addTab(self._table, tr("Armies"))
        tabs.addTab(_scrolled(self.goals), tr("Goals"))
        tabs.addTab(self._options, tr("Options"))
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        check = buttons.addButton(tr("Check armies"), QDialogButtonBox.ButtonRole.ActionRole)
        if check is not None:
            check.clicked.connect(self._check)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.addLayout(form)
        layout.addWidget(self._credit)
        layout.addWidget(tabs, 1)
        layout.addWidget(self._words)
        layout.addWidget(buttons)


def _scrolled(inner: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(inner)
    return area
