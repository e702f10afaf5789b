"""Runs the phone page in threads of its own, and answers the phones. No Qt here.

Nothing listens before a `PhoneServer` is created. One thread serves all connections; it accepts them at a limited pace,
so that no flood of clients takes the processor away from the window. Another thread asks the rules, one question at a
time. Clients without the token get little and slowly.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import socket
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from html import escape
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import unquote

from rules.tabletop.errors import UserError
from ui.phone.addresses import is_nearby
from ui.phone.http_messages import EVENTS_HEAD, NOT_FOUND, PING, Request, event, parse_request, permitted_path, response
from ui.phone.snapshot import PhoneSnapshot, page_data, targets_data
from ui.translation import tr

_DRAINED_BYTES = 1 << 16
_DRAIN_S = 1.0
_OUT_OF_SOCKETS_S = 1.0
_RESTS = 3.0
"""Rest after a question to the rules, in times of its duration: Python runs only one thread at a time."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What clients may use; whatever exceeds it is closed without an answer.

    Attributes:
        connections, per_address: Open connections, in all and from one address.
        phones: Open pages.
        questions: Questions to the rules that may wait.
        head_bytes, head_s: Size of a request, and the time for it to arrive.
        write_s: Time for a phone to receive what was sent.
        ping_s: Time between two signs of life on an open page.
        page_s: Time after which a page must connect again, so that phones that went away are not counted for long.
        pace_s: Time between two accepted connections.
    """

    connections: int = 64
    per_address: int = 8
    phones: int = 12
    questions: int = 4
    head_bytes: int = 8192
    head_s: float = 5.0
    write_s: float = 10.0
    ping_s: float = 10.0
    page_s: float = 300.0
    pace_s: float = 0.01


class Service:
    """What runs in the server's thread.

    Attributes:
        phones: The number of open pages.
        stopping: Set to end `serve`.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, limits: Limits, host: str, token: str) -> None:
        self._loop, self._limits, self._host, self._token = loop, limits, host, token
        self.phones, self.stopping = 0, asyncio.Event()
        self._peers: dict[asyncio.Task[None], str] = {}
        self._files = page_files()
        self._snapshot, self._text = PhoneSnapshot(), b"{}"
        self._published, self._news = asyncio.Event(), loop.create_future()
        self._one_question, self._rests_until_s = asyncio.Lock(), 0.0
        self._answers: dict[str, asyncio.Task[bytes]] = {}
        self._executor: Executor | None = None

    async def serve(self, listener: socket.socket, executor: Executor) -> None:
        """Serve until stopped, then close everything; raises what ended it before that."""
        self._executor = executor
        parts = (self._accept(listener), self._describe(), self.stopping.wait())
        ended, _ = await asyncio.wait([*map(self._loop.create_task, parts)], return_when=asyncio.FIRST_COMPLETED)
        running = asyncio.all_tasks() - {asyncio.current_task()}
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        for task in ended:
            task.result()

    # Connections

    async def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, (peer, _) = await self._loop.sock_accept(listener)
            except OSError:  # too many open files, or a client that has gone already
                await asyncio.sleep(_OUT_OF_SOCKETS_S)
                continue
            if is_nearby(peer) and self._has_room(peer):
                task = self._loop.create_task(self._connection(connection))
                self._peers[task] = peer
                task.add_done_callback(self._peers.pop)
            else:
                connection.close()
            await asyncio.sleep(self._limits.pace_s)

    def _has_room(self, peer: str) -> bool:
        peers = [*self._peers.values()]
        return len(peers) < self._limits.connections and peers.count(peer) < self._limits.per_address

    async def _connection(self, connection: socket.socket) -> None:
        """Answer one request, and close."""
        reader, writer = await asyncio.open_connection(sock=connection, limit=self._limits.head_bytes)
        writer.transport.set_write_buffer_limits(high=0)  # so that `drain` waits until the network has taken all
        try:
            await self._answer(reader, writer)
            writer.write_eof()
            await _drain(reader)
        except (OSError, EOFError):  # also a time limit: the client is gone, or too slow
            pass
        finally:
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await self._request(reader)
        path = permitted_path(request, self._host, self._token)
        if request is None or path is None:
            await self._send(writer, NOT_FOUND)
        elif request.method not in ("GET", "HEAD"):
            await self._send(writer, response("405 Method Not Allowed"))
        elif path == "events" and request.method == "GET":
            await self._send_events(reader, writer)
        else:
            status, kind, body = await self._content(path)
            await self._send(writer, response(status, kind, body, head_only=request.method == "HEAD"))

    async def _request(self, reader: asyncio.StreamReader) -> Request | None:
        try:
            async with asyncio.timeout(self._limits.head_s):
                return parse_request((await reader.readuntil(b"\r\n\r\n")).removesuffix(b"\r\n\r\n"))
        except asyncio.LimitOverrunError:
            return None

    async def _content(self, path: str) -> tuple[str, str, bytes]:
        """The status, media type and body of what is at a path below the token."""
        if path in self._files:
            return ("200 OK", *self._files[path])
        folder, _, name = path.partition("/")
        figure, position = unquote(name), self._snapshot.position
        if folder != "targets" or position is None or figure not in position.state.units:
            return "404 Not Found", "text/plain", b"Not found\n"
        if figure not in self._answers:
            if sum(not task.done() for task in self._answers.values()) >= self._limits.questions:
                return "503 Service Unavailable", "text/plain", b"Busy\n"
            self._answers[figure] = self._loop.create_task(self._ask(partial(targets_data, position, figure)))
        return "200 OK", "application/json", await asyncio.shield(self._answers[figure])

    async def _send(self, writer: asyncio.StreamWriter, message: bytes) -> None:
        """Send bytes; raises `TimeoutError` if the client does not take them in time."""
        writer.write(message)
        async with asyncio.timeout(self._limits.write_s):
            await writer.drain()

    async def _send_events(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Send every new state until the phone goes away; a slow phone gets the newest one and misses the others."""
        if self.phones >= self._limits.phones:
            await self._send(writer, response("503 Service Unavailable"))
            return
        self.phones += 1
        gone = self._loop.create_task(reader.read(1))
        try:
            await self._send(writer, EVENTS_HEAD)
            sent, until_s = b"", self._loop.time() + self._limits.page_s
            while not gone.done() and self._loop.time() < until_s:
                news, text = self._news, self._text
                await self._send(writer, PING if text == sent else event(text))
                sent = text
                await asyncio.wait({gone, news}, timeout=self._limits.ping_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self.phones -= 1
            gone.cancel()

    # The battle

    def take(self, snapshot: PhoneSnapshot) -> None:
        """Replace the snapshot; what the rules said about another position is forgotten."""
        if snapshot.position is not self._snapshot.position:
            self._answers.clear()
        self._snapshot = snapshot
        self._published.set()

    async def _describe(self) -> None:
        """Describe each new snapshot, and wake the open pages if the description is new."""
        while True:
            await self._published.wait()
            self._published.clear()
            text = await self._ask(partial(page_data, self._snapshot))
            if text != self._text:
                self._text, news = text, self._news
                self._news = self._loop.create_future()
                news.set_result(None)

    async def _ask(self, question: Callable[[], dict[str, Any]]) -> bytes:
        """The answer to a question that takes long, as JSON. Before the next one, the window has the processor."""
        async with self._one_question:
            await asyncio.sleep(self._rests_until_s - self._loop.time())
            began_s = self._loop.time()
            answer = await self._loop.run_in_executor(self._executor, lambda: _json(question()))
            now_s = self._loop.time()
            self._rests_until_s = now_s + _RESTS * (now_s - began_s)
            return answer


async def _drain(reader: asyncio.StreamReader) -> None:
    """Read what a client still sends: some systems take back the answer if unread bytes are left at the end."""
    async with asyncio.timeout(_DRAIN_S):
        left = _DRAINED_BYTES
        while left > 0 and (read := await reader.read(left)):
            left -= len(read)


def _json(data: dict[str, Any]) -> bytes:
    return json.dumps(data, separators=(",", ":"), allow_nan=False).encode()


def page_files() -> dict[str, tuple[str, bytes]]:
    """The media type and the content of each file of the page, by its path below the token."""
    folder = files(__package__)
    html = Template((folder / "page.html").read_text("utf-8"))
    words = {name: escape(text) for name, text in _words().items()}
    return {
        "": ("text/html", html.substitute(words).encode()),
        "page.css": ("text/css", (folder / "page.css").read_bytes()),
        "page.js": ("text/javascript", (folder / "page.js").read_bytes()),
    }


def _words() -> dict[str, str]:
    return {
        "language": tr("en"),
        "title": tr("Sandtable: the battle"),
        "waiting": tr("Waiting for the table…"),
        "lost": tr("Connection lost. Trying again… If this lasts, scan the code on the big screen again."),
        "no_battle": tr("No battle is open. The map shows the table."),
        "map": tr("Map of the table"),
        "turn_map": tr("Turn map"),
        "soldier": tr("Soldier"),
        "choose": tr("Tap a soldier"),
        "busy": tr("The program is busy. Tap again in a moment."),
        "thinking": tr("Asking the rules…"),
        "nothing": tr("Nothing to do now"),
        "forbidden": tr("Not possible now"),
        "verdict": tr("Last verdict"),
        "side_left": tr("{side}: {left} left"),
    }


PORT = 8740
"""The usual port, so that one exception in a firewall serves for every evening."""

_TOKEN_BYTES = 16
_BACKLOG = 64
_SEND_BUFFER_BYTES = 1 << 16
_USUAL = Limits()


class PhoneServer:
    """The running page. It listens from its creation until `stop`; all methods belong to one thread.

    Attributes:
        url: The page's address with its token, which is new for every server.
        port: The port at which it listens.
    """

    def __init__(self, address: str, port: int = PORT, limits: Limits = _USUAL) -> None:
        """Listen at an address of this computer, at any port if the given one is taken.

        Raises:
            UserError: if this address cannot be used.
        """
        self._listener = _listening(address, port)
        self.port: int = self._listener.getsockname()[1]
        host, token = f"{address}:{self.port}", secrets.token_urlsafe(_TOKEN_BYTES)
        self.url = f"http://{host}/{token}/"
        self._loop = asyncio.new_event_loop()
        self._service = Service(self._loop, limits, host, token)
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="sandtable phone page", daemon=True)
        self._thread.start()

    @property
    def phones(self) -> int:
        """The number of phones that show the page."""
        return self._service.phones

    @property
    def running(self) -> bool:
        """Whether it listens; False after `stop`."""
        return not self._stopped and self._thread.is_alive()

    def publish(self, snapshot: PhoneSnapshot) -> None:
        """Show this on all phones, unless it looks the same as before; returns at once."""
        if self.running:
            self._loop.call_soon_threadsafe(self._service.take, snapshot)

    def stop(self) -> None:
        """Stop listening and close all connections; returns at once."""
        if self.running:
            self._stopped = True
            self._loop.call_soon_threadsafe(self._service.stopping.set)

    def join(self) -> None:
        """Wait until everything is closed, after `stop`: at most as long as one question to the rules takes."""
        self._thread.join()

    def _run(self) -> None:
        with self._listener, ThreadPoolExecutor(1, "sandtable phone rules") as executor:
            try:
                self._loop.run_until_complete(self._service.serve(self._listener, executor))
            finally:
                self._loop.close()


def _listening(address: str, port: int) -> socket.socket:
    try:
        listener = _bound(address, port)
    except OSError as error:
        words = tr(
            "The phone page cannot use the address {address} ({reason}). Choose another network.",
            address=address,
            reason=error.strerror or str(error),
        )
        raise UserError(words) from error
    listener.setblocking(False)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, _SEND_BUFFER_BYTES)  # accepted connections inherit it
    return listener


def _bound(address: str, port: int) -> socket.socket:
    """A socket that listens at this port or, if it is taken, at any."""
    try:
        return socket.create_server((address, port), backlog=_BACKLOG)
    except OSError:
        return socket.create_server((address, 0), backlog=_BACKLOG)
