"""The server with real sockets: what phones get, and that hostile clients get nothing and delay no one."""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest

from rules.engine.position import Position
from rules.tabletop.errors import UserError
from tests.ui.tables import soldier
from tests.waiting import PATIENCE_S, block, until
from tools.hostile_clients import attack
from ui.phone.http_messages import NOT_FOUND
from ui.phone.server import Limits, PhoneServer
from ui.phone.snapshot import PhoneSnapshot

QUICK = Limits(head_s=0.3, write_s=0.3, ping_s=0.1, pace_s=0.001)
OTHER_DEVICE = "127.0.0.2"
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has further addresses of its own")

Start = Callable[..., PhoneServer]


@pytest.fixture
def start() -> Iterator[Start]:
    servers: list[PhoneServer] = []

    def started(limits: Limits = QUICK) -> PhoneServer:
        servers.append(PhoneServer("127.0.0.1", 0, limits))
        return servers[-1]

    yield started
    for server in servers:
        server.stop()
        server.join()


def connected(server: PhoneServer, source: str = "127.0.0.1") -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), PATIENCE_S, (source, 0))


def received(connection: socket.socket) -> bytes:
    """Everything until the server closes, also if it does so hard."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            found += part
    return found


def answer(server: PhoneServer, message: bytes) -> bytes:
    with connected(server) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(message)
        return received(connection)


def asking(server: PhoneServer, path: str, method: str = "GET", host: str = "") -> bytes:
    """A request for a path below the token."""
    target = "/" + server.url.split("/", 3)[3] + path
    return f"{method} {target} HTTP/1.1\r\nHost: {host or f'127.0.0.1:{server.port}'}\r\n\r\n".encode()


def body(message: bytes) -> bytes:
    return message.partition(b"\r\n\r\n")[2]


def next_event(stream: socket.socket, found: bytearray) -> str:
    """The data of the next event that is not a ping."""
    while True:
        event, end, rest = bytes(found).partition(b"\n\n")
        if not end:
            part = stream.recv(1 << 16)
            assert part, "the stream has ended"
            found += part
            continue
        found[:] = rest
        data = next((line[6:] for line in event.decode().splitlines() if line.startswith("data: ")), "1")
        if data not in ("1", "{}"):  # pings, and the state before the first table
            return data


@contextlib.contextmanager
def page(server: PhoneServer) -> Iterator[Callable[[], dict[str, object]]]:
    """An open page; the function returns what it is sent next."""
    found = bytearray()
    with connected(server) as stream:
        stream.sendall(asking(server, "events"))
        yield lambda: json.loads(next_event(stream, found))


# What phones get


def test_a_phone_gets_the_page_and_its_files(start: Start) -> None:
    server = start()
    assert b"Content-Type: text/html" in answer(server, asking(server, ""))
    assert b"EventSource" in answer(server, asking(server, "page.js"))
    assert b"text/css" in answer(server, asking(server, "page.css"))


def test_a_phone_gets_the_battle_and_every_change(start: Start, skirmish: PhoneSnapshot) -> None:
    server = start(replace(QUICK, ping_s=2 * PATIENCE_S))  # no ping notices that the phone has gone
    server.publish(skirmish)
    with page(server) as shown:
        assert shown()["verdict"][0] == "Green 1: Attack on Tan 1: kills."  # type: ignore[index]
        assert server.phones == 1
        server.publish(replace(skirmish, verdict=("Missed.",)))
        assert shown()["verdict"] == ["Missed."]
    until(lambda: server.phones == 0)


def test_what_looks_the_same_is_not_sent_again(start: Start, skirmish: PhoneSnapshot) -> None:
    server = start()
    server.publish(skirmish)
    with page(server) as shown:
        shown()
        server.publish(replace(skirmish))
        server.publish(replace(skirmish, verdict=("Missed.",)))
        assert shown()["verdict"] == ["Missed."]


def test_a_phone_asks_for_the_targets_of_a_figure(start: Start, skirmish: PhoneSnapshot) -> None:
    server = start()
    server.publish(skirmish)
    found = json.loads(body(answer(server, asking(server, "targets/green-2"))))
    assert found["actions"][0]["words"] == "Attack on Tan 2"
    assert answer(server, asking(server, "targets/green-99")).startswith(b"HTTP/1.1 404")
    assert answer(server, asking(server, "targets/..%2f..%2fetc%2fpasswd")).startswith(b"HTTP/1.1 404")


def test_the_rules_are_asked_once_for_each_position(
    start: Start, skirmish: PhoneSnapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, str]] = []
    server = start()

    def noted(position: Position, figure: str) -> dict[str, object]:
        asked.append((id(position), figure))
        return {"id": figure}

    monkeypatch.setattr("ui.phone.server.targets_data", noted)
    assert skirmish.position is not None
    after = replace(skirmish.position)
    for position in (skirmish.position, after):
        server.publish(replace(skirmish, position=position))
        for _ in range(3):
            answer(server, asking(server, "targets/green-2"))
    assert asked == [(id(skirmish.position), "green-2"), (id(after), "green-2")]


def test_only_a_few_questions_wait_for_the_rules(
    start: Start, skirmish: PhoneSnapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, most, go_on = 0, 0, threading.Event()

    def slow(_: Position, figure: str) -> dict[str, object]:
        nonlocal now, most
        now += 1
        most = max(most, now)
        go_on.wait(PATIENCE_S)
        now -= 1
        return {"id": figure}

    monkeypatch.setattr("ui.phone.server.targets_data", slow)
    server = start(replace(QUICK, questions=2))
    server.publish(skirmish)
    with connected(server) as first, connected(server) as second:
        for connection, figure in ((first, "green-1"), (second, "green-2")):
            connection.sendall(asking(server, f"targets/{figure}"))
            until(lambda: now == 1)
        third = b""
        while not third.startswith(b"HTTP/1.1 503"):  # once the second one waits
            third = answer(server, asking(server, "targets/green-3"))
        go_on.set()
        assert json.loads(body(received(first))) == {"id": "green-1"}
        assert json.loads(body(received(second))) == {"id": "green-2"}
    assert most == 1


def test_the_rules_rest_after_each_question(
    start: Start, skirmish: PhoneSnapshot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python runs one thread at a time: three quarters of it belong to the window."""
    times_s: list[tuple[float, float]] = []

    def slow(_: Position, figure: str) -> dict[str, object]:
        began_s = time.monotonic()
        block(0.05)
        times_s.append((began_s, time.monotonic()))
        return {"id": figure}

    monkeypatch.setattr("ui.phone.server.targets_data", slow)
    server = start()
    server.publish(skirmish)
    for figure in ("green-1", "green-2"):
        answer(server, asking(server, f"targets/{figure}"))
    (began_s, ended_s), (next_s, _) = times_s
    assert next_s - ended_s >= 2.9 * (ended_s - began_s)


