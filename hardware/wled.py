"""Codec of WLED's JSON interface over HTTP: colours to request bodies, answers to segments. No I/O.

A segment's LEDs are set by `{"seg":[{"id":0,"i":[...]}]}`. The items of `i` are colours such as "00FF28" for one LED
after the other; `start, stop, colour` lights the LEDs from `start` up to but without `stop`.
Source: https://kno.wled.ge/interfaces/json-api and `deserializeSegment` in WLED's `json.cpp`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from hardware.adalight import Colour
from rules.tabletop.translation import tr

HTTP_PORT = 80
MAX_ANSWER_BYTES = 64 * 1024
"""WLED's answer with state and information has a few kilobytes; more is not from a WLED."""

_ADDRESS = re.compile(r"(?:http://)?(?P<host>[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?P<port>\d{1,5}))?/?")


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a WLED controller; as text it is what `address` reads."""

    host: str
    port: int = HTTP_PORT

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == HTTP_PORT else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of the controller's LEDs with a name, as WLED's own pages show it."""

    id: int
    name: str
    leds: int


def address(text: str) -> Address:
    """The address in a text such as "192.168.1.40", "wled-rod.local" or "http://localhost:8080/".

    Raises:
        ValueError: with a sentence for the player.
    """
    found = _ADDRESS.fullmatch(text.strip())
    port = int(found["port"] or HTTP_PORT) if found else 0
    if found is None or not 0 < port < 2**16:
        raise ValueError(
            tr("{text!r} is no network address: enter the one that WLED shows, such as 192.168.1.40", text=text)
        )
    return Address(found["host"].strip("[]"), port)


def encode(colours: Sequence[Colour]) -> bytes:
    """The items of `i` for a whole segment; a run of equal colours takes one entry, as WLED's memory is small."""
    items: list[int | str] = []
    led = 0
    for colour, run in groupby(colours):
        count = len(tuple(run))
        items += [led, led + count] if count > 1 else []
        items.append("{:02X}{:02X}{:02X}".format(*colour))
        led += count
    return json.dumps(items, separators=(",", ":")).encode()


def body(segment: int, items: bytes) -> bytes:
    """The request that shows encoded colours at once and switches the light on."""
    return b'{"on":true,"tt":0,"seg":[{"id":%d,"on":true,"i":%b}]}' % (segment, items)


def decode_segments(answer: bytes) -> tuple[Segment, ...]:
    """The segments in the answer to `GET /json/state`. Raises `ValueError` if it is not an answer of WLED."""
    try:
        found = [
            Segment(int(one["id"]), str(one.get("n") or f"Segment {one['id']}"), int(one["stop"]) - int(one["start"]))
            for one in json.loads(answer)["seg"]
            if int(one["stop"]) > int(one["start"])
        ]
    except (AttributeError, KeyError, OverflowError, RecursionError, TypeError, ValueError) as error:
        raise ValueError(f"not a state of WLED: {error}") from error
    names = [one.name for one in found]
    return tuple(
        one if names.count(one.name) == 1 else Segment(one.id, f"{one.name} ({one.id})", one.leds) for one in found
    )


def choose(segments: Sequence[Segment], name: str, leds: int) -> Segment:
    """The segment of this name, in any case, or the only one if `name` is empty; it needs so many LEDs.

    Raises `ValueError` with a sentence for the player.
    """
    names = ", ".join(one.name for one in segments) or tr("none")
    found = [one for one in segments if not name or one.name.casefold() == name.casefold()]
    if not found:
        raise ValueError(
            tr("WLED has no segment {name!r}: choose one of its segments ({names})", name=name, names=names)
        )
    if len(found) > 1:
        raise ValueError(tr("WLED has several segments: choose one of them ({names})", names=names))
    if found[0].leds < leds:
        raise ValueError(
            tr(
                "the segment {name} has {count} LEDs and the rod {leds}: set the same number in both",
                name=found[0].name,
                count=found[0].leds,
                leds=leds,
            )
        )
    return found[0]
