"""A link in its own thread: opens the port, reads, sends the latest frame, and reconnects after unplugging."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Protocol

from hardware.ports import PORT_ERRORS, Fault, explain, holder, open_port
from rules.tabletop.translation import tr

RETRY_S = 0.5
REJECT_S = 10.0
"""A port that belongs to another device is not tried again for this long."""

SETTLE_S = 3.0
"""A board that is reset when the port opens is ready after this time, unless it sends a greeting earlier."""

RESEND_S = 1.0
"""WLED returns to its own effects 2.5 s after the last frame."""

FRAME_PAUSE_S = 0.005
"""An Arduino cannot receive while it sends a frame to its LEDs: a little over 30 microseconds per LED."""

BITS_PER_BYTE = 10
SLOWEST_BAUD, FASTEST_BAUD = 300, 4_000_000


class OpenPort(Protocol):
    """An open port, with the methods of `serial.Serial`."""

    @property
    def in_waiting(self) -> int:
        """Number of bytes that can be read at once."""

    def read(self, size: int = 1, /) -> bytes:
        """Up to so many bytes; empty after `READ_S`, or when `cancel_read` is called."""

    def write(self, data: bytes, /) -> int | None:
        """Send a frame."""

    def cancel_read(self) -> None:
        """End a running `read`; called by other threads."""

    def close(self) -> None:
        """Release the port."""


class Device(Protocol):
    """The protocol of a device on a link. Only the link's thread calls it."""

    def opened(self) -> None:
        """The port was opened; discard all earlier input."""

    def received(self, data: bytes, now_s: float) -> None:
        """Process received bytes."""

    def ready(self) -> bool:
        """Whether the device can receive; otherwise the link waits `SETTLE_S` before it sends."""

    def foreign(self, open_s: float) -> str:
        """Why this port belongs to another device, after `open_s` seconds of listening; empty if it may be ours."""

    def frame(self, now_s: float) -> bytes:
        """The frame that the device should show now; empty if there is nothing to send."""

    def farewell(self) -> tuple[bytes, ...]:
        """The frames to send before the port is closed."""


class LinkState(StrEnum):
    """State of a link; those after UP need the player's help, though the link keeps trying."""

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
    """Snapshot of a link.

    Attributes:
        state: Its state.
        port: The device in use, or the last one tried.
        error: The last error, for the player; it stays after the link is up again.
        connections: How often the port was opened.
        received: Number of bytes read.
        frames: Number of frames written.
    """

    state: LinkState = LinkState.CLOSED
    port: str = ""
    error: str = ""
    connections: int = 0
    received: int = 0
    frames: int = 0


class _ForeignDevice(Exception):
    """The port belongs to another device."""


