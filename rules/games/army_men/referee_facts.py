"""Army Men: what is measured and known of a shot: who fires, who helps him, and the target before him."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rules.engine.ambiguity import in_sight
from rules.engine.position import Position, View
from rules.engine.referee import Measured, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.games.army_men import status
from rules.games.army_men.ground import cover_to_target_in
from rules.tabletop.bearing import aspect_sigma_deg, bearing_deg, turn_deg
from rules.tabletop.measure import Range
from rules.tabletop.sight import SLIVER
from rules.tabletop.table import Figure, PointIn


def facts_of(moment: Position, man: Unit, weapon: str, enemy: Unit, seen: Position | None = None) -> dict[str, Any]:
    """All of a shot at an enemy; `seen` is the moment at which he is seen, where that is not now."""
    view = (seen or moment).view(man.id, enemy.id)

    def sees(friend: Unit) -> bool:
        return moment.view(friend.id, enemy.id).exposure >= SLIVER

    return {
        **firer(moment, man, weapon),
        **turret(moment, man, weapon, (seen or moment).figure(enemy.id).centre_in),
        **aim_of(seen or moment, man, enemy, view),
        **helped(moment, man, moment.figure(enemy.id), sees),
        **_location(moment, man, weapon, enemy),
    }


def firer(moment: Position, man: Unit, weapon: str) -> dict[str, Any]:
    """What he brings to a shot with one of his weapons."""
    kind, row, now = status.kind(moment, man), moment.game.rules.tables.weapons[weapon], man.this_turn
    around = status.carrier(moment, man)
    down = bool(man.statuses.get(status.DOWN))
    facts = {
        "weapon": weapon,
        "attacker": status.kind_name(moment, man),
        "shown_weapons": list(status.weapons(moment, man)),
        "phase": moment.state.phase,
        "destroyed_in_phase": int(now.get(status.DOWN_IN_PHASE, 0)) if down else None,
        "wounded": bool(man.statuses.get(status.WOUNDED)),
        "moved_this_turn": bool(now.get(status.MOVED)),
        "climbing": "climb" in man.acts_this_turn,
        "dropped_this_turn": status.dropped(man),
        "in_the_air": status.in_the_air(moment, man),
        "shut_in": around is not None and not status.kind(moment, around).ports,
        "attacks_made_this_turn": status.attacks_made(man),
        "fired_this_turn": list(now.get(status.FIRED, ())),
        "mounted": kind.vehicle,
        "crew": crew_of(moment, man),
        "jammed": status.jammed(man, weapon),
        "out_of_ammo": status.is_empty(man, weapon),
        "stunned": status.stunned(moment, man),
        "glued": status.glued(man),
        "immobilized": bool(man.statuses.get(status.IMMOBILIZED)),
        "sustained": False,
        "hero": bool(status.card(moment, man, "hero")),
        "leader": bool(status.card(moment, man, "leader")),
        "binoculars": any(status.card(moment, one, "binoculars") for one in (man, *_mates(moment, man))),
    }
    return facts if row.turret else facts | {"turret_points_at_target": True}


TURRET_SLACK_DEG = 10.0
"""A hand does not point a toy's turret more exactly."""


def turret(moment: Position, man: Unit, weapon: str, at_in: PointIn) -> dict[str, Any]:
    """Whether a turret that was turned points at a place; left to the players where nobody turned it."""
    pointed_deg, here = man.statuses.get(status.TURRET), moment.figure(man.id).centre_in
    if pointed_deg is None or not moment.game.rules.tables.weapons[weapon].turret or here == at_in:
        return {}
    off_deg = abs(turn_deg(float(pointed_deg), bearing_deg(here, at_in)))
    return {"turret_points_at_target": off_deg <= TURRET_SLACK_DEG}


