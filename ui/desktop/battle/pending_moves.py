"""Moves that the camera saw and that wait for the players' answer: the list in the panel, and plates on the table."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from textwrap import shorten

import numpy as np
from PyQt6.QtCore import QEvent, QLineF, QObject, QPoint, QPointF, QSize, Qt, pyqtSignal
from PyQt6.QtWidgets import QFrame, QLabel, QToolButton, QVBoxLayout, QWidget

from calibration.camera import TableCamera
from calibration.solve import Calibration
from rules.engine.ambiguity import NEARER
from rules.engine.position import Position
from rules.tabletop.path import Path
from rules.tabletop.table import PointIn
from ui.battle.action_text import doubt_words, refusal_words
from ui.battle.battle_session import BattleSession, Proposal
from ui.desktop.picture.view import PictureView
from ui.desktop.theme import make_primary
from ui.desktop.widgets import (
    Scrolled,
    button_with_tip,
    clear_layout,
    described,
    in_column,
    in_row,
    literal_text,
    plain_label,
    wrapping_label,
)
from ui.formatting import capitalized, sentence
from ui.picture.placement import Box, Taken, placed
from ui.picture.shapes import Line, PointPx
from ui.rules_text import display_name, translated
from ui.translation import tr, tr_count

_AGREED = "agreed at the table"
_MOST_LETTERS = 48
"""Two lines of a plate on the table."""

_MANY = 3
"""This many forbidden moves at once mean a table that was set up again."""

_MARGIN_PX = 4
"""Room for the frame that the guide lays around the list."""

_LEAST_LINES, _MOST_LINES = 5, 10
"""Height of the list: one move gets what it needs, several get the most."""


@dataclass(frozen=True, slots=True)
class DecisionButton:
    """A button.

    Attributes:
        words: Its text.
        tip: Its tooltip.
        does: Called on a click.
        sign: A single character for where there is little room.
    """

    words: str
    tip: str
    does: Callable[[], object]
    sign: str = ""


@dataclass(frozen=True, slots=True)
class PendingMove:
    """A move that waits for an answer.

    Attributes:
        words: What moved how far, and why the rules forbid it if they do.
        short: The same in a few words, for the table.
        at_in: Where it ended.
        buttons: The possible answers.
        is_legal: Whether the rules allow it.
        paths: The ways that the soldiers went.
        details: All reasons of the rules, for a forbidden move.
    """

    words: str
    short: str
    at_in: PointIn
    buttons: tuple[DecisionButton, ...]
    is_legal: bool
    paths: tuple[Path, ...] = ()
    details: str = ""


def keys_of(moves: Sequence[PendingMove]) -> tuple[tuple[str, ...], ...]:
    """What moves look like to the players; two lists with the same keys need not be shown again."""
    return tuple((move.words, *(button.words for button in move.buttons)) for move in moves)


class PendingMoves(QWidget):
    """A list of moves with the possible answers; it scrolls and never grows beyond a part of the window.

    Signals:
        all_accepted: The players accept all moves that the rules allow.
        none_accepted: None was a move: all soldiers belong where they stand now.
    """

    all_accepted = pyqtSignal()
    none_accepted = pyqtSignal()

    def __init__(self) -> None:
        super().__init__()
        self._title, self._rows = plain_label(), QVBoxLayout()
        tip = tr("Accept all moves that the rules allow")
        self._all = button_with_tip("", tip, self.all_accepted.emit)
        tip = tr("The table was set up again: all soldiers belong where they stand now")
        self._none = button_with_tip(tr("None was a move"), tip, self.none_accepted.emit)
        self._none.setVisible(False)  # it must not widen the panel before its first moves
        make_primary(self._all)
        self._rows.setContentsMargins(0, 0, 0, 0)
        inner = QWidget()
        inner.setLayout(self._rows)
        self._scroll = Scrolled(inner, _LEAST_LINES * self.fontMetrics().lineSpacing())
        self._scroll.setAccessibleName(tr("Moves to answer"))
        in_column(self._title, in_row((self._none, 1), (self._all, 1)), self._scroll, on=self, margin=_MARGIN_PX)
        self._moves: tuple[PendingMove, ...] = ()
        self.setVisible(False)

    def show_moves(self, moves: Sequence[PendingMove]) -> None:
        """Show these moves; if they have not changed, their buttons stay untouched under the mouse."""
        before, self._moves = self._moves, tuple(moves)
        if keys_of(moves) == keys_of(before):
            return
        self.setVisible(bool(moves))
        legal = sum(move.is_legal for move in moves)
        self._title.setText(tr_count("{count} move to answer", "{count} moves to answer", len(moves)))
        self._all.setText(tr("Accept all {count}", count=legal))
        self._all.setVisible(legal > 1)
        self._none.setVisible(len(moves) - legal >= _MANY)
        clear_layout(self._rows)
        for row, move in enumerate(moves):
            self._rows.addWidget(self._row(row, move))
        self._rows.addStretch(1)
        most_px = _MOST_LINES * self.fontMetrics().lineSpacing()
        self._scroll.setMinimumHeight(0 if len(moves) == 1 else most_px)
        self._scroll.setMaximumHeight(most_px)

    def _row(self, row: int, move: PendingMove) -> QWidget:
        shown, answers = QWidget(), []
        for number, decision in enumerate(move.buttons):
            tip = literal_text(decision.tip)
            answers.append(button_with_tip(decision.words, tip, partial(self._answer, row, number)))
            answers[-1].setAccessibleName(f"{decision.words}: {move.words}")
        label = wrapping_label(move.words)
        label.setToolTip(literal_text(move.details))
        in_column(label, in_row(*answers), on=shown, margin=(0, 0, 0, 4))
        return shown

    def _answer(self, row: int, number: int) -> None:
        self._moves[row].buttons[number].does()


def pending_move(
    play: BattleSession, position: Position, proposal: Proposal, after: Callable[[Callable[[], object]], object]
) -> PendingMove:
    """A move that the camera saw in a battle, with its answers; ambiguities are decided first.

    `after` applies a change to the battle and shows the result.
    """
    words, short, details, preview = f"{proposal.words}.", proposal.short_words, "", proposal.preview
    buttons: tuple[DecisionButton, ...]
    if preview.ambiguities:
        short = tr("Too close to call")
        words, buttons = _doubtful(play, position, proposal, after)
    else:
        nudged = tr("It was only nudged; take nothing off the allowance")
        nudge = DecisionButton(tr("Just a nudge"), nudged, lambda: after(lambda: play.only_shifted(proposal)), "✗")
        if preview.possible:
            tip = tr("Take the move off the soldier's allowance")
            first = DecisionButton(tr("Accept"), tip, lambda: after(lambda: play.accept(position, proposal)), "✓")
        else:
            why_not = refusal_words(preview)
            left, used = _allowance_words(position, proposal, play.left_in(position, proposal))
            short = tr("No: {why_not}", why_not=f"{short}, {left}" if left else few_words(why_not))
            details = sentence(_one_decimal(why_not))
            decisive = sentence(_one_decimal(why_not.rpartition("); ")[2]))  # the last of the reasons
            why_not = ". ".join(filter(None, (used, decisive)))
            words = " ".join((words, tr("The rules forbid it: {why_not}", why_not=why_not)))
            tip = tr("Count it as a move anyway")
            first = DecisionButton(
                tr("Allow anyway"), tip, lambda: after(lambda: play.let_pass(position, proposal, _AGREED)), "✓"
            )
            if play.has_hand:
                tip = tr("Put the soldier back where it was")
                nudge = DecisionButton(tr("Put back"), tip, lambda: after(lambda: play.put_back(proposal)), "✗")
        buttons = (first, nudge)
    paths = tuple(proposal.paths.values())
    if len(paths) == 1:  # a plate may stand nearer to another soldier
        short = f"{display_name(next(iter(proposal.paths))).rpartition(' ')[2]} · {short}"
    return PendingMove(words, short, proposal.end_in, buttons, proposal.is_legal, paths, details)


def _allowance_words(position: Position, proposal: Proposal, left_in: float | None) -> tuple[str, str]:
    """The allowance if it is too short for the move, in a few words and with what earlier moves used; else empty."""
    before = proposal.preview.before
    cost_in = float(before.numbers.get("cost_in") or 0.0) if before is not None else 0.0
    if left_in is None or max(proposal.distance_in, cost_in) <= left_in:
        return "", ""
    if proposal.distance_in <= left_in:  # turns and rough ground cost more than the way
        costs = tr("it costs {cost_in:.1f} in of {left_in:.1f} in", cost_in=cost_in, left_in=left_in)
        return costs, capitalized(costs)
    used_in = max(position.unit(name).allowance_used_in for name in proposal.paths)
    if not used_in:
        allowed = tr("{left_in:.1f} in allowed", left_in=left_in)
        return allowed, allowed
    whole = tr("{left_in:.1f} in left after {used_in:.1f} in before", left_in=left_in, used_in=used_in)
    return tr("{left_in:.1f} in left", left_in=left_in), whole


def few_words(reason: str) -> str:
    """The last of the reasons, which decides, without numbers of rules; of a long one its first short part."""
    decisive = re.sub(r"\s*\([^)]*\)", "", reason.split("); ")[-1])
    words = _one_decimal(decisive).removesuffix(".")
    short = (part for part in (words, *re.split("[;:] ", words)) if len(part) <= _MOST_LETTERS)
    return next(short, "") or shorten(words, _MOST_LETTERS, placeholder="…")


def _one_decimal(words: str) -> str:
    return re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", words)


def _doubtful(
    play: BattleSession, position: Position, proposal: Proposal, after: Callable[[Callable[[], object]], object]
) -> tuple[str, tuple[DecisionButton, ...]]:
    """What is too close to call about a move, and the buttons that decide it; an answer that allows it accepts it."""
    ambiguity = proposal.preview.ambiguities[0]
    question = translated(ambiguity.question)
    if not ambiguity.question.rpartition(": ")[2].startswith("how far"):
        words = tr("Too close to call: {question}.", question=doubt_words(ambiguity))
        decides = [(answer, partial(play.settle, ambiguity, answer)) for answer in ambiguity.answers]
        buttons = [DecisionButton(capitalized(translated(one)), question, partial(after, do)) for one, do in decides]
        return words, tuple(buttons)
    limit_in = play.left_in(position, proposal)
    if limit_in is None and str(ambiguity.fact[-1]).endswith("_in"):
        limit_in = ambiguity.limit  # what the rules compare a run with
    words, limit = tr("Too close to call: {question}.", question=proposal.words), ""
    if limit_in is not None:
        words = tr("Too close to call: {move} of {left_in:.3g} in.", move=proposal.words, left_in=limit_in)
        limit = f"{limit_in:.3g} in"
    allowing = [one for one in ambiguity.answers if play.settled(position, proposal, one).is_legal] or [NEARER]
    return words, tuple(
        DecisionButton(
            tr("Allow") if answer in allowing else tr("Forbid"),
            question,
            partial(after, partial(play.settle_move, position, proposal, answer, limit)),
            "✓" if answer in allowing else "✗",
        )
        for answer in sorted(ambiguity.answers, key=lambda one: one not in allowing)
    )


_GAPS_PX = (2.0, 12.0, 28.0, 56.0)
_WIDEST_PX = 240
"""The width at which the text of a plate wraps; then it is made as narrow as its lines allow."""
_STEP_PX, _WAY_PX = 8, 4
_MOVES = (QEvent.Type.Show, QEvent.Type.Hide, QEvent.Type.Move, QEvent.Type.Resize)
_REACH_PX = 16.0  # half the size of a soldier on the screen
_STYLE = """
QFrame { background: rgb(24, 27, 33); border: 1px solid white; border-radius: 6px; }
QLabel { color: white; border: none; font-size: 14px; font-weight: bold; }
QToolButton { color: white; background: rgb(58, 64, 74); border: none; border-radius: 4px; padding: 1px 3px;
  min-width: 18px; font-size: 15px; font-weight: bold; }
