"""The web page of a battle: one file with its maps, pictures and dice, and without scripts. No Qt here."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape
from itertools import groupby
from pathlib import Path

from rules.battle.progress import Step
from rules.engine.dice import Die
from rules.engine.events import Moved, PhaseBegun, Placed, QuestionAsked, Throw, UnitJoined
from rules.engine.verdict import Reason
from ui.battle.battle_map import extent_of, map_shapes, move_trails
from ui.battle.dice import PIPS, face_words
from ui.battle.history import (
    BattleReport,
    HistoryMoment,
    SideScore,
    lines_in,
    moves_in,
    reason_text,
    reasons_in,
    scores,
    throw_purpose,
    throws_in,
)
from ui.picture.shapes import Label, Line, Region, Shape
from ui.picture.table_map import Extent
from ui.rules_text import display_name, phase_words
from ui.theme import DARK, army_colour, hex_colour
from ui.translation import language, tr

_MAP_PX = (640, 560)

_STYLE = Path(__file__).with_name("report.css")

_Picture = Callable[[int], bytes | None]


def report_page(report: BattleReport, picture: _Picture, step: Step) -> bytes:
    """The battle as one HTML page in the language of the program; the rules' own texts stay English.

    `picture` returns the JPEG of an entry; `step` is called before every moment and may raise an error to cancel.
    """
    moments = [moment for moment in report.moments if not isinstance(moment.events[-1], QuestionAsked)]
    turns = [(turn, tuple(some)) for turn, some in groupby(moments, lambda moment: moment.after.turn)]
    parts = [*_head(report, [turn for turn, _ in turns if turn]), *_result(report)]
    extent, done = extent_of(moment.after for moment in report.moments), 0
    for turn, of_turn in turns:
        title = tr("Turn {turn}", turn=turn) if turn else tr("Before the battle")
        parts.append(f'<section id="turn-{turn}">\n<h2>{escape(title)}</h2>')
        parts.append(_map(of_turn, extent))
        phase = ""
        for moment in of_turn:
            step(done, len(moments))
            done += 1
            if isinstance(moment.events[-1], PhaseBegun):
                phase = phase_words(moment.after.side, moment.after.phase)
                continue
            if phase:
                parts.append(f"<h3>{escape(phase)}</h3>")
            phase = ""
            parts += _moment(moment, picture)
        parts.append("</section>")
    parts.append(f'</main>\n<footer lang="en"><p>{escape(report.credit)}</p></footer>\n</body>\n</html>\n')
    return "\n".join(parts).encode("utf-8", "replace")


def _head(report: BattleReport, turns: Iterable[int]) -> Iterator[str]:
    title = escape(f"{report.opponents}: {report.title}")
    yield f'<!DOCTYPE html>\n<html lang="{escape(language())}">\n<head>\n<meta charset="utf-8">\n<title>{title}</title>'
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield f"<style>\n{_STYLE.read_text('utf-8')}</style>\n</head>\n<body>"
    yield f'<svg width="0" height="0" style="position:absolute" aria-hidden="true">{"".join(_symbols())}</svg>'
    yield f"<header>\n<p>{escape(report.title)}</p>\n<h1>{escape(report.opponents)}</h1>"
    when = next((moment.when for moment in report.moments if moment.when), None)
    if when is not None:
        yield f'<p><time datetime="{when:%Y-%m-%d}" style="float:none">{when:%Y-%m-%d}</time></p>'
    if report.result:
        yield f'<p class="result">{escape(report.result)}</p>'
    links = "".join(f'<a href="#turn-{turn}">{escape(tr("Turn {turn}", turn=turn))}</a>' for turn in turns)
    yield f"</header>\n<nav>{links}</nav>\n<main>"


def _result(report: BattleReport) -> Iterator[str]:
    """The score and the casualties."""
    yield f'<section>\n<h2>{escape(report.score_title)}</h2>\n<div class="table"><table>'
    heads = (tr("Army"), tr("Soldiers left"), tr("Casualties"))
    yield f"<thead><tr>{''.join(f'<th scope=col>{escape(head)}</th>' for head in heads)}</tr></thead>\n<tbody>"
    for score in scores(report.after):
        yield _score_row(score, report)
    yield "</tbody></table></div>\n</section>"


def _score_row(score: SideScore, report: BattleReport) -> str:
    left = tr("{left} of {of}", left=score.left, of=score.of)
    lost = ", ".join(score.lost) or tr("none")
    colour = hex_colour(army_colour(score.side, report.sides))
    dot = f'<span class="dot" style="background:{colour}"></span>'
    army = f"<th scope=row>{dot} {escape(display_name(score.side))}</th>"
    return f"<tr>{army}<td>{escape(left)}</td><td>{escape(lost)}</td></tr>"


def _map(moments: tuple[HistoryMoment, ...], extent: Extent) -> str:
    """The map after the turn, with the ways of the figures that moved in it; nothing before figures have places."""
    after = moments[-1].after
    if not any(unit.at_in for unit in after.units.values()):
        return ""
    ways = tuple(mark for moment in moments for mark in move_trails(moves_in(moment), after))
    size, shapes = map_shapes(after, extent, _MAP_PX, more=ways)
    out = sum(unit.out for unit in after.units.values())
    words = tr("Map: {count} soldiers, {out} of them out", count=len(after.units), out=out)
    caption = tr("The table after turn {turn}", turn=after.turn) if after.turn else tr("The table before the battle")
    return f"<figure>{svg(size, shapes, words)}<figcaption>{escape(caption)}</figcaption></figure>"


def _moment(moment: HistoryMoment, picture: _Picture) -> Iterator[str]:
    event = moment.events[-1]
    if isinstance(event, UnitJoined):
        yield from _armies(lines_in(moment))
        return
    when = moment.when
    clock = f'<time datetime="{when:%Y-%m-%dT%H:%M:%S}">{when:%H:%M}</time>' if when else ""
    heading = f"<h4>{clock}{escape(moment.title)}</h4>"
    if isinstance(event, Moved):  # moves are many, and the map shows them
        yield f'<article class="move">{heading}</article>'
        return
    yield f"<article>{heading}"
    jpeg = next((found for seq in reversed(moment.seqs) if (found := picture(seq))), None)
    if jpeg is not None:
        alt, data = tr("The table after: {title}", title=moment.title), base64.b64encode(jpeg).decode()
        yield f'<img loading="lazy" alt="{escape(alt)}" src="data:image/jpeg;base64,{data}">'
    yield from map(_throw, throws_in(moment))
    if not isinstance(event, Placed):
        yield _list(map(escape, lines_in(moment)))
    yield f"{_list(map(_reason, reasons_in(moment)), 'rules')}</article>"


def _armies(lines: Iterable[str]) -> Iterator[str]:
    """Each army with its figures and cards; a line that is not indented names the army."""
    yield '<div class="armies">'
    armies: list[list[str]] = []
    for line in lines:
        armies += [[line]] if not line.startswith(" ") or not armies else []
        if line.startswith(" "):
            armies[-1].append(line)
    for name, *figures in armies:
        yield f"<div><h3>{escape(name.strip())}</h3>{_list(escape(figure.strip()) for figure in figures)}</div>"
    yield "</div>"


def _list(items: Iterable[str], kind: str = "") -> str:
    inside = "".join(f"<li>{item}</li>" for item in items)
    return f'<ul class="{kind}">{inside}</ul>' if inside else ""


def _reason(reason: Reason) -> str:
    return f"<b>{escape(reason.rule)}</b> {escape(reason_text(reason))}"


# Dice


def _throw(throw: Throw) -> str:
    die = Die.__members__.get(throw.die)
    dice = "".join(_die(die, face) for face in throw.faces if die is not None and face in die.faces)
    return f'<p class="dice">{dice} {escape(throw_purpose(throw))}</p>'


def _die(die: Die, face: int) -> str:
    words = escape(face_words(die, face))
    return f'<svg class="die" role="img" aria-label="{words}"><use href="#{die.name}{face}"/></svg>'


def _symbols() -> Iterator[str]:
    """A drawing of every face, to be used by its id."""
    for die, faces in _FACES.items():
        for face, inside in faces.items():
            square = '<rect x="-.95" y="-.95" width="1.9" height="1.9" rx=".35" fill="#f6f3e8" stroke="#181a1e"'
            yield f'<symbol id="{die.name}{face}" viewBox="-1 -1 2 2">{square} stroke-width=".08"/>{inside}</symbol>'


def _pips(face: int) -> str:
    return "".join(f'<circle cx="{0.52 * x:g}" cy="{0.52 * y:g}" r=".18" fill="#181a1e"/>' for x, y in PIPS[face])


_FACES: Mapping[Die, Mapping[int, str]] = {
    Die.D6: {face: _pips(face) for face in Die.D6.faces},
    Die.FUDGE: {
        -1: '<path d="M-.5 0H.5" stroke="#181a1e" stroke-width=".24"/>',
        0: "",
        1: '<path d="M-.5 0H.5M0-.5V.5" stroke="#181a1e" stroke-width=".24"/>',
    },
}


_LINE_HEIGHT, _ENLARGED = 1.25, 1.3  # on a phone the picture is half as wide


def svg(size_px: tuple[int, int], shapes: Iterable[Shape], description: str) -> str:
    """The shapes, from the lowest up, on a dark ground as an `<svg>` element as wide as its place.

    `description` is read aloud in place of the picture.
    """
    width, height = size_px
    inside = "".join(part for shape in shapes for part in _elements(shape))
    return (
        f'<svg class="map" viewBox="0 0 {width} {height}" role="img" aria-label="{escape(description)}">'
        f'<rect width="{width}" height="{height}" fill="{hex_colour(DARK)}"/>{inside}</svg>'
    )


def _elements(shape: Shape) -> Iterator[str]:
    match shape:
        case Label():
            return _label(shape)
        case Region():
            return _region(shape)
        case _:
            return _line(shape)


def _region(region: Region) -> Iterator[str]:
    outlines = "".join(f"M{' '.join(f'{x:.1f},{y:.1f}' for x, y in ring)}Z" for ring in region.rings_px)
    fill, edge = hex_colour(region.style.fill), hex_colour(region.style.edge)
    yield f'<path d="{outlines}" fill-rule="evenodd" fill="{fill}" stroke="{edge}"/>'


def _line(line: Line) -> Iterator[str]:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in line.points_px)
    element = "polygon" if line.closed else "polyline"
    fill = "none" if line.fill is None else hex_colour(line.fill)
    dash = ' stroke-dasharray="8 6"' if line.dashed else ""
    stroke = f'stroke="{hex_colour(line.colour)}" stroke-width="{line.width:g}"'
    yield f'<{element} points="{points}" fill="{fill}" {stroke}{dash}/>'


def _label(label: Label) -> Iterator[str]:
    """Text with a dark edge, because nobody knows how wide it becomes."""
    (x, y), (right, down) = label.at_px, label.offset
    size = _ENLARGED * max(size for _, size in label.rows)
    first = y + down - (len(label.rows) - 1) / 2 * _LINE_HEIGHT * size
    for number, (words, row_size) in enumerate(label.rows):
        place = f'x="{x + right:.1f}" y="{first + number * _LINE_HEIGHT * size:.1f}"'
        style = f'font-size="{_ENLARGED * row_size:.3g}" fill="{hex_colour(label.colour)}"'
        yield f"<text {place} {style}>{escape(words)}</text>"