def _mates(moment: Position, man: Unit) -> list[Unit]:
    """The soldiers of his squad who stand beside him, as a crew does beside its gun."""
    beside = []
    for mate in moment.squad(man) if man.squad else ():
        there = mate.id in moment.figures and mate.id != man.id
        if there and status.is_man(moment, mate) and status.counts(moment, mate):
            edge_in = moment.measure(moment.figure(man.id), moment.figure(mate.id)).edge_in
            answer = verdict_without_dice(moment.game, "adjacent", {"edge_in": edge_in})
            beside += [mate] if answer is not None and answer.numbers["adjacent"] else []
    return beside


def crew_of(moment: Position, man: Unit) -> int | None:
    """How many serve a gun that stands apart from its men; None where the figure is weapon and crew in one."""
    if "crew" in man.statuses:
        return int(man.statuses["crew"])
    return len(_mates(moment, man)) if man.squad and not status.is_man(moment, man) else None


def helped(moment: Position, man: Unit, there: Figure, sees: Callable[[Unit], bool]) -> dict[str, Any]:
    """What his friends do for a shot: leaders, radios, and who looks through binoculars.

    Args:
        there: What he fires at.
        sees: Whether a friend sees it.
    """
    friends = status.friends(moment, man)
    leaders = [one for one in friends if status.card(moment, one, "leader")]
    radios = [one for one in friends if status.card(moment, one, "radio")]
    watchers = [one for one in radios if sees(one)]
    spotters = (one for one in friends if status.card(moment, one, "binoculars"))
    here = moment.figure(man.id)
    ranges = [distance_in(moment, moment.measure(here, moment.figure(one.id))) for one in leaders]
    facts = {
        "radio": bool(watchers),
        "spotter_binoculars": any(sees(one) for one in spotters),
        "leader_distance_in": min(ranges, default=None),
        "target_zone": None,
    }
    facts |= _zone(moment, man, there)
    passed_on = leaders and (radios or status.card(moment, man, "radio")) and not _led(moment, man, facts)
    return facts if passed_on else facts | {"leader_by_radio": False}


def _led(moment: Position, man: Unit, facts: dict[str, Any]) -> bool:
    """Whether a leader's bonus reaches him without a radio."""
    shot = {"weapon": next(iter(status.weapons(moment, man))), "distance_in": 0.0}
    shot |= {"leader": bool(status.card(moment, man, "leader")), "leader_distance_in": facts["leader_distance_in"]}
    answer = verdict_without_dice(moment.game, "leader_bonus", shot)
    return answer is not None and bool(answer.numbers["modifier"])


def _zone(moment: Position, man: Unit, there: Figure) -> dict[str, Any]:
    """Where the target stands, seen from the pillbox that he fires from; left to the players where nobody sees it."""
    around = status.carrier(moment, man)
    if not status.in_pillbox(moment, man):
        return {}
    zone = zone_of(moment, around, there) if around is not None else None
    return {"target_zone": zone} if zone else {"target_zone": man.statuses.get("target_zone")}


def zone_of(moment: Position, pillbox: Unit, there: Figure) -> str | None:
    """Where somebody stands, seen from a pillbox; None where nobody knows which way it faces."""
    if pillbox.id not in moment.figures:
        return None
    box = moment.figure(pillbox.id)
    if box.facing_deg is None or box.centre_in == there.centre_in:
        return None
    off_deg = turn_deg(box.facing_deg, bearing_deg(box.centre_in, there.centre_in))
    asked = {"off_front_deg": off_deg, "edge_in": moment.measure(box, there).edge_in}
    answer = verdict_without_dice(moment.game, "pillbox_zone", asked)
    return str(answer.numbers["zone"]) if answer is not None else None


def _location(moment: Position, man: Unit, weapon: str, enemy: Unit) -> dict[str, Any]:
    """Whether a gun has to range in: a pillbox stays where it is, of the rest the players say so."""
    gun = moment.game.rules.tables.weapons[weapon].gun
    before = {"earlier_attacks_on_location": list(man.statuses.get(status.RANGED_IN, ())).count(enemy.id)}
    if not gun:
        return before | {"fixed_location": False}
    return before | {"fixed_location": True} if status.kind(moment, enemy).hard == "pillbox" else before


