"""The actions available now: each with its modifiers and exact odds, or the reason why it is not allowed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import takewhile
from types import MappingProxyType
from typing import Any, Generic, Protocol, TypeVar

from rules.engine.dice import DiceRequest
from rules.engine.effects import CONDITIONS, Condition, moves_along, status_changes
from rules.engine.events import Change, Effects, PhaseBegun
from rules.engine.game import Game, Question
from rules.engine.objectives import Task
from rules.engine.position import Position, View
from rules.engine.ruleset import Ruleset
from rules.engine.state import State, Unit
from rules.engine.text import display_name, display_names, place_words
from rules.engine.verdict import ACTORS, TARGETS, MoveEffect, RuleRefusal, StatusEffect, Verdict
from rules.tabletop.errors import UserError
from rules.tabletop.path import Path
from rules.tabletop.scene import SightRules
from rules.tabletop.table import PointIn, TerrainPiece
from rules.tabletop.template import Template
from rules.tabletop.tolerance import DOUBT_SIGMAS

T = TypeVar("T")

FactPath = tuple[str | int, ...]
"""Path of a fact among the facts of a question: names of keys and indices of lists."""


@dataclass(frozen=True, slots=True)
class UncertainFact:
    """A measured fact with its uncertainty.

    Attributes:
        fact: Its path, such as ("distance_in",) or ("targets", 0, "distance_in").
        sigma: One standard deviation.
        what: Its name for the player: "the range to Tan 4".
        low, high: Its bounds.
        either: For a fact that is not a number, such as whether a figure is seen: the value for each answer.
    """

    fact: FactPath
    sigma: float
    what: str
    low: float = 0.0
    high: float = float("inf")
    either: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Action:
    """An action that can be attempted now, with all its facts.

    Attributes:
        title: Its name for the player, such as "Rifle at Tan 4".
        name, given: The rule and the facts for `Game.begin`, without the facts that the players must still answer.
        by: The figures that act.
        at: The target figures.
        weapon: The weapon, if one is used.
        preview: The rule that returns the number needed without a roll; it takes a subset of the facts.
        view: The target as the figure sees it.
        measured: The facts that have a measurement error.
        band: The range band, in games with range bands.
        piece: Name of the target terrain piece.
        spot_in: The target place.
        template: The template that it lays on the table.
        paths: The path of each figure of a move.
        facing_deg: The facing of each figure at the end of its path, as far as it is known.
        blocked_by: The verdict that forbids the action, if the rules need no further facts to forbid it.
        has_odds: Whether to compute the odds; False for volleys with too many dice.
        each: For an action at many targets, the facts for each target alone; the odds are then computed for each target
            instead of for all together.
        each_until: The number of a target's verdict that, if true, spares all after it, such as "jammed"; empty if
            every target is attacked whatever happens to the others.
        round: The round that it belongs to, such as "Morale"; empty if it belongs to none.
        owed: Id of the rule that requires it before the phase ends; empty if it is optional.
    """

    title: str
    name: str
    given: Mapping[str, Any]
    by: tuple[str, ...] = ()
    at: tuple[str, ...] = ()
    weapon: str = ""
    preview: str = ""
    view: View | None = None
    measured: tuple[UncertainFact, ...] = ()
    band: str = ""
    piece: str = ""
    spot_in: PointIn | None = None
    template: Template | None = None
    paths: Mapping[str, Path] = field(default_factory=dict)
    facing_deg: Mapping[str, float] = field(default_factory=dict)
    blocked_by: Verdict | None = None
    has_odds: bool = True
    each: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    each_until: str = ""
    round: str = ""
    owed: str = ""

    @property
    def words(self) -> str:
        """The title, with the targets if it does not name them."""
        is_named = not self.at or display_name(self.at[0]) in self.title
        return self.title if is_named else f"{self.title}: {display_names(self.at)}"

    @property
    def attacked(self) -> tuple[str, ...]:
        """The figures that it attacks; empty for other actions."""
        return self.at if self.view is not None or self.weapon else ()


@dataclass(frozen=True, slots=True)
class Ambiguity:
    """A measurement too close to a limit: within its error, the verdict could be different.

    Attributes:
        question: The question to the players.
        fact: Path of the fact.
        answers: The value of the fact for each answer.
        limit: The value at which the verdict changes; None for a fact that is not a number.
    """

    question: str
    fact: FactPath
    answers: Mapping[str, Any]
    limit: float | None = None


NOT_ATTACKED = "not attacked"
"""The outcome for a target that is spared because of what happened to one before it."""


class Odds(dict[str, Fraction]):
    """The exact probability of every outcome.

    Attributes:
        harm: The probability that a target is changed for longer than this turn; None if the effects are unknown.
    """

    def __init__(self, odds: Mapping[str, Fraction] = MappingProxyType({}), harm: Fraction | None = None) -> None:
        super().__init__(odds)
        self.harm = harm


@dataclass(frozen=True, slots=True)
class ActionPreview:
    """An action with its verdict before the dice and its odds.

    Attributes:
        action: The action, with the players' answers.
        before: The verdict before the roll: the number needed and every modifier, or the rules that forbid it. None if
            the rule rolls first.
        odds: Its odds; empty if it is forbidden.
        refusal: Why the rules cannot be applied; empty if they can.
        refused_by: The rule concerned, if one is.
        ambiguities: The ambiguities to be settled first.
        asks: The facts that the players must supply, with their defaults.
        odds_of: The odds for each of several targets, without those of the others.
    """

    action: Action
    before: Verdict | None
    odds: Odds = field(default_factory=Odds)
    refusal: str = ""
    refused_by: str | None = None
    ambiguities: tuple[Ambiguity, ...] = ()
    asks: tuple[Question, ...] = ()
    odds_of: Mapping[str, Odds] = field(default_factory=dict)

    @property
    def possible(self) -> bool:
        """Whether the action is allowed."""
        return not self.refusal and (self.before is None or self.before.allowed)

    @property
    def harm(self) -> Fraction | None:
        """The probability that it harms its target, or the first of several; None without odds.

        The odds of further targets are not read: a machine gun has bursts at hundreds, and that takes seconds.
        """
        odds = self.odds or next(iter(self.odds_of.values()), None)
        return odds.harm if odds else None

    @property
    def why_not(self) -> str:
        """Why the action is not allowed, for the player; empty if it is allowed."""
        if self.possible or self.before is None:
            return self.refusal
        reasons = (f"{one.text.removesuffix('.')} ({one.rule})" for one in self.before.reasons)
        return "; ".join(reasons) or self.before.outcome


FIRE = "Fire"
"""The round of all figures that have a target; attacks that name no other round belong to it."""


NO_FACINGS: Mapping[str, float] = MappingProxyType({})


class March(Protocol):
    """Asks whether figures may go along their paths."""

    def __call__(
        self, position: Position, paths: Mapping[str, Path], facing_deg: Mapping[str, float] = NO_FACINGS
    ) -> Action:
        """The move, with which way each figure faces at its end, as far as that is known."""
        ...


def phase_says(position: Position, flag: str) -> bool:
    """Whether the row of the phase says this, such as "moves"; a figure's own phase has its id after the name."""
    rows = position.game.rules.plain.get("phases", {})
    return bool(rows.get(position.state.phase.partition(" ")[0], {}).get(flag))


