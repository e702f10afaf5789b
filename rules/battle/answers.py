"""The answers of a scripted situation, in values that JSON knows; `docs/formats.md` describes them."""

from __future__ import annotations

from typing import Any

from rules.engine.events import Effects, plain
from rules.engine.referee import Action, ActionPreview
from rules.engine.state import State, Unit
from rules.engine.text import readable
from rules.engine.verdict import Reason, Verdict

Answer = dict[str, Any]


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
    return last_reason(found.before) or {"rule": None, "text": readable(found.why_not)}


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
