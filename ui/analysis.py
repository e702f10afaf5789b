"""The JSON documents of an analysis; docs/formats.md describes them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from calibration.drift import Drift
from calibration.solve import Calibration
from rules.tabletop.measure import Range
from rules.tabletop.table import Figure
from rules.tabletop.template import Blast
from ui.measuring import figures_under_blast, measured, read_off, sights
from ui.session import End, Ruler, TableState
from ui.setup.armies import groups_of, separation_sentence, separations_of
from ui.table.terrain import terrain_document
from vision.setup import Setup
from vision.table_view import TableView

SCHEMA = 1


def analysis_of(view: TableView, source: str, setup: Setup, blasts: Sequence[Blast], *, pairs: bool) -> dict[str, Any]:
    """The analysis of one picture; `pairs` adds range and sight of every ordered pair of figures."""
    return {
        "schema": SCHEMA,
        "source": source,
        "image_size": list(view.frame.size_px),
        "calibration": _calibration(view.calibration, view.problem),
        **colours_of(view, setup),
        "figures": [_figure(f, view) for f in view.figures],
        "pairs": _pairs(view, setup) if pairs else [],
        "blasts": [_blast(view, blast) for blast in blasts],
    }


def table_document(view: TableView, source: str, state: TableState) -> dict[str, Any]:
    """The table now: its analysis with every pair, and the players' rulers, templates and terrain."""
    blasts = [template for template in state.templates if isinstance(template, Blast)]
    document = analysis_of(view, source, state.setup, blasts, pairs=True)
    return document | {
        "rulers": [_ruler(view, ruler) for ruler in state.rulers],
        "terrain": terrain_document(state.setup.terrain)["pieces"],
    }


def frame_of(view: TableView) -> dict[str, Any]:
    """The entry of one picture of a folder or video."""
    return {
        "index": view.frame.index,
        "time_s": _short(view.frame.time_s),
        "calibration": _calibration(view.calibration, view.problem),
        "figures": [_figure(f, view) for f in view.figures],
    }


def sequence_of(
    frames: list[dict[str, Any]], events: list[dict[str, Any]], source: str, colours: dict[str, Any]
) -> dict[str, Any]:
    """The analysis of a folder or video from its frames, its events, and `colours_of` its last view."""
    return {"schema": SCHEMA, "source": source, **colours, "frames": frames, "events": events}


def colours_of(view: TableView, setup: Setup) -> dict[str, Any]:
    """How well the armies' colours separate from the table (`other` is null) and from each other, worst first.

    If no army was taught, also the groups that are proposed as armies.
    """
    separations = [
        {
            "army": found.army,
            "other": found.other,
            "score": _short(found.score),
            "words": separation_sentence(found, str.format),
        }
        for found in separations_of(view, setup)
    ]
    document: dict[str, Any] = {"empty_table": setup.reference_bgr is not None, "separation": separations}
    if view.proposed:
        document["groups"] = [{"army": army, "figures": count} for army, count in groups_of(view).items()]
    return document


def events_of(view: TableView) -> Iterable[dict[str, Any]]:
    """The events of one frame: drifts, hands, and figures found, lost or moved."""
    for drift in view.drifts:
        yield _drift(drift, view.frame.index)
    if view.hand is not None:
        yield {"kind": str(view.hand), "frame": view.frame.index}
    for event in view.tracking.events:
        document: dict[str, Any] = {"kind": str(event.kind), "frame": view.frame.index, "id": event.id}
        if event.from_in is not None and event.to_in is not None:
            document |= {"from_in": _point(event.from_in), "to_in": _point(event.to_in)}
            document["distance_in"] = _short(math.dist(event.from_in, event.to_in))
        yield document


def _drift(drift: Drift, frame: int) -> dict[str, Any]:
    """A moved table is reported as `camera_moved`; `what` says what moved, as far as the picture shows."""
    if drift.from_in is None or drift.to_in is None:
        return {"kind": "camera_moved", "frame": frame, "what": str(drift.what), "shift_px": _short(drift.shift_px)}
    document: dict[str, Any] = {"kind": "marker_moved", "frame": frame, "id": drift.ids[0]}
    document |= {"from_in": _point(drift.from_in), "to_in": _point(drift.to_in)}
    return document | {"distance_in": _short(math.dist(drift.from_in, drift.to_in))}


def _calibration(calibration: Calibration | None, problem: str | None) -> dict[str, Any]:
    if calibration is None:
        return {"state": "none", "message": problem}
    camera = calibration.camera
    document = {
        "state": "ok" if problem is None else "stale",
        "residual_px": _short(calibration.residual_px),
        "sigma_in": _short(calibration.typical_sigma_in()),
        "camera": {
            "matrix": camera.lens.matrix.tolist(),
            "distortion": camera.lens.distortion.tolist(),
            "rotation": camera.rotation.tolist(),
            "translation": camera.translation.tolist(),
        },
        "markers": [
            {"id": number, "corners_in": [_point(corner) for corner in corners]}
            for number, corners in sorted(calibration.markers_in.items())
        ],
    }
    return document if problem is None else document | {"message": problem}


def _figure(figure: Figure, view: TableView) -> dict[str, Any]:
    assert view.calibration is not None  # figures need a calibration
    foot = view.calibration.camera.table_to_pixel((*figure.centre_in, figure.z_in))[0]
    return {
        "id": figure.id,
        "army": figure.army,
        "x_in": _short(figure.x_in),
        "y_in": _short(figure.y_in),
        "z_in": _short(figure.z_in),
        "sigma_in": _short(figure.sigma_in),
        "facing_deg": None if figure.facing_deg is None else _short(figure.facing_deg),
        "posture": str(figure.posture),
        "posture_confidence": _short(figure.posture_confidence),
        "base_in": [_point(p) for p in figure.base_in],
        "foot_px": _point(foot),
        "confidence": _short(figure.confidence),
    }


def _pairs(view: TableView, setup: Setup) -> list[dict[str, Any]]:
    ranges, seen = measured(view, view.figures), sights(view, setup)
    return [
        {
            "a": a,
            "b": b,
            **_range(ranges[a, b]),
            "exposure": _short(seen.exposure[i, j]),
            "visible": bool(seen.visible[i, j]),
            "blocked_by": [name for name, _ in seen.hidden_by(i, j)],
        }
        for i, a in enumerate(seen.ids)
        for j, b in enumerate(seen.ids)
        if (a, b) in ranges
    ]


def _ruler(view: TableView, ruler: Ruler) -> dict[str, Any]:
    """A ruler with its numbers, which are null while one of its ends is not visible."""
    reading = read_off(view, ruler)
    ends = {"a": _end(ruler.a), "b": _end(ruler.b), "via": [_point(place) for place in ruler.via]}
    return ends | _range(reading.range if reading is not None else None)


def _range(found: Range | None) -> dict[str, Any]:
    numbers = ("centre_in", "edge_in", "sigma_in")
    return {name: None if found is None else _short(getattr(found, name)) for name in numbers}


def _end(end: End) -> str | list[float | None]:
    return end if isinstance(end, str) else _point(end)


def _blast(view: TableView, blast: Blast) -> dict[str, Any]:
    return {
        "centre_in": _point(blast.centre_in),
        "radius_in": blast.radius_in,
        "inside": [{"id": hit.id, "fraction": _short(hit.fraction)} for hit in figures_under_blast(view, blast)],
    }


def _short(value: float) -> float | None:
    return round(float(value), 4) if math.isfinite(value) else None


def _point(point: Iterable[float]) -> list[float | None]:
    return [_short(v) for v in point]
