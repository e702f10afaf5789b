"""Small tables for the tools, seen by a known camera."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rules.battle.referees import position_of
from rules.engine.roster import Army, Recruit
from rules.tabletop.table import Figure, Outline, Posture, TerrainKind, TerrainPiece, ellipse_outline
from tests.rules.battle_driver import begun
from tests.ui.picture.test_overlay import view_of
from ui.battle.battle_session import BattleSession
from ui.formatting import Basis
from ui.session import TableState
from ui.tools.tool_context import ToolContext
from vision.setup import Setup


def soldier(name: str, x: float, y: float, sigma_in: float = 0.0, radius_in: float = 0.5) -> Figure:
    """A figure on a round base; its army is the name's first word."""
    base = ellipse_outline((x, y), radius_in, radius_in)
    return Figure(name, name.split("-")[0], x, y, 0.0, sigma_in, Posture.STANDING, base)


def box(left: float, near: float, right: float, far: float) -> Outline:
    return ((left, near), (right, near), (right, far), (left, far))


def piece(name: str, kind: str, outline: Outline, height_in: float) -> TerrainPiece:
    return TerrainPiece(name, TerrainKind(kind), outline, 0.0, height_in)


def before(*figures: Figure, terrain: tuple[TerrainPiece, ...] = (), basis: Basis = Basis.CENTRE) -> ToolContext:
    """The context of a tool without a battle."""
    return ToolContext(view_of(*figures), TableState(Setup(terrain=terrain), basis=basis))


@contextmanager
def in_battle(
    path: Path, game: str, card: str, figures: tuple[Figure, ...], terrain: tuple[TerrainPiece, ...] = ()
) -> Iterator[ToolContext]:
    """The context of a tool in the first phase of a battle in which every figure has the same card."""
    sides = dict.fromkeys(figure.army for figure in figures)
    men = {side: tuple(Recruit(figure=f.id, card=card) for f in figures if f.army == side) for side in sides}
    armies = {side: Army(name=side, game=game, recruits=recruits) for side, recruits in men.items()}
    with begun(path, game, armies, {figure.id: figure.centre_in for figure in figures}) as battle:
        play = BattleSession(battle)
        position = position_of(battle, figures, terrain)
        play.go_on(position, play.owed(position))
        yield ToolContext(view_of(*figures), TableState(), play, position_of(battle, figures, terrain))
