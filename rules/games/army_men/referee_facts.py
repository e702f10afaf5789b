"""Army Men: what is measured and known of a shot: who fires, who helps him, and the target before him."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.engine.ambiguity import in_sight
from rules.engine.position import Position, View
from rules.engine.referee import UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.army_men import status
from rules.games.army_men.ground import cover_to_target_in
from rules.tabletop.bearing import aspect_sigma_deg, bearing_deg, turn_deg
from rules.tabletop.measure import Range
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure, PointIn


def facts_of(position: Position, man: Unit, weapon: str, enemy: Unit, seen: Position | None = None) -> dict[str, Any]:
    """All of a shot at an enemy; `seen` is the moment at which he is seen, where that is not now."""
    view = (seen or position).view(man.id, enemy.id)

    def sees(friend: Unit) -> bool:
        return position.view(friend.id, enemy.id).exposure >= SLIVER

    return {
        **firer(position, man, weapon),
        **turret(position, man, weapon, (seen or position).figure(enemy.id).centre_in),
        **aim_of(seen or position, man, enemy, view),
        **helped(position, man, position.figure(enemy.id), sees),
        **_location(position, man, weapon, enemy),
    }


def firer(position: Position, man: Unit, weapon: str) -> dict[str, Any]:
    """What he brings to a shot with one of his weapons."""
    kind, row, now = status.kind(position, man), position.game.rules.tables.weapons[weapon], man.this_turn
    around = status.carrier(position, man)
    down = bool(man.statuses.get(status.DOWN))
    facts = {
        "weapon": weapon,
        "attacker": status.kind_name(position, man),
        "shown_weapons": list(status.weapons(position, man)),
        "phase": position.state.phase,
        "destroyed_in_phase": int(now.get(status.DOWN_IN_PHASE, 0)) if down else None,
        "wounded": bool(man.statuses.get(status.WOUNDED)),
        "moved_this_turn": bool(now.get(status.MOVED)),
        "climbing": "climb" in man.acts_this_turn,
        "dropped_this_turn": status.dropped(man),
        "in_the_air": status.in_the_air(position, man),
        "shut_in": around is not None and not status.kind(position, around).ports,
        "attacks_made_this_turn": status.attacks_made(man),
        "fired_this_turn": list(now.get(status.FIRED, ())),
        "mounted": kind.vehicle,
        "crew": crew_of(position, man),
        "jammed": status.jammed(man, weapon),
        "out_of_ammo": status.is_empty(man, weapon),
        "stunned": status.stunned(position, man),
        "glued": status.glued(man),
        "immobilized": bool(man.statuses.get(status.IMMOBILIZED)),
        "sustained": False,
        "hero": bool(status.card(position, man, "hero")),
        "leader": bool(status.card(position, man, "leader")),
        "binoculars": any(status.card(position, one, "binoculars") for one in (man, *_mates(position, man))),
    }
    return facts if row.turret else facts | {"turret_points_at_target": True}


TURRET_SLACK_DEG = 10.0
"""A hand does not point a toy's turret more exactly."""


def turret(position: Position, man: Unit, weapon: str, at_in: PointIn) -> dict[str, Any]:
    """Whether a turret that was turned points at a place; left to the players where nobody turned it."""
    pointed_deg, here = man.statuses.get(status.TURRET), position.figure(man.id).centre_in
    if pointed_deg is None or not position.game.rules.tables.weapons[weapon].turret or here == at_in:
        return {}
    off_deg = abs(turn_deg(float(pointed_deg), bearing_deg(here, at_in)))
    return {"turret_points_at_target": off_deg <= TURRET_SLACK_DEG}


def _mates(position: Position, man: Unit) -> list[Unit]:
    """The soldiers of his squad who stand beside him, as a crew does beside its gun."""
    beside = []
    for mate in position.squad(man) if man.squad else ():
        there = mate.id in position.figures and mate.id != man.id
        if there and status.is_man(position, mate) and status.counts(position, mate):
            edge_in = position.measure(position.figure(man.id), position.figure(mate.id)).edge_in
            answer = verdict_without_dice(position.game, "adjacent", {"edge_in": edge_in})
            beside += [mate] if answer is not None and answer.numbers["adjacent"] else []
    return beside


