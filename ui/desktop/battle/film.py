"""A battle's film: the dialog that asks for it and shows the progress, and the painter of its scenes.

The painter works in any thread, and without a window.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from PyQt6.QtCore import QPointF, QRectF, QSizeF, Qt, QTimer
from PyQt6.QtGui import QColor, QFont, QImage, QPainter, QTransform
from PyQt6.QtWidgets import QComboBox, QDialog, QDialogButtonBox, QFormLayout, QProgressBar, QPushButton, QWidget

from rules.battle.battle import Battle
from rules.battle.progress import Step
from rules.engine.dice import Die
from rules.engine.events import Throw
from rules.tabletop.errors import UserError, user_error
from ui.background_task import BackgroundTask
from ui.battle.battle_map import extent_of, map_shapes
from ui.battle.film import FORMATS, SIZE_PX, SPEEDS, FilmFormat, Pace, Scene, film_scenes, format_of, write_film
from ui.battle.history import BattleReport, report_of, scores, throw_purpose
from ui.battle.thumbnail_store import ThumbnailStore
from ui.desktop.battle.dice_card import paint_die
from ui.desktop.messages import Say
from ui.desktop.picture.image import painting, to_bgr
from ui.desktop.picture.painter import Sprites, paint, text_application
from ui.desktop.saving import ask_where
from ui.desktop.widgets import button_with_tip, wrapping_label
from ui.formatting import capitalized
from ui.rules_text import display_name
from ui.theme import DARK, SILVER, WHITE, Colour, army_colour
from ui.translation import mark_all_for_translation, tr
from vision.frame import ImageBgr

_TICK_MS = 40
_FORMATS = mark_all_for_translation(
    "MP4, for video programs and sites", "WebP, for web pages", "GIF, for everything else"
)
_SPEEDS = mark_all_for_translation("Slow", "Normal", "Fast")


class FilmDialog(QDialog):
    """Films one battle; while it does, the dialog shows the progress and can only cancel."""

    def __init__(self, battle: Battle, pictures: ThumbnailStore | None, say: Say, parent: QWidget) -> None:
        """`say` shows the result to the player."""
        super().__init__(parent)
        self.setWindowTitle(tr("Battle film"))
        self._battle, self._pictures, self._say = battle, pictures, say
        self._task: BackgroundTask[str] = BackgroundTask("sandtable film", tr("Cancelled. Nothing was saved."))
        self.format, self.speed, self.bar = QComboBox(), QComboBox(), QProgressBar()
        self.save, self.cancel = button_with_tip(tr("Save…"), "", self._ask), QPushButton(tr("Cancel"))
        self.note = wrapping_label()
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._pull)
        self._lay_out()

    def film(self, path: Path) -> None:
        speed = SPEEDS[self.speed.currentIndex()]

        def work() -> str:
            save_film(path, report_of(self._battle), self._pictures, speed, self._task.step)
            return tr("Saved {path}.", path=path)

        try:
            format_of(path)
        except UserError as refusal:
            self.note.setText(capitalized(str(refusal)))
            self.note.setMinimumHeight(self.note.heightForWidth(self.note.width()))
            return
        self.note.clear()
        for widget in (self.format, self.speed, self.save):
            widget.setEnabled(False)
        self.bar.setVisible(True)
        self._task.start(work)
        self._timer.start(_TICK_MS)

    def stop(self) -> None:
        """Cancel, and wait until nothing is written any more."""
        self._task.cancel()
        self._timer.stop()
        self._task.join()

    def reject(self) -> None:
        """Cancel the film, or close the dialog if there is none."""
        if self._task.busy:
            self._task.cancel()
            self.note.setText(tr("Cancelling…"))
        else:
            super().reject()

    def _pull(self) -> None:
        self.bar.setRange(0, 100 if self._task.percent < 100 else 0)  # busy while the pictures are encoded
        self.bar.setValue(self._task.percent)
        if not self._task.busy:
            self._timer.stop()
            self._say(self._task.take() or capitalized(self._task.refusal))
            super().accept()

    def _ask(self) -> None:
        suffix = FORMATS[self.format.currentIndex()].suffix
        kinds = tr("Films ({endings})", endings=f"*{suffix}")
        path = ask_where(self, tr("Save film"), f"{self._battle.path.stem}{suffix}", kinds)
        if path is not None:
            self.film(path)

    def _lay_out(self) -> None:
        self.format.addItems([tr(words) for words in _FORMATS])
        self.speed.addItems([tr(words) for words in _SPEEDS])
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.format.setToolTip(tr("MP4 films may be long; the others are small, and show long battles without motion"))
        self.speed.setToolTip(tr("Normal shows an action for one and a half to three seconds"))
        self.bar.setVisible(False)
        self.bar.setAccessibleName(tr("Progress"))
        buttons = QDialogButtonBox()
        buttons.addButton(self.save, QDialogButtonBox.ButtonRole.ActionRole)
        buttons.addButton(self.cancel, QDialogButtonBox.ButtonRole.RejectRole)
        buttons.rejected.connect(self.reject)
        form = QFormLayout(self)
        form.addRow(tr("Format:"), self.format)
        form.addRow(tr("Speed:"), self.speed)
        form.addRow(self.bar)
        form.addRow(self.note)
        form.addRow(buttons)
        self.resize(420, self.sizeHint().height())


_WIDTH, _HEIGHT = SIZE_PX
_HEADER = QRectF(24, 0, _WIDTH - 48, 64)
_MAP = QRectF(16, 72, 800, 528)
_SIDE = QRectF(840, 72, 416, 528)
_FOOTER = QRectF(24, 608, _WIDTH - 48, 104)
_PICTURE_HEIGHT, _DIE, _GAP = 234.0, 44.0, 10.0
_MOST_DICE = 7  # in a row beside the map
_THROW_HEIGHT, _LINES_HEIGHT = 80.0, 50.0  # a row of dice with one line of text; two lines below all throws
_LARGE, _USUAL, _SMALL = 30, 24, 19
_GROUND: Colour = (28, 32, 38, 255)

_Picture = Callable[[int], bytes | None]


def save_film(path: Path, report: BattleReport, pictures: ThumbnailStore | None, speed: float, step: Step) -> None:
    """Write the film of a battle in the format of the path's ending; `step` receives the progress and may cancel.

    Raises `UserError` for an unknown ending, a battle too long for the format, or a file that cannot be written; also
    whatever `step` raises. Then no file is written.
    """
    film_format, pictured = format_of(path), pictures.seqs if pictures is not None else frozenset()
    pace, total = fitting_pace(report, film_format, speed)

    def painted() -> Iterator[tuple[ImageBgr, float]]:
        painter = FilmPainter(report, pictures.picture if pictures is not None else lambda _: None, film_format.size_px)
        for number, scene in enumerate(film_scenes(report, pictured, pace)):
            step(number, total)
            yield painter.frame(scene), scene.lasts_s
        step(total, total)

    own = text_application()
    write_film(path, painted())
    del own


def fitting_pace(report: BattleReport, film_format: FilmFormat, speed: float) -> tuple[Pace, int]:
    """The smoothest motion with which a film fits into its format, and the number of its pictures."""
    for motion_hz in (film_format.rate_hz, film_format.rate_hz / 2, 0.0):
        pace = Pace(speed, motion_hz)
        total = sum(1 for _ in film_scenes(report, (), pace))
        if film_format.most_pictures is None or total <= film_format.most_pictures:
            return pace, total
    raise user_error(
        "the battle has {total} scenes, but a {ending} film at most {most}: save it as .mp4",
        total=total,
        ending=film_format.suffix,
        most=film_format.most_pictures,
    )


class FilmPainter:
    """Paints the scenes of one film."""

    def __init__(self, report: BattleReport, picture: _Picture, size_px: tuple[int, int]) -> None:
        """Paint pictures of `size_px`, with the table's JPEGs from `picture`."""
        self._extent = extent_of(moment.after for moment in report.moments)
        self._picture, self._size_px = picture, size_px
        self._seq: int | None = None
        self._photo = QImage()
        self._sprites = Sprites()

    def frame(self, scene: Scene) -> ImageBgr:
        image = QImage(*self._size_px, QImage.Format.Format_RGB32)
        image.fill(QColor(*DARK))
        with painting(image) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
            scale = self._size_px[0] / _WIDTH
            (_card if scene.is_card else self._scene)(painter, scene, scale)
        return to_bgr(image)

    def _scene(self, painter: QPainter, scene: Scene, scale: float) -> None:
        self._paint_map(painter, scene, scale)
        painter.setTransform(QTransform.fromScale(scale, scale))
        right = _HEADER.right()
        for score in reversed(scores(scene.state)):
            words = f"{display_name(score.side)} {score.left}/{score.of}"
            right = _score(painter, right, words, army_colour(score.side, scene.state.sides))
        heading = QRectF(_HEADER.topLeft(), QPointF(max(right, _WIDTH / 3), _HEADER.bottom()))
        _row(painter, heading, scene.heading, _USUAL, SILVER, Qt.AlignmentFlag.AlignVCenter)
        top = self._paint_photo(painter, scene.picture)
        most = max(1, int((_SIDE.bottom() - top - _LINES_HEIGHT) / _THROW_HEIGHT))
        for throw in scene.throws[-most:]:  # the last ones decide, because a tie is rolled again
            top = _throw(painter, throw, top)
        lines = "\n".join(scene.lines)
        _text(painter, QRectF(_SIDE.left(), top, _SIDE.width(), _SIDE.bottom() - top), lines, _SMALL, SILVER)
        _text(painter, _FOOTER, scene.title, _LARGE, WHITE, Qt.AlignmentFlag.AlignVCenter, bold=True)

    def _paint_map(self, painter: QPainter, scene: Scene, scale: float) -> None:
        (width, height), shapes = map_shapes(
            scene.state, self._extent, (int(_MAP.width()), int(_MAP.height())), scene.highlighted, scene.marks
        )
        place = QRectF(0, 0, width, height)
        place.moveCenter(_MAP.center())
        painter.setTransform(QTransform.fromScale(scale, scale))
        painter.fillRect(place, QColor(*_GROUND))
        painter.setClipRect(place)
        painter.resetTransform()
        to_frame = QTransform.fromTranslate(place.left() + 0.5, place.top() + 0.5) * QTransform.fromScale(scale, scale)
        paint(painter, shapes, to_frame, 1.2 * max(0.7, scale), sprites=self._sprites)
        painter.setClipping(False)

    def _paint_photo(self, painter: QPainter, seq: int | None) -> float:
        """Paint the picture of the table and return where the place below it begins."""
        if seq is None:
            return _SIDE.top()
        if seq != self._seq:
            self._seq, self._photo = seq, QImage.fromData(self._picture(seq) or b"", "JPG")
        if self._photo.isNull():
            return _SIDE.top()
        width = min(_SIDE.width(), _PICTURE_HEIGHT * self._photo.width() / self._photo.height())
        place = QRectF(_SIDE.topLeft(), QSizeF(width, width * self._photo.height() / self._photo.width()))
        painter.drawImage(place, self._photo)
        return place.bottom() + _GAP


