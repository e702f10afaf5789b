"""A battle on the table: joins the journal, the game's referee and the camera's view, without Qt."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from calibration.drift import Drift
from calibration.drift import Moved as DriftOf
from rules.battle.battle import Battle
from rules.battle.journal import EXTERNAL_EVENTS, redoable
from rules.battle.overrides import record_forbidden_moves
from rules.battle.referees import end_phase, performing, position_of, referee_of
from rules.battle.story import story_lines
from rules.engine.action import Action
from rules.engine.ambiguity import Ambiguity, answer_key, with_answers
from rules.engine.dice import Dice, DiceRequest, Procedure, Roll, asks_again, no_dice, play
from rules.engine.effects import at_journal_places
from rules.engine.events import (
    ActionResolved,
    BattleBegun,
    CameraMoved,
    Change,
    Changed,
    Event,
    MarkerMoved,
    Noted,
    OutcomeDecided,
    PhaseBegun,
    Placed,
    Posed,
    QuestionAnswered,
    QuestionAsked,
    Recruit,
    UnitJoined,
)
from rules.engine.objectives import OBJECTIVE
from rules.engine.position import Position
from rules.engine.posture_doubt import PostureDoubt, posture_doubts
from rules.engine.preview import ActionPreview, AvailableActions, available_actions, obligations, preview_of
from rules.engine.roster import check_card
from rules.engine.state import Unit
from rules.engine.text import label as label_of
from rules.engine.verdict import Verdict
from rules.tabletop.bearing import turn_deg
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.path import Path, length_in
from rules.tabletop.table import Figure, PointIn, Posture
from rules.tabletop.tolerance import DOUBT_SIGMAS
from ui.battle.action_text import obligation_words
from ui.measuring import Tape
from ui.rules_text import display_name, turn_words
from ui.table.corrections import FacingSet
from ui.translation import tr
from vision.setup import Setup
from vision.table_view import TableView

LEAST_MOVE_IN = 0.35
"""Shorter moves are not proposed, because players nudge soldiers."""
FALLEN_WITHIN_IN = 1.75
"""A soldier that fell over lies this near to where its base stood."""
LEAST_TURN_DEG = 20.0
"""Neither hands nor the camera know the facing of a soldier better."""
MAX_RECALLED = 20
"""Actions whose positions are kept, to overrule their verdicts; older ones are seldom overruled."""

_NO_MOVES = "new places without moves"
_TOGETHER_S = 0.25
"""Moves that were answered within this time were answered by one click: two clicks take longer."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed move of figures that the camera sees elsewhere than the journal.

    Attributes:
        paths: A straight path for each, from its journalled place to its visible one.
        preview: What the rules say about the move.
    """

    paths: Mapping[str, Path]
    preview: ActionPreview

    @property
    def is_legal(self) -> bool:
        """Whether the rules allow it and nothing about it is too close to call."""
        return self.preview.possible and not self.preview.ambiguities

    @property
    def distance_in(self) -> float:
        """The longest of the moves."""
        return max(length_in(path) for path in self.paths.values())

    @property
    def words(self) -> str:
        """Such as "Green 3 moved 5.8 in"."""
        names = ", ".join(display_name(name) for name in self.paths)
        return tr("{soldiers} moved {distance_in:.1f} in", soldiers=names, distance_in=self.distance_in)

    @property
    def short_words(self) -> str:
        """Such as "5.8 in", or "4 soldiers, 5.8 in"."""
        far = tr("{distance_in:.1f} in", distance_in=self.distance_in)
        return far if len(self.paths) == 1 else tr("{count} soldiers, {distance}", count=len(self.paths), distance=far)

    @property
    def end_in(self) -> PointIn:
        """Where the first figure's path ends."""
        return next(iter(self.paths.values()))[-1]


