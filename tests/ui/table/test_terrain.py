"""Editing terrain: stacking, changing, clicking, saving."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.ui.views import over
from ui.files import read_terrain
from ui.table.terrain import (
    as_seen,
    base_under,
    nearest_corner,
    nearest_edge,
    outline_height_in,
    piece_named,
    piece_seen_at,
    reprojected,
    resettled,
    standing_place,
    terrain_document,
    terrain_words,
    with_changed,
    with_corner_at,
    with_corner_on,
    with_landed,
    with_moved,
    with_piece,
    without_corner,
    without_piece,
    write_terrain,
)


def box(name, kind=TerrainKind.HILL, x=2.0, y=2.0, wide=8.0, deep=6.0, base_in=0.0, height_in=1.0):
    outline = ((x, y), (x + wide, y), (x + wide, y + deep), (x, y + deep))
    return TerrainPiece(name, kind, outline, base_in, height_in)


ATLAS = box("atlas", height_in=1.5)
NOVEL = box("novel", x=3, y=3, wide=4, deep=3, base_in=1.5, height_in=0.5)
HOUSE = box("house", TerrainKind.BUILDING, x=3.5, y=3.5, wide=2, deep=2, base_in=2.0, height_in=4.0)
STACK = (ATLAS, NOVEL, HOUSE)


def bases(terrain):
    return {piece.name: piece.base_in for piece in terrain}


def test_a_piece_stands_on_the_highest_book_under_most_of_it():
    house = replace(HOUSE, base_in=0.0)
    assert base_under(house.outline_in, (ATLAS, NOVEL)) == 2.0
    assert resettled(house, (ATLAS, NOVEL)) == HOUSE
    beside = box("shed", x=9, wide=4, deep=2)  # a quarter of it over the atlas
    assert base_under(beside.outline_in, (ATLAS,)) == 0.0
    assert base_under(house.outline_in, (replace(ATLAS, kind=TerrainKind.WOODS),)) == 0.0, "nothing stands on trees"


def test_pieces_follow_the_height_of_the_piece_below():
    assert bases(without_piece(STACK, "novel")) == {"atlas": 0.0, "house": 1.5}
    assert bases(without_piece(STACK, "atlas")) == {"novel": 0.0, "house": 0.5}
    thicker = with_changed(STACK, "atlas", replace(ATLAS, height_in=2.5))
    assert bases(thicker) == {"atlas": 0.0, "novel": 2.5, "house": 3.0}
    assert without_piece(STACK, "barn") is STACK


def test_a_dragged_piece_carries_others_and_lands_on_the_ground() -> None:
    store = box("shelf", x=20, y=2, wide=10, deep=8, height_in=3.0)
    table = (*STACK, store)
    moved = with_moved(table, "novel", (19.0, 0.0))
    assert [piece.outline_in[0] for piece in moved] == [(2, 2), (22, 3), (22.5, 3.5), (20, 2)]
    assert bases(with_landed(table, moved, "novel")) == {"atlas": 0.0, "novel": 3.0, "house": 3.5, "shelf": 0.0}
    aside = with_moved(table, "novel", (9.0, 12.0))
    assert bases(with_landed(table, aside, "novel")) == {"atlas": 0.0, "novel": 0.0, "house": 0.5, "shelf": 0.0}
    crown = box("oak", TerrainKind.TREE, x=14, y=12, wide=3, deep=3, base_in=1.2, height_in=3)
    over_shelf = with_moved((store, crown), "oak", (8.0, -8.0))
    assert bases(with_landed((store, crown), over_shelf, "oak"))["oak"] == 1.2, "it did not stand on anything"


def test_names_of_pieces_are_unique():
    assert [piece.name for piece in with_piece(with_piece(STACK, HOUSE), HOUSE)][3:] == ["house 2", "house 3"]
    for name, words in (("novel", "another piece"), ("  ", "needs a name")):
        with pytest.raises(UserError, match=words):
            with_changed(STACK, "house", replace(HOUSE, name=name))
    with pytest.raises(UserError, match="no longer exists"):
        with_changed(STACK, "barn", HOUSE)


def test_corners_are_edited_and_outlines_never_cross():
    moved = with_corner_at(ATLAS, 2, (11.0, 9.0))
    assert moved.outline_in == ((2, 2), (10, 2), (11, 9), (2, 8))
    more = with_corner_on(ATLAS, 3, (1.0, 5.0))  # on the edge from the last corner to the first
    assert more.outline_in == (*ATLAS.outline_in, (1.0, 5.0))
    assert without_corner(more, 4) == ATLAS
    with pytest.raises(UserError, match="draw it again"):
        with_corner_at(ATLAS, 2, (6.0, 0.0))
    with pytest.raises(UserError, match="three corners"):
        without_corner(without_corner(ATLAS, 0), 0)


def test_corners_and_edges_within_reach():
    corners = ATLAS.outline_in
    assert nearest_corner(corners, (9.6, 2.3), 0.6) == 1
    assert nearest_corner(corners, (6.0, 2.0), 0.6) is None
    assert nearest_edge(corners, (6.0, 2.2), 0.6) == 0
    assert nearest_edge(corners, (1.9, 5.0), 0.6) == 3
    assert nearest_edge(corners, (6.0, 5.0), 0.6) is None


def test_the_uppermost_piece_is_found():
    camera = over()
    top = camera.table_to_pixel((4.5, 4.5, outline_height_in(HOUSE)))[0]
    assert piece_seen_at(camera, tuple(top), STACK).name == "house"
    # The camera sees the atlas' upper side at its edge, not the table under it.
    edge = camera.table_to_pixel((2.1, 2.1, 1.5))[0]
    assert piece_seen_at(camera, tuple(edge), STACK).name == "atlas"
    assert camera.pixel_to_table(edge)[0][0] < 2.0
    assert piece_seen_at(camera, tuple(camera.table_to_pixel((15, 12))[0]), STACK) is None
    assert piece_seen_at(camera, (500, 400), ()) is None


def test_a_click_stands_on_the_visible_piece():
    camera = over()
    (place_in, z_in) = standing_place(camera, tuple(camera.table_to_pixel((2.1, 2.1, 1.5))[0]), STACK)
    assert (place_in, z_in) == (pytest.approx((2.1, 2.1)), 1.5)
    (place_in, z_in) = standing_place(camera, tuple(camera.table_to_pixel((15, 12, 0))[0]), STACK)
    assert (place_in, z_in) == (pytest.approx((15, 12)), 0.0)


@given(st.floats(0, 8), st.floats(0, 8))
def test_a_changed_height_keeps_the_outline_in_the_picture(first_in, then_in):
    camera = over()
    before = with_changed(STACK, "atlas", replace(ATLAS, height_in=first_in))
    piece = piece_named(before, "atlas")
    after = as_seen(before, with_changed(before, "atlas", replace(piece, height_in=then_in)), camera)
    for old, new in zip(before, after, strict=True):
        was = camera.table_to_pixel([(*point, outline_height_in(old)) for point in old.outline_in])
        now = camera.table_to_pixel([(*point, outline_height_in(new)) for point in new.outline_in])
        assert np.allclose(was, now, atol=1e-6), "so do the outlines of pieces on it"


def test_a_height_above_the_camera_is_rejected():
    with pytest.raises(UserError, match="the camera hangs at 40"):
        reprojected(over(), ATLAS.outline_in, 1.5, 41.0)


def test_terrain_is_written_and_read_unchanged(tmp_path):
    path = tmp_path / "table.json"
    write_terrain(path, STACK)
    assert read_terrain(path) == STACK
    assert json.loads(path.read_text()) == terrain_document(STACK)
    assert terrain_document(STACK)["schema"] == 1


def test_a_piece_as_text():
    assert terrain_words(HOUSE) == "house: building, 4 in high on 2 in"
    assert terrain_words(box("pond", TerrainKind.SHALLOW_WATER, height_in=0)) == "pond: shallow water, flat"
