"""Setting up a battle: its game and options, the armies and saved lists of them, and the goals."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import cycle
from pathlib import Path
from typing import Any

from calibration.profile import read_json
from rules.battle.battle import Battle, Clock
from rules.battle.referees import referee_of
from rules.engine.events import Changed
from rules.engine.game import Game
from rules.engine.objectives import Objective, Task, objective_changes, objectives_of
from rules.engine.position import Position
from rules.engine.preview import preview_of
from rules.engine.roster import Army, Recruit, army_document, army_of, enlistment
from rules.engine.ruleset import Option, Value, title_in_file
from rules.engine.verdict import Verdict
from rules.games import GAMES, game_names, open_game, points_check
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import Figure, Posture
from ui.battle.battle_session import BattleSession
from ui.files import data_folder, make_folder, write_json
from ui.rules_text import display_name, outcome_words, translated
from ui.translation import mark_for_translation, tr

NEEDS_TWO_SIDES = mark_for_translation("a battle needs two armies: click a soldier of each army to teach both")
_VEHICLES = ("tank", "vehicle")
"""Kinds of cards for figures with the posture of a vehicle."""


@dataclass(frozen=True, slots=True)
class BattleSetup:
    """The players' choices before a battle.

    Attributes:
        armies: By side, in playing order.
        options: Options that differ from the defaults.
        house_rules: A file that inherits the game.
        aims: The sides' objectives; the game's default if empty.
    """

    game: str
    armies: Mapping[str, Army]
    options: Mapping[str, Value] = field(default_factory=dict)
    house_rules: Path | None = None
    aims: tuple[Objective, ...] = ()


def usual_sides(game: Game[Any], armies: Sequence[str], figures: Sequence[Figure]) -> tuple[str, ...]:
    """The armies that play by default: all that the game has units for, or the largest if it allows fewer sides."""
    sizes = {name: len(army.recruits) for name, army in usual_armies(game, armies, figures).items()}
    able = [name for name in armies if sizes[name]]
    largest = sorted(able, key=lambda name: -sizes[name])[: game.rules.header.most_sides]
    return tuple(name for name in able if name in largest)


def usual_armies(game: Game[Any], sides: Sequence[str], figures: Sequence[Figure]) -> dict[str, Army]:
    """Armies that make a game: riflemen with a leader, of different nations, and tanks.

    A game without leaders, nations or vehicles does without; its vehicles then have no unit. Nor have soldiers beyond
    the number that a skirmish allows.
    """
    return {
        side: _usual_army(game, side, [figure for figure in figures if figure.army == side], nation)
        for side, nation in zip(sides, _nations(game), strict=False)
    }


def _usual_army(game: Game[Any], side: str, figures: Sequence[Figure], nation: str | None) -> Army:
    cards = {
        name: card for name, card in game.rules.plain["cards"].items() if nation in (None, card.get("nation", nation))
    }
    vehicle = _vehicle(cards)
    most = game.rules.plain.get("limits", {}).get("models_most", {}).get("value")  # of a skirmish
    men = [figure.id for figure in figures if figure.posture is not Posture.VEHICLE][:most]
    units = dict(zip(men, cycle(_soldiers(cards)), strict=False))
    if len(men) > 1:  # a single soldier had better fight
        units |= zip(men, _staff(cards), strict=False)
    if vehicle is not None:
        units |= {figure.id: vehicle for figure in figures if figure.posture is Posture.VEHICLE}
    recruits = (Recruit(figure=figure.id, card=units[figure.id]) for figure in figures if figure.id in units)
    return Army(name=side, game=game.name, recruits=tuple(recruits))


def _nations(game: Game[Any]) -> Iterator[str | None]:
    """A nation for each side in turn, each of another alliance; None in a game without nations."""
    by_alliance: dict[str, str] = {}
    for nation, row in game.rules.plain.get("nations", {}).items():
        by_alliance.setdefault(row["side"], nation)
    return cycle(by_alliance.values() or [None])


def leads(card: Mapping[str, Any]) -> bool:
    """Whether a card is that of a leader, whatever the game calls one."""
    return (
        bool(card.get("leader") or card.get("commander"))
        or card.get("role") == "leader"
        or "leader" in card.get("faults", ())
    )


def _staff(cards: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """A leader, and the radioman of a commander."""
    leader = next((name for name, card in cards.items() if leads(card)), None)
    if leader is not None:
        yield leader
        if cards[leader].get("commander"):
            yield from (name for name, card in list(cards.items()) if card.get("radio"))


def _vehicle(cards: Mapping[str, Mapping[str, Any]]) -> str | None:
    found = [name for name, card in cards.items() if card.get("kind") in _VEHICLES]
    return "tank" if "tank" in found else next(iter(found), None)


def _soldiers(cards: Mapping[str, Mapping[str, Any]]) -> Sequence[str]:
    """The card of an ordinary soldier; in a game of named characters, all of these."""
    others = [name for name, card in cards.items() if leads(card) or card.get("radio") or card.get("kind") in _VEHICLES]
    soldiers = [name for name in cards if name not in others]
    if all("title" not in cards[name] for name in soldiers):  # a card without a title is a character by name
        return soldiers or list(cards)
    return soldiers[:1]


def unit_title(name: str, card: Mapping[str, Any]) -> str:
    """The title of a card, in the language of the window."""
    return translated(str(card.get("title") or name.replace("_", " ")))


def usual_card(play: BattleSession, figure: Figure) -> str:
    """The card for a figure that joins a battle: that of most of its side, or a vehicle's if it is one."""
    cards = play.battle.game.rules.plain["cards"]
    if figure.posture is Posture.VEHICLE and (vehicle := _vehicle(cards)) is not None:
        return vehicle
    units = play.battle.state.units.values()
    count = Counter(unit.card for unit in units if unit.side == figure.army and unit.card is not None)
    return count.most_common(1)[0][0] if count else next(iter(cards))


