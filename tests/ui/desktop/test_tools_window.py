"""The tools in the real window, by mouse and by key."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from PyQt6.QtCore import QPoint, Qt
from PyQt6.QtGui import QKeySequence
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLineEdit

from rules.engine.text import display_name
from rules.tabletop.errors import UserError
from rules.tabletop.template import Strip, Wedge
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.windows import BARE_IN, LEFT, POSTS, Wait, at, click, point
from ui.desktop.help_controller import actions_of
from ui.desktop.tools.questions import SightTool
from ui.desktop.window import Window
from ui.formatting import Basis
from ui.picture.shapes import Label, Line
from ui.table.finding import Note
from ui.theme import SKY

RIGHT = Qt.MouseButton.RightButton


def drawn_words(window: Window) -> list[str]:
    return [row for shape in window.picture.shapes if isinstance(shape, Label) for row, _ in shape.rows]


def key(window: Window, name: Qt.Key) -> None:
    window.picture.setFocus()
    QTest.keyClick(window.picture, name)


def name_at(window: Window, post: str) -> str:
    """What the program calls the figure there."""
    view = window.store.view
    return min(view.figures, key=lambda figure: math.dist(figure.centre_in, POSTS[post])).id


@pytest.mark.parametrize(
    ("pressed", "tool"),
    [
        (Qt.Key.Key_M, "measure"),
        (Qt.Key.Key_K, "path"),
        (Qt.Key.Key_S, "sight"),
        (Qt.Key.Key_A, "fan"),
        (Qt.Key.Key_B, "blast"),
        (Qt.Key.Key_W, "wedge"),
        (Qt.Key.Key_L, "flame"),
        (Qt.Key.Key_I, "strip"),
        (Qt.Key.Key_D, "plan"),
        (Qt.Key.Key_T, "teach"),
        (Qt.Key.Key_V, "select"),
    ],
)
def test_each_tool_has_one_key_and_escape_puts_it_away(window: Window, pressed: Qt.Key, tool: str) -> None:
    key(window, pressed)
    assert window.store.tool.name == tool
    [action] = [one for one in actions_of(window) if one.shortcut() == QKeySequence(pressed)]
    assert action.isChecked()
    key(window, Qt.Key.Key_Escape)
    assert window.store.tool.name == "select"


def test_sight_is_previewed_before_the_click_and_stays_after_it(window: Window) -> None:
    window.store.use_tool("sight")
    click(window, POSTS["green-1"])
    point(window, POSTS["blue-1"])
    assert window.panel.headline.text() == "100 % in sight"  # this table has no terrain
    assert any(isinstance(shape, Line) and shape.colour[:3] == SKY[:3] for shape in window.picture.shapes)
    click(window, POSTS["blue-1"])
    point(window, BARE_IN)
    assert window.panel.headline.text() == "100 % in sight"
    window.commands.cancel()
    assert window.panel.headline.text() != "100 % in sight"


def test_targets_use_the_typed_range(window: Window) -> None:
    window.store.use_tool("fan")
    click(window, POSTS["green-1"])
    assert window.panel.headline.text() == "no target"  # 12.0 and 13.5 in away, and a reach of 12 is too close to call
    assert "12.0 in ?" in drawn_words(window)
    for digit in (Qt.Key.Key_1, Qt.Key.Key_3):
        key(window, digit)
    assert window.panel.headline.text() == "1 target"
    assert "13.5 in out" in drawn_words(window)
    window.commands.turn(1)
    assert "reach, 14 in" in window.panel.rows.text()
    assert window.panel.headline.text() == "2 targets"


def test_targets_use_the_weapons_of_the_battles_card(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b", "army_men")
    window.sides.setCurrentWidget(window.panel)
    window.store.use_tool("fan")
    click(window, POSTS["green-1"])
    assert "rifle, 24 in" in window.panel.rows.text()
    assert window.panel.headline.text() == "2 targets"


def test_a_wedge_is_laid_from_a_soldier_towards_a_place(window: Window) -> None:
    window.store.use_tool("wedge")
    click(window, POSTS["blue-2"])
    assert window.store.session.state.templates == ()
    point(window, POSTS["blue-1"])
    assert window.panel.headline.text() == "1 soldier"  # it excludes the thrower
    click(window, POSTS["blue-1"])
    (wedge,) = window.store.session.state.templates
    assert isinstance(wedge, Wedge)
    assert wedge.apex_in == pytest.approx(POSTS["blue-2"], abs=0.05)
    assert wedge.toward_deg == pytest.approx(180 + math.degrees(math.atan2(0.5, 1.5)), abs=2)
    assert window.actions_.undo.text() == "Undo wedge of 45°, 6 in"


def test_the_tools_key_switches_to_the_next_size(window: Window) -> None:
    window.store.use_tool("strip")
    assert window.store.tool.hint.count("strip of 12 in, 1 in wide") == 1
    window.store.use_tool("strip")
    assert "strip of 12 in, 6 in wide (Army Men: flame thrower)" in window.store.tool.hint
    window.commands.type_digit("8")
    click(window, POSTS["green-1"])
    click(window, BARE_IN)
    (strip,) = window.store.session.state.templates
    assert isinstance(strip, Strip)
    assert math.dist(*strip.path_in) == pytest.approx(8)
    assert strip.width_in == 6


@pytest.mark.parametrize("end", ["enter", "right button", "second click"])
def test_a_path_goes_round_corners_until_it_is_ended(window: Window, end: str) -> None:
    window.store.use_tool("path")
    corner = (8.0, 15.0)
    for place in (POSTS["green-1"], corner, BARE_IN):
        click(window, place)
    assert window.store.session.state.rulers == ()
    if end == "enter":
        key(window, Qt.Key.Key_Return)
    elif end == "right button":
        QTest.mouseClick(window.picture, RIGHT, pos=at(window, (3.0, 3.0)))
    else:
        click(window, BARE_IN)
    (ruler,) = window.store.session.state.rulers
    assert ruler.via == (pytest.approx(corner, abs=0.05),)
    assert ruler.b == pytest.approx(BARE_IN, abs=0.05)
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(12.0, abs=0.11)  # 5 up, 7 across


def test_several_rulers_stay(window: Window) -> None:
    for a, b in (("green-1", "blue-1"), ("green-2", "blue-2")):
        click(window, POSTS[a])
        click(window, POSTS[b])
    assert len(window.store.session.state.rulers) == 2
    assert sum(words.endswith(("± 0.1", "± 0.2")) for words in drawn_words(window)) == 2


def test_one_key_switches_between_centre_and_edge(window: Window, tmp_path: Path) -> None:
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    centre = float(window.panel.headline.text().split()[0])
    key(window, Qt.Key.Key_E)
    edge = float(window.panel.headline.text().split()[0])
    assert edge < centre - 0.5  # two half bases
    assert f"centre {centre:.1f} in" in window.panel.rows.text()
    window.commands.undo()
    assert window.store.session.state.basis is Basis.CENTRE
    started_battle(window, tmp_path / "b", "army_men")  # "from base edge to base edge" is its default
    assert window.store.session.state.basis is Basis.EDGE


def test_a_move_is_planned_by_clicks_and_ended(window: Window) -> None:
    window.store.use_tool("plan")
    click(window, POSTS["green-1"])
    click(window, (8.0, 14.0))
    point(window, (12.0, 14.0))
    name = name_at(window, "green-1")
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(8.0, abs=0.11)  # 4 up, 4 across
    assert f"{display_name(name)}: too far" in window.panel.rows.text()
    window.commands.type_digit("9")
    assert f"{display_name(name)}: may go there" in window.panel.rows.text()
    QTest.mouseClick(window.picture, RIGHT, pos=at(window, (12.0, 14.0)))
    point(window, BARE_IN)
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(4.0, abs=0.11)  # ended at the last corner
    assert window.store.session.state.rulers == ()  # no ruler is laid


def test_a_move_is_planned_by_one_drag(window: Window) -> None:
    window.store.use_tool("plan")
    QTest.mousePress(window.picture, LEFT, pos=at(window, POSTS["green-1"]))
    point(window, (11.0, 14.0))
    QTest.mouseRelease(window.picture, LEFT, pos=at(window, (11.0, 14.0)))
    point(window, BARE_IN)
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(5.0, abs=0.11)  # 3 across, 4 up


def test_hovering_shows_who_a_figure_is(window: Window, tmp_path: Path) -> None:
    started_battle(window, tmp_path / "b", "army_men")
    window.store.use_tool("measure")
    point(window, POSTS["green-1"])
    words = drawn_words(window)
    assert display_name(name_at(window, "green-1")) in words
    assert "standing" in words
    assert any(row.startswith("Rifleman") for row in words)
    assert not any(row.startswith("± ") for row in words), "in a battle the label at the mouse must stay small"


def test_an_answer_is_computed_again_only_after_a_change(window: Window) -> None:
    window.store.use_tool("sight")
    click(window, POSTS["green-1"])
    point(window, POSTS["blue-1"])
    first = window.store.tools.selected.preview(window.store.pointed).finding
    assert any(isinstance(mark, Note) for mark in first.marks)
    assert window.store.tools.selected.preview(window.store.pointed).finding is first
    window.store.session.turn_basis()
    assert window.store.tools.selected.preview(window.store.pointed).finding is not first


def test_on_the_map_figures_are_measured_where_they_stand(window: Window) -> None:
    key(window, Qt.Key.Key_O)
    assert window.display.map.isChecked()
    for post in ("green-1", "blue-1"):
        QTest.mouseClick(window.picture, LEFT, pos=on_map(window, POSTS[post]))
    (ruler,) = window.store.session.state.rulers
    assert {ruler.a, ruler.b} == {name_at(window, "green-1"), name_at(window, "blue-1")}
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(12.0, abs=0.11)
    rings = [one for one in window.picture.shapes if isinstance(one, Line) and one.fill and one.width == 2.0]
    middles = [tuple(sum(axis) / len(axis) for axis in zip(*ring.points_px, strict=True)) for ring in rings]
    where = window.display.seen(window.store.view).calibration.camera.table_to_pixel(  # type: ignore[union-attr, arg-type]
        [(*post, 0.0) for post in POSTS.values()]
    )
    assert sorted(middles) == [pytest.approx(px, abs=2) for px in sorted(map(tuple, where))]
    key(window, Qt.Key.Key_O)
    assert window.display.seen(window.store.view) is window.store.view, "the camera's picture again"


def on_map(window: Window, place_in: tuple[float, float]) -> QPoint:
    view = window.store.view
    assert view is not None
    calibration = window.display.seen(view).calibration
    return window.picture.to_widget(tuple(calibration.camera.table_to_pixel((*place_in, 0.0))[0])).toPoint()


def test_an_army_is_taught_on_the_map_by_the_camera_s_pixel(window: Window) -> None:
    window.display.map.trigger()
    window.store.use_tool("teach")
    window.panel.choose("blue")
    before = window.store.session.state.setup.palette
    x, y = POSTS["blue-1"]
    u, v = window.store.view.calibration.camera.table_to_pixel((x, y, 0.7))[0]  # type: ignore[union-attr]
    ground = window.store.view.calibration.camera.pixel_to_table((u, v))[0]  # type: ignore[union-attr]
    QTest.mouseClick(window.picture, LEFT, pos=on_map(window, tuple(ground)))
    assert window.store.session.state.setup.palette is not before


def test_the_large_answer_equals_the_panels_and_covers_nothing(window: Window, wait_until: Wait) -> None:
    click(window, POSTS["green-1"])
    key(window, Qt.Key.Key_R)
    assert window.display.big.isVisible()
    wait_until(lambda: window.display.big.height() > 150)
    assert not window.display.big.geometry().intersects(window.picture.geometry())
    click(window, POSTS["blue-1"])
    assert window.display.big.answer.headline == window.panel.headline.text()
    key(window, Qt.Key.Key_R)
    assert not window.display.big.isVisible()


def test_the_projector_shows_the_drawings_on_black(window: Window, wait_until: Wait) -> None:
    click(window, POSTS["green-1"])
    click(window, POSTS["blue-1"])
    window.features.projector.switch.trigger()

    def ink() -> set[str]:
        picture = window.features.projector.screen.grab().toImage()
        across, down = range(0, picture.width(), 3), range(0, picture.height(), 3)
        return {picture.pixelColor(x, y).name() for x in across for y in down}

    wait_until(lambda: "#f0e442" in ink())  # the ruler's yellow
    picture = window.features.projector.screen.grab().toImage()
    assert picture.pixelColor(1, picture.height() - 2).name() == "#000000"
    window.features.projector.screen.close()
    assert not window.features.projector.switch.isChecked()


def test_an_error_of_the_rules_is_shown_in_the_panel(window: Window) -> None:
    def refuse(_now: object) -> None:
        raise UserError("he cannot: choose another")

    window.store.use_tool("sight")
    tool = window.store.tool
    assert isinstance(tool, SightTool)
    found = tool.found("a question", refuse)
    assert found.answer.rows == ("he cannot: choose another",)


def test_typing_in_a_field_triggers_no_shortcut(window: Window) -> None:
    window.store.use_tool("fan")
    field = window.panel.findChild(QLineEdit)
    field.setFocus()
    field.clear()
    QTest.keyClicks(field, "mb24")
    assert field.text() == "mb24"
    assert window.store.tool.name == "fan"
    assert "12 in" in window.store.tool.hint
