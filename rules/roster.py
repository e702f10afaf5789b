"""Armies on paper: which figure is which unit, kept as a list that can be used again and checked before a battle."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rules.dice import no_dice
from rules.events import Enlisted, one_card, plain
from rules.game import Game
from rules.table import Refused
from rules.typed import Reader
from rules.verdict import Verdict, forbidden, verdict

SCHEMA = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recruit:
    """A figure and what it is.

    Attributes:
        figure: Its id.
        card: A ready card of the game by its name, or None.
        own: A card of the player's own as data, where there is no ready one.
        squad: Name of its squad; empty where it is alone.
    """

    figure: str
    card: str | None = None
    own: Mapping[str, Any] | None = None
    squad: str = ""

    def __post_init__(self) -> None:
        one_card(self.figure, self.card, self.own)


@dataclass(frozen=True, slots=True, kw_only=True)
class Army:
    """A list of recruits for one game."""

    name: str
    game: str
    recruits: tuple[Recruit, ...]

    def __post_init__(self) -> None:
        figures = [recruit.figure for recruit in self.recruits]
        twice = next((figure for figure in figures if figures.count(figure) > 1), None)
        if twice is not None:
            raise Refused(f"the army {self.name!r} has the figure {twice!r} twice: give each its own id")

    @property
    def squads(self) -> dict[str, tuple[Recruit, ...]]:
        """The men of each squad; those who are alone are in none."""
        names = dict.fromkeys(recruit.squad for recruit in self.recruits if recruit.squad)
        return {name: tuple(r for r in self.recruits if r.squad == name) for name in names}


def army_document(army: Army) -> dict[str, Any]:
    """An army as the JSON document of its file."""
    return {"schema": SCHEMA, **plain(army)}


def army_of(document: Any) -> Army:
    """The army of a JSON document.

    Raises:
        Refused: if it is none, or of a newer program.
    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise Refused(f"the army list is not of schema {SCHEMA}: choose another file, or update Sandtable")
    rest = {key: value for key, value in document.items() if key != "schema"}
    return Reader({}).read(Army, rest, "the army list")


def enlistment(game: Game[Any], army: Army, side: str) -> tuple[Enlisted, ...]:
    """The events that bring an army into a battle.

    Raises:
        Refused: if the army is of another game, or names a card that the game has not.
    """
    check_army(game, army)
    return tuple(
        Enlisted(figure=one.figure, side=side, card=one.card, own=one.own, squad=one.squad) for one in army.recruits
    )


def points_check(game: Game[Any], army: Army) -> Verdict | None:
    """What the game says of an army by itself; None where it says nothing.

    Raises:
        Refused: as `enlistment`, or as the game's own action.
    """
    check_army(game, army)
    return CHECKS[game.name](game, army) if game.name in CHECKS else None


def check_army(game: Game[Any], army: Army) -> None:
    """Refuse an army of another game, or with a ready card that the game has not."""
    if army.game != game.name:
        raise Refused(f"the army {army.name!r} is for {army.game}, not for {game.name}: choose another list")
    for one in army.recruits:
        check_card(game, one.figure, one.card)


def check_card(game: Game[Any], figure: str, card: str | None) -> None:
    """Refuse a ready card that the game has not; None is a card of the player's own."""
    cards = game.rules.plain.get("cards", {})
    if card is not None and card not in cards:
        raise Refused(f"{figure} has the card {card!r}, which {game.title} lacks: choose one of {', '.join(cards)}")


Facts = Callable[[Game[Any], Army], dict[str, Any]]
Check = Callable[[Game[Any], Army], Verdict]


def _asks(action: str, facts: Facts) -> Check:
    """The check that one action of the game is, told these facts."""
    return lambda game, army: game.ask(action, facts(game, army), no_dice)


def _card(game: Game[Any], one: Recruit) -> Mapping[str, Any]:
    """A recruit's card as plain data, ready or his own."""
    found: Mapping[str, Any] = game.rules.plain["cards"][one.card] if one.card else (one.own or {})
    return found


def _men(game: Game[Any], army: Army) -> dict[str, Any]:
    """Army Men advises a number of men; fortifications and vehicles come on top."""
    return {"men": sum(_card(game, one).get("kind", "infantry") == "infantry" for one in army.recruits)}


def _by_squads(game: Game[Any], army: Army) -> dict[str, Any]:
    """Simple Plastic Wargame counts specialists and squads."""

    def kind(one: Recruit) -> Any:
        return _card(game, one).get("unit")

    alone = [kind(one) for one in army.recruits if not one.squad]
    return {"squads_of": [[kind(one) for one in men] for men in army.squads.values()], "alone": alone}


def _by_cards(_: Game[Any], army: Army) -> dict[str, Any]:
    """Plastic Fudge counts units, points and commanders by their cards."""
    strange = next((one.figure for one in army.recruits if one.card is None), None)
    if strange is not None:
        raise Refused(f"the points of {strange} are not known, because its card is its player's own: add them by hand")
    return {"roster": [one.card for one in army.recruits]}


def _one_side(game: Game[Any], army: Army) -> Verdict:
    """Simple Plastic Figure has no points: an army is of one side, armed with weapons that its tables have.

    The game's own action `armies` judges two sides that are laid out; this is about one list before that.
    """
    rules = game.rules
    sides: dict[str, list[str]] = {}
    for one in army.recruits:
        for weapon in _card(game, one).get("weapons", ()):
            game.ask("may_use_weapon", {"weapon": weapon, "figure_shows": [weapon]}, no_dice)
        if (side := _side(game, one)) is not None:
            sides.setdefault(side, []).append(one.figure)
    reserves = sum(bool(_card(game, one).get("reserve")) for one in army.recruits)
    numbers = {"figures": len(army.recruits), "reserves": reserves, "sides": list(sides)}
    if not army.recruits:
        return forbidden("no_figures", rules.because("WW-01"), legal=False, **numbers)
    if len(sides) > 1:
        told = "; ".join(f"{side}: {', '.join(figures)}" for side, figures in sides.items())
        return forbidden("two_sides", rules.because("WW-01", f"figures of both sides, {told}"), legal=False, **numbers)
    kept = (rules.because("WW-58", f"{reserves} in reserve"),) if reserves else ()
    of = next(iter(sides), "either")
    return verdict("legal", rules.because("WW-01", f"all on the {of} side"), *kept, legal=True, **numbers)


def _side(game: Game[Any], one: Recruit) -> str | None:
    """The side that a figure's nation fights on; None for one of any nation."""
    nation, nations = _card(game, one).get("nation"), game.rules.plain["nations"]
    if nation is not None and nation not in nations:
        raise Refused(f"{one.figure} is of the unknown nation {nation!r}: choose one of {', '.join(nations)}")
    return None if nation is None else str(nations[nation]["side"])


CHECKS: Mapping[str, Check] = {
    "army_men": _asks("force_advice", _men),
    "fudge_miniatures": _asks("force_size", lambda _, army: {"models": len(army.recruits)}),
    "plastic_fudge": _asks("muster", _by_cards),
    "simple_plastic": _asks("force_legal", _by_squads),
    "simple_plastic_figure": _one_side,
}
"""What each game says of an army by itself: the sheet's limits where it has some, advice where it gives it."""