class BattleSession:
    """What the players do in a battle. A call that changes the battle returns once the change is on the disk.

    Attributes:
        has_hand: Whether the table is simulated, so that the program can put figures where the battle says.
        awaited: The figures that its hand will still put somewhere; their moves are not proposed.
        awaited_postures: Those that it will still lay down or stand up, each with its posture.
    """

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.has_hand = False
        self.awaited: dict[str, PointIn] = {}
        self.awaited_postures: dict[str, Posture] = {}
        self._places: dict[str, PointIn | None] = {}
        self._postures: dict[str, Posture | None] = {}
        self.referee = referee_of(battle.game.name)
        self._done: dict[int, tuple[Position, Action]] = {}
        self._seen: set[str] = set()
        self._one_step = _answered_together(battle)  # entries that are undone together: the last, and the first

    def position(self, view: TableView | None, setup: Setup) -> Position:
        """The position: the battle now, with its figures as this view shows them."""
        figures = [figure for figure in view.figures if figure.id in self.battle.state.units] if view else []
        if view is None or view.calibration is None:
            return position_of(self.battle, (), setup.terrain)
        return position_of(self.battle, figures, setup.terrain, Tape(view.calibration, figures))

    def available_actions(self, position: Position, figure: str) -> AvailableActions:
        """All actions of a figure; raises as the function of this name, and UserError if the figure is out."""
        if position.unit(figure).out:
            raise user_error("{soldier} is out of the battle. Choose another soldier", soldier=display_name(figure))
        return available_actions(self.referee, position, figure)

    def at_targets(self, position: Position, figure: str, names: tuple[str, ...]) -> tuple[ActionPreview, ...]:
        """All actions of a figure at several targets, named in the order of its shots; none in most games."""
        actions = self.referee.at_targets(position, figure, names)
        return tuple(preview_of(position, action, self.referee) for action in actions)

    def posture_doubts(self, position: Position, preview: ActionPreview) -> tuple[PostureDoubt, ...]:
        """What the camera is not sure of and matters to an action."""
        return tuple(posture_doubts(self.referee, position, preview))

    def aims(self, position: Position, figure: str, spot_in: PointIn) -> bool:
        """Whether a figure has an action at a bare place."""
        if figure not in position.figures or position.unit(figure).out:
            return False
        return any(True for _ in self.referee.at_spot(position, figure, spot_in))

    def obligations(self, position: Position) -> tuple[ActionPreview, ...]:
        """The obligations of a whole side or the battle, without its goals, which have a dialog."""
        owed = (one for one in self.referee.obligations(position) if one.name != OBJECTIVE)
        return tuple(preview_of(position, action, self.referee) for action in owed)

    def do(self, position: Position, action: Action, dice: Dice) -> Verdict:
        """Carry out an action: roll, get the verdict and journal it; raises as `rules.battle.referees.perform`."""
        return play(self.doing(position, action), dice)

    def doing(self, position: Position, action: Action) -> Procedure[Verdict]:
        """The procedure of `do`, for dice that arrive one throw at a time; closed early, nothing has happened."""
        verdict = yield from performing(self.battle, self.referee, position, action)
        answered = preview_of(
            position, replace(action, has_odds=False)
        ).action  # with the players' answers, without odds
        self._done[self.battle.entries[-1].seq] = position, replace(answered, has_odds=action.has_odds)
        for seq in sorted(self._done)[:-MAX_RECALLED]:
            del self._done[seq]
        return verdict

    def asks_again(self, position: Position, action: Action, rolls: Sequence[Roll], request: DiceRequest) -> bool:
        """Whether an action may ask for more dice after these rolls and the one that it asks for now."""
        action, _, _ = with_answers(position, action)
        return asks_again(lambda: self.battle.game.begin(action.name, action.given), rolls, request)

    def done(self, seq: int) -> tuple[Position, Action] | None:
        """The position and action of a journal entry; None if it is too old or of an earlier session."""
        return self._done.get(seq)

    def owed(self, position: Position) -> tuple[ActionPreview, ...]:
        """What must be done, or waived by name, before the phase ends."""
        return obligations(self.referee, position)

    def go_on(self, position: Position, waived: Iterable[ActionPreview] = ()) -> str:
        """Begin the next phase and return its name; what the players waive is noted in the journal.

        Raises:
            UserError: if something is owed that the players do not waive.
        """
        names = [one.action.words for one in waived]
        left = [one for one in self.owed(position) if one.action.words not in names]
        if left:
            raise UserError(obligation_words(left))
        if not position.state.turn:
            for unit in _moved(position):
                self.battle.record(Placed(figure=unit.id, at_in=position.figure(unit.id).centre_in))
        if names:
            self.battle.record(Noted(text=f"Skipped: {', '.join(names)}"))
        begins = end_phase(self.battle, self.referee, position)
        return turn_words(begins.turn, begins.side, begins.phase)

    def add(self, figure: Figure, recruit: Recruit) -> None:
        """Journal that a figure joins the battle where it stands, such as one that the camera missed, in one step.

        Raises:
            UserError: as `rules.engine.roster.check_card`.
        """
        check_card(self.battle.game, figure.id, recruit.card)
        first = len(self.battle.entries) + 1
        placed = Placed(figure=figure.id, at_in=figure.centre_in, facing_deg=figure.facing_deg)
        self.battle.record_all((UnitJoined(side=figure.army, **vars(recruit)), placed))
        self._join(first)

    def place_new(self, position: Position) -> None:
        """Journal the places of figures that are visible for the first time; after an undo, they are not repeated."""
        self._place(position, [name for name in position.figures if name not in self._seen])
        self._seen |= position.figures.keys()

    def place_all(self, position: Position) -> None:
        """Journal the places of all figures that have none yet, before an action."""
        self._place(position, position.figures)

    def _place(self, position: Position, names: Iterable[str]) -> None:
        new = [name for name in names if position.unit(name).at_in is None]
        if new:
            figures = [position.figure(name) for name in new]
            lying = [one for one in figures if self.has_hand and one.posture is Posture.DOWN]
            self.battle.record_all(
                (
                    *(Placed(figure=one.id, at_in=one.centre_in, facing_deg=one.facing_deg) for one in figures),
                    *(Posed(figure=one.id, posture=Posture.DOWN) for one in lying),
                )
            )

    # What the camera saw

    def proposals(self, position: Position) -> tuple[Proposal, ...]:
        """Moves of figures that are not at their journalled places; a squad moves together if the rules allow it.

        Nothing is proposed for a squad that the rules cannot judge yet, such as one with a man under a hand.
        """
        if not position.state.turn:
            return ()  # nothing has started: `go_on` takes every soldier from where it stands then
        squads: dict[tuple[str, str], list[Unit]] = {}
        for unit in _moved(position):
            if unit.id in self.awaited:
                continue
            squads.setdefault((unit.side, unit.squad or unit.id), []).append(unit)
        found: list[Proposal] = []
        for units in squads.values():
            with suppress(UserError):
                found += self._of_squad(position, units)
        return tuple(found)

    def await_places(self) -> None:
        """Await figures where and as the battle has put them, such as by undo; call it after a change."""
        state = self.battle.state
        before, self._places = self._places, {unit.id: unit.at_in for unit in state.units.values()}
        posed, self._postures = self._postures, {unit.id: unit.posture for unit in state.units.values()}
        if not self.has_hand:
            return
        if state.turn:
            there = (one for one in state.units.values() if not one.out or one.posture is Posture.DOWN)
            changed = (one for one in there if before.get(one.id) != one.at_in)
            self.awaited.update({unit.id: unit.at_in for unit in changed if unit.at_in is not None})
        turned = (unit for unit in state.units.values() if posed.get(unit.id) != unit.posture)
        self.awaited_postures.update({unit.id: unit.posture or Posture.STANDING for unit in turned})

    @property
    def facings(self) -> tuple[FacingSet, ...]:
        """The facings that the players gave to figures that have not moved since."""
        units = self.battle.state.units.values()
        return tuple(
            FacingSet(unit.id, unit.at_in, unit.facing_deg)
            for unit in units
            if unit.is_facing_given and unit.at_in is not None and unit.facing_deg is not None
        )

    def turn_figure(self, figure: str, facing_deg: float) -> None:
        """Journal that a figure faces this way, whatever the camera sees; raises as `pose`."""
        self.battle.record(Posed(figure=figure, facing_deg=facing_deg))

    def pose(self, figure: str, posture: Posture) -> None:
        """Journal that a figure of the simulated table was laid down or stood up, so that it is again after *Continue*.

        Raises:
            UserError: if it is not in the battle.
        """
        self.battle.record(Posed(figure=figure, posture=posture))

    def _of_squad(self, position: Position, units: Sequence[Unit]) -> tuple[Proposal, ...]:
        together = self._proposal(position, units)
        if len(units) == 1 or together.preview.possible:
            return (together,)
        singly = tuple(self._proposal(position, [unit]) for unit in units)
        return singly if all(proposal.preview.possible for proposal in singly) else (together,)

    def _proposal(self, position: Position, units: Sequence[Unit]) -> Proposal:
        paths = {unit.id: (unit.at_in, position.figure(unit.id).centre_in) for unit in units if unit.at_in is not None}
        before = at_journal_places(position)
        return Proposal(paths, preview_of(before, self.referee.march(before, paths, _turned(position, units))))

    def left_in(self, position: Position, proposal: Proposal) -> float | None:
        """The smallest allowance left before the move, over its figures; None if the rules do not say."""
        before = at_journal_places(position)
        answers = [preview_of(before, self.referee.movement(before, name)).before for name in proposal.paths]
        left = [answer.numbers.get("left_in") for answer in answers if answer is not None]
        return min((float(inches) for inches in left if inches is not None), default=None)

    def accept(self, position: Position, proposal: Proposal) -> Verdict:
        """Apply the rules to the move and journal it; raises as `do`."""
        return self.do(at_journal_places(position), proposal.preview.action, no_dice)

    def settled(self, position: Position, proposal: Proposal, answer: str) -> Proposal:
        """The same move if the players answered what is too close to call about it; nothing is journalled."""
        question = proposal.preview.ambiguities[0].question
        state = replace(position.state, settled={**position.state.settled, question: answer})
        return self._proposal(replace(position, state=state), [position.unit(name) for name in proposal.paths])

    def settle_move(self, position: Position, proposal: Proposal, answer: str, limit: str = "") -> None:
        """Journal the answer to what is too close to call about a move and, if that allows it, the move: one step."""
        first = len(self.battle.entries) + 1
        self.settle(proposal.preview.ambiguities[0], answer, limit)
        if (allowed := self.settled(position, proposal, answer)).is_legal:
            self.accept(replace(position, state=self.battle.state), allowed)
            self._join(first)

    def accept_all(self, position: Position) -> int:
        """Accept all proposed moves that the rules allow, one entry each; return their number. Raises as `do`."""
        accepted, first = 0, len(self.battle.entries) + 1
        for proposal in self.proposals(position):
            now = replace(position, state=self.battle.state)
            again = self._proposal(now, [now.unit(name) for name in proposal.paths])
            if again.is_legal:
                self.accept(now, again)
                accepted += 1
        self._join(first)
        return accepted

    def let_pass(self, position: Position, proposal: Proposal, reason: str) -> None:
        """Journal a move that the rules do not allow, because the players overrule them.

        Raises:
            UserError: as `rules.battle.overrides.record_forbidden_moves`.
        """
        together = bool(proposal.preview.action.given)  # a move without facts holds for one figure only
        moves = [proposal.paths] if together else [{name: path} for name, path in proposal.paths.items()]
        record_forbidden_moves(self.battle, self.referee, at_journal_places(position), moves, reason)

    def only_shifted(self, *proposals: Proposal) -> None:
        """Journal new places without a move, in one step: the figures or the table were only nudged."""
        first = len(self.battle.entries) + 1
        paths = [one for proposal in proposals for one in proposal.paths.items()]
        self.battle.record_all(Placed(figure=name, at_in=path[-1]) for name, path in paths)
        self._join(first)

    def put_back(self, proposal: Proposal) -> None:
        """Let the hand of the simulated table put the figures of a move back where they were."""
        self.awaited.update({name: path[0] for name, path in proposal.paths.items()})

    def all_only_shifted(self, position: Position) -> None:
        """Journal the places where all figures stand now without a move, such as on a table that was set up again."""
        self.only_shifted(*self.proposals(position))

    def drifted(self, drift: Drift) -> None:
        """Journal that the camera, the table or a marker moved; places on the table stay."""
        if drift.what is DriftOf.MARKER:
            self.battle.record(MarkerMoved(ids=drift.ids))
        else:
            self.battle.record(CameraMoved(what=str(drift.what)))

    # Undo

    @property
    def undo_label(self) -> str | None:
        """Label of the step that `undo` would take back, or None."""
        if self._is_at_beginning:
            return None
        first, last = self._undone_together
        return self._label(first, last) if first else self.battle.can_undo

    @property
    def redo_label(self) -> str | None:
        """Label of the step that `redo` would restore, or None."""
        first, last = self._redone_together
        return self._label(first, last) if first else self.battle.can_redo

    def undo(self) -> str | None:
        """Undo the last step, even if it has several entries; its label, or None if only the beginning is left."""
        if self._is_at_beginning:
            return None
        (first, _), label = self._undone_together, self.undo_label
        if not first:
            return self.battle.undo()
        self.battle.go_to(max(seq for seq in self._steps if seq < first))
        return label

    def redo(self) -> str | None:
        """Redo the step that was undone last; its label, or None if there is none."""
        (_, last), label = self._redone_together, self.redo_label
        if not last:
            return self.battle.redo()
        self.battle.go_to(last)
        return label

    def _join(self, first: int) -> None:
        """Make one step of all entries from this one on."""
        last = len(self.battle.entries)
        if last > first:
            self._one_step[last] = first

    def _label(self, first: int, last: int) -> str:
        events = [self.battle.events.get(seq) for seq in range(first, last + 1)]
        if isinstance(events[0], UnitJoined):
            return label_of(events[0])
        moves = [one for one in events if isinstance(one, ActionResolved)]
        if len(moves) == 1:
            return label_of(moves[0])  # with what was too close to call about it
        return f"{len(moves)} moves" if moves else _NO_MOVES

    @property
    def _steps(self) -> list[int]:
        """The entries in force that can be undone."""
        return [seq for seq, event in self.battle.in_force.items() if event.kind not in EXTERNAL_EVENTS]

    @property
    def _is_at_beginning(self) -> bool:
        """Whether only the set-up is in force: the armies with their goals, and where they stood at first.

        Undo never takes the armies apart: a battle that begins otherwise is another battle.
        """
        known: tuple[type[Event], ...] = (BattleBegun, UnitJoined, Changed, Placed)
        for seq in self._steps:
            event = self.battle.events[seq]
            if not isinstance(event, known):
                return False
            if isinstance(event, Placed):
                known = (Placed,)
        return True

    @property
    def _undone_together(self) -> tuple[int, int]:
        """The first and the last of the entries that are undone next if these are one step, else zeros."""
        last = self._steps[-1]
        return (self._one_step[last], last) if last in self._one_step else (0, 0)

    @property
    def _redone_together(self) -> tuple[int, int]:
        """The first and the last of the entries that are restored next if these are one step, else zeros."""
        coming = [entry.seq for entry in redoable(self.battle.entries)] if self._one_step else []
        together = ((first, last) for last, first in self._one_step.items() if first == coming[0] and last in coming)
        return next(together, (0, 0)) if coming else (0, 0)

    # What the players say

    def settle(self, doubt: Ambiguity, answer: str, limit: str = "") -> None:
        """Journal the players' decision on something too close to call, with its question and any limit first."""
        if doubt.question not in self.battle.state.open_questions:
            self.battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
        self.battle.record(QuestionAnswered(question=doubt.question, answer=answer, limit=limit))

    def answer(self, action: Action, fact: str, value: object) -> None:
        """Journal a fact that no camera can measure, for the acting figure and this turn."""
        figure, key = action.by[0] if action.by else "", answer_key(action, fact)
        self.battle.record(Changed(changes=(Change(figure=figure, key=key, value=value, this_turn=True),)))

    # The story

    @property
    def acted(self) -> set[str]:
        """Ids of the figures that have acted since the phase began."""
        names: set[str] = set()
        for event in reversed([*self.battle.in_force.values()]):
            if isinstance(event, PhaseBegun):
                break
            if isinstance(event, (ActionResolved, OutcomeDecided)):
                names.update(event.by)
        return names

    @property
    def story(self) -> tuple[str, ...]:
        """The battle so far, in lines."""
        return tuple(story_lines(self.battle.game, self.battle.in_force.values()))


