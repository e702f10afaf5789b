"""Runs the phone page in threads of its own. Nothing listens before a `PhoneServer` is created. No Qt here."""

from __future__ import annotations

import asyncio
import secrets
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

from rules.tabletop.errors import UserError
from ui.phone.service import Limits, Service
from ui.phone.snapshot import PhoneSnapshot
from ui.translation import tr

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
