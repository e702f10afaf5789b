"""A battle as a film: what its pictures show and for how long, and writing them as MP4, WebP or GIF. No Qt here."""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from calibration.opencv import cv2
from rules.engine.events import ActionResolved, Move, PhaseBegun, QuestionAsked, Throw, UnitJoined
from rules.engine.state import State
from rules.tabletop.errors import user_error
from rules.tabletop.table import PointIn, ellipse_outline
from ui.battle.battle_map import move_trails, partway
from ui.battle.history import (
    BattleReport,
    HistoryMoment,
    changes_in,
    lines_in,
    moves_in,
    reason_text,
    reasons_in,
    scores,
    throws_in,
)
from ui.files import check_writable, replaced, write_bytes
from ui.rules_text import turn_words
from ui.table.finding import Mark, Trace, along, lifted, ring
from ui.theme import CASUALTY, WHITE, YELLOW, faded
from ui.translation import tr
from vision.frame import ImageBgr

SPEEDS = (0.5, 1.0, 2.0)
"""The speeds offered to the players; at 1, an action is shown for 1.5 to 3 seconds."""

_MOVE_S, _SHOT_S, _BURST_S = 0.6, 0.3, 0.4
_TURN_S, _CARD_S = 1.2, 3.5
_SHORTEST_S, _LONGEST_S = 1.5, 3.0
_READING_S = 0.03
"""For one letter: a sentence of 50 letters needs its 1.5 s."""
_BURST_IN = 1.4
_MOST_LINES = 9


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """What the film shows for a while.

    Attributes:
        lasts_s: For how long.
        heading: The game, or the turn and phase.
        title: What happens, in a sentence.
        lines: Details in smaller type.
        state: The figures and terrain on the map, and the score.
        highlighted: Ids of the figures that take part.
        marks: What is drawn over the map.
        throws: The dice that were rolled.
        picture: Number of the entry whose picture of the table is shown; None if there is none.
        is_card: Whether the title and the score fill the picture, as at the beginning and at the end.
    """

    lasts_s: float
    heading: str
    title: str
    state: State
    lines: tuple[str, ...] = ()
    highlighted: frozenset[str] = frozenset()
    marks: tuple[Mark, ...] = ()
    throws: tuple[Throw, ...] = ()
    picture: int | None = None
    is_card: bool = False


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a film is.

    Attributes:
        speed: 2 is twice as fast as 1.
        motion_hz: Pictures in a second of a figure's move or a shot; 0 shows only what comes of it.
    """

    speed: float = 1.0
    motion_hz: float = 20.0


def film_scenes(report: BattleReport, pictured: Collection[int], pace: Pace) -> Iterator[Scene]:
    """The scenes of a battle: title, turns, actions, score. `pictured` are the entries with a picture of the table."""
    moments = report.moments
    begun = next((moment.after for moment in moments if moment.after.turn), report.after)
    date = next((f"{moment.when:%Y-%m-%d}" for moment in moments if moment.when), "")
    yield Scene(_CARD_S / pace.speed, report.title, report.opponents, begun, (date, report.credit), is_card=True)
    before, picture = State(), None
    for moment in moments:
        picture = next((seq for seq in reversed(moment.seqs) if seq in pictured), picture)
        for scene in _moment_scenes(moment, before, pace):
            yield replace(scene, picture=picture, lasts_s=scene.lasts_s / pace.speed)
        before = moment.after
    losses = tuple(tr("Lost: {names}", names=", ".join(one.lost)) for one in scores(report.after) if one.lost)
    end, title = report.after, report.result or report.opponents
    yield Scene(_CARD_S / pace.speed, report.score_title, title, end, losses, is_card=True)


def _moment_scenes(moment: HistoryMoment, before: State, pace: Pace) -> Iterator[Scene]:
    """The scenes of a moment: its moves and its shot in motion, then the outcome; none if there is little to see."""
    event, after = moment.events[-1], moment.after
    heading = turn_words(after.turn, after.side, after.phase) if after.turn else tr("Before the battle")
    if isinstance(event, PhaseBegun):
        if after.turn != before.turn:
            yield Scene(_TURN_S, heading, tr("Turn {turn}", turn=after.turn), after)
        return
    if isinstance(event, UnitJoined | QuestionAsked) or not after.units:
        return
    yield from _action_scenes(heading, moment, before, pace)


def _action_scenes(heading: str, moment: HistoryMoment, before: State, pace: Pace) -> Iterator[Scene]:
    moves, struck = _moves(moment), _struck(moment, before)
    attacks = _attacks(moment, struck)
    taking_part = {*(move.figure for move in moves), *struck, *(name for attack in attacks for name in attack)}
    figures = frozenset(taking_part) or moment.figures
    scene = Scene(0.0, heading, moment.title, before, highlighted=figures, throws=throws_in(moment))
    for part, lasts_s in _parts(_MOVE_S if moves else 0.0, pace):
        trails = move_trails(moves, before, part)
        yield replace(scene, lasts_s=lasts_s, state=_moved(before, moves, part), marks=trails)
    marks, there = move_trails(moves, before), _moved(before, moves, 1.0)
    places = {name: unit.at_in for name, unit in there.units.items() if unit.at_in is not None}
    shots = [(places[one], places[at]) for one, at in attacks if one in places and at in places]
    for part, lasts_s in _parts(_SHOT_S if shots else 0.0, pace):
        lines = tuple(_shot(one, part) for one in shots)
        yield replace(scene, lasts_s=lasts_s, state=there, marks=(*marks, *lines))
    marks += tuple(_shot(one, 1.0) for one in shots)
    hits = [places[name] for name in struck if name in places]
    for part, lasts_s in _parts(_BURST_S if hits else 0.0, pace):
        bursts = tuple(_burst(place, part) for place in hits)
        yield replace(scene, lasts_s=lasts_s, state=there if part < 0.5 else moment.after, marks=(*marks, *bursts))
    words = (*lines_in(moment), *(f"{reason.rule}  {reason_text(reason)}" for reason in reasons_in(moment)))
    lasts_s = min(_LONGEST_S, max(_SHORTEST_S, _READING_S * (len(moment.title) + sum(map(len, words)))))
    yield replace(scene, lasts_s=lasts_s, state=moment.after, lines=words[:_MOST_LINES], marks=marks)


def _parts(lasts_s: float, pace: Pace) -> Iterator[tuple[float, float]]:
    """The parts of a motion that are over, each with the time for which it is shown; its last part is 1."""
    count = max(1, round(lasts_s / pace.speed * pace.motion_hz)) if lasts_s and pace.motion_hz else 0
    for number in range(1, count + 1):
        part = number / count
        yield part * part * (3 - 2 * part), lasts_s / count  # slow, fast, slow


def _moves(moment: HistoryMoment) -> tuple[Move, ...]:
    return tuple(move for move in moves_in(moment) if math.dist(move.from_in, move.to_in) > 0)


def _moved(state: State, moves: tuple[Move, ...], part: float) -> State:
    """The state while figures are on their way."""
    on_way = {m.figure: replace(state.units[m.figure], at_in=partway(m.from_in, m.to_in, part)) for m in moves}
    return replace(state, units=MappingProxyType({**state.units, **on_way}))


def _attacks(moment: HistoryMoment, struck: Collection[str]) -> tuple[tuple[str, str], ...]:
    """Who attacks whom: the figures on which the attack had an effect, or else the first target.

    An attack on the closest figure names all enemies as its targets.
    """
    return tuple(
        (one, target)
        for event in moment.events
        if isinstance(event, ActionResolved)
        for one in event.by
        for target in [name for name in event.at if name in struck] or event.at[:1]
    )


def _struck(moment: HistoryMoment, before: State) -> tuple[str, ...]:
    """The attacked figures on which the attack had an effect, and those that fell."""
    attacked = {one for event in moment.events if isinstance(event, ActionResolved) for one in event.at}
    changed = {change.figure for change in changes_in(moment)}
    fallen = {name for name, unit in before.units.items() if moment.after.units[name].out and not unit.out}
    return tuple(sorted((attacked & changed) | fallen))


def _shot(ends: tuple[PointIn, PointIn], part: float) -> Mark:
    return Trace(along(lifted((ends[0], partway(*ends, part)))), YELLOW, 3.0)


def _burst(at_in: PointIn, part: float) -> Mark:
    """A ring that grows and fades."""
    outline = ring(ellipse_outline(at_in, _BURST_IN * part, _BURST_IN * part))
    edge, fill = (faded(colour, round(220 * (1 - part))) for colour in (WHITE, CASUALTY))
    return Trace(outline, edge, 4.0, fill, closed=True, halo=False)


SIZE_PX = (1280, 720)
"""Size of an MP4 film."""

_CODEC = "mp4v"  # the wheels of OpenCV have no encoder for H.264, and VP9 takes thirty times as long
_SMALL_PX = (640, 360)
_MOST_WEBP, _MOST_GIF = 360, 240
"""All pictures are in memory until they are encoded, which nothing can interrupt: 250 MB, and 15 s."""
_GIF = (cv2.IMWRITE_GIF_DITHER, 3)  # without the usual noise of dots a picture is a third as large


@dataclass(frozen=True, slots=True)
class FilmFormat:
    """A format of film files.

    Attributes:
        suffix: Ending of the file's name.
        size_px: (width, height).
        rate_hz: Pictures in a second of motion.
        most_pictures: More do not fit; None if any number does.
    """

    suffix: str
    size_px: tuple[int, int]
    rate_hz: float
    most_pictures: int | None


FORMATS = (
    FilmFormat(".mp4", SIZE_PX, 20.0, None),
    FilmFormat(".webp", _SMALL_PX, 12.5, _MOST_WEBP),
    FilmFormat(".gif", _SMALL_PX, 12.5, _MOST_GIF),
)


def format_of(path: Path) -> FilmFormat:
    """The format of a film with this name, before there is work to lose.

    Raises:
        UserError: if there is none, or the file cannot be written.
    """
    found = next((one for one in FORMATS if one.suffix == path.suffix.lower()), None)
    if found is None:
        endings = ", ".join(one.suffix for one in FORMATS)
        raise user_error("the film {path} needs a name ending in {endings}", path=path, endings=endings)
    check_writable(path)
    return found


def write_film(path: Path, pictures: Iterable[tuple[ImageBgr, float]]) -> None:
    """Write a film of pictures, each with the seconds for which it is shown, in the format of the path's ending.

    Whatever `pictures` raises leaves no file. Raises `UserError` if the file cannot be written, or its disk is full.
    """
    film_format = format_of(path)
    if film_format.most_pictures is None:
        with replaced(path) as temporary:
            _write_video(temporary, pictures, film_format)
    else:
        write_bytes(path, _animation(pictures, film_format))


def _write_video(path: Path, pictures: Iterable[tuple[ImageBgr, float]], film_format: FilmFormat) -> None:
    """Write one picture after the other, each as often as it is shown."""
    rate_hz, written, until_s = film_format.rate_hz, 0, 0.0
    video = cv2.VideoWriter(str(path), cv2.CAP_FFMPEG, cv2.VideoWriter.fourcc(*_CODEC), rate_hz, film_format.size_px)
    if not video.isOpened():
        raise user_error("this computer cannot write MP4: save the film as .webp")
    try:
        for image_bgr, lasts_s in pictures:
            until_s += lasts_s
            while written < max(1, round(until_s * rate_hz)):
                video.write(image_bgr)
                written += 1
    finally:
        video.release()
    if _frames_in(path) != written:  # the writer reports nothing, not even a full disk
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _frames_in(path: Path) -> int:
    video = cv2.VideoCapture(str(path), cv2.CAP_FFMPEG)
    count = int(video.get(cv2.CAP_PROP_FRAME_COUNT)) if video.isOpened() else 0
    video.release()
    return count


def _animation(pictures: Iterable[tuple[ImageBgr, float]], film_format: FilmFormat) -> bytes:
    animation = cv2.Animation()
    shown = list(pictures)
    animation.frames = [image_bgr for image_bgr, _ in shown]
    animation.durations = [round(1000 * lasts_s) for _, lasts_s in shown]
    done, data = cv2.imencodeanimation(film_format.suffix, animation, _GIF if film_format.suffix == ".gif" else ())
    if not done:
        raise user_error("the film cannot be written as {ending}: save it as .mp4", ending=film_format.suffix)
    return bytes(data.tobytes())
