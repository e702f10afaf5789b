"""The answer in large letters: what the last question on the table comes to, now."""

from __future__ import annotations

from rules.engine.text import spoken, told
from rules.tabletop.table import Figure
from rules.tabletop.template import Hit, Template
from ui.formatting import Basis, other_words, percent_words, range_words, spread_words
from ui.measuring import Reading, covered, read_off, standing_at
from ui.picture.overlay import Preview
from ui.session import Ruler, TableState
from ui.table.finding import Answer
from ui.table.shapes import template_words
from ui.units import Unit
from vision.table_view import TableView

Laid = Ruler | Template


def newest(before: TableState, after: TableState) -> Laid | None:
    """What was laid on the table between two states, or None where nothing was."""
    was = on_table(before)
    return next((thing for thing in reversed(on_table(after)) if thing not in was), None)


def on_table(state: TableState) -> tuple[Laid, ...]:
    """All rulers and templates."""
    return (*state.rulers, *state.templates)


def current_answer(
    view: TableView, state: TableState, preview: Preview, question: Laid | None, reading: Reading | None
) -> Answer:
    """What to answer: what the tool in hand asks, else a question (see `asked_now`), with the reading of a ruler."""
    if preview.finding is not None:
        return preview.finding.answer
    figure = standing_at(view, preview.asked) if preview.asked else None
    if figure is not None:
        return _of_figure(figure, state, preview.told)
    return _answer(view, question, reading, state.basis, state.unit) if question is not None else Answer()


def asked_now(state: TableState, preview: Preview, last: Laid | None) -> Laid | None:
    """What the tool in hand would lay down, else what was laid down last and still lies there."""
    laid = on_table(state)
    return preview.ruler or preview.template or (last if last in laid else None) or (laid[-1] if laid else None)


def answer_to(view: TableView, question: Laid, basis: Basis, unit: Unit) -> Answer:
    """What a ruler or a template says in this view, distances between those parts of the bases."""
    reading = read_off(view, question) if isinstance(question, Ruler) else None
    return _answer(view, question, reading, basis, unit)


def _answer(view: TableView, question: Laid, reading: Reading | None, basis: Basis, unit: Unit) -> Answer:
    return _of_ruler(question, reading, basis, unit) if isinstance(question, Ruler) else _of_template(view, question)


def _of_ruler(ruler: Ruler, reading: Reading | None, basis: Basis, unit: Unit) -> Answer:
    if reading is None:
        return Answer("not seen", (f"{told(ruler.name)}: not both are in sight now",))
    rows = [told(ruler.name)]
    if reading.a.army and reading.b.army:
        rows.append(other_words(reading.range, basis, unit))
    if len(reading.legs) > 1:
        rows.append(" + ".join(f"{leg.centre_in * unit.per_in:.1f}" for leg in reading.legs) + f" {unit}")
    return Answer(range_words(reading.range, basis, unit), tuple(rows))


def _of_template(view: TableView, template: Template) -> Answer:
    hits = covered(view, template)
    return Answer(_count_words(hits), (f"under the {template_words(template)}", *(hit_words(hit) for hit in hits)))


def _count_words(hits: tuple[Hit, ...]) -> str:
    sure = sum(hit.fraction > 0 for hit in hits)
    count = {0: "nobody", 1: "1 figure"}.get(sure, f"{sure} figures")
    return f"{count}, {len(hits) - sure} perhaps" if len(hits) > sure else count


def hit_words(hit: Hit) -> str:
    """As "Tan 2  63 %", with its bounds where the places leave them open: "Tan 2  63 % (58 to 70 %)"."""
    part, least, most = (percent_words(one) for one in (hit.fraction, hit.least, hit.most))
    bounds = "" if least == most else f" ({least.removesuffix(' %')} to {most})"
    perhaps = ", perhaps untouched" if hit.least == 0 else ""
    return f"{spoken(hit.id)}  {part}{bounds}{perhaps}"


def _of_figure(figure: Figure, state: TableState, told_of: tuple[str, ...]) -> Answer:
    place = f"{state.place_words(figure.centre_in)} (± {spread_words(figure.sigma_in, state.unit)})"
    rows = [f"{figure.army}, {figure.posture.value}", place]
    if figure.z_in:
        rows.append(f"on {state.unit.words(figure.z_in)} of ground")
    return Answer(spoken(figure.id), (*rows, *told_of))
