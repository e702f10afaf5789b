"""What the phone page shows, as plain data for JSON: map, turn, what is owed, last verdict, a figure's targets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from rules.battle.battle import Battle
from rules.battle.referees import referee_of
from rules.battle.story import story_lines
from rules.engine.events import ActionResolved, OutcomeDecided, VerdictOverruled
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, available_actions, obligations
from rules.engine.state import Unit
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, Outline, PointIn, TerrainPiece
from ui.battle.action_text import (
    action_words,
    card_title,
    forbidden_groups,
    movement_words,
    obligation_words,
    odds_column,
    ranked,
    reason_rows,
)
from ui.battle.battle_map import extent_around
from ui.battle.turn_bar import TurnBar
from ui.formatting import sentence
from ui.picture.figure_shapes import figure_number
from ui.rules_text import display_name, readable, story_line
from ui.theme import SILVER, Colour, army_colour, hex_colour, readable_ink

_VERDICTS = (ActionResolved, OutcomeDecided, VerdictOverruled)


@dataclass(frozen=True, slots=True, eq=False)
class PhoneSnapshot:
    """The table and the battle at one moment; nothing changes it, so any thread may read it.

    Attributes:
        figures: The figures that the camera sees.
        terrain, area_in: The terrain pieces, and the area of play if it is set.
        position: The battle's position; None without a battle, or before its figures are seen.
        turn: What the window's turn bar shows; None without a battle.
        verdict: The last verdict, see `last_verdict`.
    """

    figures: tuple[Figure, ...] = ()
    terrain: tuple[TerrainPiece, ...] = ()
    area_in: Outline = ()
    position: Position | None = None
    turn: TurnBar | None = None
    verdict: tuple[str, ...] = ()


def last_verdict(battle: Battle) -> tuple[str, ...]:
    """The last verdict or the players' decision in force: its outcome, then dice, reasons and effects, a line each."""
    events = reversed([*battle.in_force.values()])
    last = next((event for event in events if isinstance(event, _VERDICTS)), None)
    return tuple(story_line(line.strip()) for line in story_lines(battle.game, [last])) if last is not None else ()


def page_data(snapshot: PhoneSnapshot) -> dict[str, Any]:
    """Everything on the page but the actions of a figure; takes some ms in a large battle, to find what is owed.

    Places are in tenths of an inch, so that a still table stays the same from picture to picture.
    """
    position, turn = snapshot.position, snapshot.turn
    sides, left = (position.state.sides, position.state.figures_left) if position is not None else ((), {})
    armies = sorted({*sides, *(figure.army for figure in snapshot.figures)})
    owed = obligations(referee_of(position.game.name), position) if position is not None else ()
    figures = [*_figures(snapshot, armies)]
    terrain = position.terrain if position is not None else snapshot.terrain
    places = [
        *((one["x"], one["y"]) for one in figures),
        *(place for piece in terrain for place in piece.outline_in),
        *snapshot.area_in,
    ]
    return {
        "turn": {"words": turn.heading, **_colours(turn.colour)} if turn is not None else None,
        "owed": obligation_words(owed) if owed else "",
        "verdict": list(snapshot.verdict),
        "sides": [{**_army(side, armies), "name": display_name(side), "left": left[side]} for side in left],
        "extent": extent_around(places),
        "area": _outline(snapshot.area_in),
        "terrain": [{"name": piece.name, "outline": _outline(piece.outline_in)} for piece in terrain],
        "figures": figures,
    }


def _figures(snapshot: PhoneSnapshot, armies: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The figures on the table, then the units that the camera does not see, at their journalled places."""
    units = snapshot.position.state.units if snapshot.position is not None else {}
    for figure in snapshot.figures:
        yield _figure(figure.id, figure.army, figure.centre_in, units.get(figure.id), armies, seen=True)
    known = {figure.id for figure in snapshot.figures}
    for unit in units.values():
        if unit.id not in known and not unit.out and unit.at_in is not None:
            yield _figure(unit.id, unit.side, unit.at_in, unit, armies, seen=False)


def _figure(
    name: str, army: str, at_in: PointIn, unit: Unit | None, armies: Sequence[str], *, seen: bool
) -> dict[str, Any]:
    is_out = unit is not None and unit.out
    colours = _colours(SILVER) if is_out else {}
    return {
        **_army(unit.side if unit is not None else army, armies),
        **colours,
        "id": name,
        "name": display_name(name),
        "number": figure_number(name),
        "x": round(at_in[0], 1),
        "y": round(at_in[1], 1),
        "out": is_out,
        "seen": seen,
    }


def _army(army: str, armies: Sequence[str]) -> dict[str, Any]:
    """How an army's figures are drawn: the colour, and a shape for players who cannot tell the colours apart."""
    shape = sorted({*armies, army}).index(army) % 3
    return {**_colours(army_colour(army, armies)), "shape": ("circle", "square", "diamond")[shape]}


def _colours(colour: Colour) -> dict[str, str]:
    return {"colour": hex_colour(colour), "ink": hex_colour(readable_ink(colour))}


def _outline(outline_in: Outline) -> list[PointIn]:
    return [(round(x, 1), round(y, 1)) for x, y in outline_in]


_MOST_ACTIONS = 40


def targets_data(position: Position, figure: str) -> dict[str, Any]:
    """The actions of a figure as plain data for JSON; takes 30 to 130 ms in a large battle.

    A figure without actions, such as one that is out of the battle, has a `refusal` instead of them.
    """
    title = {"id": figure, "name": display_name(figure)}
    try:
        available = available_actions(referee_of(position.game.name), position, figure)
    except UserError as refusal:
        return {**title, "refusal": readable(str(refusal))}
    previews = (*available.attacks, *available.others)
    order = ranked(previews)
    groups = forbidden_groups(previews, order.impossible)
    return {
        **title,
        "card": card_title(position, position.unit(figure)),
        "move": sentence(movement_words(available)),
        "may_move": available.movement.possible,
        "actions": [_action(previews[number]) for number in (*order.best, *order.more)[:_MOST_ACTIONS]],
        "forbidden": [words for words, _ in groups][:_MOST_ACTIONS],
    }


def _action(preview: ActionPreview) -> dict[str, Any]:
    # The odds of bursts at many targets take seconds; only their names are listed.
    reasons = () if preview.odds_of else reason_rows(preview)
    return {
        "words": action_words(preview),
        "chance": odds_column(preview),
        "at": list(preview.action.at),
        "reasons": list(reasons),
    }