class Link:
    """Keeps a device connected in a background thread until `close`. No method waits for the port."""

    def __init__(
        self,
        find: Callable[[], Iterable[str]],
        device: Device,
        *,
        baud: int = 115200,
        settle_s: float = SETTLE_S,
        rest_s: float = FRAME_PAUSE_S,
        clock: Callable[[], float] = time.monotonic,
        opener: Callable[[str, int], OpenPort] = open_port,
        held_by: Callable[[str], str] = holder,
        explained: Callable[[str, Exception], tuple[Fault, str]] = explain,
    ) -> None:
        """Start the thread.

        Args:
            find: Returns the ports to try, best first; called whenever no port is open.
            device: The device's protocol.
            baud: The port's speed; frames are not sent faster than the line transmits them.
            settle_s, rest_s: See `SETTLE_S` and `FRAME_PAUSE_S`.
            clock: A monotonic clock, in seconds.
            opener: Opens a port.
            held_by: Returns the name of the program that holds a port open, or an empty string.
            explained: Returns the kind of an error of a port, and a sentence for the player.

        Raises:
            ValueError: for an unsupported speed.
        """
        if not SLOWEST_BAUD <= baud <= FASTEST_BAUD:
            raise ValueError(f"the speed of a serial port must be {SLOWEST_BAUD} to {FASTEST_BAUD} baud, not {baud}")
        self._find, self._device, self._baud = find, device, baud
        self._settle_s, self._rest_s = settle_s, rest_s
        self._clock, self._opener, self._held_by, self._explained = clock, opener, held_by, explained
        self._status = LinkStatus(LinkState.SEEKING)
        self._stopping = threading.Event()
        self._lock = threading.Lock()  # guards `_port` and `_woken`; never held during I/O
        self._port: OpenPort | None = None
        self._woken = False
        self._rejected_until_s: dict[str, float] = {}
        self._thread = threading.Thread(target=self._run, name="link", daemon=True)
        self._thread.start()

    @property
    def status(self) -> LinkStatus:
        """The current status."""
        return self._status

    def wake(self) -> None:
        """Send the device's new frame without delay. Returns at once."""
        with self._lock:
            if self._port is not None and not self._woken:
                self._woken = True
                self._port.cancel_read()

    def close(self, wait_s: float = 2.0) -> None:
        """Send the farewell, close the port and end the thread; waits at most `wait_s` for it."""
        self._stopping.set()
        self.wake()
        self._thread.join(wait_s)

    def _run(self) -> None:
        try:
            while not self._stopping.is_set():
                self._try_each()
                self._stopping.wait(RETRY_S)
        finally:
            self._update(state=LinkState.CLOSED)

    def _try_each(self) -> None:
        try:
            names = tuple(self._find())
        except PORT_ERRORS as error:  # a port may be unplugged while the list is read
            names = ()
            self._update(
                error=tr(
                    "the serial ports cannot be listed ({reason}): unplug the device and plug it in again", reason=error
                )
            )
        now = self._clock()
        names = tuple(name for name in names if self._rejected_until_s.get(name, now) <= now)
        if not names:
            self._update(state=LinkState.SEEKING)
        for name in names:
            port = self._open(name)
            if port is not None:
                self._use(name, port)
                return

    def _open(self, name: str) -> OpenPort | None:
        program = self._held_by(name)
        if program:
            self._update(state=LinkState.BUSY, port=name, error=f"{program} holds {name}: close that program")
            return None
        try:
            return self._opener(name, self._baud)
        except PORT_ERRORS as error:
            fault, text = self._explained(name, error)
            self._update(state=_STATE_OF[fault], port=name, error=text)
            return None

    def _use(self, name: str, port: OpenPort) -> None:
        with self._lock:
            self._port = port
        self._update(state=LinkState.SETTLING, port=name, connections=self._status.connections + 1)
        try:
            self._device.opened()
            self._exchange(port)
        except _ForeignDevice as error:
            self._rejected_until_s[name] = self._clock() + REJECT_S
            self._update(state=LinkState.SEEKING, error=f"{name}: {error}")
        except PORT_ERRORS as error:
            self._update(state=LinkState.SEEKING, error=self._explained(name, error)[1])
        finally:
            with self._lock:
                self._port = None
            _close(port)

    def _exchange(self, port: OpenPort) -> None:
        opened_s = self._clock()
        while not self._is_settled(opened_s):
            self._listen(port, opened_s)
            if self._stopping.is_set():
                return
        self._update(state=LinkState.UP)
        sent, resend_s, free_s = b"", 0.0, 0.0
        while not self._stopping.is_set():
            self._listen(port, opened_s)
            if self._clock() < free_s:  # the line still transmits the last frame
                self._stopping.wait(free_s - self._clock())
            self._woken = False  # before the frame is read, so that a later wake interrupts the next read
            now = self._clock()
            frame = self._device.frame(now)
            if frame and (frame != sent or now >= resend_s):
                port.write(frame)
                sent, resend_s, free_s = frame, now + RESEND_S, now + self._transmission_s(frame)
                self._update(frames=self._status.frames + 1)
        for frame in self._device.farewell():
            port.write(frame)
            time.sleep(self._transmission_s(frame))

    def _is_settled(self, opened_s: float) -> bool:
        return self._device.ready() or self._clock() - opened_s >= self._settle_s

    def _listen(self, port: OpenPort, opened_s: float) -> None:
        data = port.read(1)  # returns within READ_S, and at once when woken
        if data:
            data += port.read(port.in_waiting)
            self._update(received=self._status.received + len(data))
            self._device.received(data, self._clock())
        reason = self._device.foreign(self._clock() - opened_s)
        if reason:
            raise _ForeignDevice(reason)

    def _transmission_s(self, frame: bytes) -> float:
        return len(frame) * BITS_PER_BYTE / self._baud + self._rest_s

    def _update(self, **changed: object) -> None:
        self._status = replace(self._status, **changed)  # type: ignore[arg-type]


def _close(port: OpenPort) -> None:
    try:
        port.close()
    except PORT_ERRORS:
        return  # already unplugged
