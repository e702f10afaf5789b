"""The answer in large letters to the players' last question."""

from __future__ import annotations

from rules.tabletop.table import Figure
from rules.tabletop.template import Hit, Template
from ui.formatting import Basis, other_words, percent_words, range_words, spread_words
from ui.measuring import Read, Reading, covered, figure_at_end, read_off
from ui.picture.preview import Preview
from ui.rules_text import display_name
from ui.session import Ruler, TableState
from ui.table.finding import Answer
from ui.table.shapes import template_words
from ui.translation import tr, tr_count
from ui.vocabulary import Unit, seen_posture_words
from vision.table_view import TableView

Laid = Ruler | Template
"""What players lay on the table."""


def newest(before: TableState, after: TableState) -> Laid | None:
    """The newest ruler or template that `after` has and `before` has not, or None."""
    old = on_table(before)
    return next((laid for laid in reversed(on_table(after)) if laid not in old), None)


def on_table(state: TableState) -> tuple[Laid, ...]:
    """All rulers and templates."""
    return (*state.rulers, *state.templates)


def current_answer(
    view: TableView, state: TableState, preview: Preview, question: Laid | None, reading: Reading | None
) -> Answer:
    """The answer to the current tool's question, else to `question` (see `asked_now`) with its ruler's reading."""
    if preview.finding is not None:
        return preview.finding.answer
    figure = figure_at_end(view, preview.asked) if preview.asked else None
    if figure is not None:
        return _of_figure(figure, state, (*preview.battle_lines, *preview.turn_lines))
    return _answer(view, question, reading, state.basis, state.unit) if question is not None else Answer()


def asked_now(state: TableState, preview: Preview, last: Laid | None) -> Laid | None:
    """What the current tool would lay down, else what was laid down last and still lies there."""
    laid = on_table(state)
    return preview.ruler or preview.template or (last if last in laid else None) or (laid[-1] if laid else None)


def answer_to(view: TableView, question: Laid, basis: Basis, unit: Unit, read: Read = read_off) -> Answer:
    """The answer of a ruler or a template in this view; `read` measures a ruler."""
    reading = read(view, question) if isinstance(question, Ruler) else None
    return _answer(view, question, reading, basis, unit)


def _answer(view: TableView, question: Laid, reading: Reading | None, basis: Basis, unit: Unit) -> Answer:
    return _of_ruler(question, reading, basis, unit) if isinstance(question, Ruler) else _of_template(view, question)


def _of_ruler(ruler: Ruler, reading: Reading | None, basis: Basis, unit: Unit) -> Answer:
    if reading is None:
        return Answer(tr("not seen"), (tr("{ruler}: the camera does not see both ends", ruler=ruler.name),))
    rows = [ruler.name]
    if reading.a.army and reading.b.army:
        rows.append(other_words(reading.range, basis, unit))
    if len(reading.legs) > 1:
        rows.append(" + ".join(f"{leg.centre_in * unit.per_in:.1f}" for leg in reading.legs) + f" {unit.sign}")
    return Answer(range_words(reading.range, basis, unit), tuple(rows))


def _of_template(view: TableView, template: Template) -> Answer:
    hits = covered(view, template)
    return Answer(
        _count_words(hits),
        (tr("under the template: {template}", template=template_words(template)), *(hit_words(hit) for hit in hits)),
    )


def _count_words(hits: tuple[Hit, ...]) -> str:
    certain = sum(hit.fraction > 0 for hit in hits)
    count = tr_count("{count} soldier", "{count} soldiers", certain) if certain else tr("nobody")
    perhaps = len(hits) - certain
    return tr("{soldiers}, {perhaps} perhaps", soldiers=count, perhaps=perhaps) if perhaps else count


def hit_words(hit: Hit) -> str:
    """The part under the template with its bounds, such as "Tan 2  63 %" or "Tan 2  63 % (58 to 70 %)"."""
    part, least, most = (percent_words(value) for value in (hit.fraction, hit.least, hit.most))
    if least != most:
        part = tr("{part} ({least} to {most})", part=part, least=least.removesuffix(" %"), most=most)
    if hit.least == 0:
        part = tr("{part}, perhaps missed", part=part)
    return f"{display_name(hit.id)}  {part}"


def _of_figure(figure: Figure, state: TableState, battle_lines: tuple[str, ...]) -> Answer:
    place = f"{state.place_words(figure.centre_in)} (± {spread_words(figure.sigma_in, state.unit)})"
    rows = [f"{figure.army}, {seen_posture_words(figure)}", place]
    if figure.z_in:
        rows.append(tr("stands {height} above the table", height=state.unit.words(figure.z_in)))
    return Answer(display_name(figure.id), (*rows, *battle_lines))
