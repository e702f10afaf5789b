"""Simple Plastic Figure: what a figure aims at, how much of it shows, and what a burst catches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from rules.engine.facts import UNKNOWN, Bound, Context, Source, Uncertain
from rules.engine.position import Position, View
from rules.engine.referee import UncertainFact, verdict_without_dice
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict
from rules.games.simple_plastic_figure.board import holder_at, near, terrain_names
from rules.games.simple_plastic_figure.cover import Piece, exposure
from rules.games.simple_plastic_figure.figures import gap, held_in, leading, place_of, pose, rules_of, weapons
from rules.games.simple_plastic_figure.statuses import DIRECTED_BY
from rules.games.simple_plastic_figure.tables import AimAt, Enemies, Weapon
from rules.tabletop.measure import Range, range_to
from rules.tabletop.sight import SLIVER, exposures
from rules.tabletop.table import Figure, PointIn, Posture, TerrainPiece, ellipse_outline
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison

Names = frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim(Context):
    """A weapon of a figure, and what it is aimed at: the targets, or a place.

    Attributes:
        enemy: The target, of several the one that shows most; None for a bare place.
        at_in, sigma_in: The place, and one standard deviation of it along one axis.
        away: How far it is.
        view: How the figure sees the enemy, or the bare place.
        exposed: The part of the enemy or place that it can fire at, and the part of itself that shows there.
        blocked_by: Why it may not fire now; None where it may.
    """

    weapon: str
    enemy: Unit | None
    at_in: PointIn
    sigma_in: float = 0.0
    away: Range
    view: View
    exposed: tuple[float, float]
    blocked_by: Verdict | None

    @property
    def row(self) -> Weapon:
        """The weapon in the tables."""
        return weapons(self.position, self.actor)[self.weapon]

    @property
    def shelter(self) -> TerrainPiece | None:
        """The house, bunker or trench that the place is in."""
        return holder_at(rules_of(self.position), self.at_in, self.position.terrain)

    @property
    def there(self) -> str:
        """The targets or the place, for the player."""
        return " and ".join(display_name(one.id) for one in self.targets) or f"the spot {place_words(self.at_in)}"


def aim_at(position: Position, man: Unit, weapon: str, enemy: Unit, blocked_by: Verdict | None) -> Aim:
    """A small arm aimed at an enemy."""
    at_in, view = position.figure(enemy.id).centre_in, position.view(man.id, enemy.id)
    more: dict[str, Any] = {"away": view.range, "view": view, "exposed": _exposed(position, man, enemy)}
    return Aim(position, (man,), (enemy,), weapon=weapon, enemy=enemy, at_in=at_in, blocked_by=blocked_by, **more)


def aim_between(
    position: Position, man: Unit, weapon: str, enemies: tuple[Unit, ...], at_in: PointIn, blocked_by: Verdict | None
) -> Aim:
    """An explosive aimed at the middle of enemies, or at a bare place if there are none."""
    figures = [position.figure(one.id) for one in enemies]
    sigma_in = sum(one.sigma_in**2 for one in figures) ** 0.5 / max(1, len(figures))
    z_in = min((one.z_in for one in figures), default=None)
    away = range_to(position.figure(man.id), (at_in,), position.spot(at_in).z_in if z_in is None else z_in, sigma_in)
    if enemies:
        enemy = max(enemies, key=lambda one: shows(position, man.id, one.id))
        view, exposed = position.view(man.id, enemy.id), _exposed(position, man, enemy)
    else:
        enemy, view = None, position.view_of_spot(man.id, at_in)
        exposed = _exposed_spot(position, man, at_in)
    more: dict[str, Any] = {"sigma_in": sigma_in, "away": away, "view": view, "exposed": exposed}
    return Aim(position, (man,), enemies, weapon=weapon, enemy=enemy, at_in=at_in, blocked_by=blocked_by, **more)


def _says(man: Unit, fact: str, at: str) -> bool:
    """What the players said of this shot: no camera tells whether a figure in a shelter is at an opening."""
    said = {**man.statuses, **man.this_turn}
    return bool(said.get(f"{fact} at {at}", said.get(fact, False)))


def _past(position: Position, man: Unit, enemy: Unit) -> Names:
    """The pieces at whose edges two figures are, so that they fire past them."""
    ends = ((man, "shooter_at_opening"), (enemy, "target_at_opening"))
    first, second = (edges(position, one, at_opening=_says(man, fact, enemy.id)) for one, fact in ends)
    return first | second


def _exposed(position: Position, man: Unit, enemy: Unit) -> tuple[float, float]:
    past = _past(position, man, enemy)
    return shows(position, man.id, enemy.id, past), shows(position, enemy.id, man.id, past)


def _exposed_spot(position: Position, man: Unit, spot_in: PointIn) -> tuple[float, float]:
    shelter, there = holder_at(rules_of(position), spot_in, position.terrain), place_words(spot_in)
    past = edges(position, man, at_opening=_says(man, "shooter_at_opening", there))
    if shelter and _says(man, "target_at_opening", there):
        past |= {shelter.name}
    return open_to_spot(position, man.id, spot_in, past)


# Sources of facts.


def aiming(read: Callable[[Aim], Any]) -> Source:
    """A fact that is read from an aim."""
    return Source(cast(Callable[[Context], Any], read))


def held_facts(position: Position, man: Unit, weapon: str) -> dict[str, Any]:
    """A weapon and, if known, whether it has a scope: ready cards say it by their weapon, own ones may."""
    rifles = {nation.rifle for nation in rules_of(position).tables.nations.values()}
    statuses = {**man.statuses, **man.this_turn}
    said = [value for key, value in statuses.items() if key == "scope" or key.startswith("scope at ")]
    if man.own is not None and "scope" in man.own:
        said = [man.own["scope"]]
    elif not said and (man.own is None or weapon not in rifles):
        said = [False]
    return {"weapon": weapon, **({"scope": bool(said[0])} if said else {})}


def scope(aim: Aim) -> Any:
    """Whether the rifle has a scope, if known."""
    return held_facts(aim.position, aim.actor, aim.weapon).get("scope", UNKNOWN)


def distance(aim: Aim) -> Uncertain:
    """How far the target or place is."""
    what = f"the range from {display_name(aim.actor.id)} to {aim.there}"
    return Uncertain(round(aim.away.edge_in, 2), aim.away.sigma_in, what)


def target_exposed(aim: Aim) -> Any:
    """The part of the target that can be fired at; uncertain only for shots at figures that fire past nothing."""
    part, enemy = aim.exposed[0], aim.enemy
    if enemy is None or rules_of(aim.position).tables.weapon_kinds[aim.row.kind].aim_at is AimAt.SPOT:
        return part
    certain = not beside(aim.position, enemy).isdisjoint(piece.name for piece, _ in aim.view.hidden_by)
    what = f"how much of {display_name(enemy.id)} is seen by {display_name(aim.actor.id)}"
    return Uncertain(part, 0.0 if certain else sum(aim.view.part_errors(part)), what, 0.0, 1.0)


def target_at_opening(aim: Aim) -> Any:
    """Not in the open; the players are asked of a target in a shelter."""
    shelter = held_in(aim.position, aim.enemy.id) if aim.enemy else aim.shelter
    return UNKNOWN if shelter else False


def shooter_at_opening(aim: Aim) -> Any:
    """Not in the open; the players are asked of a firer in a shelter."""
    return UNKNOWN if held_in(aim.position, aim.actor.id) else False


def target_pose(aim: Aim) -> str:
    """How the target stands."""
    return pose(aim.position, aim.target)


def target_place(aim: Aim) -> str:
    """What the target is in."""
    return place_of(aim.position, held_in(aim.position, aim.target.id))


def place_there(aim: Aim) -> str:
    """What the place aimed at is in."""
    return place_of(aim.position, aim.shelter)


def hiding(aim: Aim) -> list[dict[str, Any]]:
    """The terrain that hides some of the target; what it only touches counts for lying figures.

    What the firer or the target fires past covers the target only where the target lies beside it.
    """
    position, enemy = aim.position, aim.target
    lying = rules_of(position).tables.poses[pose(position, enemy)].lying
    past = _past(position, aim.actor, enemy) - beside(position, enemy)
    hidden_by = [(piece, part) for piece, part in aim.view.hidden_by if piece.name not in past]
    found = pieces(position, position.figure(enemy.id), hidden_by)
    return [one for one in found if one["line_passes_terrain"] or lying]


def touches_wall(aim: Aim) -> Any:
    """Whether the firer touches the wall of the shelter that it fires at."""
    if aim.shelter is None:
        return False
    contact = range_to(aim.position.figure(aim.actor.id), aim.shelter.outline_in).contact()
    return UNKNOWN if contact is Comparison.TOO_CLOSE else contact is Comparison.IN


def in_blast(aim: Aim) -> list[Bound]:
    """The figures that a burst at the place may catch; none where the weapon cannot be fired there."""
    worth = aim.blocked_by is None and aim.away.edge_in <= aim.row.range_in + DOUBT_SIGMAS * aim.away.sigma_in
    radius_in = aim.row.blast_radius_in or 0.0
    return caught(aim.position, aim.at_in, radius_in, aim.actor, aim.sigma_in) if worth else []


def leader_distances(context: Context) -> list[Uncertain]:
    """How far the friends are that lead in this turn."""
    return [gap(context.position, one, context.actor, " who leads") for one in leading(context.position, context.actor)]


def directed_by(means: str) -> Source:
    """Whether an observer with these means directs the figure's fire at its target."""

    def read(context: Context) -> Any:
        observers = context.actor.this_turn.get(DIRECTED_BY, {}).items()
        return any(_directs(context, str(name), means) for name, by in observers if by == means) or UNKNOWN

    return Source(read)


