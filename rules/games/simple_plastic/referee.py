"""Simple Plastic Wargame: the questions that stand for what a figure may do on a measured table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.engine.effects import fallen, following, marked, walked
from rules.engine.events import Effects, PhaseBegun
from rules.engine.position import Moment
from rules.engine.referee import FIRE, NO_FACINGS, Deed, Measured, Referee, at_once
from rules.engine.state import Unit
from rules.engine.text import spoken
from rules.engine.verdict import Verdict, forbidden
from rules.games.simple_plastic.attack import level
from rules.games.simple_plastic.movement import distances, sight_rules
from rules.games.simple_plastic.tables import Tables
from rules.tabletop.bearing import bearing_deg
from rules.tabletop.opacity import CoverKind
from rules.tabletop.path import Path, length_in, placed
from rules.tabletop.squad import ahead_of, lead

MOVED = "moved"
"""Said this turn of the men of a squad whose leading man went somewhere."""
ATTACKING = "attacking"
STEPS = "steps"
"""Said of the battle: who does what in a turn, where dice decided it."""


# Movement.


def _bar(moment: Moment, unit: Unit) -> Verdict | None:
    """The players take their turns one after another."""
    side = moment.state.side
    text = f"it is the turn of {spoken(side)}"
    return None if unit.side == side else forbidden("not_your_turn", moment.game.rules.because("SP-01", text))


def movement(moment: Moment, figure: str) -> Deed:
    """What is left of a man's span."""
    unit = moment.unit(figure)
    action, fact = ("squad_move", "lead_moved_in") if unit.squad else ("lone_unit_move", "moved_in")
    return Deed("Move", action, {**_step(moment, (unit,)), fact: 0}, (figure,), bar=_bar(moment, unit))


