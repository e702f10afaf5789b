"""Examples in a saved table: a damaged one is dropped alone, and old files still open."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import example as with_value
from hypothesis import strategies as st

from rules.tabletop.table import Posture
from tests.ui.setup.test_saved_table import CAMERA_NAME, FULL, view, with_setup
from ui.session import Session
from ui.setup.saved_table import as_left, table_to_save
from ui.setup.saved_table_document import document_of, examples_document, examples_of, table_of
from ui.setup.saved_table_store import SavedTables
from vision.examples import CROP_PX, MOST_EXAMPLES, Example, Examples
from vision.likeness import DIRECTIONS, unit
from vision.setup import Setup


def example(number: int) -> Example:
    rng = np.random.default_rng(number)
    signature = unit(rng.normal(size=DIRECTIONS).astype(np.float32))
    crop = rng.integers(0, 256, (CROP_PX, CROP_PX, 3)).astype(np.uint8)
    return Example(f"green-{number}", "green", Posture.KNEELING, signature, (-0.5, 0.1, -1.25), crop)


EXAMPLES = Examples(tuple(example(number) for number in range(3)))


def written(examples: Examples = EXAMPLES) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(json.dumps(examples_document(examples)))
    return document


def test_examples_are_saved_and_loaded_unchanged() -> None:
    back, remark = examples_of(written())
    assert remark == ""
    for old, new in zip(EXAMPLES.all, back.all, strict=True):
        assert (new.name, new.army, new.posture, new.colour) == (old.name, old.army, old.posture, old.colour)
        np.testing.assert_array_equal(new.crop_bgr, old.crop_bgr)
        np.testing.assert_allclose(new.signature, old.signature, atol=2e-4)  # written with four digits


def test_the_largest_file_stays_small() -> None:
    most = Examples(tuple(example(number) for number in range(MOST_EXAMPLES)))
    # The worst case, noise: 4800 bytes of pixels, a third more as base64, and 48 numbers of seven characters.
    assert len(json.dumps(examples_document(most))) < MOST_EXAMPLES * 7500


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("posture", "dancing"),
        ("posture", "vehicle"),
        ("army", 7),
        ("name", ""),
        ("signature", [0.1]),
        ("signature", [float("nan")] * DIRECTIONS),
        ("signature", [0.0] * DIRECTIONS),
        ("colour", [1.0]),
        ("colour", "red"),
        ("crop", "no base64!"),
        ("crop", base64.b64encode(b"\x89PNG and nothing else").decode()),
        ("crop", ""),
    ],
)
def test_only_the_damaged_example_is_dropped(key: str, value: object) -> None:
    document = written()
    document["all"][1][key] = value
    back, remark = examples_of(document)
    assert [one.name for one in back.all] == ["green-0", "green-2"]
    assert remark == "1 example is damaged and was removed; the others are kept."


@pytest.mark.parametrize(
    ("document", "remark"),
    [
        (None, ""),
        ([], "The examples cannot be read: confirm or correct some soldiers again."),
        ({"networks": "x"}, "The examples cannot be read: confirm or correct some soldiers again."),
        (
            written() | {"networks": "others"},
            "The examples are from another version of Sandtable: confirm or correct some soldiers again.",
        ),
    ],
)
def test_unusable_examples_are_dropped_with_one_sentence(document: object, remark: str) -> None:
    back, said = examples_of(document)
    assert (back.all, said) == ((), remark)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(anything, st.sampled_from(["all", "networks", "name", "army", "posture", "signature", "colour", "crop"]))
@with_value([1e39] * 48, "signature")  # too large for the type in which it is stored
def test_no_damaged_document_raises(value: object, key: str) -> None:
    document = written()
    target = document if key in document else document["all"][0]
    target[key] = value
    back, _ = examples_of(document)
    assert len(back.all) <= 3
    assert examples_of(value)[0].all == ()


def test_a_saved_table_has_examples_and_an_older_one_has_none(tmp_path: Path) -> None:
    store = SavedTables(tmp_path)
    store.save(CAMERA_NAME, with_setup(examples=EXAMPLES))
    found = store.load(CAMERA_NAME)
    assert found.remark == ""
    assert "3 examples" in found.table.words
    assert [one.name for one in found.table.state.setup.examples.all] == ["green-0", "green-1", "green-2"]
    older = document_of(FULL, CAMERA_NAME, "x.png")
    assert "examples" not in older
    assert table_of(older, None).state.setup.examples.all == ()


def test_a_damaged_example_does_not_affect_the_table(tmp_path: Path) -> None:
    store = SavedTables(tmp_path)
    store.save(CAMERA_NAME, with_setup(examples=EXAMPLES))
    path = store.path_of(CAMERA_NAME)
    document = json.loads(path.read_text())
    document["examples"]["all"][0]["signature"] = [1e9, 3]
    path.write_text(json.dumps(document))
    found = store.load(CAMERA_NAME)
    assert found.remark == "1 example is damaged and was removed; the others are kept."
    assert len(found.table.state.setup.examples.all) == 2
    assert found.table.state.setup.terrain == FULL.state.setup.terrain


def test_a_restored_table_recognizes_its_examples() -> None:
    session = Session(Setup(examples=EXAMPLES))
    kept = table_to_save(session, view())
    assert kept is not None
    fresh = Session()
    as_left(kept, view()).restore(fresh)
    assert fresh.state.setup.examples is EXAMPLES
    fresh.undo()
    assert fresh.state.setup.examples.all == ()
