"""What the window says of the table in passing: what is open, what to do next, what lies there."""

from __future__ import annotations

from pathlib import Path

from ui.questions.answer import answer_to, on_table
from ui.session import Ruler, TableState
from ui.table.shapes import template_words
from vision.source import is_camera
from vision.table_view import TableView

TEACH = "teach"
"""The tool by which armies are taught."""

# Hard spaces: a key stands in one line with what it does.
_KEYS = "   M:\u00a0measure   S:\u00a0sight   B:\u00a0blast   D:\u00a0move   T:\u00a0teach"


def title_words(spec: str) -> str:
    """What is open, for people."""
    if spec == "demo":
        return "Simulated table"
    return f"Camera {spec}" if is_camera(spec) else Path(spec).name


def next_step(view: TableView, state: TableState, tool: str, hint: str, practice: str = "") -> str:
    """What the player would do next, with the tool in hand.

    Args:
        view, state: The table.
        tool: Name of the tool.
        hint: What its next click does.
        practice: What the mouse can do to the soldiers of the simulated table; empty for any other table.
    """
    if view.calibration is None:
        return "Lay a printed marker flat on the table, wholly in the picture: it tells how long an inch is."
    if view.proposed and not state.setup.palette and tool != TEACH:
        return "Use the armies found by colour, or press T and click a soldier of each army."
    if not state.setup.palette and tool != TEACH:
        found = " Soldiers are found by themselves and grouped by colour." if state.setup.propose else ""
        return f"No army is known yet.{found} Press T, then click a soldier to teach its army's colour."
    if state.setup.palette and not view.figures:
        return "Looking for soldiers of the armies taught …"
    if practice:  # the keys would make a third line, and push the picture away from under the mouse
        return f"{practice}   {hint}"
    return hint + ("   M: measure" if tool == TEACH else _KEYS)


def laid_words(view: TableView, state: TableState) -> list[str]:
    """Every ruler and template on the table, each with what it says."""
    named = ((thing.name if isinstance(thing, Ruler) else template_words(thing), thing) for thing in on_table(state))
    return [f"{name}: {answer_to(view, thing, state.basis, state.unit).headline}" for name, thing in named]
