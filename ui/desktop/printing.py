"""Prints sheets: asks in a dialog with a preview what to print, and writes a PDF in the background."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QLocale, QSignalBlocker, Qt
from PyQt6.QtGui import QPixmap
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QLabel, QPushButton, QToolButton, QWidget

from calibration.calibration_targets import SHEET_SIDE_IN
from calibration.print_scale import PrintScale
from rules.engine.roster import Army
from rules.games import game_names, open_game
from rules.tabletop.errors import UserError
from ui.battle.battle_setup import ArmyLists, load_army, title_of
from ui.desktop.paper import pdf_of, preview
from ui.desktop.saving import BackgroundSave, ask_file, ask_where
from ui.desktop.settings import Settings
from ui.desktop.widgets import NumberBox, button_with_tip, in_column, in_row, plain_label, wrapping_label
from ui.files import data_folder
from ui.formatting import capitalized
from ui.paper.marker_sheet import EDGE_SIDE_IN
from ui.paper.page import Sheet
from ui.paper.printing import PrintJob, SheetKind, army_words, sheet_of
from ui.translation import mark_for_translation, tr

_KINDS = (
    (
        SheetKind.MARKERS,
        mark_for_translation("Markers, two a page"),
        SHEET_SIDE_IN,
        mark_for_translation("Four markers to put on the table; one is enough, four are better"),
    ),
    (
        SheetKind.MARKERS,
        mark_for_translation("Markers, one a page"),
        4.5,
        mark_for_translation("Four large markers, for a high camera or a large table"),
    ),
    (
        SheetKind.EDGE,
        mark_for_translation("Small markers for the table's edge"),
        EDGE_SIDE_IN,
        mark_for_translation("Eight small markers for the table's corners and edges"),
    ),
    (
        SheetKind.BOARD,
        mark_for_translation("Board for the lens"),
        None,
        mark_for_translation("A board to calibrate the lens with"),
    ),
    (
        SheetKind.ROD,
        mark_for_translation("Range rod"),
        None,
        mark_for_translation("The 36 in range rod of Plastic Fudge, in strips to glue together"),
    ),
    (
        SheetKind.CARDS,
        mark_for_translation("Unit cards"),
        None,
        mark_for_translation("The ready-made units of a game, or the soldiers of an army list"),
    ),
)
_PREVIEW_PX = 320


def ask_sheet(job: PrintJob, parent: QWidget) -> tuple[PrintJob, Path] | None:
    """Ask what to print and where; None if cancelled. `job` fills in the dialog."""
    dialog = PrintDialog(job, ArmyLists(data_folder("armies")), parent)
    if dialog.exec() != QDialog.DialogCode.Accepted:
        return None
    path = ask_where(parent, tr("Save the sheet"), dialog.job.file_name, tr("PDF (*.pdf)"))
    return None if path is None else (dialog.job, path)


def usual_paper() -> str:
    """The paper of the player's country: Letter where lengths are in inches."""
    imperial = QLocale().measurementSystem() == QLocale.MeasurementSystem.ImperialUSSystem
    return "letter" if imperial else "a4"