def _directs(context: Context, observer: str, means: str) -> bool:
    position = context.position
    if observer not in position.figures or not isinstance(context, Aim):
        return False
    at = context.enemy
    view = position.view(observer, at.id) if at else position.view_of_spot(observer, context.at_in)
    facts: dict[str, Any] = {"observer_sees_target": view.exposure >= SLIVER, "weapon": context.weapon}
    if means == "radio":
        action, distance_in = "radio", {"distance_to_target_in": round(view.range.edge_in, 2)}
        facts |= {"mode": "direct_onboard", "onboard_mortar_or_gun": True}
    else:
        action, distance_in = "direct_fire_binoculars", {"weapon_to_target_in": round(context.view.range.edge_in, 2)}
        facts |= {"distance_to_directed_figure_in": 0}
    found = verdict_without_dice(position.game, action, {**facts, **distance_in})
    return found is not None and found.allowed


# What is between a firer and a target.


def terrain_name(position: Position, piece: TerrainPiece) -> str | None:
    """What a piece is in the rulebook's words, as the players say or as such a piece usually is."""
    names = terrain_names(rules_of(position), piece.kind)
    told = position.state.statuses.get(f"{piece.name} is")
    return str(told) if told in names else next(iter(names), None)


def pieces(position: Position, target: Figure, hidden_by: Iterable[tuple[TerrainPiece, float]]) -> list[dict[str, Any]]:
    """What hides some of a target, and what else it touches, where that is anything to a shot."""
    found = []
    hiding = {piece.name: part for piece, part in hidden_by}
    for piece in position.terrain:
        name, part = terrain_name(position, piece), hiding.get(piece.name)
        touching = name is not None and _touches(target, piece)
        if name is not None and (part is not None or touching):
            crossed = {"fraction_behind": round(part or 0.0, 2), "line_passes_terrain": part is not None}
            found.append({"terrain": name, **crossed, "touching": touching})
    return found


