"""`python -m tools.hostile_clients ADDRESS PORT`: 200 clients that attack a phone page without its token.

They guess tokens, send their requests a byte at a time or endlessly, say nothing, send noise, or leave half-way. The
program counts the answers that are not the usual 404; more than none makes the exit status 1.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import secrets
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence

_PAUSE_S = 0.05
_TOO_LARGE = b"X-Padding: " + b"x" * (1 << 20)
_PATHS = ("/", "/events", "/{token}/", "/{token}/events", "/{token}/targets/green-1", "/../../etc/passwd", "//", "/%2e")

Client = Callable[[asyncio.StreamReader, asyncio.StreamWriter, str], Awaitable[bytes]]


async def _guesses(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bytes:
    method = random.choice(("GET", "HEAD", "POST", "PUT", "OPTIONS"))
    path = random.choice(_PATHS).format(token=secrets.token_urlsafe(16))
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
    return await reader.read(-1)


async def _dribbles(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bytes:
    """A request that never ends, a byte at a time."""
    for byte in f"GET / HTTP/1.1\r\nHost: {host}\r\nX: ".encode() + b"x" * 10_000:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(_PAUSE_S)
    return b""


async def _floods(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bytes:
    """A head of a megabyte."""
    writer.write(f"GET / HTTP/1.1\r\nHost: {host}\r\n".encode() + _TOO_LARGE)
    return await reader.read(-1)


async def _waits(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bytes:
    return await reader.read(-1)


async def _babbles(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bytes:
    writer.write(secrets.token_bytes(2000) + b"\r\n\r\n")
    writer.write_eof()
    return await reader.read(-1)


async def _leaves(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str) -> bytes:
    writer.write(b"GET / HTT")
    return b""


_CLIENTS: tuple[Client, ...] = (_guesses, _dribbles, _floods, _waits, _babbles, _leaves)


async def attack(host: str, port: int, sources: Sequence[str], clients: int, time_s: float) -> Counter[str]:
    """Attack for some time; return the first lines of all answers with their counts, "" for connections without one.

    Args:
        host, port: Where the page is.
        sources: The addresses to attack from in turn, such as 127.0.0.2 for another device.
        clients: How many clients there are at once.
        time_s: How long to attack.
    """
    answers: Counter[str] = Counter()

    async def one(number: int) -> None:
        client, source = _CLIENTS[number % len(_CLIENTS)], (sources[number % len(sources)], 0)
        while True:
            answer = b""
            with contextlib.suppress(OSError, EOFError):
                reader, writer = await asyncio.open_connection(host, port, local_addr=source)
                try:
                    answer = await client(reader, writer, f"{host}:{port}")
                finally:
                    writer.transport.abort()
            answers[answer.partition(b"\r\n")[0].decode("latin-1")] += 1
            await asyncio.sleep(_PAUSE_S)

    tasks = [asyncio.create_task(one(number)) for number in range(clients)]
    await asyncio.wait(tasks, timeout=time_s)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return answers


def main(arguments: Sequence[str] | None = None) -> int:
    """Attack a page; return the exit status."""
    parser = argparse.ArgumentParser(prog="hostile_clients", description=__doc__)
    parser.add_argument("address", metavar="ADDRESS")
    parser.add_argument("port", type=int, metavar="PORT")
    parser.add_argument("--sources", nargs="+", default=["127.0.0.2"], help="the addresses to attack from")
    parser.add_argument("--clients", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=5.0)
    chosen = parser.parse_args(arguments)
    answers = asyncio.run(attack(chosen.address, chosen.port, chosen.sources, chosen.clients, chosen.seconds))
    for line, count in answers.most_common():
        print(f"{count:6} {line or 'no answer'}")
    return int(any(line and " 404 " not in line for line in answers))


if __name__ == "__main__":
    sys.exit(main())
