"""What strangers and bad luck put into files: wrong values, damaged bytes; and how a reader must take it."""

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
"""Quick enough for every run of the suite; `HOSTILE_EXAMPLES=5000 pytest tests/hostile` searches for longer."""

LONGEST_SENTENCE = 2_000


def nested(depth: int, kind: type = list) -> Any:
    """A value inside a list (or an object) inside a list, so many times."""
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
"""Every one of them is what some reader once took for granted that it would not meet."""

_LEAVES = st.sampled_from(NASTY) | st.floats() | st.integers() | st.text(max_size=8)
TREES = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
"""Values that JSON can hold, and those that only look as if it could."""


def places(document: Any, here: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The way to every value of a document, itself included."""
    yield here
    if isinstance(document, dict):
        for key, value in document.items():
            yield from places(value, (*here, key))
    elif isinstance(document, (list, tuple)):
        for number, value in enumerate(document):
            yield from places(value, (*here, number))


GONE = object()


def changed(document: Any, place: tuple[Any, ...], value: Any) -> Any:
    """The document with another value in one place; `GONE` takes it away."""
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
    """The document with one value gone, replaced, or under another name; rarely with two."""
    ways = [place for place in places(document) if place]

    @st.composite
    def mutant(draw: Callable[..., Any]) -> Any:
        there = document
        for _ in range(draw(st.sampled_from((1, 1, 1, 2)))):
            place = draw(st.sampled_from(ways))
            value = draw(st.just(GONE) | _LEAVES | TREES)
            try:
                there = changed(there, place, value)
            except (KeyError, IndexError, TypeError):  # what the first change took away cannot be changed again
                return there
        return draw(st.sampled_from((there, there, there, _renamed(draw, there))))

    return mutant()


def _renamed(draw: Callable[..., Any], document: Any) -> Any:
    """With one more key than anybody asked for."""
    return {**document, draw(st.text(max_size=6)): 1} if isinstance(document, dict) else document


def damaged(data: bytes) -> st.SearchStrategy[bytes]:
    """A file cut short, with bits turned over, with a part overwritten, or with a part twice."""

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
    """A document as JSON, with what JSON has no word for in Python's (`NaN`), as other programs write it, too."""
    return json.dumps(document)


def only_refuses(read: Callable[[], object], *files: Path) -> None:
    """Let something be read: it is understood or refused in a sentence, and the files stay as they were."""
    before = [file.read_bytes() for file in files]
    try:
        read()
    except UserError as refusal:
        is_a_sentence(str(refusal))
    assert [file.read_bytes() for file in files] == before


def is_a_sentence(words: str) -> None:
    """A refusal is one line that somebody can read to its end."""
    assert words.strip()
    assert "Traceback" not in words
    assert len(words) < LONGEST_SENTENCE, f"{len(words)} characters: {words[:200]} ..."
