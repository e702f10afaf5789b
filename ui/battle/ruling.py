"""Players' rulings: verdicts that they may override, and the possible outcomes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rules.battle.journal import event_of, standing
from rules.battle.overrides import Override, Verdicts, overrule, possible_overrides, rule
from rules.engine.action import Action
from rules.engine.effects import condition_changes
from rules.engine.events import ActionResolved, Change, Effects, OutcomeDecided
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.text import change_words, display_name, display_names, outcome_words
from ui.battle.action_text import stored_words
from ui.battle.battle_session import BattleSession
from ui.formatting import capitalized, percent_words
from ui.rules_text import translated
from ui.translation import tr

NOTHING, UNTRIED = "nothing happens", "not tried"
_MAX_CASES = 12


@dataclass(frozen=True, slots=True)
class Case:
    """An action before its roll, or a verdict, that the players may rule on.

    Attributes:
        words: The action and its outcome, in English as the journal stores them.
        by, at: Ids of the acting figures and the targets.
        seq: Number of the verdict's entry; None before the roll.
        preview: The action before the roll.
        verdict: The verdict afterwards.
    """

    words: str
    by: tuple[str, ...]
    at: tuple[str, ...] = ()
    seq: int | None = None
    preview: ActionPreview | None = None
    verdict: Verdicts | None = None

    @property
    def shown(self) -> str:
        """The words in the language of the window."""
        words = translated(self.words)
        return tr("Instead of rolling: {action}", action=words) if self.preview is not None else words


@dataclass(frozen=True, slots=True)
class Ruling:
    """The players' decision.

    Attributes:
        override: The outcome that replaces it.
        also: Other changes to figures.
    """

    case: Case
    override: Override
    reason: str
    also: tuple[Change, ...] = ()


def case_before(preview: ActionPreview) -> Case:
    """The case of an action that the players decide instead of rolling."""
    action = preview.action
    names = f"{display_names(action.by)}: " if action.by else ""
    return Case(f"{names}{stored_words(preview)}", action.by, action.at, preview=preview)


def cases_after(play: BattleSession) -> tuple[Case, ...]:
    """Cases of the last verdicts that stand, newest first."""
    events = [(entry.seq, event_of(entry)) for entry in reversed(standing(play.battle.entries))]
    verdicts = [(seq, event) for seq, event in events if isinstance(event, (ActionResolved, OutcomeDecided))]
    return tuple(_after(play, seq, event) for seq, event in verdicts[:_MAX_CASES])


def _after(play: BattleSession, seq: int, verdict: Verdicts) -> Case:
    done = play.done(seq)
    struck = tuple(change.figure for change in verdict.effects.changes if change.figure)
    at = done[1].at if done else tuple(name for name in dict.fromkeys(struck) if name not in verdict.by)
    title = verdict.title or display_name(verdict.action).lower()  # old journals have no titles
    words = f"{display_names(verdict.by)}: {title}" if verdict.by else title
    overruled = " (overruled)" if seq in play.battle.state.overruled else ""
    return Case(f"{words}: {_outcome_of(verdict)}{overruled}", verdict.by, at, seq, verdict=verdict)


def _outcome_of(verdict: Verdicts) -> str:
    """The outcome of a verdict in a word or two."""
    return verdict.outcome if isinstance(verdict, OutcomeDecided) else outcome_words(verdict.verdict.outcome)


def holdings(play: BattleSession, position: Position, case: Case) -> tuple[Override, ...]:
    """Possible outcomes: those that the rules know, no effect, and as if the action had not been tried."""
    if case.preview is not None:
        known = _overrides(play, position, case.preview.action)
        return (*known, _nothing(case, known[0].effects if known else Effects()))
    assert case.seq is not None
    assert case.verdict is not None
    done, verdict = play.done(case.seq), case.verdict
    known = _overrides(play, *done) if done else ()
    now = _key(Override(_outcome_of(verdict), verdict.effects))
    others = tuple(one for one in known if _key(one) != now and one.effects != verdict.effects)
    return (*others, _nothing(case, verdict.effects), Override(UNTRIED, Effects(), counts=False))


_COUNTED = "wounds_to_mark"
"""A status whose number says no more than the outcome: which box of the wounds is marked."""


def _overrides(play: BattleSession, position: Position, action: Action) -> tuple[Override, ...]:
    """The outcomes that the rules can produce, each once, as its likeliest case."""
    found: dict[tuple[str, str], Override] = {}
    for one in possible_overrides(play.referee, position, action):
        first = found.setdefault(_key(one), one)
        if first is not one and first.chance is not None and one.chance is not None:
            found[_key(one)] = replace(first, chance=first.chance + one.chance)
    return tuple(sorted(found.values(), key=lambda one: one.chance or 0, reverse=True))


def _key(override: Override) -> tuple[str, str]:
    """What the players tell outcomes apart by."""
    changes = override.effects.changes
    return override.outcome, repr([replace(one, value=0) if one.key == _COUNTED else one for one in changes])


def _nothing(case: Case, usual: Effects) -> Override:
    """No effect on others, but the acting figures have used their action."""
    own = tuple(change for change in usual.changes if change.figure in case.by)
    return Override(NOTHING, Effects(changes=own))


def override_words(override: Override) -> str:
    """Such as "Kills: Tan 4 eliminated, 42 % by the dice"."""
    if override.outcome == NOTHING:
        return tr("No effect, but the action is used up")
    if override.outcome == UNTRIED:
        return tr("As if it had not been tried")
    changes = ", ".join(
        display_name(one.figure) if one.key == _COUNTED else change_words(one)
        for one in override.effects.changes
        if not one.this_turn
    )
    words = capitalized(": ".join(filter(None, (translated(override.outcome), translated(changes)))))
    if override.chance is None or override.chance == 1:
        return words
    return tr("{outcome}, {chance} by the dice", outcome=words, chance=percent_words(float(override.chance)))


def status_changes(play: BattleSession, statuses: Iterable[tuple[str, str]]) -> tuple[Change, ...]:
    """The changes for statuses of figures (id, words): conditions of the game, or the players' own words."""
    found: list[Change] = []
    for figure, words in statuses:
        known = play.referee.conditions.get(words.strip())
        own = (Change(figure=figure, key=words.strip().lower(), value=True),)
        found += own if known is None else condition_changes(figure, known)
    return tuple(found)


def figures_of(play: BattleSession, case: Case) -> tuple[str, ...]:
    """Ids of all figures in the battle, the case's own figures first."""
    return tuple(dict.fromkeys((*case.at, *case.by, *play.battle.state.units)))


def decide(play: BattleSession, ruling: Ruling) -> None:
    """Journal the players' ruling; raises `UserError` as `rules.battle.overrides.rule` and `overrule`."""
    case = ruling.case
    if case.preview is not None:
        action = replace(case.preview.action, title=stored_words(case.preview))
        rule(play.battle, action, ruling.override, ruling.reason, ruling.also)
    elif case.seq is not None:
        overrule(play.battle, case.seq, case.words, ruling.override, ruling.reason, ruling.also)