def _touches(figure: Figure, piece: TerrainPiece) -> bool:
    """Whether a figure is on or beside a piece, or may be."""
    if not near(figure, piece, DOUBT_SIGMAS * figure.sigma_in):
        return False
    return range_to(figure, piece.outline_in).contact() is not Comparison.OUT


def beside(position: Position, unit: Unit) -> Names:
    """The pieces that a lying figure touches and so fires past; nobody fires past a house."""
    if not rules_of(position).tables.poses[pose(position, unit)].lying:
        return frozenset()
    figure, places = position.figure(unit.id), rules_of(position).tables.places
    low = (piece for piece in position.terrain if places[place_of(position, piece)].enemies is Enemies.NONE)
    held = held_in(position, unit.id)
    touched = (piece for piece in low if terrain_name(position, piece) and _touches(figure, piece))
    return frozenset(piece.name for piece in touched if held is None or piece.name != held.name)


def edges(position: Position, unit: Unit, *, at_opening: bool) -> Names:
    """The pieces that a figure fires past: those that it lies beside, and its shelter where it is at an opening."""
    shelter = held_in(position, unit.id) if at_opening else None
    return beside(position, unit) | ({shelter.name} if shelter else set())


def shows(position: Position, of: str, at: str, past: Names = frozenset()) -> float:
    """The part of the figure `at` at which the figure `of` can fire, past all that stands between them.

    Args:
        position: The position.
        of, at: The two.
        past: The pieces at whose edges they are, which are no hindrance; for one that he lies beside is seen to here.
    """
    view = position.view(of, at)
    if past.isdisjoint(piece.name for piece, _ in view.hidden_by):
        return round(_shown(position, at, view.exposure_to_fire, view.hidden_by), 2)
    rest = tuple(piece for piece in position.terrain if piece.name not in past)
    seen = exposures([position.figure(of), position.figure(at)], rest, position.sight)
    own = beside(position, position.unit(at))
    hidden_by = [(piece, part) for piece, part in view.hidden_by if piece.name not in past or piece.name in own]
    return round(_shown(position, at, float(seen.exposure_to_fire[0, 1]), hidden_by, own), 2)


