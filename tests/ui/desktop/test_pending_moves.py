"""The buttons for a move that the camera saw, and the resulting journal entries."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QPointF, QRectF, Qt
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QLabel, QPushButton, QScrollArea, QToolButton, QWidget

from rules.battle.referees import position_of
from rules.engine.events import PhaseBegun, Placed
from tests.rules.battle_driver import begun
from tests.rules.test_battle_simple_plastic import GREEN, PLACES, TAN
from tests.ui.battle.test_battle_session import seen
from tests.ui.picture.test_overlay import view_of
from tests.ui.tables import in_battle, soldier
from tests.ui.windows import Owned, Wait
from ui.battle.battle_session import BattleSession
from ui.desktop.battle.pending_moves import (
    DecisionButton,
    MovePills,
    PendingMove,
    PendingMoves,
    few_words,
    pending_move,
)
from ui.desktop.picture.image import to_qimage
from ui.desktop.picture.view import PictureView
from ui.desktop.widgets import in_column
from ui.picture.shapes import Label, Line
from ui.theme import WHITE

REFUSED = "No: 11.4 in, 4.0 in allowed"


@pytest.fixture
def play(tmp_path: Path) -> Iterator[BattleSession]:
    with begun(tmp_path / "b", "simple_plastic", {"green": GREEN, "tan": TAN}, PLACES) as battle:
        one = BattleSession(battle)
        one.go_on(seen(battle))
        yield one


def test_one_click_allows_and_accepts_a_move_and_journals_the_allowance(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 8.0) for n in (1, 2, 3, 4)}
    position = seen(play.battle, **moved)
    [proposal] = play.proposals(position)
    ways = pending_move(play, position, proposal, lambda change: change()).buttons
    assert [way.words for way in ways] == ["Allow", "Forbid"]
    ways[0].does()
    assert any(line.endswith("how far its leading man went: less than 4 in.") for line in play.story)
    assert play.undo_label == "Green 1, Green 2, Green 3, Green 4 moved 4.0 in"
    assert not play.proposals(replace(position, state=play.battle.state))
    play.undo()
    [again] = play.proposals(replace(position, state=play.battle.state))
    ways = pending_move(play, position, again, lambda change: change()).buttons
    ways[1].does()
    assert play.battle.can_undo == "settled: Move the squad rifles: how far its leading man went: more than 4 in"
    [refused] = play.proposals(replace(position, state=play.battle.state))
    assert not refused.preview.possible


def test_a_second_move_says_what_the_first_has_used(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 7.0) for n in (1, 2, 3, 4)}  # they stood at y = 4
    position = seen(play.battle, **moved)
    [first] = play.proposals(position)
    play.accept(position, first)
    position = seen(play.battle, **{name: (x, 9.0) for name, (x, _) in moved.items()})
    [second] = play.proposals(position)
    waiting = pending_move(play, position, second, lambda change: change())
    # SP-02: 4 in a turn; 3 in are used, 2 in more were moved
    assert waiting.short == "No: 4 soldiers, 2.0 in, 1.0 in left"
    assert "1.0 in left after 3.0 in before. " in waiting.words


def move_of(name: str, at_in: tuple[float, float], said: list[str], *, is_legal: bool = True) -> PendingMove:
    buttons = (
        DecisionButton("Accept", "tip", lambda: said.append(f"accept {name}"), "✓"),
        DecisionButton("Just a nudge", "tip", lambda: said.append(f"nudge {name}"), "✗"),
    )
    return PendingMove(f"{name} moved 5.8 in.", "5.8 in", at_in, buttons, is_legal)


def test_a_forbidden_move_says_why_in_a_few_words(play: BattleSession) -> None:
    moved = {f"green_{n}": (PLACES[f"green-{n}"][0], 9.0) for n in (1, 2, 3, 4)}
    position = seen(play.battle, **moved)
    [proposal] = play.proposals(position)
    waiting = pending_move(play, position, proposal, lambda change: change())
    assert [button.words for button in waiting.buttons] == ["Allow anyway", "Just a nudge"]
    assert waiting.short.startswith("No: ")
    assert len(waiting.short) <= len("No: ") + 48
    assert not re.search(r"\d\.\d\d", waiting.words)
    assert few_words("moved 6.08153 in of 4 (SP-02)") == "moved 6.1 in of 4"
    assert few_words("units move in the phase of movement only (AM-12)") == "units move in the phase of movement only"
    assert few_words("each unit moves alone. (SP-04); moved 6.26 in of 4 (SP-02)") == "moved 6.3 in of 4"
    scattered = "the men of the squad are not within half an inch of each other: close the gaps (SP-05)"
    assert few_words(scattered) == "close the gaps"
    assert few_words("word " * 15) == "word " * 8 + "word…"  # 48 letters hold 9 words of 4 letters and the dots


def test_thirty_moves_stay_low_and_are_accepted_with_one_button(owned: Owned[PendingMoves]) -> None:
    panel, said = owned(PendingMoves()), []
    moves = [move_of(f"Green {n}", (n, 10.0), said, is_legal=n != 3) for n in range(30)]
    panel.all_accepted.connect(lambda: said.append("all"))
    panel.show_moves(moves)
    panel.show()
    assert panel.sizeHint().height() < 300
    assert "30 moves to answer" in [label.text() for label in panel.findChildren(QLabel)]
    [every] = [button for button in panel.findChildren(QPushButton) if button.text().startswith("Accept all")]
    assert every.text() == "Accept all 29"
    QTest.mouseClick(every, Qt.MouseButton.LeftButton)
    assert said == ["all"]


def test_a_table_that_was_set_up_again_is_accepted_with_one_button(owned: Owned[PendingMoves]) -> None:
    panel, said = owned(PendingMoves()), []
    panel.none_accepted.connect(lambda: said.append("none"))
    panel.show()
    [none] = [button for button in panel.findChildren(QPushButton) if button.text() == "None was a move"]
    for forbidden in (2, 3):  # two may be mistakes, three at once are not
        moves = [move_of(f"Green {forbidden}{n}", (n, 10.0), said, is_legal=n >= forbidden) for n in range(5)]
        panel.show_moves(moves)
        assert none.isVisible() == (forbidden == 3)
    QTest.mouseClick(none, Qt.MouseButton.LeftButton)
    assert said == ["none"]


def test_both_answers_to_all_moves_can_be_read_in_a_narrow_panel(owned: Owned[PendingMoves]) -> None:
    panel, said = owned(PendingMoves()), []
    panel.setFixedWidth(312)  # that of the tab on a small screen
    panel.show()
    panel.show_moves([move_of(f"Green {n}", (n, 10.0), said, is_legal=n < 2) for n in range(5)])
    for words in ("None was a move", "Accept all 2"):
        [button] = [one for one in panel.findChildren(QPushButton) if one.text() == words]
        assert button.isVisible()
        assert button.width() >= button.sizeHint().width()


def test_the_buttons_of_one_long_move_need_no_scrolling(owned: Owned[QWidget], wait_until: Wait) -> None:
    room, panel = owned(QWidget()), PendingMoves()
    in_column(panel, (QWidget(), 1), on=room)
    room.resize(200, 600)
    room.show()
    move = move_of("Green 4", (10, 10), [], is_legal=False)
    words = "Green 4 moved 5.6 in. The rules forbid it: another player moves now; "
    words += "the soldier has already moved in this turn (AM-06)."
    panel.show_moves([replace(move, words=words)])
    [label] = [one for one in panel.findChildren(QLabel) if one.text() == words]
    bar = panel.findChild(QScrollArea).verticalScrollBar()
    wait_until(
        lambda: (
            label.height() >= label.heightForWidth(label.width()) > 0 == bar.maximum()
            and bar.pageStep() > label.height()
        )
    )


def test_buttons_stay_under_the_mouse_but_answer_the_newest_move(owned: Owned[PendingMoves]) -> None:
    panel, old, new = owned(PendingMoves()), list[str](), list[str]()
    panel.show_moves([move_of("Green 1", (10, 10), old)])
    [accept] = [button for button in panel.findChildren(QPushButton) if button.text() == "Accept"]
    panel.show_moves([move_of("Green 1", (10, 10), new)])
    accept.click()
    assert (old, new) == ([], ["accept Green 1"])


@pytest.fixture
def picture(owned: Owned[PictureView]) -> PictureView:
    shown = owned(PictureView())
    shown.resize(1280, 720)
    shown.show_picture(to_qimage(np.zeros((720, 1280, 3), np.uint8)))
    shown.show()
    return shown


def test_pills_stand_beside_the_places_and_answer(picture: PictureView) -> None:
    pills, said = MovePills(picture), list[str]()
    moves = [move_of("Green 1", (10, 10), said), move_of("Green 2", (11, 10), said)]
    calibration = view_of().calibration
    pills.show_moves(moves, calibration)
    one, two = pills.pills
    assert one.isVisible()
    assert not one.geometry().intersects(two.geometry())
    at = picture.to_widget(tuple(calibration.camera.table_to_pixel((10, 10, 0))[0])).toPoint()
    assert not one.geometry().contains(at)
    assert (one.geometry().center() - at).manhattanLength() < 150
    accept, nudge = one.findChildren(QToolButton)
    assert accept.accessibleName() == "Accept: Green 1 moved 5.8 in."
    QTest.mouseClick(accept, Qt.MouseButton.LeftButton)
    QTest.mouseClick(nudge, Qt.MouseButton.LeftButton)
    assert said == ["accept Green 1", "nudge Green 1"]
    pills.show_moves((), calibration)
    assert pills.pills == []


def test_pills_keep_off_numbers(picture: PictureView) -> None:
    calibration = view_of().calibration
    [(x, y)] = calibration.camera.table_to_pixel([(10, 10, 0)])
    neighbour = ((x - 8, y - 68), (x + 8, y - 52))  # its number stands below it, where the pill would stand
    picture.show_shapes([Label(neighbour[0], (("7", 14.0),), WHITE, around=neighbour, small=True)], [])
    picture.grab()
    [(left, top, right, bottom), *_] = picture.taken.boxes
    pills = MovePills(picture)
    pills.show_moves([move_of("Green 1", (10, 10), [])], calibration)
    [pill] = pills.pills
    assert not pill.geometry().intersects(QRectF(left, top, right - left, bottom - top).toAlignedRect())


def test_pills_keep_off_badges(picture: PictureView) -> None:
    moves, calibration = [move_of("Green 1", (10, 10), [])], view_of().calibration
    first, second = MovePills(picture), MovePills(picture)
    first.show_moves(moves, calibration)
    at = first.pills[0].geometry().center()
    centre = picture.to_picture(QPointF(at))
    badge = tuple((centre[0] + dx, centre[1] + dy) for dx, dy in ((-9, -9), (9, -9), (9, 9), (-9, 9)))
    picture.show_shapes([], [Line(badge, WHITE, closed=True, keep_clear=(badge,))])
    second.show_moves(moves, calibration)
    assert not second.pills[0].geometry().contains(at)


def test_pills_keep_off_a_toast_and_return_when_it_has_gone(picture: PictureView) -> None:
    pills, toast = MovePills(picture), QLabel("Green 1 moved 4.2 in.", picture)
    pills.keep_off(toast)
    pills.show_moves([move_of("Green 1", (10, 10), [])], view_of().calibration)
    [pill] = pills.pills
    before = pill.geometry()
    toast.setGeometry(before)
    toast.show()
    assert not pill.geometry().intersects(toast.geometry())
    toast.hide()
    assert pill.geometry() == before


def test_pills_keep_off_the_ways_of_all_moves(picture: PictureView) -> None:
    """One soldier came from above, where his plate would stand; the other passed on the right of both."""
    calibration = view_of().calibration
    ways = [((10, 16), (10, 10)), ((12, 2), (12, 18))]
    moves = [replace(move_of(f"Green {n}", way[-1], []), paths=(way,)) for n, way in enumerate(ways, 1)]
    pills = MovePills(picture)
    pills.show_moves(moves, calibration)
    for way in ways:
        (ax, ay), (bx, by) = calibration.camera.table_to_pixel([(*place, 0) for place in way])
        for part in np.linspace(0, 0.9, 50):  # the end is the soldier's own place
            at = picture.to_widget((ax + part * (bx - ax), ay + part * (by - ay))).toPoint()
            assert not any(pill.geometry().contains(at) for pill in pills.pills)


def test_a_long_reason_is_shown_whole_in_a_few_lines(picture: PictureView) -> None:
    pills = MovePills(picture)
    reason = "No: every infantry figure moves up to 6 inches in any direction, whatever its pose"
    pills.show_moves([replace(move_of("Green 1", (10, 10), []), short=reason)], view_of().calibration)
    [pill] = pills.pills
    [label] = pill.findChildren(QLabel)
    assert label.text() == reason
    assert label.height() >= label.heightForWidth(label.width()) >= 3 * label.fontMetrics().height()
    assert pill.width() < 360
    assert pill.rect().contains(label.geometry())


def test_a_reason_of_two_lines_has_no_single_word_in_the_second(picture: PictureView) -> None:
    pills = MovePills(picture)
    widths = []
    for count in range(3, 60):
        reason = "No:" + " no" * count
        pills.show_moves([replace(move_of(f"Green {count}", (10, 10), []), short=reason)], view_of().calibration)
        [label] = pills.pills[0].findChildren(QLabel)
        widths.append(label.width())
        if label.wordWrap():
            break
    assert widths[-1] < 0.8 * widths[-2]  # the first reason that is too long for one line


def test_pills_follow_the_picture_and_hide_outside_it(picture: PictureView) -> None:
    pills = MovePills(picture)
    calibration = view_of().calibration
    assert calibration is not None
    pills.show_moves([move_of("Green 1", (10, 10), [])], calibration)
    [pill] = pills.pills
    before = pill.geometry()
    picture.zoom(1.2)
    assert pill.geometry() != before
    picture.zoom(8.0)
    assert not pill.isVisible()
    pills.show_moves([replace(move_of("Green 1", (10, 10), []))], None)
    assert pills.pills == []


def test_in_a_crowd_pills_show_their_buttons_only_and_never_overlap(picture: PictureView) -> None:
    """Fifteen soldiers in a corner were put there while another side had its turn."""
    pills = MovePills(picture)
    places = [(1.0 + 0.8 * column, 1.0 + 0.8 * row) for row in range(3) for column in range(5)]
    moves = [replace(move_of(f"Green {n}", place, []), short=REFUSED) for n, place in enumerate(places)]
    pills.show_moves(moves, view_of().calibration)
    shown = [pill for pill in pills.pills if pill.isVisible()]
    assert len(shown) >= 5
    assert not any(a.geometry().intersects(b.geometry()) for a, b in itertools.combinations(shown, 2))
    for pill in shown:
        assert picture.rect().contains(pill.geometry())
        words, buttons = pill.findChild(QLabel), pill.findChildren(QToolButton)
        assert words is not None
        assert words.isVisible() == (pill.width() == pill.whole_px.width())
        assert all(pill.rect().contains(button.geometry()) for button in buttons)
    assert any(pill.width() < pill.whole_px.width() for pill in shown)
    pills.show_moves([replace(moves[7], words="alone")], view_of().calibration)
    assert pills.pills[0].width() == pills.pills[0].whole_px.width()


def test_a_move_that_turns_make_too_long_says_what_it_costs(tmp_path: Path) -> None:
    before = (soldier("green-1", 10.0, 10.0), soldier("tan-1", 30.0, 10.0))
    with in_battle(tmp_path / "f", "plastic_fudge", "basic", before) as now:
        play, battle = now.play, now.play.battle
        battle.record(PhaseBegun(turn=1, side="green", phase="a_moves"))
        battle.record(Placed(figure="green-1", at_in=(10.0, 10.0), facing_deg=180.0))
        after = (soldier("green-1", 14.0, 10.0), before[1])
        position = position_of(battle, after, ())
        [proposal] = play.proposals(position)
        waiting = pending_move(play, position, proposal, lambda change: change())
    # PF-27: 180 degrees are four turns of 45, an inch each: 4 in and 4 in of the 6 in of PF-09.
    assert waiting.short == "1 · No: 4.0 in, it costs 8.0 in of 6.0 in"
    assert waiting.words.startswith("Green 1 moved 4.0 in. The rules forbid it: It costs 8.0 in of 6.0 in. ")
    assert len(waiting.words) < 140, "the reason that decides, so that the buttons stay in sight"
    assert waiting.details.count("(PF-") > 2, "all reasons are in the tooltip"
