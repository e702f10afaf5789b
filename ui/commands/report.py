"""An analysis as text for the player: figures, ranges, blasts."""

from __future__ import annotations

from collections.abc import Sequence

from rules.tabletop.template import Blast
from ui.formatting import in_order
from ui.measuring import figures_under_blast, measured, sights
from ui.setup.armies import WITHOUT_EMPTY, group_words, one_plastic, separation_sentence, separations_of
from vision.setup import Setup
from vision.table_view import TableView

_MAX_PAIRS = 12
_SIGMAS = 2  # ± covers 95 %, as in the window


def report(view: TableView, setup: Setup, blasts: Sequence[Blast], *, pairs: bool) -> str:
    """One view as plain text with aligned tables."""
    parts = [calibration_line(view), _groups(view), _figures(view), _colours(view, setup)]
    if pairs and len(view.figures) > 1:
        parts.append(_ranges(view, setup))
    parts += [_blast(view, blast) for blast in blasts]
    return "\n\n".join(part for part in parts if part)


def calibration_line(view: TableView) -> str:
    """The calibration's quality, or why there is none, in one line."""
    if view.calibration is None:
        return f"Not calibrated: {view.problem}"
    calibration = view.calibration
    count = len(calibration.markers_in)
    error_in = max(0.01, _SIGMAS * calibration.typical_sigma_in())
    by = f"{count} marker{'s' if count != 1 else ''}" if count else "a rectangle"
    line = f"Calibrated by {by}: ±{error_in:.2f} in on the table, residual {calibration.residual_px:.2f} px"
    return line if view.problem is None else f"{line}; now: {view.problem}"


def _groups(view: TableView) -> str:
    """The proposed groups."""
    words = group_words(view)
    if not words:
        return ""
    more = " Two armies of one colour cannot be separated." if one_plastic(view) else ""
    return f"{words}, grouped by their colour. To name an army, use --teach NAME@X,Y with a pixel of a soldier.{more}"


def _figures(view: TableView) -> str:
    if not view.figures and not view.frame.has_colours:
        return "No soldiers found: this picture has no colours. Use a colour camera or picture."
    if not view.figures:
        return "No soldiers found. Teach an army with --teach NAME@X,Y and a pixel of one of its soldiers."
    rows = [("figure", "posture", "x in", "y in", "± in", "facing", "sure")]
    for figure in in_order(view.figures):
        facing = "" if figure.facing_deg is None else f"{figure.facing_deg:.0f}°"
        place = (f"{figure.x_in:.1f}", f"{figure.y_in:.1f}", f"{_SIGMAS * figure.sigma_in:.2f}")
        rows.append((figure.id, str(figure.posture), *place, facing, f"{figure.confidence:.0%}"))
    return _table(rows)


def _colours(view: TableView, setup: Setup) -> str:
    sentences = list(map(separation_sentence, separations_of(view, setup)))
    return "\n".join([*sentences, *([WITHOUT_EMPTY] if sentences and setup.reference_bgr is None else [])])


def _ranges(view: TableView, setup: Setup) -> str:
    seen = sights(view, setup)
    row = {name: n for n, name in enumerate(seen.ids)}
    distances = sorted(
        ((ids, d) for ids, d in measured(view, view.figures).items() if ids[0] < ids[1]),
        key=lambda item: item[1].edge_in,
    )
    rows = [("from", "to", "centre in", "edge in", "± in", "sees", "seen")]
    for (a, b), distance in distances[:_MAX_PAIRS]:
        numbers = (f"{distance.centre_in:.1f}", f"{distance.edge_in:.1f}", f"{_SIGMAS * distance.sigma_in:.2f}")
        rows.append((a, b, *numbers, f"{seen.exposure[row[a], row[b]]:.0%}", f"{seen.exposure[row[b], row[a]]:.0%}"))
    more = len(distances) - _MAX_PAIRS
    return _table(rows) + (f"\n... and {more} longer ranges" if more > 0 else "")


def _blast(view: TableView, blast: Blast) -> str:
    x, y = blast.centre_in
    title = f"Blast of {blast.radius_in:g} in at {x:.1f}, {y:.1f}:"
    hits = figures_under_blast(view, blast)
    if not hits:
        return f"{title} nobody is under it."
    return f"{title}\n" + _table([(f"  {hit.id}", f"{hit.fraction:.0%} of the base") for hit in hits])


def _table(rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(
            cell.ljust(w) if k == 0 else cell.rjust(w) for k, (cell, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )
