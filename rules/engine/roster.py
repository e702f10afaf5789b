"""Army lists: which figure plays which unit, stored in a file for use in several battles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.engine.events import Recruit as Recruit
from rules.engine.events import UnitJoined, plain
from rules.engine.game import Game
from rules.engine.schema import Reader, Record
from rules.engine.state import Unit
from rules.tabletop.errors import user_error

SCHEMA = 1


class Army(Record):
    """An army list for one game."""

    name: str
    game: str
    recruits: tuple[Recruit, ...]

    def __post_init__(self) -> None:
        figures = [recruit.figure for recruit in self.recruits]
        duplicate = next((figure for figure in figures if figures.count(figure) > 1), None)
        if duplicate is not None:
            raise user_error(
                "the army {name!r} has the figure {duplicate} twice: give each figure its own id",
                name=self.name,
                duplicate=duplicate,
            )

    @property
    def squads(self) -> dict[str, tuple[Recruit, ...]]:
        """The members of each squad; figures without a squad are left out."""
        names = dict.fromkeys(recruit.squad for recruit in self.recruits if recruit.squad)
        return {name: tuple(r for r in self.recruits if r.squad == name) for name in names}


def army_document(army: Army) -> dict[str, Any]:
    """An army list as the JSON document of its file."""
    return {"schema": SCHEMA, **plain(army)}


def army_of(document: Any) -> Army:
    """The army list of a JSON document.

    Raises:
        UserError: if it is not an army list, or of a newer program.
    """
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise user_error(
            "the army list does not have schema {expected}: choose another file or update Sandtable", expected=SCHEMA
        )
    rest = {key: value for key, value in document.items() if key != "schema"}
    return Reader({}).read(Army, rest, "the army list")


def enlistment(game: Game[Any], army: Army, side: str) -> tuple[UnitJoined, ...]:
    """The events that bring an army into a battle.

    Raises:
        UserError: if the army is for another game, or names a card that the game does not have.
    """
    check_army(game, army)
    return tuple(UnitJoined(side=side, **vars(one)) for one in army.recruits)


def check_army(game: Game[Any], army: Army) -> None:
    """Raise `UserError` for an army of another game, or with a card that the game does not have."""
    if army.game != game.name:
        raise user_error(
            "the army {army!r} is for {other}, not for {game}: choose another list",
            army=army.name,
            other=army.game,
            game=game.name,
        )
    for one in army.recruits:
        check_card(game, one.figure, one.card)


def check_card(game: Game[Any], figure: str, card: str | None) -> None:
    """Raise `UserError` for a card that the game does not have; None stands for a card of the player's own."""
    cards = game.rules.plain.get("cards", {})
    if card is not None and card not in cards:
        raise user_error(
            "{figure} has the card {card!r}, which {game} lacks: choose one of {cards}",
            figure=figure,
            card=card,
            game=game.title,
            cards=", ".join(cards),
        )


def card_of(game: Game[Any], one: Recruit | Unit) -> Mapping[str, Any]:
    """The card of a recruit or a unit, ready or its own, as plain data."""
    found: Mapping[str, Any] = game.rules.plain["cards"][one.card] if one.card else (one.own or {})
    return found
