"""Plays a scripted situation without window or camera: a file describes the steps, the answer contains the verdicts.

Players send in disputed cases as such files, and tests use them. `docs/formats.md` describes file and answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import partial
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Any

from rules.battle.answers import (
    Answer,
    action_answer,
    inches_of,
    needs_dice_answer,
    owed_answer,
    owed_first_answer,
    phase_answer,
    question_answer,
    resolved_answer,
    state_answer,
    too_close,
    why_not,
)
from rules.battle.battle import Battle
from rules.battle.referees import end_phase, perform, position_of, referee_of
from rules.battle.situation import Placement, Situation, base_outline, point_of
from rules.battle.step_actions import action_called, action_of, actions_of, known_figure, unavailable
from rules.battle.steps import (
    NeedsDice,
    ScriptedFaces,
    count_of,
    dice_of,
    kind_of,
    object_of,
    waived_of,
    walk_of,
    wanted_of,
)
from rules.engine import events
from rules.engine.action import Action
from rules.engine.ambiguity import answer_key
from rules.engine.events import Change, Effects, plain
from rules.engine.position import Position
from rules.engine.preview import ActionPreview, obligations, preview_of, preview_without_odds
from rules.engine.state import State, Unit
from rules.engine.text import display_name
from rules.engine.without_dice import needs_dice
from rules.tabletop.errors import UserError
from rules.tabletop.measure import surface_in
from rules.tabletop.table import Figure, PointIn, Posture

_MOST_TURNS = 1000
"""Turns that one step may leave out; each is an entry in the journal."""
_UNFIT = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)
"""What the rules raise for a status or an own card that the game cannot have written."""


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
    """The battle of a situation, without figures yet, in a file that is deleted afterwards."""
    house_rules = None
    if situation.house_rules:
        house_rules = folder / "house_rules.toml"
        house_rules.write_text(situation.house_rules, encoding="utf-8")
    clock = itertools.count().__next__
    sides = list(situation.sides)
    path = folder / "battle"
    return Battle.begin(path, clock, situation.game, sides, situation.options, house_rules, is_kept=False)


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
        battle.record(events.TableLaid(camera="", terrain=situation.terrain, area_in=situation.table_in))
        for side, figures in situation.sides.items():
            for one in figures:
                self._enlist(side, one)
        self.marks = [self._mark()]
        self.undone: list[_Mark] = []

    def _enlist(self, side: str, one: Placement) -> None:
        card, own = (one.card, None) if isinstance(one.card, str) else (None, one.card)
        self.battle.record(events.UnitJoined(figure=one.id, side=side, card=card, own=own, squad=one.squad))
        x_in, y_in = one.at_in
        self.battle.record(events.Placed(figure=one.id, at_in=(x_in, y_in), facing_deg=one.facing_deg))
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
        return steps[kind_of(step)](step)

    # Steps that prepare the situation

    def _set_phase(self, step: Mapping[str, Any]) -> None:
        now = self.battle.state
        phase, turn = step["phase"], step.get("turn", max(now.turn, 1))
        known = self.battle.game.rules.plain.get("phases")
        if not isinstance(phase, str) or (known and phase.partition(" ")[0] not in known):
            raise UserError(f"{self.battle.game.title} has no phase {phase!r}: choose one of {', '.join(known or ())}")
        if type(turn) is not int or not max(now.turn, 1) <= turn <= now.turn + _MOST_TURNS:
            raise UserError(f"turn {turn!r} cannot follow turn {now.turn}")
        side = step["side"] or "" if "side" in step else self._side_of_next(phase, turn)
        for number in range(now.turn + 1, turn):
            self.battle.record(events.PhaseBegun(turn=number, side=side, phase=phase))
        self.battle.record(events.PhaseBegun(turn=turn, side=side, phase=phase))
        if now.turn < 1 <= turn:
            self._set_again({"": now, **now.units})
        self._done()

    def _side_of_next(self, phase: str, turn: int) -> str:
        """The side of the next phase of this name, in a later turn the first; empty if it is a phase of all sides."""
        position, now = self.position, self.battle.state
        for _ in range(_MOST_TURNS):
            begins = self.referee.next_phase(position)
            if begins.turn > now.turn + 1:
                break
            if begins.phase == phase and (turn == now.turn or begins.turn > now.turn):
                return begins.side
            after = replace(position.state, turn=begins.turn, side=begins.side, phase=begins.phase)
            position = replace(position, state=after)
        return ""

    def _set_again(self, before: Mapping[str, State | Unit]) -> None:
        """Set the statuses of one turn again that were set before the first turn began."""
        changes = tuple(
            Change(figure=name, key=key, value=plain(value), this_turn=True)
            for name, one in before.items()
            for key, value in one.this_turn.items()
        )
        if changes:
            self.battle.record(events.Changed(changes=changes))

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
            self.battle.record(events.Changed(changes=tuple(changes.values())))
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
                    self.battle.record(events.Placed(figure=name, at_in=figure.centre_in, facing_deg=figure.facing_deg))
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
            actions = actions_of(self.referee, position, self._known(name))
        return {
            "actions": [action_answer(self.referee, position, action) for action in actions],
            "owed": [owed_answer(one) for one in obligations(self.referee, position)],
        }

    def _do(self, step: Mapping[str, Any]) -> Answer:
        wanted, position = wanted_of(step), self.position
        wanted = replace(wanted, action=action_called(self.battle.game, wanted.action))
        action = action_of(self.referee, position, wanted)
        if action is None:
            return {"allowed": False, "why_not": unavailable(self.referee, position, wanted)}
        if self._record_answers(action, wanted.answers):
            action = action_of(self.referee, self.position, wanted) or action
        found, dice = preview_without_odds(self.position, action), dice_of(step)
        before = [_identity(one) for one in self._owed()]
        answer = self._performed(action, found, dice)
        if action.owed and "effects" in answer and wanted.is_bare:
            done = [_identity(action)]
            self._go_on(answer, dice, done, lambda: (one for one in self._owed() if one.name == action.name))
        if "effects" in answer:
            self._go_on(answer, dice, before, lambda: filter(partial(self._rolls, dice), self._owed()))
        return answer

    def _owed(self) -> Iterator[Action]:
        return (one for one in self.referee.obligations(self.position) if one.owed)

    def _rolls(self, dice: ScriptedFaces, action: Action) -> bool:
        """Whether an action asks for dice, and some are left."""
        possible = dice.left > 0 and preview_without_odds(self.position, action).possible
        return possible and needs_dice(self.battle.game, action.name, action.given)

    def _go_on(
        self, answer: Answer, dice: ScriptedFaces, done: list[_Identity], owed: Callable[[], Iterable[Action]]
    ) -> None:
        """Do what is `owed` and not `done`, as far as the dice go: one step, which is undone as a whole."""
        while other := next((one for one in owed() if _identity(one) not in done), None):
            used = list(dice.used)
            more = self._performed(other, preview_without_odds(self.position, other), dice)
            if "effects" not in more:
                dice.used[:] = used
                return
            del self.marks[-2]
            answer["effects"] = [*answer["effects"], *more["effects"]]
            done.append(_identity(other))

    def _performed(self, action: Action, found: ActionPreview, dice: ScriptedFaces) -> Answer:
        """The answer to an action; if it has no effect, the players' answers are undone as well."""
        if found.ambiguities:
            self._back()
            return {"too_close": too_close(found)}
        if not found.possible:
            self._back()
            return {"allowed": False, "why_not": why_not(found), **inches_of(found.before)}
        try:
            verdict = perform(self.battle, self.referee, self.position, action, dice)
        except NeedsDice as needed:
            self._back()
            return needs_dice_answer(needed.request)
        happened = self.battle.in_force[self._last_seq]
        effects = happened.effects if isinstance(happened, events.ActionResolved) else Effects()
        self._follow(effects)
        self._done()
        return resolved_answer(verdict, effects, dice.used)

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
        answer = self._performed(action, found, dice_of(step))
        return {"cost_in": None, "allowance_in": None, **asks, **answer}

    def _next(self, step: Mapping[str, Any]) -> Answer:
        waived = waived_of(step["next"])
        owed = [owed_answer(one) for one in obligations(self.referee, self.position)]
        named = [] if waived is True else [action_called(self.battle.game, one) for one in waived]
        if left := [one for one in owed if waived is not True and one["action"] not in named]:
            return owed_first_answer(left)
        if owed:
            self.battle.record(events.Noted(text=f"Waived: {', '.join(one['title'] for one in owed)}"))
        begins = end_phase(self.battle, self.referee, self.position)
        self._done()
        return phase_answer(begins)

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

    # Names and answers in steps

    def _known(self, name: Any, *, of_battle: bool = True) -> str:
        return known_figure(self.battle.state, name, of_battle=of_battle)

    def _record_answers(self, action: Action, answers: Mapping[str, Any]) -> bool:
        """Record the players' answers, as the window does; False if there are none."""
        recorded: list[events.Event] = []
        found = preview_without_odds(self.position, action)
        questions = {one.fact: one for one in self.battle.game.questions(action.name)}
        ambiguities = {str(one.fact[-1]): one for one in found.ambiguities} | {
            one.question: one for one in found.ambiguities
        }
        for key, value in answers.items():
            if key in ambiguities:
                ambiguity = ambiguities[key]
                recorded.append(events.QuestionAsked(question=ambiguity.question, answers=tuple(ambiguity.answers)))
                recorded.append(events.QuestionAnswered(question=ambiguity.question, answer=str(value)))
            elif key in action.given and action.given[key] == value:
                continue  # it selected the action, or the program knows the fact
            elif key in questions:
                figure = action.by[0] if action.by else ""
                change = Change(figure=figure, key=answer_key(action, key), value=plain(value), this_turn=True)
                recorded.append(events.Changed(changes=(change,)))
            else:
                known = ", ".join([*questions, *ambiguities]) or "nothing"
                raise UserError(f"answers: {action.title} does not ask {key!r}; it asks {known}")
        if recorded:
            self.battle.record_all(recorded)
        return bool(recorded)

    def state(self) -> Answer:
        """The state at the end."""
        return state_answer(self.battle.state, self._winner())

    def _winner(self) -> str | None:
        """The side that has won, if it can be derived from the table."""
        position = self.position
        for action in self.referee.obligations(position):
            if action.name.startswith("victory"):
                found = preview_without_odds(position, action).before
                winner = None if found is None else found.numbers.get("winner")
                if winner is not None:
                    return str(winner)
        return None


_Identity = tuple[str, tuple[str, ...], tuple[str, ...], str]


def _identity(action: Action) -> _Identity:
    return action.name, action.by, action.at, action.piece


def _joined(one: Any, other: Any) -> Any:
    """Two values of a status together, if both are lists or both are objects; otherwise the second."""
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *other]
    return {**one, **other} if isinstance(one, Mapping) and isinstance(other, Mapping) else other


def _near(a: PointIn, b: PointIn) -> bool:
    return abs(a[0] - b[0]) < 0.01 and abs(a[1] - b[1]) < 0.01
