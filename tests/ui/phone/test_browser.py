"""The page in a real browser of a phone's size: everything readable without scrolling sideways, taps, a lost server."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.waiting import until
from tools.phone_browser import PHONE_PX, Phone, installed
from ui.phone.server import Limits, PhoneServer
from ui.phone.snapshot import PhoneSnapshot

PROGRAM = installed()

pytestmark = [pytest.mark.slow, pytest.mark.skipif(PROGRAM is None, reason="neither Chromium nor Chrome is installed")]


@pytest.fixture
def server(skirmish: PhoneSnapshot) -> Iterator[PhoneServer]:
    running = PhoneServer("127.0.0.1", 0)
    running.publish(skirmish)
    yield running
    running.stop()
    running.join()


@pytest.fixture(scope="module")
def phone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Phone]:
    """One browser for all tests, because starting it takes two seconds."""
    assert PROGRAM is not None
    with Phone(PROGRAM, tmp_path_factory.mktemp("browser") / "profile") as opened:
        yield opened


def open_page(phone: Phone, server: PhoneServer, theme: str = "light") -> None:
    phone.show(server.url, theme)
    until(lambda: phone.text("heading") == "Turn 1 · Green attacks")


def middle_px(phone: Phone, number: int) -> tuple[float, float]:
    """The middle of a figure on the screen, by its place in the list of figures."""
    box = f"document.querySelectorAll('.figure')[{number}].getBoundingClientRect()"
    x, y = phone.value(f"(() => {{ const b = {box}; return [b.x + b.width / 2, b.y + b.height / 2]; }})()")
    return x, y


def test_a_player_follows_the_battle(phone: Phone, server: PhoneServer, skirmish: PhoneSnapshot) -> None:
    open_page(phone, server)
    assert phone.text("sides") == "Green: 4 left · Tan: 2 left"
    assert "Green 1: Attack on Tan 1: kills." in phone.text("verdict")
    assert phone.value("document.querySelectorAll('.figure').length") == 6
    assert phone.value("document.querySelectorAll('.piece').length") == 1
    phone.tap(*middle_px(phone, 1))
    until(lambda: "Attack on Tan 2" in phone.text("actions"))
    assert "Green 2 · Soldier" in phone.text("actions")
    assert "50 %" in phone.text("actions")
    assert phone.value("document.querySelectorAll('.shot').length") == 2  # lines to Tan 2 and Tan 3
    server.publish(replace(skirmish, verdict=("Missed.",)))
    until(lambda: phone.text("verdict") == "Missed.")
    assert phone.value("soldier.value") == "green-2"  # a change does not deselect the soldier
    phone.tap(*middle_px(phone, 5))  # the chosen soldier is drawn last
    until(lambda: not phone.text("actions"))
    assert phone.errors == []
    assert all(request.startswith(server.url) for request in phone.requests)


def test_a_soldier_that_may_only_move_is_not_said_to_have_nothing_to_do(phone: Phone, server: PhoneServer) -> None:
    open_page(phone, server)
    for may_move, shown in (("true", False), ("false", True)):
        phone.value(f"showAnswer({{name: 'Green 2', move: '', actions: [], forbidden: [], may_move: {may_move}}})")
        assert ("Nothing to do now" in phone.text("actions")) is shown


def test_names_of_terrain_cover_neither_soldiers_nor_each_other(
    phone: Phone, server: PhoneServer, skirmish: PhoneSnapshot
) -> None:
    open_page(phone, server)
    x, y = skirmish.figures[0].centre_in
    pieces = tuple(
        TerrainPiece(name, TerrainKind.BUILDING, ((u, v), (u + 2, v), (u + 2, v + 2), (u, v + 2)), 0.0, 1.0)
        for name, u, v in (("encyclopaedia", 12.0, 3.0), ("atlas", 12.2, 3.1), ("hedge", x - 1, y - 1))
    )
    server.publish(replace(skirmish, position=replace(skirmish.position, terrain=pieces)))
    until(lambda: phone.value("document.querySelectorAll('.piece').length") == 3)
    assert phone.value("[...document.querySelectorAll('.piece-name')].map((one) => one.textContent)") == [
        "encyclopaedia"
    ]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_fits_a_phone(phone: Phone, server: PhoneServer, theme: str) -> None:
    open_page(phone, server, theme)
    assert phone.value("document.documentElement.scrollWidth") == PHONE_PX[0]
    sizes = phone.value("[...document.querySelectorAll('select, button')].map((one) => one.offsetHeight)")
    words_px = phone.value(
        "(() => { const style = getComputedStyle(soldier), pen = document.createElement('canvas').getContext('2d');"
        " pen.font = style.font; return pen.measureText(soldier.selectedOptions[0].text).width"
        " + parseFloat(style.paddingLeft) + parseFloat(style.paddingRight); })()"
    )
    assert words_px + 20 <= phone.value("soldier.clientWidth")  # the arrow takes 20
    assert min(sizes) >= 44  # what a finger needs, in CSS pixels
    picture = cv2.imdecode(np.frombuffer(phone.picture(), np.uint8), cv2.IMREAD_GRAYSCALE)
    ground = picture[-200:, :10].mean()  # below the cards
    assert (ground > 200) == (theme == "light")


def test_the_map_turns_for_players_at_other_sides(phone: Phone, server: PhoneServer) -> None:
    open_page(phone, server)
    top = [middle_px(phone, 0)[1] < middle_px(phone, 4)[1]]  # Green 1 stands nearer than Tan 2
    for _ in range(2):
        phone.value("document.getElementById('turn-map').click()")
    top.append(middle_px(phone, 0)[1] < middle_px(phone, 4)[1])
    assert top == [False, True]


def test_names_are_text_and_never_markup(phone: Phone, server: PhoneServer, skirmish: PhoneSnapshot) -> None:
    open_page(phone, server)
    server.publish(replace(skirmish, verdict=("<img src=x onerror=alert(1)><b>bold</b>",)))
    until(lambda: phone.text("verdict").startswith("<img"))
    assert phone.value("document.querySelectorAll('#verdict img, #verdict b').length") == 0
    assert phone.errors == []


def test_a_lost_connection_is_shown(phone: Phone, server: PhoneServer) -> None:
    open_page(phone, server)
    assert phone.text("lost") == ""
    server.stop()
    server.join()
    until(lambda: phone.text("lost").startswith("Connection lost."))
    assert "Green 1: Attack on Tan 1" in phone.text("verdict")  # the last state stays readable


def test_the_page_connects_again_by_itself(phone: Phone, skirmish: PhoneSnapshot) -> None:
    """The server closes every connection after 0.2 s; the browser waits half a second before the next."""
    server = PhoneServer("127.0.0.1", 0, Limits(page_s=0.2, ping_s=0.1))
    try:
        server.publish(skirmish)
        open_page(phone, server)
        for number in range(2):
            until(lambda: server.phones == 0)
            server.publish(replace(skirmish, verdict=(f"{number}",)))
            until(lambda number=number: phone.text("verdict") == f"{number}")  # type: ignore[misc]
        assert phone.text("lost") == ""
    finally:
        server.stop()
        server.join()
