"""Plays a scripted situation without window or camera: a file describes the steps, the answer contains the verdicts.

Players send in disputed cases as such files, and tests use them. `docs/formats.md` describes file and answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Any

from rules.battle.answers import (
    Answer,
    effects_answer,
    inches_of,
    last_reason,
    owed_answer,
    question_answer,
    reason_answer,
    statuses_of,
    target_of,
    too_close,
    verdict_answer,
    why_not,
)
from rules.battle.battle import Battle
from rules.battle.referees import end_phase, perform, position_of, referee_of
from rules.battle.situation import Placement, Situation, base_outline, point_of
from rules.battle.steps import actor_of, count_of, object_of, spot_of, targets_of, waived_of, walk_of
from rules.engine.dice import DiceRequest, Die, Roll, rolled
from rules.engine.events import (
    ActionResolved,
    Change,
    Changed,
    Effects,
    Event,
    Noted,
    PhaseBegun,
    Placed,
    QuestionAnswered,
    QuestionAsked,
    TableLaid,
    UnitJoined,
    plain,
)
from rules.engine.needed import needed_words
from rules.engine.position import Position
from rules.engine.referee import Action, ActionPreview, answer_key, obligations, preview_of
from rules.engine.state import ELIMINATED, State, Unit
from rules.engine.text import display_name
from rules.tabletop.area import surface_in
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, PointIn, Posture

_DICE = {"dice", "dice_read"}
_MORE = {
    "phase": {"side", "turn"},
    "do": _DICE,
    "move": {*_DICE, "answers"},
    "ask": {"spot_in"},
    "next": {"dice"},
}
"""The additional keys that a step of each kind may have."""
_MOST_TURNS = 1000
"""Turns that one step may leave out; each is an entry in the journal."""
_UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What the rules raise for a status or an own card that the game cannot have written."""
_KINDS = ("phase", "status", "ask", "do", "move", "see", "next", "undo", "redo")


def play_situation(situation: Situation) -> Answer:
    """The answer to each step and the state after the last one, as JSON values.

    Raises:
        UserError: if a step is invalid or names something that the game or the table lacks; the message names the step.
    """
    with TemporaryDirectory() as folder, begin_battle(situation, FilePath(folder)) as battle, battle.together():
        play = SituationPlay(situation, battle)
        steps = []
        for number, step in enumerate(situation.steps):
            with play.refusing(f"step {number}"):
                answer = play.step(step)
            if answer is not None:
                steps.append({"step": number, **answer})
        with play.refusing("the end"):
            return {"schema": 1, "steps": steps, "state": play.state()}


def begin_battle(situation: Situation, folder: FilePath) -> Battle:
    """The battle of a situation, without figures yet, stored in a folder."""
    house_rules = None
    if situation.house_rules:
        house_rules = folder / "house_rules.toml"
        house_rules.write_text(situation.house_rules, encoding="utf-8")
    clock = itertools.count().__next__
    sides = list(situation.sides)
    return Battle.begin(folder / "battle", clock, situation.game, sides, situation.options, house_rules)


class _NeedsDice(UserError):
    def __init__(self, request: DiceRequest) -> None:
        super().__init__("more dice are needed")
        self.request = request


@dataclass
class _Faces:
    """The dice of a step, read as six-sided dice if `d6`; requests more if they run out."""

    faces: Sequence[int]
    d6: bool = False
    used: list[int] = field(default_factory=list)

    def __call__(self, request: DiceRequest) -> Roll:
        start = len(self.used)
        roll = tuple(self.faces[start : start + request.count])
        if len(roll) < request.count:
            raise _NeedsDice(request)
        self.used += roll
        return rolled(request, request.read_d6(roll) if self.d6 and request.die is not Die.D6 else roll)


@dataclass(frozen=True)
class _Mark:
    """The battle and the table after a step that can be undone."""

    seq: int
    table: Mapping[str, Figure]