def _shown(
    position: Position,
    name: str,
    part: float,
    hidden_by: Iterable[tuple[TerrainPiece, float]],
    own: Names = frozenset(),
) -> float:
    """What is left to be fired at of a figure."""
    parts, rules, stands = [part], rules_of(position), pose(position, position.unit(name))
    for piece, behind in hidden_by:
        kind = terrain_name(position, piece)
        if kind is not None:
            found = Piece(terrain=kind, fraction_behind=behind, line_passes_terrain=True, touching=piece.name in own)
            parts.append(exposure(rules, stands, found))
    return min(parts)


def open_to_spot(position: Position, name: str, spot_in: PointIn, past: Names = frozenset()) -> tuple[float, float]:
    """The part of a bare place at which a figure can fire, and that of him which shows from there."""
    there = [position.figure(name), position.spot(spot_in)]
    seen = exposures(there, position.terrain, position.sight)
    rest = exposures(there, tuple(one for one in position.terrain if one.name not in past), position.sight)
    pieces_ = {piece.name: piece for piece in position.terrain}
    own = beside(position, position.unit(name))
    hidden_by = [(pieces_[one], part) for one, part in seen.hidden_by(1, 0) if one not in past or one in own]
    shows_ = _shown(position, name, float(rest.exposure_to_fire[1, 0]), hidden_by, own)
    return round(float(rest.exposure_to_fire[0, 1]), 2), round(shows_, 2)


# Around a burst.

_EYE_IN = 0.05
"""A burst looks about from a point; no base is smaller than this."""
_UPON_IN = 0.75
"""Nothing stands between a burst and a figure whose middle is this near."""


def caught(
    position: Position, spot: PointIn, reach_in: float, firer: Unit, sigma_in: float = 0.0, *, on_board: bool = True
) -> list[Bound]:
    """All figures that a burst may catch, friend or foe; figures in another shelter than the spot are safe.

    Args:
        position: The position.
        spot: Where it bursts.
        reach_in: The largest distance at which it catches a figure.
        firer: The figure that fired, or that called for it.
        sigma_in: One standard deviation of the spot along one axis.
        on_board: Whether it is fired from where that figure stands.
    """
    near = _near(position, spot, reach_in, sigma_in)
    hidden = _hidden_from(position, spot, [one for one, _ in near])
    found = []
    for one, gap_in in near:
        unit, held = position.unit(one.id), held_in(position, one.id)
        known = {
            "id": one.id,
            "side": unit.side,
            "near_edge_in": round(gap_in, 2),
            "far_edge_in": round(max(_apart(spot, corner) for corner in one.base_in), 2),
            "inside": held is not None,
            "pose": pose(position, unit),
            "place": place_of(position, held),
            "terrain": pieces(position, one, hidden.get(one.id, ())),
        }
        if on_board and firer.id != one.id:
            view = position.view(firer.id, one.id)
            known["firer_distance_in"] = round(view.range.edge_in, 2)
            known["terrain_from_firer"] = pieces(position, one, view.hidden_by)
        sigma = (one.sigma_in**2 + sigma_in**2) ** 0.5
        what = f"how near the burst of {display_name(firer.id)} is to {display_name(one.id)}"
        found.append(Bound(known, (UncertainFact(("near_edge_in",), sigma, what),) if sigma > 0 else ()))
    return found


def _apart(a: PointIn, b: PointIn) -> float:
    return float(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5)


def _near(position: Position, spot: PointIn, reach_in: float, sigma_in: float) -> list[tuple[Figure, float]]:
    found, shelter = [], holder_at(rules_of(position), spot, position.terrain)
    for name, one in position.figures.items():
        if name not in position.state.units or position.unit(name).out:
            continue
        gap_in = range_to(one, (spot,)).edge_in
        held = held_in(position, name)
        same = shelter is not None and held is not None and held.name == shelter.name
        if same or (held is None and gap_in <= reach_in + DOUBT_SIGMAS * (one.sigma_in + sigma_in)):
            found.append((one, gap_in))
    return sorted(found, key=lambda pair: (pair[1], pair[0].id))


def _hidden_from(
    position: Position, spot: PointIn, figures: list[Figure]
) -> Mapping[str, tuple[tuple[TerrainPiece, float], ...]]:
    """What hides each figure from a burst."""
    others = [one for one in figures if _apart(spot, one.centre_in) > _UPON_IN]
    standing = {piece.name: piece for piece in position.terrain}
    if not others or not standing:
        return {}
    ground_in = min(one.z_in for one in others)
    eye = Figure("", "", *spot, ground_in, 0.0, Posture.PRONE, ellipse_outline(spot, _EYE_IN, _EYE_IN))
    seen = exposures([eye, *others], tuple(standing.values()), position.sight)
    found = {}
    for column, one in enumerate(others, 1):
        found[one.id] = tuple((standing[name], part) for name, part in seen.hidden_by(0, column))
    return found