def _card(painter: QPainter, scene: Scene, scale: float) -> None:
    """The title and the score, in the middle of the picture."""
    painter.setTransform(QTransform.fromScale(scale, scale))
    middle = Qt.AlignmentFlag.AlignCenter
    _text(painter, QRectF(80, 90, _WIDTH - 160, 50), scene.heading, _LARGE, SILVER, middle)
    _row(painter, QRectF(80, 150, _WIDTH - 160, 130), scene.title, 48, WHITE, middle, bold=True)
    found = scores(scene.state)
    for number, score in enumerate(found):
        colour, top = army_colour(score.side, scene.state.sides), 320 + 56 * number
        words = tr("{side}: {left} of {of}", side=display_name(score.side), left=score.left, of=score.of)
        _row(painter, QRectF(80, top, _WIDTH - 160, 56), words, 36, colour, middle, bold=True)
    top = 340 + 56 * len(found)
    lines = QRectF(140, top, _WIDTH - 280, _HEIGHT - 30 - top)
    _text(painter, lines, "\n".join(scene.lines), _SMALL, SILVER, Qt.AlignmentFlag.AlignHCenter)


def _score(painter: QPainter, right: float, words: str, colour: Colour) -> float:
    """Paint a side's score that ends at `right`; return where the next one ends."""
    painter.setFont(_font(painter, _USUAL, bold=True))
    width = min(painter.fontMetrics().horizontalAdvance(words) + 2.0, 260.0)  # long names are shortened
    box = QRectF(right - width, _HEADER.top(), width, _HEADER.height())
    _row(painter, box, words, _USUAL, colour, Qt.AlignmentFlag.AlignVCenter, bold=True)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(*colour))
    painter.drawEllipse(QPointF(box.left() - 16, box.center().y()), 8, 8)
    return box.left() - 48