def fitted(army: Army, figures: Sequence[Figure]) -> tuple[tuple[Recruit, ...], int]:
    """Assign a saved list to the figures on the table: entries with the same id first, the others in order.

    Returns:
        The assigned recruits, at most one per figure, and the number of entries without a figure.
    """
    own = {recruit.figure: recruit for recruit in army.recruits}
    names = [figure.id for figure in figures]
    spare = iter([recruit for recruit in army.recruits if recruit.figure not in names])
    found = ((name, own[name] if name in own else next(spare, None)) for name in names)
    recruits = tuple(replace(recruit, figure=name) for name, recruit in found if recruit is not None)
    return recruits, len(army.recruits) - len(recruits)


def checked(battle_setup: BattleSetup) -> dict[str, Verdict]:
    """The game's verdict on each side's army; only for games that check armies.

    Raises:
        UserError: as `rules.games.points_check`, or as `open_game`.
    """
    game = open_game(battle_setup.game, battle_setup.house_rules).choosing(**battle_setup.options)
    found = {side: points_check(game, army) for side, army in battle_setup.armies.items()}
    return {side: verdict for side, verdict in found.items() if verdict is not None}


def begin(path: Path, clock: Clock, battle_setup: BattleSetup) -> Battle:
    """Begin the battle in a new file and enlist all figures.

    Raises:
        UserError: if a side has no figures, or as `Battle.begin` and `rules.engine.roster.enlistment`.
    """
    if len(battle_setup.armies) < 2:
        raise user_error(NEEDS_TWO_SIDES)
    if empty := [display_name(side) for side, army in battle_setup.armies.items() if not army.recruits]:
        raise user_error("{army} has no units: choose a unit for its soldiers, or leave the army out", army=empty[0])
    game = open_game(battle_setup.game, battle_setup.house_rules)
    recruits = [recruit for side, army in battle_setup.armies.items() for recruit in enlistment(game, army, side)]
    battle = Battle.begin(
        path, clock, battle_setup.game, list(battle_setup.armies), battle_setup.options, battle_setup.house_rules
    )
    battle.record_all(recruits)
    agree(battle, [aim for aim in battle_setup.aims if aim.side in battle_setup.armies])
    return battle


