"""The file commands of the Battle menu."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from PyQt6.QtCore import QMimeData, Qt, QUrl
from PyQt6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PyQt6.QtWidgets import QApplication, QComboBox, QPushButton

from rules.battle.battle import Battle
from rules.engine.dice import no_dice
from rules.engine.events import Noted
from rules.engine.state import ELIMINATED
from tests.rules.battle_driver import give_status
from tests.ui.desktop.test_battle_window import started_battle
from tests.ui.stories import set_up
from tests.ui.windows import POSTS, Open, Wait, click
from tools.damaged_saves import without_checksums
from ui.battle.battle_folder import has_ended
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.window import Window
from ui.formatting import Basis


@pytest.mark.slow
def test_a_battle_is_saved_as_text(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    window.features.history.save_story(tmp_path / "none.txt")
    assert "There is no battle yet" in window.bar.text
    assert not (tmp_path / "none.txt").exists()
    started_battle(window, tmp_path / "b")
    window.features.history.save_story(tmp_path / "evening.txt")
    wait_until(lambda: "Saved" in window.bar.text)
    assert (tmp_path / "evening.txt").read_text("utf-8").splitlines() == list(window.battle.play.story)
    window.features.history.save_story(tmp_path / "nowhere" / "evening.txt")
    assert "nowhere" in window.bar.text
    assert "Saved" not in window.bar.text


def shown_buttons(window: Window) -> dict[str, QPushButton]:
    """The buttons of the message bar by their texts."""
    return {one.text(): one for one in window.bar.findChildren(QPushButton) if one.isVisibleTo(window.bar)}


def test_a_new_battle_is_saved_by_itself(window: Window, tmp_path: Path) -> None:
    window.store.use_tool("measure")
    window.features.files.new_battle()
    set_up(window, "Army Men")
    path = window.battle.play.battle.path
    assert path.parent == tmp_path / "battles"
    assert path.is_file()
    assert path.name.endswith(" Army Men.battle")
    assert window.sides.currentWidget() is window.battle.panel
    click(window, POSTS["green-1"])
    assert window.battle.chosen == "green-1", "the tool that was left on is put away"
    assert window.store.session.state.rulers == ()


def drop(window: Window, mime: QMimeData) -> bool:
    """Whether the window takes what is dropped on its middle."""
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    middle = window.rect().center()
    entered = QDragEnterEvent(middle, copy, mime, left, none)
    entered.ignore()
    QApplication.sendEvent(window, entered)
    if entered.isAccepted():
        QApplication.sendEvent(window, QDropEvent(middle.toPointF(), copy, mime, left, none))
    return entered.isAccepted()


def file_at(path: Path) -> QMimeData:
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path))])
    return mime


def test_a_dropped_battle_is_continued(window: Window, wait_until: Wait) -> None:
    window.features.files.new_battle()
    set_up(window, "Army Men")
    path = window.battle.play.battle.path
    window.features.files.close_battle()
    assert drop(window, file_at(path))
    wait_until(lambda: window.battle.play is not None)
    assert window.battle.play.battle.path == path


def test_a_dropped_picture_is_opened_and_words_are_not(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr(window.store, "open", opened.append)
    words = QMimeData()
    words.setText("table.jpg")
    assert not drop(window, words)
    assert drop(window, file_at(Path("/some/where/table.jpg")))
    assert opened == ["/some/where/table.jpg"]


def menu_entry(window: Window, words: str) -> QAction:
    """An entry of the Battle menu."""
    [menu] = [one.menu() for one in window.menuBar().actions() if one.text() == "&Battle"]
    [action] = [one for one in menu.actions() if one.text() == words]
    return action


def test_a_closed_battle_can_be_continued(window: Window, wait_until: Wait) -> None:
    menu_entry(window, "Close battle").trigger()
    assert window.bar.text == "No battle is open."
    window.features.files.new_battle()
    set_up(window, "Army Men")
    path = window.battle.play.battle.path
    assert window.store.session.state.basis is Basis.EDGE
    menu_entry(window, "Close battle").trigger()
    assert window.battle.play is None
    assert window.store.session.state.basis is Basis.CENTRE
    assert window.sides.currentWidget() is window.panel
    window.store.use_tool("measure")
    for name in ("green-1", "blue-1"):
        click(window, POSTS[name])
    assert float(window.panel.headline.text().split()[0]) == pytest.approx(12.0, abs=0.2)  # 20 - 8, between the centres
    menu_entry(window, "Continue last battle").trigger()
    wait_until(lambda: window.battle.play is not None)
    assert window.battle.play.battle.path == path
    assert window.store.session.state.basis is Basis.EDGE


def test_without_an_earlier_battle_there_is_none_to_continue(window: Window) -> None:
    menu_entry(window, "Continue last battle").trigger()
    assert "There is no earlier battle" in window.bar.text


def test_the_program_offers_the_last_battle_when_it_starts(window: Window, open_window: Open, wait_until: Wait) -> None:
    window.features.files.new_battle()
    set_up(window, "Army Men")
    path = window.battle.play.battle.path
    window.close()
    later = open_window()
    wait_until(lambda: later.bar.text.startswith("Continue Army Men of "))
    shown_buttons(later)["Continue"].click()
    wait_until(lambda: later.battle.play is not None)
    assert later.battle.play.battle.path == path
    later.close()
    third = open_window()
    wait_until(lambda: third.bar.text.startswith("Continue Army Men of "))
    shown_buttons(third)["Not now"].click()
    wait_until(lambda: not third.bar.text.startswith("Continue Army Men of "))
    assert third.battle.play is None


def test_continuing_a_battle_ends_a_guide_that_has_just_begun(
    window: Window, open_window: Open, wait_until: Wait
) -> None:
    window.features.files.new_battle()
    set_up(window, "Army Men")
    window.close()
    later = open_window()
    guide = later.help.guide
    guide.begin_on_first_start()
    assert guide.bar.isVisible()
    wait_until(lambda: later.bar.text.startswith("Continue Army Men of "))
    shown_buttons(later)["Continue"].click()
    assert not guide.bar.isVisible()
    wait_until(lambda: later.battle.play is not None)
    wait_until(lambda: later.battle.position is not None and set(later.battle.position.figures) == set(POSTS))
    assert later.store.session.state.basis is Basis.EDGE


@pytest.mark.slow
def test_an_ended_battle_is_not_offered(window: Window, open_window: Open, wait_until: Wait, tmp_path: Path) -> None:
    window.features.files.new_battle()
    set_up(window, "Simple Plastic Wargame")
    battle = window.battle.play.battle
    for name in ("blue-1", "blue-2"):
        give_status(window.battle.play.battle, name, ELIMINATED, True)
    wait_until(lambda: window.battle.position is not None and not window.battle.position.state.standing("blue"))
    assert window.battle.position is not None
    [won] = [one for one in window.battle.play.referee.obligations(window.battle.position) if one.name == "victory"]
    window.battle.play.do(window.battle.position, won, no_dice)
    assert has_ended(battle)
    window.close()
    later = open_window()
    wait_until(lambda: later.store.view and len(later.store.view.figures) == len(POSTS))
    assert not any(thread.name == "sandtable last battle" for thread in threading.enumerate())
    assert "Continue" not in shown_buttons(later)


def test_another_table_leaves_the_battle_unchanged(window: Window, wait_until: Wait) -> None:
    window.features.files.new_battle()
    set_up(window, "Army Men")
    play = window.battle.play
    wait_until(lambda: window.battle.position is not None and len(window.battle.position.figures) == len(POSTS))
    path, entries = play.battle.path, len(play.battle.entries)
    window.store.open("demo")
    assert window.battle.play is None
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    assert window.bar.text == "Another table is open, so the battle was closed. Continue it here?"
    with Battle.open(path, lambda: 0.0) as closed:
        assert len(closed.entries) == entries
    shown_buttons(window)["Continue"].click()
    wait_until(lambda: window.battle.play is not None)
    assert window.battle.play.battle.path == path


def test_a_copy_of_the_open_battle(window: Window, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy.battle"
    window.features.files.save_copy(copy)
    assert not copy.exists()
    started_battle(window, tmp_path / "b")
    play = window.battle.play
    monkeypatch.setattr("ui.desktop.battle.files.ask_where", lambda *_: copy)
    menu_entry(window, "Save a copy…").trigger()
    play.battle.record(Noted(text="Only in the first"))
    with Battle.open(copy, lambda: 0.0) as copied:
        assert copied.entries == play.battle.entries[:-1]
    window.features.files.save_copy(tmp_path / "b")
    assert "Choose another name" in window.bar.text
    window.battle.close()
    window.battle.open(tmp_path / "b")  # unharmed


def test_a_battle_of_one_army_is_refused_before_its_dialog(window: Window) -> None:
    window.panel.armies.forgotten.emit("blue")
    window.features.files.new_battle()
    assert "needs two armies" in window.bar.text


def test_a_battle_wanted_during_the_search_is_set_up_after_it(open_window: Open, wait_until: Wait) -> None:
    window = open_window()
    window.sides.setCurrentWidget(window.battle.panel)
    games = window.battle.panel.games.findChildren(QPushButton)
    next(one for one in games if one.accessibleName() == "Plastic Fudge").click()
    assert window.bar.text.startswith("Searching for the soldiers.")
    assert not window.features.files.is_setting_up
    wait_until(lambda: window.features.files.is_setting_up)
    wait_until(lambda: not window.bar.text.startswith("Searching"))
    [dialog] = window.findChildren(BattleSetupDialog)
    assert dialog.findChild(QComboBox).currentText() == "Plastic Fudge", "the game that was clicked"


def test_a_battle_wanted_during_the_search_can_be_cancelled(open_window: Open, wait_until: Wait) -> None:
    window = open_window()
    window.features.files.new_battle()
    shown_buttons(window)["Cancel"].click()
    wait_until(lambda: window.store.view is not None and not window.store.source_controller.is_searching)
    wait_until(lambda: len(window.store.view.figures) == len(POSTS))
    assert not window.features.files.is_setting_up


def damaged(window: Window, path: Path) -> Path:
    """A closed battle whose last entry has a changed character."""
    started_battle(window, path)
    window.battle.play.battle.record(Noted(text="Tea in the garden"))
    window.battle.close()
    path.write_bytes(path.read_bytes().replace(b"Tea in the garden", b"Tea in the kitchen"[:17]))
    return path


def test_a_damaged_battle_continues_in_a_copy(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, copy = damaged(window, tmp_path / "b"), tmp_path / "copy.battle"
    before = path.read_bytes()
    monkeypatch.setattr("ui.desktop.battle.files.ask_file", lambda *_: path)
    monkeypatch.setattr("ui.desktop.battle.files.ask_where", lambda *_: copy)
    window.features.files.open_battle()
    wait_until(lambda: "does not match its checksum" in window.bar.text)
    assert window.battle.play is None
    [button] = [one for one in window.bar.findChildren(QPushButton) if one.isVisibleTo(window.bar)]
    assert button.text() == "Open copy"
    button.click()
    wait_until(lambda: window.battle.play is not None)
    assert window.battle.play.battle.path == copy
    assert "Copied from b" in window.battle.play.story[-1]
    assert path.read_bytes() == before


def test_a_battle_without_checksums_shows_a_message(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    started_battle(window, tmp_path / "b")
    window.battle.close()
    without_checksums(tmp_path / "b")
    monkeypatch.setattr("ui.desktop.battle.files.ask_file", lambda *_: tmp_path / "b")
    window.features.files.open_battle()
    wait_until(lambda: window.battle.play is not None)
    assert "without checksums" in window.bar.text


def test_opening_a_long_battle_shows_progress_and_can_be_cancelled(
    window: Window, tmp_path: Path, wait_until: Wait, monkeypatch: pytest.MonkeyPatch
) -> None:
    started_battle(window, tmp_path / "b")
    window.battle.close()
    monkeypatch.setattr("ui.desktop.battle.files.ask_file", lambda *_: tmp_path / "b")
    may_go_on = threading.Event()

    def slow(_path: Path, _clock: object, step: Callable[[int, int], None]) -> None:
        step(30, 100)
        may_go_on.wait(20)
        step(31, 100)

    monkeypatch.setattr("ui.desktop.battle.files.Battle.open", slow)
    window.features.files.open_battle()
    assert window.bar.text == "Opening b… 30 %"
    [button] = [one for one in window.bar.findChildren(QPushButton) if one.isVisibleTo(window.bar)]
    button.click()
    may_go_on.set()
    wait_until(lambda: window.bar.text == "Cancelled. No battle was opened.")
    assert window.battle.play is None
