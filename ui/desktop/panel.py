"""The Table tab: the answer in large type, the armies with their figures, and what lies on the table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PyQt6.QtCore import Qt, pyqtSignal
from PyQt6.QtGui import QFont, QFontMetrics
from PyQt6.QtWidgets import QComboBox, QGroupBox, QListWidget, QPushButton, QWidget

from rules.tabletop.table import Figure, PointIn
from ui.desktop.army_list import ArmyList, swatch
from ui.desktop.labels import fit_font, literal_text, plain_label, wrapping_label
from ui.desktop.layouts import in_column, in_row
from ui.formatting import place_words
from ui.table.finding import Answer
from ui.theme import army_colour
from ui.translation import tr
from vision.stock_colours import PLASTIC_BGR

SUGGESTED_ARMIES = tuple(PLASTIC_BGR)
_HEADLINE_PX = 28
_WIDTH = 328
_EDGE_PX, _INDENT_PX = 8, 4
_MAX_WARNINGS = 3  # warnings shown about similar armies; the tooltip lists all


class SidePanel(QWidget):
    """The Table tab; independent of camera and session.

    Signals:
        forget: Forget an army (its name).
        army_chosen: The player chose another army (its name) to teach.
        usual_wanted: Start an army (its name) from the stock colour of its plastic.
        groups_wanted: Group the figures into armies by colour or, if groups are offered, use these.

    Attributes:
        headline, rows: The answer in large type, and the rows below it.
        warnings: The warnings about similar armies.
        armies: The list of armies and figures.
        groups_button: The button that uses the groups found by colour.
    """

    forget = pyqtSignal(str)
    army_chosen = pyqtSignal(str)
    usual_wanted = pyqtSignal(str)
    groups_wanted = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self.setFixedWidth(_WIDTH)
        self._large = QFont(self.font())
        self._large.setPixelSize(_HEADLINE_PX)
        self._large.setBold(True)
        self.headline, self.rows = plain_label(), wrapping_label()
        self._army = QComboBox()
        self._usual = QPushButton(tr("Use preset"))
        self.groups_button = QPushButton(tr("Find armies"))
        self.warnings = wrapping_label()
        self._laid_list, self._laid_box = QListWidget(), QGroupBox(tr("On the table"))
        self.armies, self._armies_box = ArmyList(), QGroupBox(tr("Armies"))
        self._shown_table: tuple[object, ...] = ()
        parts = (self._answer_box(), (self._fill_armies_box(), 3), (self._fill_laid_box(), 2))
        in_column(*parts, on=self, margin=_EDGE_PX)

    @property
    def army(self) -> str:
        """Name of the army that a click teaches."""
        return self._army.currentText()

    def choose(self, army: str) -> None:
        """Choose the army that a click teaches."""
        self._army.setCurrentText(army)

    def type_army(self) -> None:
        """Let the player type the name of the army to teach."""
        self._army.setFocus()
        line = self._army.lineEdit()
        if line is not None:
            line.selectAll()

    def show_answer(self, answer: Answer) -> None:
        headline = answer.headline or tr("-- in")
        if headline != self.headline.text():
            self.headline.setFont(fit_font(self._large, headline, _WIDTH - 2 * (_EDGE_PX + _INDENT_PX)))
            self.headline.setText(headline)
            self.headline.setEnabled(bool(answer.headline))
        self.rows.setText("\n".join(answer.rows) or tr("Nothing measured yet."))

    def show_table(
        self,
        armies: Sequence[str],
        figures: Sequence[Figure],
        laid: Sequence[str],
        place: Callable[[PointIn], str] = place_words,
        apart: Sequence[str] = (),
    ) -> None:
        """Show the armies taught, the figures found and what lies on the table.

        `place` formats a position; `apart` are the warnings about similar armies, worst first.
        """
        places = ((f.id, f.posture, *(round(v, 1) for v in f.centre_in)) for f in figures)
        table = (place((0.0, 0.0)), *armies, *places, *laid, *apart)
        if table == self._shown_table:
            return
        self._shown_table = table
        self.armies.show_armies(armies, figures, place)
        self.warnings.setText("\n".join(apart[:_MAX_WARNINGS]))
        self.warnings.setToolTip(literal_text("\n".join(apart)))
        self.warnings.setVisible(bool(apart))
        self._allow_usual()
        if laid != [self._text(row) for row in range(self._laid_list.count())]:
            self._laid_list.clear()
            self._laid_list.addItems(list(laid))
            self._laid_box.setVisible(bool(laid))
        for army in armies:
            if self._army.findText(army) < 0:
                self._army.addItem(swatch(army_colour(army, armies)), army)

    def show_groups(self, words: str, *, may_search: bool) -> None:
        """Offer to use the groups named by `words`, or to search for groups.

        `may_search` is true if there are figures that could be grouped but are not.
        """
        self.groups_button.setVisible(bool(words) or may_search)
        self.groups_button.setText(tr("Use them") if words else tr("Find armies"))
        self.groups_button.setToolTip(
            literal_text(tr("Use {figures} as armies", figures=words))
            if words
            else tr("Group soldiers of one colour into an army")
        )
        self._armies_box.setTitle(tr("Armies found by colour") if words else tr("Armies"))

    def _text(self, row: int) -> str:
        item = self._laid_list.item(row)
        return item.text() if item is not None else ""

    def _allow_usual(self) -> None:
        army = self.army.strip()
        self._usual.setVisible(army.lower() in PLASTIC_BGR and army not in self.armies.armies)

    def _answer_box(self) -> QWidget:
        # Always as high as large type, otherwise the lists below would jump.
        self.headline.setFixedHeight(QFontMetrics(self._large).height())
        self.headline.setAccessibleName(tr("Answer"))
        self.headline.setToolTip(tr("The distance; the true value is within ± in 19 of 20 measurements"))
        self.rows.setMinimumHeight(4 * self.fontMetrics().height())
        self.rows.setAlignment(Qt.AlignmentFlag.AlignTop)
        box = QWidget()
        in_column(self.headline, self.rows, None, on=box, margin=(_INDENT_PX, 0, _INDENT_PX, 0)).setSpacing(0)
        return box

    def _fill_armies_box(self) -> QWidget:
        self._army.setEditable(True)
        self._army.addItems(SUGGESTED_ARMIES)
        self._army.setToolTip(tr("The army to teach: choose or type a name, then click one of its soldiers"))
        self._army.setAccessibleName(tr("Army to teach"))
        self._army.editTextChanged.connect(self.army_chosen)
        self._army.editTextChanged.connect(self._allow_usual)
        self.armies.forgotten.connect(self.forget)
        self._usual.setToolTip(tr("Start with the usual colour of this plastic; clicking a soldier is more reliable"))
        self._usual.clicked.connect(lambda: self.usual_wanted.emit(self.army))
        self.groups_button.clicked.connect(lambda: self.groups_wanted.emit())
        self.warnings.setAccessibleName(tr("Armies that look alike"))
        row = in_row(plain_label(tr("Teach:")), (self._army, 1))
        in_column(self.armies, self.warnings, self.groups_button, row, self._usual, on=self._armies_box)
        return self._armies_box

    def _fill_laid_box(self) -> QWidget:
        self._laid_list.setToolTip(tr("Rulers and templates; they follow their soldiers"))
        self._laid_list.setAccessibleName(tr("Rulers and templates"))
        self._laid_list.setWordWrap(True)
        in_column(self._laid_list, on=self._laid_box)
        self._laid_box.hide()
        return self._laid_box
