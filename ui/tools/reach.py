"""How far a unit's weapons reach, from its card and its game's data. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from rules.engine.game import Game
from rules.engine.position import Position
from rules.engine.text import display_name
from rules.tabletop.measure import Range
from rules.tabletop.tolerance import Comparison, all_of, at_least, at_most
from ui.formatting import Basis
from ui.translation import tr


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
