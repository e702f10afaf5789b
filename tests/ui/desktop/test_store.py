"""The store: the only way to change what the window shows, and what informs the battle about the table."""

from __future__ import annotations

import pytest

from rules.tabletop.errors import UserError
from tests.ui.windows import POSTS, point
from ui.desktop.window import Window


def refuse() -> None:
    raise UserError("no soldier here")


def test_a_refused_change_becomes_the_message_and_changes_nothing(window: Window) -> None:
    before = window.store.session.state
    window.store.change(refuse)
    assert window.bar.text == "No soldier here"
    assert window.store.session.state is before


def test_a_change_replaces_the_message_but_what_belongs_to_it_does_not(window: Window) -> None:
    window.store.say("Saved.")
    window.store.go_on(lambda: None)
    assert window.bar.text == "Saved."
    window.store.change(lambda: None)
    assert window.bar.text == ""


def test_the_battle_follows_changes_but_not_the_mouse(window: Window, monkeypatch: pytest.MonkeyPatch) -> None:
    """Following may write new figures to the journal, so that drawing must not do it."""
    followed: list[object] = []
    monkeypatch.setattr(window.battle, "update_position", lambda view, _setup: followed.append(view))
    for post in POSTS.values():
        point(window, post)
    assert followed == []
    window.store.change(window.store.session.turn_basis)
    assert followed == [window.store.view]


def test_another_source_closes_the_first_before_the_next_is_open(window: Window) -> None:
    seen: list[str] = []
    first = window.store.source_controller
    window.store.closing.connect(lambda: seen.append(f"closing {window.store.source_controller is first}"))
    window.store.restarted.connect(lambda: seen.append("restarted"))
    window.store.opened.connect(lambda: seen.append(f"opened {window.store.source_controller is first}"))
    window.store.open("demo")
    assert seen == ["closing True", "restarted", "opened False"]
    window.store.try_again()
    assert seen[3:] == ["restarted"], "figures get new ids, but the table is the same"
