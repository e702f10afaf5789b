"""Joins a battle to the window: shows it as the table changes, and does what the players choose."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QObject, QTimer

from calibration.drift import Drift
from rules.battle import Battle, Clock
from rules.dice import Dice
from rules.moment import Moment
from rules.referee import Deed, Doubt, Prospect, prospect
from rules.spoken import by_whom, listed, outcome_words, place_words
from rules.table import PointIn, Refused
from ui.battle.chances import state_words, step_words, verdict_rows
from ui.battle.goals import agree, goal_lines
from ui.battle.muster import Muster, begin
from ui.battle.play import Play, Proposal, owed
from ui.battle.pointing import Stray, aiming, pointing, way_marks
from ui.battle.ruling import decide, holding_words
from ui.battle.walk import Walk, Walker, rounds
from ui.desktop.battle.goals_dialog import ask_goals
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.battle.roll import RollDialog, asking
from ui.desktop.battle.ruling_dialog import ask_ruling
from ui.desktop.battle.ways import Way, doubt_ways, ways_of
from ui.desktop.tongue import tr
from ui.picture.overlay import Preview
from ui.readout import begun
from vision.pipeline import Setup, TableView

Say = Callable[[str], None]

_SETTLED_IN = 0.1
"""Figures that shimmer less have not changed the table."""


class BattleDesk(QObject):
    """The battle that is open, if one is.

    Attributes:
        panel: What shows it.
        play: The open battle; None where there is none.
        dialog: The question for dice that is open, for electronic dice to answer.
    """

    def __init__(self, panel: BattlePanel, say: Say, clock: Clock, chance: random.Random) -> None:
        """Show battles in `panel`; `say` tells the player a sentence, `chance` is the program's own dice."""
        super().__init__(panel)
        self.panel = panel
        self.dialog: RollDialog | None = None
        self._say, self._clock = say, clock
        self._dice: Dice = asking(panel, chance, self._asked)
        self._chosen = ""
        self._spot: PointIn | None = None
        self._moment: Moment | None = None
        self._seen: object = None
        self._stray: Stray | None = None
        self._walker: Walker | None = None
        self._told = self._needed = self._doing = ""
        self._proposed: tuple[Proposal, ...] = ()
        self.play: Play | None = None
        panel.go_on.connect(lambda: self._try(self._go_on))
        panel.wanted.connect(lambda deed: self._try(lambda: self._do(deed)))
        panel.settled.connect(lambda doubt, answer: self._try(lambda: self._settle(doubt, answer)))
        panel.told.connect(lambda *told: self._try(lambda: self._tell(*told)))
        panel.otherwise.connect(lambda: self._try(self.rule_otherwise))
        panel.let_go.connect(self.let_go)
        panel.goals.connect(lambda: self._try(self.ask_goals))
        walk = panel.walk
        walk.started.connect(self._begin_walk)
        walk.skipped.connect(lambda: self._in_walk(Walker.skip))
        walk.back.connect(lambda: self._in_walk(Walker.back))
        walk.gone.connect(lambda name: self._in_walk(lambda walker, moment: walker.go(name, moment)))
        walk.left.connect(self._leave_walk)
        self._show()

    def begin(self, path: Path, muster: Muster) -> None:
        """Begin a battle in a new file; raises `Refused` as `ui.battle.muster.begin`."""
        self._take_up(begin(path, self._clock, muster))

    def open(self, path: Path) -> None:
        """Go on with a battle; raises `Refused` as `Battle.open`."""
        self._take_up(Battle.open(path, self._clock))

    def close(self) -> None:
        """Let go of the battle; everything in it is on the disk."""
        if self.play is not None:
            self.play.battle.close()
        self.play = None
        self._moment, self._seen, self._chosen, self._spot = None, None, "", None
        self._stray, self._walker, self._told = None, None, ""
        self._show()

    def choose(self, figure: str) -> None:
        """Show what this figure can do; nobody for an empty name. Who is not to be asked now ends a round."""
        if self._walker is not None and self._moment is not None:
            self._walker = self._walker if self._walker.go(figure, self._moment).figure == figure else None
        self._chosen, self._spot = figure, None
        self._show()

    def point(self, figure: str, place_in: PointIn | None) -> None:
        """The players point at a figure, or at a bare place for the chosen one to fire at; where he cannot, at nobody.

        Whom the chosen one may attack is his target, not the next who is chosen.

        Args:
            figure: Its name; empty at a bare place.
            place_in: Where they point; None beside the table.
        """
        if not (figure and self._chosen and self.panel.choose_target(figure)):
            if figure or place_in is None or not self._aims(place_in):
                self.choose(figure)
            else:
                self._spot = place_in
                self._show()
                if self.panel.chosen is None:
                    self.panel.choose(0)
        self.panel.take_focus()

    def let_go(self) -> bool:
        """Let go of the place, else of the round, else of the figure; whether there was one."""
        if self._spot is None and self._walker is not None:
            self._leave_walk()
            return True
        had = self._spot is not None or bool(self._chosen)
        self.choose(self._chosen if self._spot is not None else "")
        return had

    def _aims(self, place_in: PointIn) -> bool:
        """Whether the chosen figure has anything that goes to a bare place."""
        play, moment = self.play, self._moment
        if play is None or moment is None or not _takes_part(moment, self._chosen):
            return False
        return any(True for _ in play.referee.at_spot(moment, self._chosen, place_in))

    def drifted(self, drift: Drift) -> None:
        """Journal that camera, table or markers were moved."""
        if self.play is not None:
            play = self.play
            self._try(lambda: play.drifted(drift))
            self._refresh()

    @property
    def pointing(self) -> Preview:
        """What of the battle is to be seen on the table: who would do it and to whom, and what has strayed."""
        shown = pointing(self.panel.chosen, self._chosen, self._stray)
        return replace(shown, marks=(*shown.marks, *way_marks(self._proposed)))

    def aiming(self, at_in: PointIn | None) -> Preview:
        """The same; with nothing chosen yet for a figure, what a click at that bare place would lay there."""
        free = self._chosen and self._spot is None
        return aiming(self.pointing, self.panel.first_template, at_in if free else None)

    @property
    def shot(self) -> tuple[Moment, Prospect] | None:
        """The deed that is chosen, and when; for the range rod."""
        chosen = self.panel.chosen
        return (self._moment, chosen) if self._moment is not None and chosen is not None else None

    @property
    def moment(self) -> Moment | None:
        """How the battle stands on the table; None where there is none, or nobody is seen yet."""
        return self._moment

    def look(self, view: TableView, setup: Setup) -> None:
        """Take the table as it is now; nothing is worked out again where nobody moved."""
        if self.play is None:
            return
        places = {one.id: tuple(round(v / _SETTLED_IN) for v in one.centre_in) for one in view.figures}
        now = (places, setup.terrain, self.play.battle.state)
        if now == self._seen:
            return
        self._seen = now
        self._try(lambda: self._place(view, setup))
        self._moment = self.play.moment(view, setup)
        self._show()

    def undo(self) -> str | None:
        """Take the last thing in the battle back; its name."""
        return self._turned(lambda battle: battle.undo())

    def redo(self) -> str | None:
        """Do it again; its name."""
        return self._turned(lambda battle: battle.redo())

    def go_to(self, seq: int) -> None:
        """Go back to an entry, or forth again; raises `Refused` as `Battle.go_to`."""
        if self.play is not None:
            self._chosen, self._spot = "", None  # who was chosen may be out there, or not in it yet
            try:
                self.play.battle.go_to(seq)
            finally:
                self._refresh()

    def _turned(self, turn: Callable[[Battle], str | None]) -> str | None:
        if self.play is None:
            return None
        name = turn(self.play.battle)
        self._refresh()
        return name

    def _take_up(self, battle: Battle) -> None:
        self.close()
        self.play = Play(battle)
        self._show()

    # What the players choose

    def _go_on(self) -> None:
        if self.play is not None and self._moment is not None:
            self.play.place_all(self._moment)
            self.play.go_on(self._moment)
            self._stray, self._walker, self._told = None, None, ""
            self._chosen, self._spot = "", None  # what he could do is over
            self._refresh()
            self.panel.show_outcome("")

    def _do(self, deed: Deed) -> None:
        if self.play is None or self._moment is None:
            return
        self._needed, self._doing = self.panel.needed, by_whom(deed.by, deed.words)
        found = self.play.do(self._moment, deed, self._dice)
        ends = self.play.referee.strayed(self._moment, deed, found)
        self._stray = Stray(*ends) if ends is not None else None
        self._spot = None if ends is not None else self._spot  # what happens there now is among all that he can do
        self._tell_outcome(deed.by, "\n".join((begun(outcome_words(found.outcome)), *verdict_rows(found))))

    def _tell_outcome(self, by: Sequence[str], words: str) -> None:
        """Say what came of a deed: for itself, or, in a round, above the next who is asked."""
        who = f"{listed(tuple(by))}: " if by else ""
        self._told = f"{who}{words.splitlines()[0]}"
        self._refresh()
        if self._walker is None:
            self.panel.show_outcome(words)
        self.panel.take_focus()

    # Rounds

    def _begin_walk(self, name: str) -> None:
        if self.play is not None:
            self._walker, self._chosen, self._spot, self._told = Walker(self.play, name), "", None, ""
            self._show()
            self.panel.take_focus()

    def _in_walk(self, change: Callable[[Walker, Moment], Walk]) -> None:
        if self._walker is not None and self._moment is not None:
            change(self._walker, self._moment)
            self._spot, self._told = None, ""
            self._show()
            self.panel.take_focus()

    def _leave_walk(self) -> None:
        self._walker, self._told = None, ""
        self.choose("")

    def _look_on(self) -> None:
        """Look for the next of a round, a few at a time: the window has its turn in between."""
        if self._walker is not None:
            self._show()

    def _settle(self, doubt: Doubt, answer: str) -> None:
        if self.play is not None:
            self.play.settle(doubt, answer)
            self._refresh()

    def _tell(self, deed: Deed, fact: str, value: object) -> None:
        if self.play is not None:
            self.play.tell(deed, fact, value)
            self._refresh()

    def rule_otherwise(self, seq: int | None = None) -> None:
        """Ask what the players rule: of the deed that is chosen, else of what was said last.

        Args:
            seq: Number of the verdict's entry that is meant first.
        """
        if self.play is not None and self._moment is not None:
            play = self.play
            said = ask_ruling(play, self._moment, self.panel.chosen, seq, self.panel.window())
            if said is not None:
                decide(play, said)
                self._stray = None
                self._tell_outcome(said.case.by, f"{holding_words(said.holding)}\n{said.reason}")

    def ask_goals(self) -> None:
        """Ask what the sides fight for, and let what is new hold."""
        if self.play is not None:
            aims = ask_goals(self.play, self._moment, self.panel.window())
            if aims is not None:
                agree(self.play.battle, aims)
                self._refresh()

    def _place(self, view: TableView, setup: Setup) -> None:
        if self.play is not None:
            self.play.place_new(self.play.moment(view, setup))

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except Refused as refusal:
            self._say(str(refusal))

    def _asked(self, dialog: RollDialog | None) -> None:
        """A request for dice is open, or none any more; what must be rolled is of the first of a deed."""
        self.dialog = dialog
        if dialog is not None:
            dialog.show_deed(self._doing)
            dialog.show_needed(self._needed)
            self._needed = ""

    # What is shown

    def _refresh(self) -> None:
        """The same table under what has happened since."""
        if self.play is not None and self._moment is not None:
            old = self._moment
            self._moment = Moment(old.game, self.play.battle.state, old.figures, old.terrain, old.sight, old.measure)
        self._seen = None
        self._show()

    def _show(self) -> None:
        if self.play is None or self._moment is None:
            self.panel.show_phase(tr("No battle") if self.play is None else tr("Waiting for the figures"), "")
            self._proposed = ()
            self.panel.ways.show_ways(())
            self.panel.walk.offer(())
            self.panel.walk.show_walk(None)
            self.panel.allow_ruling(False)
            self.panel.allow_goals(self.play is not None)
            self.panel.show_duties(())
            self.panel.show_story(() if self.play is None else self.play.story)
            return
        play, moment = self.play, self._moment
        follows = play.referee.next_phase(moment)
        self.panel.show_phase(state_words(moment.state), step_words(follows))
        self.panel.show_story(play.story)
        self.panel.allow_ruling(bool(moment.state.turn))
        self.panel.allow_goals(True)
        self._proposed = play.proposals(moment)
        self.panel.ways.show_ways([way for one in self._proposed for way in self._ways(play, moment, one)])
        self._show_deeds(play, moment)

    def _show_walk(self, play: Play, moment: Moment) -> bool:
        """Show the round that is walked through; whether there is one with somebody to ask."""
        walker = self._walker
        self.panel.walk.offer(rounds(play, moment))
        walk = walker.look(moment) if walker is not None else None
        self.panel.walk.show_walk(walk, self._told)
        if walker is None or walk is None:
            return False
        self._chosen = walk.figure
        if walk.looking:
            QTimer.singleShot(0, self._look_on)
        if not walk.figure:
            return False
        if self._spot is None:
            self.panel.show_step(
                walk.figure, self._card(moment), [prospect(moment, deed) for deed in walker.deeds(moment)]
            )
        return self._spot is None

    def _card(self, moment: Moment) -> str:
        """What the chosen figure is."""
        card = moment.kind(moment.unit(self._chosen))
        return str(card.get("title", moment.unit(self._chosen).card))

    def _show_deeds(self, play: Play, moment: Moment) -> None:
        if self._show_walk(play, moment):
            return
        try:
            outlook = play.outlook(moment, self._chosen) if self._chosen else None
        except Refused as refusal:
            self.panel.show_outcome(str(refusal))
            outlook = None
        if outlook is None:
            self.panel.show_duties(play.duties(moment), goal_lines(play))
        else:
            title = self._card(moment)
            if self._spot is None:
                duties = play.duties(moment)
                his = [one for one in duties if one.deed.by == (self._chosen,)]
                self.panel.show_outlook(outlook, title, his, owed(one for one in duties if one not in his))
            else:
                there = play.at_spot(moment, self._chosen, self._spot)
                self.panel.show_spot(self._chosen, title, place_words(self._spot), there)

    def _ways(self, play: Play, moment: Moment, proposal: Proposal) -> tuple[Way, ...]:
        if proposal.prospect.doubts:
            doubt = proposal.prospect.doubts[0]
            settle = partial(self._settle, doubt)
            return doubt_ways(
                proposal, doubt, play.left_in(moment, proposal), lambda answer: self._try(lambda: settle(answer))
            )
        return ways_of(
            proposal,
            lambda: self._after(lambda: play.accept(moment, proposal)),
            lambda: self._after(lambda: play.only_shifted(proposal)),
            lambda: self._after(lambda: play.let_pass(moment, proposal, "agreed at the table")),
        )

    def _after(self, change: Callable[[], object]) -> None:
        self._try(change)
        self._refresh()


def _takes_part(moment: Moment, figure: str) -> bool:
    """Whether a figure is on the table and in the battle."""
    return figure in moment.figures and not moment.unit(figure).out
