"""A WLED controller on the network as a port of `hardware.link.Link`: each frame is a request with a time limit."""

from __future__ import annotations

import socket
import threading
from http import HTTPStatus
from typing import Any

from hardware import wled
from hardware.devices import RangeRod
from hardware.link import FASTEST_BAUD
from hardware.ports import READ_S, Fault
from hardware.range_rod import RodShape
from hardware.wled import Address, Segment
from rules.tabletop.translation import tr

ANSWER_S = 2.0
"""Longest time for a request with its whole answer; a controller in the same network needs some milliseconds."""


class WledError(OSError):
    """The controller cannot be used; the message is a sentence for the player.

    Attributes:
        fault: MISSING if it may work later by itself, DENIED if the players must change something.
    """

    def __init__(self, fault: Fault, words: str) -> None:
        super().__init__(words)
        self.fault = fault


def segments(where: Address, answer_s: float = ANSWER_S) -> tuple[Segment, ...]:
    """Ask a controller for its segments; waits up to `answer_s` seconds, and for the name on the network.

    Raises:
        WledError: if there is no answer, or not one of WLED.
    """
    answer = request(where, "GET", "/json/state", answer_s=answer_s)
    try:
        return wled.decode_segments(answer)
    except ValueError:
        raise _not_wled(where) from None


def request(where: Address, method: str, path: str, content: bytes = b"", answer_s: float = ANSWER_S) -> bytes:
    """Send one request and return the answer's body.

    Raises:
        WledError: without an answer in time, or for an answer that is too long or no success; redirects are not
            followed.
    """
    from http.client import HTTPConnection, HTTPException  # not before it is used: it delays the program's start

    connection, late = HTTPConnection(where.host, where.port, timeout=answer_s), threading.Event()
    # The time limit of a socket starts again with every byte of a slow answer.
    guard = threading.Timer(answer_s, lambda: _cut(connected, late))
    guard.daemon = True
    try:
        connection.connect()
        connected = connection.sock
        guard.start()
        connection.request(method, path, content or None, {"Content-Type": "application/json", "Connection": "close"})
        with connection.getresponse() as response:
            answer = response.read(wled.MAX_ANSWER_BYTES + 1)
    except socket.gaierror as error:
        words = f"{where.host} is not known in this network: enter the address that WLED shows, such as 192.168.1.40"
        raise WledError(Fault.MISSING, words) from error
    except HTTPException as error:
        raise (_unanswered if late.is_set() else _not_wled)(where) from error
    except (OSError, UnicodeError) as error:
        raise _unanswered(where) from error
    finally:
        guard.cancel()
        connection.close()
    if late.is_set() or response.status == HTTPStatus.SERVICE_UNAVAILABLE:  # WLED is busy for a moment
        raise _unanswered(where)
    if response.status != HTTPStatus.OK or len(answer) > wled.MAX_ANSWER_BYTES:
        raise _not_wled(where)
    return answer


class WledPort:
    """An open connection to one segment; each frame is a request, and there is nothing to read."""

    in_waiting = 0

    def __init__(self, where: Address, name: str, leds: int, answer_s: float = ANSWER_S) -> None:
        """Find the segment of this name with at least so many LEDs.

        Raises:
            WledError: see `segments`; also without such a segment.
        """
        self._where, self._answer_s, self._woken = where, answer_s, threading.Event()
        found = segments(where, answer_s)
        try:
            self._segment = wled.choose(found, name, leds)
        except ValueError as error:
            raise WledError(Fault.DENIED, str(error)) from None

    def read(self, size: int = 1) -> bytes:
        """Wait a moment, or until `cancel_read`; always empty."""
        if self._woken.wait(READ_S):
            self._woken.clear()
        return b""

    def write(self, data: bytes) -> int:
        """Show a frame of `wled.encode`; the segment's LEDs beyond it stay dark. Raises `WledError`."""
        request(self._where, "POST", "/json/state", wled.body(self._segment.id, data), self._answer_s)
        return len(data)

    def cancel_read(self) -> None:
        """End a running `read`."""
        self._woken.set()

    def close(self) -> None:
        """Nothing stays open between two requests."""


def wled_rod(
    shape: RodShape, where: Address, segment: str = "", *, answer_s: float = ANSWER_S, **link: Any
) -> RangeRod:
    """The range rod on a segment of a WLED controller; an empty name stands for the only one."""
    return RangeRod(
        shape,
        lambda: (str(where),),
        encode=wled.encode,
        opener=lambda *_: WledPort(where, segment, shape.leds, answer_s),
        held_by=lambda _: "",
        explained=_explained,
        baud=FASTEST_BAUD,
        settle_s=0.0,
        **link,
    )


def _explained(_: str, error: Exception) -> tuple[Fault, str]:
    return (error.fault if isinstance(error, WledError) else Fault.BROKEN), str(error)


def _cut(connected: socket.socket, late: threading.Event) -> None:
    late.set()
    try:
        connected.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # closed in the meantime


def _unanswered(where: Address) -> WledError:
    words = tr(
        "no answer from {where}: switch WLED on and join its network; Sandtable tries again by itself", where=where
    )
    return WledError(Fault.MISSING, words)


def _not_wled(where: Address) -> WledError:
    return WledError(
        Fault.DENIED, tr("{where} does not answer like WLED: enter the address that WLED shows", where=where)
    )