def aim_of(moment: Position, man: Unit, enemy: Unit, view: View) -> dict[str, Any]:
    """A target as he has it before him."""
    facts = {
        **target_facts(moment, enemy),
        "distance_in": distance_in(moment, view.range),
        "edge_in": round(view.range.edge_in, 2),
        "rise_in": rise_in(man, enemy, view),
        "los": view.exposure >= SLIVER,
        "cover_to_target_in": cover_in(moment, enemy, view),
    }
    here, there = moment.figure(man.id), moment.figure(enemy.id)
    if there.facing_deg is not None and here.centre_in != there.centre_in:
        facts["off_facing_deg"] = round(turn_deg(there.facing_deg, bearing_deg(there.centre_in, here.centre_in)), 1)
    return facts


def rise_in(man: Unit, enemy: Unit, view: View) -> float:
    """How much higher the target stands, or hangs on its cliff."""
    climbed = [float(one.statuses.get(status.CLIMBED, 0.0)) for one in (man, enemy)]
    return round(view.range.rise_in + climbed[1] - climbed[0], 2)


def cover_in(moment: Position, enemy: Unit, view: View) -> float | None:
    """How near to a target the line of sight to him crosses cover; None where it does not."""
    found = cover_to_target_in(moment.game.rules, moment.figure(enemy.id), view, moment.terrain)
    return None if found is None else round(found, 2)


def distance_in(moment: Position, measured: Range) -> float:
    """Of a measured range, the distance that the rules speak of."""
    edges = moment.game.rules.chooses("measured_from", "base_edges")
    return round(measured.edge_in if edges else measured.centre_in, 2)


def target_facts(moment: Position, enemy: Unit) -> dict[str, Any]:
    """What a target is, whoever fires at it."""
    around = status.carrier(moment, enemy)
    told = {**enemy.statuses, **enemy.this_turn}
    flames = [name for name, row in status.weapons(moment, enemy).items() if row.cone_in]
    return {
        "target": status.kind_name(moment, enemy),
        "behind_cover": bool(told.get("behind_cover")),
        "entrenched": bool(told.get(status.ENTRENCHED)),
        "inside_half_track": around is not None and status.kind(moment, around).target == "half_track",
        "inside_pillbox": status.in_pillbox(moment, enemy),
        "garrison": around is not None and status.in_pillbox(moment, enemy),
        "sealed": around is not None and status.kind(moment, around).sealed,
        "flying": status.flies(moment, enemy),
        "from_lower": False,
        "heavy": bool(status.card(moment, enemy, "heavy")),
        "target_weapon": flames[0] if flames else None,
        "target_hero": bool(status.card(moment, enemy, "hero")),
        "target_eliminations": int(told.get(status.ELIMINATIONS, 0)),
    }


def errors(
    moment: Position, man: Unit, enemy: Unit, view: View, way: tuple[str | int, ...] = (), *, granted: bool = False
) -> list[Measured]:
    """What of a target was measured, and how well; `granted` that it is seen."""
    here, there = moment.figure(man.id), moment.figure(enemy.id)
    pair = f"{display_name(man.id)} to {display_name(enemy.id)}"
    sigma_in = view.range.sigma_in
    sees = f"whether {display_name(man.id)} sees {display_name(enemy.id)}"
    found = [
        *(() if granted else in_sight(view, sees, (*way, "los"))),
        Measured((*way, "distance_in"), sigma_in, f"the range from {pair}"),
        Measured((*way, "edge_in"), sigma_in, f"the gap from {pair}"),
    ]
    if cover_in(moment, enemy, view):
        found.append(Measured((*way, "cover_to_target_in"), there.sigma_in, f"the cover of {display_name(enemy.id)}"))
    if there.facing_deg is not None and here.centre_in != there.centre_in:
        sigma_deg = aspect_sigma_deg(there, here.centre_in, 0.0, here.sigma_in)
        what = f"the side of {display_name(enemy.id)} that {display_name(man.id)} sees"
        found.append(Measured((*way, "off_facing_deg"), sigma_deg, what, -180.0, 180.0))
    return [one for one in found if one.sigma > 0]