def test_head_gets_no_body_and_other_methods_nothing(start: Start) -> None:
    server = start()
    assert body(answer(server, asking(server, "", "HEAD"))) == b""
    assert body(answer(server, asking(server, "events", "HEAD"))) == b""
    for method in ("POST", "PUT", "DELETE", "OPTIONS"):
        assert answer(server, asking(server, "", method)).startswith(b"HTTP/1.1 405")


def test_only_so_many_phones_are_served(start: Start) -> None:
    server = start(replace(QUICK, phones=1))
    with page(server):
        until(lambda: server.phones == 1)
        assert answer(server, asking(server, "events")).startswith(b"HTTP/1.1 503")


def test_every_server_has_another_token(start: Start) -> None:
    first, second = start(), start()
    tokens = {one.url.split("/")[3] for one in (first, second)}
    assert len(tokens) == 2
    assert all(len(token) >= 22 for token in tokens)  # 128 bits


# What everybody else gets


@pytest.mark.parametrize(
    "target",
    [
        "/",
        "/favicon.ico",
        "/events",
        "/page.js",
        "/AAAAAAAAAAAAAAAAAAAAAA/",
        "/AAAAAAAAAAAAAAAAAAAAAA/events",
        "/../../../../etc/passwd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "//",
        "/" + "x" * 4000,
    ],
)
@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_without_the_token_every_answer_is_the_same(start: Start, method: str, target: str) -> None:
    server = start()
    message = f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\n\r\n".encode()
    assert answer(server, message) == NOT_FOUND


def test_the_token_is_worth_nothing_under_another_name(start: Start) -> None:
    """A website whose name leads here (DNS rebinding) cannot read the page."""
    server = start()
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1", "localhost"):
        assert answer(server, asking(server, "", host=host)) == NOT_FOUND


def test_a_huge_head_gets_the_same_answer(start: Start) -> None:
    server = start()
    message = asking(server, "").removesuffix(b"\r\n") + b"X: " + b"x" * 60_000 + b"\r\n\r\n"
    assert answer(server, message) == NOT_FOUND


