"""Asks for the goal of each side, at the setup of a battle and during it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PyQt6.QtWidgets import QComboBox, QDialog, QGroupBox, QLineEdit, QSpinBox, QWidget

from rules.engine.objectives import Objective, Task
from rules.engine.position import Position
from ui.battle.battle_session import BattleSession
from ui.battle.battle_setup import agreed_aims, standings, tasks_in, usual_numbers
from ui.desktop.widgets import described, in_column, in_row, ok_and_cancel, plain_label, wrapping_label
from ui.formatting import capitalized
from ui.rules_text import display_name, translated
from ui.translation import tr

_SIZE = (520, 320)
_MAX_NUMBER = 999


class GoalsForm(QWidget):
    """The goal of each side."""

    def __init__(
        self, sides: Sequence[str], places: Sequence[str] = (), standings: Mapping[str, str] | None = None
    ) -> None:
        """Ask for these sides; `places` on the table can be goals; `standings` holds how far each side has come."""
        super().__init__()
        self._none = wrapping_label(tr("This game leaves the goals to you. Write them in your own words."))
        self._sides = {side: _SideGoal(side, places, (standings or {}).get(side, "")) for side in sides}
        in_column(self._none, *self._sides.values(), None, on=self)

    @property
    def aims(self) -> tuple[Objective, ...]:
        return tuple(goal.aim for goal in self._sides.values())

    def offer(self, tasks: Sequence[Task], figures: Mapping[str, int], aims: Sequence[Objective] = ()) -> None:
        """Offer tasks to these sides, given their numbers of figures; `aims` are the current goals."""
        self._none.setVisible(not tasks)
        now = {aim.side: aim for aim in aims}
        for side, goal in self._sides.items():
            goal.setVisible(side in figures)
            goal.offer(tasks, figures, now.get(side, Objective(side, tasks[0].name if tasks else "")))

    def choose(self, side: str, task: str, number: int | None = None, words: str = "") -> None:
        self._sides[side].choose(Objective(side, task, number, words))


class _SideGoal(QGroupBox):
    """A side's task, its number or place if it has one, and the players' own words."""

    def __init__(self, side: str, places: Sequence[str], standing: str) -> None:
        name = display_name(side)
        super().__init__(f"{name}: {standing}" if standing else name)
        self._side, self._tasks, self._figures = side, tuple[Task, ...](), dict[str, int]()
        tip = tr("What this side must do to win; you can change it during the battle")
        self._task = described(QComboBox(), tr("Goal of {side}", side=name), tip)
        self._number = described(QSpinBox(), tr("Number of {side}", side=name))
        self._own = described(QLineEdit(), tr("Goal of {side} in your own words", side=name))
        self._counts = plain_label()
        self._task.activated.connect(lambda _: self._ask_number())
        self._number.setRange(1, _MAX_NUMBER)
        self._own.setPlaceholderText(tr("your own words, such as: hold the bridge"))
        self._place = described(QComboBox(), tr("Place of {side}", side=name), tr("Fills in the name of the place"))
        self._place.addItems([tr("Choose a place…"), *places])
        self._place.textActivated.connect(lambda words: self._own.setText(words if self._place.currentIndex() else ""))
        in_column(in_row((self._task, 1), self._number, self._counts), self._place, self._own, on=self)

    @property
    def aim(self) -> Objective:
        task = self._chosen
        number = self._number.value() if task is not None and task.number else None
        return Objective(self._side, task.name if task is not None else "", number, self._own.text().strip())

    def offer(self, tasks: Sequence[Task], figures: Mapping[str, int], aim: Objective) -> None:
        self._tasks, self._figures = tuple(tasks), dict(figures)
        self._task.clear()
        for task in self._tasks:
            self._task.addItem(capitalized(translated(task.words)), task.name)
        self._task.setVisible(bool(tasks))
        self.choose(aim)

    def choose(self, aim: Objective) -> None:
        self._task.setCurrentIndex(max(0, self._task.findData(aim.task)))
        self._own.setText(aim.words)
        self._place.setCurrentIndex(max(0, self._place.findText(aim.words)))
        self._ask_number()
        if aim.number:
            self._number.setValue(aim.number)

    @property
    def _chosen(self) -> Task | None:
        row = self._task.currentIndex()
        return self._tasks[row] if 0 <= row < len(self._tasks) else None

    def _ask_number(self) -> None:
        task = self._chosen
        counted = task is not None and bool(task.number)
        self._number.setVisible(counted)
        self._counts.setVisible(counted)
        self._place.setVisible(task is not None and task.at_place and self._place.count() > 1)
        if task is not None and counted:
            self._counts.setText(translated(task.number))
            self._number.setValue(usual_numbers(task, self._figures).get(self._side, task.usual))


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
    places = [one.name for one in position.terrain] if position is not None else []
    form = GoalsForm(state.sides, places, standings(play, position) if position is not None else None)
    enlisted = {side: sum(unit.side == side for unit in state.units.values()) for side in state.sides}
    form.offer(tasks_in(play.battle), enlisted, agreed_aims(play.battle))
    dialog = GoalsDialog(form, parent)
    agreed = dialog.exec() == GoalsDialog.DialogCode.Accepted
    aims = form.aims
    dialog.deleteLater()
    return aims if agreed else None
