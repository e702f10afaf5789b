"""An emulated WLED controller: a small HTTP server on this computer only, for tests and for players without one."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from hardware.adalight import BLACK, Colour
from hardware.wled import Segment

_MAX_REQUEST_BYTES = 24 * 1024
"""An ESP32 has this much memory for a request."""

_POLL_S = 0.02


class EmulatedWled:
    """An emulated controller that can be unplugged, and plugged in again at the same address.

    Attributes:
        segments: Its segments, one after the other on one strip.
        frames: Number of frames received.
        lost: Number of requests to answer with an error, as a busy controller does.
    """

    def __init__(self, segments: Sequence[Segment]) -> None:
        """Plug the controller in; the rod is on the first segment."""
        self.segments = tuple(segments)
        self.frames = self.lost = 0
        self._strips: dict[int, tuple[Colour, ...]] = {}
        self._darken()
        self._port, self._seen = 0, 0
        self._server: ThreadingHTTPServer | None = None
        self.plug()

    @property
    def path(self) -> str:
        """Its address, such as "127.0.0.1:40123"."""
        return f"127.0.0.1:{self._port}"

    @property
    def plugged(self) -> bool:
        """Whether it is plugged in."""
        return self._server is not None

    @property
    def leds(self) -> tuple[Colour, ...]:
        """The colours of the first segment."""
        return self.strip(self.segments[0].id)

    def strip(self, segment: int) -> tuple[Colour, ...]:
        """The colours of a segment."""
        return self._strips[segment]

    def step(self) -> bool:
        """Whether a frame has arrived since the last call; the server's own threads receive them."""
        before, self._seen = self._seen, self.frames
        return self.frames != before

    def plug(self) -> None:
        """Plug it in, unless it already is."""
        if self._server is None:
            self._server = _Server(("127.0.0.1", self._port), self)
            self._port = self._server.server_port
            serve = self._server.serve_forever
            threading.Thread(target=serve, args=(_POLL_S,), name="emulated WLED", daemon=True).start()

    def unplug(self) -> None:
        """Unplug it; does nothing if it is unplugged."""
        if self._server is not None:
            self._server.shutdown()
            self._server.server_close()
            self._server = None
            self._darken()

    def _darken(self) -> None:
        self._strips = {one.id: (BLACK,) * one.leds for one in self.segments}

    def state(self) -> dict[str, Any]:
        """The answer to `GET /json/state`."""
        start, found = 0, []
        for one in self.segments:
            found.append({"id": one.id, "start": start, "stop": start + one.leds, "n": one.name, "on": True})
            start += one.leds
        return {"on": True, "bri": 255, "seg": found}

    def receive(self, state: Any) -> None:
        """Light the LEDs as a request says.

        Raises:
            AttributeError, KeyError, TypeError, ValueError: for a request that no controller understands.
        """
        for one in state["seg"]:
            self._strips[one["id"]] = lit(self._strips[one["id"]], one["i"])
        self.frames += 1


def lit(strip: Sequence[Colour], items: Sequence[int | str]) -> tuple[Colour, ...]:
    """The colours after the items of `i`, as `deserializeSegment` in WLED's `json.cpp` sets them."""
    colours, bounds = list(strip), list[int]()
    led = 0
    for item in items:
        if isinstance(item, int):
            bounds.append(item)
            led = bounds[0]
            continue
        red, green, blue = bytes.fromhex(item)
        stop = bounds[1] if len(bounds) > 1 else led + 1
        for at in range(led, min(stop, len(colours))):
            colours[at] = (red, green, blue)
        led, bounds = stop, []
    return tuple(colours)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, at: tuple[str, int], device: EmulatedWled) -> None:
        self.device = device
        super().__init__(at, _Handler)


class _Handler(BaseHTTPRequestHandler):
    server: _Server

    def do_GET(self) -> None:
        """Answer with the state."""
        device = self.server.device
        if self.path == "/json/state":
            self._answer(HTTPStatus.OK, device.state())
        elif self.path == "/json/info":
            leds = sum(one.leds for one in device.segments)
            self._answer(HTTPStatus.OK, {"brand": "WLED", "name": "Emulated WLED", "leds": {"count": leds}})
        else:
            self._answer(HTTPStatus.NOT_FOUND, {"error": 4})

    def do_POST(self) -> None:
        """Show a frame."""
        device, length = self.server.device, int(self.headers.get("Content-Length", 0))
        content = self.rfile.read(min(length, _MAX_REQUEST_BYTES))
        if device.lost:
            device.lost -= 1
            self._answer(HTTPStatus.SERVICE_UNAVAILABLE, {"error": 3})
            return
        try:
            device.receive(json.loads(content))
        except (AttributeError, KeyError, TypeError, ValueError):
            self._answer(HTTPStatus.BAD_REQUEST, {"error": 9})
        else:
            self._answer(HTTPStatus.OK, {"success": True})

    def log_message(self, format: str, *args: object) -> None:
        """Print nothing."""

    def _answer(self, status: HTTPStatus, content: dict[str, Any]) -> None:
        data = json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
