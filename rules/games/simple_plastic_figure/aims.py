"""Simple Plastic Figure: targets, their visible part, and the figures that a burst catches."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import dist
from typing import Any, cast

from shapely.geometry import Polygon

from rules.engine.action import UncertainFact
from rules.engine.facts import UNKNOWN, Bound, Context, Source, Uncertain
from rules.engine.position import Position, View
from rules.engine.state import Unit
from rules.engine.text import display_name, place_words
from rules.engine.verdict import Verdict
from rules.engine.without_dice import refusal_of
from rules.games.simple_plastic_figure.cover import Piece, exposure, holder_at, terrain_names
from rules.games.simple_plastic_figure.figures import bar, gap, held_in, leading, place_of, pose, rules_of, weapons
from rules.games.simple_plastic_figure.statuses import DIRECTED_BY
from rules.games.simple_plastic_figure.tables import AimAt, Enemies, Weapon
from rules.tabletop.measure import Range, range_to
from rules.tabletop.sight import SLIVER, exposures
from rules.tabletop.table import Figure, PointIn, Posture, TerrainPiece, boxes_meet, ellipse_outline
from rules.tabletop.tolerance import DOUBT_SIGMAS, Comparison, within

Names = frozenset[str]
Hidden = Iterable[tuple[TerrainPiece, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim(Context):
    """A weapon of a figure, and its targets or target place.

    Attributes:
        enemy: The target, of several the one that shows most; None for a bare place.
        at_in, sigma_in: The place, and one standard deviation of it along one axis.
        away: How far it is.
        view: How the figure sees the enemy, or the bare place.
        exposed: The part of the enemy or place that it can fire at, and the part of itself that shows there.
    """

    weapon: str
    enemy: Unit | None
    at_in: PointIn
    sigma_in: float = 0.0
    away: Range
    view: View
    exposed: tuple[float, float]

    @property
    def blocked_by(self) -> Verdict | None:
        """The reason that forbids fire now; None if it is allowed."""
        return bar(self.position, self.actor, "fire", self.weapon)

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

    def scope(self) -> Any:
        """Whether the rifle has a scope, if known."""
        return held_facts(self.position, self.actor, self.weapon).get("scope", UNKNOWN)

    def distance(self) -> Uncertain:
        """How far the target or place is."""
        what = f"the range from {display_name(self.actor.id)} to {self.there}"
        return Uncertain(round(self.away.edge_in, 2), self.away.sigma_in, what)

    def target_exposed(self) -> Any:
        """The part of the target that can be fired at; uncertain only for shots at figures that fire past nothing."""
        part, enemy = self.exposed[0], self.enemy
        if enemy is None or rules_of(self.position).tables.weapon_kinds[self.row.kind].aim_at is AimAt.SPOT:
            return part
        certain = not beside(self.position, enemy).isdisjoint(piece.name for piece, _ in self.view.hidden_by)
        what = f"how much of {display_name(enemy.id)} is seen by {display_name(self.actor.id)}"
        return Uncertain(part, 0.0 if certain else sum(self.view.part_errors(part)), what, 0.0, 1.0)

    def at_opening(self) -> Any:
        """Whether the target is at a window, slit or rim: not in the open; in a shelter the players are asked."""
        shelter = held_in(self.position, self.enemy.id) if self.enemy else self.shelter
        return UNKNOWN if shelter else False

    def own_window(self) -> Any:
        """The same of the firer."""
        return UNKNOWN if held_in(self.position, self.actor.id) else False

    def target_pose(self) -> str:
        """How the target stands."""
        return pose(self.position, self.target)

    def target_place(self) -> str:
        """The terrain that contains the target."""
        return place_of(self.position, held_in(self.position, self.target.id))

    def place_there(self) -> str:
        """The terrain that contains the target place."""
        return place_of(self.position, self.shelter)

    def hiding(self) -> list[dict[str, Any]]:
        """The terrain that hides some of the target; what it only touches counts for lying figures.

        What the firer or the target fires past covers the target only where the target lies beside it.
        """
        position, enemy = self.position, self.target
        lying = rules_of(position).tables.poses[pose(position, enemy)].lying
        past = _past(position, self.actor, enemy) - beside(position, enemy)
        hidden_by = [(piece, part) for piece, part in self.view.hidden_by if piece.name not in past]
        found = pieces(position, position.figure(enemy.id), hidden_by)
        return [one for one in found if one["line_passes_terrain"] or lying]

    def touches_wall(self) -> Any:
        """Whether the firer touches the wall of the shelter that it fires at."""
        if self.shelter is None:
            return False
        contact = range_to(self.position.figure(self.actor.id), self.shelter.outline_in).contact()
        return UNKNOWN if contact is Comparison.TOO_CLOSE else contact is Comparison.IN

    def in_blast(self) -> list[Bound]:
        """The figures that a burst at the place may catch; none if the weapon cannot be fired there."""
        reach_in = self.row.range_in + DOUBT_SIGMAS * self.away.sigma_in
        worth = self.blocked_by is None and within(round(self.away.edge_in, 2), reach_in)
        radius_in = self.row.blast_radius_in or 0.0
        return caught(self.position, self._bursts_at(), radius_in, self.actor, self.sigma_in) if worth else []

    def _bursts_at(self) -> PointIn:
        """Where it bursts: at the place; a grenade in the middle of the shelter, where that was agreed on."""
        lands = rules_of(self.position).option("grenade_inside")
        if self.shelter is None or self.row.kind != "grenade" or lands != "middle" or self.touches_wall() is not True:
            return self.at_in
        middle = Polygon(self.shelter.outline_in).centroid
        return middle.x, middle.y

    def shooter_exposed(self) -> float:
        """The part of the figure that shows from there."""
        return self.exposed[1]


def aim_at(position: Position, man: Unit, weapon: str, enemy: Unit) -> Aim:
    """A small arm aimed at an enemy."""
    at_in, view = position.figure(enemy.id).centre_in, position.view(man.id, enemy.id)
    more: dict[str, Any] = {"away": view.range, "view": view, "exposed": _exposed(position, man, enemy)}
    return Aim(position, (man,), (enemy,), weapon=weapon, enemy=enemy, at_in=at_in, **more)


def aim_between(position: Position, man: Unit, weapon: str, enemies: tuple[Unit, ...], at_in: PointIn) -> Aim:
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
    return Aim(position, (man,), enemies, weapon=weapon, enemy=enemy, at_in=at_in, **more)


def _says(man: Unit, fact: str, at: str) -> bool:
    """The players' answer for this shot: no camera sees whether a figure in a shelter is at an opening."""
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
    """The part of a bare place at which a figure can fire, and the part of the figure that shows from there."""
    shelter, at = holder_at(rules_of(position), spot_in, position.terrain), place_words(spot_in)
    past = edges(position, man, at_opening=_says(man, "shooter_at_opening", at))
    past |= {shelter.name} if shelter and _says(man, "target_at_opening", at) else set()
    there = [position.figure(man.id), position.spot(spot_in)]
    seen, standing = exposures(there, position.terrain, position.sight), {one.name: one for one in position.terrain}
    target, shooter = _exposure(position, there, past)
    hidden_by = [(standing[name], part) for name, part in seen.hidden_by(1, 0)]
    return round(target, 2), _shown(position, man.id, shooter, hidden_by, past)


