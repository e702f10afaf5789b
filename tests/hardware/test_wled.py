"""WLED over HTTP: the codec, the link to an emulated controller, and hostile or broken controllers."""

from __future__ import annotations

import itertools
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hardware import wled
from hardware.devices import RangeRod
from hardware.link import LinkState
from hardware.range_rod import DiceWait, Measured, RodShape, black, colours
from hardware.wled import Address, Segment
from hardware.wled_emulator import EmulatedWled, lit
from hardware.wled_link import WledError, WledPort, request, segments, wled_rod
from tests.waiting import block, until

SHAPE = RodShape(length_in=12, leds_per_in=1)
ROD, EDGE = Segment(0, "Rod", 12), Segment(1, "Table edge", 30)
RED, DARK = (255, 0, 0), (0, 0, 0)
DRIP_S = 0.05


@pytest.fixture
def device() -> Iterator[EmulatedWled]:
    device = EmulatedWled([ROD, EDGE])
    yield device
    device.unplug()


@pytest.fixture
def rod(device: EmulatedWled) -> Iterator[RangeRod]:
    rod = wled_rod(SHAPE, wled.address(device.path), "rod")
    yield rod
    rod.close()


def reason(where: Address, answer_s: float = 0.3) -> str:
    with pytest.raises(WledError) as refused:
        segments(where, answer_s)
    return str(refused.value)


# The codec


def test_runs_of_a_colour_take_one_entry() -> None:
    # start, stop, colour for LEDs 0 and 1; a single colour goes to the next LED, 2.
    assert wled.encode([RED, RED, DARK]) == b'[0,2,"FF0000","000000"]'
    assert wled.body(3, b"[]") == b'{"on":true,"tt":0,"seg":[{"id":3,"on":true,"i":[]}]}'


@given(st.lists(st.sampled_from([RED, DARK, (1, 2, 3)]), min_size=1, max_size=12))
def test_a_controller_shows_what_was_encoded(leds: list[tuple[int, int, int]]) -> None:
    assert lit([DARK] * 12, json.loads(wled.encode(leds))) == (*leds, *[DARK] * (12 - len(leds)))


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("192.168.1.40", "192.168.1.40", 80),
        (" http://wled-rod.local/ ", "wled-rod.local", 80),
        ("localhost:8080", "localhost", 8080),
        ("[::1]:81", "::1", 81),
        ("[fe80::1]", "fe80::1", 80),
    ],
)
def test_addresses_are_read(text: str, host: str, port: int) -> None:
    assert wled.address(text) == Address(host, port)
    assert wled.address(str(Address(host, port))) == Address(host, port), "the settings keep it as text"


@pytest.mark.parametrize("text", ["", "a b", "host:0", "host:70000", "user@host", "https://host", "host/json", "a\nb"])
def test_other_texts_are_refused_with_an_example(text: str) -> None:
    with pytest.raises(ValueError, match=r"enter the one that WLED shows, such as 192\.168\.1\.40"):
        wled.address(text)


def test_segments_without_a_name_are_numbered_and_equal_names_told_apart() -> None:
    state = {"seg": [{"id": 0, "start": 0, "stop": 9}, {"id": 1, "start": 0, "stop": 5, "n": "A"}]}
    state["seg"] += [{"id": 2, "start": 5, "stop": 6, "n": "A"}, {"id": 3, "start": 0, "stop": 0}]
    # The last one has no LEDs: WLED reports deleted segments so.
    found = wled.decode_segments(json.dumps(state).encode())
    assert found == (Segment(0, "Segment 0", 9), Segment(1, "A (1)", 5), Segment(2, "A (2)", 1))


@pytest.mark.parametrize(
    "answer",
    [b"", b"[]", b"<html>", b'{"seg":[1]}', b'{"seg":[{"id":0,"start":0}]}', b"[" * 9999, b'{"seg":[{"id":1e999}]}'],
)
def test_other_answers_are_no_state(answer: bytes) -> None:
    with pytest.raises(ValueError, match="not a state of WLED"):
        wled.decode_segments(answer)


def test_a_segment_is_chosen_by_its_name() -> None:
    assert wled.choose([ROD, EDGE], "TABLE EDGE", 12) is EDGE
    assert wled.choose([ROD], "", 12) is ROD
    for name, leds, words in (
        ("", 12, r"several segments: choose one of them \(Rod, Table edge\)"),
        ("Lamp", 12, r"no segment 'Lamp': choose one of its segments \(Rod, Table edge\)"),
        ("Rod", 13, "Rod has 12 LEDs and the rod 13: set the same number in both"),
    ):
        with pytest.raises(ValueError, match=words):
            wled.choose([ROD, EDGE], name, leds)


# The link


def test_the_rod_shows_signs_on_its_segment_and_goes_dark_on_close(device: EmulatedWled, rod: RangeRod) -> None:
    rod.show(Measured(7.5))
    until(lambda: device.leds == colours(SHAPE, Measured(7.5), 0))
    assert rod.status.state is LinkState.UP
    assert rod.status.port == device.path
    assert device.strip(EDGE.id) == (DARK,) * 30
    rod.close()
    assert device.leds == black(SHAPE)


def test_only_the_latest_frame_is_sent_to_a_slow_controller(device: EmulatedWled, rod: RangeRod) -> None:
    rod.show(Measured(1))
    until(lambda: device.frames)
    frames, inches = device.frames, itertools.count()
    until(lambda: device.frames >= frames + 5, lambda: rod.show(Measured(next(inches) % 100 / 10)))
    sent = next(inches)
    assert device.frames - frames < sent  # the others were replaced before they were sent
    rod.show(Measured(3))
    until(lambda: device.leds == colours(SHAPE, Measured(3), 0))


