"""Simple Plastic Figure: the questions that stand for a figure's move on a measured table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rules.engine.position import Position
from rules.engine.referee import NO_FACINGS, Deed, Measured, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name
from rules.engine.verdict import Verdict, forbidden
from rules.games.simple_plastic_figure.board import crossings, holder, place_kind
from rules.games.simple_plastic_figure.movement import gait
from rules.games.simple_plastic_figure.referee_facts import (
    bar,
    helped,
    inside,
    leader_errors,
    place_of,
    rules_of,
    status_die,
)
from rules.games.simple_plastic_figure.referee_facts import place as place_held
from rules.games.simple_plastic_figure.tables import Enemies
from rules.tabletop.measure import range_between, range_to
from rules.tabletop.movement import Walk, walk
from rules.tabletop.path import Path, contacts, length_in, placed
from rules.tabletop.table import Figure, TerrainPiece
from rules.tabletop.tolerance import DOUBT_SIGMAS, Call


def movement(moment: Position, figure: str) -> Deed:
    """How far a figure may go this turn."""
    unit = moment.unit(figure)
    given = {**_mover(moment, unit), "distance_in": 0, "inside_building": False, "touching_at_start_of_move": False}
    measured = leader_errors(moment, unit)
    return Deed("Move", "move", given, (figure,), measured=measured, bar=bar(moment, unit, "move"))


def _mover(moment: Position, unit: Unit) -> dict[str, Any]:
    return {"status_die": status_die(unit), **helped(moment, unit)}


def march(moment: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Deed:
    """One figure along its path; several at once are told to go one by one."""
    if len(paths) != 1:
        why = rules_of(moment).because("WW-11", "one figure at a time is touched and moved")
        return Deed(
            "Move", "move", {}, tuple(paths), paths=paths, facing_deg=facing_deg, bar=forbidden("one_by_one", why)
        )
    [(name, path)] = paths.items()
    unit, here = moment.unit(name), moment.figure(name)
    walked = walk(path, moment.terrain, gait(rules_of(moment), touches_bunker=True), 0.0)
    given, gaps = _meetings(moment, unit, path)
    given |= {
        **_mover(moment, unit),
        "distance_in": round(length_in(path), 2),
        "events": list(crossings(rules_of(moment), walked)),
        "inside_building": _indoors(moment, walked),
        **_touching(moment, here, _entered(moment, walked)),
    }
    how = Measured(("distance_in",), math.hypot(here.sigma_in, here.sigma_in), f"how far {display_name(name)} went")
    barred = bar(moment, unit, "move") or _shut(moment, unit, walked)
    measured = (*([how] if how.sigma > 0 else []), *gaps, *leader_errors(moment, unit))
    return Deed("Move", "move", given, (name,), measured=measured, paths=paths, facing_deg=facing_deg, bar=barred)


def _entered(moment: Position, walked: Walk) -> list[TerrainPiece]:
    """The pieces that a walk comes into."""
    return [piece for piece in moment.terrain if piece.name in walked.entered]


def _indoors(moment: Position, walked: Walk) -> bool:
    """Whether some of a walk lies in a house."""
    rules = rules_of(moment)
    within = [piece for stretch in walked.stretches for piece in stretch.inside]
    return any(_fought_in(moment, place_kind(rules, piece.kind)) for piece in within)


def _fought_in(moment: Position, place: str | None) -> bool:
    return place is not None and rules_of(moment).tables.places[place].enemies is Enemies.FIGHT


def _touching(moment: Position, here: Figure, entered: Sequence[TerrainPiece]) -> dict[str, bool]:
    """Whether he touched the bunker that he goes into before he set out, where that can be told."""
    ground = rules_of(moment).tables.ground
    first = [piece for piece in entered if piece.kind in ground and ground[piece.kind].touch_first]
    calls = [range_to(here, piece.outline_in).contact() for piece in first]
    if Call.TOO_CLOSE in calls and Call.OUT not in calls:
        return {}
    return {"touching_at_start_of_move": bool(calls) and Call.OUT not in calls}


def _shut(moment: Position, unit: Unit, walked: Walk) -> Verdict | None:
    """Why he may not come into a place that his path leads into because of who is there."""
    for piece in _entered(moment, walked):
        where = place_kind(rules_of(moment), piece.kind)
        if where is None:
            continue
        there = bool(inside(moment, piece, moment.enemies(unit)))
        asked = {"place": place_of(moment, piece), "touching_at_start_of_move": True, "enemy_inside": there}
        found = verdict_without_dice(moment.game, "enter", asked)
        if found is not None and not found.allowed:
            return found
    return None


def _meetings(moment: Position, unit: Unit, path: Path) -> tuple[dict[str, Any], tuple[Measured, ...]]:
    """Whom he passes in touch, whom he is in touch with at last, and who is in the house that he comes into."""
    rules, here = rules_of(moment), moment.figure(unit.id)
    after = placed(here, path[-1])
    piece = holder(rules, after, moment.terrain)
    gaps = {one.id: range_between(after, moment.figure(one.id)) for one in within_reach(moment, unit)}
    near = {name: gap for name, gap in gaps.items() if gap.edge_in <= DOUBT_SIGMAS * gap.sigma_in}
    passed = [met for met in contacts(here, path, map(moment.figure, gaps)) if met.id not in near]
    facts: dict[str, Any] = {
        "enemy_gaps_in": {name: round(gap.edge_in, 2) for name, gap in near.items()},
        "ends_in": place_of(moment, piece),
        "enemies_inside": [one.id for one in inside(moment, piece, moment.enemies(unit))] if piece else [],
    }
    if passed:
        facts["enemy_base_touched_after_in"] = round(passed[0].along_in, 2)
    return facts, tuple(
        Measured(("enemy_gaps_in", name), gap.sigma_in, f"whether {display_name(unit.id)} touches {display_name(name)}")
        for name, gap in near.items()
        if gap.edge_in > 0
    )


def within_reach(moment: Position, unit: Unit) -> list[Unit]:
    """The enemies whose bases he may touch: nobody fights hand-to-hand with those in a bunker."""
    places = rules_of(moment).tables.places
    return [one for one in moment.enemies(unit) if places[place_held(moment, one.id)].enemies is not Enemies.REFUSE]