def _answered_together(battle: Battle) -> dict[int, int]:
    """The moves and nudges of an opened battle that were answered by one click: the last entry of each, the first."""
    found: dict[int, int] = {}
    for before, entry in itertools.pairwise(battle.entries):
        events = battle.events.get(before.seq), battle.events.get(entry.seq)
        nudges = all(isinstance(one, Placed) for one in events)
        moves = all(isinstance(one, ActionResolved) and one.effects.moves and not one.throws for one in events)
        if (nudges or moves) and 0 <= entry.time_s - before.time_s < _TOGETHER_S:
            found[entry.seq] = found.pop(before.seq, before.seq)
    return found


def _turned(position: Position, units: Iterable[Unit]) -> dict[str, float]:
    """The facings of units that were turned; a figure that was only pushed sideways needs no turn back."""
    seen = {man.id: (man.facing_deg, position.figure(man.id).facing_deg) for man in units}
    return {
        name: now_deg
        for name, (before_deg, now_deg) in seen.items()
        if now_deg is not None and (before_deg is None or abs(turn_deg(before_deg, now_deg)) > LEAST_TURN_DEG)
    }


def _moved(position: Position) -> list[Unit]:
    return [unit for unit in position.state.units.values() if _has_moved(unit, position.figures.get(unit.id))]


def _has_moved(unit: Unit, seen: Figure | None) -> bool:
    if seen is None or unit.at_in is None or unit.out:
        return False
    # A crawling soldier on its side still looks like one that crawls.
    least_in = FALLEN_WITHIN_IN if Posture.DOWN in (seen.posture, unit.posture) else LEAST_MOVE_IN
    return math.dist(unit.at_in, seen.centre_in) > max(least_in, DOUBT_SIGMAS * seen.sigma_in)
