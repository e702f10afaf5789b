"""The bar under the picture: plays films, and steps through films and folders of pictures."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PyQt6.QtCore import QObject, QSignalBlocker, QSize, Qt, pyqtSignal
from PyQt6.QtGui import QAction, QKeySequence, QMouseEvent
from PyQt6.QtWidgets import QAbstractButton, QApplication, QComboBox, QFrame, QLabel, QSlider, QStyle, QToolButton

from ui.desktop.action import ActionMenu, icon
from ui.desktop.actions import Actions
from ui.desktop.parts import Parts
from ui.desktop.store import Store
from ui.desktop.widgets import button_with_tip, described, in_row
from ui.playback import SPEEDS, Playback, film_words
from ui.translation import tr

_ICON_PX = 20
_ARROW_KEY_MS, _PAGE_MS = 5_000, 30_000


class FilmBar(QFrame):
    """Buttons, slider and text about a recording.

    Attributes:
        slider: The place in the recording: milliseconds of a film, numbers of pictures of a folder.
        picture: The name of a folder's picture.
        looking_back: Leads back to the place that the battle has reached; hidden at that place.
    """

    def __init__(self, back: QAction, play: QAction, forward: QAction) -> None:
        """The buttons trigger these actions."""
        super().__init__()
        self.setAccessibleName(tr("Film"))
        self.back, self.play, self.forward = (_button(action) for action in (back, play, forward))
        self.play.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
        self.slider = _JumpingSlider()
        described(self.slider, tr("Place in the film"), tr("Drag to another place in the film"))
        self.place, self.picture = QLabel(), QLabel()
        tip = tr("This is an earlier moment. The battle goes on where you stopped")
        self.looking_back = button_with_tip(tr("Back to the battle"), tip)
        self.speed = QComboBox()
        described(self.speed, tr("Speed"), tr("How fast the film plays"))
        self.speed.addItems([speed_words(speed) for speed in SPEEDS])
        at_right = (self.place, self.picture, self.looking_back, self.speed)
        in_row(self.back, self.play, self.forward, (self.slider, 1), *at_right, on=self, margin=(8, 2, 8, 2))
        self.hide()

    def show_playback(self, playback: Playback, *, looks_back: bool) -> None:
        is_folder = bool(playback.pictures)
        if not self.slider.isSliderDown():
            with QSignalBlocker(self.slider):
                self.slider.setRange(0, _slider_end(playback))
                self.slider.setValue(_slider_value(playback))
            self.place.setText(playback.place_words)
        self.slider.setEnabled(playback.duration_s is not None)
        self.slider.setSingleStep(1 if is_folder else _ARROW_KEY_MS)
        self.slider.setPageStep(1 if is_folder else _PAGE_MS)
        self.picture.setText(playback.picture)
        self.picture.setVisible(is_folder)
        self.looking_back.setVisible(looks_back)
        self.speed.setCurrentIndex(SPEEDS.index(playback.speed))
        self.show()


class FilmController(QObject):
    """Connects the bar, the menu and the keys with the open recording.

    Attributes:
        bar: The bar; hidden for cameras, single pictures and the simulated table.
    """

    def __init__(self, parts: Parts, store: Store, actions: Actions) -> None:
        """Add a submenu to the View menu; a tap on the picture plays and pauses, too."""
        window = parts.window
        super().__init__(window)
        self._store = store
        parts.picture.tapped.connect(self.tap)
        self._decimal_point, self._freeze = actions.decimal_point, actions.freeze
        tip = tr("Show the previous picture")
        menu = ActionMenu(tr("Film"), window)
        self.play = menu.add(tr("Play"), "Space", tr("Play or pause"), self._toggle, "play")
        self.back = menu.add(tr("Back"), (",", "PgUp"), tip, partial(self._step, -1), "step-back")
        tip = tr("Show the next picture")
        self.forward = menu.add(tr("Forward"), (".", "PgDown"), tip, partial(self._step, 1), "step-forward")
        menu.add_separator()
        self.bar = FilmBar(self.back, self.play, self.forward)
        speeds = [(speed, *_speed_texts(speed_words(speed))) for speed in SPEEDS]
        self.speeds = menu.add_choices(speeds, None, self._set_speed)
        actions.view_menu.addMenu(menu)
        self.bar.slider.wanted.connect(self._go_to)
        self.bar.speed.activated.connect(lambda at: self._set_speed(SPEEDS[at]))
        self.bar.looking_back.clicked.connect(lambda: store.source_controller.look_ahead())
        self._shown: tuple[object, ...] = ()
        self._show(None)

    @property
    def _playback(self) -> Playback | None:
        return self._store.source_controller.worker.playback

    def pull(self) -> None:
        """Show what has changed; called by the window's timer."""
        playback = self._playback
        if playback is None:
            now: tuple[object, ...] = ()
        else:
            if problem := playback.take_problem():
                self._store.say(tr("Left out: {problem}", problem=problem))
            looks_back = self._store.source_controller.looks_back
            place = (playback.index, playback.duration_s, playback.playing, playback.at_end, playback.speed)
            now = (playback, *place, looks_back, self._store.tool.takes_wheel)
        if now == self._shown:
            return
        self._shown = now
        self._show(playback)

    def _show(self, playback: Playback | None) -> None:
        is_open = playback is not None
        for action in (self.back, self.play, self.forward, *self.speeds.values()):
            action.setEnabled(is_open)
        # Tools that the wheel resizes also take a typed number.
        point_types = not is_open or self._store.tool.takes_wheel
        self._decimal_point.setEnabled(point_types)
        self.forward.setShortcuts([QKeySequence(key) for key in (("PgDown",) if point_types else (".", "PgDown"))])
        if playback is None:
            self.bar.hide()
            return
        is_folder = bool(playback.pictures)
        self.back.setEnabled(playback.index > 0)
        self.forward.setEnabled(not playback.at_end)
        for speed, action in self.speeds.items():
            action.setEnabled(not is_folder)
            action.setChecked(speed == playback.speed)
        self.bar.speed.setVisible(not is_folder)
        self._show_play_button(playback)
        self.bar.show_playback(playback, looks_back=self._store.source_controller.looks_back)

    def _show_play_button(self, playback: Playback) -> None:
        if playback.at_end:
            name, words = "replay", tr("Play again")
        elif playback.playing:
            name, words = "freeze", tr("Pause")
        else:
            name, words = "play", tr("Play")
        if words == self.play.text() and self.bar.isVisible():
            return
        self.play.setText(words)
        self.play.setIcon(icon(name))
        style = Qt.ToolButtonStyle
        self.bar.play.setToolButtonStyle(
            style.ToolButtonTextBesideIcon if playback.at_end else style.ToolButtonIconOnly
        )
        self.bar.play.setAccessibleName(words)

    # What the player does

    def tap(self) -> None:
        """Play or pause, if a recording is open."""
        if self._playback is not None:
            self._do(lambda playback: playback.play(not playback.playing))

    def _toggle(self) -> None:
        """Play or pause; the space bar presses a button that has the focus instead."""
        focus = QApplication.focusWidget()
        if isinstance(focus, QAbstractButton) and focus.isEnabled() and focus is not self.bar.play:
            focus.click()
        else:
            self.tap()

    def _step(self, steps: int) -> None:
        self._do(lambda playback: playback.step(steps))

    def _go_to(self, value: int) -> None:
        if (playback := self._playback) is not None:
            time_s = value * playback.step_s if playback.pictures else value / 1000
            self._do(lambda playback: playback.go_to(time_s))
            if not playback.pictures:
                self.bar.place.setText(film_words(time_s, playback.duration_s))

    def _set_speed(self, speed: float) -> None:
        if (playback := self._playback) is not None:
            playback.speed = speed

    def _do(self, change: Callable[[Playback], None]) -> None:
        """Change the recording; a frozen picture goes on."""
        if (playback := self._playback) is not None:
            self._freeze.setChecked(False)
            change(playback)
            self.pull()


