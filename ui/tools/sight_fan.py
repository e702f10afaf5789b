"""The ground that a soldier sees and reaches: its sight fan. No Qt here."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rules.engine.referee import preview_of
from rules.engine.text import display_name
from rules.tabletop.sight_area import ground_in_sight, ground_of
from rules.tabletop.table import Figure
from ui.battle.battle_overlay import reach_marks
from ui.formatting import percent_words
from ui.table.finding import Answer, Finding, Mark, Note, Style, Trace
from ui.theme import DARK, SKY, WHITE, faded
from ui.tools.fan import reach_outline
from ui.tools.ground import cells_of, in_range, patches
from ui.tools.reach import weapon_reaches
from ui.tools.tool_context import ToolContext
from ui.translation import tr

_CELL_IN = 0.1
_HIDDEN = Style(faded(DARK, 0), faded(DARK, 130), faded(WHITE, 60))
_SEEN = Style(SKY, faded(SKY, 50))


@dataclass(frozen=True, slots=True)
class SightFan:
    """The patches of ground that a figure sees and does not see with the rings of its reach, and the answer."""

    figure: str
    areas: tuple[Mark, ...]
    finding: Finding


def sight_fan(now: ToolContext, figure: Figure) -> SightFan:
    """Where the figure would see a standing soldier; in a battle also its ranges and how far it may still move."""
    ground, basis = ground_of(cells_of(now, _CELL_IN), now.terrain), now.state.basis
    seen = ground_in_sight(figure, ground, now.view.figures, now.sight_rules)
    rings = tuple(_rings(now, figure))
    lines = [mark for mark in rings if isinstance(mark, Trace)]
    areas: tuple[Mark, ...] = (*patches(~seen, ground, _HIDDEN), *patches(seen, ground, _SEEN), *lines)
    rows = [tr("{soldier} would see a standing soldier on the bright ground", soldier=display_name(figure.id))]
    for arm in weapon_reaches(now.position, figure.id):
        part = percent_words(float((seen & in_range(ground.cells, figure, (arm,), basis)).mean()))
        rows.append(tr("{weapon}: {part} of the table", weapon=arm.words, part=part))
    headline = tr("{part} of the table in sight", part=percent_words(float(seen.mean())))
    notes = tuple(mark for mark in rings if isinstance(mark, Note))
    return SightFan(figure.id, areas, Finding(Answer(headline, tuple(rows)), notes))


def _rings(now: ToolContext, figure: Figure) -> Iterator[Mark]:
    """A dashed ring at each weapon's ranges, with its name, and the circle of what is left of the move."""
    for arm in weapon_reaches(now.position, figure.id):
        for reach_in in filter(None, (arm.most_in, arm.least_in)):
            outline = reach_outline(figure, reach_in, now.state.basis)
            yield Trace(outline, faded(WHITE, 220), 2.0, closed=True, dashed=True)
            yield Note(max(outline, key=lambda place: place[1]), ((arm.words, 12.0),), WHITE)
    if now.play is not None and now.position is not None and figure.id in now.position.figures:
        movement = preview_of(now.position, now.play.referee.movement(now.position, figure.id))
        yield from reach_marks(now.position, figure.id, movement)
