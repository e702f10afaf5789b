"""`sandtable analyse`: finds and measures the figures in pictures."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from calibration.by_hand import Rectangle
from calibration.calibration_targets import CalibrationTargets
from calibration.diagnosis import why_not
from calibration.marker_issue import MarkerIssue
from calibration.markers import Board
from calibration.print_scale import PrintScale
from calibration.profile import read_layout, read_lens
from rules.tabletop.errors import UserError
from rules.tabletop.template import Blast
from ui.analysis import analysis_of, colours_of, events_of, frame_of, sequence_of
from ui.commands.report import report
from ui.files import check_picture_name, check_writable, read_terrain, write_json, write_picture
from ui.picture.overlay import marker_issue_shapes, table_overlay
from ui.session import Session
from ui.setup.lens import LensProfiles, camera_identity, lens_folder
from vision.frame import Frame
from vision.setup import Setup
from vision.source import Source, open_source, read_image
from vision.table_view import TableView


def run_analysis(options: argparse.Namespace) -> int:
    """Analyse a source and return the exit status.

    Raises:
        UserError: if a file, the source or the calibration cannot be used.
    """
    _check_outputs(options)
    session = Session(_setup(options))
    blasts = tuple(Blast(centre, radius) for centre, radius in options.blast)
    stop: UserError | KeyboardInterrupt | None = None
    source = open_source(options.source)
    try:
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
    finally:
        source.close()
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
    """Why there is no calibration, followed by the issues with markers, each kind once."""
    sentences = {issue.reason: issue.sentence for issue in reversed(issues)}
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
