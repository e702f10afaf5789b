"""Pixels and GoDice over the computer's Bluetooth, with the optional package bleak."""

from __future__ import annotations

import importlib
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from typing import Any

from hardware.bluetooth_codec import (
    GODICE_NOTIFY,
    PIXELS_NOTIFY,
    PIXELS_WRITE,
    UART,
    WHO_ARE_YOU,
    DieReader,
    GoDiceReader,
    PixelsReader,
    is_six_sided,
)
from hardware.devices import MAX_UNREAD_ROLLS
from hardware.dice_protocol import RollLine
from hardware.link import LinkState, LinkStatus

SEARCH_S = 5.0
_PIXELS_COMPANY = 0xFFFF


class BluetoothUnavailable(RuntimeError):
    """The package bleak is not installed; the message says how to install it."""


class Make(StrEnum):
    """The brand of the dice."""

    PIXELS = "pixels"
    GODICE = "godice"


def load_bleak() -> Any:
    """Import the package bleak. Raises `BluetoothUnavailable` if it is not installed."""
    try:
        return importlib.import_module("bleak")
    except ImportError:
        raise BluetoothUnavailable(
            "Bluetooth dice need the package bleak: run .venv/bin/pip install bleak, or use a serial bridge"
        ) from None


class BluetoothDice:
    """Dice connected by Bluetooth. A background thread searches and listens; it also finds dice that wake up later.

    Attributes:
        damaged, repeated: Always 0, because Bluetooth itself detects errors and keeps the order.
    """

    def __init__(self, make: Make, clock: Callable[[], float], bleak: Any = None) -> None:
        """Start searching; `bleak` is the package, imported if None.

        Raises:
            BluetoothUnavailable: if the package is not installed.
        """
        self._bleak = bleak or load_bleak()
        self._make, self._clock = make, clock
        self.damaged = self.repeated = 0
        self._rolls: deque[tuple[RollLine, float]] = deque(maxlen=MAX_UNREAD_ROLLS)
        self._clients: dict[str, Any] = {}
        self._stopping = threading.Event()
        self._error = ""
        self._thread = threading.Thread(target=self._work, name="bluetooth", daemon=True)
        self._thread.start()

    @property
    def status(self) -> LinkStatus:
        """The state of the connection; `port` lists the names of the connected dice."""
        names = ", ".join(sorted(self._clients.copy()))  # the other thread may add a die
        state = LinkState.UP if names else LinkState.SEEKING
        return LinkStatus(state if self._thread.is_alive() else LinkState.CLOSED, names, self._error)

    def arrivals(self) -> tuple[tuple[RollLine, float], ...]:
        """The rolls since the last call, each with the time at which it was received."""
        found = []
        while self._rolls:
            found.append(self._rolls.popleft())
        return tuple(found)

    def close(self) -> None:
        """Disconnect the dice; this may wait a few seconds."""
        self._stopping.set()
        self._thread.join(SEARCH_S + 2)

    def _work(self) -> None:
        import asyncio  # here, because most players have no such dice, and it delays the start

        asyncio.run(self._run())

    async def _run(self) -> None:
        import asyncio

        while not self._stopping.is_set():
            try:
                await self._search()
                self._error = ""
            except (OSError, self._bleak.exc.BleakError) as error:
                self._error = f"Bluetooth does not respond ({error}): switch it on, and roll the dice to wake them"
                await asyncio.sleep(1)
        for client in tuple(self._clients.values()):
            with suppress(OSError, self._bleak.exc.BleakError):  # the die may have disconnected already
                await client.disconnect()

    async def _search(self) -> None:
        found = await self._bleak.BleakScanner.discover(timeout=SEARCH_S, return_adv=True)
        for device, advert in found.values():
            name = device.name or device.address
            if name not in self._clients and self._is_supported(name, advert):
                await self._listen(name, device)

    def _is_supported(self, name: str, advert: Any) -> bool:
        if UART not in advert.service_uuids:
            return False
        if self._make is Make.GODICE:
            return name.startswith("GoDice")
        return is_six_sided(bytes(advert.manufacturer_data.get(_PIXELS_COMPANY, b"")))

    async def _listen(self, name: str, device: Any) -> None:
        pixels = self._make is Make.PIXELS
        reader: DieReader = PixelsReader(name) if pixels else GoDiceReader(name)
        client = self._bleak.BleakClient(device, disconnected_callback=lambda _: self._clients.pop(name, None))
        await client.connect()
        self._clients[name] = client
        await client.start_notify(
            PIXELS_NOTIFY if pixels else GODICE_NOTIFY, lambda _, message: self._receive(reader, message)
        )
        if pixels:
            await client.write_gatt_char(PIXELS_WRITE, WHO_ARE_YOU)

    def _receive(self, reader: DieReader, message: bytearray) -> None:
        roll = reader.read(bytes(message))
        if roll is not None:
            self._rolls.append((roll, self._clock()))
