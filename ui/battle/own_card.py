"""Cards of the players' own, in games whose rules compute the card of a character from its stats and equipment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rules.engine.dice import no_dice
from rules.engine.game import Game
from rules.engine.verdict import Verdict
from rules.tabletop.errors import user_error
from ui.rules_text import display_name
from ui.translation import mark_for_translation, tr

_CARD, _BUILD = "datacard", "build_human"
TRAITS = ("gifts", "faults")
"""The kinds of traits, as the cards name them."""


_NAMES = {
    "strength": mark_for_translation("Strength"),
    "dexterity": mark_for_translation("Dexterity"),
    "guts": mark_for_translation("Guts"),
    "movement_in": mark_for_translation("Movement"),
    "noble_presence": mark_for_translation("Noble presence"),
    "faithful": mark_for_translation("Faithful"),
    "steadfast": mark_for_translation("Steadfast"),
    "backstabber": mark_for_translation("Backstabber"),
    "terrifying": mark_for_translation("Terrifying"),
    "leader": mark_for_translation("Leader"),
    "chivalrous": mark_for_translation("Chivalrous"),
    "poor_melee": mark_for_translation("Poor melee"),
    "self_interest": mark_for_translation("Self-interest"),
    "mercenary": mark_for_translation("Mercenary"),
}


def name_words(name: str) -> str:
    """The name of a stat or a trait; house rules may have any."""
    return tr(_NAMES[name]) if name in _NAMES else display_name(name)


def has_own_cards(game: Game[Any]) -> bool:
    """Whether the game computes the cards of the players' own characters."""
    return _CARD in game.actions


def stat_range(game: Game[Any], stat: str) -> tuple[int, int]:
    """The lowest and the highest value of a stat."""
    if game.rules.plain["stats"][stat].get("inches"):
        return 0, 24
    levels = [row["value"] for row in game.rules.plain["ladder"].values()]
    return min(levels), max(levels)


def traits_of(game: Game[Any], kind: str) -> tuple[str, ...]:
    """The traits of a kind that the game's cards have."""
    return tuple(dict.fromkeys(name for card in game.rules.plain["cards"].values() for name in card.get(kind, ())))


def own_card(game: Game[Any], title: str, character: Mapping[str, Any]) -> dict[str, Any]:
    """The data of a card with the factors that follow from a character's stats, traits and equipment.

    Raises:
        UserError: if it or a thing has no name, or as `Game.ask`.
    """
    if not title.strip() or any(not item["name"].strip() for item in character["equipment"]):
        raise user_error("Type a name for the character and for each item that it carries.")
    numbers = game.ask(_CARD, _counted(character), no_dice).numbers
    factors = {name: value for name, value in numbers.items() if name in ("modf", "rodf", "ddf", "hddf")}
    return {"title": title.strip(), **character, **factors}


def checked_build(game: Game[Any], card: Mapping[str, Any]) -> Verdict:
    """What the rulebook says about a card that players make; they may still play it. Raises as `Game.ask`."""
    return game.ask(_BUILD, _counted({key: card[key] for key in (*game.rules.plain["stats"], *TRAITS)}), no_dice)


def factor_words(card: Mapping[str, Any]) -> str:
    """The computed factors, such as "Melee +7, ranged none, defence 1, helpless 0"."""
    melee, ranged = (tr("none") if card[name] is None else f"{card[name]:+d}" for name in ("modf", "rodf"))
    return tr(
        "Melee {melee}, ranged {ranged}, defence {ddf}, helpless {hddf}.",
        melee=melee, ranged=ranged, ddf=card["ddf"], hddf=card["hddf"],
    )  # fmt: skip


def _counted(character: Mapping[str, Any]) -> dict[str, Any]:
    """The character as the rules ask for it: with the numbers of its traits instead of their names."""
    return {key: len(value) if key in TRAITS else value for key, value in character.items()}
