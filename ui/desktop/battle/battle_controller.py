"""Joins a battle to the window: shows it as the table changes, and does what the players choose."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal

from calibration.drift import Drift
from rules.battle import Battle, Clock
from rules.dice import Dice
from rules.position import Moment
from rules.referee import ActionPreview, Ambiguity, Deed
from rules.table import PointIn, UserError
from rules.text import by_whom, listed, outcome_words, place_words, spoken, told
from ui.battle.action_text import state_words, step_words, verdict_rows
from ui.battle.battle_overlay import Stray, aiming, pointing, way_marks
from ui.battle.battle_session import Play, Proposal, owed
from ui.battle.battle_setup import Muster, begin
from ui.battle.crosshair import cross_marks
from ui.battle.goals import agree, goal_lines
from ui.battle.ruling import decide, holding_words
from ui.desktop.battle.dice_dialog import RollDialog, Rolls
from ui.desktop.battle.goals_dialog import ask_goals
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.battle.pending_moves import seen_ways
from ui.desktop.battle.rounds import Rounds
from ui.desktop.battle.ruling_dialog import ask_ruling
from ui.desktop.translation import tr
from ui.formatting import begun
from ui.picture.overlay import Preview
from vision.pipeline import Setup, TableView

Say = Callable[[str], None]

_SETTLED_IN = 0.1
"""Figures that shimmer less have not changed the table."""


class BattleController(QObject):
    """The battle that is open, if one is.

    Attributes:
        panel: What shows it.
        play: The open battle; None where there is none.
        rolls: Asks for dice in a dialog.
        dice: What is rolled with, unless it is replaced: those dialogs.
        cross_in: Where the keys would aim; None where there is no cross-hair.

    Signals:
        crossed: Whether there is a cross-hair on the table.
    """

    crossed = pyqtSignal(bool)

    def __init__(self, panel: BattlePanel, say: Say, clock: Clock, chance: random.Random) -> None:
        """Show battles in `panel`; `say` tells the player a sentence, `chance` is the program's own dice."""
        super().__init__(panel)
        self.panel = panel
        self._say, self._clock, self.rolls = say, clock, Rolls(panel, chance)
        self.dice: Dice = self.rolls.ask
        self._chosen = ""
        self._spot: PointIn | None = None
        self.cross_in: PointIn | None = None
        self._moment: Moment | None = None
        self._seen: object = None
        self._stray: Stray | None = None
        self._rounds = Rounds(panel.walk, self._turned_round, lambda: self._show())
        self._proposed: tuple[Proposal, ...] = ()
        self.play: Play | None = None
        panel.go_on.connect(lambda: self._try(self._go_on))
        panel.wanted.connect(lambda deed: self._try(lambda: self._do(deed)))
        panel.settled.connect(lambda doubt, answer: self._try(lambda: self._settle(doubt, answer)))
        panel.told.connect(lambda *told: self._try(lambda: self._tell(*told)))
        panel.otherwise.connect(lambda: self._try(self.rule_otherwise))
        panel.let_go.connect(self.let_go)
        panel.goals.connect(lambda: self._try(self.ask_goals))
        panel.walk.started.connect(self._begin_round)
        panel.walk.left.connect(self._leave_round)
        self._show()

    def begin(self, path: Path, muster: Muster) -> None:
        """Begin a battle in a new file; raises `UserError` as `ui.battle.battle_setup.begin`."""
        self.take_up(begin(path, self._clock, muster))

    def open(self, path: Path) -> None:
        """Go on with a battle; raises `UserError` as `Battle.open`."""
        self.take_up(Battle.open(path, self._clock))

    @property
    def clock(self) -> Clock:
        """What times its entries."""
        return self._clock

    def close(self) -> None:
        """Let go of the battle; everything in it is on the disk."""
        if self.play is not None:
            self.play.battle.close()
        self.play = None
        self._moment, self._seen, self._chosen, self._spot = None, None, "", None
        self._stray = None
        self._rounds.end()
        self._show()

    @property
    def dialog(self) -> RollDialog | None:
        """The question for dice that is open, for electronic dice to answer."""
        return self.rolls.dialog

    @property
    def figures(self) -> frozenset[str]:
        """The figures in play; none while no battle is open."""
        return frozenset(self.play.battle.state.units) if self.play is not None else frozenset()

    @property
    def chosen(self) -> str:
        """The figure whose deeds are shown; empty for nobody."""
        return self._chosen

    def choose(self, figure: str) -> None:
        """Show what this figure can do; nobody for an empty name. Who is not to be asked now ends a round."""
        self._rounds.ask(figure)
        self._chosen, self._spot, self.cross_in = figure, None, None
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
        """Let go of the cross-hair, else of the place, of the round, of the figure; whether there was one."""
        if self.cross_in is not None:
            self.cross_in = None
            self._show()
            return True
        if self._spot is None and self._rounds:
            self._leave_round()
            return True
        had = self._spot is not None or bool(self._chosen)
        self.choose(self._chosen if self._spot is not None else "")
        return had

    def lay_cross(self, place_in: PointIn) -> None:
        """Lay the cross-hair of the keys at a place, for the chosen figure.

        Raises:
            UserError: if the figure has nothing that goes to a bare place.
        """
        if not self._aims(place_in):
            raise UserError(tr("{name} has nothing that goes to a bare place", name=spoken(self._chosen)))
        self._spot, self.cross_in = None, place_in
        self._show()

    def _aims(self, place_in: PointIn) -> bool:
        """Whether the chosen figure has anything that goes to a bare place."""
        play, moment = self.play, self._moment
        return play is not None and moment is not None and play.aims(moment, self._chosen, place_in)

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
        cross = cross_marks(self.cross_in) if self.cross_in is not None else ()
        return replace(shown, marks=(*shown.marks, *way_marks(self._proposed), *cross))

    def aiming(self, at_in: PointIn | None) -> Preview:
        """The same; with nothing chosen yet for a figure, what a click at that bare place, or Enter, would lay."""
        free, shown = self._chosen and self._spot is None, self.pointing
        if self.cross_in is not None:
            at_in, shown = self.cross_in, replace(shown, ruler=None)
        return aiming(shown, self.panel.first_template, at_in if free else None)

    @property
    def shot(self) -> tuple[Moment, ActionPreview] | None:
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
        play = self.play
        self._try(lambda: play.place_new(play.moment(view, setup)))
        self._moment = play.moment(view, setup)
        self._show()

    def undo(self) -> str | None:
        """Take the last thing in the battle back; its name."""
        return self._turned(lambda battle: battle.undo())

    def redo(self) -> str | None:
        """Do it again; its name."""
        return self._turned(lambda battle: battle.redo())

    def go_to(self, seq: int) -> None:
        """Go back to an entry, or forth again; raises `UserError` as `Battle.go_to`."""
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

    def take_up(self, battle: Battle) -> None:
        """Show this open battle in place of the one before, and go on with it."""
        self.close()
        self.play = Play(battle)
        self._show()

    # What the players choose

    def _go_on(self) -> None:
        if self.play is not None and self._moment is not None:
            self.play.place_all(self._moment)
            self.play.go_on(self._moment)
            self._stray = None
            self._rounds.end()
            self._chosen, self._spot = "", None  # what he could do is over
            self._refresh()
            self.panel.show_outcome("")

    def _do(self, deed: Deed) -> None:
        if self.play is None or self._moment is None:
            return
        self.rolls.begin(self.panel.needed, by_whom(deed.by, deed.words))
        found = self.play.do(self._moment, deed, self.dice)
        ends = self.play.referee.strayed(self._moment, deed, found)
        self._stray = Stray(*ends) if ends is not None else None
        self._spot = None if ends is not None else self._spot  # what happens there now is among all that he can do
        self._tell_outcome(deed.by, "\n".join((begun(outcome_words(found.outcome)), *verdict_rows(found))))

    def _tell_outcome(self, by: Sequence[str], words: str) -> None:
        """Say what came of a deed: for itself, or, in a round, above the next who is asked."""
        who = f"{listed(tuple(by))}: " if by else ""
        self._rounds.told = f"{who}{words.splitlines()[0]}"
        self._refresh()
        if not self._rounds:
            self.panel.show_outcome(words)
        self.panel.take_focus()

    # Rounds

    def _begin_round(self, name: str) -> None:
        if self.play is not None:
            self._rounds.begin(self.play, name)
            self._chosen = ""
            self._turned_round()

    def _turned_round(self) -> None:
        self._spot = self.cross_in = None
        self._show()
        self.panel.take_focus()

    def _leave_round(self) -> None:
        self._rounds.end()
        self.choose("")

    def _settle(self, doubt: Ambiguity, answer: str) -> None:
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

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UserError as refusal:
            self._say(told(str(refusal)))

    # What is shown

    def _refresh(self) -> None:
        """The same table under what has happened since."""
        if self.play is not None and self._moment is not None:
            old = self._moment
            self._moment = Moment(old.game, self.play.battle.state, old.figures, old.terrain, old.sight, old.measure)
        self._seen = None
        self._show()

    def _show(self) -> None:
        if not self._chosen or self._spot is not None:
            self.cross_in = None
        self.crossed.emit(self.cross_in is not None)
        if self.play is None or self._moment is None:
            self.panel.show_phase(tr("No battle") if self.play is None else tr("Waiting for the figures"), "")
            self._proposed = ()
            self.panel.ways.show_ways(())
            self._rounds.show(None, None)
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
        self.panel.ways.show_ways([way for one in self._proposed for way in seen_ways(play, moment, one, self._after)])
        if not self._show_round(play, moment):
            self._show_deeds(play, moment)

    def _show_round(self, play: Play, moment: Moment) -> bool:
        """Show the round that is walked through; whether somebody is asked in it, and for no bare place."""
        figure = self._rounds.show(play, moment)
        if self._rounds:
            self._chosen = figure
        asked = bool(self._rounds and figure and self._spot is None)
        if asked:
            self.panel.show_step(figure, self._card(moment), self._rounds.prospects(moment))
        return asked

    def _card(self, moment: Moment) -> str:
        """What the chosen figure is."""
        card = moment.kind(moment.unit(self._chosen))
        return str(card.get("title", moment.unit(self._chosen).card))

    def _show_deeds(self, play: Play, moment: Moment) -> None:
        try:
            outlook = play.outlook(moment, self._chosen) if self._chosen else None
        except UserError as refusal:
            self.panel.show_outcome(told(str(refusal)))
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

    def _after(self, change: Callable[[], object]) -> None:
        self._try(change)
        self._refresh()
