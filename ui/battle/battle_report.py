"""The content of a battle's film and web page: score, casualties, dice, reasons, effects. No Qt here."""

from __future__ import annotations

from dataclasses import dataclass

from rules.battle.battle import Battle
from rules.battle.story import effect_lines
from rules.engine.events import (
    ActionResolved,
    BattleBegun,
    Change,
    Changed,
    Effects,
    Event,
    Move,
    Moved,
    OutcomeDecided,
    PhaseBegun,
    ReasonRecord,
    Throw,
    UnitJoined,
    VerdictOverruled,
)
from rules.engine.state import State
from rules.engine.text import display_name, readable, roller_words
from ui.battle.battle_folder import ends_battle
from ui.battle.history import HistoryMoment, positions
from ui.battle.outcome_banner import outcome_banner
from ui.formatting import capitalized
from ui.translation import tr


@dataclass(frozen=True, slots=True)
class SideScore:
    """How many of a side's figures are left, of how many, and the display names of the others."""

    side: str
    left: int
    of: int
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class BattleReport:
    """What the film and the web page show of a battle.

    Attributes:
        title, credit: The game's.
        sides: The players.
        moments: Those that stand and that a player caused, in order.
        result: The victory in words; empty if there is none.
    """

    title: str
    credit: str
    sides: tuple[str, ...]
    moments: tuple[HistoryMoment, ...]
    result: str

    @property
    def opponents(self) -> str:
        """The sides in words, such as "Green against Tan"."""
        against = tr("against")
        return f" {against} ".join(map(display_name, self.sides))

    @property
    def score_title(self) -> str:
        """The heading of the score."""
        return tr("Final score") if self.result else tr("Score so far")

    @property
    def after(self) -> State:
        """The state after the last moment."""
        return self.moments[-1].after if self.moments else State()


def report_of(battle: Battle) -> BattleReport:
    """The report of a battle so far."""
    moments = tuple(moment for moment in positions(battle) if moment.stands and moment.is_step)
    ends = [event for moment in moments for event in moment.events if ends_battle(event)]
    result = outcome_banner(ends[-1]) if ends else ""
    return BattleReport(battle.game.title, battle.game.credit, battle.state.sides, moments, result)


def scores(state: State) -> tuple[SideScore, ...]:
    """The score of each side, in order."""
    found = []
    for side in state.sides:
        units = [unit for unit in state.units.values() if unit.side == side]
        lost = tuple(display_name(unit.id) for unit in units if unit.out)
        found.append(SideScore(side, len(units) - len(lost), len(units), lost))
    return tuple(found)


def throws_in(moment: HistoryMoment) -> tuple[Throw, ...]:
    """All dice of a moment."""
    return tuple(throw for event in moment.events if isinstance(event, ActionResolved) for throw in event.throws)


def throw_purpose(throw: Throw) -> str:
    """The figure that a throw was for and its purpose, such as "Green 1: the attack"."""
    return f"{capitalized(roller_words(throw.for_whom))}: {readable(throw.why)}"


def reasons_in(moment: HistoryMoment) -> tuple[ReasonRecord, ...]:
    """The reasons of a moment's verdicts."""
    return tuple(
        reason for event in moment.events if isinstance(event, ActionResolved) for reason in event.verdict.reasons
    )


def reason_text(reason: ReasonRecord) -> str:
    """A reason without its rule's number, such as "the target is a special unit (+1)"."""
    modifier = "" if reason.modifier is None else f" ({reason.modifier:+g})"
    return f"{readable(reason.text)}{modifier}"


def effects_in(moment: HistoryMoment) -> tuple[Effects, ...]:
    """All moves and changes of a moment."""
    return tuple(found for event in moment.events if (found := _effects(event)) is not None)


def _effects(event: Event) -> Effects | None:
    if isinstance(event, ActionResolved | OutcomeDecided | VerdictOverruled):
        return event.effects
    if isinstance(event, Moved):
        return Effects(moves=event.moves)
    return Effects(changes=event.changes) if isinstance(event, Changed) else None


def moves_in(moment: HistoryMoment) -> tuple[Move, ...]:
    """All moves of a moment."""
    return tuple(move for effects in effects_in(moment) for move in effects.moves)


def changes_in(moment: HistoryMoment) -> tuple[Change, ...]:
    """All lasting changes of a moment."""
    return tuple(change for effects in effects_in(moment) for change in effects.changes if not change.this_turn)


def lines_in(moment: HistoryMoment) -> tuple[str, ...]:
    """The lines of a moment that its title, dice and reasons do not contain, such as effects, cards and options."""
    event = moment.events[-1]
    if isinstance(event, PhaseBegun):
        return ()
    if isinstance(event, ActionResolved):
        lines = tuple(effect_lines(event.effects))
    else:
        lines = moment.lines[2:] if isinstance(event, BattleBegun) else moment.lines
    texts = (line if isinstance(event, UnitJoined) else line.strip() for line in lines)
    return tuple(line for line in texts if _plain(line) not in _plain(moment.title))


def _plain(text: str) -> str:
    return text.strip(" .").casefold()
