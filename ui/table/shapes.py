"""The templates that players can lay, from each game's data, and their names. No Qt here."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from rules.engine.game import Game
from rules.tabletop.bearing import bearing_deg, onward
from rules.tabletop.path import length_in
from rules.tabletop.table import PointIn
from rules.tabletop.template import Blast, Flame, Strip, Template, Wedge, Zone, drawn
from ui.rules_text import display_name
from ui.translation import tr

_STEP_IN = 0.5
_MIN_LENGTH_IN, _MAX_LENGTH_IN = 0.5, 48.0
_MAX_NAMES = 3


class TemplateKind(StrEnum):
    """The kinds of templates: a disc lies about its centre, the others start at a place in a direction."""

    BLAST = "blast"
    WEDGE = "wedge"
    FLAME = "flame"
    STRIP = "strip"


@dataclass(frozen=True, slots=True)
class Form:
    """A template without a place.

    Attributes:
        length_in: Radius of a disc or wedge, length of a flame or strip.
        width: Width of a strip or of a flame's far end in inches; angle of a wedge in degrees; 0 for a disc.
        titles: The weapons that use it, such as "Army Men: grenade"; none if the players chose its size.
    """

    kind: TemplateKind
    length_in: float
    width: float = 0.0
    titles: tuple[str, ...] = ()

    @property
    def words(self) -> str:
        """Such as "blast of 3 in (Army Men: grenade, bazooka)"."""
        shown = ", ".join(self.titles[:_MAX_NAMES]) + (" …" if len(self.titles) > _MAX_NAMES else "")
        size = template_words(self.laid((0.0, 0.0), (1.0, 0.0)))
        return f"{size} ({shown})" if shown else size

    def longer(self, steps: int) -> Form:
        """The form with its length changed by `steps` half inches."""
        return self.of_length(self.length_in + steps * _STEP_IN)

    def of_length(self, length_in: float) -> Form:
        """The form with another length, limited to sizes that fit on a table."""
        return replace(self, length_in=min(max(length_in, _MIN_LENGTH_IN), _MAX_LENGTH_IN), titles=())

    def laid(self, from_in: PointIn, toward_in: PointIn) -> Template:
        """The template laid at `from_in` towards `toward_in`; to the right if both are the same place."""
        if self.kind is TemplateKind.BLAST:
            return Blast(from_in, self.length_in)
        toward_deg = bearing_deg(from_in, toward_in) if math.dist(from_in, toward_in) > 0 else 0.0
        if self.kind is TemplateKind.WEDGE:
            return Wedge(from_in, toward_deg, self.length_in, self.width)
        if self.kind is TemplateKind.FLAME:
            return Flame(from_in, toward_deg, self.length_in, self.width)
        return Strip((from_in, onward(from_in, toward_deg, self.length_in)), self.width)


USUAL = {
    TemplateKind.BLAST: Form(TemplateKind.BLAST, 3.0),
    TemplateKind.WEDGE: Form(TemplateKind.WEDGE, 6.0, 45.0),
    TemplateKind.FLAME: Form(TemplateKind.FLAME, 12.0, 6.0),
    TemplateKind.STRIP: Form(TemplateKind.STRIP, 12.0, 1.0),
}
"""The default form of each kind."""


def forms(kind: TemplateKind, games: Iterable[Game[Any]]) -> tuple[Form, ...]:
    """The default form of a kind, then the games' own forms, smallest first, without duplicates of a size.

    For a single game that has forms of this kind, only its own.
    """
    every = tuple(games)
    found: dict[tuple[float, float], Form] = {}
    for game in every:
        title = "" if len(every) == 1 else f"{game.title}: "
        for name, form in _forms_of(game):
            if form.kind is kind:
                size = (form.length_in, form.width)
                known = found.get(size, form)
                found[size] = replace(known, titles=(*known.titles, f"{title}{display_name(name).lower()}"))
    own = sorted(found.values(), key=lambda form: (form.length_in, form.width))
    return tuple(own) if own and len(every) == 1 else (USUAL[kind], *own)


def _forms_of(game: Game[Any]) -> Iterable[tuple[str, Form]]:
    """The names of a game's weapons with their forms."""
    data = game.rules.plain
    across = "blast_size" not in game.options or game.rules.option("blast_size") == "diameter"
    for name, row in data.get("weapons", {}).items():
        if (size := row.get("blast_in", row.get("area_in"))) is not None:
            yield name, Form(TemplateKind.BLAST, size / 2 if across else size)
        if (radius := row.get("blast_radius_in")) is not None:
            yield name, Form(TemplateKind.BLAST, radius)
        if (width := row.get("cone_in")) is not None:
            yield name, Form(TemplateKind.FLAME, 12.0 * row["range_max_ft"], width)
            yield name, Form(TemplateKind.STRIP, 12.0 * row["range_max_ft"], width)
        template = data.get("templates", {}).get(row.get("template"), {})
        if (diameter := template.get("diameter_in")) is not None:
            yield name, Form(TemplateKind.BLAST, diameter / 2)
        if (angle := template.get("angle_deg")) is not None:
            yield name, Form(TemplateKind.WEDGE, template["radius_in"], angle)


def template_words(template: Template) -> str:
    """Such as "blast of 3 in" or "wedge of 45°, 6 in"."""
    match template:
        case Blast(_, radius):
            return tr("blast of {radius_in:g} in", radius_in=radius)
        case Wedge(_, _, radius, angle):
            return tr("wedge of {angle_deg:g}°, {radius_in:g} in", angle_deg=angle, radius_in=radius)
        case Flame(_, _, length, width):
            return tr("flame of {length_in:g} in, {width_in:g} in wide", length_in=length, width_in=width)
        case Strip(path, width):
            long_in = round(length_in(path), 3)
            return tr("strip of {length_in:g} in, {width_in:g} in wide", length_in=long_in, width_in=width)
        case Zone():
            return tr("area")


def relaid(template: Template, at_in: PointIn) -> Template:
    """The template where a click would lay it: a disc at that place, a wedge or flame towards it."""
    match template:
        case Blast():
            return replace(template, centre_in=at_in)
        case Wedge(apex, _, _, _) | Flame(apex, _, _, _) if math.dist(apex, at_in) > 0:
            return replace(template, toward_deg=bearing_deg(apex, at_in))
        case _:
            return template


def start_of(template: Template) -> PointIn:
    """A disc's centre, or the start of another template."""
    match template:
        case Blast(at, _) | Wedge(at, _, _, _) | Flame(at, _, _, _):
            return at
        case Strip(path, _) | Zone(path):
            return path[0]


def reach_of(template: Template) -> float:
    """The largest distance of its outline from its start."""
    start = start_of(template)
    return max(math.dist(start, place) for place in drawn(template))
