"""Wrong values and damaged bytes for files, and the checks that every reader of such a file must pass."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from rules.tabletop.errors import UserError

few = settings(
    max_examples=int(os.environ.get("HOSTILE_EXAMPLES", "15")),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
"""Few enough for every run of the suite; `HOSTILE_EXAMPLES=5000 pytest tests/hostile` tries more."""

LONGEST_SENTENCE = 2_000


def nested(depth: int, kind: type = list) -> Any:
    """A value nested this deep in lists or objects."""
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind is list else {"a": value}
    return value


NASTY: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2, 7, 2**31, 2**63, -(2**63) - 1, 10**400, -(10**400)),
    *(0.5, -0.0, 1e-320, 1e308, -1e308, math.nan, math.inf, -math.inf),
    *(
        "",
        " ",
        "1",
        "nan",
        "\x00",
        "a\x00b.toml",
        "\ud800",
        "ä" * 300,
        "../../etc/passwd",
        "%s{0}{x!r}",
        "self",
        "x" * 9,
    ),
    *([], {}, [[]], [None], [1, 2], [1, 2, 3], [[0, 0]] * 3, [1e308] * 4, ["a"] * 3, {"a": 1}, {"": None}),
    *([0] * 5000, nested(100), nested(400), nested(800), nested(400, dict), "long " * 20_000),
)
"""Values that some reader once did not expect."""

_LEAVES = st.sampled_from(NASTY) | st.floats() | st.integers() | st.text(max_size=8)
TREES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
"""Values that JSON can represent, and values that only seem to be JSON."""


def places(document: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values of a document, including the document itself."""
    yield here
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*here, key))
    elif isinstance(document, (list, tuple)):
        for number, value in enumerate(document):
            yield from places(value, (*here, number))


GONE = object()


def changed(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """The document with another value at one path; `GONE` removes the value."""
    if not place:
        return value
    first, *rest = place
    copy: Any = dict(document) if isinstance(document, dict) else list(document)
    if not rest and value is GONE:
        del copy[first]
    else:
        copy[first] = changed(document[first], tuple(rest), value)
    return copy


def mutants(document: Any) -> st.SearchStrategy[Any]:
    """The document with one value removed, replaced or renamed; rarely with two such changes."""
    ways = [place for place in places(document) if place]

    @st.composite
    def mutant(draw: Callable[..., Any]) -> Any:
        there = document
        for _ in range(draw(st.sampled_from((1, 1, 1, 2)))):
            place = draw(st.sampled_from(ways))
            value = draw(st.just(GONE) | _LEAVES | TREES)
            try:
                there = changed(there, place, value)
            except (KeyError, IndexError, TypeError):  # a value that the first change removed cannot be changed again
                return there
        return draw(st.sampled_from((there, there, there, _renamed(draw, there))))

    return mutant()


def _renamed(draw: Callable[..., Any], document: Any) -> Any:
    """The object with an additional, unknown key."""
    return {**document, draw(st.text(max_size=6)): 1} if isinstance(document, dict) else document


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """A file that is truncated, or has flipped bits, an overwritten part or a repeated part."""

    @st.composite
    def damage(draw: Callable[..., Any]) -> bytes:
        hurt = bytearray(data)
        for _ in range(draw(st.integers(1, 4))):
            at = draw(st.integers(0, max(0, len(hurt) - 1)))
            how = draw(st.sampled_from(("flip", "cut", "write", "repeat")))
            if how == "flip" and hurt:
                hurt[at] ^= 1 << draw(st.integers(0, 7))
            elif how == "cut":
                del hurt[at:]
            elif how == "write":
                more = draw(st.binary(max_size=40))
                hurt[at : at + len(more)] = more
            else:
                hurt[at:at] = hurt[max(0, at - 50) : at]
        return bytes(hurt)

    return damage()


def text_of(document: Any) -> str:
    """A document as JSON; values that JSON lacks are written as Python and other programs do (`NaN`)."""
    return json.dumps(document)


def only_refuses(read: Callable[[], object], *files: Path) -> None:
    """Read a file: it must be accepted or refused in one sentence, and no file may change."""
    before = [file.read_bytes() for file in files]
    try:
        read()
    except UserError as refusal:
        is_a_sentence(str(refusal))
    assert [file.read_bytes() for file in files] == before


def is_a_sentence(words: str) -> None:
    """Check that a refusal is one line of readable length."""
    assert words.strip()
    assert "Traceback" not in words
    assert len(words) < LONGEST_SENTENCE, f"{len(words)} characters: {words[:200]} ..."