def rounds_where(flag: str) -> Callable[[Position], tuple[str, ...]]:
    """A round of fire in the phases whose rows say this."""
    return lambda position: (FIRE,) if phase_says(position, flag) else ()


@dataclass(frozen=True, slots=True)
class Referee(Generic[T]):
    """The part of a game that turns a position into actions, and verdicts into effects.

    Attributes:
        sight: The game's rules for lines of sight.
        movement: The action that shows a figure's remaining move; its preview or verdict has `allowance_in` and
            `left_in`.
        march: The action that moves figures along their paths, with their facings at the end.
        attacks: Every weapon of a figure at every target.
        others: All other actions of a figure.
        obligations: The obligations that belong to no single figure: initiative, morale rounds, victory.
        effects: What an allowed verdict changes in the battle.
        next_phase: The phase that begins when the players end the current one.
        at_phase_end: What the end of the phase changes by itself, as a turn more for which a place was held.
        at_spot: The actions of a figure at a place; empty in games without such weapons.
        at_targets: The actions of a figure at several targets, named in the order of its shots.
        unoffered: Why a figure is not offered an attack on these targets with this weapon, if a rule says so.
        strayed: Where a shot was aimed and where it landed after it strayed; None if it did not stray.
        ground: The terrain, as changed by the battle.
        conditions: The conditions that the players may give a figure when they overrule the rules, by name.
        rounds: The rounds of attacks that are possible now, in which figures are asked one by one.
        ready: Whether a unit on the table may still do anything in this phase, whatever it sees.
        turn_in: How many inches of its move a unit loses if it first turns to set off in this direction (degrees).
        shown_die: The die that restricts a unit for now and lies beside it on a real table; 0 if none does.
        moves: Whether figures move in the current phase; by default if its row in the table `phases` says `moves`.
        tasks: The tasks that a side may have, the default first; empty if the game leaves objectives to the players.
        this_turn: Names of the statuses that end with the turn.
        harmless: Names of lasting statuses that an attack gives its target without harming it.
        inside: Names of the statuses that name the vehicle or building that a figure is in, so not on the table itself.
        squads: Whether the squads of figures matter to the rules.
    """

    sight: Callable[[Ruleset[T]], SightRules]
    movement: Callable[[Position, str], Action]
    march: March
    attacks: Callable[[Position, str], Iterable[Action]]
    others: Callable[[Position, str], Iterable[Action]]
    obligations: Callable[[Position], Iterable[Action]]
    effects: Callable[[Position, Action, Verdict], Effects]
    next_phase: Callable[[Position], PhaseBegun]
    at_phase_end: Callable[[Position], tuple[Change, ...]] = lambda _: ()
    at_spot: Callable[[Position, str, PointIn], Iterable[Action]] = lambda *_: ()
    at_targets: Callable[[Position, str, tuple[str, ...]], Iterable[Action]] = lambda *_: ()
    unoffered: Callable[[Position, str, tuple[str, ...], str], Verdict | None] = lambda *_: None
    ground: Callable[[Ruleset[T], State, Iterable[TerrainPiece]], Iterable[TerrainPiece]] = (
        lambda _rules, _state, terrain: terrain
    )
    strayed: Callable[[Position, Action, Verdict], tuple[PointIn, PointIn] | None] = lambda *_: None
    conditions: Mapping[str, Condition] = field(default_factory=lambda: CONDITIONS)
    rounds: Callable[[Position], tuple[str, ...]] = lambda _: (FIRE,)
    ready: Callable[[Position, Unit], bool] = lambda *_: True
    turn_in: Callable[[Position, Unit, float], float] = lambda *_: 0.0
    shown_die: Callable[[Unit], int] = lambda _: 0
    moves: Callable[[Position], bool] = lambda position: phase_says(position, "moves")
    tasks: Callable[[Ruleset[T]], tuple[Task, ...]] = lambda _: ()
    this_turn: frozenset[str] = frozenset()
    harmless: frozenset[str] = frozenset()
    inside: frozenset[str] = frozenset()
    squads: bool = True