def crew_of(position: Position, man: Unit) -> int | None:
    """How many serve a gun that stands apart from its men; None where the figure is weapon and crew in one."""
    if "crew" in man.statuses:
        return int(man.statuses["crew"])
    return len(_mates(position, man)) if man.squad and not status.is_man(position, man) else None


def helped(position: Position, man: Unit, there: Figure, sees: Callable[[Unit], bool]) -> dict[str, Any]:
    """What his friends do for a shot: leaders, radios, and who looks through binoculars.

    Args:
        there: What he fires at.
        sees: Whether a friend sees it.
    """
    friends = status.friends(position, man)
    leaders = [one for one in friends if status.card(position, one, "leader")]
    radios = [one for one in friends if status.card(position, one, "radio")]
    watchers = [one for one in radios if sees(one)]
    spotters = (one for one in friends if status.card(position, one, "binoculars"))
    here = position.figure(man.id)
    ranges = [distance_in(position, position.measure(here, position.figure(one.id))) for one in leaders]
    facts = {
        "radio": bool(watchers),
        "spotter_binoculars": any(sees(one) for one in spotters),
        "leader_distance_in": min(ranges, default=None),
        "target_zone": None,
    }
    facts |= _zone(position, man, there)
    passed_on = leaders and (radios or status.card(position, man, "radio")) and not _led(position, man, facts)
    return facts if passed_on else facts | {"leader_by_radio": False}


def _led(position: Position, man: Unit, facts: dict[str, Any]) -> bool:
    """Whether a leader's bonus reaches him without a radio."""
    shot = {"weapon": next(iter(status.weapons(position, man))), "distance_in": 0.0}
    shot |= {"leader": bool(status.card(position, man, "leader")), "leader_distance_in": facts["leader_distance_in"]}
    answer = verdict_without_dice(position.game, "leader_bonus", shot)
    return answer is not None and bool(answer.numbers["modifier"])


def _zone(position: Position, man: Unit, there: Figure) -> dict[str, Any]:
    """Where the target stands, seen from the pillbox that he fires from; left to the players where nobody sees it."""
    around = status.carrier(position, man)
    if not status.in_pillbox(position, man):
        return {}
    zone = zone_of(position, around, there) if around is not None else None
    return {"target_zone": zone} if zone else {"target_zone": man.statuses.get("target_zone")}


def zone_of(position: Position, pillbox: Unit, there: Figure) -> str | None:
    """Where somebody stands, seen from a pillbox; None where nobody knows which way it faces."""
    if pillbox.id not in position.figures:
        return None
    box = position.figure(pillbox.id)
    if box.facing_deg is None or box.centre_in == there.centre_in:
        return None
    off_deg = turn_deg(box.facing_deg, bearing_deg(box.centre_in, there.centre_in))
    asked = {"off_front_deg": off_deg, "edge_in": position.measure(box, there).edge_in}
    answer = verdict_without_dice(position.game, "pillbox_zone", asked)
    return str(answer.numbers["zone"]) if answer is not None else None


def _location(position: Position, man: Unit, weapon: str, enemy: Unit) -> dict[str, Any]:
    """Whether a gun has to range in: a pillbox stays where it is, of the rest the players say so."""
    gun = position.game.rules.tables.weapons[weapon].gun
    before = {"earlier_attacks_on_location": list(man.statuses.get(status.RANGED_IN, ())).count(enemy.id)}
    if not gun:
        return before | {"fixed_location": False}
    return before | {"fixed_location": True} if status.kind(position, enemy).hard == "pillbox" else before


