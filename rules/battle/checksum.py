"""Checksums of a journal: each covers its entry and, through the previous checksum, every entry before it.

They detect damage. They are not signatures: anyone who can write a journal can also write its checksums.
"""

from __future__ import annotations

import struct
from hashlib import sha256

Row = tuple[int, float, str, int, str]
"""An entry as stored in the file: seq, time_s, kind, version and the JSON text of its body."""

START = sha256(b"sandtable journal").digest()
"""The previous checksum of the first entry."""


def next_checksum(before: bytes, row: Row) -> bytes:
    """The checksum of an entry (SHA-256, 32 bytes).

    The hashed bytes are, in this order: the previous checksum; seq, time_s, version and the lengths of kind and body in
    bytes, each in 8 bytes, big-endian (time_s as an IEEE double, the others as integers); kind; body.

    Args:
        before: The checksum of the previous entry, or `START`.
        row: The entry.
    """
    seq, time_s, kind, version, body = row
    kind_bytes, body_bytes = kind.encode(), body.encode()
    numbers = struct.pack(">qdqqq", seq, time_s, version, len(kind_bytes), len(body_bytes))
    return sha256(b"".join((before, numbers, kind_bytes, body_bytes))).digest()
