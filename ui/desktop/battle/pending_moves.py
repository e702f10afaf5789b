"""Moves that the camera saw and that wait for the players' answer: what to say and the list in the panel."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PyQt6.QtWidgets import QLayout, QPushButton, QVBoxLayout, QWidget

from rules.engine.position import Position
from rules.engine.referee import NEARER, Ambiguity
from rules.tabletop.table import PointIn
from ui.battle.action_text import refusal_words
from ui.battle.battle_session import BattleSession, Proposal
from ui.desktop.labels import literal_text, plain_label, wrapping_label
from ui.desktop.layouts import button_with_tip, in_column, in_row
from ui.desktop.scrolled import Scrolled
from ui.desktop.theme import make_primary
from ui.formatting import sentence
from ui.translation import tr, tr_count

_AGREED = "agreed at the table"
_MOST_WORDS = 14
"""Two lines of a plate on the table."""


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
    """

    words: str
    short: str
    at_in: PointIn
    buttons: tuple[DecisionButton, ...]
    is_legal: bool


def keys_of(moves: Sequence[PendingMove]) -> tuple[tuple[str, ...], ...]:
    """What moves look like to the players; two lists with the same keys need not be shown again."""
    return tuple((move.words, *(button.words for button in move.buttons)) for move in moves)


class PendingMoves(QWidget):
    """A list of moves with the possible answers; it scrolls and never grows beyond a part of the window."""

    def __init__(self) -> None:
        super().__init__()
        self._all, self._rows = QPushButton(), QVBoxLayout()
        self._title = plain_label()
        self._all.setToolTip(tr("Accept all moves that the rules allow"))
        self._all.clicked.connect(lambda: self._accept_all())
        make_primary(self._all)
        self._accept_all: Callable[[], object] = lambda: None
        self._rows.setContentsMargins(0, 0, 0, 0)
        inner = QWidget()
        inner.setLayout(self._rows)
        self._scroll = Scrolled(inner, _LEAST_LINES * self.fontMetrics().lineSpacing())
        self._scroll.setAccessibleName(tr("Moves to answer"))
        in_column(in_row((self._title, 1), self._all), self._scroll, on=self, margin=0)
        self._moves: tuple[PendingMove, ...] = ()
        self.setVisible(False)

    def show_moves(self, moves: Sequence[PendingMove], accept_all: Callable[[], object]) -> None:
        """Show these moves; if they have not changed, their buttons stay untouched under the mouse."""
        self._accept_all = accept_all
        before, self._moves = self._moves, tuple(moves)
        if keys_of(moves) == keys_of(before):
            return
        self.setVisible(bool(moves))
        legal = sum(move.is_legal for move in moves)
        self._title.setText(tr_count("{count} move to answer", "{count} moves to answer", len(moves)))
        self._all.setText(tr("Accept all {count}", count=legal))
        self._all.setVisible(legal > 1)
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
        in_column(wrapping_label(move.words), in_row(*answers), on=shown, margin=(0, 0, 0, 4))
        return shown

    def _answer(self, row: int, number: int) -> None:
        self._moves[row].buttons[number].does()


def clear_layout(layout: QLayout) -> None:
    """Delete all widgets of a layout."""
    while (old := layout.takeAt(0)) is not None:
        if (widget := old.widget()) is not None:
            widget.hide()  # at once; Qt deletes it later
            widget.deleteLater()


def pending_move(
    play: BattleSession, position: Position, proposal: Proposal, after: Callable[[Callable[[], object]], object]
) -> PendingMove:
    """A move that the camera saw in a battle, with its answers; ambiguities are decided first.

    `after` applies a change to the battle and shows the result.
    """
    words, short, preview = f"{proposal.words}.", proposal.short_words, proposal.preview
    buttons: tuple[DecisionButton, ...]
    if preview.ambiguities:
        ambiguity, left_in = preview.ambiguities[0], play.left_in(position, proposal)
        limit = "" if left_in is None or not _is_far(ambiguity) else f"{left_in:.3g} in"
        words, short = _doubt_words(proposal, ambiguity, left_in), tr("Too close to call")
        buttons = _ambiguity_buttons(ambiguity, lambda answer: after(lambda: play.settle(ambiguity, answer, limit)))
    else:
        nudged = tr("It was only nudged; take nothing off the allowance")
        nudge = DecisionButton(tr("Just a nudge"), nudged, lambda: after(lambda: play.only_shifted(proposal)), "✗")
        if preview.possible:
            tip = tr("Take the move off the soldier's allowance")
            first = DecisionButton(tr("Accept"), tip, lambda: after(lambda: play.accept(position, proposal)), "✓")
        else:
            why_not = refusal_words(preview)
            words = " ".join((words, tr("The rules forbid it: {why_not}", why_not=sentence(_one_decimal(why_not)))))
            short = tr("No: {why_not}", why_not=few_words(why_not))
            tip = tr("Count it as a move anyway")
            first = DecisionButton(
                tr("Allow anyway"), tip, lambda: after(lambda: play.let_pass(position, proposal, _AGREED)), "✓"
            )
        buttons = (first, nudge)
    return PendingMove(words, short, proposal.end_in, buttons, proposal.is_legal)


def few_words(reason: str) -> str:
    """The last of the reasons, which decides, without numbers of rules; only the beginning of a long one."""
    short = re.sub(r"\s*\([^)]*\)", "", reason.split("); ")[-1])
    words = _one_decimal(short).split()
    return " ".join(words[:_MOST_WORDS]) + "…" if len(words) > _MOST_WORDS else " ".join(words).removesuffix(".")


def _one_decimal(words: str) -> str:
    return re.sub(r"\d+\.\d{2,}", lambda number: f"{float(number[0]):.1f}", words)


def _is_far(ambiguity: Ambiguity) -> bool:
    """Whether the ambiguity is about a distance moved."""
    return ambiguity.question.rpartition(": ")[2].startswith("how far")


def _doubt_words(proposal: Proposal, ambiguity: Ambiguity, left_in: float | None) -> str:
    """What is too close to call; `left_in` is the allowance left before the move, None if unknown."""
    if _is_far(ambiguity):
        if left_in is None:
            return tr("Too close to call: {question}.", question=proposal.words)
        return tr("Too close to call: {move} of {left_in:.3g} in.", move=proposal.words, left_in=left_in)
    return tr("Too close to call: {question}.", question=ambiguity.question.rpartition(": ")[2])


def _ambiguity_buttons(ambiguity: Ambiguity, settle: Callable[[str], object]) -> tuple[DecisionButton, ...]:
    """The buttons that decide an ambiguity of a move; `settle` receives the answer."""
    far = _is_far(ambiguity)
    return tuple(
        DecisionButton(
            (tr("Allow") if answer == NEARER else tr("Forbid")) if far else answer.capitalize(),
            ambiguity.question,
            partial(settle, answer),
            ("✓" if answer == NEARER else "✗") if far else "",
        )
        for answer in ambiguity.answers
    )
