"""Fudge Miniatures Battles: what the answers to a referee's questions do to the models of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from rules.engine.effects import eliminations, moves_along, status_changes, stored_list
from rules.engine.events import Change, Effects
from rules.engine.position import Position
from rules.engine.referee import Action, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.verdict import Verdict
from rules.engine.verdict_effects import effects_of
from rules.games.fudge_miniatures.attack import unable
from rules.games.fudge_miniatures.guts import MUST_RUN, NO_EFFECT
from rules.games.fudge_miniatures.referee_facts import (
    BROKE_FROM,
    CLINGS,
    DARED,
    DONE,
    FALLS,
    GUTS_OWED,
    MOVEMENT_BEFORE,
    SHAKEN,
    SHOT_PAST,
    STANDABLE_KINDS,
    STRIKES,
    STRUCK_AT,
    STRUCK_WITH,
    TO_MARK,
    TRIED,
    VICTORY,
    WIELDS,
    WOUNDS,
    arms,
    boxes,
    card,
    failed,
    flies,
    held_by,
    last_held_by,
    level_of,
    lies,
    model,
    numbered,
    owed,
    rules_of,
    stats,
    stats_with,
    terrors,
    touches,
    track,
    worst_effect,
)
from rules.games.fudge_miniatures.referee_fight import CAST, MELEE, SHOOT
from rules.games.fudge_miniatures.referee_moves import contacts
from rules.games.fudge_miniatures.referee_turn import counts_now, next_own_turn, to_try_again, turns_since
from rules.games.fudge_miniatures.wounds import DEAD, HEALTHY, NEAR_DEATH
from rules.tabletop.path import length_in

Changes = tuple[Change, ...]
CONTACT = "in_base_contact"


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """Who went, who is hurt, who owes a check, who runs, and what else is to be remembered."""
    if action.paths:
        return _went(position, action, found)
    after = _CHANGES.get(action.name)
    return Effects(changes=after(position, action, found)) if after else effects_of(position, action, found)


# Moves.


def _went(position: Position, action: Action, found: Verdict) -> Effects:
    """Models at the ends of their paths; a run in another's turn takes nothing of the Movement of one's own."""
    if not any(length_in(path) > 0 for path in action.paths.values()):
        return Effects()
    each = found.numbers.get("each", dict.fromkeys(action.paths, found.numbers))
    cost_in = {}
    changes: Changes = ()
    for name, path in action.paths.items():
        unit = position.unit(name)
        # What the players let pass may have no price in the rules; then it takes its length.
        walked_in = float(each[name].get("cost_in", length_in(path)))
        taken_in = float(action.given["run_in"]) if action.name == "flee" else walked_in
        cost_in[name] = taken_in if unit.side == position.state.side else 0.0
        changes += _left_behind(position, unit, action)
    changes += status_changes(action.by, MUST_RUN, None, "FM-53") if action.name == "flee" else ()
    return Effects(moves=moves_along(position, action.paths, cost_in, action.facing_deg), changes=changes)


def _left_behind(position: Position, unit: Unit, action: Action) -> Changes:
    """What no longer holds of one who went: tests against those it left, charges that it made, and what was said."""
    changes: Changes = ()
    touching = {one.id: contacts(position, unit, action.paths[unit.id], one) for one in position.enemies(unit)}
    for key, rule, over in ((BROKE_FROM, "FM-25", False), (DARED, "FM-49", True)):
        before = stored_list(unit, key)
        still = [name for name in before if name in touching and over not in touching[name][over:]]
        if still != before:
            changes += status_changes([unit.id], key, still or None, rule, this_turn=True)
    for one in position.state.units.values():
        about = CONTACT if one.id == unit.id else f"{CONTACT} at {unit.id}"
        theirs = f"{CONTACT}_with_enemy" if one.side != unit.side else about
        stale = [key for key in one.this_turn if key.startswith((about, theirs))]
        changes += tuple(change for key in stale for change in status_changes([one.id], key, None, this_turn=True))
    return changes


def _broke_away(position: Position, action: Action, found: Verdict) -> Changes:
    """Who tested, or breaks off to run, and who may strike at him."""
    [name] = action.by
    unit = position.unit(name)
    flees = action.name == "flee"
    rule, occasion = ("FM-53", "fleeing") if flees else ("FM-25", "disengaging")
    each = found.numbers.get("free_attacks_by_enemy", [found.numbers["free_attacks"]] * len(action.at))
    due = {**unit.this_turn.get(STRIKES, {}), **{at: occasion for at, n in zip(action.at, each, strict=True) if n}}
    changes = status_changes([name], BROKE_FROM, [*stored_list(unit, BROKE_FROM), *action.at], rule, this_turn=True)
    return changes + status_changes([name], STRIKES, due or None, rule, this_turn=True)


def _charged(position: Position, action: Action, found: Verdict) -> Changes:
    """A charge is declared: each side checks Guts against the other's terror."""
    [name], [at] = action.by, action.at
    charger, charged = position.unit(name), position.unit(at)
    changes = status_changes([name], DARED, [*stored_list(charger, DARED), at], "FM-49", this_turn=True)
    for one in found.numbers["checks"]:
        unit, terror = (charger, charged) if one["who"] == "charger" else (charged, charger)
        facts = {"gifts": terrors(position, terror), "charged": unit is charged}
        changes += _owes(unit, ["terrifying_charge"], "FM-49", **facts)
    return changes


