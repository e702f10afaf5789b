"""The games that ship, by name: each opens as it is, or as a house-rules file changes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rules.game import Game
from rules.games.army_men import game as army_men
from rules.games.fudge_miniatures import game as fudge_miniatures
from rules.games.plastic_fudge import game as plastic_fudge
from rules.games.simple_plastic import game as simple_plastic
from rules.games.simple_plastic_figure import game as simple_plastic_figure
from rules.verdict import RuleRefusal

GAMES: Mapping[str, Callable[[Path | None], Game[Any]]] = {
    "army_men": army_men.open_game,
    "fudge_miniatures": fudge_miniatures.open_game,
    "plastic_fudge": plastic_fudge.open_game,
    "simple_plastic": simple_plastic.open_game,
    "simple_plastic_figure": simple_plastic_figure.open_game,
}


def open_game(name: str, house_rules: Path | None = None) -> Game[Any]:
    """A game by its name.

    Raises:
        RuleRefusal: "unknown_ruleset".
        Refused: if the house rules do not fit the game.
    """
    if name not in GAMES:
        raise RuleRefusal("unknown_ruleset", f"there is no game {name!r}: choose one of {', '.join(GAMES)}")
    return GAMES[name](house_rules)
