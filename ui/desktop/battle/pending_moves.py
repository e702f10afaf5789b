"""What waits for the players, as moves that the camera saw: why the rules say no, and a line of buttons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from PyQt6.QtWidgets import QLayout, QPushButton, QVBoxLayout, QWidget

from rules.engine.position import Moment
from rules.engine.referee import NEARER, Ambiguity
from ui.battle.action_text import refusal_words
from ui.battle.battle_session import Play, Proposal
from ui.desktop.labels import as_typed, word_label
from ui.desktop.translation import tr
from ui.formatting import sentence


@dataclass(frozen=True, slots=True)
class Way:
    """A button.

    Attributes:
        words: On it.
        tip: What it does, in a sentence.
        does: What it does.
        why: What is said above it; empty for nothing.
    """

    words: str
    tip: str
    does: Callable[[], object]
    why: str = ""


class WaysStrip(QWidget):
    """A button for every way."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._shown: tuple[str, ...] = ()
        self.setVisible(False)

    def show_ways(self, ways: Sequence[Way]) -> None:
        """Show these; those that are shown already stay as they are, under the pointer."""
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
    """Take away all that is laid out in it."""
    while (old := layout.takeAt(0)) is not None:
        if (widget := old.widget()) is not None:
            widget.deleteLater()


def ways_of(
    proposal: Proposal,
    accept: Callable[[], object],
    shifted: Callable[[], object],
    let_pass: Callable[[], object],
) -> tuple[Way, ...]:
    """The buttons of a move that the camera saw."""
    if proposal.prospect.possible:
        first = Way(tr("{move}: a move", move=proposal.words), tr("Take it off the allowance and journal it"), accept)
    else:
        why = tr("The rules say no: {why_not}", why_not=sentence(refusal_words(proposal.prospect)))
        first = Way(
            tr("{move}: let it pass", move=proposal.words),
            tr("It counts as moved all the same; it is journalled"),
            let_pass,
            why,
        )
    nudged = tr("They were only nudged; nothing is taken off")
    return (first, Way(tr("{move}: not a move", move=proposal.words), nudged, shifted))


def seen_ways(
    play: Play,
    moment: Moment,
    proposal: Proposal,
    after: Callable[[Callable[[], object]], object],
) -> tuple[Way, ...]:
    """The buttons of a move that the camera saw in a battle; what is too close to call is settled first.

    Args:
        play, moment: The battle, and how it stands.
        proposal: The move.
        after: Does something to the battle and shows what came of it.
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
    """Whether it is about how far somebody went."""
    return doubt.question.rpartition(": ")[2].startswith("how far")


def doubt_ways(
    proposal: Proposal, doubt: Ambiguity, left_in: float | None, settle: Callable[[str], object]
) -> tuple[Way, ...]:
    """The buttons that decide what of a move is too close to call.

    Args:
        proposal: The move.
        doubt: What is to be settled.
        left_in: What was left of the allowance before it; None where nobody can say.
        settle: Told of the answer.
    """
    of = "" if left_in is None else f" of {left_in:.3g} in"
    what = doubt.question.rpartition(": ")[2]
    far = _is_far(doubt)
    title = f"Too close to call: {proposal.words}{of}." if far else f"Too close to call: {what}."
    told = {answer: ("within what is allowed" if answer == NEARER else "too far") for answer in doubt.answers}
    return tuple(
        Way(
            f"{proposal.words}: {told[answer] if far else answer}",
            doubt.question,
            partial(settle, answer),
            title if number == 0 else "",
        )
        for number, answer in enumerate(doubt.answers)
    )


def _call(way: Callable[[], object], _: bool = False) -> None:
    way()