class _JumpingSlider(QSlider):
    """A slider that jumps to a click.

    Signals:
        wanted: The player chose another value, by mouse or key.
    """

    wanted = pyqtSignal(int)

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.valueChanged.connect(self.wanted)  # silent while the program moves it

    def mousePressEvent(self, event: QMouseEvent | None) -> None:
        """Move the handle to the mouse first, so that the mouse holds it."""
        if event is not None and event.button() == Qt.MouseButton.LeftButton:
            x, width = int(event.position().x()), self.width()
            self.setValue(QStyle.sliderValueFromPosition(self.minimum(), self.maximum(), x, width))
        super().mousePressEvent(event)


def speed_words(speed: float) -> str:
    """Such as "2x"."""
    return f"{speed:g}x"


def _speed_texts(times: str) -> tuple[str, str]:
    return tr("Speed {times}", times=times), tr("Play the film {times} as fast", times=times)


def _button(action: QAction) -> QToolButton:
    button = QToolButton()
    button.setDefaultAction(action)
    button.setIconSize(QSize(_ICON_PX, _ICON_PX))
    button.setAccessibleName(action.text())
    return button


def _slider_end(playback: Playback) -> int:
    if playback.pictures:
        return len(playback.pictures) - 1
    return max(1, round(1000 * max(playback.time_s, playback.duration_s or 0.0)))


def _slider_value(playback: Playback) -> int:
    return playback.index if playback.pictures else round(1000 * playback.time_s)