@dataclass(frozen=True, slots=True)
class AvailableActions:
    """All actions of a figure, allowed or not."""

    figure: str
    movement: ActionPreview
    attacks: tuple[ActionPreview, ...]
    others: tuple[ActionPreview, ...]


def available_actions(referee: Referee[Any], position: Position, figure: str) -> AvailableActions:
    """The actions of a figure now, with the reasons why some are not allowed.

    Raises:
        UserError: if the figure is not in the battle, or not on the table.
    """
    position.unit(figure)
    position.figure(figure)
    return AvailableActions(
        figure,
        preview_of(position, referee.movement(position, figure)),
        tuple(preview_of(position, action, referee) for action in referee.attacks(position, figure)),
        tuple(preview_of(position, action, referee) for action in referee.others(position, figure)),
    )


def at_spot(referee: Referee[Any], position: Position, figure: str, spot_in: PointIn) -> tuple[ActionPreview, ...]:
    """The actions of a figure at a place, with how it sees the place and the odds for each figure hit there.

    Raises:
        UserError: if the figure is not in the battle, or not on the table.
    """
    position.unit(figure)
    position.figure(figure)
    return tuple(preview_of(position, action, referee) for action in referee.at_spot(position, figure, spot_in))


def preview_of(position: Position, action: Action, referee: Referee[Any] | None = None) -> ActionPreview:
    """Preview an action, with the facts that the players have supplied and settled so far.

    With a referee, who knows the effects of verdicts, the odds include the probability of harm.
    """
    action, doubts, asks = with_answers(position, action)
    if in_set_up(position, action):
        return ActionPreview(action, None, refusal=SET_UP, asks=asks)
    if action.blocked_by is not None:
        return ActionPreview(action, action.blocked_by, asks=asks)
    try:
        before = _before(position.game, action)
        rolls = action.has_odds and (before is None or before.allowed)
        odds = _odds(position, action, referee) if rolls and not action.each else Odds()
        odds_of = _OddsOfEach(position, action, referee) if rolls and action.each else {}
        return ActionPreview(action, before, odds, ambiguities=doubts, asks=asks, odds_of=odds_of)
    except UserError as refusal:
        rule = refusal.rule if isinstance(refusal, RuleRefusal) else None
        return ActionPreview(action, None, refusal=str(refusal), refused_by=rule, ambiguities=doubts, asks=asks)


