"""Players' names are shown literally everywhere, although Qt would read them as markup."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from PyQt6.QtCore import Qt
from PyQt6.QtGui import QTextDocument
from PyQt6.QtWidgets import (
    QApplication,
    QCheckBox,
    QInputDialog,
    QLabel,
    QListWidget,
    QTreeWidget,
    QTreeWidgetItemIterator,
    QWidget,
)

from rules.engine.dice import DiceRequest, Die
from rules.engine.text import display_name
from tests.ui.windows import POSTS, Open, Wait, click, show_battle
from ui.battle.battle_setup import ArmyLists
from ui.desktop.battle.battle_setup_dialog import BattleSetupDialog
from ui.desktop.battle.dice_card import DiceCard
from ui.desktop.table.correct_tool import ask_name
from ui.desktop.widgets import literal_text, markup_label, plain_label, wrapping_label
from ui.desktop.window import Window
from vision.figure_search import Sighting
from vision.palette import Palette
from vision.simulation.simulator import SimulatedTable

NASTY = "<b>tan</b><img src=x>"
FIRST = f"{NASTY} 1"


def read(words: str, *, as_mark_up: bool) -> str:
    """The text on the screen, as Qt renders it."""
    if not as_mark_up:
        return words
    document = QTextDocument()
    document.setHtml(words)
    return document.toPlainText()


def shown(label: QLabel) -> str:
    marked = label.textFormat() is Qt.TextFormat.RichText
    guessed = label.textFormat() is Qt.TextFormat.AutoText and Qt.mightBeRichText(label.text())
    return read(label.text(), as_mark_up=marked or guessed)


def tip(words: str) -> str:
    """The text of a tooltip, whose format Qt guesses."""
    return read(words, as_mark_up=Qt.mightBeRichText(words))


def rows(tree: QTreeWidget) -> list[str]:
    found, items = [], QTreeWidgetItemIterator(tree)
    while (item := items.value()) is not None:
        found.append(item.text(0))
        items += 1
    return found


def labels_naming(window: QWidget) -> list[QLabel]:
    """All labels that name the army; each must show its name literally."""
    labels = [label for label in window.findChildren(QLabel) if "img src" in label.text()]
    assert [label.text() for label in labels if NASTY not in shown(label)] == []
    return labels


@pytest.fixture
def named(open_window: Open, wait_until: Wait, table: SimulatedTable, monkeypatch: pytest.MonkeyPatch) -> Window:
    """The window after the blue soldiers were taught under a name that looks like markup."""

    def find(_self: object, _image: object, _camera: object, palette: Palette, **_: object) -> tuple[Sighting, ...]:
        is_taught = any(colour.name == NASTY for colour in palette)  # figures of unknown armies are dropped
        armies = {"green": "green", "blue": NASTY if is_taught else "blue"}
        return tuple(
            Sighting(armies[f.army], f.x_in, f.y_in, f.z_in, 0.03, f.posture, f.base_in, f.facing_deg, 1.0)
            for f in table.truth.figures
        )

    monkeypatch.setattr("vision.pipeline.Finder.find", find)
    window = open_window()
    wait_until(lambda: window.store.view and len(window.store.view.figures) == len(POSTS))
    window.panel.armies.forgotten.emit("blue")
    window.store.use_tool("teach")
    window.panel.choose(NASTY)
    click(window, POSTS["blue-1"])
    [tree] = window.panel.findChildren(QTreeWidget)
    wait_until(lambda: any(row.startswith(FIRST) for row in rows(tree)))
    return window


@pytest.mark.slow
def test_the_bar_and_the_lists_show_an_armys_name_literally(named: Window) -> None:
    assert NASTY in [colour.name for colour in named.store.session.state.setup.palette]
    [said] = labels_naming(named.bar)
    assert shown(said).startswith(f"{NASTY} is taught.")
    [tree] = named.panel.findChildren(QTreeWidget)
    assert NASTY in rows(tree)
    assert any(row.startswith(FIRST) for row in rows(tree))


@pytest.mark.slow
def test_a_ruler_shows_the_name_literally(named: Window) -> None:
    named.store.use_tool("measure")
    for post in ("green-1", "blue-1"):
        click(named, POSTS[post])
    [ruler] = named.store.session.state.rulers
    assert NASTY in str(ruler.b)
    QApplication.processEvents()
    [laid] = named.panel.findChildren(QListWidget)
    assert NASTY in laid.item(0).text()
    labels_naming(named)


@pytest.mark.slow
def test_a_battle_shows_the_name_literally(named: Window, tmp_path: Path) -> None:
    dialog = BattleSetupDialog(["green", NASTY], named.store.view.figures, ArmyLists(tmp_path / "armies"), named)
    assert display_name(NASTY) in [
        box.text().split(" (")[0].replace("&&", "&") for box in dialog.findChildren(QCheckBox)
    ]
    named.battle.begin(tmp_path / "b", dialog.battle_setup)
    dialog.deleteLater()
    show_battle(named)
    named.battle.turn_bar.go_on.emit()
    named.battle.turn_bar.go_on.emit()
    his = next(f.id for f in named.store.view.figures if f.army == NASTY)
    named.battle.choose(his)
    assert any(shown(label).startswith(his.replace("-", " ")) for label in labels_naming(named))
    green = next(f.id for f in named.store.view.figures if f.army == "green")
    named.battle.choose(green)
    [tree] = [one for one in named.battle.panel.findChildren(QTreeWidget) if one.isVisibleTo(named)]
    found = tree.findItems("", Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchRecursive)
    items = [item for item in found if not item.childCount()]
    aimed = [item for item in items if NASTY in item.text(0)]
    assert aimed
    if fold := aimed[0].parent():
        fold.setExpanded(True)
    tree.setCurrentItem(aimed[0])
    labels_naming(named)
    assert all(NASTY in tip(item.toolTip(0)) for item in items if "img src" in item.toolTip(0))


def test_a_dice_request_shows_the_name_literally(qt: QApplication) -> None:
    card = DiceCard(DiceRequest(Die.D6, 2, FIRST, f"a shot at {NASTY}"), random.Random(1))
    [label] = labels_naming(card)
    assert shown(label).count(NASTY) == 2  # the roller, and the reason
    card.deleteLater()


def test_the_rename_dialog_shows_the_name_literally(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    monkeypatch.setattr(QInputDialog, "getText", lambda *args, **_: (asked.append(args[2]), ("", False))[1])
    ask_name(window, FIRST)
    assert [tip(words) for words in asked] == [f"New name for {FIRST}:"]


def test_labels_and_tooltips_show_text_literally(qt: QApplication) -> None:
    assert shown(plain_label(NASTY)) == shown(wrapping_label(NASTY)) == NASTY
    assert shown(markup_label("<b>Tan</b> stays")) == "Tan stays"
    assert tip(literal_text(f"{NASTY}\na < b & c")) == f"{NASTY}\na < b & c"
    assert literal_text("Tan & Green") == "Tan & Green"  # unchanged, because Qt shows it literally
