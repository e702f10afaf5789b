"""Line of sight: the part of a target that a shooter sees, what hides the rest, and the rays. No Qt here."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rules.engine.text import display_name, readable
from rules.tabletop.sight import Hidden, Ray, Sight, sight
from rules.tabletop.table import Figure
from ui.formatting import other_words, percent_words, range_words
from ui.table.finding import Answer, Finding, Mark, Note, Trace, along, cross
from ui.theme import BLAST, BLAST_WORDS, SKY, WHITE, faded
from ui.tools.tool_context import ToolContext
from ui.translation import tr


def sight_finding(now: ToolContext, shooter: Figure, target: Figure) -> Finding:
    """How much one figure sees of another, as text and marks."""
    found = sight(shooter, target, now.terrain, now.view.figures, now.sight_rules)
    return Finding(Answer(headline(found), _rows(now, found, shooter, target)), tuple(_marks(found, target)))


def headline(found: Sight) -> str:
    """Such as "73 % in sight"."""
    return tr("{part} in sight", part=percent_words(found.exposure)) if found.visible else tr("hidden")


def _rows(now: ToolContext, found: Sight, shooter: Figure, target: Figure) -> tuple[str, ...]:
    distance = now.range(shooter, target)
    basis, unit = now.state.basis, now.state.unit
    ranges = f"{range_words(distance, basis, unit)}, {other_words(distance, basis, unit)}"
    one, other = display_name(shooter.id), display_name(target.id)
    rows = [tr("{shooter} looks at {target}", shooter=one, target=other), ranges]
    if found.hidden_by:
        rows.append(tr("hidden by {cover}", cover=hidden_words(found.hidden_by)))
    if found.exposure_to_fire > found.exposure + 0.005:
        part = percent_words(found.exposure_to_fire)
        rows.append(tr("{part} can be hit: some of the cover does not stop shots", part=part))
    if found.figures_in_the_way:
        way = hidden_words(found.figures_in_the_way)
        rows.append(
            tr("in the way: {soldiers}", soldiers=way)
            if now.sight_rules.figures_hide
            else tr("in the way: {soldiers} (soldiers do not block sight here)", soldiers=way)
        )
    for figure, pieces in ((shooter, found.shooter_within), (target, found.target_within)):
        if pieces:
            rows.append(tr("{soldier} is in {terrain}", soldier=display_name(figure.id), terrain=", ".join(pieces)))
    part = percent_words(found.shooter_exposure)
    rows.append(tr("{target} sees {part} of {shooter}", target=other, part=part, shooter=one))
    return tuple(rows)


def hidden_words(hidden: Iterable[Hidden]) -> str:
    """Such as "house 60 %, hedge 12 %", largest part first."""
    return ", ".join(f"{readable(part.name)} {percent_words(part.fraction)}" for part in hidden)


def _marks(found: Sight, target: Figure) -> Iterator[Mark]:
    """Clear rays as light lines; stopped rays end in a cross, with a dashed line on to the target."""
    for ray in found.rays:
        yield from _ray(ray)
    named = {ray.stopped_by: ray.stop_in for ray in found.rays if ray.stop_in is not None}
    for name, at_in in named.items():
        if name is not None and at_in is not None:
            yield Note(at_in, ((readable(name), 14.0),), BLAST_WORDS, (0.0, -22.0))
    place = (*target.centre_in, target.z_in)
    yield Note(place, ((headline(found), 20.0),), WHITE if found.visible else BLAST_WORDS, (0.0, -40.0))


def _ray(ray: Ray) -> Iterator[Mark]:
    if ray.stop_in is None:
        yield Trace(along((ray.start_in, ray.end_in)), faded(SKY, 220), 1.5, halo=False)
        return
    yield Trace(along((ray.start_in, ray.stop_in)), BLAST, 1.5, halo=False)
    yield Trace(along((ray.stop_in, ray.end_in)), faded(BLAST, 150), 1.0, dashed=True, halo=False)
    yield from cross(ray.stop_in, BLAST)