class SituationPlay:
    """A situation being played: the battle with its journal, and the figures as a camera would see them."""

    def __init__(self, situation: Situation, battle: Battle) -> None:
        self.battle, self.terrain = battle, situation.terrain
        self.referee = referee_of(battle.game.name)
        self.placements = {one.id: one for figures in situation.sides.values() for one in figures}
        self.table: dict[str, Figure] = {}
        self.by_hand = [f"the card of {name}" for name, one in self.placements.items() if not isinstance(one.card, str)]
        battle.record(TableLaid(camera="", terrain=situation.terrain, area_in=situation.table_in))
        for side, figures in situation.sides.items():
            for one in figures:
                self._enlist(side, one)
        self.marks = [self._mark()]
        self.undone: list[_Mark] = []

    def _enlist(self, side: str, one: Placement) -> None:
        card, own = (one.card, None) if isinstance(one.card, str) else (None, one.card)
        self.battle.record(UnitJoined(figure=one.id, side=side, card=card, own=own, squad=one.squad))
        x_in, y_in = one.at_in
        self.battle.record(Placed(figure=one.id, at_in=(x_in, y_in), facing_deg=one.facing_deg))
        self.table[one.id] = one.figure(side, self.terrain)

    def _mark(self) -> _Mark:
        return _Mark(self._last_seq, dict(self.table))

    @property
    def _last_seq(self) -> int:
        """Number of the last entry in force."""
        return list(self.battle.in_force)[-1]

    @property
    def position(self) -> Position:
        """The battle and the table now."""
        return position_of(self.battle, self.table.values(), self.terrain)

    @contextmanager
    def refusing(self, place: str) -> Iterator[None]:
        """Name the place of a mistake; the rules use statuses and cards of the file as they are.

        Raises:
            UserError: for a mistake at this place, or a value that the game cannot have.
        """
        try:
            yield
        except UserError as error:
            raise UserError(f"{place}: {error}") from error
        except _UNFIT as fault:
            if not self.by_hand:
                raise
            doubtful = ", ".join(self.by_hand[-3:])
            text = f"{self.battle.game.title} cannot use what the file sets ({doubtful}): correct or remove it"
            raise UserError(f"{place}: {text}") from fault

    def step(self, step: Mapping[str, Any]) -> Answer | None:
        """Play a step; return the answer, or None if the step applies no rules.

        Raises:
            UserError: if it is invalid or names something that the game or the table lacks.
        """
        kind = next((key for key in step if key in _KINDS), None)
        if kind is None:
            raise UserError(f"{sorted(step)} is not a step: choose one of {', '.join(_KINDS)}")
        odd = sorted(set(step) - _MORE.get(kind, set()) - {kind, "note"})
        if odd:
            raise UserError(f"the step {kind!r} has the unknown key {odd[0]!r}")
        steps: Mapping[str, Callable[[Mapping[str, Any]], Answer | None]] = {
            "phase": self._set_phase,
            "status": self._set_status,
            "ask": self._ask,
            "do": self._do,
            "move": self._move,
            "see": self._see,
            "next": self._next,
            "undo": lambda one: self._undo(count_of(one["undo"], "undo")),
            "redo": lambda one: self._redo(count_of(one["redo"], "redo")),
        }
        return steps[kind](step)

    # Steps that prepare the situation

    def _set_phase(self, step: Mapping[str, Any]) -> None:
        now = self.battle.state
        phase, side, turn = step["phase"], step.get("side") or "", step.get("turn", max(now.turn, 1))
        known = self.battle.game.rules.plain.get("phases")
        if not isinstance(phase, str) or (known and phase.partition(" ")[0] not in known):
            raise UserError(f"{self.battle.game.title} has no phase {phase!r}: choose one of {', '.join(known or ())}")
        if type(turn) is not int or not max(now.turn, 1) <= turn <= now.turn + _MOST_TURNS:
            raise UserError(f"turn {turn!r} cannot follow turn {now.turn}")
        for number in range(now.turn + 1, turn):
            self.battle.record(PhaseBegun(turn=number, side=side, phase=phase))
        self.battle.record(PhaseBegun(turn=turn, side=side, phase=phase))
        if now.turn < 1 <= turn:
            self._set_again({"": now, **now.units})
        self._done()

    def _set_again(self, before: Mapping[str, State | Unit]) -> None:
        """Set the statuses of one turn again that were set before the first turn began."""
        changes = tuple(
            Change(figure=name, key=key, value=plain(value), this_turn=True)
            for name, one in before.items()
            for key, value in one.this_turn.items()
        )
        if changes:
            self.battle.record(Changed(changes=changes))

    def _set_status(self, step: Mapping[str, Any]) -> None:
        changes: dict[tuple[str, str], Change] = {}
        for name, statuses in object_of(step["status"], "status").items():
            for key, value in object_of(statuses, f"status of {name}").items():
                change = self._status_change(self._known(name), key, value)
                before = changes.get((name, change.key))
                if before and value is True:  # two names for parts of one status, such as hurt and very_hurt
                    change = replace(change, value=_joined(before.value, change.value))
                changes[name, change.key] = change
        if changes:
            self.battle.record(Changed(changes=tuple(changes.values())))
            self.by_hand += [f"{key} of {display_name(name) or 'the battle'}" for name, key in changes]
        self._done()

    def _status_change(self, name: str, key: str, value: Any) -> Change:
        """The change that sets a status: one that the game lists, or the answer to one of its questions.

        Raises:
            UserError: if the game lists its statuses and this is not one of them.
        """
        game = self.battle.game
        rows = game.rules.plain.get("statuses", {})
        known = next((one for one in rows if fnmatchcase(key, one)), None)
        asked = {one.fact for action in game.actions for one in game.questions(action)}
        if name and rows and known is None and key.partition(" at ")[0].split(": ")[-1] not in asked:
            raise UserError(f"{game.title} has no status {key!r}: choose one of {', '.join(rows)}")
        row = rows.get(known, {}) if name else {}
        if row.get("many") and value is not None and not isinstance(value, list):
            raise UserError(f"the status {key} of {display_name(name)} must be a list: {row['text']}")
        value = row.get("value", value) if value is True else None if value is False and "value" in row else value
        key = row.get("means", key)
        return Change(figure=name, key=key, value=value, this_turn=key in self.referee.this_turn)

    def _see(self, step: Mapping[str, Any]) -> None:
        for name, seen in object_of(step["see"], "see").items():
            self._known(name, of_battle=False)
            if seen is None:
                self.table.pop(name, None)
            else:
                self.table[name] = figure = self._seen(name, object_of(seen, f"see {name}"))
                if "at_in" in seen or "facing_deg" in seen:
                    self.battle.record(Placed(figure=name, at_in=figure.centre_in, facing_deg=figure.facing_deg))
        self._done()

    def _seen(self, name: str, seen: Mapping[str, Any]) -> Figure:
        odd = sorted(set(seen) - {"posture", "at_in", "z_in", "facing_deg"})
        if odd:
            raise UserError(f"see {name}: unknown key {odd[0]!r}; choose posture, at_in, z_in or facing_deg")
        old = self.table.get(name) or self.placements[name].figure(self.battle.state.units[name].side, self.terrain)
        postures = [one.value for one in Posture]
        if seen.get("posture", postures[0]) not in postures:
            raise UserError(f"see {name}: posture must be one of {', '.join(postures)}, not {seen['posture']!r}")
        at_in = point_of(seen["at_in"], f"see {name}: at_in") if "at_in" in seen else old.centre_in
        posture = Posture(seen.get("posture", old.posture))
        return self._figure_at(
            replace(old, posture=posture), at_in, seen.get("facing_deg", old.facing_deg), seen.get("z_in")
        )

    def _figure_at(self, figure: Figure, at_in: PointIn, facing_deg: float | None, z_in: float | None = None) -> Figure:
        """A figure at another place, on top of the terrain there, with its base turned."""
        z_in = surface_in(at_in, self.terrain) if z_in is None else z_in
        base_in = base_outline(at_in, self.placements[figure.id].base_in, facing_deg or 0.0, figure.posture)
        return replace(figure, x_in=at_in[0], y_in=at_in[1], z_in=z_in, base_in=base_in, facing_deg=facing_deg)

    # Steps that apply the rules

    def _ask(self, step: Mapping[str, Any]) -> Answer:
        name, position = step["ask"], self.position
        if not name:
            actions: Iterable[Action] = self.referee.obligations(position)
        elif "spot_in" in step:
            actions = self.referee.at_spot(position, self._known(name), point_of(step["spot_in"], "spot_in"))
        else:
            actions = self._actions_of(position, self._known(name))
        return {
            "actions": [self._action(position, action) for action in actions],
            "owed": [owed_answer(one) for one in obligations(self.referee, position)],
        }

    def _actions_of(self, position: Position, name: str) -> Iterator[Action]:
        """All actions of a figure, with its obligations."""
        if name in position.figures and not position.unit(name).out:
            yield self.referee.movement(position, name)
            yield from self.referee.attacks(position, name)
            yield from self.referee.others(position, name)
        yield from (action for action in self.referee.obligations(position) if name in action.by)

    def _action(self, position: Position, action: Action) -> Answer:
        found = preview_of(position, action, self.referee)
        known = found.odds and action.at and not found.ambiguities
        reasons = found.before.reasons if found.before is not None and found.possible else ()
        return {
            "action": action.name,
            "title": action.title,
            "by": list(action.by),
            "weapon": action.weapon or None,
            "at": target_of(action),
            "allowed": found.possible,
            "why_not": None if found.possible else why_not(found),
            "chance": float(found.odds.harm or 0) if known else None,
            "odds": {str(outcome): float(chance) for outcome, chance in found.odds.items()},
            "needs": needed_words(found) or None,
            "asks": [question_answer(one) for one in found.asks],
            "too_close": too_close(found),
            "modifiers": [reason_answer(one) for one in reasons if one.modifier is not None],
        }

    def _do(self, step: Mapping[str, Any]) -> Answer:
        wanted = object_of(step["do"], "do")
        at = wanted.get("at")
        if isinstance(at, list) and len(at) == 1 and isinstance(at[0], str):
            wanted = {**wanted, "at": at[0]}
        odd = sorted(set(wanted) - {"action", "by", "at", "weapon", "answers"})
        if odd:
            raise UserError(f"do: unknown key {odd[0]!r}; choose action, by, at, weapon or answers")
        answers = object_of(wanted.get("answers") or {}, "answers")
        wanted = {**wanted, "action": self._action_called(wanted.get("action"))}
        action = self._wanted(self.position, wanted)
        if action is None:
            return {"allowed": False, "why_not": self._unavailable(wanted)}
        action = self._answered(action, wanted, answers)
        found, dice = _without_odds(self.position, action), self._dice(step)
        answer = self._performed(action, found, dice)
        if action.owed and "effects" in answer and not wanted.keys() - {"action"}:
            self._for_the_others(action, answer, dice)
        return answer

    def _for_the_others(self, action: Action, answer: Answer, dice: _Faces) -> None:
        """Do what a step did for the first that owe it for all others that owe it, as far as the dice go."""
        done = [action]
        while other := self._owed_too(done):
            used = list(dice.used)
            more = self._performed(other, _without_odds(self.position, other), dice)
            if "effects" not in more:
                dice.used[:] = used
                return
            del self.marks[-2]  # they are one step, which is undone as a whole
            answer["effects"] = [*answer["effects"], *more["effects"]]
            done.append(other)

    def _owed_too(self, done: Sequence[Action]) -> Action | None:
        known = [(one.by, one.at, one.piece) for one in done]
        owed = (one for one in self.referee.obligations(self.position) if one.owed and one.name == done[0].name)
        return next((one for one in owed if (one.by, one.at, one.piece) not in known), None)

    def _unavailable(self, wanted: Mapping[str, Any]) -> Answer:
        """Why no action fits a step: a figure that is not there, or the rule that has no such action now."""
        by, targets, rules = actor_of(wanted), targets_of(wanted), self.battle.game.rules
        units = self.battle.state.units
        for name in (*([by] if by else ()), *targets):
            if name in units and units[name].out:
                row = rules.plain.get("statuses", {}).get(ELIMINATED, {})
                return {"rule": row.get("rule"), "text": f"{display_name(name)} is out of the battle"}
            if name in units and name not in self.table:
                return {"rule": None, "text": f"{display_name(name)} is not on the table"}
        if by and wanted["action"] in ("attack", "blast"):
            aimed = tuple(name for name in targets if name in units)
            found = self.referee.unoffered(self.position, by, aimed, _key(str(wanted.get("weapon") or "")))
            if reason := last_reason(found):
                return reason
        text = f"{display_name(by)} cannot do this now" if by else "this cannot be done now"
        row = rules.header.unavailable.get(wanted["action"])
        if row is None:
            return {"rule": None, "text": text}
        return {"rule": row.rule, "text": f"{text}: {rules.header.rules[row.rule]}"}

    def _performed(self, action: Action, found: ActionPreview, dice: _Faces) -> Answer:
        """The answer to an action; if it has no effect, the players' answers are undone as well."""
        if found.ambiguities:
            self._back()
            return {"too_close": too_close(found)}
        if not found.possible:
            self._back()
            return {"allowed": False, "why_not": why_not(found), **inches_of(found.before)}
        try:
            verdict = perform(self.battle, self.referee, self.position, action, dice)
        except _NeedsDice as needed:
            self._back()
            one = needed.request
            return {"needs_dice": {"count": one.count, "sides": _SIDES[one.die], "for": f"{one.for_whom}: {one.why}"}}
        happened = self.battle.in_force[self._last_seq]
        effects = happened.effects if isinstance(happened, ActionResolved) else Effects()
        self._follow(effects)
        self._done()
        return {
            "allowed": verdict.allowed,
            "why_not": None if verdict.allowed else last_reason(verdict),
            "verdict": verdict_answer(verdict),
            "effects": effects_answer(effects),
            "dice_used": dice.used,
            **inches_of(verdict),
        }

    def _move(self, step: Mapping[str, Any]) -> Answer:
        position, paths, facings = self.position, {}, {}
        for name, move in object_of(step["move"], "move").items():
            here = position.figure(self._known(name, of_battle=False)).centre_in
            path, facing_deg = walk_of(object_of(move, f"move {name}"), name)
            paths[name] = path if path and _near(path[0], here) else (here, *path)
            if facing_deg is not None:
                facings[name] = facing_deg
        if not paths:
            raise UserError("move names no figure")
        action = self.referee.march(position, paths, facings)
        self._record_answers(action, object_of(step.get("answers") or {}, "answers"))
        found = preview_of(self.position, action)
        asks = {"asks": [question_answer(one) for one in found.asks]} if found.asks else {}
        answer = self._performed(action, found, self._dice(step))
        return {"cost_in": None, "allowance_in": None, **asks, **answer}

    def _next(self, step: Mapping[str, Any]) -> Answer:
        waived = waived_of(step["next"])
        owed = [owed_answer(one) for one in obligations(self.referee, self.position)]
        named = [] if waived is True else [self._action_called(one) for one in waived]
        left = [one for one in owed if waived is not True and one["action"] not in named]
        if left:
            text = f"{left[0]['title']} comes first: do it, or waive it by name"
            return {"allowed": False, "why_not": {"rule": left[0]["rule"], "text": text}, "owed": left}
        if owed:
            self.battle.record(Noted(text=f"Waived: {', '.join(one['title'] for one in owed)}"))
        begins = end_phase(self.battle, self.referee, self.position)
        self._done()
        return {"allowed": True, "turn": begins.turn, "phase": begins.phase, "side": begins.side, "owed": []}

    def _undo(self, count: int) -> Answer:
        done = min(count, len(self.marks) - 1)
        for _ in range(done):
            self.undone.append(self.marks.pop())
        self._return()
        return {"undone": done}

    def _redo(self, count: int) -> Answer:
        done = min(count, len(self.undone))
        for _ in range(done):
            self.marks.append(self.undone.pop())
        self._return()
        return {"redone": done}

    # Keeping the journal and the table consistent

    def _done(self) -> None:
        self.marks.append(self._mark())
        self.undone.clear()

    def _return(self) -> None:
        self._back()
        self.table = dict(self.marks[-1].table)

    def _back(self) -> None:
        """Undo the entries of a step that had no effect."""
        if self._last_seq != self.marks[-1].seq:
            self.battle.go_to(self.marks[-1].seq)

    def _follow(self, effects: Effects) -> None:
        """Move the figures on the table as a verdict has moved them."""
        for move in effects.moves:
            if move.figure in self.table:
                figure = self.table[move.figure]
                facing_deg = figure.facing_deg if move.facing_deg is None else move.facing_deg
                self.table[move.figure] = self._figure_at(figure, move.to_in, facing_deg)

    # Names in steps

    def _known(self, name: Any, *, of_battle: bool = True) -> str:
        """The id of a figure, or "" for the battle itself."""
        if isinstance(name, str) and (name in self.battle.state.units or (of_battle and name == "")):
            return name
        raise UserError(f"there is no figure {name!r}: choose one of {', '.join(self.battle.state.units)}")

    def _action_called(self, name: Any) -> Any:
        """The action of a name: the name itself, unless it is a further name of another action."""
        rows = self.battle.game.rules.header.unavailable.items()
        return next((action for action, row in rows if name in row.also), name)

    def _wanted(self, position: Position, wanted: Mapping[str, Any]) -> Action | None:
        """The action that a step describes: of those that fit best with each weapon, preferably one that is allowed."""
        name, targets, answers = actor_of(wanted), targets_of(wanted), wanted.get("answers") or {}
        if name:
            self._known(name)
        if wanted["action"] not in (*self.battle.game.actions, *_GENERIC):
            known = ", ".join(self.battle.game.actions)
            raise UserError(f"{self.battle.game.title} has no action {wanted['action']!r}: choose one of {known}")

        def misfit(action: Action) -> tuple[bool, ...]:
            aside, others_too = action.at[:1] != targets[:1], sorted(action.at) != sorted(targets)
            unnamed = action.by[:1] != (name,)
            return aside, others_too, action.name != wanted["action"], not self._agrees(action, answers), unnamed

        def rank(action: Action) -> tuple[bool, ...]:
            preview, (aside, *rest) = _without_odds(position, action), misfit(action)
            return aside, not preview.possible, _comes_in_another_phase(preview), *rest

        found = [action for action in self._candidates(position, name, wanted) if _fits(action, wanted)]
        found.sort(key=misfit)
        best = {action.weapon: misfit(action) for action in reversed(found)}
        return min((action for action in found if misfit(action) == best[action.weapon]), key=rank, default=None)

    def _agrees(self, action: Action, answers: Mapping[str, Any]) -> bool:
        """Whether an action agrees with the answers, which may select one of several, such as "moves second"."""
        given, asked = action.given, {one.fact for one in self.battle.game.questions(action.name)}
        selecting = (key for key, value in answers.items() if key in asked or isinstance(given.get(key), type(value)))
        return all(given[key] == answers[key] for key in selecting if key in given)

    def _candidates(self, position: Position, name: str, wanted: Mapping[str, Any]) -> Iterator[Action]:
        spot_in = spot_of(wanted)
        if not name:
            yield from self.referee.obligations(position)
            return
        if spot_in is not None:
            yield from self.referee.at_spot(position, name, spot_in)
            return
        targets, pieces = targets_of(wanted), {piece.name for piece in position.terrain}
        for one in targets:
            if one not in pieces:
                self._known(one)
        if targets and isinstance(wanted["at"], list) and name in position.figures and not position.unit(name).out:
            yield from self.referee.at_targets(position, name, targets)
        if len(set(targets)) == len(targets):  # no other action says how often a target is named
            yield from self._actions_of(position, name)

    def _answered(self, action: Action, wanted: Mapping[str, Any], answers: Mapping[str, Any]) -> Action:
        """The action with the players' answers."""
        again = self._wanted(self.position, wanted) if self._record_answers(action, answers) else None
        return action if again is None else again

    def _record_answers(self, action: Action, answers: Mapping[str, Any]) -> bool:
        """Record the players' answers, as the window does; False if there are none."""
        events: list[Event] = []
        found = _without_odds(self.position, action)
        questions = {one.fact: one for one in self.battle.game.questions(action.name)}
        ambiguities = {str(one.fact[-1]): one for one in found.ambiguities} | {
            one.question: one for one in found.ambiguities
        }
        for key, value in answers.items():
            if key in ambiguities:
                ambiguity = ambiguities[key]
                events.append(QuestionAsked(question=ambiguity.question, answers=tuple(ambiguity.answers)))
                events.append(QuestionAnswered(question=ambiguity.question, answer=str(value)))
            elif key in action.given and action.given[key] == value:
                continue  # it selected the action, or the program knows the fact
            elif key in questions:
                figure = action.by[0] if action.by else ""
                change = Change(figure=figure, key=answer_key(action, key), value=plain(value), this_turn=True)
                events.append(Changed(changes=(change,)))
            else:
                known = ", ".join([*questions, *ambiguities]) or "nothing"
                raise UserError(f"answers: {action.title} does not ask {key!r}; it asks {known}")
        if events:
            self.battle.record_all(events)
        return bool(events)

    def _dice(self, step: Mapping[str, Any]) -> _Faces:
        faces = step.get("dice", [])
        if not isinstance(faces, list) or not all(type(one) is int for one in faces):
            raise UserError(f"dice must be a list of faces, not {faces!r}")
        read = step.get("dice_read", "as_asked")
        if read not in ("as_asked", "d6"):
            raise UserError(f'dice_read must be "as_asked" or "d6", not {read!r}')
        return _Faces(faces, read == "d6")

    def state(self) -> Answer:
        """The state at the end."""
        state = self.battle.state
        figures = {
            name: {
                "side": unit.side,
                "status": statuses_of(unit),
                "at_in": list(unit.at_in or ()) or None,
                "facing_deg": unit.facing_deg,
                "out": unit.out,
            }
            for name, unit in state.units.items()
        }
        now = {"turn": state.turn, "phase": state.phase, "side": state.side, "status": statuses_of(state)}
        return {**now, "figures": figures, "winner": self._winner()}

    def _winner(self) -> str | None:
        """The side that has won, if it can be derived from the table."""
        position = self.position
        for action in self.referee.obligations(position):
            if action.name.startswith("victory"):
                found = _without_odds(position, action).before
                winner = None if found is None else found.numbers.get("winner")
                if winner is not None:
                    return str(winner)
        return None


