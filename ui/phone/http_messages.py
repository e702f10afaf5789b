"""The few parts of HTTP that the phone page needs: reading a request's head, and writing a response. No Qt here."""

from __future__ import annotations

import hmac
import re
from dataclasses import dataclass

_REQUEST_LINE = re.compile(r"([A-Z]{1,16}) (/[!-~]*) HTTP/1\.[01]")
_SECURITY = (
    "Cache-Control: no-store\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n"
    "Cross-Origin-Resource-Policy: same-origin\r\n"
    "Referrer-Policy: no-referrer\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Connection: close\r\n\r\n"
)


@dataclass(frozen=True, slots=True)
class Request:
    """The head of a request: its method, its target such as "/a/b", and the host that it names."""

    method: str
    target: str
    host: str


def parse_request(head: bytes) -> Request | None:
    """The request with this head, up to its empty line; None if it is not HTTP/1 or does not name one host."""
    line, *fields = head.decode("latin-1").split("\r\n")
    found = _REQUEST_LINE.fullmatch(line)
    named = [field.partition(":") for field in fields]
    hosts = [value.strip().lower() for name, _, value in named if name.lower() == "host"]
    return Request(found[1], found[2], hosts[0]) if found is not None and len(hosts) == 1 else None


def permitted_path(request: Request | None, host: str, token: str) -> str | None:
    """The part of the target after "/TOKEN/"; None without the token, which is compared in constant time.

    Requests may name only this host and port, so that no other website's name leads here.
    """
    if request is None:
        return None
    _, given, *rest = request.target.split("/", 2)
    permitted = hmac.compare_digest(given.encode(), token.encode()) & (request.host == host)
    return rest[0] if permitted and rest else None


def response(status: str, kind: str = "text/plain", body: bytes = b"", *, head_only: bool = False) -> bytes:
    """A whole response with its security headers; the body is UTF-8, and left out for HEAD."""
    return _head(status, kind, f"Content-Length: {len(body)}\r\n") + (b"" if head_only else body)


def _head(status: str, kind: str, more: str = "") -> bytes:
    return f"HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\n{more}{_SECURITY}".encode()


NOT_FOUND = response("404 Not Found", body=b"Not found\n")
"""The same answer to everything without the token."""

EVENTS_HEAD = _head("200 OK", "text/event-stream") + b"retry: 500\n\n"
"""The head of a stream of server-sent events, which has no length; a browser connects again after half a second."""

PING = b"event: ping\ndata: 1\n\n"


def event(data: bytes) -> bytes:
    """A server-sent event; `data` has no line breaks."""
    return b"data: %b\n\n" % data