def _throw(painter: QPainter, throw: Throw, top: float) -> float:
    """Paint the dice of a throw with its purpose; return where the place below them begins."""
    if top + _DIE > _SIDE.bottom():
        return top
    die = Die[throw.die] if throw.die in Die.__members__ else None
    shown = [face for face in throw.faces if die is not None and face in die.faces]
    for place, face in enumerate(shown[:_MOST_DICE]):
        box = QRectF(_SIDE.left() + place * (_DIE + _GAP), top, _DIE, _DIE)
        paint_die(painter, box, die or Die.D6, face)
    if len(shown) > _MOST_DICE:
        _text(painter, QRectF(_SIDE.right() - 36, top, 40, _DIE), f"+{len(shown) - _MOST_DICE}", _SMALL, WHITE)
    below = QRectF(_SIDE.left(), top + _DIE + 4, _SIDE.width(), 2.6 * _SMALL)
    return _text(painter, below, throw_purpose(throw), _SMALL, WHITE) + _GAP


def _text(
    painter: QPainter,
    box: QRectF,
    words: str,
    size: int,
    colour: Colour,
    align: Qt.AlignmentFlag = Qt.AlignmentFlag.AlignTop,
    *,
    bold: bool = False,
) -> float:
    """Paint text that is wrapped and clipped to its box; return where it ends."""
    painter.setFont(_font(painter, size, bold=bold))
    painter.setPen(QColor(*colour))
    flags = align | Qt.TextFlag.TextWordWrap
    painter.drawText(box, flags, words)
    return min(painter.boundingRect(box, flags, words).bottom(), box.bottom())


def _row(
    painter: QPainter,
    box: QRectF,
    words: str,
    size: int,
    colour: Colour,
    align: Qt.AlignmentFlag,
    *,
    bold: bool = False,
) -> None:
    """Paint text on one line, shortened to the width of its box."""
    painter.setFont(_font(painter, size, bold=bold))
    short = painter.fontMetrics().elidedText(" ".join(words.split()), Qt.TextElideMode.ElideRight, int(box.width()))
    _text(painter, box, short, size, colour, align, bold=bold)


def _font(painter: QPainter, size: int, *, bold: bool) -> QFont:
    font = QFont(painter.font())
    font.setPixelSize(size)
    font.setBold(bold)
    return font
