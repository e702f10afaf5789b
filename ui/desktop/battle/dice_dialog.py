"""Asks the players for dice: typed, clicked, or rolled by the program."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial

from PyQt6.QtWidgets import (
    QCheckBox,
    QDialog,
    QDialogButtonBox,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from rules.engine.dice import DiceRequest, Die, Roll, rolled
from rules.engine.text import readable, roller_words
from rules.tabletop.errors import UserError
from ui.desktop.labels import escape_markup, markup_label, wrapping_label
from ui.formatting import capitalized
from ui.translation import mark_for_translation, tr

_FACE_PX = 44
_FONT_SCALE = 1.3
_BIG_FONT_SCALE = 1.6


_FUDGE = {"-": -1, "minus": -1, "0": 0, "blank": 0, "b": 0, "+": 1, "plus": 1}
_TYPED = {
    Die.D6: mark_for_translation("Type what the dice show, such as 6 3 5 or 635"),
    Die.FUDGE: mark_for_translation("Type what the dice show, as - 0 + or as -1 0 1; a blank is 0"),
}


class DiceDialog(QDialog):
    """One dice request. Faces come from clicks, keys, electronic dice (`take`) or the button "Roll".

    Attributes:
        request: The request.
        roll: The roll, once the faces are valid.
    """

    def __init__(self, request: DiceRequest, chance: random.Random, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Roll the dice"))
        font = self.font()
        font.setPointSizeF(_FONT_SCALE * font.pointSizeF())
        self.setFont(font)
        self.request, self._chance = request, chance
        self._faces = QLineEdit()
        self._faces.setAccessibleName(tr("Faces"))
        self._faces.textChanged.connect(lambda _: self._check())
        self._words = wrapping_label()
        self.roll: Roll | None = None
        self._needed = wrapping_label()
        self._needed.setVisible(False)
        self._deed = wrapping_label()
        self._deed.setAccessibleName(tr("Action"))
        self._deed.setVisible(False)
        layout = QVBoxLayout(self)
        layout.addWidget(self._needed)
        layout.addWidget(self._deed)
        why = f"{capitalized(roller_words(request.for_whom))}: {readable(request.why)}"
        layout.addWidget(markup_label(f"<b>{escape_markup(_request_text(request))}</b><br>{escape_markup(why)}"))
        self._six_sided = QCheckBox(tr("Six-sided dice"))
        self._six_sided.setToolTip(tr("Roll six-sided dice instead of Fudge dice; the program converts them"))
        if not request.stands_for:
            self._six_sided.hide()
        self._buttons = {die: self._row_of(die) for die in {request.die, Die.D6}}
        layout.addWidget(self._six_sided)
        for row in self._buttons.values():
            layout.addWidget(row)
        layout.addWidget(self._faces)
        self._room = QVBoxLayout()
        layout.addLayout(self._room)
        layout.addWidget(self._words)
        layout.addWidget(self._choices())
        if self._ok is not None:
            self._ok.setDefault(True)
        self._faces.setFocus()
        self._six_sided.toggled.connect(lambda _: self._show_die())
        self._show_die()

    @property
    def _die(self) -> Die:
        """The dice on the table."""
        return Die.D6 if self._six_sided.isChecked() else self.request.die

    def _show_die(self) -> None:
        """Ask for the faces of the dice on the table."""
        self._faces.clear()
        example = _example(self._die, self.request.count)
        self._faces.setPlaceholderText(
            tr("{count} numbers, such as {example}", count=self.request.count, example=example)
        )
        self._faces.setToolTip(tr(_TYPED[self._die]))
        for die, row in self._buttons.items():
            row.setVisible(die is self._die)
        self._check()

    def take(self, faces: Sequence[int], *, anew: bool = False) -> None:
        """Fill in faces reported by dice, for the player to confirm; `anew` replaces those already entered."""
        self._six_sided.setChecked(False)
        self._add(faces, [] if anew else self._typed())

    def _add(self, faces: Sequence[int], before: Sequence[int]) -> None:
        self._faces.setText(" ".join(map(str, [*before, *faces][: self.request.count])))

    def show_action(self, words: str) -> None:
        """Show the action and who performs it."""
        self._deed.setText(words)
        self._deed.setVisible(bool(words))

    def show_needed(self, words: str) -> None:
        """Show the number needed in large type."""
        font = self._needed.font()
        font.setPointSizeF(_BIG_FONT_SCALE * self.font().pointSizeF())
        font.setBold(True)
        self._needed.setFont(font)
        self._needed.setText(words)
        self._needed.setVisible(bool(words))

    def add(self, widget: QWidget) -> None:
        """Add a widget that helps to answer, such as one for electronic dice."""
        self._room.addWidget(widget)

    def _row_of(self, die: Die) -> QWidget:
        """A button for each face of a die."""
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        for face in die.faces:
            button = QPushButton(_face_words(die, face))
            button.setMinimumSize(_FACE_PX, _FACE_PX)
            button.setAutoDefault(False)  # Return confirms the roll
            button.setToolTip(tr("A die shows {die}", die=_face_words(die, face)))
            button.clicked.connect(partial(self._click, face))
            layout.addWidget(button)
        return row

    def _click(self, face: int) -> None:
        self._add([face], self._typed())

    def _choices(self) -> QDialogButtonBox:
        box = QDialogButtonBox(QDialogButtonBox.StandardButton.Ok | QDialogButtonBox.StandardButton.Cancel)
        for_us = box.addButton(tr("Roll"), QDialogButtonBox.ButtonRole.ActionRole)
        again = box.addButton(tr("Clear"), QDialogButtonBox.ButtonRole.ResetRole)
        if for_us is not None and again is not None:
            for_us.setToolTip(tr("Let the program roll fair dice (Alt+R)"))
            for_us.setShortcut("Alt+R")
            for_us.setAutoDefault(False)
            again.setAutoDefault(False)
            for_us.clicked.connect(self._roll_dice)
            again.clicked.connect(self._faces.clear)
        self._ok = box.button(QDialogButtonBox.StandardButton.Ok)
        box.accepted.connect(self.accept)
        box.rejected.connect(self.reject)
        return box

    def _roll_dice(self) -> None:
        self._faces.setText(" ".join(str(self._chance.choice(self._die.faces)) for _ in range(self.request.count)))

    def _typed(self) -> list[int]:
        words = self._faces.text().lower().replace(",", " ").split()
        if self._die is Die.FUDGE:
            return [face for word in words for face in _fudge_faces(word)]
        if len(words) == 1 and words[0].isdecimal() and len(words[0]) > 1:
            words = list(words[0])  # "635", typed without spaces
        return [int(word) for word in words if word.lstrip("+-").isdecimal()]

    def _check(self) -> None:
        try:
            faces = self._typed()
            read = self.request.read_d6(faces) if self._six_sided.isChecked() and faces else faces
            self.roll = rolled(self.request, read)
            self._words.setText("")
        except UserError as refusal:
            self.roll = None
            self._words.setText(str(refusal) if len(self._typed()) >= self.request.count else "")
        if self._ok is not None:
            self._ok.setEnabled(self.roll is not None)


class DiceDialogs:
    """Asks for dice in dialogs, one request of an action after another.

    Attributes:
        dialog: The open dialog, which electronic dice answer; None if there is none.
    """

    def __init__(self, parent: QWidget, chance: random.Random) -> None:
        """Dialogs open over `parent`; `chance` rolls the program's own dice."""
        self._parent, self._chance = parent, chance
        self._needed = self._doing = ""
        self.dialog: DiceDialog | None = None

    def begin(self, needed: str, doing: str) -> None:
        """Start an action: its description, and the number needed by its first roll."""
        self._needed, self._doing = needed, doing

    def ask(self, request: DiceRequest) -> Roll:
        """Ask for one roll.

        Raises:
            UserError: if the player cancels; then nothing has happened.
        """
        dialog = DiceDialog(request, self._chance, self._parent)
        dialog.show_action(self._doing)
        dialog.show_needed(self._needed)
        self.dialog, self._needed = dialog, ""
        try:
            accepted = dialog.exec() == QDialog.DialogCode.Accepted
        finally:
            self.dialog = None
            dialog.deleteLater()
        if not accepted or dialog.roll is None:
            raise UserError(tr("Roll cancelled."))
        return dialog.roll


def _fudge_faces(word: str) -> Iterator[int]:
    """Parse typed Fudge faces: "-1", "minus", "blank", or a row of signs such as "+-0+"."""
    if word.lstrip("+-").isdecimal() and word.lstrip("+-") != "0":
        yield int(word)
    elif word in _FUDGE:
        yield _FUDGE[word]
    else:
        yield from (_FUDGE[sign] for sign in word if sign in _FUDGE)


def _request_text(request: DiceRequest) -> str:
    fudge, count = request.die is Die.FUDGE, request.count
    if count == 1:
        return tr("1 Fudge die") if fudge else tr("1 six-sided die")
    return tr("{count} Fudge dice", count=count) if fudge else tr("{count} six-sided dice", count=count)


def _face_words(die: Die, face: int) -> str:
    return {1: "+", 0: tr("blank"), -1: "-"}[face] if die is Die.FUDGE else str(face)


def _example(die: Die, count: int) -> str:
    if die is Die.FUDGE:
        return tr("- 0 + or -1 0 1; a blank is 0")
    return " ".join(str(die.faces[(2 * k + 1) % len(die.faces)]) for k in range(min(count, 4)))