def preview_without_odds(position: Position, action: Action) -> ActionPreview:
    """Preview an action without its odds, which take the longest to compute."""
    return preview_of(position, replace(action, has_odds=False))


def _odds(position: Position, action: Action, referee: Referee[Any] | None) -> Odds:
    """The odds of an action; without a referee, the probability of harm stays unknown."""

    def result_of(found: Verdict) -> tuple[str, bool]:
        if referee is None or not action.at or not found.allowed:
            return found.outcome, False
        lasting = (one for one in referee.effects(position, action, found).changes if not one.this_turn)
        return found.outcome, any(one.figure in action.at and one.key not in referee.harmless for one in lasting)

    odds, harm = Odds(), Fraction(0)
    for (outcome, harms), chance in position.game.odds_of(action.name, action.given, result_of).items():
        odds[outcome] = odds.get(outcome, Fraction(0)) + chance
        harm += chance * harms
    odds.harm = harm if referee else None
    return odds


class _OddsOfEach(Mapping[str, Odds]):
    """The odds for each of an action's targets, computed when first read.

    A machine gun facing thirty enemies has a list of bursts with hundreds of targets, of which one burst's are shown.
    """

    def __init__(self, position: Position, action: Action, referee: Referee[Any] | None) -> None:
        self._position, self._action, self._referee = position, action, referee
        self._odds: dict[str, Odds] = {}

    def __getitem__(self, name: str) -> Odds:
        if name not in self._odds:
            alone = replace(self._action, at=(name,), given=self._given(name))
            odds = _odds(self._position, alone, self._referee)
            self._odds[name] = _if_attacked(odds, self._chance_of_attack(name))
        return self._odds[name]

    def _given(self, name: str) -> Mapping[str, Any]:
        return {**self._action.given, **self._action.each[name]}

    def _chance_of_attack(self, name: str) -> Fraction:
        """The probability that no target before this one ends the action."""
        action, chance = self._action, Fraction(1)
        for before in takewhile(name.__ne__, action.each if action.each_until else ()):
            ends = self._position.game.odds(action.name, self._given(before), action.each_until)
            chance *= 1 - ends.get(True, Fraction(0))
        return chance

    def __iter__(self) -> Iterator[str]:
        return iter(self._action.each)

    def __len__(self) -> int:
        return len(self._action.each)


