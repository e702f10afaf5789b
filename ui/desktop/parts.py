"""The window's main widgets, as its features use them."""

from __future__ import annotations

from dataclasses import dataclass

from PyQt6.QtWidgets import QMainWindow, QTabWidget

from ui.desktop.bar import MessageBar
from ui.desktop.battle.move_pills import MovePills
from ui.desktop.central_widget import HintLabel
from ui.desktop.panel import SidePanel
from ui.desktop.picture.view import PictureView
from ui.desktop.settings import Settings
from ui.desktop.status_line import StatusLine
from ui.desktop.table_display import TableDisplay


@dataclass(frozen=True, slots=True)
class Parts:
    """What the features work with.

    Attributes:
        window: Dialogs open over it.
        picture, display: The picture of the table, and what shows it there.
        panel, sides: The Table tab, and all tabs.
        bar, hint, status: Messages, the next step, and the status bar.
        pills: Moves on the picture.
        settings: The stored settings.
    """

    window: QMainWindow
    picture: PictureView
    display: TableDisplay
    panel: SidePanel
    sides: QTabWidget
    bar: MessageBar
    hint: HintLabel
    status: StatusLine
    pills: MovePills
    settings: Settings
