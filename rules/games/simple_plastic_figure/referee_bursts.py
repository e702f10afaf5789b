"""Simple Plastic Figure: the questions that stand for grenades, launchers, mortars and guns, and for what they do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

from rules.engine.position import Position, View
from rules.engine.referee import Action, UncertainFact
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.board import holder_at
from rules.games.simple_plastic_figure.referee_facts import (
    bar,
    caught,
    held_in,
    leader_errors,
    place_of,
    rules_of,
    shows,
    weapons,
)
from rules.games.simple_plastic_figure.referee_fire import band_of, firer, firer_at_spot, titled
from rules.games.simple_plastic_figure.shells import Choice
from rules.games.simple_plastic_figure.statuses import FALLING, LANDED
from rules.games.simple_plastic_figure.tables import AimAt
from rules.tabletop.measure import Range, range_to
from rules.tabletop.table import PointIn, TerrainPiece
from rules.tabletop.template import Blast
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison


@dataclass(frozen=True, slots=True)
class Spot:
    """Where an explosive is aimed: where an enemy stands, halfway between two, or at a bare place.

    Attributes:
        enemies: The enemies whom it is meant for; nobody at a bare place.
        at_in: The place.
        z_in: How high it is.
        sigma_in: One standard deviation of the place along one axis.
    """

    enemies: tuple[Unit, ...]
    at_in: PointIn
    z_in: float
    sigma_in: float


def spot_of(position: Position, *enemies: Unit) -> Spot:
    """The middle of where enemies stand."""
    there = [position.figure(one.id) for one in enemies]
    many = len(there)
    middle = (sum(one.x_in for one in there) / many, sum(one.y_in for one in there) / many)
    sigma_in = sum(one.sigma_in**2 for one in there) ** 0.5 / many
    return Spot(enemies, middle, min(one.z_in for one in there), sigma_in)


def aimed_at(position: Position, man: Unit, weapon: str, spot: Spot, barred: Verdict | None) -> Action:
    """An explosive at a spot."""
    kind = rules_of(position).tables.weapon_kinds[weapons(position, man)[weapon].kind]
    return (charge if kind.direct else shell)(position, man, weapon, spot, barred)


def between(position: Position, man: Unit) -> Iterator[Action]:
    """Explosives at the middle of two enemies who are so near one another that it catches both."""
    for weapon, row in weapons(position, man).items():
        barred = bar(position, man, "fire", weapon)
        if rules_of(position).tables.weapon_kinds[row.kind].aim_at is not AimAt.SPOT or barred is not None:
            continue
        for pair in combinations(position.enemies(man), 2):
            spot = spot_of(position, *pair)
            shelter = holder_at(rules_of(position), spot.at_in, position.terrain)
            gaps_in = [range_to(position.figure(one.id), (spot.at_in,)).edge_in for one in pair]
            away_in = range_to(position.figure(man.id), (spot.at_in,)).edge_in
            open_to_it = all(held_in(position, one.id) in (None, shelter) for one in pair)
            if open_to_it and max(gaps_in) <= (row.blast_radius_in or 0.0) and away_in <= row.range_in:
                yield aimed_at(position, man, weapon, spot, None)


def explosives_at(position: Position, figure: str, spot_in: PointIn) -> Iterator[Action]:
    """Every explosive of a figure at a bare place."""
    man = position.unit(figure)
    if man.out:
        return
    spot = Spot((), spot_in, position.spot(spot_in).z_in, 0.0)
    for weapon, row in weapons(position, man).items():
        if rules_of(position).tables.weapon_kinds[row.kind].aim_at is AimAt.SPOT:
            action = aimed_at(position, man, weapon, spot, bar(position, man, "fire", weapon))
            yield replace(action, at=tuple(one["id"] for one in action.given.get("figures", ())), spot_in=spot_in)


def _spot_facts(position: Position, man: Unit, weapon: str, spot: Spot) -> tuple[dict[str, Any], Range, View]:
    """What decides whether he may fire at a spot, how far it is, and how he sees it, or whom he sees best there."""
    away = range_to(position.figure(man.id), (spot.at_in,), spot.z_in, spot.sigma_in)
    if spot.enemies:
        best = max(spot.enemies, key=lambda one: shows(position, man.id, one.id))
        view = position.view(man.id, best.id)
        facts = firer(position, man, weapon, best, view)
    else:
        view = position.view_of_spot(man.id, spot.at_in)
        facts = firer_at_spot(position, man, weapon, spot.at_in, view)
    return {**facts, "distance_in": round(away.edge_in, 2)}, away, view


def _title(position: Position, weapon: str, spot: Spot) -> str:
    return f"{titled(position, weapon)} {'between' if len(spot.enemies) > 1 else 'at'} {_there(spot)}"


def _there(spot: Spot) -> str:
    return " and ".join(display_name(one.id) for one in spot.enemies) or f"the spot {place_words(spot.at_in)}"


def _errors(position: Position, man: Unit, spot: Spot, away: Range) -> tuple[UncertainFact, ...]:
    what = f"the range from {display_name(man.id)} to {_there(spot)}"
    found = (UncertainFact(("distance_in",), away.sigma_in, what),) if away.sigma_in > 0 else ()
    return (*found, *leader_errors(position, man))


def charge(position: Position, man: Unit, weapon: str, spot: Spot, barred: Verdict | None) -> Action:
    """A grenade or a launcher's round at a spot."""
    row, shelter = weapons(position, man)[weapon], holder_at(rules_of(position), spot.at_in, position.terrain)
    given, away, view = _spot_facts(position, man, weapon, spot)
    worth = barred is None and away.edge_in <= row.range_in + DOUBT_SIGMAS * away.sigma_in
    radius_in = row.blast_radius_in or 0.0
    found, errors = caught(position, spot.at_in, radius_in, shelter, man, spot.sigma_in) if worth else ([], ())
    given |= {**_touching_wall(position, man, shelter), "place": place_of(position, shelter), "figures": found}
    return Action(
        _title(position, weapon, spot),
        "charge",
        given,
        (man.id,),
        tuple(one.id for one in spot.enemies),
        weapon,
        preview="charge_aim",
        view=view,
        measured=(*_errors(position, man, spot, away), *errors),
        band=band_of(position, away),
        blocked_by=barred,
        template=Blast(spot.at_in, radius_in) if radius_in else None,
        each={one["id"]: {"figures": [one]} for one in found} if len(found) > 1 else {},
    )


