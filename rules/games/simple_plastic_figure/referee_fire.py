"""Simple Plastic Figure: the shots of a figure at enemies and places, and shells on their way."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

from rules.engine.action import Action
from rules.engine.facts import Context, action_for, bind
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, preview_without_odds
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.simple_plastic_figure.aims import Aim, aim_at, aim_between, caught, held_facts
from rules.games.simple_plastic_figure.cover import holder_at
from rules.games.simple_plastic_figure.figures import bar, held_in, named, own_edge_deg, place_of, rules_of, weapons
from rules.games.simple_plastic_figure.fire import rate_of_fire
from rules.games.simple_plastic_figure.rows import band, called
from rules.games.simple_plastic_figure.shells import Choice
from rules.games.simple_plastic_figure.statuses import FALLING, LANDED, SHOTS_LEFT
from rules.games.simple_plastic_figure.tables import AimAt, Weapon
from rules.games.simple_plastic_figure.turn import Helped
from rules.tabletop.measure import range_to
from rules.tabletop.table import PointIn
from rules.tabletop.template import Blast


def attacks(position: Position, figure: str) -> Iterator[Action]:
    """Every weapon of a figure at every enemy; an explosive at the place where that stands."""
    man = position.unit(figure)
    for weapon, _ in _armed(position, man):
        for enemy in position.enemies(man):
            yield _aimed(position, man, weapon, (enemy,))


def _armed(position: Position, man: Unit, *at: AimAt) -> Iterator[tuple[str, Weapon]]:
    """The weapons of a figure that is not eliminated; if `at` is given, only weapons that are aimed so."""
    kinds, carried = rules_of(position).tables.weapon_kinds, {} if man.out else weapons(position, man)
    return ((weapon, row) for weapon, row in carried.items() if kinds[row.kind].aim_at in (at or AimAt))


def _aimed(
    position: Position, man: Unit, weapon: str, enemies: tuple[Unit, ...], spot_in: PointIn | None = None
) -> Action:
    """A small arm at an enemy; an explosive at the middle of enemies or at a bare place."""
    kind = rules_of(position).tables.weapon_kinds[weapons(position, man)[weapon].kind]
    if kind.aim_at is AimAt.FIGURE:
        return _fired(aim_at(position, man, weapon, enemies[0]), "attack", "aimed", {})
    aim = aim_between(position, man, weapon, enemies, spot_in or _middle(position, enemies))
    if kind.direct:
        return _fired(aim, "charge", "charge_aim", {})
    facts = {"firer_in": list(position.figure(man.id).centre_in), **_falling(position, man.side, aim.at_in)}
    return _fired(aim, "shell", "may_target", facts)


def _fired(aim: Aim, name: str, preview: str, facts: Mapping[str, Any]) -> Action:
    title = f"{_titled(aim.position, aim.weapon)} {'between' if len(aim.targets) > 1 else 'at'} {aim.there}"
    bands = rules_of(aim.position).tables.range_bands
    row = band(rules_of(aim.position), bands, round(aim.away.edge_in, 2))
    more = {"weapon": aim.weapon, "view": aim.view, "blocked_by": aim.blocked_by, "preview": preview}
    found = next(name for name, one in bands.items() if one == row)
    action = action_for(title, name, aim, facts, band=found, template=_template(aim.at_in, aim.row), **more)
    return replace(action, each=_each(action.given.get("figures", ())))


def _template(at_in: PointIn, row: Weapon) -> Blast | None:
    return Blast(at_in, row.blast_radius_in) if row.blast_radius_in else None


def _each(found: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The facts for each of several figures that a burst catches."""
    return {one["id"]: {"figures": [one]} for one in found} if len(found) > 1 else {}


def _titled(position: Position, weapon: str) -> str:
    """A weapon's name as the first word of a title."""
    name = called(rules_of(position), weapon)
    return name[:1].upper() + name[1:]


# Small arms.