def _if_attacked(odds: Odds, chance: Fraction) -> Odds:
    """The odds of an attack that is made with this probability."""
    if chance == 1:
        return odds
    scaled = {outcome: chance * each for outcome, each in odds.items()}
    return Odds({**scaled, NOT_ATTACKED: 1 - chance}, None if odds.harm is None else chance * odds.harm)


def obligations(referee: Referee[Any], position: Position) -> tuple[ActionPreview, ...]:
    """Everything that must be done, or waived by name, before the phase may end; also what waits for an answer."""
    owed = (preview_without_odds(position, action) for action in referee.obligations(position) if action.owed)
    return tuple(one for one in owed if is_owed(one))


def is_owed(preview: ActionPreview) -> bool:
    """Whether an action must be done before the phase may end, and can be, if need be after an answer."""
    waits = bool(preview.asks) and preview.refusal not in ("", SET_UP)
    return bool(preview.action.owed) and (preview.possible or waits)


SET_UP = "not started yet: begin the first turn"


def in_set_up(position: Position, action: Action) -> bool:
    """Whether the action is one of figures and the first turn has not begun."""
    return bool(action.by) and not position.state.turn


def with_answers(position: Position, action: Action) -> tuple[Action, tuple[Ambiguity, ...], tuple[Question, ...]]:
    """The action with all answers of the players, the ambiguities still to be settled, and the facts still missing."""
    asks = tuple(one for one in position.game.questions(action.name) if one.fact not in action.given)
    action = _with_answers(position, action, asks)
    asks = tuple(one for one in asks if one.fact not in action.given)
    if action.blocked_by is not None:
        return action, (), asks
    settled, unsettled = position.state.settled, []
    for one in action.measured:
        ambiguity = _ambiguity(position, action, one)
        if ambiguity is None:
            continue
        answer = settled.get(ambiguity.question, "")
        if answer in ambiguity.answers:
            action = replace(action, given=_with(action.given, ambiguity.fact, ambiguity.answers[answer]))
        else:
            unsettled.append(ambiguity)
    return action, tuple(unsettled), asks


def answer_key(action: Action, fact: str) -> str:
    """The status that stores the players' answer about a fact; the key names the target or terrain, if there is one.

    It is a status of the acting figure or, for an obligation of no single figure, of the battle; the battle's keys
    begin with the title of the obligation.
    """
    aim = place_words(action.spot_in) if action.spot_in else action.at[0] if action.at else action.piece
    target = f" at {aim}" if aim else ""
    return f"{fact}{target}" if action.by else f"{action.title}: {fact}{target}"


def _with_answers(position: Position, action: Action, asks: Iterable[Question]) -> Action:
    """The action with the players' answers as facts; a fact may also be a status that rules have set."""
    of = position.unit(action.by[0]) if action.by else position.state
    statuses = {**of.statuses, **of.this_turn}
    found = {
        one.fact: next((statuses[key] for key in (answer_key(action, one.fact), one.fact) if key in statuses), None)
        for one in asks
    }
    answers = {fact: value for fact, value in found.items() if value is not None}
    return replace(action, given={**action.given, **answers}) if answers else action


def _before(game: Game[Any], action: Action) -> Verdict | None:
    """The verdict before the dice; None if the rule rolls first and says nothing of the roll."""
    if action.preview:
        given = game.taken_by(action.preview, action.given)
        return verdict_without_dice(game, action.preview, given)
    return verdict_without_dice(game, action.name, action.given)


def verdict_without_dice(game: Game[Any], action: str, given: Mapping[str, Any]) -> Verdict | None:
    """The verdict of a rule that needs no dice for these facts, or what it knows before it rolls, if anything."""
    first = _begun(game, action, given)
    return first if isinstance(first, Verdict) else first.known


