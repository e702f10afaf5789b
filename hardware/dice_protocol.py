"""Codec for dice on a serial line: JSON Lines, without I/O. There was no such convention, so this one is minimal.

    {"t":"hello","proto":1,"boot":4711}
    {"t":"roll","id":"d1","sides":6,"face":4,"seq":17,"crc":"2c9d0f53"}
    {"t":"roll","id":"f1","sides":"F","face":-1,"seq":3}
    4

Unknown keys are ignored. `id`, `seq`, `age_ms`, `cocked` and `crc` are optional. A die without JSON sends bare faces,
one line per throw. Incomplete or invalid lines are counted and dropped; a roll is never guessed.
"""

from __future__ import annotations

import json
import re
import zlib
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from rules.engine.dice import Die

LONGEST_LINE = 256
"""Bytes of a line without its line end; a longer line counts as noise."""

REMEMBER_S = 10.0
"""A device may repeat a roll for this long; later, the same number is a new roll, as after a restart."""

_SIDES: dict[Any, Die] = {6: Die.D6, "F": Die.FUDGE}
_SIGNED = {"+": 1, "-": -1}
_BARE = re.compile(rb"[+-]?\d?(?:[ ,]+[+-]?\d?)*")
_MAX_BARE_DICE = 20  # on one line
_PLAIN = re.compile(rb"[\x20-\x7e\t]*")
_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"}$')


@dataclass(frozen=True, slots=True)
class RollLine:
    """One die that came to rest.

    Attributes:
        die: Its kind; None if a bare number does not tell.
        face: The face it shows.
        id: Id of the die; empty if the device sends none.
        seq: The device's number of this roll; None if it sends none.
        age_s: Time since the die fell.
        cocked: The die leans; the face is the device's best guess.
        doubt: Why the line may be wrong; empty if there is no doubt.
    """

    die: Die | None
    face: int
    id: str = ""
    seq: int | None = None
    age_s: float = 0.0
    cocked: bool = False
    doubt: str = ""

    def fits(self, die: Die) -> bool:
        """Whether this roll can answer a request for `die`; a six-sided die also serves as a Fudge die."""
        if self.die is None:
            return self.face in die.faces
        return self.die in (die, Die.D6)


@dataclass(frozen=True, slots=True)
class Hello:
    """The device identifies itself, at its start and from time to time.

    Attributes:
        proto: The version of the format.
        boot: A number that changes at each start, when roll numbers start again; None if the device sends none.
    """

    proto: int
    boot: int | None = None


Event = RollLine | Hello


def encode(event: Event) -> bytes:
    """Encode one event as a line, with checksum and line end."""
    document: dict[str, Any]
    if isinstance(event, Hello):
        document = {"t": "hello", "proto": event.proto} | ({} if event.boot is None else {"boot": event.boot})
    elif event.die is None:
        return b"%d\n" % event.face
    else:
        sides = next(sides for sides, die in _SIDES.items() if die is event.die)
        document = {"t": "roll", "id": event.id, "sides": sides, "face": event.face}
        document |= {} if event.seq is None else {"seq": event.seq}
        document |= {"age_ms": round(event.age_s * 1000)} if event.age_s else {}
        document |= {"cocked": True} if event.cocked else {}
    body = json.dumps(document, separators=(",", ":")).encode()
    return with_crc(body) + b"\n"


def with_crc(body: bytes) -> bytes:
    """A JSON object with the CRC-32 of everything before it as its last key."""
    inner = body.removesuffix(b"}")
    return inner + b',"crc":"%08x"}' % zlib.crc32(inner)