def test_a_half_closed_connection_is_answered_if_its_request_is_complete(start: Start) -> None:
    server = start()
    for message, expected in ((asking(server, ""), b"HTTP/1.1 200"), (b"GET / HT", b"")):
        with connected(server) as connection:
            connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
            assert received(connection)[:12] == expected


def test_a_slow_request_is_dropped(start: Start) -> None:
    """A byte every 50 ms never completes the head within its 300 ms."""
    server = start()
    with connected(server) as connection:
        connection.settimeout(0.05)
        began_s = time.monotonic()
        with contextlib.suppress(ConnectionError):
            while time.monotonic() < began_s + PATIENCE_S:
                connection.sendall(b"x")
                with contextlib.suppress(TimeoutError):
                    assert connection.recv(1) == b""
                    break
        assert time.monotonic() - began_s < PATIENCE_S


def test_a_phone_that_does_not_read_is_dropped(start: Start, skirmish: PhoneSnapshot) -> None:
    """Its buffers hold less than a few states of 700 figures, about 80 kB each."""
    server = start()
    crowd = tuple(soldier(f"tan-{n}", n % 30, n // 30) for n in range(700))
    with connected(server) as stream:
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        stream.sendall(asking(server, "events"))
        until(lambda: server.phones == 1)
        numbers = iter(range(1000))
        until(lambda: server.phones == 0, lambda: server.publish(PhoneSnapshot(crowd, verdict=(str(next(numbers)),))))


@on_linux
def test_two_hundred_hostile_clients_hold_up_nobody(start: Start, skirmish: PhoneSnapshot) -> None:
    """A phone reads the battle and a figure's targets while another device attacks with 200 clients."""
    server = start(replace(Limits(), ping_s=0.1))
    server.publish(skirmish)
    answers: list[dict[str, int]] = []
    coroutine = attack("127.0.0.1", server.port, [OTHER_DEVICE], 200, 0.7)
    attacking = threading.Thread(target=lambda: answers.append(asyncio.run(coroutine)))
    attacking.start()
    with page(server) as shown:
        assert shown()["verdict"]
        for number in range(3):
            server.publish(replace(skirmish, verdict=(str(number),)))
            assert shown()["verdict"] == [str(number)]
        assert b'"actions"' in answer(server, asking(server, "targets/green-2"))
    attacking.join()
    [counts] = answers
    assert counts.keys() <= {"", "HTTP/1.1 404 Not Found"}  # "": no answer at all
    assert counts["HTTP/1.1 404 Not Found"] > 0
    server.publish(skirmish)
    assert answer(server, asking(server, "")).startswith(b"HTTP/1.1 200")


def test_connections_are_accepted_at_a_limited_pace(start: Start) -> None:
    """So that no flood takes the processor away from the window: six in no less than five pauses."""
    server = start(replace(QUICK, pace_s=0.05))
    began_s = time.monotonic()
    for _ in range(6):
        assert answer(server, b"\r\n\r\n") == NOT_FOUND
    assert time.monotonic() - began_s >= 5 * 0.05


@on_linux
def test_one_device_cannot_take_all_connections(start: Start) -> None:
    server = start(replace(QUICK, head_s=PATIENCE_S, connections=3, per_address=2))
    with connected(server, OTHER_DEVICE), connected(server, OTHER_DEVICE):
        with connected(server, OTHER_DEVICE) as third:
            assert received(third) == b""
        with connected(server):
            assert answer(server, asking(server, "")) == b""  # now all three are taken


# Starting and stopping


def test_after_stop_nothing_listens(start: Start) -> None:
    server = start()
    with page(server):
        until(lambda: server.phones == 1)
        server.stop()
        server.join()
        assert not server.running
        with pytest.raises(ConnectionRefusedError):
            connected(server)
    server.publish(PhoneSnapshot())  # does nothing


def test_a_taken_port_is_replaced(start: Start) -> None:
    first = start()
    second = PhoneServer("127.0.0.1", first.port, QUICK)
    try:
        assert second.port != first.port
        assert f":{second.port}/" in second.url
    finally:
        second.stop()
        second.join()


def test_an_address_of_another_computer_gets_a_sentence() -> None:
    with pytest.raises(UserError, match=r"cannot use the address 192\.0\.2\.99 .* Choose another network"):
        PhoneServer("192.0.2.99", 0)


def test_only_this_network_is_answered(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    """As if this computer's own address were one of the internet."""
    server = start()
    monkeypatch.setattr("ui.phone.server.is_nearby", lambda _: False)
    assert answer(server, asking(server, "")) == b""
