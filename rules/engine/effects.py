"""Effects that all games share: moves, casualties, status changes, wrecks, the next phase; conditions of figures."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from rules.engine.events import Change, Move, PhaseBegun
from rules.engine.position import Position
from rules.engine.state import ELIMINATED, State, Unit
from rules.tabletop.path import Path, end_facing_deg, length_in, placed
from rules.tabletop.table import POSTURE_HEIGHT_IN, Figure, Posture, TerrainKind, TerrainPiece


def at_journal_places(position: Position) -> Position:
    """The same position with every figure at its place and facing in the journal instead of the measured ones."""
    units = position.state.units
    figures = {
        name: _as_known(figure, units[name]) if name in units else figure for name, figure in position.figures.items()
    }
    return replace(position, figures=figures)


def _as_known(figure: Figure, unit: Unit) -> Figure:
    return figure if unit.at_in is None else replace(placed(figure, unit.at_in), facing_deg=unit.facing_deg)


def moves_along(
    position: Position,
    paths: Mapping[str, Path],
    cost_in: Mapping[str, float] | None = None,
    facing_deg: Mapping[str, float] | None = None,
) -> tuple[Move, ...]:
    """The moves of figures along their paths.

    Args:
        position: The position before the moves.
        paths: The path of each figure, from where it stands.
        cost_in: Allowance spent by each figure whose cost differs from the path's length because of ground or turns.
        facing_deg: The facing of each figure at the end; by default it faces along the last leg of its path.
    """
    faced = facing_deg or {}
    return tuple(
        Move(
            figure=name,
            from_in=position.figure(name).centre_in,
            to_in=path[-1],
            moved_in=length_in(path),
            cost_in=(cost_in or {}).get(name, length_in(path)),
            facing_deg=faced.get(name, end_facing_deg(path)),
        )
        for name, path in paths.items()
    )


def carried_move(position: Position, rider: str, path: Path) -> Move:
    """The move of a figure that is carried or towed along a path; it costs the figure itself nothing."""
    start = position.unit(rider).at_in or position.figure(rider).centre_in
    end = (start[0] + path[-1][0] - path[0][0], start[1] + path[-1][1] - path[0][1])
    return Move(figure=rider, from_in=start, to_in=end, moved_in=length_in(path), cost_in=0.0)


def goal_key(side: str) -> str:
    """Name of the battle's status that stores the goal of a side."""
    return f"goal_of_{side}"


def stored_list(unit: Unit, key: str) -> list[Any]:
    """The list stored under a status of this turn; empty if there is none."""
    return list(unit.this_turn.get(key, ()))


def eliminations(figures: Iterable[str], rule: str) -> tuple[Change, ...]:
    """The changes that eliminate these figures, each once."""
    return status_changes(dict.fromkeys(figures), ELIMINATED, True, rule)


WRECK = "wreck"
"""The status of an eliminated vehicle that stays on the table as cover and obstacle."""


def wrecks(state: State, figures: Iterable[Figure]) -> tuple[TerrainPiece, ...]:
    """The wrecks among the figures on the table, as terrain pieces as high as a vehicle."""
    enlisted = [(one, state.units[one.id]) for one in figures if one.id in state.units]
    height_in = POSTURE_HEIGHT_IN[Posture.VEHICLE]
    return tuple(
        TerrainPiece(one.id, TerrainKind.OTHER, one.base_in, one.z_in, height_in)
        for one, unit in enlisted
        if unit.out and unit.statuses.get(WRECK)
    )


def status_changes(
    figures: Iterable[str], key: str, value: Any, rule: str = "", *, this_turn: bool = False
) -> tuple[Change, ...]:
    """The changes that give several figures the same status; the figure "" stands for the battle itself."""
    return tuple(Change(figure=name, key=key, value=value, rule=rule, this_turn=this_turn) for name in figures)


def next_step(state: State, steps: Sequence[tuple[str, str]]) -> PhaseBegun:
    """The phase after the current one, or the first phase of the next turn.

    Args:
        state: The battle with its current turn, side and phase; turn 0 is the set-up. A side named in a phase of all
            sides makes no difference; a phase whose side is not named is over for all of them.
        steps: (side, phase) in the order of a turn; the side is empty if all sides act at once.
    """
    now = (state.side, state.phase)
    same = [step for step in steps if step == now] or [step for step in steps if step[1] == state.phase]
    if state.turn and same and same[-1] != steps[-1]:
        side, phase = steps[steps.index(same[-1]) + 1]
        return PhaseBegun(turn=state.turn, side=side, phase=phase)
    side, phase = steps[0]
    return PhaseBegun(turn=state.turn + 1, side=side, phase=phase)


Condition = tuple[Change, ...]
"""A named set of status changes; their `figure` is empty until `condition_changes` fills it in."""


def condition(*statuses: str, value: Any = True) -> Condition:
    """The condition in which these statuses have this value."""
    return tuple(Change(figure="", key=key, value=value) for key in statuses)


def unharmed(*statuses: str) -> Condition:
    """The condition in which a figure is not eliminated and has none of these statuses."""
    return condition(ELIMINATED, *statuses, value=None)


CONDITIONS: Mapping[str, Condition] = {"eliminated": condition(ELIMINATED), "unharmed": unharmed()}
"""The conditions that every game has."""


def condition_changes(figure: str, found: Condition) -> tuple[Change, ...]:
    """The changes that put a figure into a condition."""
    return tuple(replace(one, figure=figure) for one in found)
