"""A battle on the table: joins the journal, the game's referee and the camera's view, without Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from calibration.drift import Drift
from calibration.drift import Moved as DriftOf
from rules.battle.battle import Battle
from rules.battle.overrides import record_forbidden_moves
from rules.battle.referees import perform, position_of, referee_of
from rules.battle.story import tell
from rules.engine.dice import Dice, no_dice
from rules.engine.effects import as_journalled
from rules.engine.events import (
    CameraMoved,
    Change,
    Changed,
    MarkerMoved,
    Noted,
    Placed,
    QuestionAnswered,
    QuestionAsked,
)
from rules.engine.position import Position
from rules.engine.referee import (
    ActionPreview,
    Ambiguity,
    AvailableActions,
    Deed,
    answer_key,
    at_spot,
    obligations,
    outlook,
    prospect,
)
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict
from rules.tabletop.bearing import turn_deg
from rules.tabletop.errors import UserError
from rules.tabletop.path import Path, length_in
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.tolerance import DOUBT_SIGMAS
from ui.battle.action_text import obligation_words
from ui.measuring import Tape
from vision.setup import Setup
from vision.table_view import TableView

LEAST_MOVE_IN = 0.35
"""Shorter moves are not proposed, because players nudge soldiers."""
LEAST_TURN_DEG = 20.0
"""Neither hands nor the camera know the facing of a soldier better."""
MAX_RECALLED = 20
"""Actions whose positions are kept, to overrule their verdicts; older ones are seldom overruled."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed move of figures that the camera sees elsewhere than the journal.

    Attributes:
        paths: A straight path for each, from its journalled place to its visible one.
        prospect: What the rules say about the move.
    """

    paths: Mapping[str, Path]
    prospect: ActionPreview

    @property
    def words(self) -> str:
        """Such as "Green 3 moved 5.8 in"."""
        longest = max(length_in(path) for path in self.paths.values())
        names = ", ".join(display_name(name) for name in self.paths)
        return f"{names} moved {longest:.1f} in"


class BattleSession:
    """What the players do in a battle. A call that changes the battle returns once the change is on the disk.

    Attributes:
        battle: The open battle.
        referee: The referee of its game.
    """

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.referee = referee_of(battle.game.name)
        self._done: dict[int, tuple[Position, Deed]] = {}
        self._seen: set[str] = set()

    def moment(self, view: TableView | None, setup: Setup) -> Position:
        """The position: the battle now, with its figures as this view shows them."""
        figures = [figure for figure in view.figures if figure.id in self.battle.state.units] if view else []
        if view is None or view.calibration is None:
            return position_of(self.battle, (), setup.terrain)
        return position_of(self.battle, figures, setup.terrain, Tape(view.calibration, figures))

    def outlook(self, moment: Position, figure: str) -> AvailableActions:
        """All actions of a figure; raises as `rules.engine.referee.outlook`, and UserError if the figure is out."""
        if moment.unit(figure).out:
            raise UserError(f"{display_name(figure)} is out of the battle. Choose another soldier")
        return outlook(self.referee, moment, figure)

    def at_spot(self, moment: Position, figure: str, spot_in: PointIn) -> tuple[ActionPreview, ...]:
        """All actions of a figure at a bare place; raises as `rules.engine.referee.at_spot`."""
        return at_spot(self.referee, moment, figure, spot_in)

    def aims(self, moment: Position, figure: str, spot_in: PointIn) -> bool:
        """Whether a figure has an action at a bare place."""
        if figure not in moment.figures or moment.unit(figure).out:
            return False
        return any(True for _ in self.referee.at_spot(moment, figure, spot_in))

    def duties(self, moment: Position) -> tuple[ActionPreview, ...]:
        """The obligations of a whole side or the battle."""
        return tuple(prospect(moment, deed) for deed in self.referee.duties(moment))

    def do(self, moment: Position, deed: Deed, dice: Dice) -> Verdict:
        """Carry out an action: roll, get the verdict and journal it; raises as `rules.engine.referee.perform`."""
        verdict = perform(self.battle, self.referee, moment, deed, dice)
        answered = prospect(moment, replace(deed, listed=False)).deed  # with the players' answers, without odds
        self._done[self.battle.entries[-1].seq] = moment, replace(answered, listed=deed.listed)
        for seq in sorted(self._done)[:-MAX_RECALLED]:
            del self._done[seq]
        return verdict

    def done(self, seq: int) -> tuple[Position, Deed] | None:
        """The position and action of a journal entry; None if it is too old or of an earlier session."""
        return self._done.get(seq)

    def owed(self, moment: Position) -> tuple[ActionPreview, ...]:
        """What must be done, or waived by name, before the phase ends."""
        return obligations(self.referee, moment)

    def go_on(self, moment: Position, waived: Iterable[ActionPreview] = ()) -> str:
        """Begin the next phase and return its name; what the players waive is noted in the journal.

        Raises:
            UserError: if something is owed that the players do not waive.
        """
        names = [one.deed.words for one in waived]
        left = [one for one in self.owed(moment) if one.deed.words not in names]
        if left:
            raise UserError(obligation_words(left))
        if names:
            self.battle.record(Noted(text=f"Skipped: {', '.join(names)}"))
        begins = self.referee.next_phase(moment)
        self.battle.record(begins)
        return ", ".join(
            filter(None, [f"turn {begins.turn}", display_name(begins.side), begins.phase.replace("_", " ")])
        )

    def place_new(self, moment: Position) -> None:
        """Journal the places of figures that are visible for the first time; after an undo, they are not repeated."""
        self._place(moment, [name for name in moment.figures if name not in self._seen])
        self._seen |= moment.figures.keys()

    def place_all(self, moment: Position) -> None:
        """Journal the places of all figures that have none yet, before an action."""
        self._place(moment, moment.figures)

    def _place(self, moment: Position, names: Iterable[str]) -> None:
        new = [name for name in names if moment.unit(name).at_in is None]
        if new:
            figures = [moment.figure(name) for name in new]
            self.battle.record_all(
                Placed(figure=one.id, at_in=one.centre_in, facing_deg=one.facing_deg) for one in figures
            )

    # What the camera saw

    def proposals(self, moment: Position) -> tuple[Proposal, ...]:
        """Moves of figures that are not at their journalled places; a squad moves together if the rules allow it."""
        moved = [unit for unit in moment.state.units.values() if _has_moved(unit, moment.figures.get(unit.id))]
        squads: dict[tuple[str, str], list[Unit]] = {}
        for unit in moved:
            squads.setdefault((unit.side, unit.squad or unit.id), []).append(unit)
        return tuple(proposal for units in squads.values() for proposal in self._of_squad(moment, units))

    def _of_squad(self, moment: Position, units: Sequence[Unit]) -> tuple[Proposal, ...]:
        together = self._proposal(moment, units)
        if len(units) == 1 or together.prospect.possible:
            return (together,)
        singly = tuple(self._proposal(moment, [unit]) for unit in units)
        return singly if all(proposal.prospect.possible for proposal in singly) else (together,)

    def _proposal(self, moment: Position, units: Sequence[Unit]) -> Proposal:
        paths = {unit.id: (unit.at_in, moment.figure(unit.id).centre_in) for unit in units if unit.at_in is not None}
        before = as_journalled(moment)
        return Proposal(paths, prospect(before, self.referee.march(before, paths, _turned(moment, units))))

    def left_in(self, moment: Position, proposal: Proposal) -> float | None:
        """The smallest allowance left before the move, over its figures; None if the rules do not say."""
        before = as_journalled(moment)
        answers = [prospect(before, self.referee.movement(before, name)).before for name in proposal.paths]
        left = [answer.numbers.get("left_in") for answer in answers if answer is not None]
        return min((float(inches) for inches in left if inches is not None), default=None)

    def accept(self, moment: Position, proposal: Proposal) -> Verdict:
        """Apply the rules to the move and journal it; raises as `do`."""
        return self.do(as_journalled(moment), proposal.prospect.deed, no_dice)

    def let_pass(self, moment: Position, proposal: Proposal, reason: str) -> None:
        """Journal a move that the rules do not allow, because the players overrule them.

        Raises:
            UserError: as `rules.battle.overrides.record_forbidden_moves`.
        """
        together = bool(proposal.prospect.deed.given)  # a move without facts holds for one figure only
        moves = [proposal.paths] if together else [{name: path} for name, path in proposal.paths.items()]
        record_forbidden_moves(self.battle, self.referee, as_journalled(moment), moves, reason)

    def only_shifted(self, proposal: Proposal) -> None:
        """Journal new places without a move: the figures or the table were only nudged."""
        for name, path in proposal.paths.items():
            self.battle.record(Placed(figure=name, at_in=path[-1]))

    def drifted(self, drift: Drift) -> None:
        """Journal that the camera, the table or a marker moved; places on the table stay."""
        if drift.what is DriftOf.MARKER:
            self.battle.record(MarkerMoved(ids=drift.ids))
        else:
            self.battle.record(CameraMoved(what=str(drift.what)))

    # What the players say

    def settle(self, doubt: Ambiguity, answer: str, limit: str = "") -> None:
        """Journal the players' decision on something too close to call, with its question first.

        Args:
            doubt: What is too close to call.
            answer: One of its answers.
            limit: The limit as text, if known.
        """
        if doubt.question not in self.battle.state.doubts:
            self.battle.record(QuestionAsked(question=doubt.question, answers=tuple(doubt.answers)))
        self.battle.record(QuestionAnswered(question=doubt.question, answer=answer, limit=limit))

    def tell(self, deed: Deed, fact: str, value: object) -> None:
        """Journal a fact that no camera can measure, for the acting figure and this turn."""
        figure, key = deed.by[0] if deed.by else "", answer_key(deed, fact)
        self.battle.record(Changed(changes=(Change(figure=figure, key=key, value=value, this_turn=True),)))

    def change(self, figure: str, key: str, value: object) -> None:
        """Journal a status of a figure, such as that it is out."""
        self.battle.record(Changed(changes=(Change(figure=figure, key=key, value=value),)))

    # The story

    @property
    def story(self) -> tuple[str, ...]:
        """The battle so far, in lines."""
        return tuple(tell(self.battle.game, self.battle.held.values()))


def _turned(moment: Position, units: Iterable[Unit]) -> dict[str, float]:
    """The facings of units that were turned; a figure that was only pushed sideways needs no turn back."""
    seen = {man.id: (man.facing_deg, moment.figure(man.id).facing_deg) for man in units}
    return {
        name: now_deg
        for name, (before_deg, now_deg) in seen.items()
        if now_deg is not None and (before_deg is None or abs(turn_deg(before_deg, now_deg)) > LEAST_TURN_DEG)
    }


def _has_moved(unit: Unit, seen: Figure | None) -> bool:
    if seen is None or unit.at_in is None or unit.out:
        return False
    return math.dist(unit.at_in, seen.centre_in) > max(LEAST_MOVE_IN, DOUBT_SIGMAS * seen.sigma_in)