# Attacks.


def _struck(position: Position, action: Action, found: Verdict) -> Changes:
    """What an attack of step 2 leaves to be marked, and the friends at whose fight it was shot."""
    [name], [at] = action.by, action.at
    unit, target = position.unit(name), position.unit(at)
    changes = _does(position, unit, _kind(position, action))
    changes += status_changes(
        [name], STRUCK_WITH, [*stored_list(unit, STRUCK_WITH), action.weapon], "FM-29", this_turn=True
    )
    changes += status_changes([name], STRUCK_AT, [*stored_list(unit, STRUCK_AT), at], "FM-33", this_turn=True)
    if found.numbers["wound"] is not None:
        changes += dealt(position, target, found.numbers["wound"], "step_2")
    return changes + (_shot_past(position, unit, target) if action.name == "ranged_attack" else ())


def _kind(position: Position, action: Action) -> str:
    if action.name == "melee_attack":
        return MELEE
    return CAST if action.weapon in rules_of(position).tables.spells else SHOOT


def _does(position: Position, unit: Unit, what: str) -> Changes:
    return status_changes([unit.id], DONE, [*stored_list(unit, DONE), what], "FM-19", this_turn=True)


def _shot_past(position: Position, unit: Unit, target: Unit) -> Changes:
    """The shooter's friends at the target's base, and whether this shot calls for a check of theirs."""
    changes: Changes = ()
    for mate in position.state.standing(unit.side):
        apart = mate.id == unit.id or mate.id not in position.figures or lies(position, mate)
        if apart or touches(position, mate, target) is False:
            continue
        before = dict(mate.this_turn.get(SHOT_PAST, {}))
        shots = int(before.get(unit.id, 0)) + 1
        changes += status_changes([mate.id], SHOT_PAST, {**before, unit.id: shots}, "FM-47", this_turn=True)
        if _checks_for(position, mate, shots) > _checks_for(position, mate, shots - 1):
            changes += _owes(mate, ["friend_shoots_into_combat"], "FM-47")
    return changes


def _checks_for(position: Position, mate: Unit, shots: int) -> int:
    found = (
        verdict_without_dice(position.game, "friend_shoots", {"friends": [mate.id], "shots": shots}) if shots else None
    )
    return len(found.numbers["checks"]) if found else 0


def _struck_freely(position: Position, action: Action, found: Verdict) -> Changes:
    """A free strike was made; its wound does not wait."""
    [name], [at] = action.by, action.at
    leaver = position.unit(at)
    due = {one: why for one, why in leaver.this_turn.get(STRIKES, {}).items() if one != name}
    changes = status_changes([at], STRIKES, due or None, "FM-25", this_turn=True)
    wound = found.numbers["wound"]
    return changes + (() if wound is None else dealt(position, leaver, wound, str(action.given["reason"])))


# Wounds.


def dealt(position: Position, unit: Unit, wound: int, occasion: str) -> Changes:
    """A wound that is marked at once, or kept for step 3."""
    found = verdict_without_dice(position.game, "damage_applies", {"occasion": occasion})
    if found is not None and found.numbers["when"] == "at_once":
        return _marked_wounds(position, unit, [wound])
    return status_changes([unit.id], TO_MARK, [*unit.statuses.get(TO_MARK, ()), wound], "FM-20")