def test_moving_lights_arrive_25_times_a_second(device: EmulatedWled, rod: RangeRod) -> None:
    rod.show(DiceWait())
    until(lambda: device.frames)
    start_s, frames = time.monotonic(), device.frames
    until(lambda: device.frames >= frames + 15)
    assert time.monotonic() - start_s >= 0.5  # 15 steps of 0.04 s are 0.6 s, less one that was due


@pytest.mark.slow
def test_an_unplugged_controller_is_named_and_found_again(device: EmulatedWled, rod: RangeRod) -> None:
    rod.show(Measured(3))
    until(lambda: device.leds == colours(SHAPE, Measured(3), 0))
    device.unplug()
    until(lambda: rod.status.state is LinkState.SEEKING)
    assert rod.status.error == (
        f"no answer from {device.path}: switch WLED on and join its network; Sandtable tries again by itself"
    )
    device.plug()
    until(lambda: device.leds == colours(SHAPE, Measured(3), 0))
    assert rod.status.connections == 2


def test_a_busy_controller_is_tried_again(device: EmulatedWled, rod: RangeRod) -> None:
    until(lambda: device.frames)
    device.lost = 1
    rod.show(Measured(3))
    until(lambda: device.leds == colours(SHAPE, Measured(3), 0))
    assert rod.status.error.startswith("no answer from")


def test_a_wrong_segment_is_named_until_it_exists(device: EmulatedWled) -> None:
    rod = wled_rod(SHAPE, wled.address(device.path), "Lamp")
    try:
        until(lambda: rod.status.state is LinkState.DENIED)
        assert "no segment 'Lamp': choose one of its segments (Rod, Table edge)" in rod.status.error
        device.segments = (Segment(0, "Lamp", 12),)
        until(lambda: rod.status.state is LinkState.UP)
    finally:
        rod.close()


def test_cancelling_ends_a_read(device: EmulatedWled) -> None:
    port = WledPort(wled.address(device.path), "Rod", 12)
    port.cancel_read()
    start_s = time.monotonic()
    assert port.read(1) == b""
    assert time.monotonic() - start_s < 0.03  # READ_S is 0.04


# Hostile and broken controllers


@pytest.fixture
def answers() -> Iterator[Callable[[Callable[[socket.socket], object]], Address]]:
    """Starts a server that answers the first request with a function."""
    listening: list[socket.socket] = []
    threads: list[threading.Thread] = []

    def start(answer: Callable[[socket.socket], object]) -> Address:
        listener = socket.create_server(("127.0.0.1", 0))
        listening.append(listener)

        def serve() -> None:
            caller, _ = listener.accept()
            with caller:
                caller.recv(4096)
                try:
                    answer(caller)
                except OSError:
                    return  # the caller has hung up

        threads.append(threading.Thread(target=serve))
        threads[-1].start()
        return Address("127.0.0.1", listener.getsockname()[1])

    yield start
    for thread, listener in zip(threads, listening, strict=True):
        thread.join(5)
        listener.close()
        assert not thread.is_alive()


def ok(content: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\n\r\n" + content


@pytest.mark.parametrize(
    "answer",
    [
        ok(b"<html>a router</html>"),
        ok(b"[]"),
        ok(b" " * 70_000),
        b"HTTP/1.1 404 Not Found\r\n\r\n",
        b"HTTP/1.1 301 Moved\r\nLocation: http://example.org/\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.2\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * 200 + b"\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n{",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    ],
)
def test_other_servers_are_no_wled(answers, answer: bytes) -> None:
    where = answers(lambda caller: caller.sendall(answer))
    assert reason(where) == f"{where} does not answer like WLED: enter the address that WLED shows"


def test_an_endless_answer_is_not_read_to_its_end(answers) -> None:
    def pour(caller: socket.socket) -> None:
        caller.sendall(ok(b""))
        while True:
            caller.sendall(b" " * 10_000)

    where, start_s = answers(pour), time.monotonic()
    assert reason(where, answer_s=30).startswith(f"{where} does not answer like WLED")
    assert time.monotonic() - start_s < 15


def test_silence_and_dripping_bytes_end_in_time(answers) -> None:
    def drip(caller: socket.socket) -> None:
        for byte in itertools.repeat(b"a"):
            caller.sendall(byte)
            block(DRIP_S)

    def drip_content(caller: socket.socket) -> None:
        caller.sendall(ok(b""))
        drip(caller)

    for answer in (lambda caller: caller.recv(1), drip, drip_content):
        where, start_s = answers(answer), time.monotonic()
        assert reason(where, answer_s=0.2).startswith(f"no answer from {where}")
        assert time.monotonic() - start_s < 2  # far from ANSWER_S for each byte


def test_an_unknown_name_is_named(monkeypatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert reason(Address("wled-rod.local")).startswith("wled-rod.local is not known in this network: enter")


def test_the_emulator_refuses_bad_requests_and_listens_on_this_computer_only(device: EmulatedWled) -> None:
    where = wled.address(device.path)
    assert where.host == "127.0.0.1"
    assert json.loads(request(where, "GET", "/json/info"))["brand"] == "WLED"
    for content in (b"", b"[]", b'{"seg":[{"id":9,"i":[]}]}', b'{"seg":[{"id":0,"i":["red"]}]}'):
        with pytest.raises(WledError):
            request(where, "POST", "/json/state", content)
    with pytest.raises(WledError):
        request(where, "GET", "/win")
    assert device.frames == 0
