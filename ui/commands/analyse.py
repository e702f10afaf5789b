"""`sandtable analyse`: pictures in, figures, ranges and blasts out."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from calibration.by_hand import Rectangle
from calibration.calibration_targets import Prints
from calibration.diagnosis import why_not
from calibration.marker_issue import Trouble
from calibration.markers import Board
from calibration.print_scale import PrintScale
from calibration.profile import read_layout, read_lens
from rules.tabletop.errors import UserError
from rules.tabletop.template import Blast
from ui.analysis import analysis_of, colours_of, events_of, frame_of, sequence_of
from ui.commands.report import report
from ui.files import read_terrain, refuse_unpicturable, refuse_unwritable, write_json, write_picture
from ui.picture.marker_issues import trouble_overlay
from ui.picture.overlay import table_overlay
from ui.session import Session
from ui.setup.profiles import LensProfiles, camera_identity, lens_folder
from vision.frame import Frame
from vision.setup import Setup
from vision.source import Source, open_source, read_image
from vision.table_view import TableView


def run_analysis(options: argparse.Namespace) -> int:
    """Analyse a source as the options say; the exit status.

    Raises:
        UserError: if a file, the source or the calibration cannot be used.
    """
    _refuse_outputs(options)
    session = Session(_setup(options))
    blasts = tuple(Blast(centre, radius) for centre, radius in options.blast)
    stop: UserError | KeyboardInterrupt | None = None
    source = open_source(options.source)
    try:
        first = source.read()
        if first is None:
            raise UserError(f"{source.name} holds no picture")
        if options.lens is None:
            _know_lens(session, options.source, first)
        if options.teach:
            session.look(first)  # inches first: a figure under a click is looked for at its size
        for army, px in options.teach:
            session.teach(first, army, px, surely=True)  # there is nobody to ask
        if options.frames is None and (source.live or source.still):
            view = session.look(first)
            document = analysis_of(view, options.source, session.state.setup, blasts, pairs=options.pairs)
        else:
            view, document, stop = _sequence(session, first, source, options)
    finally:
        source.close()
    state = replace(session.state, templates=blasts)
    troubles = view.set_aside if view.calibration else _why_not(view, state.setup)
    if options.json:
        write_json(options.json, document)
    if options.picture:
        from ui.desktop.picture.painter import annotated  # Qt draws the text; without a picture nobody waits for it

        shapes = (*table_overlay(view, state), *trouble_overlay(troubles, view.frame.size_px))
        write_picture(options.picture, annotated(view.frame.image_bgr, shapes))
    if view.calibration is None:
        raise stop or UserError(_failure(view.problem or "there is no calibration", troubles))
    print(report(view, state.setup, blasts, pairs=options.pairs))
    if stop is not None:
        raise stop
    return 0


def _know_lens(session: Session, spec: str, first: Frame) -> None:
    """Use the profile that is kept for this camera; one for other pictures is no reason to stop."""
    camera = camera_identity(spec)
    try:
        lens = LensProfiles(lens_folder()).find(camera, first.size_px) if camera else None
    except UserError as refusal:
        print(f"sandtable: {refusal}", file=sys.stderr)
        return
    if lens is not None:
        session.use_lens(lens, as_before=True)


def _why_not(view: TableView, setup: Setup) -> tuple[Trouble, ...]:
    return why_not(view.frame.gray(), setup.prints, setup.lens)


def _failure(problem: str, troubles: Sequence[Trouble]) -> str:
    """Why there is no calibration, and what was seen instead, each kind of thing once."""
    seen = {trouble.reason: trouble.sentence for trouble in reversed(troubles)}
    return "; ".join([problem, *sorted(words for words in seen.values() if words != problem)])


def _refuse_outputs(options: argparse.Namespace) -> None:
    """Before the work, for a video may take an hour."""
    for path in filter(None, (options.json, options.picture)):
        refuse_unwritable(path)
    if options.picture:
        refuse_unpicturable(options.picture)


def _sequence(
    session: Session, first: Frame, source: Source, options: argparse.Namespace
) -> tuple[TableView, dict[str, Any], UserError | KeyboardInterrupt | None]:
    """Look at every frame in turn, with a sign of life on a terminal.

    A broken picture or Ctrl+C ends it before its time: the last of the three; what was seen until then is not lost.
    """
    view = session.look(first)
    frames, events = [frame_of(view)], [*events_of(view)]
    stop: UserError | KeyboardInterrupt | None = None
    try:
        while len(frames) != options.frames and (frame := source.read()) is not None:
            view = session.look(frame)
            frames.append(frame_of(view))
            events.extend(events_of(view))
            if sys.stderr.isatty():
                print(f"\r{source.name}: {len(frames)} pictures", end="", file=sys.stderr)
    except (UserError, KeyboardInterrupt) as why:
        stop = why
    if sys.stderr.isatty():
        print(file=sys.stderr)
    return view, sequence_of(frames, events, options.source, colours_of(view, session.state.setup)), stop


def _setup(options: argparse.Namespace) -> Setup:
    if options.rectangle and (options.layout or options.board or options.measured):
        raise UserError("a rectangle stands in for markers: leave out --rectangle, or --layout, --board and --measured")
    prints = Prints(
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
