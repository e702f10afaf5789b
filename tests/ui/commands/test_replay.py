"""A journal as a story and as JSON."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.battle.journal import Journal
from rules.engine.dice import Scripted, play
from rules.engine.events import Noted, PhaseBegun, UnitJoined
from rules.tabletop.errors import UserError
from ui.battle.history import battle_document, story_text
from ui.cli import main
from ui.commands.replay import open_battle


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A battle with a shot and an undone note."""
    file = tmp_path / "evening.battle"
    with Battle.begin(file, lambda: 7.0, "simple_plastic", ["green", "tan"]) as battle:
        battle.record(UnitJoined(figure="green-1", side="green", card="soldier"))
        battle.record(UnitJoined(figure="tan-1", side="tan", card="sniper"))
        battle.record(PhaseBegun(turn=1, side="green", phase="attacking"))
        facts = {"attacker": "ordinary", "attacker_moved": True, "target_special": True}
        play(battle.asking("attack", facts, by=["green-1"]), Scripted([4]))
        battle.record(Noted(text="Tea?"))
        battle.undo()
    return file


def story(path: Path) -> str:
    with open_battle(path) as battle:
        return story_text(battle)


def document_of(path: Path) -> dict[str, Any]:
    with open_battle(path) as battle:
        return battle_document(battle)


def test_the_story(path: Path) -> None:
    heading, credit, *rest = story(path).splitlines()
    assert (heading, credit[:20]) == ("Simple Plastic Wargame: Green against Tan", "Game by Adly Abdulla")
    assert rest == [
        "Army of Green",
        "  Green 1: Soldier",
        "Army of Tan",
        "  Tan 1: Sniper",
        "",
        "Turn 1 · Green attacks",
        "  Green 1: Attack: misses.",
        "    4 rolled for the soldier: the attack",
        "    SP-11  4 or more kills (+4)",
        "    SP-25  the target is a special unit (+1)",
        "    SP-10  Distance neither forbids an attack nor changes it.",
        "",
        "Figures left: Green 1, Tan 1.",
        "Taken back: 1 entry.",
    ]


def test_the_json(path: Path) -> None:
    document = document_of(path)
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert (document["schema"], document["differences"]) == (1, [])
    assert [(one["kind"], one["stands"]) for one in document["entries"]] == [
        ("begun", True),
        ("enlisted", True),
        ("enlisted", True),
        ("phase", True),
        ("asked", True),
        ("noted", False),
        ("undo", False),
    ]
    assert document["entries"][-1]["body"] == {"entry": 6, "what": "note: Tea?"}
    assert document["state"]["units"]["green-1"]["acts"] == {"attack": 1}


def test_replaying_does_not_change_the_file(path: Path) -> None:
    before = path.read_bytes()
    story(path)
    document_of(path)
    assert path.read_bytes() == before


def test_changed_rules_are_reported(path: Path) -> None:
    with Journal(path, lambda: 8.0) as journal:
        body = dict(journal.entries()[4].body)
        journal.append("asked", {**body, "verdict": {**body["verdict"], "outcome": "kills"}})
    assert "Entry 8: the verdict was kills, but the present rules say misses." in story(path).splitlines()
    assert document_of(path)["differences"] == [{"seq": 8, "was": "kills", "now": "misses"}]


def test_a_file_without_a_battle_is_rejected(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no battle in"):
        open_battle(tmp_path / "nothing")
    assert not list(tmp_path.iterdir())


def test_the_command(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["replay", str(path)]) == 0
    assert "Green against Tan" in capsys.readouterr().out
    assert main(["replay", str(path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["schema"] == 1
    assert main(["replay", str(tmp_path / "none.battle")]) == 1
    assert "none.battle" in capsys.readouterr().err


def test_the_page_and_the_film(qt: object, path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, film = tmp_path / "b.html", tmp_path / "b.webp"
    assert main(["replay", str(path), "--page", str(page)]) == 0
    assert capsys.readouterr().out == f"{page} shows {path}.\n"
    assert "SP-25" in page.read_text("utf-8")
    assert main(["replay", str(path), "--film", str(film), "--speed", "2"]) == 0
    # Both cards 1.75 s, the turn 0.6 s, the shot at most 1.5 s; nobody has a place, so that nothing moves.
    done, read = cv2.imreadanimation(str(film))
    assert done
    assert [int(lasts_ms) for lasts_ms in read.durations] == [1750, 600, 1500, 1750]
    assert main(["replay", str(path), "--film", str(tmp_path / "b.avi")]) == 1
    assert "needs a name ending in .mp4, .webp, .gif" in capsys.readouterr().err
    assert {one.name for one in tmp_path.iterdir()} == {"evening.battle", "b.html", "b.webp"}