def aim_of(position: Position, man: Unit, enemy: Unit, view: View) -> dict[str, Any]:
    """A target as he has it before him."""
    facts = {
        **target_facts(position, enemy),
        "distance_in": distance_in(position, view.range),
        "edge_in": round(view.range.edge_in, 2),
        "rise_in": rise_in(man, enemy, view),
        "los": view.exposure >= SLIVER,
        "cover_to_target_in": cover_in(position, enemy, view),
    }
    here, there = position.figure(man.id), position.figure(enemy.id)
    if there.facing_deg is not None and here.centre_in != there.centre_in:
        facts["off_facing_deg"] = round(turn_deg(there.facing_deg, bearing_deg(there.centre_in, here.centre_in)), 1)
    return facts


def rise_in(man: Unit, enemy: Unit, view: View) -> float:
    """How much higher the target stands, or hangs on its cliff."""
    climbed = [float(one.statuses.get(status.CLIMBED, 0.0)) for one in (man, enemy)]
    return round(view.range.rise_in + climbed[1] - climbed[0], 2)


def cover_in(position: Position, enemy: Unit, view: View) -> float | None:
    """How near to a target the line of sight to him crosses cover; None where it does not."""
    found = cover_to_target_in(position.game.rules, position.figure(enemy.id), view, position.terrain)
    return None if found is None else round(found, 2)


def distance_in(position: Position, measured: Range) -> float:
    """Of a measured range, the distance that the rules speak of."""
    edges = position.game.rules.chooses("measured_from", "base_edges")
    return round(measured.edge_in if edges else measured.centre_in, 2)


def target_facts(position: Position, enemy: Unit) -> dict[str, Any]:
    """What a target is, whoever fires at it."""
    around = status.carrier(position, enemy)
    told = {**enemy.statuses, **enemy.this_turn}
    flames = [name for name, row in status.weapons(position, enemy).items() if row.cone_in]
    return {
        "target": status.kind_name(position, enemy),
        "behind_cover": bool(told.get("behind_cover")),
        "entrenched": bool(told.get(status.ENTRENCHED)),
        "inside_half_track": around is not None and status.kind(position, around).target == "half_track",
        "inside_pillbox": status.in_pillbox(position, enemy),
        "garrison": around is not None and status.in_pillbox(position, enemy),
        "sealed": around is not None and status.kind(position, around).sealed,
        "flying": status.flies(position, enemy),
        "from_lower": False,
        "heavy": bool(status.card(position, enemy, "heavy")),
        "target_weapon": flames[0] if flames else None,
        "target_hero": bool(status.card(position, enemy, "hero")),
        "target_eliminations": int(told.get(status.ELIMINATIONS, 0)),
    }


def errors(
    position: Position, man: Unit, enemy: Unit, view: View, way: tuple[str | int, ...] = (), *, granted: bool = False
) -> list[UncertainFact]:
    """What of a target was measured, and how well; `granted` that it is seen."""
    here, there = position.figure(man.id), position.figure(enemy.id)
    pair = f"{display_name(man.id)} to {display_name(enemy.id)}"
    sigma_in = view.range.sigma_in
    sees = f"whether {display_name(man.id)} sees {display_name(enemy.id)}"
    found = [
        *(() if granted else in_sight(view, sees, (*way, "los"))),
        UncertainFact((*way, "distance_in"), sigma_in, f"the range from {pair}"),
        UncertainFact((*way, "edge_in"), sigma_in, f"the gap from {pair}"),
    ]
    if cover_in(position, enemy, view):
        found.append(
            UncertainFact((*way, "cover_to_target_in"), there.sigma_in, f"the cover of {display_name(enemy.id)}")
        )
    if there.facing_deg is not None and here.centre_in != there.centre_in:
        sigma_deg = aspect_sigma_deg(there, here.centre_in, 0.0, here.sigma_in)
        what = f"the side of {display_name(enemy.id)} that {display_name(man.id)} sees"
        found.append(UncertainFact((*way, "off_facing_deg"), sigma_deg, what, -180.0, 180.0))
    return [one for one in found if one.sigma > 0]