# Sources of facts.


def aiming(read: Callable[[Aim], Any]) -> Source:
    """A fact that is read from an aim."""
    return Source(cast(Callable[[Context], Any], read))


def held_facts(position: Position, man: Unit, weapon: str) -> dict[str, Any]:
    """A weapon and, if known, whether it has a scope, from the card's weapon or the own card."""
    rifles = {nation.rifle for nation in rules_of(position).tables.nations.values()}
    statuses = {**man.statuses, **man.this_turn}
    said = [value for key, value in statuses.items() if key == "scope" or key.startswith("scope at ")]
    if man.own is not None and "scope" in man.own:
        said = [man.own["scope"]]
    elif not said and (man.own is None or weapon not in rifles):
        said = [False]
    return {"weapon": weapon, **({"scope": bool(said[0])} if said else {})}


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
    return refusal_of(position.game, action, {**facts, **distance_in}) is None


# What is between a firer and a target.


def terrain_name(position: Position, piece: TerrainPiece) -> str | None:
    """The rulebook's name for a piece: the players' answer, or the default."""
    names = terrain_names(rules_of(position), piece.kind)
    said = position.state.statuses.get(f"{piece.name} is")
    return str(said) if said in names else next(iter(names), None)


def pieces(position: Position, target: Figure, hidden_by: Hidden) -> list[dict[str, Any]]:
    """The terrain that hides part of a target or touches it, if it matters to a shot."""
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
    near = boxes_meet(figure.base_in, piece.outline_in, DOUBT_SIGMAS * figure.sigma_in)
    return near and range_to(figure, piece.outline_in).contact() is not Comparison.OUT


