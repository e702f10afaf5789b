"""Requests are read strictly, and nothing below the token opens without it."""

from __future__ import annotations

import pytest

from ui.phone.http_messages import NOT_FOUND, Request, event, parse_request, permitted_path, response

HOST = "192.168.1.5:8740"


def permitted(target: str, host: str = HOST) -> str | None:
    return permitted_path(Request("GET", target, host), HOST, "secret")


def test_a_request_is_read() -> None:
    head = b"GET /secret/page.js HTTP/1.1\r\nAccept: */*\r\nHOST:  192.168.1.5:8740 "
    assert parse_request(head) == Request("GET", "/secret/page.js", HOST)


@pytest.mark.parametrize(
    "head",
    [
        b"",
        b"GET / HTTP/1.1",
        b"GET / HTTP/2.0\r\nHost: a",
        b"GET http://a/ HTTP/1.1\r\nHost: a",
        b"GET /a b HTTP/1.1\r\nHost: a",
        b"get / HTTP/1.1\r\nHost: a",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b",
        b"GET /\xff HTTP/1.1\r\nHost: a",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc",
    ],
)
def test_anything_else_is_not_a_request(head: bytes) -> None:
    assert parse_request(head) is None


def test_only_the_token_and_the_right_host_open_a_path() -> None:
    assert permitted("/secret/") == ""
    assert permitted("/secret/targets/a/b") == "targets/a/b"


@pytest.mark.parametrize(
    ("target", "host"),
    [
        ("/", HOST),
        ("/secret", HOST),
        ("/secre/", HOST),
        ("/secret2/", HOST),
        ("//secret/", HOST),
        ("/x/../secret/", HOST),
        ("/%73ecret/", HOST),
        ("/secret/", "evil.example:8740"),
        ("/secret/", "192.168.1.5"),
        ("/secret/", ""),
    ],
)
def test_nothing_else_opens_one(target: str, host: str) -> None:
    assert permitted(target, host) is None


def test_an_unreadable_request_opens_nothing() -> None:
    assert permitted_path(None, HOST, "secret") is None


def test_every_response_is_kept_by_nobody_and_loads_nothing_from_elsewhere() -> None:
    for message in (NOT_FOUND, response("200 OK", "text/html", b"<p>")):
        head = message.partition(b"\r\n\r\n")[0].decode()
        assert "Cache-Control: no-store" in head
        assert "default-src 'none'" in head
        assert "Referrer-Policy: no-referrer" in head
        assert "X-Content-Type-Options: nosniff" in head
        assert "Server:" not in head


def test_head_gets_the_length_without_the_body() -> None:
    whole, head = (response("200 OK", "text/plain", b"four", head_only=only) for only in (False, True))
    assert whole == head + b"four"
    assert b"Content-Length: 4\r\n" in head


def test_an_event_is_one_line() -> None:
    assert event(b'{"a":1}') == b'data: {"a":1}\n\n'