@cache
def title_of(game: str) -> str:
    """The title of a game with this short name; raises as `open_game`."""
    title = title_in_file(game) if game in game_names() else None
    return open_game(game).title if title is None else title


_ABOUT = {
    "army_men": mark_for_translation("Soldiers, tanks and guns, from ten a side. Two dice."),
    "fudge_miniatures": mark_for_translation("A few knights and yeomen; each one matters. Four Fudge dice."),
    "plastic_fudge": mark_for_translation("Troops with a commander and a range rod. Four Fudge dice."),
    "simple_plastic": mark_for_translation("Made for children; start with this one. One die."),
    "simple_plastic_figure": mark_for_translation("Second World War, man against man. One die."),
}


def about_game(game: str) -> str:
    """What kind of game this is, in a line; empty for games of the players' own."""
    return tr(_ABOUT[game]) if game in _ABOUT else ""


def option_title(option: Option) -> str:
    """An option's title in the language of the window."""
    return _translated_option(option.title)


def answer_words(value: Value) -> str:
    """One of an option's answers in the language of the window."""
    if isinstance(value, bool):
        return tr("yes") if value else tr("no")
    return _translated_option(_readable_answer(value))


def option_texts() -> Iterator[str]:
    """Titles and answers of the options of the program's own games, for the translators."""
    for game in GAMES:
        for option in open_game(game).options.values():
            yield option.title
            yield from (_readable_answer(value) for value in option.values if isinstance(value, str))


_ANSWERS = {"flat": "the same at any height", "fixed": "a fixed value"}
"""Answers that say too little, or whose words mean something else in another place."""


def _readable_answer(value: Value) -> str:
    return _ANSWERS.get(str(value), str(value).replace("_", " "))


def _translated_option(words: str) -> str:
    return words if "{" in words else tr(words)  # house rules and players' own games may have any text


def load_games() -> None:
    """Load all games and their referees, for which a dialog would otherwise stop the window."""
    for name in game_names():
        referee_of(name)
        open_game(name)


def tasks_in(battle: Battle) -> tuple[Task, ...]:
    """The goals that the battle's game offers; none if it leaves them to the players."""
    return referee_of(battle.game.name).tasks(battle.game.rules)


def agreed_aims(battle: Battle) -> tuple[Objective, ...]:
    """The goals on which the players agreed."""
    return objectives_of(battle.state, tasks_in(battle))


def agree(battle: Battle, aims: Sequence[Objective]) -> int:
    """Journal an entry for each new goal and return their number.

    Raises:
        UserError: as `rules.engine.objectives.objective_changes`; then nothing is journalled.
    """
    now, tasks = agreed_aims(battle), tasks_in(battle)
    new = [changes for aim in aims if aim not in now and (changes := objective_changes(battle.state, tasks, aim))]
    for changes in new:
        battle.record(Changed(changes=changes))
    return len(new)


_GOALS = {
    "wins when": mark_for_translation("{side} wins when {goal}"),
    "is to": mark_for_translation("{side} is to {goal}"),
}


def aim_words(aim: Objective, tasks: Sequence[Task]) -> str:
    """Such as "Green is to take or hold a place: the stone bridge", "Tan wins when no enemy is left"; or empty."""
    row = next((task for task in tasks if task.name == aim.task), None)
    number = f" ({aim.number} {translated(row.number)})" if row is not None and row.number and aim.number else ""
    parts = [f"{translated(row.words)}{number}" if row is not None else "", aim.words]
    goal = ": ".join(filter(None, parts))
    sentence = _GOALS.get(row.leads, f"{{side}} {row.leads} {{goal}}") if row is not None else "{side}: {goal}"
    return tr(sentence, side=display_name(aim.side), goal=goal) if goal else ""


