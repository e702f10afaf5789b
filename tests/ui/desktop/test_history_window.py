"""The history of a battle in the real window: thumbnails, going back, exports."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PyQt6.QtGui import QImage
from PyQt6.QtTest import QTest

from rules.battle.progress import no_step
from tests.ui.desktop.test_battle_window import press, rolls, started_battle
from tests.ui.tables import box, piece
from tests.ui.windows import LEFT, Wait, next_phase
from ui.battle.film import Pace, film_scenes
from ui.battle.history import battle_document, matching, positions, report_of
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import MOST_BYTES
from ui.desktop.battle.history_controller import HistoryDialog
from ui.desktop.picture.view import PictureView
from ui.desktop.window import Window

HOUSE = piece("house", "building", box(14.0, 13.0, 17.0, 16.0), 5.0)


def fought(window: Window, path: Path, wait_until: Wait) -> str:
    """Fire a shot that kills and wait for its thumbnail; return the figure that fell."""
    panel = started_battle(window, path)
    next_phase(window)
    window.pull()
    next_phase(window)
    window.battle.choose("green-1")
    panel.action_list.choose(0)
    rolls(window, 6)
    target = panel.chosen.action.at[0]  # type: ignore[union-attr]
    press(panel, "Roll")
    play = window.battle.play
    last = play.battle.entries[-1].seq
    wait_until(
        lambda: window.features.history.recorder.thumbnails and last in window.features.history.recorder.thumbnails.seqs
    )
    return str(target)


def opened(window: Window) -> HistoryDialog:
    window.features.history.show()
    dialog = window.features.history.dialog
    assert dialog is not None
    return dialog


def row(dialog: HistoryDialog, words: str) -> None:
    """Select the moment with this title."""
    model = dialog.list.model()
    rows = [n for n in range(model.rowCount()) if words in str(model.data(model.index(n, 0)))]
    dialog.list.setCurrentIndex(model.index(rows[0], 0))


def test_without_a_battle_a_message_appears(window: Window, tmp_path: Path) -> None:
    window.features.history.show()
    assert window.features.history.dialog is None
    assert "no battle" in window.bar.text
    window.features.history.save_json(tmp_path / "x.json")
    window.features.history.lay_out()
    assert not (tmp_path / "x.json").exists()


def map_words(dialog: HistoryDialog) -> str:
    """The map's accessible name."""
    names = [picture.accessibleName() for picture in dialog.findChildren(PictureView)]
    return next(name for name in names if name.startswith("Map"))


def test_looking_back_changes_nothing_and_going_back_does(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    target = fought(window, tmp_path / "b", wait_until)
    play = window.battle.play
    battle = play.battle
    before, entries = battle.state, len(battle.entries)
    dialog = opened(window)
    assert dialog.position.after == before
    assert "1 of them out" in map_words(dialog)
    assert "6 rolled for the soldier" in dialog.story.toPlainText()
    assert not dialog.back.isEnabled(), "here we are"
    row(dialog, "Turn 1 · Green attacks")
    assert "0 of them out" in map_words(dialog)
    assert (battle.state, len(battle.entries)) == (before, entries)
    QTest.mouseClick(dialog.back, LEFT)
    assert not battle.state.unit(target).out
    row(dialog, "kills")
    assert dialog.back.text() == "Redo"
    QTest.mouseClick(dialog.back, LEFT)
    assert battle.state.unit(target).out
    dialog.search.setText(target)
    found = matching(positions(battle), target)
    assert dialog.list.model().rowCount() == len(found) > 0
    assert all(target in one.figures for one in found)
    dialog.search.setText("no such thing")
    assert dialog.position is None
    dialog.reject()


@pytest.mark.slow
def test_pictures_are_small_and_go_into_the_page(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    fought(window, tmp_path / "b", wait_until)
    play = window.battle.play
    thumbnails = window.features.history.recorder.thumbnails
    jpeg = thumbnails.picture(play.battle.entries[-1].seq)
    assert jpeg is not None
    assert len(jpeg) <= MOST_BYTES
    assert QImage.fromData(jpeg, "JPG").width() == 640
    window.features.history.save_page(tmp_path / "b.html")
    wait_until(lambda: "Saved" in window.bar.text)
    html = (tmp_path / "b.html").read_text("utf-8")
    assert html.count("data:image/jpeg;base64,") == 1, "the shot; the phases have none"
    assert "eliminated" in html
    window.features.history.save_json(tmp_path / "b.json")
    wait_until(lambda: (tmp_path / "b.json").exists())
    said = json.loads((tmp_path / "b.json").read_text("utf-8"))
    assert said == json.loads(json.dumps(battle_document(play.battle)))
    window.features.history.save_page(tmp_path / "nowhere" / "b.html")
    assert "nowhere" in window.bar.text


def test_the_terrain_is_in_film_and_page_from_the_beginning(window: Window, tmp_path: Path) -> None:
    window.features.history.clock = lambda: 0.0  # no time passes
    window.store.session.set_terrain("a house", (HOUSE,))
    started_battle(window, tmp_path / "b")
    window.pull()
    play = window.battle.play
    assert play.battle.state.terrain == (HOUSE,)
    next_phase(window)
    report = report_of(play.battle)
    assert {scene.state.terrain for scene in film_scenes(report, (), Pace())} == {(HOUSE,)}
    assert ">house<" in report_page(report, lambda _: None, no_step).decode(), "its name on the map"
    window.pull()
    assert [entry.kind for entry in play.battle.entries].count("table") == 1


@pytest.mark.slow
def test_a_battle_stores_its_terrain(window: Window, tmp_path: Path, wait_until: Wait) -> None:
    window.features.history.clock = iter(range(0, 100_000, 2)).__next__  # each call is two seconds later
    window.store.session.set_terrain("a house", (HOUSE,))
    started_battle(window, tmp_path / "b")
    play = window.battle.play
    wait_until(lambda: play.battle.state.terrain == (HOUSE,))
    count = len(play.battle.entries)
    window.store.session.set_terrain("none", ())
    window.battle.close()
    window.battle.open(tmp_path / "b")
    window.pull()
    again = window.battle.play
    window.features.history.lay_out()
    assert window.store.session.state.setup.terrain == (HOUSE,)
    assert len([one for one in again.battle.entries if one.kind == "table"]) == 1
    assert len(again.battle.entries) >= count
