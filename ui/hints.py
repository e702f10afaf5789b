"""What the player may do next, the names of sources, and what lies on the table, in words. No Qt here."""

from __future__ import annotations

from pathlib import Path

from ui.measuring import Read, read_off
from ui.session import Ruler, TableState
from ui.table.shapes import template_words
from ui.tools.answer import answer_to, on_table
from ui.translation import mark_for_translation, tr
from vision.source import is_camera
from vision.table_view import TableView

TEACH = "teach"
"""Name of the tool that teaches armies."""

# Non-breaking spaces keep a key and its tool on one line.
_KEYS = mark_for_translation("   M:\u00a0measure   S:\u00a0sight   B:\u00a0blast   D:\u00a0move   T:\u00a0teach")


def title_words(spec: str) -> str:
    """The name of a source."""
    if spec == "demo":
        return tr("Simulated table")
    return tr("Camera {number}", number=spec) if is_camera(spec) else Path(spec).name


def next_step(
    view: TableView, state: TableState, tool: str, hint: str, practice: str = "", *, keys: bool = True
) -> str:
    """What the player should do next: `hint` with the current tool.

    `practice` is how the mouse moves soldiers of the simulated table; empty for other tables. `keys` says whether to
    name the keys of the tools.
    """
    if view.calibration is None:
        return tr("Lay a printed marker flat on the table, fully in the picture. It shows how long an inch is.")
    if not view.figures and not view.frame.has_colours:
        return tr("This picture has no colours, but armies are found by colour. Use a colour camera or picture.")
    if view.proposed and not state.setup.palette and tool != TEACH:
        return tr("Use the armies found by colour, or press T and click a soldier of each army.")
    if not state.setup.palette and tool != TEACH:
        if state.setup.propose:
            return tr(
                "No army is known yet. Soldiers are found automatically and grouped by colour. Press T, then click a"
                " soldier to teach its army."
            )
        return tr("No army is known yet. Press T, then click a soldier to teach its army.")
    if state.setup.palette and not view.figures:
        return tr("Searching for the soldiers of your armies…")
    if practice:  # with the keys, a third line would move the picture under the mouse
        return f"{practice}   {hint}"
    if not keys:
        return hint
    return hint + (tr("   M: measure") if tool == TEACH else tr(_KEYS))


def laid_words(view: TableView, state: TableState, read: Read = read_off) -> list[str]:
    """Every ruler and template on the table with its result; `read` measures a ruler."""
    named = ((laid.name if isinstance(laid, Ruler) else template_words(laid), laid) for laid in on_table(state))
    return [f"{name}: {answer_to(view, laid, state.basis, state.unit, read).headline}" for name, laid in named]
