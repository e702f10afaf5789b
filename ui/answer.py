"""The answer in large letters: what the last question on the table comes to, now."""

from __future__ import annotations

from dataclasses import dataclass

from rules.table import Figure
from rules.template import Blast
from ui.overlay import Preview
from ui.readout import edge_words, percent_words, place_words, range_words, spread_in
from ui.session import Ruler, TableState, blasted, read_off, standing_at
from vision.pipeline import TableView

Laid = Ruler | Blast


@dataclass(frozen=True, slots=True)
class Answer:
    """A headline to be read across the table, and what belongs to it."""

    headline: str = ""
    rows: tuple[str, ...] = ()


def newest(before: TableState, after: TableState) -> Laid | None:
    """What was laid on the table between two states, or None where nothing was."""
    was = on_table(before)
    return next((thing for thing in reversed(on_table(after)) if thing not in was), None)


def on_table(state: TableState) -> tuple[Laid, ...]:
    """All rulers and blasts."""
    return (*state.rulers, *state.blasts)


def current_answer(view: TableView, state: TableState, preview: Preview, last: Laid | None) -> Answer:
    """What to answer: what the tool in hand asks, else the last thing laid on the table."""
    laid = on_table(state)
    figure = standing_at(view, preview.asked) if preview.asked else None
    if figure is not None:
        return _of_figure(figure)
    question = preview.ruler or preview.blast or (last if last in laid else None) or (laid[-1] if laid else None)
    return answer_to(view, question) if question is not None else Answer()


def answer_to(view: TableView, question: Laid) -> Answer:
    """What a ruler or a blast says in this view."""
    return _of_ruler(view, question) if isinstance(question, Ruler) else _of_blast(view, question)


def _of_ruler(view: TableView, ruler: Ruler) -> Answer:
    reading = read_off(view, ruler)
    if reading is None:
        return Answer("not seen", (f"{ruler.name}: not both are in sight now",))
    rows = [ruler.name]
    if reading.a.army and reading.b.army:
        rows.append(edge_words(reading.range))
    return Answer(range_words(reading.range), tuple(rows))


def _of_blast(view: TableView, blast: Blast) -> Answer:
    hits = blasted(view, blast)
    count = {0: "nobody", 1: "1 figure"}.get(len(hits), f"{len(hits)} figures")
    rows = (f"under the blast of {blast.radius_in:g} in", *(f"{hit.id}  {percent_words(hit.fraction)}" for hit in hits))
    return Answer(count, rows)


def _of_figure(figure: Figure) -> Answer:
    place = f"{place_words(figure.centre_in)} (± {spread_in(figure.sigma_in):.1f})"
    rows = [f"{figure.army}, {figure.posture.value}", place]
    if figure.z_in:
        rows.append(f"on {figure.z_in:.1f} in of ground")
    return Answer(figure.id, tuple(rows))
