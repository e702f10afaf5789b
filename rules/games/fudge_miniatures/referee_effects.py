"""Fudge Miniatures Battles: the effects of verdicts on the models of a battle."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from rules.engine.action import Action
from rules.engine.effects import moves_along
from rules.engine.events import Change, Effects
from rules.engine.position import Position
from rules.engine.referee import effects_of
from rules.engine.state import ELIMINATED
from rules.engine.verdict import Verdict
from rules.games.fudge_miniatures import statuses
from rules.games.fudge_miniatures.attack import unable
from rules.games.fudge_miniatures.guts import NO_EFFECT, after_wound, friend_shoots
from rules.games.fudge_miniatures.model import Model, boxes, numbered, worst_effect
from rules.games.fudge_miniatures.referee_fight import CAST, MELEE, SHOOT
from rules.games.fudge_miniatures.referee_moves import contacts, counts_now, next_own_turn, to_try_again
from rules.games.fudge_miniatures.wounds import DEAD, HEALTHY, NEAR_DEATH, apply_wounds, damage_applies
from rules.tabletop.path import length_in

Changes = Iterator[Change]
OpenChecks = Mapping[str, Mapping[str, Any]]
CONTACT = "in_base_contact"


def effects(position: Position, action: Action, found: Verdict) -> Effects:
    """The moves and the changed statuses: wounds, due checks, runs and others."""
    if action.paths:
        return _move(position, action, found)
    more: Iterable[Change] = ()
    if action.name == "victory":
        more = task_held(position, str(action.given["side"]), found)
    elif after := _CHANGES.get(action.name):
        more = after(Model(position, position.unit(action.by[0])), action, found)
    return Effects(changes=(*effects_of(position, action, found).changes, *more))


def _set(figure: str, key: str, value: Any, rule: str = "", *, this_turn: bool = False) -> Change:
    """A changed status; some statuses always end with the turn. The figure "" stands for the battle itself."""
    return Change(figure=figure, key=key, value=value, rule=rule, this_turn=this_turn or key in statuses.THIS_TURN)


def _add(model: Model, key: str, *more: Any, rule: str) -> Change:
    """A change that adds to a list that is stored under a status."""
    return _set(model.id, key, [*model.listed(key), *more], rule)


# Moves.


def _move(position: Position, action: Action, found: Verdict) -> Effects:
    """Models at the ends of their paths; a run in another's turn takes nothing of the Movement of one's own."""
    if not any(length_in(path) > 0 for path in action.paths.values()):
        return Effects()
    each = found.numbers.get("each", dict.fromkeys(action.paths, found.numbers))
    flees, cost_in, changes = action.name == "flee", {}, []
    for name, path in action.paths.items():
        model = Model(position, position.unit(name))
        # What the players allow may have no cost in the rules; then it takes its length.
        walked_in = float(each[name].get("cost_in", length_in(path)))
        cost_in[name] = (float(action.given["run_in"]) if flees else walked_in) if model.own_turn else 0.0
        changes += [*_left_behind(model, action)]
    changes += [_set(name, statuses.MUST_RUN, None, "FM-53") for name in action.by if flees]
    return Effects(moves=moves_along(position, action.paths, cost_in, action.facing_deg), changes=tuple(changes))


def _left_behind(model: Model, action: Action) -> Changes:
    """The statuses that a move ends: tests against the enemies left behind, charges, and agreed contacts."""
    touching = {one.id: contacts(model, action.paths[model.id], one) for one in model.enemies}
    for key, rule, over in ((statuses.BROKE_FROM, "FM-25", False), (statuses.DARED, "FM-49", True)):
        before = model.listed(key)
        still = [name for name in before if name in touching and over not in touching[name][over:]]
        if still != before:
            yield _set(model.id, key, still or None, rule)
    for one in model.position.state.units.values():
        about = CONTACT if one.id == model.id else f"{CONTACT} at {model.id}"
        theirs = f"{CONTACT}_with_enemy" if one.side != model.unit.side else about
        for key in one.this_turn:
            if key.startswith((about, theirs)):
                yield _set(one.id, key, None, this_turn=True)


def _broke_away(model: Model, action: Action, found: Verdict) -> Changes:
    """A test, or breaking off to run, and the enemies that may strike."""
    rule, reason = ("FM-53", "fleeing") if action.name == "flee" else ("FM-25", "disengaging")
    each = found.numbers.get("free_attacks_by_enemy", [found.numbers["free_attacks"]] * len(action.at))
    due = {**model.status(statuses.STRIKES, {}), **{at: reason for at, n in zip(action.at, each, strict=True) if n}}
    yield _add(model, statuses.BROKE_FROM, *action.at, rule=rule)
    yield _set(model.id, statuses.STRIKES, due or None, rule)


def _charged(model: Model, action: Action, found: Verdict) -> Changes:
    """A charge is declared: each side checks Guts against the other's terror."""
    enemy = model.other(action.at[0])
    yield _add(model, statuses.DARED, enemy.id, rule="FM-49")
    for one in found.numbers["checks"]:
        checking, terrifying = (model, enemy) if one["who"] == "charger" else (enemy, model)
        facts = {"gifts": terrifying.terror, "charged": checking is enemy}
        yield from _checks_owed(checking, ["terrifying_charge"], "FM-49", **facts)


