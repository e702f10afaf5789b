"""Simple Plastic Figure: movement, entering places, and hand-to-hand combat."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.facts import Context, Source, bind, status
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches, Record
from rules.engine.verdict import ACTORS, Reason, Verdict, total, verdict
from rules.games.simple_plastic_figure.cover import hurdles
from rules.games.simple_plastic_figure.rows import display_name, illegal, legal
from rules.games.simple_plastic_figure.statuses import FIGHTS, STATUS_DIE, eliminated, for_now
from rules.games.simple_plastic_figure.tables import CrossingName, Enemies, Face, PlaceName, PoseName, Rules
from rules.games.simple_plastic_figure.turn import Action, Helped, led, permits
from rules.tabletop.movement import IMPASSABLE, MovementProfile, TerrainCost, hurdle
from rules.tabletop.table import TerrainPiece
from rules.tabletop.tolerance import EXACT, within


class Move(Helped):
    """A measured move and the pieces that it crosses; the pose does not matter.

    Attributes:
        last_crossed_in: After how many inches the last of the events lies behind it.
        enemy_base_touched_after_in: Where it touches an enemy that it then leaves behind.
        enemy_gaps_in: How far enemies are from where it ends, base edge to base edge.
        ends_in, enemies_inside: The place that it enters, and the enemies there.
    """

    distance_in: Inches
    events: tuple[CrossingName, ...] = ()
    last_crossed_in: Inches | None = None
    pose: PoseName = "standing"
    touching_at_start_of_move: Annotated[bool, Asked("Did it touch the bunker before it set out?")] = False
    inside_building: Annotated[bool, Asked("Does any of the move lie inside a building?")] = False
    status_die: Annotated[Face, status(STATUS_DIE, 1)] = 1
    enemy_base_touched_after_in: Inches | None = None
    enemy_gaps_in: Mapping[str, Inches] = field(default_factory=dict)
    ends_in: PlaceName = "open"
    enemies_inside: tuple[str, ...] = ()


def move(rules: Rules, path: Move) -> Verdict:
    """Whether a move is within the allowance, and how far it may be."""
    rows = [(name, rules.tables.crossings[name]) for name in path.events]
    helped = replace(path, led=path.led or any(row.led for _, row in rows))
    base = [rules.because("WW-12", modifier=limit(rules, "allowance_in")), *led(rules, helped, "led_move_in")]
    tolls = [rules.because(row.rule, display_name(name), -row.penalty_in) for name, row in rows if not row.led]
    if rules.chooses("penalties", "largest"):
        tolls = sorted(tolls, key=lambda toll: toll.modifier or 0)[:1]
    allowance_in, left_in = total(base), total([*base, *tolls])
    reasons: Sequence[Reason] = (*base, *tolls)
    max_in = max(left_in, 0, _crossed_unpaid_in(rules, path, total([*base, *tolls[:-1]])))
    cost_in = round(path.distance_in + allowance_in - left_in, 6)
    numbers = {"max_in": max_in, "allowance_in": allowance_in, "cost_in": cost_in}
    if path.inside_building and rules.chooses("inside_move", "whole_move"):
        numbers["cost_in"] = max(cost_in, allowance_in)
    numbers["left_in"] = max(round(allowance_in - numbers["cost_in"], 6), 0)
    if not permits(rules, Action.MOVE, path.status_die):
        return illegal("status", rules.because("WW-09", "its status check forbids moving"), **numbers)
    barred = [rules.because(row.rule, f"cannot {display_name(name)}") for name, row in rows if row.impassable]
    if barred:
        return illegal("impassable", *barred, **numbers)
    if not path.touching_at_start_of_move and (apart := [row for _, row in rows if row.touch_first]):
        return illegal("touch_it_first", *(rules.because(row.rule) for row in apart), **numbers)
    if left_in < -EXACT and rules.chooses("unpaid_crossing", "blocked"):
        return illegal("crossing_too_dear", *reasons, **numbers)
    if not within(path.distance_in, max_in):
        return illegal("too_far", *reasons, **numbers)
    met = move_contact(rules, wanted_in=path.distance_in, enemy_base_touched_after_in=path.enemy_base_touched_after_in)
    if not within(path.distance_in, met.numbers["stops_at_in"]):
        return illegal("stops_at_an_enemy", *met.reasons, **numbers)
    fights = enemies_met(rules, path.ends_in, path.enemies_inside, path.enemy_gaps_in)
    why = [rules.because("WW-22", f"in touch with {name}") for name in fights]
    outcome = "moves into hand-to-hand" if fights else "may move"
    return legal(outcome, *reasons, *why, **numbers, must_fight=bool(fights), fights=fights)


def _crossed_unpaid_in(rules: Rules, path: Move, paid_in: float) -> float:
    """How far a figure may go to get over its last obstacle with less than that costs; it goes no farther.

    `paid_in` is the allowance without what the other obstacles cost.
    """
    end_in = path.last_crossed_in or 0.0
    return end_in if rules.chooses("unpaid_crossing", "allowed") and within(end_in, paid_in) else 0.0


def enemies_met(
    rules: Rules, ends_in: str, enemies_inside: Iterable[str], enemy_gaps_in: Mapping[str, float]
) -> list[str]:
    """The enemies that a `Move` leads to a fight with: those in the house that it enters, else those it touches."""
    inside = list(enemies_inside) if rules.tables.places[ends_in].enemies is Enemies.FIGHT else []
    return inside or [name for name, gap_in in enemy_gaps_in.items() if within(gap_in, 0)]


def enter(
    rules: Rules,
    place: PlaceName,
    touching_at_start_of_move: bool = False,
    enemy_inside: Annotated[bool, Asked("Is an enemy inside?")] = False,
) -> Verdict:
    """Whether a figure may come in, and whether it must fight."""
    row = rules.tables.places[place]
    rule = row.enter_rule or row.rule
    if not row.may_enter:
        return illegal("go_around", rules.because(rule), must_fight=False)
    if enemy_inside and row.enemies is Enemies.REFUSE:
        return illegal("enemy_inside", rules.because("WW-20"), must_fight=False)
    if row.touch_first and not touching_at_start_of_move:
        return illegal("touch_it_first", rules.because(rule), must_fight=False)
    if enemy_inside and row.enemies is Enemies.FIGHT:
        return legal("enters and fights", rules.because("WW-17"), rules.because("WW-22"), must_fight=True)
    return legal("enters", rules.because(rule), must_fight=False)


def move_contact(rules: Rules, wanted_in: Inches, enemy_base_touched_after_in: Inches | None = None) -> Verdict:
    """The end of a move that touches an enemy, and whether a fight follows."""
    touched_in = enemy_base_touched_after_in
    if touched_in is None or not within(touched_in, wanted_in):
        return verdict("no contact", rules.because("WW-22"), stops_at_in=wanted_in, must_fight=False)
    if rules.chooses("contact", "where_it_ends") and not within(wanted_in, touched_in):
        reason = rules.because("WW-A10", "only where a move ends does touching count")
        return verdict("no contact", reason, stops_at_in=wanted_in, must_fight=False)
    return verdict("contact", rules.because("WW-22"), stops_at_in=touched_in, must_fight=True)


# Hand-to-hand combat.


def has_bayonet(context: Context) -> bool:
    """Whether the acting figure has a bayonet."""
    return bool(context.position.kind(context.actor).get("bayonet"))


class Fighter(Record):
    """An enemy in a hand-to-hand fight."""

    id: Annotated[str, Source(lambda context: context.actor.id)]
    bayonet: Annotated[bool, Source(has_bayonet)] = False


_FIGHTERS = Source(lambda context: [bind(Fighter, Context(context.position, (enemy,))) for enemy in context.targets])


def hand_to_hand(
    rules: Rules,
    enemies: Annotated[tuple[Fighter, ...], _FIGHTERS],
    attacker_bayonet: Annotated[bool, Source(has_bayonet)] = False,
    where: Annotated[PlaceName, Source(lambda context: context.actor.this_turn["fights"]["in"])] = "open",
    status_die: Annotated[Face, status(STATUS_DIE, 1)] = 1,
    dice_order: str = "",
) -> Procedure[Verdict]:
    """Fights one after another as long as the attacker wins; in a building one a turn."""
    if not permits(rules, Action.MOVE_INTO_HAND_TO_HAND, status_die):
        return illegal("status", rules.because("WW-21"))
    place = rules.tables.places[where]
    if place.enemies is Enemies.REFUSE or not place.may_enter:
        return illegal("no_fight_here", rules.because("WW-20" if place.may_enter else "WW-15"))
    if not enemies:
        return illegal("nobody_to_fight", rules.because("WW-21"))
    one = place.enemies is Enemies.FIGHT and rules.chooses("further_enemies", "next_action")
    won: list[str] = []
    reasons = [rules.because("WW-21"), rules.because("WW-23")]
    alive, fights = True, 0
    for enemy in enemies[:1] if one else enemies:
        alive, why = yield from _fight(rules, attacker_bayonet, enemy)
        reasons += why
        fights += 1
        if not alive:
            break
        won.append(enemy.id)
    left = [enemy.id for enemy in enemies if enemy.id not in won]
    outcome = "attacker wins" if alive else "attacker eliminated"
    found = legal(outcome, *reasons, attacker_alive=alive, enemies_eliminated=won, enemies_left=left, fights=fights)
    dead = eliminated([*won, *([] if alive else [ACTORS])], "WW-24")
    return found.causing(for_now(ACTORS, FIGHTS, None, "WW-23"), *dead)


def _fight(rules: Rules, bayonet: bool, enemy: Fighter) -> Procedure[tuple[bool, list[Reason]]]:
    why = f"hand-to-hand with {enemy.id}"
    asked = [DiceRequest(Die.D6, 1, "the attacker", why), DiceRequest(Die.D6, 1, enemy.id, why)]
    bonus = int(limit(rules, "bayonet"))
    armed = ["the attacker"] * bayonet + [enemy.id] * enemy.bayonet
    reasons = [rules.because("WW-24", f"{name} has a bayonet", bonus) for name in armed]
    while True:
        own = (yield asked[0]).total + bonus * bayonet
        other = (yield asked[1]).total + bonus * enemy.bayonet
        if own != other:
            winner = "the attacker" if own > other else enemy.id
            return own > other, [*reasons, rules.because("WW-24", f"{own} against {other}: {winner} wins")]
        reasons.append(rules.because("WW-24", f"{own} each: rolled again"))
        asked = [request.once_more() for request in asked]


# On the measured table.


def movement_profile(rules: Rules, *, touches_bunker: bool = False) -> MovementProfile:
    """How a figure walks the measured table, for `rules.tabletop.movement.walk`.

    It may go into a bunker only if it `touches_bunker` when its move begins.
    """
    tables = rules.tables
    higher = tables.crossings["cross_higher_than_waist"]
    classes = [(height_in, tables.crossings[name].penalty_in) for height_in, name in hurdles(rules)]
    classes += [] if higher.impassable else [(float("inf"), higher.penalty_in)]

    def cost_of(piece: TerrainPiece) -> TerrainCost:
        row = tables.ground.get(piece.kind)
        if row is None:
            return TerrainCost()
        if row.hurdle:
            return hurdle(piece.height_in, classes)
        if not row.passable or (row.touch_first and not touches_bunker):
            return IMPASSABLE
        leave_in = tables.crossings[row.leave].penalty_in if row.leave else 0.0
        return TerrainCost(leave_in=leave_in, on_top=row.on_top)

    return MovementProfile(cost_of)
