"""Lens, layout, terrain, army list and dictionary from strangers: read, or refused in one sentence."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.camera import TableCamera
from calibration.markers import dictionary_of
from calibration.opencv import cv2
from calibration.profile import read_layout, read_lens
from rules.engine.roster import enlistment
from rules.games import GAMES, open_game, points_check
from tests.hostile.nasty import NASTY, TREES, changed, damaged, few, mutants, only_refuses, places, text_of
from ui.battle.battle_setup import ArmyLists, load_army
from ui.files import read_terrain, write_json
from ui.setup.lens import LensProfiles

LENS = {
    "schema": 1,
    "image_size": [1920, 1080],
    "matrix": [[1400.0, 0.0, 960.0], [0.0, 1400.0, 540.0], [0.0, 0.0, 1.0]],
    "distortion": [0.1, -0.2, 0.001, 0.0, 0.05],
    "covariance": [[1e-6 * (i == j) for j in range(9)] for i in range(9)],
    "camera": "usb-webcam",
}
LAYOUT = {"schema": 1, "markers": [{"id": n, "corners_in": [[n, 3], [n + 3, 3], [n + 3, 0], [n, 0]]} for n in (0, 10)]}
TERRAIN = {
    "schema": 1,
    "pieces": [
        {"name": "house", "kind": "building", "outline_in": [[0, 0], [4, 0], [4, 3]], "base_in": 0.5, "height_in": 5},
        {"name": "hill", "kind": "hill", "outline_in": [[9, 9], [14, 9], [12, 12], [8, 13]], "height_in": 1},
    ],
}
ARMY = {
    "schema": 1,
    "name": "Grün",
    "game": "simple_plastic",
    "recruits": [
        {"figure": "green-1", "card": "soldier", "squad": "A"},
        {"figure": "green-2", "own": {"unit": "ordinary", "title": "Old Tom", "range_in": 12.5}},
    ],
}


def take_army(path: Path) -> None:
    """Use an army list as the setup dialog does: read it, let its game check it, and assign its units."""
    army = load_army(path)
    if army.game in GAMES:
        game = open_game(army.game)
        enlistment(game, army, "green")
        points_check(game, army)
    write_json(path.parent / "again.json", {"name": army.name})


def take_lens(path: Path) -> None:
    """Use a lens profile as for a picture: undistort pixels with it."""
    camera = TableCamera(read_lens(path), np.diag([1.0, -1, -1]), np.array([0.0, 0, 30]))
    places = camera.pixel_to_table([(0, 0), (960, 540), (1919, 3)])
    camera.table_to_pixel(np.c_[np.nan_to_num(places), np.zeros(3)])
    LensProfiles(path.parent).kept()


READERS: dict[str, tuple[Callable[[Path], object], dict[str, Any]]] = {
    "lens": (take_lens, LENS),
    "layout": (read_layout, LAYOUT),
    "terrain": (read_terrain, TERRAIN),
    "army": (take_army, ARMY),
}
of_each = pytest.mark.parametrize("kind", READERS)


def read_as(kind: str, path: Path, content: bytes) -> None:
    path.write_bytes(content)
    only_refuses(lambda: READERS[kind][0](path), path)


@of_each
def test_the_unchanged_documents_are_accepted(kind: str, tmp_path: Path) -> None:
    """Otherwise the tests below would be refused for one common reason."""
    read, document = READERS[kind]
    path = tmp_path / f"{kind}.json"
    path.write_text(json.dumps(document), "utf-8")
    read(path)


@of_each
@few
@given(data=st.data())
def test_one_wrong_value(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    document = data.draw(mutants(READERS[kind][1]))
    read_as(kind, tmp_path / "x.json", text_of(document).encode())


@of_each
@few
@given(data=st.data())
def test_any_tree_and_any_bytes(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    content = data.draw(TREES.map(lambda tree: text_of(tree).encode()) | st.binary(max_size=200))
    read_as(kind, tmp_path / "x.json", content)


@of_each
@few
@given(data=st.data())
def test_a_damaged_file(kind: str, tmp_path: Path, data: st.DataObject) -> None:
    content = data.draw(damaged(json.dumps(READERS[kind][1]).encode()))
    read_as(kind, tmp_path / "x.json", content)


@of_each
@pytest.mark.parametrize("number", range(len(NASTY)))
def test_each_nasty_value_as_the_document_and_as_each_key(kind: str, number: int, tmp_path: Path) -> None:
    document, nasty = READERS[kind][1], NASTY[number]
    for key in document:
        read_as(kind, tmp_path / "x.json", text_of({**document, key: nasty}).encode())
    read_as(kind, tmp_path / "x.json", text_of(nasty).encode())


@of_each
@pytest.mark.slow
def test_each_huge_number_as_each_number(kind: str, tmp_path: Path) -> None:
    document = READERS[kind][1]
    for place in places(document):
        for huge in (1e308, -1e308, 1e160, 1e-320, math.nan, math.inf, 2**62):
            if place:
                read_as(kind, tmp_path / "x.json", text_of(changed(document, place, huge)).encode())


@of_each
def test_an_endless_file_is_not_read_to_its_end(kind: str) -> None:
    only_refuses(lambda: READERS[kind][0](Path("/dev/zero")))


@few
@given(tree=TREES)
def test_a_folder_with_invalid_army_lists_is_listed(tmp_path: Path, tree: Any) -> None:
    path = tmp_path / "a.json"
    path.write_text(text_of(tree))
    only_refuses(ArmyLists(tmp_path).listed, path)


@pytest.fixture(scope="module")
def dictionary(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A dictionary of five markers, as OpenCV writes it."""
    path = tmp_path_factory.mktemp("dictionary") / "own.yml"
    store = cv2.FileStorage(str(path), cv2.FILE_STORAGE_WRITE)
    cv2.aruco.extendDictionary(5, 4).writeDictionary(store)
    store.release()
    return path.read_bytes()


@few
@given(data=st.data())
def test_a_damaged_dictionary(dictionary: bytes, tmp_path: Path, data: st.DataObject) -> None:
    content = data.draw(damaged(dictionary) | st.binary(max_size=200))
    path = tmp_path / f"{data.draw(st.integers(0, 10**9))}.yml"  # a dictionary of the same name is read only once
    path.write_bytes(content)
    only_refuses(lambda: dictionary_of(str(path)), path)
