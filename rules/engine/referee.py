"""What can be done now: each deed of a figure with what it would take and its exact odds, or why it cannot be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from rules.engine.condition import CONDITIONS, Condition
from rules.engine.events import Effects, PhaseBegun
from rules.engine.game import Game, Question
from rules.engine.objectives import Task
from rules.engine.position import Moment, View
from rules.engine.ruleset import Ruleset
from rules.engine.state import State
from rules.engine.text import listed, place_words, spoken
from rules.engine.verdict import RuleRefusal, Verdict
from rules.tabletop.errors import UserError
from rules.tabletop.path import Path
from rules.tabletop.scene import SightRules
from rules.tabletop.table import PointIn, TerrainPiece
from rules.tabletop.template import Template
from rules.tabletop.tolerance import DOUBT_SIGMAS

T = TypeVar("T")

Way = tuple[str | int, ...]
"""Where a fact stands among those of a question: its name, or the names and numbers that lead to it."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A fact that was measured, and so may be wrong.

    Attributes:
        fact: Where it stands, as ("distance_in",) or ("targets", 0, "distance_in").
        sigma: One standard deviation.
        what: What it is, for the player: "the range to Tan 4".
        low, high: What it cannot go beyond.
        either: What each answer makes of a fact that is no number, as whether somebody is seen.
    """

    fact: Way
    sigma: float
    what: str
    low: float = 0.0
    high: float = float("inf")
    either: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that may be asked of the rules at this moment: one action with all its facts.

    Attributes:
        title: In a few words, as "Rifle at Tan 4".
        action, given: What `Game.begin` is asked, once the players have answered what no camera sees.
        by: The figures that act.
        at: The figures that it is done to.
        weapon: With what, where it needs a weapon.
        preview: The action that tells the number needed without rolling, from those of the facts that it takes.
        view: The target as it is seen and measured.
        measured: The facts among them that have an error.
        band: The range band, where the game has them.
        piece: Name of the terrain piece that it is done to.
        spot_in: The bare place that it is aimed at.
        template: What it lays on the table.
        paths: Who goes where, of a move.
        facing_deg: Which way each of them faces at the end, as far as that is known.
        bar: Why it may not be done, where the rules need no question to say so.
        listed: Whether its odds are worked out; not for volleys of more dice than a list can tell.
        each: What of its facts asks for one of many targets alone, by target; then the odds of each are worked out
            instead of those of all together.
        round: The round that it belongs to, where one figure after another is asked, as "Morale".
        owed: Id of the rule by which the phase cannot end before this is done; empty where it is optional.
    """

    title: str
    action: str
    given: Mapping[str, Any]
    by: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    weapon: str = ""
    preview: str = ""
    view: View | None = None
    measured: tuple[Measured, ...] = ()
    band: str = ""
    piece: str = ""
    spot_in: PointIn | None = None
    template: Template | None = None
    paths: Mapping[str, Path] = field(default_factory=dict)
    facing_deg: Mapping[str, float] = field(default_factory=dict)
    bar: Verdict | None = None
    listed: bool = True
    each: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    round: str = ""
    owed: str = ""

    @property
    def words(self) -> str:
        """Its title; whom it is done to is always among the words."""
        told = not self.at or spoken(self.at[0]) in self.title
        return self.title if told else f"{self.title}: {listed(self.at)}"


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A measurement too close to a limit: within its error the rules answer otherwise.

    Attributes:
        question: For the players.
        fact: Where it stands.
        answers: The value that each answer gives it.
    """

    question: str
    fact: Way
    answers: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ActionPreview:
    """A deed and what would come of it.

    Attributes:
        deed: What would be done, answers of the players included.
        before: What the rules say before the dice: the number needed, every modifier; what forbids it. None where
            nothing is said before.
        odds: The exact chance of every outcome; empty where it is forbidden.
        refusal: Why it cannot even be asked; empty where it can.
        doubts: What is too close to call, to be settled first.
        asks: What the players must tell, with what holds until they do.
        odds_of: The same as `odds` for each target of many alone.
    """

    deed: Deed
    before: Verdict | None
    odds: Mapping[str, Fraction]
    refusal: str = ""
    doubts: tuple[Ambiguity, ...] = ()
    asks: tuple[Question, ...] = ()
    odds_of: Mapping[str, Mapping[str, Fraction]] = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether it may be done."""
        return not self.refusal and (self.before is None or self.before.allowed)

    @property
    def why_not(self) -> str:
        """Why it may not be done, in words; empty where it may."""
        if self.possible or self.before is None:
            return self.refusal
        return "; ".join(f"{one.text} ({one.rule})" for one in self.before.reasons) or self.before.outcome


def _nothing(moment: Moment, figure: str, spot_in: PointIn) -> Iterable[Deed]:
    return ()


def _no_targets(moment: Moment, figure: str, names: tuple[str, ...]) -> Iterable[Deed]:
    return ()


def _on_target(moment: Moment, deed: Deed, found: Verdict) -> tuple[PointIn, PointIn] | None:
    return None


