"""One port, one thread: it opens, reads, sends the latest frame, notices that the plug was pulled, and comes back."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

import serial

from hardware.ports import LOST, Fault, explain, holder, open_port

RETRY_S = 0.5
SHUN_S = 10.0
"""A port that turned out to be another device's is left alone for this long."""

SETTLE_S = 3.0
"""A board that was reset by the opening takes this long to listen, unless it greets before."""

RESEND_S = 1.0
"""WLED goes back to its own effects 2.5 s after the last frame."""

REST_S = 0.005
"""An Arduino is deaf while it hands a frame to its LEDs: 30 microseconds each, and some."""

BITS_A_BYTE = 10
SLOWEST_BAUD, FASTEST_BAUD = 300, 4_000_000


class Device(Protocol):
    """What hangs on a link. The link's thread calls it, and never two of its methods at once."""

    def opened(self) -> None:
        """The port was opened anew: nothing of before is continued."""

    def received(self, data: bytes, now_s: float) -> None:
        """These bytes came in."""

    def ready(self) -> bool:
        """Whether the far end listens already; else the link waits `SETTLE_S` before it sends."""

    def foreign(self, open_s: float) -> str:
        """Why this port is another device's, after so many seconds of listening; empty if it may be ours."""

    def frame(self, now_s: float) -> bytes:
        """What the far end should be showing now; empty if there is nothing to send."""

    def farewell(self) -> tuple[bytes, ...]:
        """What is sent before the port is closed."""


class LinkState(StrEnum):
    """How a link stands; those after UP do not heal without someone's help, though they are tried again."""

    CLOSED = "closed"
    SEEKING = "seeking"
    SETTLING = "settling"
    UP = "up"
    DENIED = "denied"
    BUSY = "busy"


_STATE_OF = {
    Fault.MISSING: LinkState.SEEKING,
    Fault.BROKEN: LinkState.SEEKING,
    Fault.DENIED: LinkState.DENIED,
    Fault.BUSY: LinkState.BUSY,
}


@dataclass(frozen=True, slots=True)
class LinkStatus:
    """A link at one moment.

    Attributes:
        state: How it stands.
        port: The device in use, or the one last tried.
        error: The last thing that went wrong, for the player; it stays when the link is up again.
        connections: How often the port was opened.
        received: Bytes read.
        frames: Frames written.
    """

    state: LinkState = LinkState.CLOSED
    port: str = ""
    error: str = ""
    connections: int = 0
    received: int = 0
    frames: int = 0


class _Foreign(Exception):
    """The port is another device's."""


