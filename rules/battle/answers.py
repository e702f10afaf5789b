"""The answers of a scripted situation, in values that JSON knows; `docs/formats.md` describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.engine.action import Action
from rules.engine.dice import DiceRequest, Die
from rules.engine.events import Effects, PhaseBegun, plain
from rules.engine.needed import needed_words
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, preview_of
from rules.engine.referee import Referee
from rules.engine.state import State, Unit
from rules.engine.text import readable
from rules.engine.verdict import Reason, Verdict

Answer = dict[str, Any]

_SIDES: Mapping[Die, int | str] = {Die.D6: 6, Die.FUDGE: "fudge"}


def action_answer(referee: Referee[Any], position: Position, action: Action) -> Answer:
    """An action that a figure or a side may do now, or why it may not."""
    found = preview_of(position, action, referee)
    alone = (found.odds or found.odds_of.get(action.at[0])) if action.at and not found.ambiguities else None
    reasons = found.before.reasons if found.before is not None and found.possible else ()
    return {
        "action": action.name,
        "title": action.title,
        "by": list(action.by),
        "weapon": action.weapon or None,
        "at": target_of(action),
        "allowed": found.possible,
        "why_not": None if found.possible else why_not(found),
        "chance": float(alone.harm or 0) if alone else None,
        "odds": {str(outcome): float(chance) for outcome, chance in found.odds.items()},
        "needs": needed_words(found) or None,
        "asks": [question_answer(one) for one in found.asks],
        "too_close": too_close(found),
        "modifiers": [reason_answer(one) for one in reasons if one.modifier is not None],
    }


def resolved_answer(verdict: Verdict, effects: Effects, dice_used: list[int]) -> Answer:
    """An action that was resolved, with its effects on the battle."""
    return {
        "allowed": verdict.allowed,
        "why_not": None if verdict.allowed else last_reason(verdict),
        "verdict": verdict_answer(verdict),
        "effects": effects_answer(effects),
        "dice_used": dice_used,
        **inches_of(verdict),
    }


def needs_dice_answer(one: DiceRequest) -> Answer:
    """The dice that a step lacks."""
    return {"needs_dice": {"count": one.count, "sides": _SIDES[one.die], "for": f"{one.for_whom}: {one.why}"}}


def owed_first_answer(left: list[Answer]) -> Answer:
    """Why the phase cannot end: obligations, at least one, come first."""
    text = f"{left[0]['title']} comes first: do it, or waive it by name"
    return {"allowed": False, "why_not": {"rule": left[0]["rule"], "text": text}, "owed": left}


def phase_answer(begins: PhaseBegun) -> Answer:
    """A phase that begins."""
    return {"allowed": True, "turn": begins.turn, "phase": begins.phase, "side": begins.side, "owed": []}


def state_answer(state: State, winner: str | None) -> Answer:
    """The state of the battle at the end."""
    figures = {
        name: {
            "side": unit.side,
            "status": statuses_of(unit),
            "at_in": list(unit.at_in or ()) or None,
            "facing_deg": unit.facing_deg,
            "out": unit.out,
        }
        for name, unit in state.units.items()
    }
    now = {"turn": state.turn, "phase": state.phase, "side": state.side, "status": statuses_of(state)}
    return {**now, "figures": figures, "winner": winner}


def target_of(action: Action) -> Any:
    """The target of an action: a place, a terrain piece, a figure or a list of figures; None if it has none."""
    if action.spot_in is not None:
        return list(action.spot_in)
    if action.piece and not action.at:
        return action.piece
    return action.at[0] if len(action.at) == 1 else list(action.at) or None


def reason_answer(one: Reason) -> Answer:
    """One reason with its rule."""
    return {"rule": one.rule, "text": readable(one.text), "modifier": one.modifier}


def last_reason(verdict: Verdict | None) -> Answer | None:
    """The last reason of a verdict, which says why it forbids something; None without reasons."""
    reasons = () if verdict is None else verdict.reasons
    return {"rule": reasons[-1].rule, "text": readable(reasons[-1].text)} if reasons else None


def why_not(found: ActionPreview) -> Answer:
    """Why an action is not allowed."""
    return last_reason(found.before) or {"rule": found.refused_by, "text": readable(found.why_not)}


def too_close(found: ActionPreview) -> list[Answer]:
    """The measurements that are too close to a limit, each with its possible answers."""
    return [{"question": one.question, "answers": list(one.answers)} for one in found.ambiguities]


def statuses_of(of: Unit | State) -> Answer:
    """The statuses of a unit or of the battle, permanent ones and those of this turn."""
    return {**plain(dict(of.statuses)), **plain(dict(of.this_turn))}


def question_answer(one: Any) -> Answer:
    """A question to the players."""
    return {"key": one.fact, "question": one.text, "choices": list(one.answers), "default": plain(one.default)}


def owed_answer(one: ActionPreview) -> Answer:
    """An obligation."""
    return {"action": one.action.name, "by": list(one.action.by), "rule": one.action.owed, "title": one.action.words}


def verdict_answer(verdict: Verdict) -> Answer:
    """A verdict with its numbers and reasons."""
    return {
        "outcome": str(verdict.outcome),
        "numbers": plain(dict(verdict.numbers)),
        "reasons": [reason_answer(one) for one in verdict.reasons],
    }


def inches_of(verdict: Verdict | None) -> Answer:
    """The cost of a move and its allowance, if the rules state them."""
    numbers = {} if verdict is None else verdict.numbers
    return {key: numbers[key] for key in ("cost_in", "allowance_in", "left_in") if key in numbers}


def effects_answer(effects: Effects) -> list[Answer]:
    """The changes of each figure; those of the battle under the figure ""."""
    found: dict[str, Answer] = {}
    for change in effects.changes:
        one = found.setdefault(change.figure, {"figure": change.figure, "status": {}})
        one["status"][change.key] = plain(change.value)
    for move in effects.moves:
        one = found.setdefault(move.figure, {"figure": move.figure, "status": {}})
        one |= {"at_in": list(move.to_in), "facing_deg": move.facing_deg}
    return list(found.values())