def refusal_of(game: Game[Any], action: str, given: Mapping[str, Any]) -> Verdict | None:
    """The verdict that forbids an action with these facts; None if it is allowed."""
    found = verdict_without_dice(game, action, given)
    return None if found is None or found.allowed else found


def needs_dice(game: Game[Any], action: str, given: Mapping[str, Any]) -> bool:
    """Whether a rule asks for dice for these facts."""
    return not isinstance(_begun(game, action, given), Verdict)


def _begun(game: Game[Any], action: str, given: Mapping[str, Any]) -> DiceRequest | Verdict:
    """A rule's first request for dice, or its verdict if it needs none."""
    procedure = game.begin(action, given)
    try:
        request = next(procedure)
    except StopIteration as end:
        found: Verdict = end.value
        return found
    procedure.close()
    return request


NEARER, FARTHER = "less", "more"
"""The answers to an ambiguity of a number: it is less than the limit, or more."""
_LIMIT_PRECISION = 1e-4


def _ambiguity(position: Position, action: Action, one: UncertainFact) -> Ambiguity | None:
    """The ambiguity of a measured fact; None if the verdict is the same for every possible value."""

    def verdict_at(value: Any) -> tuple[Any, ...]:
        return _compared(position.game, replace(action, given=_with(action.given, one.fact, value)))

    ends = one.either or _ends(_at(action.given, one.fact), one)
    first, *others = map(verdict_at, ends.values())
    if all(other == first for other in others):
        return None
    state = position.state
    question = f"turn {state.turn}, {state.side or 'all'}, {action.title}: {one.what}"
    limit = None if one.either else _limit(ends[NEARER], ends[FARTHER], lambda value: verdict_at(value) == first)
    return Ambiguity(question, one.fact, ends, limit)


def _limit(low: float, high: float, is_low: Callable[[float], bool]) -> float:
    """The value between `low`, where `is_low` holds, and `high` at which it ceases to hold, to a hundredth."""
    while high - low > _LIMIT_PRECISION:
        middle = (low + high) / 2
        low, high = (middle, high) if is_low(middle) else (low, middle)
    return round(high, 2)


def _ends(value: float, one: UncertainFact) -> Mapping[str, float]:
    """The smallest and the largest possible value, by answer."""
    margin = DOUBT_SIGMAS * one.sigma
    return {NEARER: max(one.low, value - margin), FARTHER: min(one.high, value + margin)}


def _compared(game: Game[Any], action: Action) -> tuple[Any, ...]:
    """The part of the answer that must be equal for two values of a fact to count as the same."""
    try:
        found = _before(game, action)
    except RuleRefusal as refusal:
        return (refusal.code,)
    if found is None:
        return ()
    return found.outcome, found.allowed, tuple((one.rule, one.modifier) for one in found.reasons)


def _at(given: Any, way: FactPath) -> float:
    for step in way:
        given = given[step]
    return float(given)


def _with(given: Any, way: FactPath, value: float) -> Any:
    """The same facts with another value at one path."""
    if not way:
        return value
    if isinstance(given, Mapping):
        return {**given, way[0]: _with(given[way[0]], way[1:], value)}
    return [_with(one, way[1:], value) if index == way[0] else one for index, one in enumerate(given)]


def effects_of(position: Position, action: Action, found: Verdict) -> Effects:
    """The effects of a verdict on the figures of its action."""
    moves = [
        move
        for one in found.effects
        if isinstance(one, MoveEffect)
        for move in moves_along(position, action.paths, one.cost_in, action.facing_deg)
    ]
    names = {ACTORS: action.by, TARGETS: action.at}
    changes = [
        change
        for one in found.effects
        if isinstance(one, StatusEffect)
        for change in status_changes(
            names.get(one.figure, (one.figure,)), one.status, one.value, one.rule, this_turn=one.this_turn
        )
    ]
    return Effects(moves=tuple(moves), changes=tuple(changes))
