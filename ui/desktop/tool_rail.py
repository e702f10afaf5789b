"""The rail at the left of the picture: the tools in groups, and below them what a game needs all the time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from PyQt6.QtCore import QPoint, QSize, Qt, QTimer
from PyQt6.QtGui import QAction, QContextMenuEvent, QKeyEvent, QMouseEvent, QPaintEvent, QPolygon
from PyQt6.QtWidgets import QFrame, QMenu, QToolButton, QVBoxLayout

from ui.desktop.action import icon
from ui.desktop.picture.image import painting
from ui.desktop.widgets import described
from ui.translation import mark_for_translation, tr

_WIDTH_PX, _BUTTON_PX, _ICON_PX, _GAP_PX = 48, 36, 24, 2
_CORNER_PX = 12
"""Side of the corner of a button that opens the other tools of its group."""
_HOLD_MS = 400

_GROUPS = (
    (mark_for_translation("Inspect"), ("select",)),
    (mark_for_translation("Measure"), ("measure", "path")),
    (mark_for_translation("See"), ("sight", "fan", "sight_fan")),
    (mark_for_translation("Templates"), ("blast", "wedge", "flame", "strip")),
    (mark_for_translation("Move"), ("plan",)),
    (mark_for_translation("Set up"), ("teach", "terrain")),
    (mark_for_translation("Correct"), ("correct",)),
)
"""The title and the tools of each group."""


class ToolRail(QFrame):
    """A narrow column of buttons.

    Attributes:
        open: Its menu lists the sources to open.
        groups: One button per group of tools, by the name of the group's first tool.
    """

    def __init__(self, tools: Mapping[str, QAction], sources: QMenu, others: Iterable[QAction]) -> None:
        """Create the buttons: the menu of `sources`, the tools in their groups, and `others` at the lower end."""
        super().__init__()
        self.setFixedWidth(_WIDTH_PX)
        self.setAccessibleName(tr("Tools"))
        self.open = _button()
        self.open.setIcon(icon("open"))
        described(self.open, tr("Open"), tr("Open a camera, a picture, a video, a folder or the simulated table"))
        self.open.setMenu(sources)
        self.open.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.groups = {
            names[0]: ToolGroupButton(tr(title), [tools[name] for name in names]) for title, names in _GROUPS
        }
        layout = QVBoxLayout(self)
        edge = (_WIDTH_PX - _BUTTON_PX) // 2
        layout.setContentsMargins(edge, edge, edge, edge)
        layout.setSpacing(_GAP_PX)
        for button in (self.open, *self.groups.values()):
            layout.addWidget(button)
        layout.addStretch(1)
        for action in others:
            button = _button()
            button.setDefaultAction(_with_name_in_tip(action))
            layout.addWidget(button)


class ToolGroupButton(QToolButton):
    """The tool of a group that was used last; the others are in a menu beside it.

    The menu opens at a long press, a right click, a click on the corner, or the right arrow key.

    Attributes:
        choices: The menu; it lists all tools of the group.
    """

    def __init__(self, title: str, tools: Sequence[QAction]) -> None:
        """Show the first of the tools."""
        super().__init__()
        _shape(self)
        self._title = title
        self.choices = QMenu(title, self)
        self.choices.addActions([_with_name_in_tip(tool) for tool in tools])
        for tool in tools:
            tool.toggled.connect(lambda on, tool=tool: self._show_tool(tool) if on else None)
        self._held = QTimer(self)
        self._held.setSingleShot(True)
        self._held.setInterval(_HOLD_MS)
        self._held.timeout.connect(self.show_choices)
        self._show_tool(tools[0])

    def show_choices(self) -> None:
        """Open the menu if there is more than one tool."""
        self._held.stop()
        if self._has_choices:
            self.setDown(False)
            self.choices.popup(self.mapToGlobal(self.rect().topRight()))

    @property
    def _has_choices(self) -> bool:
        return len(self.choices.actions()) > 1

    def _show_tool(self, tool: QAction) -> None:
        self.setDefaultAction(tool)
        self.setAccessibleName(f"{self._title}: {tool.iconText()}" if self._has_choices else self._title)

    def paintEvent(self, event: QPaintEvent | None) -> None:
        """Paint the button, with a triangle in the corner if there are other tools."""
        super().paintEvent(event)
        if not self._has_choices:
            return
        corner = self.rect().bottomRight() - QPoint(4, 4)
        with painting(self) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.palette().buttonText())
            painter.drawPolygon(QPolygon([corner, corner - QPoint(5, 0), corner - QPoint(0, 5)]))

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        if event is not None and event.button() == Qt.MouseButton.LeftButton and self._has_choices:
            from_corner = self.rect().bottomRight() - event.position().toPoint()
            if max(from_corner.x(), from_corner.y()) < _CORNER_PX:
                self.show_choices()
                return
            self._held.start()
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent | None) -> None:
        self._held.stop()
        super().mouseReleaseEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent | None) -> None:
        self.show_choices()

    def keyPressEvent(self, event: QKeyEvent | None) -> None:
        if event is not None and event.key() == Qt.Key.Key_Right and self._has_choices:
            self.show_choices()
        else:
            super().keyPressEvent(event)


def _button() -> QToolButton:
    button = QToolButton()
    _shape(button)
    return button


def _shape(button: QToolButton) -> None:
    button.setFixedSize(_BUTTON_PX, _BUTTON_PX)
    button.setIconSize(QSize(_ICON_PX, _ICON_PX))


def _with_name_in_tip(action: QAction) -> QAction:
    """The action, with its name in the tooltip, because these buttons show only icons."""
    key = action.shortcut().toString()
    name = f"{action.iconText()} ({key})" if key else action.iconText()
    action.setToolTip(f"{name}\n{action.statusTip()}")
    return action