class Link:
    """Keeps a device connected. Made running; `close` ends it. No method waits for the port."""

    def __init__(
        self,
        find: Callable[[], Iterable[str]],
        device: Device,
        *,
        baud: int = 115200,
        settle_s: float = SETTLE_S,
        rest_s: float = REST_S,
        clock: Callable[[], float] = time.monotonic,
        opener: Callable[[str, int], serial.Serial] = open_port,
        held_by: Callable[[str], str] = holder,
    ) -> None:
        """Start the thread.

        Args:
            find: The ports to try, best first; asked anew whenever none is open.
            device: What hangs on it.
            baud: Its speed; frames are not sent faster than it carries them.
            settle_s, rest_s: See `SETTLE_S` and `REST_S`.
            clock: Seconds that run evenly.
            opener: Opens a port.
            held_by: Names the program that holds a port, empty if none does.

        Raises:
            ValueError: for a speed that no port has.
        """
        if not SLOWEST_BAUD <= baud <= FASTEST_BAUD:
            raise ValueError(f"a serial port runs at {SLOWEST_BAUD} to {FASTEST_BAUD} baud, not {baud}")
        self._find, self._device, self._baud = find, device, baud
        self._settle_s, self._rest_s = settle_s, rest_s
        self._clock, self._opener, self._held_by = clock, opener, held_by
        self._status = LinkStatus(LinkState.SEEKING)
        self._stopping = threading.Event()
        self._lock = threading.Lock()  # guards `_port` and `_woken`; never held while the port works
        self._port: serial.Serial | None = None
        self._woken = False
        self._shunned: dict[str, float] = {}
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)
        self._thread.start()

    @property
    def status(self) -> LinkStatus:
        """How it stands now."""
        return self._status

    def wake(self) -> None:
        """The device has another frame to show. Returns at once."""
        with self._lock:
            if self._port is not None and not self._woken:
                self._woken = True
                self._port.cancel_read()

    def close(self, wait_s: float = 2.0) -> None:
        """Say farewell, close the port and end the thread; waits at most `wait_s` for it."""
        self._stopping.set()
        self.wake()
        self._thread.join(wait_s)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._try_each()
                self._stopping.wait(RETRY_S)
        finally:
            self._note(state=LinkState.CLOSED)

    def _try_each(self) -> None:
        try:
            names = tuple(self._find())
        except LOST as error:  # the list of ports is read while one of them goes
            names = ()
            self._note(error=f"the ports cannot be listed ({error})")
        now = self._clock()
        names = tuple(name for name in names if self._shunned.get(name, now) <= now)
        if not names:
            self._note(state=LinkState.SEEKING)
        for name in names:
            port = self._open(name)
            if port is not None:
                self._use(name, port)
                return

    def _open(self, name: str) -> serial.Serial | None:
        held = self._held_by(name)
        if held:
            self._note(state=LinkState.BUSY, port=name, error=f"{held} holds {name}: close it there")
            return None
        try:
            return self._opener(name, self._baud)
        except LOST as error:
            fault, text = explain(name, error)
            self._note(state=_STATE_OF[fault], port=name, error=text)
            return None

    def _use(self, name: str, port: serial.Serial) -> None:
        with self._lock:
            self._port = port
        self._note(state=LinkState.SETTLING, port=name, connections=self._status.connections + 1)
        try:
            self._device.opened()
            self._converse(port)
        except _Foreign as error:
            self._shunned[name] = self._clock() + SHUN_S
            self._note(state=LinkState.SEEKING, error=f"{name}: {error}")
        except LOST as error:
            self._note(state=LinkState.SEEKING, error=explain(name, error)[1])
        finally:
            with self._lock:
                self._port = None
            _close(port)

    def _converse(self, port: serial.Serial) -> None:
        opened_s = self._clock()
        while not self._settled(opened_s):
            self._listen(port, opened_s)
            if self._stopping.is_set():
                return
        self._note(state=LinkState.UP)
        sent, resend_s, free_s = b"", 0.0, 0.0
        while not self._stopping.is_set():
            self._listen(port, opened_s)
            if self._clock() < free_s:  # the line is still busy with the last frame
                self._stopping.wait(free_s - self._clock())
            self._woken = False  # before the frame is taken: who wakes after it is heard by the next read
            now = self._clock()
            frame = self._device.frame(now)
            if frame and (frame != sent or now >= resend_s):
                port.write(frame)
                sent, resend_s, free_s = frame, now + RESEND_S, now + self._takes_s(frame)
                self._note(frames=self._status.frames + 1)
        for frame in self._device.farewell():
            port.write(frame)
            time.sleep(self._takes_s(frame))

    def _settled(self, opened_s: float) -> bool:
        return self._device.ready() or self._clock() - opened_s >= self._settle_s

    def _listen(self, port: serial.Serial, opened_s: float) -> None:
        data = port.read(1)  # returns within READ_S, and at once when woken
        if data:
            data += port.read(port.in_waiting)
            self._note(received=self._status.received + len(data))
            self._device.received(data, self._clock())
        foreign = self._device.foreign(self._clock() - opened_s)
        if foreign:
            raise _Foreign(foreign)

    def _takes_s(self, frame: bytes) -> float:
        return len(frame) * BITS_A_BYTE / self._baud + self._rest_s

    def _note(self, **changed: object) -> None:
        self._status = replace(self._status, **changed)  # type: ignore[arg-type]


def _close(port: serial.Serial) -> None:
    try:
        port.close()
    except LOST:
        return  # it is gone already