# Attacks.


def _attacked(model: Model, action: Action, found: Verdict) -> Changes:
    """An attack of step 2: its wound is marked later, and friends in the fight that it was shot at check Guts."""
    target, shot = model.other(action.at[0]), action.name == "ranged_attack"
    spell = action.weapon in model.rules.tables.spells
    yield _add(model, statuses.DONE, (CAST if spell else SHOOT) if shot else MELEE, rule="FM-19")
    yield _add(model, statuses.STRUCK_WITH, action.weapon, rule="FM-29")
    yield _add(model, statuses.STRUCK_AT, target.id, rule="FM-33")
    yield from _wound_dealt(target, found.numbers["wound"], "step_2")
    for mate in model.mates if shot else ():
        if not mate.lies and mate.touches(target) is not False:
            yield from _shot_past(mate, model.id)


def _shot_past(mate: Model, shooter: str) -> Changes:
    """A friend shot into a model's fight; whether this shot calls for a check."""
    before = dict(mate.status(statuses.SHOT_PAST, {}))
    shots = int(before.get(shooter, 0)) + 1
    yield _set(mate.id, statuses.SHOT_PAST, {**before, shooter: shots}, "FM-47")
    checks = [len(friend_shoots(mate.rules, (mate.id,), n).numbers["checks"]) if n else 0 for n in (shots - 1, shots)]
    if checks[0] < checks[1]:
        yield from _checks_owed(mate, ["friend_shoots_into_combat"], "FM-47")


def _free_attack_made(model: Model, action: Action, found: Verdict) -> Changes:
    """A free strike was made; its wound does not wait."""
    leaver = model.other(action.at[0])
    due = {one: reason for one, reason in leaver.status(statuses.STRIKES, {}).items() if one != model.id}
    yield _set(leaver.id, statuses.STRIKES, due or None, "FM-25")
    yield from _wound_dealt(leaver, found.numbers["wound"], str(action.given["reason"]))


# Wounds.


def _wound_dealt(model: Model, wound: int | None, occasion: str) -> Changes:
    """A wound that is marked at once, or kept for step 3."""
    if wound is None:
        return
    if damage_applies(model.rules, occasion).numbers["when"] == "at_once":
        yield from _wounded(model, apply_wounds(model.rules, model.track, (wound,)))
    else:
        yield _add(model, statuses.TO_MARK, wound, rule="FM-20")