def _touching_wall(position: Position, man: Unit, shelter: TerrainPiece | None) -> dict[str, bool]:
    """Whether he touches the wall, where that can be told."""
    if shelter is None:
        return {"thrower_touching_wall": False}
    call = range_to(position.figure(man.id), shelter.outline_in).contact()
    return {} if call is Comparison.TOO_CLOSE else {"thrower_touching_wall": call is Comparison.IN}


def shell(position: Position, man: Unit, weapon: str, spot: Spot, barred: Verdict | None) -> Action:
    """A mortar's or gun's shot at a spot, as far as the place where it comes down."""
    shelter = holder_at(rules_of(position), spot.at_in, position.terrain)
    given, away, view = _spot_facts(position, man, weapon, spot)
    radius_in = weapons(position, man)[weapon].blast_radius_in
    here = position.figure(man.id).centre_in
    given |= {"firer_in": list(here), **falling(position, man.side, spot.at_in, shelter)}
    return Action(
        _title(position, weapon, spot),
        "shell",
        given,
        (man.id,),
        tuple(one.id for one in spot.enemies),
        weapon,
        preview="may_target",
        view=view,
        measured=_errors(position, man, spot, away),
        band=band_of(position, away),
        blocked_by=barred,
        template=Blast(spot.at_in, radius_in) if radius_in else None,
    )


def falling(position: Position, side: str, spot: PointIn, shelter: TerrainPiece | None) -> dict[str, Any]:
    """What decides where a shell that a side fires comes down."""
    sheltered = (
        shelter is not None and rules_of(position).tables.places[place_of(position, shelter)].shelter is not None
    )
    return {"spot_in": list(spot), "own_edge_deg": own_edge_deg(position, side), "at_shelter": sheltered}


def own_edge_deg(position: Position, side: str) -> float:
    """Where a side's board edge is: as the players say, else the near edge for who is named first and the far one."""
    sides = position.state.sides
    usual = -90.0 if sides and side == sides[0] else 90.0
    return float(position.state.statuses.get(f"edge_of_{side}", usual))


def coming_down(position: Position) -> Iterator[Action]:
    """A shell that was called from off the board comes down somewhere."""
    shell = position.state.this_turn.get(FALLING)
    if shell:
        name, weapon, spot = str(shell["by"]), str(shell["weapon"]), (shell["spot_in"][0], shell["spot_in"][1])
        shelter = holder_at(rules_of(position), spot, position.terrain)
        given = {"weapon": weapon, **falling(position, position.unit(name).side, spot, shelter)}
        yield Action(
            f"The shell of {display_name(name)} comes down", "deviation", given, (name,), weapon=weapon, owed="WW-44"
        )


def bursting(position: Position) -> Iterator[Action]:
    """A shell that has come down bursts."""
    landed = position.state.this_turn.get(LANDED)
    if not landed:
        return
    rules, spot = rules_of(position), (float(landed["spot_in"][0]), float(landed["spot_in"][1]))
    weapon, firer, aimed = str(landed["weapon"]), str(landed["by"]), landed.get("aimed_in")
    shelter = holder_at(rules, spot, position.terrain)
    man = position.unit(firer)
    there = landed["on_board"] and firer in position.figures
    radius_in = rules.tables.weapons[weapon].blast_radius_in or 0.0
    found, errors = caught(position, spot, radius_in, shelter, man, on_board=there)
    where = place_of(position, shelter)
    choosing = f"{rules.tables.weapons[weapon].kind}_{rules.tables.places[where].shelter}"
    asks = shelter is not None and choosing not in rules.tables.shelter_attacks
    given = {
        "weapon": weapon,
        "range_for_modifier_in": landed["range_in"],
        "place": where,
        "figures": found,
        **landed["help"],
        **({} if asks else {"choice": Choice.ROOF.value}),
    }
    yield Action(
        f"The shell of {display_name(firer)} bursts",
        "burst",
        given,
        (firer,),
        tuple(one["id"] for one in found),
        weapon,
        preview="burst_aim",
        measured=(*errors, *(leader_errors(position, man) if there else ())),
        spot_in=(float(aimed[0]), float(aimed[1])) if aimed else None,
        template=Blast(spot, radius_in) if radius_in else None,
        each={one["id"]: {"figures": [one]} for one in found} if len(found) > 1 else {},
        piece=shelter.name if shelter else "",
        owed="WW-44",
    )
