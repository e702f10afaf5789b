"""When the players rule otherwise: what the rules know to come of a deed, and what sets aside what was said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from rules.battle.battle import Battle
from rules.battle.history import course_of
from rules.engine.events import Asked, Change, Effects, Event, Move, Noted, Overruled, Refund, Ruled
from rules.engine.position import Moment
from rules.engine.referee import Deed, Referee, prospect
from rules.engine.state import State, Unit
from rules.engine.text import change_words, outcome_words
from rules.engine.verdict import Verdict
from rules.tabletop.errors import UserError
from rules.tabletop.path import Path

Verdicts = Asked | Ruled
"""What can be overruled."""


@dataclass(frozen=True, slots=True)
class Override:
    """What holds of a deed.

    Attributes:
        outcome: In a few words.
        effects: What it does to the battle.
        chance: How likely it would have been; None where no dice say so.
        counts: Whether the deed counts as done.
    """

    outcome: str
    effects: Effects
    chance: Fraction | None = None
    counts: bool = True

    @property
    def words(self) -> str:
        """The outcome with what is to be seen of its effects, as "kills: Tan 4 eliminated"."""
        changes = ", ".join(change_words(one) for one in self.effects.changes if not one.this_turn)
        return f"{self.outcome}: {changes}" if changes else self.outcome


def known_holdings(referee: Referee[Any], moment: Moment, deed: Deed) -> tuple[Override, ...]:
    """Everything that the rules know to come of a deed, the likeliest first.

    None where they do not allow it, cannot be asked, or where its dice may fall in more ways than can be played.

    Args:
        referee: Of the game.
        moment: When it is done.
        deed: With what the players have told and settled, as a `ActionPreview` has it.
    """
    if deed.bar is not None or not deed.listed:
        return ()
    found: dict[str, Override] = {}

    def told(verdict: Verdict) -> str:
        effects = referee.effects(moment, deed, verdict) if verdict.allowed else Effects()
        holding = Override(outcome_words(verdict.outcome), effects)
        found.setdefault(holding.words, holding)
        return holding.words if verdict.allowed else ""

    try:
        chances = moment.game.odds_of(deed.action, deed.given, told)
    except UserError:
        return ()
    ranked = sorted(chances.items(), key=lambda one: (-one[1], one[0]))
    return tuple(replace(found[words], chance=chance) for words, chance in ranked if words)


STANDS = "it stands"


def let_stand(
    battle: Battle, referee: Referee[Any], moment: Moment, moves: Sequence[Mapping[str, Path]], reason: str
) -> None:
    """Let figures stand where they went though the rules would not: all is marked that any move marks.

    Args:
        battle: It goes on from there.
        referee: Of its game.
        moment: Where they stood before.
        moves: The paths of those who go together.
        reason: Why, in the players' words.

    Raises:
        UserError: if no reason is given, or as `Battle.record`; then nothing has happened.
    """
    deeds = [referee.march(moment, paths) for paths in moves]
    battle.record_all(_ruled(deed, Override(STANDS, _all_the_same(referee, moment, deed)), reason) for deed in deeds)


def _all_the_same(referee: Referee[Any], moment: Moment, deed: Deed) -> Effects:
    """What a move does as if it were allowed; the numbers are those with which the rules forbid it, if any."""
    answer = prospect(moment, replace(deed, bar=None))
    numbers = answer.before.numbers if answer.before else {}
    effects = answer.before.effects if answer.before else ()
    return referee.effects(moment, answer.deed, Verdict(STANDS, {**numbers, "allowed": True}, (), effects))


def rule(battle: Battle, deed: Deed, holding: Override, reason: str, also: Sequence[Change] = ()) -> None:
    """Let something come of a deed because the players say so, without dice.

    Args:
        battle: It goes on from there.
        deed: What would be asked.
        holding: What comes of it.
        reason: Why, in the players' words.
        also: What else they say of figures.

    Raises:
        UserError: if no reason is given, or as `Battle.record`.
    """
    battle.record(_ruled(deed, holding, reason, also))


def _ruled(deed: Deed, holding: Override, reason: str, also: Sequence[Change] = ()) -> Ruled:
    return Ruled(
        title=deed.title,
        action=deed.action,
        by=deed.by if holding.counts else (),
        outcome=holding.outcome,
        reason=_reason(reason),
        effects=replace(holding.effects, changes=(*holding.effects.changes, *also)),
    )


def overrule(battle: Battle, seq: int, what: str, holding: Override, reason: str, also: Sequence[Change] = ()) -> None:
    """Set aside what an entry says: all becomes as if this had come of it, but for what has changed since.

    Args:
        battle: It goes on from there.
        seq: Number of the entry of a verdict.
        what: What is set aside, in a few words.
        holding: What holds instead.
        reason: Why, in the players' words.
        also: What else they say of figures, whatever has changed since.

    Raises:
        UserError: if the entry holds no verdict or was taken back, no reason is given, or as `Battle.record`.
    """
    events = battle.held
    said = events.get(seq)
    if not isinstance(said, (Asked, Ruled)):
        raise UserError(f"entry {seq} is no verdict that stands: choose another to overrule")
    wanted = _as_if(battle, events, seq, said, holding)
    moves, changes, given_back = _apart(battle.state, wanted, said)
    battle.record(
        Overruled(
            entry=seq,
            reason=_reason(reason),
            effects=Effects(moves=tuple(moves), changes=(*changes, *also)),
            what=what,
            outcome=holding.outcome,
            given_back=given_back,
        )
    )


def _reason(words: str) -> str:
    if not words.strip():
        raise UserError("the players overrule the rules with a reason only: type why")
    return words.strip()


def _as_if(battle: Battle, events: Mapping[int, Event], seq: int, said: Verdicts, holding: Override) -> State:
    """The state if this had come of an entry; what the players ruled of it before counts no more."""
    by = said.by if holding.counts else ()
    other = {number: event for number, event in events.items() if not _about(event, seq)}
    silent = {number: Noted(text="") for number in events.keys() - other.keys()}
    as_if = {**other, **silent, seq: replace(said, by=by, effects=holding.effects)}
    return course_of(battle.entries, as_if).state


def _about(event: Event, seq: int) -> bool:
    return isinstance(event, Overruled) and event.entry == seq


def _apart(now: State, wanted: State, said: Verdicts) -> tuple[list[Move], list[Change], Refund]:
    """What leads from one state to another."""
    pairs = [(unit, wanted.units[name]) for name, unit in now.units.items()]
    moves = [move for unit, other in pairs for move in _moved(unit, other)]
    changes = [*_said_apart("", now, wanted)]
    changes += [one for unit, other in pairs for one in _said_apart(unit.id, unit, other)]
    less_in = {unit.id: round(unit.allowance_used_in - other.allowance_used_in, 9) for unit, other in pairs}
    undone = tuple(unit.id for unit, other in pairs if unit.acts.get(said.action) != other.acts.get(said.action))
    this_turn = any(dict(unit.acts_this_turn) != dict(other.acts_this_turn) for unit, other in pairs)
    again_in = {name: inches for name, inches in less_in.items() if inches > 0}
    return moves, changes, Refund(allowance_in=again_in, action=said.action, by=undone, this_turn=this_turn)


def _moved(unit: Unit, other: Unit) -> Iterator[Move]:
    """A figure put where it would stand; what it has to pay for that is not more than it would have paid."""
    cost_in = max(0.0, other.allowance_used_in - unit.allowance_used_in)
    start, end = unit.at_in, other.at_in
    if start is not None and end is not None and (start != end or cost_in):
        at = other.facing_deg
        yield Move(figure=unit.id, from_in=start, to_in=end, moved_in=0.0, cost_in=cost_in, facing_deg=at)


def _said_apart(figure: str, now: Unit | State, wanted: Unit | State) -> Iterator[Change]:
    for this_turn, old, new in ((False, now.statuses, wanted.statuses), (True, now.this_turn, wanted.this_turn)):
        for key in {**old, **new}:
            if old.get(key) != new.get(key):
                yield Change(figure=figure, key=key, value=new.get(key), this_turn=this_turn)