def _joined(one: Any, other: Any) -> Any:
    """Two values of a status together, if both are lists or both are objects; otherwise the second."""
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *other]
    return {**one, **other} if isinstance(one, Mapping) and isinstance(other, Mapping) else other


_SIDES: Mapping[Die, int | str] = {Die.D6: 6, Die.FUDGE: "fudge"}
_GENERIC = ("attack", "move")
"""Names that stand for any attack and any move in every game."""


def _fits(action: Action, wanted: Mapping[str, Any]) -> bool:
    name, weapon, at, by = wanted["action"], wanted.get("weapon"), wanted.get("at"), actor_of(wanted)
    attacks = action.view is not None or action.spot_in is not None or (isinstance(at, list) and action.attacked)
    if action.name != name and not (name == "attack" and attacks):
        return False
    if weapon and _key(str(weapon)) not in (_key(action.weapon), _key(action.title)):
        return False
    if by and by not in action.by:
        return False
    if at is None or action.spot_in is not None:
        return True
    names = {at} if isinstance(at, str) else set(at)
    return names <= {*action.at, action.piece}


def _without_odds(position: Position, action: Action) -> ActionPreview:
    """What is known of an action, without its odds, which take the longest to compute."""
    return preview_of(position, replace(action, has_odds=False))


def _comes_in_another_phase(found: ActionPreview) -> bool:
    return found.before is not None and found.before.numbers.get("reason") == "wrong_phase"


def _key(name: str) -> str:
    """A name as the rules write it: "Tank gun" and "tank_gun" are one weapon."""
    return name.lower().replace(" ", "_").replace("-", "_")


def _near(a: PointIn, b: PointIn) -> bool:
    return abs(a[0] - b[0]) < 0.01 and abs(a[1] - b[1]) < 0.01