def spreads(position: Position, man: Unit) -> Iterator[Action]:
    """The shots of one weapon at several enemies: named one after another, or in turn at those easiest to hit."""
    for weapon, _ in _armed(position, man, AimAt.FIGURE):
        rate = rate_of_fire(rules_of(position), held_facts(position, man, weapon))
        if rate < 2 or man.this_turn.get(SHOTS_LEFT) or bar(position, man, "fire", weapon) is not None:
            continue
        tried = [_tried(position, man, weapon, enemy) for enemy in position.enemies(man)]
        open_to = [one for one in tried if one.possible and one.before is not None]
        easiest = sorted(open_to, key=lambda one: (-one.before.numbers["modifier"] if one.before else 0, one.action.at))
        yield from _naming(position, man, weapon, rate, easiest)
        most = easiest[:rate]
        for aimed in (*combinations(most, 2), *(most[:many] for many in range(3, len(most) + 1))):
            yield _spread(position, man, weapon, [aimed[k % len(aimed)] for k in range(rate)])


def _naming(position: Position, man: Unit, weapon: str, rate: int, tried: Sequence[ActionPreview]) -> Iterator[Action]:
    """A target for each shot, the same or another one; then all that were named are fired at."""
    of = {one.action.at[0]: one for one in tried}
    names = [name for name in named(man, weapon) if name in of]
    if names:
        yield _spread(position, man, weapon, [of[name] for name in names])
    for name in of if len(names) < rate and len(of) > 1 else ():
        title = f"{_titled(position, weapon)}, name shot {len(names) + 1} of {rate}: {display_name(name)}"
        given = {**held_facts(position, man, weapon), "shots": len(names) + 1}
        yield Action(title, "declare_shots", given, (man.id,), (name,), weapon)


def at_targets(position: Position, figure: str, names: Sequence[str]) -> Iterator[Action]:
    """The shots of each small arm at targets that the players name, each in turn until no shot is left."""
    man = position.unit(figure)
    enemies = {one.id: one for one in position.enemies(man)}
    for weapon, _ in _armed(position, man, AimAt.FIGURE) if set(names) <= enemies.keys() else ():
        tried = [_tried(position, man, weapon, enemies[name]) for name in names]
        barred = next((one for one in tried if not one.possible or one.before is None), None)
        if barred is not None:
            yield replace(barred.action, name="volley", given={}, at=tuple(names), preview="", blocked_by=barred.before)
        else:
            shots = max(len(tried), rate_of_fire(rules_of(position), held_facts(position, man, weapon)))
            action = _spread(position, man, weapon, [tried[k % len(tried)] for k in range(shots)])
            yield replace(action, view=tried[0].action.view)


def _tried(position: Position, man: Unit, weapon: str, enemy: Unit) -> ActionPreview:
    """The verdict on a figure's shots at one enemy before the dice."""
    return preview_without_odds(position, _aimed(position, man, weapon, (enemy,)))


def _spread(position: Position, man: Unit, weapon: str, aimed: Sequence[ActionPreview]) -> Action:
    """One shot at each of these in this order."""
    shots, errors = [], []
    for k, one in enumerate(aimed):
        [name], given, numbers = one.action.at, one.action.given, one.before.numbers if one.before else {}
        helped = bind(Helped, aim_at(position, man, weapon, position.unit(name))).given
        of = {"target": name, "range_in": given["distance_in"], "pose": numbers["pose"], "covers": numbers["covers"]}
        shots.append({**of, **helped})
        known = [error for error in one.action.measured if error.fact == ("distance_in",)]
        errors += [replace(error, fact=("shots", k, "range_in")) for error in known]
    names = [str(one["target"]) for one in shots]
    times = {name: names.count(name) for name in names}
    even = max(times.values()) - min(times.values()) < 2
    targets = [display_name(name) if even else f"{display_name(name)} ({count})" for name, count in times.items()]
    title, given = f"{_titled(position, weapon)} at {', '.join(targets)}", held_facts(position, man, weapon)
    more: dict[str, Any] = {"preview": "volley_aim", "measured": tuple(errors), "has_odds": False}
    return Action(title, "volley", {**given, "shots": shots}, (man.id,), tuple(times), weapon, **more)


# Explosives.