class Decoder:
    """Splits a stream of bytes into lines and decodes them."""

    def __init__(self) -> None:
        self.damaged = 0
        self.reset()

    def reset(self) -> None:
        """Start again after a new connection: drop the incomplete line; the next line may be incomplete as well."""
        self._buffer, self._overlong, self._first = bytearray(), False, True
        # A bare number from a device that has sent JSON, or a line without a checksum from one that has sent
        # checksums, is an incomplete line.
        self._json = self._checked = False

    def feed(self, data: bytes) -> tuple[Event, ...]:
        """The events that these bytes complete, oldest first."""
        *ends, rest = data.split(b"\n")
        found: list[Event] = []
        for part in ends:
            found += self._line(part)
        self._append(rest)
        return tuple(found)

    def _append(self, part: bytes) -> None:
        self._buffer += part
        if len(self._buffer) > LONGEST_LINE + 1:  # one more for a carriage return
            self._overlong = True
            self._buffer.clear()

    def _line(self, part: bytes) -> Iterator[Event]:
        self._append(part)
        line, overlong, first = bytes(self._buffer).strip(), self._overlong, self._first
        self._buffer.clear()
        self._overlong = self._first = False
        if overlong:
            self.damaged += 1
        elif line:
            events = self._read(line, first)
            self.damaged += not events
            yield from events

    def _read(self, line: bytes, first: bool) -> tuple[Event, ...]:
        if len(line) > LONGEST_LINE or not _PLAIN.fullmatch(line):
            return ()
        if line.startswith(b"{"):
            checked = _CRC.search(line) is not None
            event = None if self._checked and not checked else _json_event(line)
            self._json |= event is not None
            self._checked |= event is not None and checked
            return () if event is None else (event,)
        doubt = "the first message after connecting may be incomplete" if first else ""
        return () if self._json else _bare_rolls(line, doubt)


def _json_event(line: bytes) -> Event | None:
    try:
        document = json.loads(line)
    except ValueError:
        return None
    if not isinstance(document, dict) or ("crc" in document and not _crc_matches(line)):
        return None
    if document.get("t") == "hello":
        return _hello(document)
    return _roll(document) if document.get("t") == "roll" else None


def _crc_matches(line: bytes) -> bool:
    found = _CRC.search(line)
    return found is not None and int(found[1], 16) == zlib.crc32(line[: found.start()])


def _hello(document: dict[str, Any]) -> Hello | None:
    proto, boot = document.get("proto"), document.get("boot")
    if type(proto) is not int or not (boot is None or type(boot) is int):
        return None
    return Hello(proto, boot)


def _roll(document: dict[str, Any]) -> RollLine | None:
    sides, face, name, seq = document.get("sides"), document.get("face"), document.get("id", ""), document.get("seq")
    age_ms, cocked = document.get("age_ms", 0), document.get("cocked", False)
    die = _SIDES.get(sides) if type(sides) in (int, str) else None
    if die is None or type(face) is not int or face not in die.faces:
        return None
    known_id = type(name) is str and (seq is None or type(seq) is int)
    if not known_id or type(cocked) is not bool or type(age_ms) is not int or not 0 <= age_ms < 10**9:
        return None
    return RollLine(die, face, name, seq, age_ms / 1000, cocked)


def _bare_rolls(line: bytes, doubt: str) -> tuple[RollLine, ...]:
    """The rolls of a line of bare faces: `4`, `4 2 6`, `+ - 0`. An unknown face makes the whole line invalid."""
    words = re.split(r"[ ,]+", line.decode("ascii")) if _BARE.fullmatch(line) else []
    faces = [_SIGNED[word] if word in _SIGNED else int(word) for word in words if word]
    known = {face for die in _SIDES.values() for face in die.faces}
    if not 1 <= len(faces) <= _MAX_BARE_DICE or not set(faces) <= known:
        return ()
    return tuple(RollLine(None, face, doubt=doubt) for face in faces)


class Repeats:
    """Detects repeated rolls by the die's id and the roll's number."""

    def __init__(self) -> None:
        self.dropped = 0
        self._boot: int | None = None
        self._seen: OrderedDict[tuple[str, int], tuple[float, int]] = OrderedDict()

    def hello(self, hello: Hello) -> None:
        """Forget the rolls if the device has restarted, because it then numbers them from the start again.

        A device without a `boot` number sends a hello only when it starts. The first `boot` number does not prove a
        restart, because the hello before the first rolls may have been lost.
        """
        restarted = self._boot is not None and hello.boot != self._boot
        if hello.boot is None or restarted:
            self._seen.clear()
        self._boot = hello.boot

    def is_new(self, roll: RollLine, now_s: float) -> bool:
        """Whether this roll was not received within the last `REMEMBER_S`; rolls without a number are always new."""
        while self._seen and now_s - next(iter(self._seen.values()))[0] > REMEMBER_S:
            self._seen.popitem(last=False)
        if roll.seq is None:
            return True
        key = (roll.id, roll.seq)
        if key in self._seen and self._seen[key][1] == roll.face:
            self.dropped += 1
            return False
        self._seen[key] = (now_s, roll.face)
        self._seen.move_to_end(key)
        return True
