"""Terrain built in the real window: one click proposes an outline; dragging, typing, deleting, undoing."""

from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QPushButton
from shapely.geometry import Polygon

from rules.tabletop.errors import UserError
from rules.tabletop.table import Outline, TerrainKind, TerrainPiece
from tests.ui.desktop.test_window import turn_wheel
from tests.ui.windows import LEFT, POSTS, TABLE_IN, Wait, move, refresh
from ui.desktop.table.terrain_tool import seen_outline
from ui.desktop.window import Window
from ui.files import read_terrain
from ui.table.terrain import write_terrain
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera
from vision.terrain import OutlineProposal

BOOK = TerrainPiece("book", TerrainKind.HILL, ((11.0, 11.5), (18.0, 11.0), (18.5, 15.5), (11.5, 16.0)), 0.0, 1.2)
HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((13.5, 4.0), (17.0, 4.0), (17.0, 7.0), (13.5, 7.0)), 0.0, 3.0)


@pytest.fixture(scope="module")
def table() -> SimulatedTable:
    """The usual four soldiers, with a book and a house between them."""
    models = tuple(Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *at) for name, at in POSTS.items())
    scene = Scene(TABLE_IN, terrain=(BOOK, HOUSE), markers=corner_markers(TABLE_IN), models=models)
    return SimulatedTable(scene, overhead_camera((960, 540), TABLE_IN, 40.0))


@pytest.fixture
def bare(window: Window) -> Window:
    """The window with the terrain tool, before any terrain is known."""
    window.store.session.reset(
        window.store.session.state.setup.__class__(palette=window.store.session.state.setup.palette)
    )
    window.store.use_tool("terrain")
    return window


def spot(window: Window, place_in: tuple[float, float], height_in: float) -> QPoint:
    px = window.store.view.calibration.camera.table_to_pixel((*place_in, height_in))[0]
    return window.picture.to_widget(tuple(px)).toPoint()


def terrain(window: Window) -> tuple[TerrainPiece, ...]:
    return window.store.session.state.setup.terrain


def propose(window: Window, wait_until: Wait, place_in: tuple[float, float], height_in: float) -> TerrainPiece:
    """Click there and wait for the piece."""
    count = len(terrain(window))
    QTest.mouseClick(window.picture, LEFT, pos=spot(window, place_in, height_in))
    wait_until(lambda: len(terrain(window)) > count or window.bar.text)
    return terrain(window)[-1]


def corner(window: Window, piece: TerrainPiece, number: int) -> QPoint:
    camera = window.store.camera
    assert camera is not None
    return window.picture.to_widget(seen_outline(camera, piece)[number]).toPoint()


