"""The page's files: complete, translated, without anything from elsewhere and without markup from data."""

from __future__ import annotations

import re

import pytest

from calibration.opencv import cv2
from ui.desktop.phone import qr_code
from ui.phone.server import page_files


def test_the_page_loads_only_its_own_files() -> None:
    files = page_files()
    html = files[""][1].decode()
    assert set(re.findall(r'(?:src|href)="([^"]*)"', html)) == {"page.css", "page.js", "data:,"}
    assert "$" not in html
    for _, content in files.values():
        assert not re.search(rb"https?://(?!www\.w3\.org/2000/svg)", content)


def test_texts_from_the_server_never_become_markup() -> None:
    script = page_files()["page.js"][1].decode()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|new Function", script)


def test_the_whole_page_is_small() -> None:
    assert sum(len(content) for _, content in page_files().values()) < 20_000


def test_quotes_in_a_translation_do_not_end_an_attribute(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.phone.server.tr", lambda words: f'"><script>{words}')
    html = page_files()[""][1].decode()
    assert html.count("<script") == 1


@pytest.mark.parametrize("least_px", [120, 260])
def test_a_qr_code_can_be_read(least_px: int) -> None:
    url = "http://192.168.178.25:8740/HadS_PWln3ZMezhAwB5YfA/"
    picture = qr_code(url, least_px)
    assert picture.shape[0] >= least_px
    assert cv2.QRCodeDetector().detectAndDecode(picture)[0] == url
    modules = picture.shape[0] // (29 + 8)  # version 3 holds 53 characters; four white modules at each side
    assert (picture[: 4 * modules] == 255).all()
    assert not (picture[4 * modules] == 255).all()