class PrintDialog(QDialog):
    """Asks for a sheet, its paper and the printed length of 100 mm, and shows a preview.

    Attributes:
        across, down: What the player measured on a page's scales.
        problem: Why the sheet is impossible; empty if it is possible.
    """

    def __init__(self, job: PrintJob, store: ArmyLists, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Print"))
        self._sheet: Sheet | None = None
        self._number = 0
        self._job = job
        self.kind = _combo([tr(text) for _, text, _, _ in _KINDS], tr("What to print"))
        self.paper = _combo(["Letter", "A4"], tr("The paper in the printer"))
        tip = tr("Side of the black square; all markers on a table must have the same size")
        self.side = NumberBox(0.2, 40.0, 1.0, 3, tr(" in"), tip)
        tip = tr("Measured length of the horizontal 100 mm scale, on a page printed without correction")
        self.across = NumberBox(50.0, 200.0, 0.1, 1, " mm", tip)
        tip = tr("Measured length of the vertical 100 mm scale, on a page printed without correction")
        self.down = NumberBox(50.0, 200.0, 0.1, 1, " mm", tip)
        self.cards = _combo(
            [], tr("Whose cards to print: the ready-made units of a game, or the soldiers of an army list")
        )
        self.problem, self.about = wrapping_label(), wrapping_label()
        self.problem.setObjectName("problem")
        self.about.setObjectName("about")
        self.picture = QLabel()
        self.picture.setFixedSize(_PREVIEW_PX, round(_PREVIEW_PX * 1.42))
        self.picture.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.page = plain_label()
        self.page.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._back, self._on = _page_button("◀", tr("Previous page")), _page_button("▶", tr("Next page"))
        self._load = button_with_tip(tr("Open list…"), tr("Open an army list from a file"), self._load_army)
        buttons, self.save = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel), QPushButton(tr("Save PDF…"))
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.AcceptRole)
        self._lay_out(buttons)
        self._fill(job, store)
        buttons.accepted.connect(self.accept)
        buttons.rejected.connect(self.reject)
        self._connect()
        self._choose_kind()
        if job.side_in is not None:
            self.side.setValue(job.side_in)

    @property
    def job(self) -> PrintJob:
        """The answers. Raises `UserError` if a measured length is impossible."""
        kind = _KINDS[self.kind.currentIndex()][0]
        whose = self.cards.currentData() if kind is SheetKind.CARDS else None
        marks = kind in (SheetKind.MARKERS, SheetKind.EDGE)
        return replace(
            self._job,
            kind=kind,
            paper=("letter", "a4")[self.paper.currentIndex()],
            side_in=self.side.value() if marks else None,
            game=whose if isinstance(whose, str) else "",
            army=whose if isinstance(whose, Army) else None,
            scale=PrintScale(self.across.value(), self.down.value()),
        )

    def add_army(self, army: Army) -> None:
        """Offer an army list and select it."""
        self._offer_army(army)
        self.cards.setCurrentIndex(self.cards.count() - 1)

    def _offer_army(self, army: Army) -> None:
        self.cards.addItem(f"{army.name} ({title_of(army.game)})", army)

    def _lay_out(self, buttons: QDialogButtonBox) -> None:
        self._form = QFormLayout()
        self._form.addRow(tr("Print:"), self.kind)
        self._form.addRow(tr("Paper:"), self.paper)
        self._form.addRow(tr("Side of the black square:"), self.side)
        self._form.addRow(tr("Cards of:"), self.cards)
        self._form.addRow("", self._load)
        self._form.addRow(self.about)
        self._form.addRow(plain_label(tr("Measured on a page printed without correction:")))
        self._form.addRow(tr("Horizontal 100 mm scale:"), self.across)
        self._form.addRow(tr("Vertical 100 mm scale:"), self.down)
        self._form.addRow(self.problem)
        left = in_column(self._form, None, buttons)
        right = in_column(self.picture, in_row(self._back, (self.page, 1), self._on))
        in_row((left, 1), right, on=self)

    def _fill(self, job: PrintJob, store: ArmyLists) -> None:
        self.paper.setCurrentIndex(("letter", "a4").index(job.paper))
        self.kind.setCurrentIndex([kind for kind, _, _, _ in _KINDS].index(job.kind))
        self.across.setValue(job.scale.measured_x_mm)
        self.down.setValue(job.scale.measured_y_mm)
        for name in game_names():
            self.cards.addItem(tr("{name}, all ready-made units", name=title_of(name)), name)
        for army in store.listed():
            if army.game in game_names():
                self._offer_army(army)

    def _connect(self) -> None:
        self.kind.currentIndexChanged.connect(self._choose_kind)
        for combo in (self.paper, self.cards):
            combo.currentIndexChanged.connect(self._redraw_sheet)
        for box in (self.side, self.across, self.down):
            box.valueChanged.connect(self._redraw_sheet)
        self._back.clicked.connect(lambda: self._turn(-1))
        self._on.clicked.connect(lambda: self._turn(1))

    def _choose_kind(self) -> None:
        kind, _, side_in, about = _KINDS[self.kind.currentIndex()]
        if side_in is not None:
            with QSignalBlocker(self.side):
                self.side.setValue(side_in)
        self._form.setRowVisible(self.side, side_in is not None)
        for row in (self.cards, self._load):
            self._form.setRowVisible(row, kind is SheetKind.CARDS)
        self.about.setText(f"{tr(about)}.")
        self._redraw_sheet()

    def _redraw_sheet(self) -> None:
        self._number = 0
        try:
            job = self.job
            self._sheet, problem = sheet_of(job), ""
            if job.army is not None:
                self.about.setText(f"{job.army.name}: {army_words(job.army)}.")
        except UserError as refusal:
            self._sheet, problem = None, str(refusal)
        self.problem.setText(capitalized(problem))
        self.save.setEnabled(self._sheet is not None)
        self._show_page()

    def _turn(self, pages: int) -> None:
        self._number += pages
        self._show_page()

    def _show_page(self) -> None:
        count = len(self._sheet.pages) if self._sheet else 0
        self._back.setEnabled(self._number > 0)
        self._on.setEnabled(self._number + 1 < count)
        self.page.setText(tr("Page {page} of {count}", page=self._number + 1, count=count) if count else "")
        if self._sheet is None:
            self.picture.clear()
            return
        ratio = self.devicePixelRatioF()
        image = preview(self._sheet, self._number, round(_PREVIEW_PX * ratio))
        image.setDevicePixelRatio(ratio)
        self.picture.setPixmap(QPixmap.fromImage(image))

    def _load_army(self) -> None:
        kinds = tr("Army lists (*.json);;All files (*)")
        if path := ask_file(self, tr("Open an army list"), kinds):
            self.open_army(path)

    def open_army(self, path: Path) -> None:
        """Offer the army list in a file, or show why it cannot be read."""
        try:
            army = load_army(path)
            open_game(army.game)
        except UserError as refusal:
            self.problem.setText(capitalized(str(refusal)))
            return
        self.add_army(army)


def _combo(rows: list[str], tip: str) -> QComboBox:
    combo = QComboBox()
    combo.addItems(rows)
    combo.setToolTip(tip)
    return combo


def _page_button(sign: str, tip: str) -> QToolButton:
    button = QToolButton()
    button.setText(sign)
    button.setToolTip(tip)
    return button


class PrintController:
    """Prints sheets and remembers the printer's scale error."""

    def __init__(self, window: QWidget, settings: Settings, background_save: BackgroundSave) -> None:
        self._window, self._settings, self._background_save = window, settings, background_save

    def print_sheets(self, dictionary: str) -> None:
        """Ask what to print and where to write it; `dictionary` is that of the markers on the table."""
        job = PrintJob(paper=usual_paper(), dictionary=dictionary, scale=self._settings.print_scale)
        asked = ask_sheet(job, self._window)
        if asked is not None:
            wanted, path = asked
            self._settings.keep_print_scale(wanted.scale)
            done = tr("Saved {path}. Print it at 100 % (actual size).", path=path)
            doing = tr("Drawing {name}", name=path.name)
            self._background_save.send(path, lambda: pdf_of(sheet_of(wanted)), doing, done)
