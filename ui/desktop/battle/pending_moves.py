"""Buttons for decisions that wait for the players, such as moves that the camera saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PyQt6.QtWidgets import QLayout, QPushButton, QVBoxLayout, QWidget

from rules.engine.position import Position
from rules.engine.referee import NEARER, Ambiguity
from ui.battle.action_text import refusal_words
from ui.battle.battle_session import BattleSession, Proposal
from ui.desktop.labels import literal_text, wrapping_label
from ui.formatting import sentence
from ui.translation import tr


@dataclass(frozen=True, slots=True)
class DecisionButton:
    """A button.

    Attributes:
        words: Its text.
        tip: Its tooltip.
        does: Called on a click.
        why: Text above the button; empty for none.
    """

    words: str
    tip: str
    does: Callable[[], object]
    why: str = ""


class PendingMoves(QWidget):
    """A list of buttons with texts above them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._shown: tuple[str, ...] = ()
        self.setVisible(False)

    def show_buttons(self, actions: Sequence[DecisionButton]) -> None:
        """Show these buttons; if they have not changed, they stay untouched under the mouse."""
        words = tuple(f"{decision.words}\n{decision.why}" for decision in actions)
        if words == self._shown:
            return
        self._shown = words
        self.setVisible(bool(actions))
        clear_layout(self._layout)
        for decision in actions:
            if decision.why:
                self._layout.addWidget(wrapping_label(decision.why))
            button = QPushButton(decision.words)
            button.setToolTip(literal_text(decision.tip))
            button.clicked.connect(partial(_call, decision.does))
            self._layout.addWidget(button)


def clear_layout(layout: QLayout) -> None:
    """Delete all widgets of a layout."""
    while (old := layout.takeAt(0)) is not None:
        if (widget := old.widget()) is not None:
            widget.deleteLater()


def proposal_buttons(
    proposal: Proposal,
    accept: Callable[[], object],
    shifted: Callable[[], object],
    let_pass: Callable[[], object],
) -> tuple[DecisionButton, ...]:
    """The buttons for a move that the camera saw."""
    if proposal.preview.possible:
        first = DecisionButton(
            tr("Take off"), tr("Take the move off the soldier's allowance"), accept, f"{proposal.words}."
        )
    else:
        why = tr("The rules forbid it: {why_not}", why_not=sentence(refusal_words(proposal.preview)))
        first = DecisionButton(
            tr("Allow anyway"),
            tr("Count it as a move anyway"),
            let_pass,
            f"{proposal.words}. {why}",
        )
    nudged = tr("It was only nudged; take nothing off the allowance")
    return (first, DecisionButton(tr("Just a nudge"), nudged, shifted))


def move_buttons(
    play: BattleSession,
    position: Position,
    proposal: Proposal,
    after: Callable[[Callable[[], object]], object],
) -> tuple[DecisionButton, ...]:
    """The buttons for a move that the camera saw in a battle; ambiguities are decided first.

    Args:
        play, position: The battle and its position.
        proposal: The move.
        after: Applies a change to the battle and shows the result.
    """
    if not proposal.preview.ambiguities:
        return proposal_buttons(
            proposal,
            lambda: after(lambda: play.accept(position, proposal)),
            lambda: after(lambda: play.only_shifted(proposal)),
            lambda: after(lambda: play.let_pass(position, proposal, "agreed at the table")),
        )
    ambiguity, left_in = proposal.preview.ambiguities[0], play.left_in(position, proposal)
    limit = "" if left_in is None or not _is_far(ambiguity) else f"{left_in:.3g} in"
    return ambiguity_buttons(
        proposal, ambiguity, left_in, lambda answer: after(lambda: play.settle(ambiguity, answer, limit))
    )


def _is_far(ambiguity: Ambiguity) -> bool:
    """Whether the ambiguity is about a distance moved."""
    return ambiguity.question.rpartition(": ")[2].startswith("how far")


def ambiguity_buttons(
    proposal: Proposal, ambiguity: Ambiguity, left_in: float | None, settle: Callable[[str], object]
) -> tuple[DecisionButton, ...]:
    """The buttons that decide an ambiguity of a move.

    Args:
        proposal: The move.
        ambiguity: The ambiguity.
        left_in: Allowance left before the move; None if unknown.
        settle: Receives the answer.
    """
    of = "" if left_in is None else f" of {left_in:.3g} in"
    what = ambiguity.question.rpartition(": ")[2]
    far = _is_far(ambiguity)
    title = f"Too close to call: {proposal.words}{of}." if far else f"Too close to call: {what}."
    texts = {answer: (tr("Allow") if answer == NEARER else tr("Forbid")) for answer in ambiguity.answers}
    return tuple(
        DecisionButton(
            texts[answer] if far else answer.capitalize(),
            ambiguity.question,
            partial(settle, answer),
            title if number == 0 else "",
        )
        for number, answer in enumerate(ambiguity.answers)
    )


def _call(action: Callable[[], object], _: bool = False) -> None:
    action()
