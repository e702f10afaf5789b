"""Asks for the goal of each side, at the setup of a battle and during it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PyQt6.QtWidgets import QComboBox, QDialog, QGroupBox, QLineEdit, QSpinBox, QWidget

from rules.engine.objectives import Objective, Task
from rules.engine.position import Position
from rules.engine.text import display_name
from ui.battle.battle_session import BattleSession
from ui.battle.battle_setup import agreed_aims, standings, tasks_in, usual_numbers
from ui.desktop.widgets import in_column, in_row, ok_and_cancel, plain_label, wrapping_label
from ui.formatting import capitalized
from ui.translation import tr

_SIZE = (520, 320)
_MAX_NUMBER = 999


class GoalsForm(QWidget):
    """For each side its task, the task's number if it has one, and the players' own words."""

    def __init__(self, sides: Sequence[str], standings: Mapping[str, str] | None = None) -> None:
        """Ask for these sides; `standings` holds how far each has come."""
        super().__init__()
        self._tasks: tuple[Task, ...] = ()
        self._figures: Mapping[str, int] = {}
        self._task = {side: QComboBox() for side in sides}
        self._number = {side: QSpinBox() for side in sides}
        self._counts = {side: plain_label() for side in sides}
        self._own = {side: QLineEdit() for side in sides}
        self._none = wrapping_label(tr("This game leaves the goals to you. Write them in your own words."))
        self._boxes = {side: self._box(side, (standings or {}).get(side, "")) for side in sides}
        in_column(self._none, *self._boxes.values(), None, on=self)

    @property
    def aims(self) -> tuple[Objective, ...]:
        """The chosen goals."""
        return tuple(self._aim(side) for side in self._task)

    def offer(self, tasks: Sequence[Task], figures: Mapping[str, int], aims: Sequence[Objective] = ()) -> None:
        """Offer tasks to these sides, given their numbers of figures; `aims` are the current goals."""
        self._tasks, self._figures = tuple(tasks), dict(figures)
        self._none.setVisible(not tasks)
        now = {aim.side: aim for aim in aims}
        for side, box in self._task.items():
            self._boxes[side].setVisible(side in figures)
            box.clear()
            for task in self._tasks:
                box.addItem(capitalized(task.words), task.name)
            box.setVisible(bool(tasks))
            aim = now.get(side, Objective(side, self._tasks[0].name if tasks else ""))
            box.setCurrentIndex(max(0, box.findData(aim.task)))
            self._own[side].setText(aim.words)
            self._ask_number(side)
            if aim.number:
                self._number[side].setValue(aim.number)

    def choose(self, side: str, task: str, number: int | None = None, words: str = "") -> None:
        """Choose the task of a side."""
        box = self._task[side]
        box.setCurrentIndex(box.findData(task))
        self._ask_number(side)
        if number is not None:
            self._number[side].setValue(number)
        self._own[side].setText(words)

    def _aim(self, side: str) -> Objective:
        task = self._chosen(side)
        number = self._number[side].value() if task is not None and task.number else None
        return Objective(side, task.name if task is not None else "", number, self._own[side].text().strip())

    def _chosen(self, side: str) -> Task | None:
        row = self._task[side].currentIndex()
        return self._tasks[row] if 0 <= row < len(self._tasks) else None

    def _ask_number(self, side: str) -> None:
        task = self._chosen(side)
        counted = task is not None and bool(task.number)
        self._number[side].setVisible(counted)
        self._counts[side].setVisible(counted)
        if task is not None and counted:
            self._counts[side].setText(task.number)
            self._number[side].setValue(usual_numbers(task, self._figures).get(side, task.usual))

    def _box(self, side: str, standing: str) -> QGroupBox:
        box = QGroupBox(f"{display_name(side)}: {standing}" if standing else display_name(side))
        task, number, own = self._task[side], self._number[side], self._own[side]
        task.setAccessibleName(tr("Goal of {side}", side=display_name(side)))
        task.setToolTip(tr("What this side must do to win; you can change it during the battle"))
        task.activated.connect(lambda _, side=side: self._ask_number(side))
        number.setRange(1, _MAX_NUMBER)
        number.setAccessibleName(tr("Number of {side}", side=display_name(side)))
        own.setAccessibleName(tr("Goal of {side} in your own words", side=display_name(side)))
        own.setPlaceholderText(tr("your own words, such as: hold the bridge"))
        in_column(in_row((task, 1), number, self._counts[side]), own, on=box)
        return box


class GoalsDialog(QDialog):
    """Asks for the sides' goals in a battle."""

    def __init__(self, form: GoalsForm, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Goals"))
        self.resize(*_SIZE)
        self.form = form
        words = wrapping_label(tr("Changes go into the history and can be undone."))
        in_column((form, 1), words, ok_and_cancel(self), on=self)


def ask_goals(play: BattleSession, position: Position | None, parent: QWidget | None) -> tuple[Objective, ...] | None:
    """Ask for the goals of a battle's sides; None if they stay unchanged."""
    state = play.battle.state
    form = GoalsForm(state.sides, standings(play, position) if position is not None else None)
    enlisted = {side: sum(unit.side == side for unit in state.units.values()) for side in state.sides}
    form.offer(tasks_in(play.battle), enlisted, agreed_aims(play.battle))
    dialog = GoalsDialog(form, parent)
    agreed = dialog.exec() == GoalsDialog.DialogCode.Accepted
    aims = form.aims
    dialog.deleteLater()
    return aims if agreed else None
