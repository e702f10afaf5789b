"""How far weapons reach, and which targets a soldier can shoot: their ranges and exposures. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from rules.engine.game import Game
from rules.engine.position import Position
from rules.tabletop.measure import Range, base_area
from rules.tabletop.sight import SLIVER, exposures
from rules.tabletop.table import Figure
from rules.tabletop.template import Blast, drawn
from rules.tabletop.tolerance import Comparison, all_of, at_least, at_most
from ui.formatting import Basis, percent_words, range_words
from ui.measuring import Tape
from ui.rules_text import display_name
from ui.session import TableState
from ui.table.finding import Answer, Finding, Mark, Note, Trace, along, cross, lifted, ring
from ui.theme import PURPLE, SILVER, SKY, YELLOW, Colour, faded
from ui.tools.tool_context import ToolContext
from ui.translation import mark_for_translation, tr, tr_count
from ui.vocabulary import Unit


@dataclass(frozen=True, slots=True)
class Arm:
    """A weapon's reach.

    Attributes:
        name: The weapon's name as shown.
        most_in, least_in: Longest and shortest range; `most_in` is None for no limit but sight.
        after_moving: Whether it can be used in a turn in which its figure moved.
    """

    name: str
    most_in: float | None
    least_in: float = 0.0
    after_moving: bool = True

    @property
    def words(self) -> str:
        """Such as "rifle, 24 in"."""
        far = tr("as far as it sees") if self.most_in is None else tr("{range_in:g} in", range_in=self.most_in)
        if self.least_in:
            return tr("{weapon}, {least_in:g} to {most}", weapon=self.name, least_in=self.least_in, most=far)
        return f"{self.name}, {far}"

    def moved(self, move_in: float) -> Arm:
        """What it reaches from its figure's place if the figure may first move this far."""
        if not self.after_moving:
            return self
        most_in = None if self.most_in is None else self.most_in + move_in
        return replace(self, most_in=most_in, least_in=max(0.0, self.least_in - move_in))

    def reaches(self, distance: Range, basis: Basis) -> Comparison:
        """Whether a distance is within reach, measured between those parts of the bases."""
        inches = distance.edge_in if basis is Basis.EDGE else distance.centre_in
        most = Comparison.IN if self.most_in is None else at_most(inches, self.most_in, distance.sigma_in)
        least = Comparison.IN if not self.least_in else at_least(inches, self.least_in, distance.sigma_in)
        return all_of((most, least))


def weapon_reaches(position: Position | None, figure: str) -> tuple[Arm, ...]:
    """The weapons of a figure, longest range first; none if it has none or is not in the battle."""
    unit = position.state.units.get(figure) if position is not None else None
    if position is None or unit is None:
        return ()
    return card_reaches(position.game, position.kind(unit))


def card_reaches(game: Game[Any], card: Mapping[str, Any]) -> tuple[Arm, ...]:
    """The weapons on a unit card of a game, longest range first."""
    return tuple(sorted(_arms(game, card), key=lambda arm: -(float("inf") if arm.most_in is None else arm.most_in)))


def _arms(game: Game[Any], card: Mapping[str, Any]) -> Iterator[Arm]:
    rows = game.rules.plain.get("weapons")
    if rows is None and "equipment" not in card:
        kind = game.rules.plain.get("units", {}).get(card.get("unit"), {})
        # In a game without ranges, everything in sight is a target.
        yield Arm(tr("any weapon"), None, after_moving=kind.get("attacks_after_moving", True))
        return
    for item in card.get("equipment", ()):
        if item.get("kind") == "ranged":
            yield Arm(str(item["name"]), item.get("range_in"))
    levels = card.get("RL", ())
    levels = (levels,) if isinstance(levels, str) else tuple(levels)
    for number, name in enumerate(card.get("weapons", ())):
        level = levels[min(number, len(levels) - 1)] if levels else None
        yield _arm(game, name, (rows or {}).get(name, {}), level)


def _arm(game: Game[Any], name: str, row: Mapping[str, Any], level: str | None) -> Arm:
    words = display_name(name).lower()
    if level is not None:
        from rules.games.plastic_fudge.fire import reach_in  # here, because it is loaded only with that game
        from rules.games.plastic_fudge.tables import rating

        return Arm(words, reach_in(game.rules, rating(game.rules, level), name))
    if "range_in" in row:
        return Arm(words, row["range_in"])
    most_ft = row.get("range_max_ft")
    most_in = None if most_ft is None else 12.0 * most_ft
    return Arm(words, most_in, 12.0 * row.get("range_min_ft", 0), not row.get("stationary", False))


_MAX_ROWS = 6