def _marks(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    return status_changes([name], TO_MARK, None, "FM-20") + wounded(position, position.unit(name), found)


def _crashed(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    return status_changes([name], FALLS, None, "FM-43") + dealt(
        position, position.unit(name), found.numbers["wound"], "crash"
    )


def _marked_wounds(position: Position, unit: Unit, wounds: Sequence[int]) -> Changes:
    facts = {"track_before": track(position, unit), "wounds": list(wounds)}
    found = verdict_without_dice(position.game, "apply_wounds", facts)
    return wounded(position, unit, found) if found else ()


def wounded(position: Position, unit: Unit, found: Verdict) -> Changes:
    """A model with its wounds marked: the dead are out, one Near Death falls, others check Guts or flee."""
    level, before = found.numbers["level"], level_of(position, unit)
    now = boxes(found.numbers["track_after"])
    changes = status_changes([unit.id], WOUNDS, now, "FM-39")
    if level == DEAD:
        return changes + eliminations([unit.id], "FM-39")
    changes += _slowed(position, unit, now)
    changes += _owes(unit, found.numbers["guts_checks"], "FM-46")
    changes += _bonuses_lost(position, unit, found.numbers["guts_checks"])
    if level == NEAR_DEATH:
        return changes + (_falls(position, unit) if before != NEAR_DEATH else ())
    facts = {"model": model(position, unit), "level": None if level == HEALTHY else level}
    fate = verdict_without_dice(position.game, "after_wound", facts)
    return changes + (_sent_running(position, unit, failed(unit)) if fate and fate.numbers["flees"] else ())


def _slowed(position: Position, unit: Unit, now: Sequence[str]) -> Changes:
    """In its own turn a model is held to both its Movements, the one before and the one after."""
    movement_in = stats(position, unit)["movement_in"]
    own_turn = unit.side == position.state.side and MOVEMENT_BEFORE not in unit.this_turn
    slower = own_turn and stats_with(position, unit, now)["movement_in"] != movement_in
    return status_changes([unit.id] if slower else (), MOVEMENT_BEFORE, movement_in, "FM-21", this_turn=True)


def _falls(position: Position, unit: Unit) -> Changes:
    """One Near Death does not run, nobody strikes at its back any more, and a flyer crashes."""
    changes = status_changes([unit.id], CLINGS, next_own_turn(position.state, unit.side), "FM-44")
    changes += status_changes([unit.id] if unit.statuses.get(MUST_RUN) else (), MUST_RUN, None, "FM-42")
    changes += status_changes([unit.id] if unit.this_turn.get(STRIKES) else (), STRIKES, None, "FM-42", this_turn=True)
    return changes + status_changes([unit.id] if flies(position, unit) else (), FALLS, True, "FM-43")


def _clung(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    now, level = boxes(found.numbers["track_after"]), found.numbers["result"]
    if level == DEAD:
        return status_changes([name], WOUNDS, now, "FM-44") + eliminations([name], "FM-44")
    tried = status_changes(
        [name], TRIED, [*stored_list(position.unit(name), TRIED), NEAR_DEATH], "FM-44", this_turn=True
    )
    if level == NEAR_DEATH:
        return tried
    return tried + status_changes([name], WOUNDS, now, "FM-44") + status_changes([name], CLINGS, None, "FM-44")


# Guts.


def _owes(unit: Unit, checks: Sequence[str], rule: str, **facts: Any) -> Changes:
    """Further checks that a model is to make at once, by their triggers, and what bears on them."""
    now: dict[str, Any] = owed(unit)
    for trigger in checks:
        now[numbered(trigger, now)] = {"trigger": trigger, **facts}
    return status_changes([unit.id] if checks else (), GUTS_OWED, now, rule)


def _bonuses_lost(position: Position, unit: Unit, checks: Iterable[str]) -> Changes:
    """Checks that failed before miss their next bonus for each further wound level."""
    before = failed(unit)
    for trigger in checks if before else ():
        open_checks = [
            {
                "target": one["target"],
                "turns_since_wound": turns_since(position.state, one["first"]),
                "bonuses_lost": one["lost"],
            }
            for one in before.values()
        ]
        found = verdict_without_dice(position.game, "wounded_again", {"open_checks": open_checks, "trigger": trigger})
        older = found.numbers["open_checks"] if found else open_checks
        before = {
            name: {**one, "lost": old["bonuses_lost"]} for (name, one), old in zip(before.items(), older, strict=True)
        }
    return status_changes([unit.id] if before != failed(unit) else (), SHAKEN, before, "FM-57")


def _checked(position: Position, action: Action, found: Verdict) -> Changes:
    """A Guts check was made: what it called for is done, and failing it lasts until it is passed."""
    [name] = action.by
    unit, asked = position.unit(name), action.given
    waiting = owed(unit)
    facts = (asked["trigger"], asked["terrifying_gifts"])
    made = next((key for key, one in waiting.items() if (one["trigger"], one.get("gifts", 1)) == facts), None)
    left = {key: one for key, one in waiting.items() if key != made}
    changes = status_changes([name], GUTS_OWED, left or None, "FM-46")
    effect = str(found.numbers["effect"])
    if found.numbers["passed"]:
        return changes
    open_checks = failed(unit)
    if effect != NO_EFFECT:
        open_checks[numbered(effect, open_checks)] = {
            "effect": effect,
            "target": found.numbers["target"],
            "first": next_own_turn(position.state, unit.side),
            "lost": 0,
            "wound": rules_of(position).tables.guts_triggers[asked["trigger"]].of_wound,
        }
        changes += status_changes([name], SHAKEN, open_checks, "FM-55")
    flees = found.numbers["flees"] and level_of(position, unit) != NEAR_DEATH
    if unit.statuses.get(MUST_RUN) and not _able(position, open_checks):
        changes += status_changes([name], MUST_RUN, None, "FM-54")
    return changes + (_sent_running(position, unit, open_checks) if flees else ())


def _tried_again(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    unit, asked = position.unit(name), action.given
    open_checks = failed(unit)
    facts = (asked["effect"], asked["target"], asked["bonuses_lost"])
    told = {key: tuple(open_checks[key][one] for one in _TOLD) for key in to_try_again(position, unit)}
    tried = next(key for key, known in told.items() if known == facts)
    left = {key: one for key, one in open_checks.items() if key != tried}
    changes: Changes = ()
    if (stays := str(found.numbers["effect"])) != NO_EFFECT:
        key = tried if stays == asked["effect"] else numbered(stays, left)
        left[key] = {**open_checks[tried], "effect": stays}
        changes += status_changes([name], TRIED, [*stored_list(unit, TRIED), key], "FM-55", this_turn=True)
    if left != open_checks:
        changes += status_changes([name], SHAKEN, left or None, "FM-55")
    return changes + (_sent_running(position, unit, left) if found.numbers["flees"] else ())


_TOLD = ("effect", "target", "lost")
"""What a repeated check is asked with, of what is kept of it."""


def _sent_running(position: Position, unit: Unit, open_checks: Mapping[str, Mapping[str, Any]]) -> Changes:
    """It must run, unless a failed Guts check has thrown it to the ground."""
    return status_changes([unit.id] if _able(position, open_checks) else (), MUST_RUN, True, "FM-53")


def _able(position: Position, open_checks: Mapping[str, Mapping[str, Any]]) -> bool:
    rules = rules_of(position)
    return unable(rules, worst_effect(rules, open_checks)) is None


# All else.


def _wielded(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    held = [one for one in arms(card(position, position.unit(name))) if one in action.weapon.split(", ")]
    return status_changes([name], WIELDS, held, "FM-16")


def _took(position: Position, action: Action, found: Verdict) -> Changes:
    [name] = action.by
    unit = position.unit(name)
    theirs = [one for at in action.at for one in position.unit(at).statuses.get(STANDABLE_KINDS, ())]
    carried = [*unit.statuses.get(STANDABLE_KINDS, ()), *action.at, *filter(None, [action.piece]), *theirs]
    changes = status_changes(action.at if theirs else (), STANDABLE_KINDS, None, "FM-23")
    return (
        changes
        + _does(position, unit, str(action.given["deed"]))
        + status_changes([name], STANDABLE_KINDS, carried, "FM-23")
    )


def _cast(position: Position, action: Action, found: Verdict) -> Changes:
    row = rules_of(position).tables.spells[action.weapon]
    changes = _does(position, position.unit(action.by[0]), CAST)
    if row.becomes:
        changes += status_changes(action.at, row.becomes, True, "FM-28", this_turn=True)
    for at in action.at if row.calls_for else ():
        changes += _owes(position.unit(at), [str(row.calls_for)], row.rule)
    return changes


def _won(position: Position, action: Action, found: Verdict) -> Changes:
    """A task that is done, or held for one turn more; a turn in which it was not held begins the count again."""
    side = str(action.given["side"])
    changes = status_changes([""] if found.numbers["victory"] else (), VICTORY, side, "FM-05")
    if "turns_held" in found.numbers and counts_now(position, side):
        changes += status_changes([""], held_by(side), found.numbers["turns_held"], "FM-05")
        changes += status_changes([""], last_held_by(side), position.state.turn, "FM-05")
        changes += status_changes([""], held_by(side), True, "FM-05", this_turn=True)
    return changes


_CHANGES: Mapping[str, Callable[[Position, Action, Verdict], Changes]] = {
    "disengage": _broke_away,
    "leave_several": _broke_away,
    "flee": _broke_away,
    "charge": _charged,
    "melee_attack": _struck,
    "ranged_attack": _struck,
    "free_attack": _struck_freely,
    "apply_wounds": _marks,
    "crash": _crashed,
    "near_death_roll": _clung,
    "guts_check": _checked,
    "guts_recovery": _tried_again,
    "wield": _wielded,
    "take_up": _took,
    "cast_spell": _cast,
    "victory": _won,
}
