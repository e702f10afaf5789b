"""A game's file: typed rows from TOML, errors with their places, and house rules."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import pytest

from rules.engine.ruleset import Ruleset, load
from rules.engine.schema import Inches, Row
from rules.engine.verdict import Reason, RuleRefusal, Verdict, forbidden, total, verdict
from rules.tabletop.errors import UserError


class Pace(StrEnum):
    SLOW = "slow"
    FAST = "fast"


@dataclass(frozen=True, slots=True)
class Man:
    rule: str
    weapons: tuple[Annotated[str, Row("weapons")], ...]
    pace: Pace = Pace.SLOW
    height_in: Inches | None = None


@dataclass(frozen=True, slots=True)
class Weapon:
    rule: str
    attack: int
    loud: bool = False


@dataclass(frozen=True, slots=True)
class Tables:
    men: Mapping[str, Man]
    weapons: Mapping[str, Weapon]


GAME = """
name = "toy"
title = "Toy"
credit = "Nobody"
prefix = "TY"

[rules]
TY-01 = "Men have weapons."
TY-02 = "Weapons attack."

[beyond]

[weapons.rifle]
rule = "TY-02"
attack = 7

[men.guard]
rule = "TY-01"
weapons = ["rifle"]
height_in = 2.1

[options.loud_rifles]
rule = "TY-A01"
title = "Rifles are loud"
values = [false, true]
default = false

[options.loud_rifles.changes.true.weapons.rifle]
loud = true

