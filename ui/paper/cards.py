"""Unit cards, as text, of a game's ready units or of the figures in an army list."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from rules.game import Game
from rules.roster import Army, check_army
from rules.schema import Reader, hints
from ui.paper.card_faces import FACES, UnitCard


def game_cards(game: Game[Any]) -> tuple[UnitCard, ...]:
    """A card for every ready unit of a game, in the order of its data."""
    return tuple(_face(game, name, row) for name, row in game.rules.tables.cards.items())


def army_cards(game: Game[Any], army: Army) -> tuple[UnitCard, ...]:
    """A card for each figure of an army list.

    Raises:
        UserError: if the list is for another game, names a card that the game does not have, or a player's own card
            is not valid in the game.
    """
    check_army(game, army)
    cards = []
    for recruit in army.recruits:
        if recruit.card is not None:
            card = _face(game, recruit.card, game.rules.tables.cards[recruit.card])
        else:
            own = dict(recruit.own or {})
            card = _face(game, None, _own_row(game, own, recruit.figure), str(own.get("title", recruit.figure)))
        cards.append(card.of(recruit.figure, recruit.squad))
    return tuple(cards)


def _own_row(game: Game[Any], own: Mapping[str, Any], figure: str) -> Any:
    """A player's own card as a row of the game's data; fields that only rulebook cards have stay blank."""
    tables: Any = type(game.rules.tables)
    kind = get_args(hints(tables)["cards"])[1]
    known = {field.name for field in fields(kind)}
    blank = {"rule": "", "printed_cost": 0, "title": figure}
    given = {key: value for key, value in own.items() if key != "title" or key in known}
    rows = {key: list(value) for key, value in game.rules.plain.items() if isinstance(value, Mapping)}
    return Reader(rows).read(kind, {**{k: v for k, v in blank.items() if k in known}, **given}, f"the card of {figure}")


def _face(game: Game[Any], name: str | None, row: Any, title: str = "") -> UnitCard:
    return FACES[game.name](game, name, row, title)
