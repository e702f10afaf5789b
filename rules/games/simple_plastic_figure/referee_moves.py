"""Simple Plastic Figure: the questions that stand for a figure's move on a measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rules.engine.position import Position
from rules.engine.referee import NO_FACINGS, Action, UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.simple_plastic_figure.board import crossings, holder, place_kind
from rules.games.simple_plastic_figure.movement import movement_profile
from rules.games.simple_plastic_figure.referee_facts import bar, helped, inside, leader_errors, place_of, rules_of
from rules.games.simple_plastic_figure.referee_facts import place as place_held
from rules.games.simple_plastic_figure.statuses import status_die
from rules.games.simple_plastic_figure.tables import Enemies
from rules.tabletop.measure import range_between, range_to
from rules.tabletop.movement import Walk, walk
from rules.tabletop.path import Path, contacts, length_in, placed
from rules.tabletop.table import Figure, TerrainPiece
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison


def movement(position: Position, figure: str) -> Action:
    """How far a figure may go this turn."""
    unit = position.unit(figure)
    given = {**_mover(position, unit), "distance_in": 0, "inside_building": False, "touching_at_start_of_move": False}
    measured = leader_errors(position, unit)
    return Action("Move", "move", given, (figure,), measured=measured, blocked_by=bar(position, unit, "move"))


def _mover(position: Position, unit: Unit) -> dict[str, Any]:
    return {"status_die": status_die(unit), **helped(position, unit)}


def march(position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Action:
    """One figure along its path; several at once are told to go one by one."""
    if len(paths) != 1:
        why = rules_of(position).because("WW-11", "one figure at a time is touched and moved")
        return Action(
            "Move",
            "move",
            {},
            tuple(paths),
            paths=paths,
            facing_deg=facing_deg,
            blocked_by=forbidden("one_by_one", why),
        )
    [(name, path)] = paths.items()
    unit, here = position.unit(name), position.figure(name)
    walked = walk(path, position.terrain, movement_profile(rules_of(position), touches_bunker=True), 0.0)
    given, gaps = _meetings(position, unit, path)
    given |= {
        **_mover(position, unit),
        "distance_in": round(length_in(path), 2),
        "events": list(crossings(rules_of(position), walked)),
        "inside_building": _indoors(position, walked),
        **_touching(position, here, _entered(position, walked)),
    }
    how = UncertainFact(
        ("distance_in",), math.hypot(here.sigma_in, here.sigma_in), f"how far {display_name(name)} went"
    )
    barred = bar(position, unit, "move") or _shut(position, unit, walked)
    measured = (*([how] if how.sigma > 0 else []), *gaps, *leader_errors(position, unit))
    return Action(
        "Move", "move", given, (name,), measured=measured, paths=paths, facing_deg=facing_deg, blocked_by=barred
    )


def _entered(position: Position, walked: Walk) -> list[TerrainPiece]:
    """The pieces that a walk comes into."""
    return [piece for piece in position.terrain if piece.name in walked.entered]


def _indoors(position: Position, walked: Walk) -> bool:
    """Whether some of a walk lies in a house."""
    rules = rules_of(position)
    within = [piece for stretch in walked.stretches for piece in stretch.inside]
    return any(_fought_in(position, place_kind(rules, piece.kind)) for piece in within)


def _fought_in(position: Position, place: str | None) -> bool:
    return place is not None and rules_of(position).tables.places[place].enemies is Enemies.FIGHT


def _touching(position: Position, here: Figure, entered: Sequence[TerrainPiece]) -> dict[str, bool]:
    """Whether he touched the bunker that he goes into before he set out, where that can be told."""
    ground = rules_of(position).tables.ground
    first = [piece for piece in entered if piece.kind in ground and ground[piece.kind].touch_first]
    calls = [range_to(here, piece.outline_in).contact() for piece in first]
    if Comparison.TOO_CLOSE in calls and Comparison.OUT not in calls:
        return {}
    return {"touching_at_start_of_move": bool(calls) and Comparison.OUT not in calls}


def _shut(position: Position, unit: Unit, walked: Walk) -> Verdict | None:
    """Why he may not come into a place that his path leads into because of who is there."""
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


def _meetings(position: Position, unit: Unit, path: Path) -> tuple[dict[str, Any], tuple[UncertainFact, ...]]:
    """Whom he passes in touch, whom he is in touch with at last, and who is in the house that he comes into."""
    rules, here = rules_of(position), position.figure(unit.id)
    after = placed(here, path[-1])
    piece = holder(rules, after, position.terrain)
    gaps = {one.id: range_between(after, position.figure(one.id)) for one in within_reach(position, unit)}
    near = {name: gap for name, gap in gaps.items() if gap.edge_in <= DOUBT_SIGMAS * gap.sigma_in}
    passed = [met for met in contacts(here, path, map(position.figure, gaps)) if met.id not in near]
    facts: dict[str, Any] = {
        "enemy_gaps_in": {name: round(gap.edge_in, 2) for name, gap in near.items()},
        "ends_in": place_of(position, piece),
        "enemies_inside": [one.id for one in inside(position, piece, position.enemies(unit))] if piece else [],
    }
    if passed:
        facts["enemy_base_touched_after_in"] = round(passed[0].along_in, 2)
    return facts, tuple(
        UncertainFact(
            ("enemy_gaps_in", name), gap.sigma_in, f"whether {display_name(unit.id)} touches {display_name(name)}"
        )
        for name, gap in near.items()
        if gap.edge_in > 0
    )


def within_reach(position: Position, unit: Unit) -> list[Unit]:
    """The enemies whose bases he may touch: nobody fights hand-to-hand with those in a bunker."""
    places = rules_of(position).tables.places
    return [one for one in position.enemies(unit) if places[place_held(position, one.id)].enemies is not Enemies.REFUSE]