def march(moment: Moment, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Deed:
    """A lone unit, or men of one squad, along these paths; men of it who have none stay."""
    first = moment.unit(next(iter(paths)))
    men, bar = moment.squad(first), _bar(moment, first)
    facts = _step(moment, men)
    if not first.squad:
        facts |= {"moved_in": length_in(paths[first.id])}
        measured = (Measured(("moved_in",), moment.figure(first.id).sigma_in, "how far it went"),)
        return Deed(
            "Move", "lone_unit_move", facts, (first.id,), measured=measured, paths=paths, facing_deg=facing_deg, bar=bar
        )
    before = {man.id: moment.figure(man.id) for man in men}
    after = {name: placed(one, paths[name][-1]) if name in paths else one for name, one in before.items()}
    toward_deg = bearing_deg(paths[first.id][0], paths[first.id][-1])
    leader = lead(tuple(before.values()), toward_deg).id
    rest = [one for name, one in after.items() if name != leader]
    lengths = {name: length_in(paths.get(name, ())) for name in after}
    facts |= {
        "lead_moved_in": lengths.pop(leader),
        "follower_moved_in": list(lengths.values()),
        "gaps_in": [link.edge_in for link in distances(moment.game.rules, tuple(after.values()))],
        "follower_ahead": bool(ahead_of(after[leader], rest, toward_deg)),
    }
    sigma_in = moment.figure(leader).sigma_in
    measured = (Measured(("lead_moved_in",), sigma_in, "how far its leading man went"),)
    return Deed(
        f"Move the squad {first.squad}",
        "squad_move",
        facts,
        tuple(after),
        measured=measured,
        paths=paths,
        facing_deg=facing_deg,
        bar=bar,
    )


def _step(moment: Moment, men: tuple[Unit, ...]) -> dict[str, Any]:
    before_in = max(man.allowance_used_in for man in men)
    return {"moved_before_in": before_in, "phase": moment.state.phase}


# Attacks.


def attacks(moment: Moment, figure: str) -> Iterator[Deed]:
    """One man at every enemy."""
    man = moment.unit(figure)
    for enemy in moment.enemies(man):
        target, view = _target(moment, man, enemy), moment.view(man.id, enemy.id)
        given = {
            **_turn(moment, man),
            "attacker": moment.kind(man)["unit"],
            "elevation_of_target": target["elevation"],
            "target_special": target["special"],
            **{fact: target[fact] for fact in ("visible_fraction", "obstacle", "distance_in")},
            "target_figures": 1,
        }
        what = f"how much of {spoken(enemy.id)} is seen by {spoken(man.id)}"
        errors = view.part_errors(target["visible_fraction"])
        measured = tuple(Measured(("visible_fraction",), sigma, what, 0.0, 1.0) for sigma in errors)
        names = (man.id,), (enemy.id,)
        bar = _bar(moment, man)
        yield Deed(
            f"Attack on {spoken(enemy.id)}",
            "attack",
            given,
            *names,
            preview="to_kill",
            view=view,
            measured=measured,
            bar=bar,
        )


def others(moment: Moment, figure: str) -> Iterator[Deed]:
    """The whole squad at an enemy squad or unit, or a sniper's attacks."""
    man = moment.unit(figure)
    row = moment.game.rules.tables.units[moment.kind(man)["unit"]]
    if not man.squad and row.attacks > 1:
        for enemy in moment.enemies(man):
            made = _turn(moment, man)
            shots = [_target(moment, man, enemy)] * max(1, row.attacks - made["attacks_made_this_turn"])
            facts = {**made, "targets": shots}
            title = f"All his attacks on {spoken(enemy.id)}"
            yield Deed(title, "sniper_attacks", facts, (man.id,), (enemy.id,), bar=_bar(moment, man))
        return
    groups: dict[str, list[Unit]] = {}
    for enemy in moment.enemies(man):
        groups.setdefault(enemy.squad or enemy.id, []).append(enemy)
    for enemies in groups.values():
        yield volley(moment, moment.squad(man), enemies)


def volley(moment: Moment, men: tuple[Unit, ...], enemies: list[Unit]) -> Deed:
    """A whole squad at a whole squad; every way its many dice may fall is too many to list."""
    given = {
        **_turn(moment, men[0]),
        "attacker_moved": any(bool(man.this_turn.get(MOVED)) for man in men),
        "attackers": [moment.kind(man)["unit"] for man in men],
        "views": [[_target(moment, man, enemy) for enemy in enemies] for man in men],
    }
    at = tuple(enemy.id for enemy in enemies)
    by, bar = tuple(man.id for man in men), _bar(moment, men[0])
    return Deed("Attack with the squad", "squad_attack", given, by, at, bar=bar, listed=False)


def _turn(moment: Moment, man: Unit) -> dict[str, Any]:
    made = sum(man.acts_this_turn.get(action, 0) for action in ("attack", "squad_attack", "sniper_attacks"))
    return {
        "attacker_moved": bool(man.this_turn.get(MOVED)),
        "phase": moment.state.phase,
        "attacks_made_this_turn": made,
    }


def _target(moment: Moment, man: Unit, enemy: Unit) -> dict[str, Any]:
    """An enemy as a man has him before him. A screen covers and never blocks; what is solid decides first."""
    view = moment.view(man.id, enemy.id)
    veils = {moment.sight.of(piece.kind).veil for piece, _ in view.hidden_by}
    screened = view.exposure_to_fire > 0 and CoverKind.SCREEN in veils
    return {
        "id": enemy.id,
        "distance_in": round(view.range.edge_in, 2),
        "elevation": str(level(moment.game.rules, view.range.rise_in)),
        "special": moment.game.rules.tables.units[moment.kind(enemy)["unit"]].special,
        "visible_fraction": round(view.exposure_to_fire, 2),
        "obstacle": "semi_solid" if screened else None,
        "squad": enemy.squad or enemy.id,
    }


# What all share.


def duties(moment: Moment) -> Iterator[Deed]:
    """Who begins, at first; gaps that casualties left, when their side moves; who has won."""
    state = moment.state
    if not state.turn and STEPS not in state.statuses:
        yield Deed("Who begins", "turn_sequence", {"players": list(state.sides)}, listed=False)
    if state.phase == "moving":
        names = {unit.squad for unit in state.standing(state.side) if unit.squad and unit.id in moment.figures}
        for name in sorted(names):
            men = [unit for unit in state.standing(state.side) if unit.squad == name and unit.id in moment.figures]
            links = distances(moment.game.rules, [moment.figure(man.id) for man in men])
            facts = {"gaps_in": [link.edge_in for link in links]}
            yield Deed(f"Does {name} keep together", "cohesion", facts, tuple(man.id for man in men))
    yield Deed("Who has won", "victory", {"figures_left": state.figures_left})


def effects(moment: Moment, deed: Deed, found: Verdict) -> Effects:
    """Who is killed, who has gone where, and who counts as moved."""
    if deed.action == "turn_sequence":
        return Effects(changes=marked([""], STEPS, found.numbers["steps"], "SP-27"))
    if deed.action in ("squad_move", "lone_unit_move"):
        has_moved = found.numbers.get("moved", any(length_in(path) > 0 for path in deed.paths.values()))
        changes = marked(deed.by, MOVED, True, "SP-07", this_turn=True) if has_moved else ()
        return Effects(moves=walked(moment, deed.paths, facing_deg=deed.facing_deg), changes=changes)
    if deed.action == "attack":
        return Effects(changes=fallen(deed.at if found.numbers["kills"] else (), "SP-11"))
    return Effects(changes=fallen(found.numbers.get("killed", ()), "SP-11"))


def next_phase(moment: Moment) -> PhaseBegun:
    """The phases in the order that the options say, from the player who begins."""
    steps = moment.state.statuses.get(STEPS)
    if steps is None:
        found = at_once(moment.game, "turn_sequence", {"players": list(moment.state.sides)})
        steps = found.numbers["steps"] if found else [[side, "moving"] for side in moment.state.sides]
    return following(moment.state, [(side, phase) for side, phase in steps])


REFEREE: Referee[Tables] = Referee(
    sight=sight_rules,
    movement=movement,
    march=march,
    attacks=attacks,
    others=others,
    duties=duties,
    effects=effects,
    next_phase=next_phase,
    rounds=lambda moment: (FIRE,) if moment.state.phase == ATTACKING else (),
)
