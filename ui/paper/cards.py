"""Unit cards: a ready unit of a game, or a figure of an army list, as the words that stand on its card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any, get_args

from rules.engine.game import Game
from rules.engine.roster import Army, check_army
from rules.engine.schema import Reader, hints
from ui.paper.card_faces import FACES, UnitCard


def game_cards(game: Game[Any]) -> tuple[UnitCard, ...]:
    """Every ready unit of a game, in the order of its data."""
    return tuple(_face(game, name, row) for name, row in game.rules.tables.cards.items())


def army_cards(game: Game[Any], army: Army) -> tuple[UnitCard, ...]:
    """A card for each figure of an army list.

    Raises:
        UserError: if the list is for another game, names a card that the game has not, or a player's own card is not
            such a card.
    """
    check_army(game, army)
    cards = []
    for one in army.recruits:
        if one.card is not None:
            card = _face(game, one.card, game.rules.tables.cards[one.card])
        else:
            own = dict(one.own or {})
            card = _face(game, None, _own_row(game, own, one.figure), str(own.get("title", one.figure)))
        cards.append(card.of(one.figure, one.squad))
    return tuple(cards)


def _own_row(game: Game[Any], own: Mapping[str, Any], figure: str) -> Any:
    """A player's own card as the game's; what only the rulebook's cards have is left blank."""
    tables: Any = type(game.rules.tables)
    kind = get_args(hints(tables)["cards"])[1]
    known = {field.name for field in fields(kind)}
    blank = {"rule": "", "printed_cost": 0, "title": figure}
    given = {key: value for key, value in own.items() if key != "title" or key in known}
    rows = {key: list(value) for key, value in game.rules.plain.items() if isinstance(value, Mapping)}
    return Reader(rows).read(kind, {**{k: v for k, v in blank.items() if k in known}, **given}, f"the card of {figure}")


def _face(game: Game[Any], name: str | None, row: Any, title: str = "") -> UnitCard:
    return FACES[game.name](game, name, row, title)