class Chance(Enum):
    """Whether a figure can be shot at. The words say so; the colour only helps."""

    IN = (mark_for_translation("in range"), SKY)
    DOUBT = (mark_for_translation("too close to call"), YELLOW)
    OUT = (mark_for_translation("out of reach"), SILVER)
    HIDDEN = (mark_for_translation("hidden"), PURPLE)

    @property
    def words(self) -> str:
        """The text for the player."""
        return tr(self.value[0])

    @property
    def colour(self) -> Colour:
        """The colour of the ring."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class FanTarget:
    """A target: its range, how much of it the shooter sees, and whether it can be shot at."""

    target: Figure
    range: Range
    exposure: float
    chance: Chance


def aims(now: ToolContext, shooter: Figure, arm: Arm) -> tuple[FanTarget, ...]:
    """All figures of other armies, nearest first; all other figures if there is only one army."""
    others = [figure for figure in now.view.figures if figure.id != shooter.id and figure.army != shooter.army]
    others = others or [figure for figure in now.view.figures if figure.id != shooter.id]
    if now.view.calibration is None or not others:
        return ()
    tape = Tape(now.view.calibration, now.view.figures)
    seen = exposures(now.view.figures, now.terrain, now.sight_rules, shooter.id)
    row = seen.ids.index(shooter.id)
    found = []
    for other in others:
        exposure = float(seen.exposure[row, seen.ids.index(other.id)])
        distance = tape(shooter, other)
        chance = _chance(arm.reaches(distance, now.state.basis), exposure)
        found.append(FanTarget(other, distance, exposure, chance))
    return tuple(sorted(found, key=lambda aim: aim.range.edge_in))


def _chance(reach: Comparison, exposure: float) -> Chance:
    if exposure < SLIVER:
        return Chance.HIDDEN
    return {Comparison.IN: Chance.IN, Comparison.TOO_CLOSE: Chance.DOUBT, Comparison.OUT: Chance.OUT}[reach]


def fan_finding(now: ToolContext, shooter: Figure, arm: Arm) -> Finding:
    """The targets that a figure can shoot at with a weapon."""
    found = aims(now, shooter, arm)
    in_range = sum(aim.chance is Chance.IN for aim in found)
    headline = tr_count("{count} target", "{count} targets", in_range) if in_range else tr("no target")
    rows = [f"{display_name(shooter.id)}: {arm.words}", _counts(found)]
    near = [aim for aim in found if aim.chance in (Chance.IN, Chance.DOUBT)]
    rows += [_row(aim, now.state.basis, now.state.unit) for aim in near[:_MAX_ROWS]]
    if len(near) > _MAX_ROWS:
        rows.append(tr("and {count} more", count=len(near) - _MAX_ROWS))
    return Finding(Answer(headline, tuple(rows)), tuple(_marks(found, shooter, arm, now.state)))


def _counts(found: Sequence[FanTarget]) -> str:
    counts = [(sum(aim.chance is chance for aim in found), chance.words) for chance in Chance]
    return ", ".join(f"{count} {words}" for count, words in counts if count) or tr("no other soldier on the table")


def _row(aim: FanTarget, basis: Basis, unit: Unit) -> str:
    sight = tr("{part} in sight", part=percent_words(aim.exposure))
    doubt = [Chance.DOUBT.words] if aim.chance is Chance.DOUBT else []
    return f"{display_name(aim.target.id)}  {', '.join([range_words(aim.range, basis, unit), sight, *doubt])}"


def _marks(found: Sequence[FanTarget], shooter: Figure, arm: Arm, state: TableState) -> Iterator[Mark]:
    for reach_in in (arm.most_in, arm.least_in):
        if reach_in:
            yield Trace(reach_outline(shooter, reach_in, state.basis), faded(SKY, 200), 2.0, closed=True, dashed=True)
    eye = (*shooter.centre_in, shooter.z_in)
    for aim in reversed(found):
        place = (*aim.target.centre_in, aim.target.z_in)
        if aim.chance in (Chance.IN, Chance.DOUBT):
            yield Trace(along((eye, place)), faded(aim.chance.colour, 170), 1.5, dashed=aim.chance is Chance.DOUBT)
        yield from _ring(aim)
    for aim in reversed(found):
        rows = ((_label(aim, state.basis, state.unit), 12.0),)
        yield Note((*aim.target.centre_in, aim.target.z_in), rows, aim.chance.colour, (0, 22.0))


def _label(aim: FanTarget, basis: Basis, unit: Unit) -> str:
    """The range, and a word if the target is not simply in range."""
    inches = aim.range.edge_in if basis is Basis.EDGE else aim.range.centre_in
    distance = unit.words(inches)
    match aim.chance:
        case Chance.OUT:
            return tr("{distance} out", distance=distance)
        case Chance.HIDDEN:
            return tr("{distance} hidden", distance=distance)
        case Chance.DOUBT:
            return f"{distance} ?"
        case Chance.IN:
            return distance


def _ring(aim: FanTarget) -> Iterator[Mark]:
    """A ring: filled if in range, dashed if too close to call, crossed out if hidden, else thin."""
    chance, target = aim.chance, aim.target
    fill = faded(chance.colour, 130) if chance is Chance.IN else None
    width = 4.0 if chance is Chance.IN else 2.5
    outline = lifted(target.base_in, target.z_in)
    yield Trace(outline, chance.colour, width, fill, closed=True, dashed=chance is Chance.DOUBT)
    if chance is Chance.HIDDEN:
        yield from cross((*target.centre_in, target.z_in), chance.colour, 0.4)


def reach_outline(shooter: Figure, reach_in: float, basis: Basis) -> tuple[tuple[float, float, float], ...]:
    """The outline of the weapon's reach on the table, from the base's centre or its edge."""
    if basis is Basis.CENTRE:
        return lifted(drawn(Blast(shooter.centre_in, reach_in), 5.0))
    area = base_area(shooter).buffer(reach_in, quad_segs=16)
    return ring([(x, y) for x, y, *_ in area.exterior.coords[:-1]])