def beside(position: Position, unit: Unit) -> Names:
    """The pieces that a lying figure touches and so fires past; no figure fires past a house."""
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

    The pieces `past` which they fire, from their edges, do not hinder them but may cover a figure that lies beside one.
    """
    view, part = position.view(of, at), None
    if not past.isdisjoint(piece.name for piece, _ in view.hidden_by):
        part = _exposure(position, [position.figure(of), position.figure(at)], past)[0]
    return _shown(position, at, view.exposure_to_fire if part is None else part, view.hidden_by, past)


def _exposure(position: Position, pair: list[Figure], past: Names) -> tuple[float, float]:
    """The parts at which the first of two can fire at the second, and the second at the first, past these pieces."""
    rest = tuple(piece for piece in position.terrain if piece.name not in past)
    seen = exposures(pair, rest, position.sight).exposure_to_fire
    return float(seen[0, 1]), float(seen[1, 0])


def _shown(position: Position, name: str, part: float, hidden_by: Hidden, past: Names) -> float:
    """The part of a figure that can be fired at."""
    parts, stands, own = [part], pose(position, position.unit(name)), beside(position, position.unit(name)) & past
    for piece, behind in hidden_by:
        kind = terrain_name(position, piece)
        if kind is not None and (piece.name not in past or piece.name in own):
            found = Piece(terrain=kind, fraction_behind=behind, line_passes_terrain=True, touching=piece.name in own)
            parts.append(exposure(rules_of(position), stands, found))
    return round(min(parts), 2)


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
            "near_edge_in": gap_in,
            "far_edge_in": round(max(dist(spot, corner) for corner in one.base_in), 2),
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


def _near(position: Position, spot: PointIn, reach_in: float, sigma_in: float) -> list[tuple[Figure, float]]:
    found, shelter = [], holder_at(rules_of(position), spot, position.terrain)
    for name, one in position.figures.items():
        if name not in position.state.units or position.unit(name).out:
            continue
        gap_in = round(range_to(one, (spot,)).edge_in, 2)
        held = held_in(position, name)
        same = shelter is not None and held is not None and held.name == shelter.name
        if same or (held is None and gap_in <= reach_in + DOUBT_SIGMAS * (one.sigma_in + sigma_in)):
            found.append((one, gap_in))
    return sorted(found, key=lambda pair: (pair[1], pair[0].id))


def _hidden_from(
    position: Position, spot: PointIn, figures: list[Figure]
) -> Mapping[str, tuple[tuple[TerrainPiece, float], ...]]:
    """The terrain that hides each figure from a burst."""
    others = [one for one in figures if dist(spot, one.centre_in) > _UPON_IN]
    standing = {piece.name: piece for piece in position.terrain}
    if not others or not standing:
        return {}
    ground_in = min(one.z_in for one in others)
    eye = Figure("", "", *spot, ground_in, 0.0, Posture.PRONE, ellipse_outline(spot, _EYE_IN, _EYE_IN))
    seen = exposures([eye, *others], tuple(standing.values()), position.sight)
    found = {one.id: seen.hidden_by(0, column) for column, one in enumerate(others, 1)}
    return {figure: tuple((standing[name], part) for name, part in hidden_by) for figure, hidden_by in found.items()}
