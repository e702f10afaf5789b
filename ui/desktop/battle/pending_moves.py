"""Buttons for decisions that wait for the players, such as moves that the camera saw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PyQt6.QtWidgets import QLayout, QPushButton, QVBoxLayout, QWidget

from rules.position import Moment
from rules.referee import NEARER, Ambiguity
from ui.battle.action_text import refusal_words
from ui.battle.battle_session import Play, Proposal
from ui.desktop.labels import as_typed, word_label
from ui.desktop.translation import tr
from ui.formatting import sentence


@dataclass(frozen=True, slots=True)
class Way:
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


class WaysStrip(QWidget):
    """A list of buttons with texts above them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._shown: tuple[str, ...] = ()
        self.setVisible(False)

    def show_ways(self, ways: Sequence[Way]) -> None:
        """Show these buttons; if they have not changed, they stay untouched under the mouse."""
        words = tuple(f"{way.words}\n{way.why}" for way in ways)
        if words == self._shown:
            return
        self._shown = words
        self.setVisible(bool(ways))
        emptied(self._layout)
        for way in ways:
            if way.why:
                self._layout.addWidget(word_label(way.why))
            button = QPushButton(way.words)
            button.setToolTip(as_typed(way.tip))
            button.clicked.connect(partial(_call, way.does))
            self._layout.addWidget(button)


def emptied(layout: QLayout) -> None:
    """Delete all widgets of a layout."""
    while (old := layout.takeAt(0)) is not None:
        if (widget := old.widget()) is not None:
            widget.deleteLater()


def ways_of(
    proposal: Proposal,
    accept: Callable[[], object],
    shifted: Callable[[], object],
    let_pass: Callable[[], object],
) -> tuple[Way, ...]:
    """The buttons for a move that the camera saw."""
    if proposal.prospect.possible:
        first = Way(tr("Take off"), tr("Take the move off the soldier's allowance"), accept, f"{proposal.words}.")
    else:
        why = tr("The rules forbid it: {why_not}", why_not=sentence(refusal_words(proposal.prospect)))
        first = Way(
            tr("Allow"),
            tr("Count it as a move anyway"),
            let_pass,
            f"{proposal.words}. {why}",
        )
    nudged = tr("It was only nudged; take nothing off the allowance")
    return (first, Way(tr("Ignore"), nudged, shifted))


def seen_ways(
    play: Play,
    moment: Moment,
    proposal: Proposal,
    after: Callable[[Callable[[], object]], object],
) -> tuple[Way, ...]:
    """The buttons for a move that the camera saw in a battle; ambiguities are decided first.

    Args:
        play, moment: The battle and its position.
        proposal: The move.
        after: Applies a change to the battle and shows the result.
    """
    if not proposal.prospect.doubts:
        return ways_of(
            proposal,
            lambda: after(lambda: play.accept(moment, proposal)),
            lambda: after(lambda: play.only_shifted(proposal)),
            lambda: after(lambda: play.let_pass(moment, proposal, "agreed at the table")),
        )
    doubt, left_in = proposal.prospect.doubts[0], play.left_in(moment, proposal)
    limit = "" if left_in is None or not _is_far(doubt) else f"{left_in:.3g} in"
    return doubt_ways(proposal, doubt, left_in, lambda answer: after(lambda: play.settle(doubt, answer, limit)))


def _is_far(doubt: Ambiguity) -> bool:
    """Whether the ambiguity is about a distance moved."""
    return doubt.question.rpartition(": ")[2].startswith("how far")


def doubt_ways(
    proposal: Proposal, doubt: Ambiguity, left_in: float | None, settle: Callable[[str], object]
) -> tuple[Way, ...]:
    """The buttons that decide an ambiguity of a move.

    Args:
        proposal: The move.
        doubt: The ambiguity.
        left_in: Allowance left before the move; None if unknown.
        settle: Receives the answer.
    """
    of = "" if left_in is None else f" of {left_in:.3g} in"
    what = doubt.question.rpartition(": ")[2]
    far = _is_far(doubt)
    title = f"Too close to call: {proposal.words}{of}." if far else f"Too close to call: {what}."
    texts = {answer: (tr("Allow") if answer == NEARER else tr("Forbid")) for answer in doubt.answers}
    return tuple(
        Way(
            texts[answer] if far else answer.capitalize(),
            doubt.question,
            partial(settle, answer),
            title if number == 0 else "",
        )
        for number, answer in enumerate(doubt.answers)
    )


def _call(way: Callable[[], object], _: bool = False) -> None:
    way()
