"""What the window says of the table in passing: what is open, what to do next, what lies there."""

from __future__ import annotations

from pathlib import Path

from rules.template import Blast
from ui.answer import Laid, answer_to
from ui.session import TableState
from vision.pipeline import TableView

TEACH = "teach"
"""The tool by which armies are taught."""


def title_words(spec: str) -> str:
    """What is open, for people."""
    if spec == "demo":
        return "Simulated table"
    return f"Camera {spec}" if spec.isdecimal() else Path(spec).name


def next_step(view: TableView, state: TableState, tool: str, hint: str) -> str:
    """What the player would do next, with the tool in hand."""
    if view.calibration is None:
        return "Lay a printed marker flat on the table, wholly in the picture: it tells how long an inch is."
    if not state.setup.palette and tool != TEACH:
        return "No army is known yet. Press T, then click a soldier to teach his army's colour."
    if state.setup.palette and not view.figures:
        return "Looking for soldiers of the armies taught …"
    return hint + ("   M: measure" if tool == TEACH else "   M: measure   B: blast   T: teach")


def laid_words(view: TableView, thing: Laid) -> str:
    """A ruler or a blast with what it says."""
    answer = answer_to(view, thing)
    if isinstance(thing, Blast):
        return f"blast of {thing.radius_in:g} in: {answer.headline}"
    return f"{thing.name}: {answer.headline}"