def _wounded(model: Model, found: Verdict) -> Changes:
    """A model with its wounds marked: the dead are out, one Near Death falls, others check Guts or flee."""
    level, now, checks = found.numbers["level"], boxes(found.numbers["track_after"]), found.numbers["guts_checks"]
    yield _set(model.id, statuses.WOUNDS, now, "FM-39")
    if level == DEAD:
        yield _set(model.id, ELIMINATED, True, "FM-39")
        return
    # In its own turn a model is held to both its Movements, the one before and the one after.
    movement_in = model.stats["movement_in"]
    slower = model.stats_with(now)["movement_in"] != movement_in
    if model.own_turn and slower and model.status(statuses.MOVEMENT_BEFORE) is None:
        yield _set(model.id, statuses.MOVEMENT_BEFORE, movement_in, "FM-21")
    yield from _checks_owed(model, checks, "FM-46")
    if checks and model.failed:  # FM-57: each further wound level takes the next bonus of the older checks
        older = {name: {**one, "lost": one["lost"] + len(checks)} for name, one in model.failed.items()}
        yield _set(model.id, statuses.SHAKEN, older, "FM-57")
    if level == NEAR_DEATH:
        yield from _becomes_near_death(model)
    elif after_wound(model.rules, model.known_as, None if level == HEALTHY else level).numbers["flees"]:
        yield from _sent_running(model, model.failed)


def _becomes_near_death(model: Model) -> Changes:
    """A model that becomes Near Death does not run, is not struck as it leaves, and crashes if it flies."""
    if model.level == NEAR_DEATH:
        return
    yield _set(model.id, statuses.CLINGS, next_own_turn(model), "FM-44")
    for key in (statuses.MUST_RUN, statuses.STRIKES):
        if model.status(key):
            yield _set(model.id, key, None, "FM-42")
    if model.flies:
        yield _set(model.id, statuses.FALLS, True, "FM-43")


def _near_death_rolled(model: Model, action: Action, found: Verdict) -> Changes:
    """A model Near Death dies, lies on or rises."""
    level = found.numbers["result"]
    if level != DEAD:
        yield _add(model, statuses.TRIED, NEAR_DEATH, rule="FM-44")
    if level != NEAR_DEATH:
        key, value = (ELIMINATED, True) if level == DEAD else (statuses.CLINGS, None)
        yield _set(model.id, statuses.WOUNDS, boxes(found.numbers["track_after"]), "FM-44")
        yield _set(model.id, key, value, "FM-44")


# Guts.


def _checks_owed(model: Model, checks: Sequence[str], rule: str, **facts: Any) -> Changes:
    """Further checks that a model is to make at once, by their triggers, and the facts that affect them."""
    now = model.owed
    for trigger in checks:
        now[numbered(trigger, now)] = {"trigger": trigger, **facts}
    if checks:
        yield _set(model.id, statuses.GUTS_OWED, now, rule)


def _checked(model: Model, action: Action, found: Verdict) -> Changes:
    """A Guts check was made: it is no longer due, and its failure lasts until it is passed."""
    given, effect, owed = action.given, str(found.numbers["effect"]), model.owed
    facts = (given["trigger"], given["terrifying_gifts"])
    made = next((key for key, one in owed.items() if (one["trigger"], one.get("gifts", 1)) == facts), None)
    yield _set(model.id, statuses.GUTS_OWED, {key: one for key, one in owed.items() if key != made} or None, "FM-46")
    if found.numbers["passed"]:
        return
    open_checks = model.failed
    if effect != NO_EFFECT:
        open_checks[numbered(effect, open_checks)] = {
            "effect": effect,
            "target": found.numbers["target"],
            "first": next_own_turn(model),
            "lost": 0,
            "wound": model.rules.tables.guts_triggers[given["trigger"]].of_wound,
        }
        yield _set(model.id, statuses.SHAKEN, open_checks, "FM-55")
    if model.must_run and _thrown_down(model, open_checks):
        yield _set(model.id, statuses.MUST_RUN, None, "FM-54")
    if found.numbers["flees"] and model.level != NEAR_DEATH:
        yield from _sent_running(model, open_checks)


