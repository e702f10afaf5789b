"""`sandtable analyse`: finds and measures the figures in pictures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

from calibration.by_hand import Rectangle
from calibration.calibration_targets import CalibrationTargets
from calibration.diagnosis import why_not
from calibration.marker_issue import MarkerIssue, Reason
from calibration.markers import Board
from calibration.print_scale import PrintScale
from calibration.profile import read_layout, read_lens
from rules.tabletop.errors import UserError
from rules.tabletop.template import Blast
from ui.analysis import analysis_of, colours_of, events_of, frame_of, sequence_of
from ui.files import check_picture_name, check_writable, read_terrain, write_json, write_picture
from ui.formatting import in_order
from ui.measuring import figures_under_blast, measured, sights
from ui.picture.drawing import table_overlay
from ui.picture.overlay import marker_issue_shapes
from ui.session import Session
from ui.setup.armies import WITHOUT_EMPTY, group_words, one_plastic, separation_sentence, separations_of
from ui.setup.lens import LensProfiles, camera_identity, lens_folder
from vision.frame import Frame
from vision.pictures import read_image
from vision.setup import Setup
from vision.source import Source, open_source
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


def run_analysis(options: argparse.Namespace) -> int:
    """Analyse a source and return the exit status.

    Raises:
        UserError: if a file, the source or the calibration cannot be used.
    """
    _check_outputs(options)
    session = Session(_setup(options))
    blasts = tuple(Blast(centre, radius) for centre, radius in options.blast)
    stop: UserError | KeyboardInterrupt | None = None
    with closing(open_source(options.source)) as source:
        first = source.read()
        if first is None:
            raise UserError(f"{source.name} contains no picture")
        if options.lens is None:
            _use_saved_lens(session, options.source, first)
        if options.teach:
            session.process(first)  # calibrates first, so that a click finds a figure by its size
        for army, px in options.teach:
            session.teach(first, army, px, surely=True)  # a command cannot ask
        if options.frames is None and (source.live or source.still):
            view = session.process(first)
            document = analysis_of(view, options.source, session.state.setup, blasts, pairs=options.pairs)
        else:
            view, document, stop = _sequence(session, first, source, options)
    state = replace(session.state, templates=blasts)
    issues = view.set_aside if view.calibration else why_not(view.frame.gray(), state.setup.prints, state.setup.lens)
    if options.json:
        write_json(options.json, document)
    if options.picture:
        from ui.desktop.picture.painter import annotated  # loads Qt, which draws the text

        shapes = (*table_overlay(view, state), *marker_issue_shapes(issues, view.frame.size_px))
        write_picture(options.picture, annotated(view.frame.image_bgr, shapes))
    if view.calibration is None:
        raise stop or UserError(_failure(view.problem or "the picture cannot be calibrated", issues))
    print(report(view, state.setup, blasts, pairs=options.pairs))
    if stop is not None:
        raise stop
    return 0


def _use_saved_lens(session: Session, spec: str, first: Frame) -> None:
    """Use the saved profile of this camera; one for another picture size gives only a message."""
    camera = camera_identity(spec)
    try:
        lens = LensProfiles(lens_folder()).find(camera, first.size_px) if camera else None
    except UserError as error:
        print(f"sandtable: {error}", file=sys.stderr)
        return
    if lens is not None:
        session.use_lens(lens, as_before=True)


def _failure(problem: str, issues: Sequence[MarkerIssue]) -> str:
    """Why there is no calibration, followed by the issues with markers, each kind once.

    Markers that are mirrored or of another kind explain all the rest.
    """
    sentences = {issue.reason: issue.sentence for issue in reversed(issues)}
    causes = [sentences[reason] for reason in (Reason.MIRRORED, Reason.WRONG_DICTIONARY) if reason in sentences]
    if causes:
        return "; ".join(causes)
    return "; ".join([problem, *sorted(words for words in sentences.values() if words != problem)])


def _check_outputs(options: argparse.Namespace) -> None:
    """Check the output files before the work, since a video may take an hour."""
    for path in filter(None, (options.json, options.picture)):
        check_writable(path)
    if options.picture:
        check_picture_name(options.picture)


def _sequence(
    session: Session, first: Frame, source: Source, options: argparse.Namespace
) -> tuple[TableView, dict[str, Any], UserError | KeyboardInterrupt | None]:
    """Analyse every frame, with the progress on a terminal.

    Returns the last view, the document, and the error or Ctrl+C that ended the analysis early, after which the frames
    up to then are still in the document.
    """
    view = session.process(first)
    frames, events = [frame_of(view)], [*events_of(view)]
    stop: UserError | KeyboardInterrupt | None = None
    try:
        while len(frames) != options.frames and (frame := source.read()) is not None:
            view = session.process(frame)
            frames.append(frame_of(view))
            events.extend(events_of(view))
            if sys.stderr.isatty():
                print(f"\r{source.name}: {len(frames)} pictures", end="", file=sys.stderr)
    except (UserError, KeyboardInterrupt) as error:
        stop = error
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return view, sequence_of(frames, events, options.source, colours_of(view, session.state.setup)), stop


def _setup(options: argparse.Namespace) -> Setup:
    if options.rectangle and (options.layout or options.board or options.measured):
        raise UserError("a rectangle replaces markers: leave out --rectangle, or --layout, --board and --measured")
    prints = CalibrationTargets(
        side_in=options.marker_side,
        dictionary=options.dictionary,
        board=Board(*options.board) if options.board else None,
        layout=read_layout(options.layout) if options.layout else None,
        scale=PrintScale(*options.measured) if options.measured else None,
        rectangle=Rectangle(*options.rectangle) if options.rectangle else None,
    )
    return Setup(
        prints=prints,
        lens=read_lens(options.lens) if options.lens else None,
        reference_bgr=read_image(options.reference) if options.reference else None,
        terrain=read_terrain(options.terrain) if options.terrain else (),
        figure_height_in=options.figure_height,
        propose=not options.teach,
    )
