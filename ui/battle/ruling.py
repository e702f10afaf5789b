"""What the players can rule otherwise, and what can hold instead, in words."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rules.battle.event_codec import event_of
from rules.battle.journal import standing
from rules.battle.overrides import Override, Verdicts, known_holdings, overrule, rule
from rules.engine.condition import befallen
from rules.engine.events import Asked, Change, Effects, Event, Ruled
from rules.engine.position import Moment
from rules.engine.referee import ActionPreview
from rules.engine.text import listed, outcome_words, spoken
from ui.battle.action_text import deed_words
from ui.battle.battle_session import Play
from ui.formatting import percent_words

NOTHING, UNTRIED = "nothing comes of it", "it was never tried"
_MOST_CASES = 12


@dataclass(frozen=True, slots=True)
class Case:
    """A deed that is not asked yet, or a verdict that was given.

    Attributes:
        words: What it is about.
        by, at: Whom it is about.
        seq: Number of its entry; None before it is asked.
        prospect: The deed, before it is asked.
        said: What was said, after.
    """

    words: str
    by: tuple[str, ...]
    at: tuple[str, ...] = ()
    seq: int | None = None
    prospect: ActionPreview | None = None
    said: Verdicts | None = None


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the players say.

    Attributes:
        holding: What comes of the case.
        also: What else is so of figures.
    """

    case: Case
    holding: Override
    reason: str
    also: tuple[Change, ...] = ()


def case_before(prospect: ActionPreview) -> Case:
    """A deed that the players may rule on instead of rolling."""
    deed = prospect.deed
    who = f"{listed(deed.by)}: " if deed.by else ""
    return Case(f"Instead of rolling: {who}{deed_words(prospect)}", deed.by, deed.at, prospect=prospect)


def cases_after(play: Play) -> tuple[Case, ...]:
    """The last verdicts that stand, the newest first."""
    told = [(entry.seq, event_of(entry)) for entry in reversed(standing(play.battle.entries))]
    verdicts = [(seq, event) for seq, event in told if isinstance(event, (Asked, Ruled))]
    return tuple(_after(play, seq, event) for seq, event in verdicts[:_MOST_CASES])


def _after(play: Play, seq: int, said: Verdicts) -> Case:
    done = play.done(seq)
    struck = tuple(one.figure for one in said.effects.changes if one.figure)
    at = done[1].at if done else tuple(name for name in dict.fromkeys(struck) if name not in said.by)
    title = said.title or spoken(said.action).lower()  # battles of before titles were kept have the action only
    words = f"{listed(said.by)}: {title}" if said.by else title
    overruled = " (overruled)" if seq in play.battle.state.overruled else ""
    return Case(f"{words}: {outcome_of(said)}{overruled}", said.by, at, seq, said=said)


def outcome_of(said: Event) -> str:
    """What a verdict said, in a word or two."""
    return (
        said.outcome
        if isinstance(said, Ruled)
        else outcome_words(said.verdict.outcome)
        if isinstance(said, Asked)
        else ""
    )


def holdings(play: Play, moment: Moment, case: Case) -> tuple[Override, ...]:
    """What may hold instead: all that the rules know to come of it, nothing at all, and as if it had not been tried."""
    if case.prospect is not None:
        known = known_holdings(play.referee, moment, case.prospect.deed)
        return (*known, _nothing(case, known[0].effects if known else Effects()))
    done, said = None if case.seq is None else play.done(case.seq), case.said
    known = known_holdings(play.referee, *done) if done else ()
    others = tuple(one for one in known if said is None or one.effects != said.effects)
    return (*others, _nothing(case, said.effects if said else Effects()), Override(UNTRIED, Effects(), counts=False))


def _nothing(case: Case, usual: Effects) -> Override:
    """Nobody is struck and nobody goes anywhere, but who did it has done it."""
    own = tuple(one for one in usual.changes if one.figure in case.by)
    return Override(NOTHING, Effects(changes=own))


def holding_words(holding: Override) -> str:
    """As "Kills: Tan 4 eliminated, 42 % by the dice"."""
    if holding.outcome == NOTHING:
        return "Nothing comes of it; it counts as done"
    if holding.outcome == UNTRIED:
        return "As if it had not been tried"
    words = holding.words[:1].upper() + holding.words[1:]
    sure = holding.chance is None or holding.chance == 1
    return words if sure or holding.chance is None else f"{words}, {percent_words(float(holding.chance))} by the dice"


def said_of(play: Play, figure: str, words: str) -> tuple[Change, ...]:
    """What is so of a figure: a condition that its game knows, or a mark in the players' own words."""
    known = play.referee.conditions.get(words.strip())
    if known is not None:
        return befallen(figure, known)
    return (Change(figure=figure, key=words.strip().lower(), value=True),)


def figures_of(play: Play, case: Case) -> tuple[str, ...]:
    """Everybody in the battle, those whom it is about first."""
    return tuple(dict.fromkeys((*case.at, *case.by, *play.battle.state.units)))


def decide(play: Play, ruling: Ruling) -> None:
    """Journal what the players say; raises `UserError` as `rules.battle.overrides.rule` and `overrule`."""
    case = ruling.case
    if case.prospect is not None:
        deed = replace(case.prospect.deed, title=deed_words(case.prospect))
        rule(play.battle, deed, ruling.holding, ruling.reason, ruling.also)
    elif case.seq is not None:
        overrule(play.battle, case.seq, case.words, ruling.holding, ruling.reason, ruling.also)


Said = tuple[str, str]
"""A figure, and what is so of it in words."""


def all_said(play: Play, said: Iterable[Said]) -> tuple[Change, ...]:
    """What is so of several figures."""
    return tuple(change for figure, words in said for change in said_of(play, figure, words))