def _middle(position: Position, enemies: Sequence[Unit]) -> PointIn:
    there, many = [position.figure(one.id) for one in enemies], len(enemies)
    return (sum(one.x_in for one in there) / many, sum(one.y_in for one in there) / many)


def between(position: Position, man: Unit) -> Iterator[Action]:
    """Explosives at the middle of two enemies that are so near one another that it catches both."""
    for weapon, row in _armed(position, man, AimAt.SPOT):
        barred = bar(position, man, "fire", weapon)
        for pair in () if barred else combinations(position.enemies(man), 2):
            spot_in = _middle(position, pair)
            shelter = holder_at(rules_of(position), spot_in, position.terrain)
            gaps_in = [range_to(position.figure(one.id), (spot_in,)).edge_in for one in pair]
            away_in = range_to(position.figure(man.id), (spot_in,)).edge_in
            open_to_it = all(held_in(position, one.id) in (None, shelter) for one in pair)
            if open_to_it and max(gaps_in) <= (row.blast_radius_in or 0.0) and away_in <= row.range_in:
                yield _aimed(position, man, weapon, pair)


def explosives_at(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """Every explosive of a figure at a bare place."""
    man = position.unit(figure)
    for weapon, _ in _armed(position, man, AimAt.SPOT):
        action = _aimed(position, man, weapon, (), spot_in)
        yield replace(action, at=tuple(one["id"] for one in action.given.get("figures", ())), spot_in=spot_in)


# Shells on their way.


def _falling(position: Position, side: str, spot_in: PointIn) -> dict[str, Any]:
    """The facts that decide where a side's shell lands."""
    shelter = holder_at(rules_of(position), spot_in, position.terrain)
    sheltered = rules_of(position).tables.places[place_of(position, shelter)].shelter is not None
    return {"spot_in": list(spot_in), "own_edge_deg": own_edge_deg(position, side), "at_shelter": sheltered}


def coming_down(position: Position) -> Iterator[Action]:
    """A shell that was called from off the board comes down somewhere."""
    shell = position.state.this_turn.get(FALLING)
    if shell:
        name, (x_in, y_in) = str(shell["by"]), shell["spot_in"]
        given = {"weapon": str(shell["weapon"]), **_falling(position, position.unit(name).side, (x_in, y_in))}
        title = f"The shell of {display_name(name)} comes down"
        yield Action(title, "deviation", given, (name,), weapon=given["weapon"], owed="WW-44")


def bursting(position: Position) -> Iterator[Action]:
    """A shell that has come down bursts."""
    landed = position.state.this_turn.get(LANDED)
    if not landed:
        return
    tables, (x_in, y_in) = rules_of(position).tables, landed["spot_in"]
    spot, weapon, man = (float(x_in), float(y_in)), str(landed["weapon"]), position.unit(str(landed["by"]))
    row, aimed = tables.weapons[weapon], landed.get("aimed_in")
    shelter = holder_at(rules_of(position), spot, position.terrain)
    on_board = landed["on_board"] and man.id in position.figures
    found = caught(position, spot, row.blast_radius_in or 0.0, man, on_board=on_board)
    figures = [one.given for one in found]
    errors = (replace(error, fact=("figures", k, *error.fact)) for k, one in enumerate(found) for error in one.measured)
    place = place_of(position, shelter)
    asks = shelter is not None and f"{row.kind}_{tables.places[place].shelter}" not in tables.shelter_attacks
    facts = {"weapon": weapon, "range_for_modifier_in": landed["range_in"], "place": place, "figures": figures}
    leaders = bind(Helped, Context(position, (man,))).measured if on_board else ()
    yield Action(
        f"The shell of {display_name(man.id)} bursts",
        "burst",
        {**facts, **landed["help"], **({} if asks else {"choice": Choice.ROOF.value})},
        (man.id,),
        tuple(one["id"] for one in figures),
        weapon,
        preview="burst_aim",
        measured=(*errors, *leaders),
        spot_in=(float(aimed[0]), float(aimed[1])) if aimed else None,
        template=_template(spot, row),
        each=_each(figures),
        piece=shelter.name if shelter else "",
        owed="WW-44",
    )