QToolButton:hover { background: rgb(0, 114, 178); }
"""


class MovePills(QObject):
    """The plates over one picture; the panel lists the same answers for the keyboard."""

    def __init__(self, picture: PictureView) -> None:
        super().__init__(picture)
        self._picture = picture
        self._calibration: Calibration | None = None
        self._given: tuple[PendingMove, ...] = ()
        self._taken = Taken()
        self.pills: list[_Pill] = []
        self._others: list[QWidget] = []
        picture.shifted.connect(self._arrange)

    def keep_off(self, other: QWidget) -> None:
        """Keep the plates off another widget over the picture, wherever it is."""
        self._others.append(other)
        other.installEventFilter(self)

    def eventFilter(self, _: QObject | None, event: QEvent | None) -> bool:
        """Make room when another widget appears or moves."""
        if event is not None and event.type() in _MOVES and self._given:
            self._arrange()
        return False

    def show_moves(self, moves: Sequence[PendingMove], calibration: Calibration | None) -> None:
        """Show these moves, each at its end; `calibration` is that of the shown picture, None for no moves."""
        moves = tuple(moves) if calibration is not None else ()
        if moves is self._given and calibration is self._calibration and self._picture.taken is self._taken:
            return
        is_new = keys_of(moves) != keys_of(self._given)
        self._given, self._calibration = moves, calibration
        if is_new:  # else the buttons stay untouched under the mouse
            for old in self.pills:
                old.hide()
                old.deleteLater()
            self.pills = [_Pill(move, partial(self._answer, row), self._picture) for row, move in enumerate(moves)]
        self._arrange()

    def _arrange(self) -> None:
        """Put each plate beside its soldier, off plates, numbers and ways; hide those whose soldier is out of sight.

        In a crowd a plate shows its buttons only, and one without any room off the other plates is hidden: the panel
        lists its move, too.
        """
        picture, covered = self._picture, list[Box]()
        if self._calibration is None or not self._given:
            picture.cover(())
            return
        camera, self._taken = self._calibration.camera, picture.taken
        within = (0.0, 0.0, float(picture.width()), float(picture.height()))
        covered += map(self._box_of, filter(QWidget.isVisible, self._others))
        boxes = (*covered, *map(self._box, self._bodies()), *self._taken.boxes, *self._ways(camera))
        taken = Taken(boxes, within)
        ends = camera.table_to_pixel([(*move.at_in, 0.0) for move in self._given])
        for pill, end in zip(self.pills, ends, strict=True):
            at = picture.to_widget((float(end[0]), float(end[1]))) if np.isfinite(end).all() else QPointF(-1, -1)
            box = None
            if picture.rect().contains(at.toPoint()):
                tries = ((pill.whole_px, taken), (pill.small_px, taken), (pill.small_px, Taken(tuple(covered), within)))
                box = next((one for size, off in tries if (one := _beside(at, size, off)) is not None), None)
            pill.setVisible(box is not None)
            if box is not None:
                taken = taken.and_boxes([box])
                covered.append(box)
                pill.put(box)
        picture.cover(tuple(covered))

    def _ways(self, camera: TableCamera) -> Iterator[Box]:
        """Small boxes along the ways of all moves."""
        for path in itertools.chain.from_iterable(move.paths for move in self._given):
            ends = camera.table_to_pixel([(*place, 0.0) for place in path])
            if np.isfinite(ends).all():
                for a, b in itertools.pairwise(self._picture.to_widget((float(u), float(v))) for u, v in ends):
                    for part in np.linspace(0.0, 1.0, 2 + int(QLineF(a, b).length() / _STEP_PX)):
                        x, y = (a + (b - a) * float(part)).x(), (a + (b - a) * float(part)).y()
                        yield (x - _WAY_PX, y - _WAY_PX, x + _WAY_PX, y + _WAY_PX)

    def _bodies(self) -> list[tuple[PointPx, ...]]:
        """The soldiers and their badges."""
        shapes = (shape for shape in self._picture.shapes if isinstance(shape, Line) and shape.closed)
        return [body for shape in shapes for body in shape.keep_clear if body]

    def _box(self, points_px: Sequence[PointPx]) -> Box:
        xs, ys = zip(*points_px, strict=True)
        low, high = self._picture.to_widget((min(xs), min(ys))), self._picture.to_widget((max(xs), max(ys)))
        return (low.x(), low.y(), high.x(), high.y())

    def _box_of(self, other: QWidget) -> Box:
        low = self._picture.mapFromGlobal(other.mapToGlobal(QPoint(0, 0)))
        return (low.x(), low.y(), low.x() + other.width(), low.y() + other.height())

    def _answer(self, row: int, number: int) -> None:
        self._given[row].buttons[number].does()


class _Pill(QFrame):
    """The plate of one move.

    Attributes:
        whole_px, small_px: Its size, and that of its buttons alone.
    """

    def __init__(self, move: PendingMove, answer: Callable[[int], object], picture: QWidget) -> None:
        super().__init__(picture)
        self.setStyleSheet(_STYLE)
        self.setCursor(Qt.CursorShape.ArrowCursor)
        described(self, move.words, literal_text(move.words))
        self._words, buttons = _words_of(move, self), []
        for number, decision in enumerate(move.buttons):
            button = QToolButton()
            button.setText(decision.sign or decision.words)
            described(button, f"{decision.words}: {move.words}", literal_text(f"{decision.words}: {decision.tip}"))
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # by keys the moves are answered in the panel
            button.clicked.connect(lambda _, number=number: answer(number))
            buttons.append(button)
        layout = in_row(self._words, *buttons, on=self, margin=(6, 2, 2, 2))
        layout.setSpacing(3)
        self.whole_px = self.sizeHint()
        self.small_px = self.whole_px - QSize(self._words.sizeHint().width() + layout.spacing(), 0)

    def put(self, box: Box) -> None:
        """Fill a box; without its words if that is small."""
        width = round(box[2] - box[0])
        self._words.setVisible(width > self.small_px.width())
        self.setGeometry(round(box[0]), round(box[1]), width, round(box[3] - box[1]))


def _beside(at: QPointF, size: QSize, taken: Taken) -> Box | None:
    """Room for a plate of this size beside the soldier there, off what is taken; None without any."""
    room = (float(size.width()), float(size.height()))
    around = (at.x() - _REACH_PX, at.y() - _REACH_PX, at.x() + _REACH_PX, at.y() + _REACH_PX)
    best = (at.x(), around[1] - room[1] / 2 - _GAPS_PX[0])
    return placed(room, best, around, taken, _GAPS_PX, optional=True)


def _words_of(move: PendingMove, pill: QFrame) -> QLabel:
    """A move's text, in several lines of nearly the same length if it is long."""
    label = plain_label(move.short)
    label.setParent(pill)
    label.ensurePolished()  # its width depends on the font of the plates
    if label.sizeHint().width() > _WIDEST_PX:
        label.setWordWrap(True)
        height_px = label.heightForWidth(_WIDEST_PX)
        widths = range(_WIDEST_PX // 2, _WIDEST_PX + 1, _STEP_PX)
        label.setFixedSize(next(width for width in widths if label.heightForWidth(width) <= height_px), height_px)
    return label
