"""`sandtable demo` without a display: plays one turn on the simulated table."""

from __future__ import annotations

from itertools import count
from pathlib import Path

from rules.engine.text import display_name
from rules.tabletop.table import Posture
from rules.tabletop.template import Blast
from ui.analysis import analysis_of, events_of, frame_of
from ui.commands.analyse import report
from ui.files import make_folder, write_bytes, write_json, write_picture
from ui.measuring import figures_under_blast
from ui.picture.drawing import table_overlay
from ui.session import Session
from ui.setup.armies import demo_setup
from vision.simulation.simulator import demo_table
from vision.table_view import TableView

TURN_S = 16.0
"""In the first 15 s of the demo, a soldier of each side advances and a third falls."""

_FRAME_S = 1.0
_BLAST_IN = 3.0


def play_demo(folder: Path, seed: int) -> int:
    """Play one turn on the simulated table, write picture, JSON and log, and return the exit status.

    Raises:
        UserError: if the folder cannot be written.
    """
    from ui.desktop.picture.painter import annotated  # Qt draws the text

    make_folder(folder)
    ticks = count(0.0, _FRAME_S)
    table = demo_table(lambda: next(ticks), seed)
    session = Session()
    views: list[TableView] = []
    log: list[str] = []
    while not views or views[-1].frame.time_s < TURN_S:
        frame = table.read()
        assert frame is not None  # the simulated table never ends
        if not views:
            session = Session(demo_setup(frame, table.truth, table.empty_bgr))
        view = session.process(frame)
        log += [f"{view.frame.time_s:5.1f} s  {_words(event)}" for event in events_of(view)]
        views.append(view)
    view = views[-1]
    _lay_examples(session, view)
    blasts = [template for template in session.state.templates if isinstance(template, Blast)]
    text = report(view, session.state.setup, blasts, pairs=True)
    print(text)
    print("\nWhat happened:", *log, sep="\n  ")
    events = [event for seen in views for event in events_of(seen)]
    document = analysis_of(view, "demo", session.state.setup, blasts, pairs=True)
    document |= {"frames": [frame_of(v) for v in views], "events": events}
    write_picture(folder / "table.png", annotated(view.frame.image_bgr, table_overlay(view, session.state)))
    write_json(folder / "table.json", document)
    write_bytes(folder / "log.txt", "\n".join([text, "", "What happened:", *log, ""]).encode())
    print(f"\nWrote {folder / 'table.png'} (the annotated picture), with table.json and log.txt beside it.")
    return 0 if view.calibration is not None else 1


def _lay_examples(session: Session, view: TableView) -> None:
    """Lay one ruler between two armies, and a blast where it covers most."""
    figures = [f for f in view.figures if f.posture is not Posture.VEHICLE]
    rivals = next(((a, b) for a in figures for b in figures if a.army < b.army), None)
    if rivals:
        session.lay_ruler(rivals[0].id, rivals[1].id)
    if figures:
        spots = [Blast(f.centre_in, _BLAST_IN) for f in figures]
        worst = max(spots, key=lambda blast: sum(hit.fraction for hit in figures_under_blast(view, blast)))
        session.lay(worst)


def _words(event: dict[str, object]) -> str:
    words = str(event["kind"]).replace("_", " ")
    if "id" in event:
        words = f"{display_name(str(event['id']))}: {words}"
    return f"{words} {event['distance_in']:.1f} in" if "distance_in" in event else words