def _checked_again(model: Model, action: Action, found: Verdict) -> Changes:
    """A failed Guts check was made again: it is passed, or its effect goes on."""
    given, open_checks, stays = action.given, model.failed, str(found.numbers["effect"])
    facts = {"effect": given["effect"], "target": given["target"], "lost": given["bonuses_lost"]}
    tried = next(key for key in to_try_again(model) if open_checks[key].items() >= facts.items())
    left = {key: one for key, one in open_checks.items() if key != tried}
    if stays != NO_EFFECT:
        key = tried if stays == given["effect"] else numbered(stays, left)
        left[key] = {**open_checks[tried], "effect": stays}
        yield _add(model, statuses.TRIED, key, rule="FM-55")
    if left != open_checks:
        yield _set(model.id, statuses.SHAKEN, left or None, "FM-55")
    if found.numbers["flees"]:
        yield from _sent_running(model, left)


def _sent_running(model: Model, open_checks: OpenChecks) -> Changes:
    """It must run, past all enemies at its base, unless a failed Guts check has thrown it to the ground."""
    if not _thrown_down(model, open_checks):
        yield _set(model.id, statuses.MUST_RUN, True, "FM-53")
        if model.listed(statuses.BROKE_FROM) and not model.must_run:
            yield _set(model.id, statuses.BROKE_FROM, None, "FM-53")


def _thrown_down(model: Model, open_checks: OpenChecks) -> bool:
    return unable(model.rules, worst_effect(model.rules, open_checks)) is not None


# All else.


def _wielded(model: Model, action: Action, found: Verdict) -> Changes:
    yield _set(model.id, statuses.WIELDS, [one for one in model.arms if one in action.weapon.split(", ")], "FM-16")


def _taken_up(model: Model, action: Action, found: Verdict) -> Changes:
    """A model picks up an object, or a body with its equipment."""
    theirs = [one for at in action.at for one in model.other(at).listed(statuses.CARRIES)]
    if theirs:
        yield from (_set(at, statuses.CARRIES, None, "FM-23") for at in action.at)
    yield _add(model, statuses.DONE, str(action.given["deed"]), rule="FM-19")
    yield _add(model, statuses.CARRIES, *action.at, *filter(None, [action.piece]), *theirs, rule="FM-23")


def _spell_cast(model: Model, action: Action, found: Verdict) -> Changes:
    """A spell that is no attack, with the effects that its players described."""
    row = model.rules.tables.spells[action.weapon]
    yield _add(model, statuses.DONE, CAST, rule="FM-19")
    if row.becomes:
        yield from (_set(at, str(row.becomes), True, "FM-28", this_turn=True) for at in action.at)
    for at in action.at if row.calls_for else ():
        yield from _checks_owed(model.other(at), [str(row.calls_for)], row.rule)


def task_held(position: Position, side: str, found: Verdict) -> Changes:
    """A task that was held for one turn more; a turn in which it was not held begins the count again."""
    if "turns_held" in found.numbers and counts_now(position, side):
        yield _set("", statuses.HELD_BY.format(side), found.numbers["turns_held"], "FM-05")
        yield _set("", statuses.LAST_HELD_BY.format(side), position.state.turn, "FM-05")
        yield _set("", statuses.HELD_BY.format(side), True, "FM-05", this_turn=True)


_CHANGES: Mapping[str, Callable[[Model, Action, Verdict], Changes]] = {
    "disengage": _broke_away,
    "leave_several": _broke_away,
    "flee": _broke_away,
    "charge": _charged,
    "melee_attack": _attacked,
    "ranged_attack": _attacked,
    "free_attack": _free_attack_made,
    "apply_wounds": lambda model, _, found: _wounded(model, found),
    "crash": lambda model, _, found: _wound_dealt(model, found.numbers["wound"], "crash"),
    "near_death_roll": _near_death_rolled,
    "guts_check": _checked,
    "guts_recovery": _checked_again,
    "wield": _wielded,
    "take_up": _taken_up,
    "cast_spell": _spell_cast,
}
