"""The dialog that sets up a battle: the game, its house rules, and the unit of each figure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from PyQt6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QFormLayout,
    QFrame,
    QHBoxLayout,
    QInputDialog,
    QPushButton,
    QScrollArea,
    QTabWidget,
    QVBoxLayout,
    QWidget,
)

from rules.battle.referees import referee_of
from rules.engine.game import Game
from rules.engine.objectives import Objective
from rules.engine.roster import Army
from rules.engine.verdict import Verdict
from rules.games import game_names, open_game
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure
from ui.battle.action_text import verdict_rows
from ui.battle.battle_setup import (
    ArmyLists,
    BattleSetup,
    about_game,
    answer_words,
    checked,
    fitted,
    option_title,
    title_of,
    usual_armies,
    usual_sides,
)
from ui.battle.own_card import has_own_cards
from ui.desktop.battle.card_dialog import CardDialog
from ui.desktop.battle.goals_dialog import GoalsForm
from ui.desktop.battle.soldier_table import SoldierPicker, SoldierTable
from ui.desktop.saving import ask_file
from ui.desktop.theme import make_primary
from ui.desktop.widgets import (
    button_with_tip,
    in_column,
    in_row,
    literal_text,
    name_tabs,
    plain_label,
    without_keys,
    wrapping_label,
)
from ui.formatting import capitalized, in_order
from ui.rules_text import display_name, outcome_words
from ui.translation import tr
from vision.frame import ImageBgr

_SIZE = (560, 620)


class BattleSetupDialog(QDialog):
    """Sets up a battle with the figures seen, beside the table, where they light up."""

    def __init__(
        self,
        armies: Sequence[str],
        figures: Sequence[Figure],
        store: ArmyLists,
        parent: QWidget | None = None,
        start: Callable[[BattleSetup], object] = lambda _: None,
        crops: Mapping[str, ImageBgr] = MappingProxyType({}),
        places: Sequence[str] = (),
    ) -> None:
        """Ask about these armies' figures, of which `crops` has small pictures; `places` on the table can be goals.

        `start` starts the battle; if it raises `UserError`, the dialog stays and shows why.
        """
        super().__init__(parent)
        self._army_lists, self._start = store, start
        self._lists: dict[str, QComboBox] = {side: QComboBox() for side in armies}
        self.setWindowTitle(tr("New battle"))
        self.resize(*_SIZE)
        self._sides = tuple(armies)
        self._figures = in_order([figure for figure in figures if figure.army in armies])
        self._plays = {side: QCheckBox(self._side_words(side)) for side in armies}
        self._house_rules: Path | None = None
        self._choices: dict[str, QComboBox] = {}
        self._game, self._credit, self._words = QComboBox(), wrapping_label(), wrapping_label()
        self._about, self._advice = wrapping_label(), wrapping_label()
        self._house, self._options = plain_label(tr("none")), QScrollArea()
        self._begin = QPushButton(tr("Start battle"))
        make_primary(self._begin)
        self.soldiers = SoldierTable(self._figures)
        self.soldiers.own_wanted.connect(self._ask_card)
        self.picker = SoldierPicker(self.soldiers)
        self.goals = GoalsForm(self._sides, places)
        self._lay_out()
        self.soldiers.fill(crops)
        self._take_game()
        self._game.setFocus()

    @property
    def sides(self) -> tuple[str, ...]:
        """The armies that take part."""
        return tuple(side for side, box in self._plays.items() if box.isChecked())

    @property
    def battle_setup(self) -> BattleSetup:
        name = self._game.currentData()
        chosen = {key: box.currentData() for key, box in self._choices.items()}
        defaults = {key: option.default for key, option in self._opened.options.items()}
        options = {key: value for key, value in chosen.items() if value != defaults[key]}
        armies = {side: Army(name=side, game=name, recruits=self.soldiers.recruits(side)) for side in self.sides}
        return BattleSetup(name, armies, options, self._house_rules, self.goals.aims)

    def accept(self) -> None:
        """Start the battle; if that is refused, keep the dialog with all input, and say why."""
        try:
            self._start(self.battle_setup)
        except UserError as refusal:
            self._words.setText(capitalized(str(refusal)))
        else:
            super().accept()

    def choose_game(self, name: str) -> None:
        self._game.setCurrentIndex(self._game.findData(name))

    def take_list(self, side: str, name: str) -> None:
        """Apply a saved army list to a side's figures.

        Raises:
            UserError: if there is no such list or it is for another game.
        """
        army = self._army_lists.take(name)
        if army.game != self._opened.name:
            raise user_error(
                "The list {name!r} is for {game}. Choose that game first.", name=name, game=title_of(army.game)
            )
        figures = [figure for figure in self._figures if figure.army == side]
        found, left_over = fitted(army, figures)
        recruits = {one.figure: one for one in found}
        for figure in figures:
            self.soldiers.enlist(figure.id, recruits.get(figure.id))
        self._words.setText(
            tr("{left_over} units of the list {name!r} have no soldier on the table.", left_over=left_over, name=name)
            if left_over
            else ""
        )

    def keep_list(self, side: str, name: str) -> None:
        """Save a side's units as an army list. Raises `UserError` like `ArmyLists.keep`."""
        self._army_lists.keep(Army(name=name, game=self._opened.name, recruits=self.soldiers.recruits(side)))
        self._fill_lists()
        self._lists[side].setCurrentIndex(self._lists[side].findData(name))

    def _side_words(self, side: str) -> str:
        count = sum(figure.army == side for figure in self._figures)
        return without_keys(f"{display_name(side)} ({count})")

    def _take_game(self) -> None:
        try:
            self._opened: Game[Any] = open_game(self._game.currentData(), self._house_rules)
        except UserError as refusal:
            self._words.setText(str(refusal))
            self._house_rules = None
            self._house.setText(tr("none"))
            self._opened = open_game(self._game.currentData())
        self._credit.setText(self._opened.credit)
        self._about.setText(about_game(self._opened.name))
        sides = usual_sides(self._opened, self._sides, self._figures)
        for side, box in self._plays.items():
            box.setChecked(side in sides)
        self._fill_lists()
        self._fill_soldiers(sides)
        self._choices = {}
        self._options.setWidget(QWidget())
        self._fill_options()
        self._take_sides()

    def _fill_soldiers(self, sides: Sequence[str]) -> None:
        others = [side for side in self._sides if side not in sides]
        armies = usual_armies(self._opened, (*sides, *others), self._figures)
        recruits = [one for army in armies.values() for one in army.recruits]
        self.soldiers.offer(self._opened.rules.plain["cards"], recruits, own_cards=has_own_cards(self._opened))
        has_squads = referee_of(self._opened.name).squads
        self.soldiers.show_squads(has_squads)
        self._advice.setText(
            tr(
                "To give several soldiers the same unit or squad, drag the mouse around them on the table; then choose "
                "it here."
            )
            if has_squads
            else tr("To give several soldiers the same unit, drag the mouse around them on the table; then choose it.")
        )

    def _take_sides(self, aims: Sequence[Objective] = ()) -> None:
        """Leave the soldiers and goals of the other armies out; `aims` are the goals chosen so far."""
        self.soldiers.show_sides(self.sides)
        sizes = {side: sum(figure.army == side for figure in self._figures) for side in self.sides}
        self.goals.offer(referee_of(self._opened.name).tasks(self._opened.rules), sizes, aims)

    def _fill_lists(self) -> None:
        known = [army for army in self._army_lists.listed() if army.game == self._opened.name]
        for box in self._lists.values():
            box.clear()
            box.addItem(tr("Choose a saved list…"), "")
            for army in known:
                box.addItem(army.name, army.name)
            box.setVisible(bool(known))

    def _ask_card(self, figure: str) -> None:
        """Ask for a card of the players' own; it begins as the card that the figure has now."""
        now = self.soldiers.card(figure)
        card = now if isinstance(now, Mapping) else self._opened.rules.plain["cards"].get(now)
        dialog = CardDialog(self._opened, card, self)
        dialog.accepted.connect(lambda: self.soldiers.choose_own(figure, dialog.card))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

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
        tip = tr("Save these units as a list for another day")
        box, keep = self._lists[side], button_with_tip(tr("Save list…"), tip, lambda: self._ask_name(side))
        keep.setAutoDefault(False)
        box.setAccessibleName(tr("Saved list of {side}", side=display_name(side)))
        box.setToolTip(tr("Saved army lists for this game; choosing one assigns its units to the soldiers in order"))
        box.activated.connect(lambda _: self._ask_list(side))
        plays = self._plays[side]
        plays.setToolTip(tr("Whether this army takes part; the number of its soldiers is in brackets"))
        plays.toggled.connect(box.setEnabled)
        plays.toggled.connect(keep.setEnabled)
        # The usual numbers of the goals depend on the armies.
        plays.clicked.connect(lambda: self._take_sides([replace(aim, number=None) for aim in self.goals.aims]))
        return in_row((plays, 1), (box, 1), keep)

    def _fill_options(self) -> None:
        """Offer the game's options once their tab is shown: forty boxes take a tenth of a second."""
        if self._choices or not self._options.isVisibleTo(self):
            return
        inner = QWidget()
        layout = QVBoxLayout(inner)  # beside its box, a long title would be cut off
        for name, option in self._opened.options.items():
            box = QComboBox()
            for value in option.values:
                words = answer_words(value)
                box.addItem(tr("{answer} (default)", answer=words) if value == option.default else words, value)
            box.setCurrentIndex(option.values.index(option.default))
            box.setAccessibleName(option_title(option))
            box.setToolTip(literal_text(tr("{rule}: the rulebook leaves this choice to you", rule=option.rule)))
            layout.addWidget(wrapping_label(option_title(option)))
            layout.addWidget(box)
            self._choices[name] = box
        self._options.setWidget(inner)

    def _check(self) -> None:
        try:
            found = checked(self.battle_setup)
        except UserError as refusal:
            self._words.setText(str(refusal))
            return
        rows = [
            f"{display_name(side)}: {outcome_words(one.outcome)}{_excess_words(one)}. {' '.join(verdict_rows(one))}"
            for side, one in found.items()
        ]
        self._words.setText("\n".join(rows) or tr("This game does not limit armies."))

    def _choose_house_rules(self) -> None:
        if path := ask_file(self, tr("House rules"), tr("House rules (*.toml);;All files (*)")):
            self._house_rules = path
            self._house.setText(path.name)
            self._take_game()

    def _lay_out(self) -> None:
        for name in game_names():
            self._game.addItem(title_of(name), name)
        self._game.setAccessibleName(tr("Game"))
        self._game.currentIndexChanged.connect(lambda _: self._take_game())
        form = QFormLayout()
        form.addRow(tr("Game:"), self._game)
        form.addRow(self._about)
        tabs = QTabWidget()
        tabs.addTab(self._armies_page(), tr("Armies"))
        tabs.addTab(_scrolled(self.goals), tr("Goals"))
        tabs.addTab(self._options_page(), tr("Options"))
        tabs.currentChanged.connect(lambda _: self._fill_options())
        name_tabs(tabs, tr("New battle"))
        in_column(form, (tabs, 1), self._words, self._buttons(), on=self)
        self._begin.setDefault(True)

    def _armies_page(self) -> QWidget:
        rows, page = [self._list_row(side) for side in self._sides], QWidget()
        in_column(*rows, self._advice, (self.soldiers, 1), on=page)
        return page

    def _options_page(self) -> QWidget:
        tip = tr("Choose a file that changes some rules of the game")
        house = button_with_tip(tr("Choose…"), tip, self._choose_house_rules)
        house.setAutoDefault(False)
        row = in_row(plain_label(tr("House rules:")), (self._house, 1), house)
        self._options.setWidgetResizable(True)
        page = QWidget()
        in_column(row, (self._options, 1), self._credit, on=page)
        return page

    def _buttons(self) -> QDialogButtonBox:
        buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        buttons.addButton(self._begin, QDialogButtonBox.ButtonRole.AcceptRole)
        check = QPushButton(tr("Check armies"))
        check.setAutoDefault(False)  # only one button is the next step
        check.clicked.connect(self._check)
        buttons.addButton(check, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        return buttons


def _scrolled(inner: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setWidgetResizable(True)
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidget(inner)
    return area


def _excess_words(verdict: Verdict) -> str:
    """How many points an army has too many, after the words that say so; else empty."""
    left = verdict.numbers.get("points_left", 0)
    return tr(", {points:g} over the limit", points=-left) if left < 0 else ""
