"""A battle in play at a table that is seen: joins the journal, the game's referee and the view, without Qt."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from calibration.drift import Drift
from calibration.drift import Moved as DriftOf
from rules.battle.battle import Battle
from rules.battle.overrides import let_stand
from rules.battle.referees import moment_of, perform, referee_of
from rules.battle.story import tell
from rules.engine.dice import Dice, no_dice
from rules.engine.effects import as_journalled
from rules.engine.events import CameraMoved, Change, Changed, Doubted, MarkerMoved, Placed, Settled
from rules.engine.position import Moment
from rules.engine.referee import (
    ActionPreview,
    Ambiguity,
    AvailableActions,
    Deed,
    at_spot,
    outlook,
    prospect,
    told_key,
)
from rules.engine.state import Unit
from rules.engine.text import spoken
from rules.engine.verdict import Verdict
from rules.tabletop.bearing import turn_deg
from rules.tabletop.errors import UserError
from rules.tabletop.path import Path, length_in
from rules.tabletop.table import Figure, PointIn
from rules.tabletop.tolerance import DOUBT_SIGMAS
from ui.measuring import Tape
from vision.setup import Setup
from vision.table_view import TableView

LEAST_MOVE_IN = 0.35
"""Soldiers are nudged; what is less is not proposed as a move."""
LEAST_TURN_DEG = 20.0
"""Neither hands nor the camera know a soldier's facing better."""
MOST_RECALLED = 20
"""A deed keeps the table as it was; what is overruled is seldom older than this many of them."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """Figures that stand elsewhere than the journal has them: a move, until the players say that it is none.

    Attributes:
        paths: From where each stood to where it is seen, straight.
        prospect: What the rules say of it.
    """

    paths: Mapping[str, Path]
    prospect: ActionPreview

    @property
    def words(self) -> str:
        """As "Green 3 moved 5.8 in"."""
        longest = max(length_in(path) for path in self.paths.values())
        names = ", ".join(spoken(name) for name in self.paths)
        return f"{names} moved {longest:.1f} in"


class Play:
    """What the players do in a battle. Every call that changes it returns when the change is on the disk.

    Attributes:
        battle: The open battle.
        referee: Of its game.
    """

    def __init__(self, battle: Battle) -> None:
        self.battle = battle
        self.referee = referee_of(battle.game.name)
        self._done: dict[int, tuple[Moment, Deed]] = {}
        self._seen: set[str] = set()

    def moment(self, view: TableView | None, setup: Setup) -> Moment:
        """The battle now, on the table as this view shows it; figures that are not in the battle do not count."""
        figures = [figure for figure in view.figures if figure.id in self.battle.state.units] if view else []
        if view is None or view.calibration is None:
            return moment_of(self.battle, (), setup.terrain)
        return moment_of(self.battle, figures, setup.terrain, Tape(view.calibration, figures))

    def outlook(self, moment: Moment, figure: str) -> AvailableActions:
        """What a figure can do now; raises as `rules.engine.referee.outlook`, and where it is out."""
        if moment.unit(figure).out:
            raise UserError(f"{spoken(figure)} is out")
        return outlook(self.referee, moment, figure)

    def at_spot(self, moment: Moment, figure: str, spot_in: PointIn) -> tuple[ActionPreview, ...]:
        """What a figure can do at a bare place; raises as `rules.engine.referee.at_spot`."""
        return at_spot(self.referee, moment, figure, spot_in)

    def aims(self, moment: Moment, figure: str, spot_in: PointIn) -> bool:
        """Whether a figure has anything that goes to a bare place."""
        if figure not in moment.figures or moment.unit(figure).out:
            return False
        return any(True for _ in self.referee.at_spot(moment, figure, spot_in))

    def duties(self, moment: Moment) -> tuple[ActionPreview, ...]:
        """What is owed by nobody alone."""
        return tuple(prospect(moment, deed) for deed in self.referee.duties(moment))

    def do(self, moment: Moment, deed: Deed, dice: Dice) -> Verdict:
        """Ask, roll and journal; raises as `rules.engine.referee.perform`."""
        found = perform(self.battle, self.referee, moment, deed, dice)
        asked = prospect(moment, replace(deed, listed=False)).deed  # as it was told and settled, without its odds
        self._done[self.battle.entries[-1].seq] = moment, replace(asked, listed=deed.listed)
        for seq in sorted(self._done)[:-MOST_RECALLED]:
            del self._done[seq]
        return found

    def done(self, seq: int) -> tuple[Moment, Deed] | None:
        """The deed that an entry tells of, and when it was done; None of one long ago or of another day."""
        return self._done.get(seq)

    def go_on(self, moment: Moment) -> str:
        """Begin what follows in the turn; its name."""
        begins = self.referee.next_phase(moment)
        self.battle.record(begins)
        return ", ".join(filter(None, [f"turn {begins.turn}", spoken(begins.side), begins.phase.replace("_", " ")]))

    def place_new(self, moment: Moment) -> None:
        """Note where figures stand that are seen for the first time; once taken back, not by itself again."""
        self._place(moment, [name for name in moment.figures if name not in self._seen])
        self._seen |= moment.figures.keys()

    def place_all(self, moment: Moment) -> None:
        """Note where all figures stand that have no place yet, before something is done."""
        self._place(moment, moment.figures)

    def _place(self, moment: Moment, names: Iterable[str]) -> None:
        new = [name for name in names if moment.unit(name).at_in is None]
        if new:
            figures = [moment.figure(name) for name in new]
            self.battle.record_all(
                Placed(figure=one.id, at_in=one.centre_in, facing_deg=one.facing_deg) for one in figures
            )

    # What the camera saw

    def proposals(self, moment: Moment) -> tuple[Proposal, ...]:
        """Who stands elsewhere than the journal has him: the men of a squad together, where they may."""
        gone = [unit for unit in moment.state.units.values() if _went(unit, moment.figures.get(unit.id))]
        groups: dict[tuple[str, str], list[Unit]] = {}
        for unit in gone:
            groups.setdefault((unit.side, unit.squad or unit.id), []).append(unit)
        return tuple(one for men in groups.values() for one in self._of_squad(moment, men))

    def _of_squad(self, moment: Moment, men: Sequence[Unit]) -> tuple[Proposal, ...]:
        together = self._proposal(moment, men)
        if len(men) == 1 or together.prospect.possible:
            return (together,)
        singly = tuple(self._proposal(moment, [man]) for man in men)
        return singly if all(one.prospect.possible for one in singly) else (together,)

    def _proposal(self, moment: Moment, men: Sequence[Unit]) -> Proposal:
        paths = {man.id: (man.at_in, moment.figure(man.id).centre_in) for man in men if man.at_in is not None}
        stood = as_journalled(moment)
        return Proposal(paths, prospect(stood, self.referee.march(stood, paths, _turned(moment, men))))

    def left_in(self, moment: Moment, proposal: Proposal) -> float | None:
        """What was left of the allowance of those who went, before they did; None where the rules do not say."""
        stood = as_journalled(moment)
        answers = [prospect(stood, self.referee.movement(stood, name)).before for name in proposal.paths]
        left = [one.numbers.get("left_in") for one in answers if one is not None]
        return min((float(inches) for inches in left if inches is not None), default=None)

    def accept(self, moment: Moment, proposal: Proposal) -> Verdict:
        """Ask the rules of the move and journal it as they say; raises as `do`."""
        return self.do(as_journalled(moment), proposal.prospect.deed, no_dice)

    def let_pass(self, moment: Moment, proposal: Proposal, reason: str) -> None:
        """Let a move stand that the rules would not: the players overrule them.

        Raises:
            UserError: as `rules.battle.overrides.let_stand`.
        """
        together = bool(proposal.prospect.deed.given)  # without facts they may only be asked one by one
        moves = [proposal.paths] if together else [{name: path} for name, path in proposal.paths.items()]
        let_stand(self.battle, self.referee, as_journalled(moment), moves, reason)

    def only_shifted(self, proposal: Proposal) -> None:
        """It was no move: the figures were nudged, or the table was."""
        for name, path in proposal.paths.items():
            self.battle.record(Placed(figure=name, at_in=path[-1]))

    def drifted(self, drift: Drift) -> None:
        """Camera, table or markers were moved; positions on the table stay."""
        if drift.what is DriftOf.MARKER:
            self.battle.record(MarkerMoved(ids=drift.ids))
        else:
            self.battle.record(CameraMoved(what=str(drift.what)))

    # What the players say

    def settle(self, doubt: Ambiguity, answer: str, limit: str = "") -> None:
        """Decide what is too close to call, of a `limit` where its words are known; the doubt is journalled first."""
        if doubt.question not in self.battle.state.doubts:
            self.battle.record(Doubted(question=doubt.question, answers=tuple(doubt.answers)))
        self.battle.record(Settled(question=doubt.question, answer=answer, limit=limit))

    def tell(self, deed: Deed, fact: str, value: object) -> None:
        """Answer a question that no camera can, for whoever does this; it holds for this turn."""
        figure, key = deed.by[0] if deed.by else "", told_key(deed, fact)
        self.battle.record(Changed(changes=(Change(figure=figure, key=key, value=value, this_turn=True),)))

    def change(self, figure: str, key: str, value: object) -> None:
        """Say what is so of a figure, as that it is out."""
        self.battle.record(Changed(changes=(Change(figure=figure, key=key, value=value),)))

    # What is told

    @property
    def story(self) -> tuple[str, ...]:
        """The battle so far, in lines."""
        return tuple(tell(self.battle.game, self.battle.held.values()))


def owed(duties: Iterable[ActionPreview]) -> tuple[ActionPreview, ...]:
    """The duties that can be done now, but for whether anybody has won, which is no debt."""
    return tuple(one for one in duties if one.possible and not one.deed.action.startswith("victory"))


def _turned(moment: Moment, men: Iterable[Unit]) -> dict[str, float]:
    """Which way those face now that were turned; a figure that was only slid aside owes no turn back."""
    seen = {man.id: (man.facing_deg, moment.figure(man.id).facing_deg) for man in men}
    return {
        name: now_deg
        for name, (before_deg, now_deg) in seen.items()
        if now_deg is not None and (before_deg is None or abs(turn_deg(before_deg, now_deg)) > LEAST_TURN_DEG)
    }


def _went(unit: Unit, seen: Figure | None) -> bool:
    if seen is None or unit.at_in is None or unit.out:
        return False
    return math.dist(unit.at_in, seen.centre_in) > max(LEAST_MOVE_IN, DOUBT_SIGMAS * seen.sigma_in)
