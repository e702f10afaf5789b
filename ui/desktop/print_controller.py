"""Prints sheets: asks what to print, draws it in the background and writes a PDF."""

from __future__ import annotations

from PyQt6.QtWidgets import QWidget

from ui.desktop.background_save import BackgroundSave
from ui.desktop.paper import pdf_of
from ui.desktop.print_dialog import ask_sheet, usual_paper
from ui.desktop.settings import Settings
from ui.paper.printing import PrintJob, sheet_of
from ui.translation import tr


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
            self._background_save.send(
                tr("Drawing {name}", name=path.name), lambda: pdf_of(sheet_of(wanted)), path, done
            )