def drag(window: Window, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(window.picture, LEFT, pos=start)
    move(window.picture, end, LEFT)
    QTest.mouseRelease(window.picture, LEFT, pos=end)


def overlap(one: Outline, other: Outline) -> float:
    a, b = Polygon(one), Polygon(other)
    return float(a.intersection(b).area / a.union(b).area)


@pytest.mark.slow
def test_a_click_proposes_a_piece_and_the_panel_sets_kind_and_height(bare: Window, wait_until: Wait) -> None:
    assert bare.sides.currentWidget() is bare.features.terrain.panel
    piece = propose(bare, wait_until, (14.5, 13.0), 1.2)
    assert (piece.name, piece.kind, bare.store.session.can_undo) == ("piece", TerrainKind.OTHER, "add piece")
    panel = bare.features.terrain.panel
    panel.kind.setCurrentIndex(panel.kind.findData("hill"))
    assert bare.store.session.can_undo == "change piece to hill"
    panel.height_in.setFocus()
    panel.height_in.selectAll()
    QTest.keyClicks(panel.height_in, "1,2\r")
    (hill,) = terrain(bare)
    assert (hill.name, hill.kind, hill.height_in) == ("hill", TerrainKind.HILL, 1.2)
    assert overlap(hill.outline_in, BOOK.outline_in) > 0.85
    panel.name.setFocus()
    panel.name.selectAll()
    QTest.keyClicks(panel.name, "Old atlas\r")
    assert [one.name for one in terrain(bare)] == ["Old atlas"]
    for label in ("rename hill to Old atlas", "set the height of hill to 1.2 in", "change piece to hill", "add piece"):
        assert bare.store.session.can_undo == label
        bare.actions_.undo.trigger()
    assert terrain(bare) == ()
    for _ in range(4):
        bare.actions_.redo.trigger()
    assert [one.name for one in terrain(bare)] == ["Old atlas"]


def test_the_wheel_changes_the_outline_within_the_same_undo_step(bare: Window, wait_until: Wait) -> None:
    first = propose(bare, wait_until, (15.2, 5.0), 2.5)
    before, areas = bare.picture.scale, [Polygon(first.outline_in).area]
    for steps in (-9, 1, 1, 1):
        turn_wheel(bare.picture, bare.picture.rect().center(), steps)
        (piece,) = terrain(bare)
        areas.append(Polygon(piece.outline_in).area)
    assert areas[1:] == sorted(areas[1:])
    assert len(set(areas)) > 1
    bare.commands.undo()
    assert terrain(bare) == ()
    assert bare.store.session.can_undo is None
    turn_wheel(bare.picture, bare.picture.rect().center(), 1)
    assert bare.picture.scale > before, "else the wheel zooms, as ever"


def test_corners_and_edges_are_dragged_and_a_corner_deleted(bare: Window) -> None:
    bare.store.session.set_terrain("lay", (BOOK,))
    bare.features.terrain.tool.select("book")
    refresh(bare)
    start = corner(bare, BOOK, 2)
    drag(bare, start, start + QPoint(40, 0))
    (moved,) = terrain(bare)
    assert moved.outline_in[:2] == BOOK.outline_in[:2]
    assert moved.outline_in[2][0] > BOOK.outline_in[2][0] + 1
    assert bare.store.session.can_undo == "move a corner of book"
    middle = (corner(bare, moved, 0) + corner(bare, moved, 1)) / 2
    drag(bare, middle, middle + QPoint(0, 25))
    (more,) = terrain(bare)
    assert len(more.outline_in) == 5
    QTest.keyClick(bare.picture, Qt.Key.Key_Delete)
    assert terrain(bare) == (moved,)
    assert bare.store.session.can_undo == "remove a corner of book"
    drag(bare, corner(bare, moved, 2), spot(bare, (14.5, 9.0), 1.2))  # beyond the edge on the other side
    assert "must go around its area once" in bare.bar.text
    assert terrain(bare) == (moved,)


def test_a_piece_is_dragged_and_removed(bare: Window) -> None:
    bare.store.session.set_terrain("lay", (BOOK, HOUSE))
    start = spot(bare, (15.2, 5.5), 2.5)
    QTest.mouseClick(bare.picture, LEFT, pos=start)
    assert bare.features.terrain.tool.selected == "house"
    assert bare.features.terrain.panel.name.text() == "house"
    drag(bare, start, start + QPoint(46, 0))
    house = terrain(bare)[1]
    widths = [x - old for (x, _), (old, _) in zip(house.outline_in, HOUSE.outline_in, strict=True)]
    assert widths == pytest.approx([widths[0]] * 4)
    assert widths[0] > 1
    QTest.keyClick(bare.picture, Qt.Key.Key_Delete)
    assert terrain(bare) == (BOOK,)
    assert bare.store.session.can_undo == "remove house"
    QTest.keyClick(bare.picture, Qt.Key.Key_Delete)
    assert terrain(bare) == (BOOK,), "nothing is in question any more"


def test_what_stands_on_a_book_stands_at_its_height(bare: Window, wait_until: Wait) -> None:
    """The book is known with a larger outline: another click on it proposes what is seen inside."""
    board = TerrainPiece("board", TerrainKind.HILL, ((9.0, 9.0), (20.0, 9.0), (20.0, 18.0), (9.0, 18.0)), 0.0, 0.4)
    bare.store.session.set_terrain("lay", (board,))
    place = spot(bare, (14.5, 13.0), 1.2)
    QTest.mouseClick(bare.picture, LEFT, pos=place)
    assert bare.features.terrain.tool.selected == "board"
    piece = propose(bare, wait_until, (14.5, 13.0), 1.2)
    assert (piece.name, piece.base_in) == ("piece", 0.4)
    bare.features.terrain.panel.height_in.setValue(0.8)
    assert overlap(terrain(bare)[1].outline_in, BOOK.outline_in) > 0.85
    bare.features.terrain.panel.base_in.setValue(2.0)
    assert terrain(bare)[1].base_in == 2.0
    assert bare.store.session.can_undo == "set the base of piece to 2 in"


def test_the_terrain_is_saved_and_opened(bare: Window, tmp_path: Path) -> None:
    bare.store.session.set_terrain("lay", (BOOK, HOUSE))
    refresh(bare)
    path = tmp_path / "evening.json"
    bare.features.terrain.save(path)
    assert read_terrain(path) == (BOOK, HOUSE)
    write_terrain(path, (HOUSE,))
    bare.features.terrain.open(path)
    assert terrain(bare) == (HOUSE,)
    assert bare.store.session.can_undo == "open evening.json"
    path.write_text("{}")
    bare.features.terrain.open(path)
    assert "pieces" in bare.bar.text
    assert terrain(bare) == (HOUSE,)


def test_the_terrain_tab_is_shown_while_the_tool_is_selected(bare: Window) -> None:
    bare.store.use_tool("measure")
    assert bare.sides.currentWidget() is bare.panel
    QTest.keyClick(bare.picture, Qt.Key.Key_Delete)
    remove = bare.features.terrain.panel.findChildren(QPushButton)[-1]
    assert not remove.isEnabled(), "nothing is in question"


def test_a_click_without_an_outline_shows_a_message(
    bare: Window, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    def nothing(*_: object) -> OutlineProposal:
        raise UserError("nothing there has an edge")

    monkeypatch.setattr("ui.desktop.table.terrain_tool.propose_outline", nothing)
    QTest.mouseClick(bare.picture, LEFT, pos=spot(bare, (14.5, 13.0), 0.0))
    wait_until(lambda: "has an edge" in bare.bar.text)
    assert terrain(bare) == ()
    assert bare.features.terrain.tool.hint.startswith("Click a house")


def test_escape_deselects_the_piece_then_the_tool(bare: Window) -> None:
    bare.store.session.set_terrain("lay", (BOOK,))
    bare.features.terrain.tool.select("book")
    bare.commands.cancel()
    assert bare.features.terrain.tool.selected is None
    assert bare.store.tool.name == "terrain"
    bare.commands.cancel()
    assert bare.store.tool.name == "select"