[options.size]
rule = "TY-A02"
title = "Size"
values = [1, 2.5]
default = 1
"""


@pytest.fixture
def game(tmp_path: Path) -> Path:
    path = tmp_path / "toy.toml"
    path.write_text(GAME, encoding="utf-8")
    return path


def _changed(game: Path, old: str, new: str) -> Path:
    assert old in GAME
    game.write_text(GAME.replace(old, new), encoding="utf-8")
    return game


def test_rows_are_typed_and_frozen(game: Path) -> None:
    rules: Ruleset[Tables] = load(game, Tables)
    guard = rules.tables.men["guard"]
    assert guard == Man("TY-01", ("rifle",), Pace.SLOW, 2.1)
    with pytest.raises(dataclasses.FrozenInstanceError):
        guard.pace = Pace.FAST  # type: ignore[misc]
    with pytest.raises(TypeError):
        rules.tables.men["other"] = guard  # type: ignore[index]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("attack = 7", "atack = 7", r"toy\.toml: weapons\.rifle has the unknown key 'atack': did you mean 'attack'\?"),
        ("attack = 7", 'attack = "7"', r"toy\.toml: weapons\.rifle: attack must be a whole number, not '7'"),
        ("attack = 7", "attack = 7.5", r"attack must be a whole number, not 7\.5"),
        ("attack = 7", "attack = true", r"attack must be a whole number, not True"),
        ("attack = 7\n", "", r"weapons\.rifle lacks the key 'attack': give it a whole number"),
        (
            "[weapons.rifle]",
            "[weapon.rifle]",
            r"the file has the unknown key 'weapon': did you mean 'weapons'\?",
        ),
        ('["rifle"]', '["rifel"]', r"men\.guard: weapons\[0\] names 'rifel', .* weapons: did you mean 'rifle'\?"),
        ('["rifle"]', '"rifle"', r"men\.guard: weapons must be a list, not 'rifle'"),
        ("height_in = 2.1", "height_in = -1", r"men\.guard: height_in must be at least 0, not -1"),
        ("height_in = 2.1", "height_in = nan", r"height_in must be a number, not nan"),
        ("height_in = 2.1", 'pace = "quick"', r"men\.guard: pace must be one of slow, fast, not 'quick'"),
        ('rule = "TY-02"', 'rule = "TY-03"', r"weapons\.rifle cites the rule 'TY-03', which \[rules\] does not have"),
        (
            "default = false",
            "default = 0.5",
            r"loud_rifles needs values of one type, among them the default 0\.5",
        ),
        (
            "changes.true",
            "changes.yes",
            r"options\.loud_rifles\.changes\.yes is for a value that the option does",
        ),
        (
            "changes.true.weapons",
            "changes.true.guns",
            r"options\.loud_rifles\.changes\.true\.guns changes a table that the game does not have",
        ),
        ('name = "toy"\n', "", r'toy\.toml names no game: begin it with inherits = "army_men"'),
        ('title = "Toy"', "title = 3", r"toy\.toml: title must be a text, not 3"),
        ("[beyond]", "[beyond", r"toy\.toml is not TOML"),
    ],
)
def test_error_names_its_place(game: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        load(_changed(game, old, new), Tables)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"the ruleset .*nothing\.toml cannot be read"):
        load(tmp_path / "nothing.toml", Tables)


def test_options_change_rows_or_are_read_by_name(game: Path) -> None:
    rules: Ruleset[Tables] = load(game, Tables)
    assert not rules.tables.weapons["rifle"].loud
    assert rules.chooses("size", 1)
    other = rules.choosing(loud_rifles=True, size=2.5)
    assert other.tables.weapons["rifle"].loud
    assert other.option("size") == 2.5
    assert not other.choosing(loud_rifles=False).tables.weapons["rifle"].loud
    assert not rules.tables.weapons["rifle"].loud  # the original is unchanged


def test_invalid_options_are_refused(game: Path) -> None:
    rules: Ruleset[Tables] = load(game, Tables)
    with pytest.raises(RuleRefusal, match="has no option 'sise'"):
        rules.choosing(sise=1)
    with pytest.raises(RuleRefusal, match=r"size must be one of \[1, 2\.5\], not True"):
        rules.choosing(size=True)  # True is 1 to Python, not to a player
    with pytest.raises(KeyError):
        rules.chooses("size", 3)


def test_house_rules_inherit_and_override(game: Path) -> None:
    house = game.with_name("house.toml")
    house.write_text(
        'inherits = "toy.toml"\nhouse_rules = "Long rifles"\n[weapons.rifle]\nattack = 9\n[chosen]\nsize = 2.5\n',
        encoding="utf-8",
    )
    rules: Ruleset[Tables] = load(house, Tables)
    assert rules.tables.weapons["rifle"] == Weapon("TY-02", 9)
    assert rules.tables.men["guard"].weapons == ("rifle",)
    assert rules.option("size") == 2.5
    assert rules.labels == ("Long rifles",)


def test_house_rules_that_inherit_themselves_are_refused(game: Path) -> None:
    house = game.with_name("house.toml")
    house.write_text('inherits = "house.toml"\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"house\.toml inherits itself"):
        load(house, Tables)


def test_reasons_use_the_text_of_the_rule(game: Path) -> None:
    rules: Ruleset[Tables] = load(game, Tables)
    assert rules.because("TY-02") == Reason("TY-02", "Weapons attack.")
    assert rules.because("TY-02", "the rifle attacks at 7", 7).modifier == 7


def test_a_verdict_cannot_be_changed() -> None:
    numbers = {"roll": 7}
    answer = verdict("hit", Reason("TY-02", "Weapons attack."), **numbers)
    numbers["roll"] = 2
    assert answer.numbers["roll"] == 7
    with pytest.raises(TypeError):
        answer.numbers["roll"] = 3  # type: ignore[index]


def test_forbidden_verdict_has_a_reason() -> None:
    answer = forbidden("out_of_range", Reason("TY-02", "too far"))
    assert not answer.allowed
    assert answer.numbers == {"allowed": False, "reason": "out_of_range"}
    assert Verdict("hit", {}, ()).allowed


def test_modifiers_add_up() -> None:
    assert total([Reason("TY-01", "", 7), Reason("TY-02", ""), Reason("TY-02", "", -3)]) == 4