FIRE = "Fire"
"""The round of everybody who has somebody to attack; attacks that name no other belong to it."""


def _fire(moment: Moment) -> tuple[str, ...]:
    return (FIRE,)


NO_FACINGS: Mapping[str, float] = MappingProxyType({})


class March(Protocol):
    """Asks whether figures may go along their paths."""

    def __call__(self, moment: Moment, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS) -> Deed:
        """The move, with which way each figure faces at its end, as far as that is known."""
        ...


def _no_tasks(rules: Ruleset[Any]) -> tuple[Task, ...]:
    return ()


def _as_set_up(rules: Ruleset[Any], state: State, terrain: Iterable[TerrainPiece]) -> Iterable[TerrainPiece]:
    return terrain


@dataclass(frozen=True, slots=True)
class Referee(Generic[T]):
    """What a game asks of a table: which questions stand for a figure's deeds, and what their verdicts do.

    Attributes:
        sight: What the game says about seeing.
        movement: How much of its move a figure has left; the deed's preview or verdict has `allowance_in`, `left_in`.
        march: Figures that go along paths, each its own, and face some way at the end: whether they may.
        attacks: Every weapon of a figure at every target.
        others: All else that it may do.
        duties: What is owed by nobody alone: initiative, morale rounds, victory.
        effects: What a verdict that allows it does to the battle.
        next_phase: What begins when the players say that they are done.
        at_spot: What a figure may do at a bare place; nothing in games that know no such weapon.
        at_targets: What a figure may do at several targets, named in the order of its shots, one as often as one likes.
        strayed: From where to where what a deed sent off has strayed; None where it went where it should.
        ground: The terrain as the battle has left it.
        conditions: What the players may say of a figure where they overrule the rules, by its name in the game.
        rounds: The rounds of attacks that there may be now: one figure after another is asked what it attacks.
        tasks: What a side may have to do, the usual first; none where the game leaves that to its players.
        this_turn: Names of the statuses that the next turn forgets.
    """

    sight: Callable[[Ruleset[T]], SightRules]
    movement: Callable[[Moment, str], Deed]
    march: March
    attacks: Callable[[Moment, str], Iterable[Deed]]
    others: Callable[[Moment, str], Iterable[Deed]]
    duties: Callable[[Moment], Iterable[Deed]]
    effects: Callable[[Moment, Deed, Verdict], Effects]
    next_phase: Callable[[Moment], PhaseBegun]
    at_spot: Callable[[Moment, str, PointIn], Iterable[Deed]] = _nothing
    at_targets: Callable[[Moment, str, tuple[str, ...]], Iterable[Deed]] = _no_targets
    ground: Callable[[Ruleset[T], State, Iterable[TerrainPiece]], Iterable[TerrainPiece]] = _as_set_up
    strayed: Callable[[Moment, Deed, Verdict], tuple[PointIn, PointIn] | None] = _on_target
    conditions: Mapping[str, Condition] = field(default_factory=lambda: CONDITIONS)
    rounds: Callable[[Moment], tuple[str, ...]] = _fire
    tasks: Callable[[Ruleset[T]], tuple[Task, ...]] = _no_tasks
    this_turn: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AvailableActions:
    """All that a figure can and cannot do now."""

    figure: str
    movement: ActionPreview
    attacks: tuple[ActionPreview, ...]
    others: tuple[ActionPreview, ...]


def outlook(referee: Referee[Any], moment: Moment, figure: str) -> AvailableActions:
    """What a figure can do now, and why not what it cannot.

    Raises:
        UserError: if the figure is not in the battle, or not on the table.
    """
    moment.unit(figure)
    moment.figure(figure)
    return AvailableActions(
        figure,
        prospect(moment, referee.movement(moment, figure)),
        tuple(prospect(moment, deed) for deed in referee.attacks(moment, figure)),
        tuple(prospect(moment, deed) for deed in referee.others(moment, figure)),
    )


def at_spot(referee: Referee[Any], moment: Moment, figure: str, spot_in: PointIn) -> tuple[ActionPreview, ...]:
    """What a figure can do at a bare place: how it sees the spot, and the odds of each who would be caught there.

    Raises:
        UserError: if the figure is not in the battle, or not on the table.
    """
    moment.unit(figure)
    moment.figure(figure)
    return tuple(prospect(moment, deed) for deed in referee.at_spot(moment, figure, spot_in))


def prospect(moment: Moment, deed: Deed) -> ActionPreview:
    """What would come of a deed, with what the players have told and settled so far."""
    deed, doubts, asks = with_answers(moment, deed)
    if in_set_up(moment, deed):
        return ActionPreview(deed, None, {}, SET_UP, asks=asks)
    if deed.bar is not None:
        return ActionPreview(deed, deed.bar, {}, asks=asks)
    try:
        before = _before(moment.game, deed)
        rolls = deed.listed and (before is None or before.allowed)
        odds = moment.game.odds(deed.action, deed.given) if rolls and not deed.each else {}
        alone = {name: {**deed.given, **facts} for name, facts in deed.each.items()} if rolls else {}
        odds_of = {name: moment.game.odds(deed.action, given) for name, given in alone.items()}
        return ActionPreview(deed, before, odds, doubts=doubts, asks=asks, odds_of=odds_of)
    except UserError as refusal:
        return ActionPreview(deed, None, {}, str(refusal), doubts, asks)


