"""Connects the battle with the window: updates it as the table changes and performs the players' choices."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PyQt6.QtCore import QObject, pyqtSignal

from calibration.drift import Drift
from rules.battle.battle import Battle, Clock
from rules.engine.action import Action
from rules.engine.ambiguity import Ambiguity
from rules.engine.events import ActionResolved, Recruit
from rules.engine.position import Position
from rules.engine.posture_doubt import PostureDoubt
from rules.engine.preview import ActionPreview
from rules.engine.referee import FIRE
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure, PointIn, Posture
from ui.battle.action_text import limit_words, obligation_words, outcome_banner, result_words, verdict_rows
from ui.battle.battle_overlay import Stray, aiming, pointing
from ui.battle.battle_session import BattleSession
from ui.battle.battle_setup import BattleSetup, agree, begin
from ui.battle.dice import RollingAction, thrown_words
from ui.battle.ruling import decide, override_words
from ui.battle.selection import Selection, cross_marks
from ui.desktop.battle.battle_presenter import BattlePresenter
from ui.desktop.battle.dice_card import RollingController
from ui.desktop.battle.goals_dialog import ask_goals
from ui.desktop.battle.panel import BattlePanel
from ui.desktop.battle.pending_moves import PendingMove
from ui.desktop.battle.round_bar import RoundController
from ui.desktop.battle.ruling_dialog import ask_ruling
from ui.desktop.battle.turn_bar import TurnBarView
from ui.formatting import capitalized
from ui.picture.preview import Preview
from ui.rules_text import display_name, display_names, outcome_words, readable, step_words, translated
from ui.translation import tr, tr_count
from vision.palette import army_names
from vision.setup import Setup
from vision.table_view import TableView

Say = Callable[[str], None]

_SETTLED_IN = 0.1
"""Figures that shift less have not changed the table."""
_SETTLED_HULL_IN, _SETTLED_DEG = 0.25, 15.0


class BattleController(QObject):
    """The open battle, if any.

    Attributes:
        panel: The Battle tab.
        turn_bar: Whose turn it is; it begins the next phase.
        play: The open battle; None if there is none.
        rolling: The action whose dice are being rolled, if any.
        clock: The clock that times its events.
        position: The battle's position on the table; None without a battle or before figures are seen.

    Signals:
        begun: A new battle was begun; its soldiers are not placed yet.
        stranger: The id of a clicked figure that is not in the battle.
        crossed: Whether there is a cross-hair on the table.
        changed: The players changed the battle, and the picture must be drawn again.
        resolved: The outcome of an action, in a few words.
        recorded: The name of a step that was recorded, such as a move that the camera saw.
        warned: What must be done before the next phase.
    """

    begun = pyqtSignal()
    stranger = pyqtSignal(str)
    crossed = pyqtSignal(bool)
    changed = pyqtSignal()
    resolved = pyqtSignal(str)
    recorded = pyqtSignal(str)
    warned = pyqtSignal(str)

    def __init__(self, panel: BattlePanel, say: Say, clock: Clock, chance: random.Random) -> None:
        """Show battles in `panel`; `say` shows a message, `chance` rolls the program's own dice."""
        super().__init__(panel)
        self.panel, self.turn_bar = panel, TurnBarView()
        self._armies: tuple[str, ...] = ()
        self._say, self.clock = say, clock
        self.rolling = RollingController(panel.show_dice, chance, self._try_now, self._finish)
        self._selection = Selection()
        self.position: Position | None = None
        self._seen: tuple[object, object, object] | None = None
        self._view: TableView | None = None
        self._stray: Stray | None = None
        self._skippable: tuple[ActionPreview, ...] = ()
        self._unanswered: tuple[tuple[str, ...], ...] = ()
        self._skips_unseen = False  # whether the next press skips moves that are not seen yet
        self._rounds = RoundController(panel.round_bar, self._on_round_changed, self._continue_round)
        self._presenter = BattlePresenter(panel, self.turn_bar, self._after)
        self.play: BattleSession | None = None
        self.turn_bar.go_on.connect(lambda: self._in_battle(self._go_on))
        panel.wanted.connect(partial(self._in_battle, self._do))
        panel.roll_wanted.connect(partial(self._in_battle, self._roll))
        panel.roll_all_wanted.connect(partial(self._in_battle, self._roll_all))
        panel.settled.connect(partial(self._in_battle, self._settle))
        panel.answered.connect(partial(self._in_battle, self._answer))
        panel.posture_doubts = self._posture_doubts
        panel.overrule_requested.connect(partial(self._in_battle, self._overrule))
        panel.pending_moves.all_accepted.connect(partial(self._record, BattleSession.accept_all))
        panel.pending_moves.none_accepted.connect(partial(self._record, BattleSession.all_only_shifted))
        panel.goals.connect(lambda: self._try(self._ask_goals))
        panel.round_bar.started.connect(self._begin_round)
        panel.round_bar.left.connect(self._leave_round)
        self._show()

    def begin(self, path: Path, battle_setup: BattleSetup) -> None:
        """Start a battle in a new file; raises `UserError` like `ui.battle.battle_setup.begin`."""
        self.resume(begin(path, self.clock, battle_setup))
        self.begun.emit()

    def open(self, path: Path) -> None:
        """Continue a battle; raises `UserError` like `Battle.open`."""
        self.resume(Battle.open(path, self.clock))

    def close(self) -> None:
        """Close the battle; everything in it is on the disk."""
        self.rolling.cancel()
        if self.play is not None:
            self.play.battle.close()
        self.play = None
        self.position, self._seen, self._view, self._selection = None, None, None, Selection()
        self._stray, self._skippable, self._unanswered = None, (), ()
        self._rounds.end()
        self.panel.show_outcome("")
        self._show()

    @property
    def is_rolling(self) -> bool:
        """Whether an action waits for its dice, before which nothing else can be done."""
        return bool(self.rolling)

    @property
    def figures(self) -> frozenset[str]:
        """The figures in play; empty without a battle."""
        return frozenset(self.play.battle.state.units) if self.play is not None else frozenset()

    @property
    def chosen(self) -> str:
        """The selected figure, whose actions are shown; empty if none."""
        return self._selection.figure

    @property
    def cross_hair_in(self) -> PointIn | None:
        """The cross-hair's position, for aiming by keys; None without a cross-hair."""
        return self._selection.cross_hair_in

    @property
    def must_answer(self) -> bool:
        """Whether moves wait for an answer that the next phase would forbid."""
        return bool(self._presenter.shown.unanswered)

    @property
    def may_move(self) -> bool:
        """Whether soldiers may be moved now: without a battle, before its first turn, and in its phases of moving."""
        play, position = self.play, self.position
        return play is None or position is None or not position.state.turn or play.referee.moves(position)

    @property
    def pending(self) -> tuple[PendingMove, ...]:
        """Moves seen by the camera that wait for an answer."""
        return self._presenter.shown.pending

    def choose(self, figure: str) -> None:
        """Select a figure, none for an empty name; a figure not due in the current round ends the round."""
        self._rounds.ask(figure)
        self._select(Selection(figure))

    def _select(self, selection: Selection) -> None:
        self._selection = selection
        self._show()

    def point(self, figure: str, place_in: PointIn | None) -> None:
        """Select a figure, or aim the selected figure at a bare place; where that is impossible, deselect.

        A figure that the selected one may attack becomes its target instead of the new selection. `figure` is empty at
        a bare place; `place_in` is None beside the table.
        """
        if self.rolling:
            return  # the dice come first
        if figure and self.play is not None and figure not in self.figures:
            self.choose("")
            self.stranger.emit(figure)
            return
        if self._selection.targets:
            self._select(replace(self._selection, targets=()))
        if not (figure and self.chosen and self.panel.action_list.choose_target(figure, self._posture_doubts)):
            if figure or place_in is None or not self._aims(place_in):
                self.choose(figure)
            else:
                self._select(Selection(self.chosen, place_in))
                if self.panel.chosen is None:
                    self.panel.action_list.choose(0)
        self.panel.take_focus()

    def add(self, figure: Figure, recruit: Recruit) -> None:
        """Bring a figure into the battle where it stands; see `BattleSession.add`."""
        if self.play is not None:
            self._after(partial(self.play.add, figure, recruit))

    def turn_figure(self, figure: str, facing_deg: float) -> None:
        """Journal that a figure faces this way, whatever the camera sees."""
        if self.play is not None:
            play = self.play
            self._try(lambda: play.turn_figure(figure, facing_deg))

    def add_target(self, figure: str) -> None:
        """Add a target of the selected figure, or take it away: two or more are attacked by one action."""
        self._in_battle(self._add_target, figure)

    def _add_target(self, play: BattleSession, position: Position, figure: str) -> None:
        now = self.panel.chosen
        if not self.chosen or figure == self.chosen:
            return
        aimed_at = now.action.at[:1] if now is not None and now.action.by == (self.chosen,) else ()
        before = self._selection.targets or aimed_at
        added = tuple(one for one in before if one != figure) if figure in before else (*before, figure)
        if len(added) > 1 and not play.at_targets(position, self.chosen, added):
            raise user_error("{name} cannot attack these targets together", name=display_name(self.chosen))
        self._select(Selection(self.chosen, targets=added))
        self.panel.action_list.choose(0) if len(added) > 1 else self.panel.action_list.choose_target("".join(added))
        self.panel.take_focus()

    def cancel(self) -> bool:
        """Cancel a roll, else drop the cross-hair, the aimed place, the round or the selection; return success."""
        if self.rolling:
            self.rolling.cancel_unless_begun()
            return True
        if self._selection.cross_hair_in is not None or self._selection.targets:
            self._select(self._selection.less())
            return True
        if self._selection.spot_in is None and self._rounds:
            self._leave_round()
            return True
        before = self._selection
        self.choose(before.less().figure)
        return bool(before.figure)

    def place_cross_hair(self, place_in: PointIn) -> None:
        """Move the cross-hair to a place, for the selected figure.

        Raises:
            UserError: if no action of the figure aims at a place.
        """
        if not self._aims(place_in):
            raise user_error("{name} has no action that aims at a place", name=display_name(self.chosen))
        self._select(Selection(self.chosen, cross_hair_in=place_in))

    def _aims(self, place_in: PointIn) -> bool:
        """Whether the selected figure has an action that aims at a place."""
        play, position = self.play, self.position
        return play is not None and position is not None and play.aims(position, self.chosen, place_in)

    def drifted(self, drift: Drift) -> None:
        """Journal that the camera, the table or the markers moved."""
        if self.play is not None:
            self._try_now(partial(self.play.drifted, drift))
            self._refresh()

    @property
    def pointing(self) -> Preview:
        """What the battle draws on the table: the selected action, moves to decide, and strayed templates."""
        shown = pointing(self._presenter.shown.drawn, self.panel.chosen, self.chosen, self._stray)
        return replace(shown, marks=(*shown.marks, *cross_marks(self.cross_hair_in))) if self.cross_hair_in else shown

    def aiming(self, at_in: PointIn | None) -> Preview:
        """The same plus, before an action is selected, the template that a click on this place or Enter would lay."""
        free, shown = self.chosen and self._selection.spot_in is None, self.pointing
        if self.cross_hair_in is not None:
            at_in, shown = self.cross_hair_in, replace(shown, ruler=None)
        return aiming(shown, self.panel.first_template, at_in if free else None)

    @property
    def shot(self) -> tuple[Position, ActionPreview] | None:
        """The selected action and its position, for the range rod."""
        chosen = self.panel.chosen
        return (self.position, chosen) if self.position is not None and chosen is not None else None

    def update_position(self, view: TableView, setup: Setup) -> None:
        """Update the position from the table; nothing is computed if nothing has changed."""
        if self.play is None:
            return
        self._view = view
        if self._skips_unseen and view.waiting is None:  # all is seen now
            self._skips_unseen = False
            self.panel.show_outcome("")
        now = ({one.id: _settled(one) for one in view.figures}, setup.terrain, self.play.battle.state)
        if now == self._seen:
            return
        self._seen = now
        self._armies = army_names(setup.palette or view.proposed)
        play = self.play
        self._try_now(lambda: play.place_new(play.position(view, setup)))
        self.position = play.position(view, setup)
        self._show()

    def undo(self) -> str | None:
        """Undo the last step of the battle; return its name."""
        return self._turned(BattleSession.undo)

    def redo(self) -> str | None:
        """Redo the last undone step; return its name."""
        return self._turned(BattleSession.redo)

    def go_to(self, seq: int) -> None:
        """Go back or forward to an entry; raises `UserError` like `Battle.go_to`."""
        if self.play is not None:
            self.rolling.check_none()
            self._selection = Selection()  # the selected figure may be out of the battle at that entry
            try:
                self.play.battle.go_to(seq)
            finally:
                self.panel.show_outcome("")
                self._forget_result()

    def _turned(self, turn: Callable[[BattleSession], str | None]) -> str | None:
        if self.play is None:
            return None
        self.rolling.check_none()
        name = turn(self.play)
        if self.panel.chosen is None:
            self.panel.show_outcome("")
        self._forget_result()
        return name and step_words(name)

    def _forget_result(self) -> None:
        """Show the battle without the last result, which may be undone."""
        self._rounds.result = ""
        self.resolved.emit("")
        self._refresh()

    def resume(self, battle: Battle) -> None:
        """Show this open battle instead of the previous one, and continue it."""
        self.close()
        self.play = BattleSession(battle)
        self._show()

    # What the players choose

    def _go_on(self, play: BattleSession, position: Position) -> None:
        play.place_all(position)
        if self._warn_of_movement(play, position) or self._warn_of_moves() or self._warn_of_owed(play, position):
            return
        play.go_on(position, self._skippable)
        self._skippable, self._skips_unseen = (), False
        self._stray = None
        self._rounds.end()
        self._selection = Selection()  # these actions belong to the last phase
        self._refresh()
        self.panel.show_outcome("")

    def _warn_of_movement(self, play: BattleSession, position: Position) -> bool:
        """Say that a move may not be seen yet, which the next phase would forbid; return whether that is new."""
        moves = self._view is not None and self._view.waiting is not None and play.referee.moves(position)
        if not moves or self._skips_unseen:
            return False
        self._skips_unseen = True
        words = tr("Something is still moving on the table: wait, or press N again to go on without its moves.")
        self._warn(words)
        return True

    def _warn_of_moves(self) -> bool:
        """Name the moves that the next phase would forbid; return whether there are new ones."""
        known, self._unanswered = self._unanswered, self._presenter.shown.unanswered
        if set(self._unanswered) <= set(known):
            return False
        self._show()
        words = tr_count(
            "{count} move is not answered: answer it above. Press N again to skip it.",
            "{count} moves are not answered: answer them above. Press N again to skip them.",
            len(self._unanswered),
        )
        self._warn(words)
        return True

    def _warn(self, words: str) -> None:
        self.panel.show_outcome(words)
        self.warned.emit(words)

    def _warn_of_owed(self, play: BattleSession, position: Position) -> bool:
        """Name what is still owed; return whether it was new, so that only a second *Next* skips it."""
        owed = play.owed(position)
        known = {one.action.words for one in self._skippable}
        self._skippable = owed
        if all(one.action.words in known for one in owed):
            return False
        if any(one.action.round != self._rounds.name for one in owed):
            self._rounds.end()  # its figure would hide what is owed
        self._selection = Selection()
        self._refresh()
        self.panel.choose_dice()
        self.panel.take_focus()
        words = tr("{owed}. Press N again to skip it.", owed=obligation_words(owed))
        self.panel.show_owed(words)
        self.warned.emit(words)
        return True

    def _do(self, play: BattleSession, position: Position, action: Action) -> None:
        self.rolling.begin(RollingAction(play, position, action), self.panel.needed.text())

    def _roll(self, play: BattleSession, position: Position, action: Action) -> None:
        self.rolling.roll(RollingAction(play, position, action))

    def _roll_all(self, play: BattleSession, position: Position, action: Action) -> None:
        self.rolling.roll_series(RollingAction(play, position, action))

    def _finish(self, done: Sequence[RollingAction]) -> None:
        """Show what came of actions whose dice are rolled: of one with its reasons, of several a line each."""
        if self.play is None or not done:
            return
        self._skippable = ()  # what is still owed is named again
        found = [(one, one.verdict) for one in done if one.verdict is not None]
        rolled, verdict = found[-1]
        self._stray = self.play.referee.strayed(rolled.position, rolled.action, verdict)
        # The actions at the place where a template ended are listed with all others.
        spot_in = self._selection.spot_in if self._stray is None else None
        self._selection = replace(self._selection, spot_in=spot_in, targets=())
        event = self.play.battle.events[self.play.battle.entries[-1].seq]
        assert isinstance(event, ActionResolved)  # as every action that is done
        self.resolved.emit(outcome_banner(event))
        if len(found) > 1:
            lines = [f"{translated(one.action.words)}: {capitalized(outcome_words(its.outcome))}" for one, its in found]
            self._show_outcome((), "", lines)
        else:
            outcome = result_words(event)
            if self._rounds:
                outcome = " · ".join((outcome, *(thrown_words(asked, roll.faces) for asked, roll in rolled.throws)))
            self._show_outcome(rolled.action.by, outcome, verdict_rows(verdict))
            if not self._rounds:  # the card already shows the next soldier
                self.panel.show_throws(rolled.throws)

    def _show_outcome(self, by: Sequence[str], result: str, reasons: Sequence[str]) -> None:
        """Show the result of an action, or those of several as `reasons`; in a round, show it above the next figure."""
        who = f"{display_names(tuple(by))}: " if by else ""
        self._rounds.result = f"{who}{result or reasons[0]}"
        self._refresh()
        if not self._rounds:
            self.panel.show_outcome("\n".join(reasons), result)
        self.panel.take_focus()

    # Rounds

    def _begin_round(self, name: str) -> None:
        if self.play is not None and not self.rolling:
            self._rounds.begin(self.play, name)
            self._selection = Selection()
            self._on_round_changed()

    def _on_round_changed(self) -> None:
        self._select(replace(self._selection, spot_in=None, cross_hair_in=None))
        self.changed.emit()  # on a frozen picture nothing else draws the figure
        self.panel.take_focus()

    def _continue_round(self) -> None:
        """Show how far the search for the next figure is; draw the figure once it is found."""
        before = self.chosen
        self._show()
        if self.chosen != before:
            self.changed.emit()

    def _leave_round(self) -> None:
        self._rounds.end()
        self.choose("")

    def _settle(self, play: BattleSession, _: Position, ambiguity: Ambiguity, answer: str) -> None:
        play.settle(ambiguity, answer, limit_words(ambiguity))
        self._refresh()

    def _posture_doubts(self, one: ActionPreview) -> tuple[PostureDoubt, ...]:
        if self.play is None or self.position is None:
            return ()
        return self.play.posture_doubts(self.position, one)

    def _answer(self, play: BattleSession, _: Position, action: Action, fact: str, value: object) -> None:
        play.answer(action, fact, value)
        self._refresh()

    def _overrule(self, play: BattleSession, position: Position) -> None:
        """Ask how the players overrule the selected action or a verdict, and do it."""
        ruling = ask_ruling(play, position, self.panel.chosen, self.panel.window())
        if ruling is not None:
            decide(play, ruling)
            self._stray = None
            self._show_outcome(ruling.case.by, override_words(ruling.override), ruling.reason.splitlines())

    def _ask_goals(self) -> None:
        """Ask for the sides' goals and store the changes."""
        if self.play is not None:
            aims = ask_goals(self.play, self.position, self.panel.window())
            if aims is not None:
                agree(self.play.battle, aims)
                self._refresh()

    def _in_battle(self, change: Callable[..., object], *said: object) -> None:
        """Do what the players want in the open battle: `change` receives it, its position, and what they `said`."""
        if self.play is not None and self.position is not None:
            self._try(partial(change, self.play, self.position, *said))

    def _record(self, change: Callable[[BattleSession, Position], object]) -> None:
        """Do what the players want in the open battle, and name the step that was recorded."""
        if self.play is not None and self.position is not None:
            self._after(partial(change, self.play, self.position))

    def _try(self, change: Callable[[], object]) -> None:
        """Do what the players want, unless dice must be rolled first."""

        def guarded() -> None:
            self.rolling.check_none()
            change()

        self._try_now(guarded)

    def _try_now(self, change: Callable[[], object]) -> None:
        try:
            change()
        except UserError as refusal:
            self._say(readable(str(refusal)))

    # What is shown

    def _refresh(self) -> None:
        """Show the same table after a change in the battle."""
        if self.play is not None and self.position is not None:
            before, now = self.position.state, self.play.battle.state
            self.position = replace(self.position, state=now)
            if before.units.keys() != now.units.keys():
                self._seen = None  # the table shows figures that have joined
            elif self._seen is not None:
                self._seen = (*self._seen[:2], now)  # the next look at the table need not show the change again
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        play, position = self.play, self.position
        if play is None or position is None:
            self._rounds.show(None, None)
            self._presenter.show_nothing(play, self._armies)
        else:
            play.await_places()
            due, asked = self._rounds.show(play, position, self.chosen), None
            if self._rounds and due != self.chosen:
                self._selection = Selection(due)
            if self._rounds and due:
                asked = self._rounds.previews(play, position)
            self._presenter.show(
                play,
                position,
                self._selection,
                armies=self._armies,
                skippable=self._skippable,
                skippable_moves=self._unanswered,
                asked=asked,
                idle=self._rounds.idle if self._rounds.name == FIRE else (),
                view=self._view,
            )
            if self._unanswered and not self._presenter.shown.unanswered:  # the moves that were named are answered
                self._unanswered = ()
                self.panel.show_outcome("")
        self.crossed.emit(self.cross_hair_in is not None)

    def _after(self, change: Callable[[], object]) -> None:
        before = len(self.play.battle.entries) if self.play is not None else 0
        self._try(change)
        self._refresh()
        if self.play is not None and len(self.play.battle.entries) > before:
            self.recorded.emit(step_words(self.play.undo_label or ""))


def _settled(figure: Figure) -> tuple[object, ...]:
    """What of a figure matters to the battle, so coarse that it does not change while nothing happens."""
    place = tuple(round(v / _SETTLED_IN) for v in figure.centre_in)
    facing = None if figure.facing_deg is None else round(figure.facing_deg / _SETTLED_DEG) % round(360 / _SETTLED_DEG)
    corners_in = figure.base_in if figure.posture is Posture.VEHICLE else ()
    hull = tuple(round(v / _SETTLED_HULL_IN) for corner in corners_in for v in corner)
    return place, figure.possible_postures, facing, hull
