"""The sample game in samples/games: a game outside the program is found, answers, plays a battle and prints cards."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from rules.battle.scripted import play_situation
from rules.battle.situation import situation_of
from rules.engine.dice import Scripted
from rules.engine.roster import Army
from rules.games import GAMES, add_games, game_names, open_game, points_check
from rules.tabletop.errors import UserError
from tests.rules.battle_driver import BattleDriver, begun, play_at_random, plot, recruits, replays_to_the_same
from tests.rules.games.test_situations import differences
from ui.cli import main
from ui.paper.cards import game_cards

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "samples" / "games"
SITUATIONS = sorted((FOLDER / "matchbox" / "situations").glob("*.json"))


@pytest.fixture(autouse=True)
def _added() -> None:
    add_games(FOLDER)


def test_the_folder_is_found_once() -> None:
    assert add_games(FOLDER) == ("matchbox",)
    assert [name for name in game_names() if name not in GAMES].count("matchbox") == 1


@pytest.mark.parametrize("file", SITUATIONS, ids=lambda file: file.stem)
def test_a_situation_goes_as_the_rules_say(file: Path) -> None:
    document = json.loads(file.read_text(encoding="utf-8"))
    assert set(document["rows"]) <= set(open_game("matchbox").rules.header.rules)
    answer = play_situation(situation_of(document))
    for step in document["expect"]["steps"]:
        [found] = [one for one in answer["steps"] if one["step"] == step["step"]]
        assert differences(step, found) == []
    assert differences(document["expect"].get("state", {}), answer["state"]) == []


def test_every_rule_is_in_a_situation() -> None:
    shown = {row for file in SITUATIONS for row in json.loads(file.read_text(encoding="utf-8"))["rows"]}
    assert shown == set(open_game("matchbox").rules.header.rules)


SHOT = {"weapon": "musket", "distance_in": 12, "seen": 0.6}


def test_an_option_changes_what_cover_is() -> None:
    # Two fifths of the target are hidden: cover, unless cover begins at half (MB-09).
    game = open_game("matchbox")
    assert game.ask("to_hit", SHOT, Scripted([])).numbers["needs_roll"] == 5
    assert game.choosing(cover_from="half").ask("to_hit", SHOT, Scripted([])).numbers["needs_roll"] == 4


def test_house_rules_may_change_it(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    house.write_text('inherits = "matchbox"\n[weapons.musket]\nrange_in = 24\n', "utf-8")
    far = {**SHOT, "distance_in": 20}
    assert open_game("matchbox").ask("shoot", far, Scripted([])).outcome == "forbidden"
    assert open_game("matchbox", house).ask("shoot", far, Scripted([6])).outcome == "out"


def test_soldiers_move_or_shoot_after_the_initiative_roll(tmp_path: Path) -> None:
    driver = set_up(tmp_path / "b")  # MB-01, MB-03
    for phase, both in (("initiative", False), ("acting", True)):
        driver.next_phase(1, "green" if both else "", phase)
        assert driver.referee.moves(driver.position) is both
        assert bool(driver.referee.rounds(driver.position)) is both


def army(side: str) -> Army:
    return Army(name=side, game="matchbox", recruits=recruits(side, "soldier", "marksman"))


def set_up(path: Path) -> BattleDriver:
    places = {"green-1": (10.0, 4.0), "green-2": (12.0, 4.0), "tan-1": (10.0, 14.0), "tan-2": (12.0, 20.0)}
    return BattleDriver(begun(path, "matchbox", {"green": army("green"), "tan": army("tan")}, places))


def test_a_battle_replays_to_the_same_story(tmp_path: Path) -> None:
    driver = set_up(tmp_path / "b")
    driver.next_phase(1, "", "initiative")
    driver.do(driver.obligation("initiative"), 2, 5)
    driver.next_phase(1, "tan", "acting")
    driver.do(driver.attack("tan-1", "green-1"), 4)
    driver.march((0, -3), "tan-2")
    driver.next_phase(1, "green", "acting")
    driver.do(driver.attack("green-2", "tan-1"), 3)
    assert [line for line in plot(driver.battle) if "Green 1" in line or "Tan 2" in line]
    replays_to_the_same(tmp_path / "b", driver.battle)


@pytest.mark.parametrize("seed", range(3))
def test_random_play_replays_to_the_same(tmp_path: Path, seed: int) -> None:
    driver = set_up(tmp_path / "b")
    play_at_random(driver, seed, steps=25)
    replays_to_the_same(tmp_path / "b", driver.battle)


def test_an_army_has_no_limits_and_prints_as_cards() -> None:
    game = open_game("matchbox")
    assert points_check(game, army("green")) is None
    cards = game_cards(game)
    assert [(card.title, card.weapons) for card in cards] == [
        ("Soldier", ("Musket, 12 in",)),
        ("Marksman", ("Rifle, 18 in",)),
    ]


# The command line, in a process that has not added the folder yet


def sandtable(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ui.cli", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)


def test_the_command_line_takes_the_folder(tmp_path: Path) -> None:
    question = tmp_path / "question.json"
    question.write_text(json.dumps({"ruleset": "matchbox", "given": {"action": "shoot", **SHOT}, "dice": [5]}), "utf-8")
    assert json.loads(sandtable("--games", str(FOLDER), "resolve", str(question)).stdout)["outcome"] == "out"
    without = json.loads(sandtable("resolve", str(question)).stdout)
    assert "--games" in without["message"]


def test_a_renamed_copy_is_another_game(tmp_path: Path) -> None:
    shutil.copytree(FOLDER / "matchbox", tmp_path / "duel")
    tables = (FOLDER / "matchbox.toml").read_text("utf-8")
    (tmp_path / "duel.toml").write_text(tables, "utf-8")
    situation = tmp_path / "duel" / "situations" / "shooting.json"
    situation.write_text(situation.read_text("utf-8").replace('"matchbox"', '"duel"'), "utf-8")
    arguments = ("--games", str(tmp_path), "battle", str(situation))
    assert 'write name = "duel" there' in sandtable(*arguments).stderr
    (tmp_path / "duel.toml").write_text(tables.replace('name = "matchbox"', 'name = "duel"'), "utf-8")
    assert json.loads(sandtable(*arguments).stdout)["state"]["turn"] == 1


# Folders that are no folders of games


def test_a_folder_without_games_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--games", str(tmp_path), "resolve", "-"]) == 1
    assert re.search(r"has no game: each needs a file NAME\.toml", capsys.readouterr().err)


@pytest.mark.parametrize(
    ("name", "with_tables", "wrong"),
    [
        ("skirmish", False, r"lacks a part: add the file skirmish\.toml"),
        ("army_men", True, "taken"),
        ("two-words", True, "cannot be imported"),
    ],
)
def test_a_game_that_cannot_be_added_is_named(tmp_path: Path, name: str, with_tables: bool, wrong: str) -> None:
    (tmp_path / name).mkdir()
    for module in ("game.py", "referee.py"):
        (tmp_path / name / module).write_text("", "utf-8")
    if with_tables:
        (tmp_path / f"{name}.toml").write_text("", "utf-8")
    with pytest.raises(UserError, match=wrong):
        add_games(tmp_path)
    assert name not in game_names() or name in GAMES
