"""The folder in which battles are saved by themselves, and what to tell the players about the last one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TypeGuard

from rules.battle.battle import Battle, Clock
from rules.engine.events import ActionResolved, Event
from ui.files import make_folder
from ui.translation import mark_all_for_translation, mark_for_translation, tr

SUFFIX = ".battle"
_NIGHT_ENDS_H = 5
"""A battle that ends at two in the morning belongs to the night before."""
_RECENT_DAYS = 6
"""Within a week, the name of the day is clear."""
_DAYS = mark_all_for_translation("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_PARTS = (
    (12, mark_for_translation("morning")),
    (18, mark_for_translation("afternoon")),
    (24 + _NIGHT_ENDS_H, mark_for_translation("evening")),
)
"""The parts of a day, each with the hour at which it ends."""


def is_battle(path: Path) -> bool:
    """Whether this is the name of a saved battle."""
    return path.suffix.lower() == SUFFIX


def new_battle_path(folder: Path, title: str, now: datetime) -> Path:
    """A free file for a new battle of the game with this title, such as "2026-11-23 19.30 Army Men.battle".

    Raises:
        UserError: if the folder cannot be made.
    """
    make_folder(folder)
    game = " ".join("".join(letter if letter.isalnum() or letter in "-'" else " " for letter in title).split())
    name = f"{now:%Y-%m-%d %H.%M} {game}".strip()
    names = (name if number == 1 else f"{name} {number}" for number in count(1))
    return next(path for one in names if not (path := folder / f"{one}{SUFFIX}").exists())


@dataclass(frozen=True, slots=True)
class LastBattle:
    """A saved battle that can be continued.

    Attributes:
        path: Its file.
        game: The title of its game.
        time_s: When its last entry was written, in seconds since 1970.
        turn: Its turn; 0 during the set-up.
        ended: Whether a side has won, or the battle ended in a draw.
    """

    path: Path
    game: str
    time_s: float
    turn: int
    ended: bool


def last_battle(path: Path, clock: Clock) -> LastBattle:
    """Read what the offer to continue a battle names. Raises `UserError` like `Battle.open`."""
    with Battle.open(path, clock) as battle:
        return LastBattle(path, battle.game.title, battle.entries[-1].time_s, battle.state.turn, has_ended(battle))


def has_ended(battle: Battle) -> bool:
    """Whether a victory or a draw is in force."""
    return any(map(ends_battle, battle.in_force.values()))


def ends_battle(event: Event) -> TypeGuard[ActionResolved]:
    """Whether an event declares a victory or a draw."""
    if not isinstance(event, ActionResolved) or not event.action.startswith("victory"):
        return False
    return any(event.verdict.numbers.get(key) for key in ("over", "victory", "won", "winner"))


def continue_words(last: LastBattle, now: datetime) -> str:
    """The offer to continue, such as "Continue Army Men of Sunday evening, turn 3?"."""
    played = datetime.fromtimestamp(last.time_s)
    when = day_words(played, now)
    if last.turn:
        return tr("Continue {game} of {when}, turn {turn}?", game=last.game, when=when, turn=last.turn)
    return tr("Continue {game} of {when}?", game=last.game, when=when)


def day_words(time: datetime, now: datetime) -> str:
    """The day and its part, such as "Sunday evening"; the date if that day was a week ago or more."""
    night = timedelta(hours=_NIGHT_ENDS_H)
    day = (time - night).date()
    hour = time.hour + (24 if time.hour < _NIGHT_ENDS_H else 0)
    if abs(((now - night).date() - day).days) > _RECENT_DAYS:
        return f"{time:%Y-%m-%d}"
    part = next(words for end_h, words in _PARTS if hour < end_h)
    return tr("{day} {part}", day=tr(_DAYS[day.weekday()]), part=tr(part))
