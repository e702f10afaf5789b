"""Joins a battle to the window: shows it as the table changes, and does what the players choose."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PyQt6.QtCore import QObject

from calibration.drift import Drift
from rules.battle import Battle, Clock
from rules.dice import Dice
from rules.events import place_words, spoken
from rules.moment import Moment
from rules.referee import Deed, Doubt, Prospect
from rules.table import PointIn, Refused
from rules.template import Blast
from ui.battle.chances import state_words, verdict_rows
from ui.battle.goals import agree, agreed_aims, goal_lines, standings, tasks_in
from ui.battle.muster import Muster, begin
from ui.battle.play import Play, Proposal
from ui.battle.ruling import Ruling, all_said, case_before, cases_after, decide, figures_of, holding_words, holdings
from ui.desktop.battle.goals_dialog import GoalsDialog, GoalsForm
from ui.desktop.battle.panel import BattlePanel, Way, ways_of
from ui.desktop.battle.roll import RollDialog, asking
from ui.desktop.battle.ruling_dialog import RulingDialog
from ui.picture.overlay import Preview
from ui.session import Ruler
from ui.table.shapes import relaid
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
        self.play: Play | None = None
        panel.go_on.connect(lambda: self._try(self._go_on))
        panel.wanted.connect(lambda deed: self._try(lambda: self._do(deed)))
        panel.settled.connect(lambda doubt, answer: self._try(lambda: self._settle(doubt, answer)))
        panel.told.connect(lambda *told: self._try(lambda: self._tell(*told)))
        panel.otherwise.connect(lambda: self.rule_otherwise())
        panel.goals.connect(self.ask_goals)
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
        self._show()

    def choose(self, figure: str) -> None:
        """Show what this figure can do; nobody for an empty name."""
        self._chosen, self._spot = figure, None
        self._show()

    def point(self, figure: str, place_in: PointIn | None) -> None:
        """The players point at a figure, or at a bare place for the chosen one to fire at; where he cannot, at nobody.

        Args:
            figure: Its name; empty at a bare place.
            place_in: Where they point; None beside the table.
        """
        if figure or place_in is None or not self._aims(place_in):
            self.choose(figure)
        else:
            self._spot = place_in
            self._show()
            if self.panel.chosen is None:
                self.panel.choose(0)

    def let_go(self) -> bool:
        """Let go of the place, else of the figure; whether there was one."""
        had = self._spot is not None or bool(self._chosen)
        self.choose(self._chosen if self._spot is not None else "")
        return had

    def _aims(self, place_in: PointIn) -> bool:
        """Whether the chosen figure has anything that goes to a bare place."""
        play, moment = self.play, self._moment
        if play is None or moment is None or self._chosen not in moment.figures:
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
        """What of the battle is to be seen on the table: who would do it, and to whom."""
        chosen = self.panel.chosen
        if chosen is None:
            return Preview(asked=self._chosen or None)
        deed, template = chosen.deed, chosen.deed.template
        if isinstance(template, Blast) and deed.spot_in not in (None, template.centre_in):
            return Preview(ruler=Ruler(deed.spot_in, template.centre_in), template=template)  # how far it has strayed
        end = deed.spot_in or next(iter(deed.at), None)
        if not deed.by or end is None:
            return Preview(asked=self._chosen or None, template=template)
        return Preview(ruler=Ruler(deed.by[0], end), template=template)

    def aiming(self, at_in: PointIn | None) -> Preview:
        """The same; with nothing chosen yet for a figure, what a click at that bare place would lay there."""
        shown, first = self.pointing, self.panel.first_template
        free = self._chosen and self._spot is None and shown.ruler is None
        if at_in is None or first is None or not free:
            return shown
        return replace(shown, template=relaid(first, at_in))

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
            self._refresh()

    def _do(self, deed: Deed) -> None:
        if self.play is None or self._moment is None:
            return
        found = self.play.do(self._moment, deed, self._dice)
        self._refresh()
        self.panel.show_outcome("\n".join((found.outcome.replace("_", " ").capitalize(), *verdict_rows(found))))

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
        play, moment, chosen = self.play, self._moment, self.panel.chosen
        if play is None or moment is None:
            return
        before = (case_before(chosen),) if chosen is not None and moment.state.turn else ()
        cases = sorted((*before, *cases_after(play)), key=lambda case: seq is not None and case.seq != seq)
        if not cases:
            self._say("nothing was asked yet that could be ruled otherwise: choose a deed first")
            return
        dialog = RulingDialog(
            cases,
            lambda case: holdings(play, moment, case),
            lambda case: figures_of(play, case),
            tuple(play.referee.conditions),
            self.panel.window(),
        )
        if dialog.exec() == RulingDialog.DialogCode.Accepted and (holding := dialog.holding) is not None:
            said = Ruling(dialog.case, holding, dialog.reason, all_said(play, dialog.said))
            self._after(lambda: decide(play, said))
            self.panel.show_outcome(f"{holding_words(holding)}\n{said.reason}")
        dialog.deleteLater()

    def ask_goals(self) -> None:
        """Ask what the sides fight for, and let what is new hold."""
        play = self.play
        if play is None:
            return
        state = play.battle.state
        form = GoalsForm(state.sides, standings(play, self._moment) if self._moment is not None else None)
        enlisted = {side: sum(unit.side == side for unit in state.units.values()) for side in state.sides}
        form.offer(tasks_in(play.battle), enlisted, agreed_aims(play.battle))
        dialog = GoalsDialog(form, self.panel.window())
        if dialog.exec() == GoalsDialog.DialogCode.Accepted:
            self._after(lambda: agree(play.battle, form.aims))
        dialog.deleteLater()

    def _place(self, view: TableView, setup: Setup) -> None:
        if self.play is not None:
            self.play.place_new(self.play.moment(view, setup))

    def _try(self, change: Callable[[], object]) -> None:
        try:
            change()
        except Refused as refusal:
            self._say(str(refusal))

    def _asked(self, dialog: RollDialog | None) -> None:
        self.dialog = dialog

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
            self.panel.show_phase("No battle" if self.play is None else "Waiting for the figures", "")
            self.panel.show_ways(())
            self.panel.show_duties(())
            self.panel.show_story(() if self.play is None else self.play.story)
            return
        play, moment = self.play, self._moment
        follows = play.referee.next_phase(moment)
        self.panel.show_phase(state_words(moment.state), f"{spoken(follows.side)} {follows.phase.replace('_', ' ')}")
        self.panel.show_story(play.story)
        self.panel.allow_ruling(bool(moment.state.turn))
        self.panel.allow_goals(True)
        self.panel.show_ways([way for one in play.proposals(moment) for way in self._ways(one)])
        self._show_deeds(play, moment)

    def _show_deeds(self, play: Play, moment: Moment) -> None:
        try:
            outlook = play.outlook(moment, self._chosen) if self._chosen else None
        except Refused as refusal:
            self.panel.show_outcome(str(refusal))
            outlook = None
        if outlook is None:
            self.panel.show_duties(play.duties(moment), goal_lines(play))
        else:
            card = moment.kind(moment.unit(self._chosen))
            title = str(card.get("title", moment.unit(self._chosen).card))
            if self._spot is None:
                self.panel.show_outlook(outlook, title)
            else:
                there = play.at_spot(moment, self._chosen, self._spot)
                self.panel.show_spot(self._chosen, title, place_words(self._spot), there)

    def _ways(self, proposal: Proposal) -> tuple[Way, ...]:
        play, moment = self.play, self._moment
        assert play is not None  # noqa: S101 - shown only with a battle
        assert moment is not None  # noqa: S101
        if proposal.prospect.doubts:
            doubt = proposal.prospect.doubts[0]
            return tuple(
                (f"{proposal.words}: {answer} than allowed?", doubt.question, self._settler(doubt, answer))
                for answer in doubt.answers
            )
        return ways_of(
            proposal,
            lambda: self._after(lambda: play.accept(moment, proposal)),
            lambda: self._after(lambda: play.only_shifted(proposal)),
            lambda: self._after(lambda: play.let_pass(moment, proposal, "agreed at the table")),
        )

    def _settler(self, doubt: Doubt, answer: str) -> Callable[[], None]:
        return lambda: self._try(lambda: self._settle(doubt, answer))

    def _after(self, change: Callable[[], object]) -> None:
        self._try(change)
        self._refresh()
