"""Dice on a serial line: JSON Lines without I/O. No such convention existed, so this one is kept small.

    {"t":"hello","proto":1,"boot":4711}
    {"t":"roll","id":"d1","sides":6,"face":4,"seq":17,"crc":"2c9d0f53"}
    {"t":"roll","id":"f1","sides":"F","face":-1,"seq":3}
    4

Unknown keys are ignored. `id`, `seq`, `age_ms`, `cocked` and `crc` may be left out. A die without JSON sends bare
faces, one line a throw. What is no whole, sound line is counted and dropped: a roll is never guessed.
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
"""Bytes of a line, its end not counted; a longer one is noise."""

REMEMBER_S = 10.0
"""A device may repeat a roll for this long; later the same number is another roll, as after a restart."""

_SIDES: dict[Any, Die] = {6: Die.D6, "F": Die.FUDGE}
_SIGNED = {"+": 1, "-": -1}
_BARE = re.compile(rb"[+-]?\d?(?:[ ,]+[+-]?\d?)*")
_MOST_BARE = 20  # dice on one bare line
_PLAIN = re.compile(rb"[\x20-\x7e\t]*")
_CRC = re.compile(rb',"crc":"([0-9a-f]{8})"}$')


@dataclass(frozen=True, slots=True)
class RollLine:
    """One die came to rest.

    Attributes:
        die: Its kind; None where a bare number does not tell.
        face: What it shows.
        id: Which die it is; empty where the device does not say.
        seq: The device's number of this roll; None where it gives none.
        age_s: How long ago it fell.
        cocked: It leans: the face is the device's best guess.
        doubt: Why the line itself may mislead; empty where it does not.
    """

    die: Die | None
    face: int
    id: str = ""
    seq: int | None = None
    age_s: float = 0.0
    cocked: bool = False
    doubt: str = ""

    def fits(self, die: Die) -> bool:
        """Whether it may answer for such a die; a six-sided one stands in for a Fudge die."""
        if self.die is None:
            return self.face in die.faces
        return self.die in (die, Die.D6)


@dataclass(frozen=True, slots=True)
class Hello:
    """The device names itself, at its start and now and then.

    Attributes:
        proto: The version of the format.
        boot: Another number, another start: the rolls are numbered anew. None where the device does not say.
    """

    proto: int
    boot: int | None = None


Event = RollLine | Hello


def encode(event: Event) -> bytes:
    """One line with its end, checksum included."""
    said: dict[str, Any]
    if isinstance(event, Hello):
        said = {"t": "hello", "proto": event.proto} | ({} if event.boot is None else {"boot": event.boot})
    elif event.die is None:
        return b"%d\n" % event.face
    else:
        sides = next(sides for sides, die in _SIDES.items() if die is event.die)
        said = {"t": "roll", "id": event.id, "sides": sides, "face": event.face}
        said |= {} if event.seq is None else {"seq": event.seq}
        said |= {"age_ms": round(event.age_s * 1000)} if event.age_s else {}
        said |= {"cocked": True} if event.cocked else {}
    body = json.dumps(said, separators=(",", ":")).encode()
    return with_crc(body) + b"\n"


def with_crc(body: bytes) -> bytes:
    """A JSON object with the CRC-32 of everything before it as its last key."""
    inner = body.removesuffix(b"}")
    return inner + b',"crc":"%08x"}' % zlib.crc32(inner)


class Decoder:
    """Cuts a stream of bytes into lines and reads them.

    Attributes:
        damaged: How many lines could not be read.
    """

    def __init__(self) -> None:
        self.damaged = 0
        self.reset()

    def reset(self) -> None:
        """The line was opened anew: what was held is torn, and the first line may have begun before."""
        self._held, self._overlong, self._first = bytearray(), False, True
        # What a device has shown it can do, it does: a bare number from one that spoke JSON, or a line without a
        # checksum from one that sent some, is a torn line.
        self._json = self._checked = False

    def feed(self, data: bytes) -> tuple[Event, ...]:
        """What these bytes complete, oldest first."""
        *ends, rest = data.split(b"\n")
        found: list[Event] = []
        for part in ends:
            found += self._line(part)
        self._hold(rest)
        return tuple(found)

    def _hold(self, part: bytes) -> None:
        self._held += part
        if len(self._held) > LONGEST_LINE + 1:  # one more for a carriage return
            self._overlong = True
            self._held.clear()

    def _line(self, part: bytes) -> Iterator[Event]:
        self._hold(part)
        line, overlong, first = bytes(self._held).strip(), self._overlong, self._first
        self._held.clear()
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
        return () if self._json else _bare_rolls(line, "the first line after connecting may be torn" if first else "")


def _json_event(line: bytes) -> Event | None:
    try:
        said = json.loads(line)
    except ValueError:
        return None
    if not isinstance(said, dict) or ("crc" in said and not _sound(line)):
        return None
    if said.get("t") == "hello":
        return _hello(said)
    return _roll(said) if said.get("t") == "roll" else None


def _sound(line: bytes) -> bool:
    found = _CRC.search(line)
    return found is not None and int(found[1], 16) == zlib.crc32(line[: found.start()])


def _hello(said: dict[str, Any]) -> Hello | None:
    proto, boot = said.get("proto"), said.get("boot")
    if type(proto) is not int or not (boot is None or type(boot) is int):
        return None
    return Hello(proto, boot)


def _roll(said: dict[str, Any]) -> RollLine | None:
    sides, face, name, seq = said.get("sides"), said.get("face"), said.get("id", ""), said.get("seq")
    age_ms, cocked = said.get("age_ms", 0), said.get("cocked", False)
    die = _SIDES.get(sides) if type(sides) in (int, str) else None
    if die is None or type(face) is not int or face not in die.faces:
        return None
    known_id = type(name) is str and (seq is None or type(seq) is int)
    if not known_id or type(cocked) is not bool or type(age_ms) is not int or not 0 <= age_ms < 10**9:
        return None
    return RollLine(die, face, name, seq, age_ms / 1000, cocked)


def _bare_rolls(line: bytes, doubt: str) -> tuple[RollLine, ...]:
    """`4`, `4 2 6`, `+ - 0`: faces by themselves. One that no die of ours has spoils the line."""
    words = re.split(r"[ ,]+", line.decode("ascii")) if _BARE.fullmatch(line) else []
    faces = [_SIGNED[word] if word in _SIGNED else int(word) for word in words if word]
    known = {face for die in _SIDES.values() for face in die.faces}
    if not 1 <= len(faces) <= _MOST_BARE or not set(faces) <= known:
        return ()
    return tuple(RollLine(None, face, doubt=doubt) for face in faces)


class Repeats:
    """Tells a roll that is sent again from a new one, by the die's name and the roll's number.

    Attributes:
        dropped: How many lines repeated another.
    """

    def __init__(self) -> None:
        self.dropped = 0
        self._boot: int | None = None
        self._seen: OrderedDict[tuple[str, int], tuple[float, int]] = OrderedDict()

    def hello(self, hello: Hello) -> None:
        """Forget the rolls if the device has restarted: it numbers them from the beginning again.

        A device without a `boot` number says hello only when it starts. The first `boot` number is no sign of a
        restart: the hello before the first rolls may have been lost.
        """
        restarted = self._boot is not None and hello.boot != self._boot
        if hello.boot is None or restarted:
            self._seen.clear()
        self._boot = hello.boot

    def is_new(self, roll: RollLine, now_s: float) -> bool:
        """Whether this roll was not seen in the last `REMEMBER_S`; rolls without a number always are new."""
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
