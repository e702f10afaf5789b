"""What the bar above the picture says during a battle, and which soldiers are missing on the table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from rules.battle.referees import referee_of
from rules.engine.events import PhaseBegun
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.referee import FIRE
from ui.battle.action_text import action_words, obligation_key, obligation_words, round_words, state_words
from ui.battle.battle_session import BattleSession
from ui.battle.round_sequence import able_to_act
from ui.formatting import capitalized
from ui.rules_text import display_name, phase_words, turn_words
from ui.theme import DARK, WHITE, Colour, army_colour, readable_ink
from ui.translation import tr, tr_count

_LONGEST_NAME = 28


@dataclass(frozen=True, slots=True)
class TurnBar:
    """The bar's texts and colours.

    Attributes:
        heading: The turn and the phase, such as "Turn 2 · Green moves".
        left: What is left to do, such as "6 left"; empty if nothing is known to be left.
        button: What the button does; empty if it can do nothing.
        tip: The same in full.
        colour, ink: The colours of the bar and of its text.
        is_next: Whether the button is what to press next; it is not if it would skip something.
    """

    heading: str
    left: str = ""
    button: str = ""
    tip: str = ""
    colour: Colour = DARK
    ink: Colour = WHITE
    is_next: bool = True

    @property
    def words(self) -> str:
        """The whole text, such as "Turn 2 · Green moves · 6 left"."""
        return " · ".join(filter(None, (self.heading, self.left)))


def turn_bar(
    play: BattleSession,
    position: Position | None,
    armies: Collection[str],
    skippable: Collection[ActionPreview] = (),
    owed: Sequence[ActionPreview] | None = None,
    moves: int = 0,
    *,
    skips_moves: bool = False,
    idle: Collection[str] = (),
) -> TurnBar:
    """The bar of a battle.

    Args:
        play: The battle.
        position: Its position; None before its soldiers are seen.
        armies: All armies of the table, for the colour of one without a colour of its own.
        skippable: The obligations that were listed, so that the button now skips them.
        owed: What must be done before the phase ends, if it is known already.
        moves: How many moves the next phase would forbid if they are not answered first.
        skips_moves: Whether these moves were named, so that the button now skips them.
        idle: The figures that are known to have no target.
    """
    if position is None:
        return TurnBar(tr("Waiting for soldiers"))
    state, follows = position.state, play.referee.next_phase(position)
    owed = play.owed(position) if owed is None else owed
    coming = turn_words(follows.turn, follows.side, follows.phase)
    left, tip = _left(play, position, idle), tr("Begin {coming}", coming=coming)
    if owed:
        left = tr("{count} to do", count=_count(owed))
        tip = tr("{owed}. Then begin {coming}", owed=obligation_words(owed), coming=coming)
    listed = {one.action.words for one in skippable}
    skips = skips_moves if moves else bool(owed) and all(one.action.words in listed for one in owed)
    after = _after(position, follows)
    if skips:
        button = tr("Skip {count}: {next}", count=moves or _count(owed), next=after)
    elif moves:
        button = tr_count("{count} move to answer…", "{count} moves to answer…", moves)
    elif owed:
        button = _owed_words(owed, _count(owed))
    else:
        button = tr("Done: {next}", next=after) if state.turn else tr("Begin: {next}", next=after)
    colour = army_colour(state.side, sorted({*armies, *state.sides})) if state.side else DARK
    is_next = not (moves or skips)
    return TurnBar(state_words(state), left, button, f"{tip} (N)", colour, readable_ink(colour), is_next)


def _after(position: Position, follows: PhaseBegun) -> str:
    """The next phase in a few words: a new turn by its number."""
    if position.state.turn and follows.turn != position.state.turn:
        return tr("turn {turn}", turn=follows.turn)
    return phase_words(follows.side, follows.phase) or tr("turn {turn}", turn=follows.turn)


def _owed_words(owed: Collection[ActionPreview], count: int) -> str:
    """What is still owed: by its name if that is short, by its round, or by its number."""
    first = next(iter(owed))
    words = f" {tr('or')} ".join(map(action_words, owed))
    if count == 1 and len(words) <= _LONGEST_NAME:
        return f"{words}…"
    name = first.action.round
    if name and all(one.action.round == name for one in owed):
        return tr("{round}: {count} to do…", round=capitalized(round_words(name)), count=count)
    return tr("{count} still to do…", count=count)


def _count(owed: Collection[ActionPreview]) -> int:
    """How many obligations there are; alternatives of one rule, such as which side begins, count once."""
    return len(set(map(obligation_key, owed)))


def _left(play: BattleSession, position: Position, idle: Collection[str]) -> str:
    """How many soldiers of the side, or of both, may still act; empty in phases without such actions."""
    fires, moves = FIRE in play.referee.rounds(position), play.referee.moves(position)
    able = able_to_act(play, position) if fires or moves else []
    count = len(able if moves else [name for name in able if name not in idle])
    if not count:
        return ""
    return tr("{count} left", count=count) if fires else tr("{count} left to move", count=count)


_MOST_NAMES = 4


def absent(position: Position) -> tuple[str, ...]:
    """Ids of the figures that should be on the table and are not.

    Those that are eliminated, not placed yet, or inside another figure are elsewhere.
    """
    inside = referee_of(position.game.name).inside
    return tuple(
        unit.id
        for unit in position.state.units.values()
        if unit.at_in is not None
        and not unit.out
        and unit.id not in position.figures
        and not any(map(unit.statuses.get, inside))
    )


def absent_words(position: Position) -> str:
    """Such as "Not on the table: Tan 3, Tan 7"; empty if all are there."""
    names = [display_name(name) for name in absent(position)]
    if not names:
        return ""
    if len(names) > _MOST_NAMES:
        listed, more = ", ".join(names[: _MOST_NAMES - 1]), len(names) - _MOST_NAMES + 1
        return tr("Not on the table: {listed} and {more} others", listed=listed, more=more)
    return tr("Not on the table: {listed}", listed=", ".join(names))