def obligations(referee: Referee[Any], moment: Moment) -> tuple[ActionPreview, ...]:
    """Everything that must be done, or waived by name, before the phase may end."""
    owed = (deed for deed in referee.duties(moment) if deed.owed)
    return tuple(one for one in (prospect(moment, deed) for deed in owed) if one.possible)


SET_UP = "the battle is still being set up: begin the first turn"


def in_set_up(moment: Moment, deed: Deed) -> bool:
    """Whether figures would act before the first turn."""
    return bool(deed.by) and not moment.state.turn


def with_answers(moment: Moment, deed: Deed) -> tuple[Deed, tuple[Ambiguity, ...], tuple[Question, ...]]:
    """The deed as the players have told and settled it, and what is still to be settled and told."""
    asks = tuple(one for one in moment.game.questions(deed.action) if one.fact not in deed.given)
    deed = _as_told(moment, deed, asks)
    asks = tuple(one for one in asks if one.fact not in deed.given)
    if deed.bar is not None:
        return deed, (), asks
    settled, waiting = moment.state.settled, []
    for one in deed.measured:
        doubt = _doubt(moment, deed, one)
        if doubt is not None and settled.get(doubt.question) in doubt.answers:
            deed = replace(deed, given=_with(deed.given, doubt.fact, doubt.answers[settled[doubt.question]]))
        elif doubt is not None:
            waiting.append(doubt)
    return deed, tuple(waiting), asks


def told_key(deed: Deed, fact: str) -> str:
    """The status under which an answer of the players is kept: one about a target says of which.

    It is a figure's, or, of what nobody does alone, the battle's, which must tell its duties apart.
    """
    whom = f" at {place_words(deed.spot_in)}" if deed.spot_in else f" at {deed.at[0]}" if deed.at else ""
    return f"{fact}{whom}" if deed.by else f"{deed.title}: {fact}{whom}"


def _as_told(moment: Moment, deed: Deed, asks: Iterable[Question]) -> Deed:
    """The deed with what the players said of it; a fact may also be a status that rules have set."""
    of = moment.unit(deed.by[0]) if deed.by else moment.state
    told = {**of.statuses, **of.this_turn}
    found = {
        one.fact: next((told[key] for key in (told_key(deed, one.fact), one.fact) if key in told), None) for one in asks
    }
    return replace(deed, given={**deed.given, **{fact: value for fact, value in found.items() if value is not None}})


def _before(game: Game[Any], deed: Deed) -> Verdict | None:
    """What the rules say of a deed before the dice; None where they roll first."""
    if deed.preview:
        given = {fact: value for fact, value in deed.given.items() if game.concerns(deed.preview, fact)}
        return at_once(game, deed.preview, given)
    return at_once(game, deed.action, deed.given)


def at_once(game: Game[Any], action: str, given: Mapping[str, Any]) -> Verdict | None:
    """The verdict of a question that needs no dice here; None where it asks for some."""
    procedure = game.begin(action, given)
    try:
        next(procedure)
    except StopIteration as end:
        found: Verdict = end.value
        return found
    procedure.close()
    return None


NEARER, FARTHER = "less", "more"
"""The answers to a doubt: what was measured is less than the limit, or more."""


def _doubt(moment: Moment, deed: Deed, one: Measured) -> Ambiguity | None:
    """What the players are to settle about a measured fact; None where the rules answer the same whatever it is."""
    ends = one.either or _ends(_at(deed.given, one.fact), one)
    told = [_heard(moment.game, replace(deed, given=_with(deed.given, one.fact, end))) for end in ends.values()]
    if all(other == told[0] for other in told):
        return None
    state = moment.state
    return Ambiguity(f"turn {state.turn}, {state.side or 'all'}, {deed.title}: {one.what}", one.fact, ends)


def _ends(value: float, one: Measured) -> Mapping[str, float]:
    """How near and how far it may be."""
    reach = DOUBT_SIGMAS * one.sigma
    return {NEARER: max(one.low, value - reach), FARTHER: min(one.high, value + reach)}


def _heard(game: Game[Any], deed: Deed) -> tuple[Any, ...]:
    """What of an answer counts: two measurements with the same are equally good."""
    try:
        found = _before(game, deed)
    except RuleRefusal as refusal:
        return (refusal.code,)
    if found is None:
        return ()
    return found.outcome, found.allowed, tuple((one.rule, one.modifier) for one in found.reasons)


def _at(given: Any, way: Way) -> float:
    for step in way:
        given = given[step]
    return float(given)


def _with(given: Any, way: Way, value: float) -> Any:
    """The same facts with another value at one place."""
    if not way:
        return value
    if isinstance(given, Mapping):
        return {**given, way[0]: _with(given[way[0]], way[1:], value)}
    return [_with(one, way[1:], value) if index == way[0] else one for index, one in enumerate(given)]
