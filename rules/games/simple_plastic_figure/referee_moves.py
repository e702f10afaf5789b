"""Simple Plastic Figure: the questions that stand for a figure's move on a measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rules.engine.facts import UNKNOWN, Context, Uncertain, action_for
from rules.engine.position import Position
from rules.engine.referee import NO_FACINGS, Action, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.simple_plastic_figure.cover import crossings, holder, place_kind
from rules.games.simple_plastic_figure.figures import bar, inside, place, place_of, rules_of
from rules.games.simple_plastic_figure.movement import movement_profile
from rules.games.simple_plastic_figure.tables import Enemies
from rules.tabletop.measure import Range, range_between, range_to
from rules.tabletop.movement import Walk, walk
from rules.tabletop.path import Path, contacts, length_in, placed
from rules.tabletop.table import Figure, TerrainPiece
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison, all_of


def movement(position: Position, figure: str) -> Action:
    """How far a figure may go this turn."""
    unit = position.unit(figure)
    facts = {"distance_in": 0, "inside_building": False, "touching_at_start_of_move": False}
    return action_for("Move", "move", Context(position, (unit,)), facts, blocked_by=bar(position, unit, "move"))


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """One figure along its path; the players must move several one by one."""
    if len(paths) != 1:
        why = rules_of(position).because("WW-11", "one figure at a time is touched and moved")
        bar_all = forbidden("one_by_one", why)
        return Action("Move", "move", {}, tuple(paths), paths=paths, facing_deg=facing_deg, blocked_by=bar_all)
    [(name, path)] = paths.items()
    unit, here = position.unit(name), position.figure(name)
    walked = walk(path, position.terrain, movement_profile(rules_of(position), touches_bunker=True), 0.0)
    sigma_in = math.hypot(here.sigma_in, here.sigma_in)
    facts = {
        "distance_in": Uncertain(round(length_in(path), 2), sigma_in, f"how far {display_name(name)} went"),
        **crossings(rules_of(position), walked),
        "inside_building": _indoors(position, walked),
        "touching_at_start_of_move": _touching(position, here, _entered(position, walked)),
        **_meetings(position, unit, path),
    }
    barred = bar(position, unit, "move") or _shut(position, unit, walked)
    context = Context(position, (unit,), paths=paths)
    return action_for("Move", "move", context, facts, facing_deg=facing_deg, blocked_by=barred)


def _entered(position: Position, walked: Walk) -> list[TerrainPiece]:
    """The pieces that a walk comes into."""
    return [piece for piece in position.terrain if piece.name in walked.entered]


def _indoors(position: Position, walked: Walk) -> bool:
    """Whether some of a walk lies in a house."""
    rules, pieces = rules_of(position), [piece for stretch in walked.stretches for piece in stretch.inside]
    places = [place_kind(rules, piece.kind) for piece in pieces]
    return any(place is not None and rules.tables.places[place].enemies is Enemies.FIGHT for place in places)


def _touching(position: Position, here: Figure, entered: Sequence[TerrainPiece]) -> Any:
    """Whether the figure touched the bunker that it enters before it set out, where that can be measured."""
    ground = rules_of(position).tables.ground
    first = [piece for piece in entered if piece.kind in ground and ground[piece.kind].touch_first]
    contact = all_of(range_to(here, piece.outline_in).contact() for piece in first)
    return UNKNOWN if contact is Comparison.TOO_CLOSE else bool(first) and contact is Comparison.IN


def _shut(position: Position, unit: Unit, walked: Walk) -> Verdict | None:
    """Why a figure may not enter a place on its path because of the enemies there; None if it may."""
    for piece in _entered(position, walked):
        where = place_kind(rules_of(position), piece.kind)
        if where is None:
            continue
        there = bool(inside(position, piece, position.enemies(unit)))
        asked = {"place": place_of(position, piece), "touching_at_start_of_move": True, "enemy_inside": there}
        found = verdict_without_dice(position.game, "enter", asked)
        if found is not None and not found.allowed:
            return found
    return None


def _meetings(position: Position, unit: Unit, path: Path) -> dict[str, Any]:
    """The enemies that the figure passes in touch or touches at last, and those in the house that it enters."""
    here = position.figure(unit.id)
    after = placed(here, path[-1])
    piece = holder(rules_of(position), after, position.terrain)
    gaps = {one.id: range_between(after, position.figure(one.id)) for one in _within_reach(position, unit)}
    near = {name: gap for name, gap in gaps.items() if gap.edge_in <= DOUBT_SIGMAS * gap.sigma_in}
    passed = [met.along_in for met in contacts(here, path, map(position.figure, gaps)) if met.id not in near]
    return {
        "enemy_gaps_in": {name: _touch(unit.id, name, gap) for name, gap in near.items()},
        "ends_in": place_of(position, piece),
        "enemies_inside": [one.id for one in inside(position, piece, position.enemies(unit))] if piece else [],
        "enemy_base_touched_after_in": round(passed[0], 2) if passed else UNKNOWN,
    }


def _touch(figure: str, enemy: str, gap: Range) -> Uncertain:
    """How far two figures are apart; measured as touching, they touch whatever the error."""
    what = f"whether {display_name(figure)} touches {display_name(enemy)}"
    return Uncertain(round(gap.edge_in, 2), gap.sigma_in if gap.edge_in > 0 else 0.0, what)


def _within_reach(position: Position, unit: Unit) -> list[Unit]:
    """The enemies whose bases the figure may touch: there is no hand-to-hand combat with those in a bunker."""
    places, enemies = rules_of(position).tables.places, position.enemies(unit)
    return [one for one in enemies if places[place(position, one.id)].enemies is not Enemies.REFUSE]