def goal_lines(play: BattleSession) -> tuple[str, ...]:
    """The goal of each side, a line each."""
    tasks = tasks_in(play.battle)
    return tuple(filter(None, (aim_words(aim, tasks) for aim in agreed_aims(play.battle))))


def standings(play: BattleSession, position: Position) -> dict[str, str]:
    """How far each side has met its goal, such as "not yet", if the game knows it without questions."""
    obligations = [
        preview_of(position, action) for action in play.referee.obligations(position) if action.given.get("side")
    ]
    return {
        str(obligation.action.given["side"]): outcome_words(obligation.before.outcome)
        for obligation in obligations
        if obligation.action.name.startswith("victory") and obligation.before is not None
    }


def usual_numbers(task: Task, figures: Mapping[str, int]) -> dict[str, int]:
    """The goal's default number for each side, from the sides' numbers of figures."""
    total = sum(figures.values())
    return {side: max(1, task.usual_number(own, total - own)) for side, own in figures.items()}


def save_army(path: Path, army: Army) -> None:
    """Write an army list. Raises `UserError` like `ui.files.write_json`."""
    write_json(path, army_document(army))


def load_army(path: Path) -> Army:
    """Read an army list from a file. Raises `UserError` if it is not an army list, or a newer program wrote it."""
    document = read_json(path, tr("army list"))
    try:
        return army_of(document)
    except UserError as error:
        raise user_error("the army list {path} cannot be read: {reason}", path=path, reason=error) from error


@dataclass(frozen=True, slots=True)
class ArmyLists:
    """The army lists in a folder, each in its own file, found by name.

    A file that is not an army list is left out, and is not overwritten.
    """

    folder: Path

    def listed(self) -> tuple[Army, ...]:
        """Every army list, by file name; none if the folder does not exist yet."""
        found: list[Army] = []
        for path in sorted(self.folder.glob("*.json")):
            with suppress(UserError):
                found.append(load_army(path))
        return tuple(found)

    def take(self, name: str) -> Army:
        """Load the army list with this name. Raises `UserError` if there is none, or its file is not an army list."""
        path = self._path(name)
        army = load_army(path) if os.path.exists(path) else None
        if army is None or army.name.casefold() != name.casefold():
            known = ", ".join(army.name for army in self.listed())
            if known:
                raise user_error("there is no army list {name!r}: choose one of {known}", name=name, known=known)
            raise user_error("there is no army list {name!r}: save one first", name=name)
        return army

    def keep(self, army: Army) -> None:
        """Save an army under its name, replacing an older list of this name.

        Raises:
            UserError: if the name gives no file name, the file holds another list, or it cannot be written.
        """
        path = self._path(army.name)
        if os.path.exists(path):
            held = load_army(path)
            if held.name.casefold() != army.name.casefold():
                raise user_error(
                    "{name!r} is too similar to the saved list {saved!r}: choose another name",
                    name=army.name,
                    saved=held.name,
                )
        make_folder(self.folder)
        save_army(path, army)

    def _path(self, name: str) -> Path:
        """The file of an army; names that differ only in case or punctuation share one."""
        words = "".join(letter if letter.isalnum() else " " for letter in name.casefold()).split()
        if not words:
            raise user_error("{name!r} cannot be the name of an army list: use letters or digits", name=name)
        return self.folder / f"{'-'.join(words)[:80]}.json"


def find_army(named: Path) -> Army:
    """Load an army list by its file, or by the name of a saved list.

    Raises:
        UserError: as `load_army` and `ArmyLists.take`.
    """
    return (
        load_army(named) if os.path.exists(named) or named.suffix else ArmyLists(data_folder("armies")).take(str(named))
    )
