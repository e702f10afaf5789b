"""A battle: its journal, and the state that the journal folds into. Nothing is kept anywhere else."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any

from rules.dice import Dice, DiceRequest, Roll, Scripted, play
from rules.entries import check_version, event_of, is_event
from rules.events import Asked, Begun, Effects, Enlisted, Event, Overruled, Throw, Told, plain
from rules.game import Game
from rules.games import open_game
from rules.journal import BEFALLEN, REDO, UNDO, Entry, Journal, redoable, standing
from rules.roster import check_card
from rules.ruleset import Value
from rules.spoken import label
from rules.state import State, fold
from rules.table import Refused
from rules.verdict import Verdict

Clock = Callable[[], float]
Applied = Callable[[Verdict], Effects]
"""What a verdict does to the figures."""


def _no_effects(_: Verdict) -> Effects:
    return Effects()


class Battle:
    """An open battle. Every call that changes it returns when the change is on the disk.

    Attributes:
        game: The game with its options and house rules.
        state: How the battle stands.
        taken_up_at: Number of the last entry that was there when it was opened; 1 where it has just begun.
    """

    def __init__(self, journal: Journal) -> None:
        """Take over an open journal that holds a battle.

        Raises:
            Refused: if it holds none, or what this program cannot read.
        """
        self._journal = journal
        self._entries = journal.entries()
        self.taken_up_at = len(self._entries)
        self._events = events_of(self._entries)
        self.state = folded(self._entries, self._events)
        self.game = game_of(self.state)

    @classmethod
    def begin(
        cls,
        path: Path,
        clock: Clock,
        game: str,
        players: Sequence[str],
        options: Mapping[str, Value] | None = None,
        house_rules: Path | None = None,
    ) -> Battle:
        """Begin a battle in a new file.

        Args:
            path: Of the file.
            clock: Seconds, kept with every entry.
            game: Name of the game.
            players: The sides.
            options: What is chosen instead of a default.
            house_rules: A file that inherits the game itself; its text goes into the battle.

        Raises:
            Refused: if the file is taken, or the game, an option or a house rule is not one.
        """
        text = "" if house_rules is None else _text(game, house_rules)
        begun = Begun(game=game, players=tuple(players), options=dict(options or {}), house_rules=text)
        game_of(fold(State(), begun))
        journal = Journal(path, clock)
        try:
            if journal.entries():
                raise Refused(f"{path} already holds a battle: open it, or choose another name")
            journal.append(begun.kind, begun.to_body(), begun.version)
            return cls(journal)
        except Refused:
            journal.close()
            raise

    @classmethod
    def open(cls, path: Path, clock: Clock) -> Battle:
        """Go on with a battle.

        Raises:
            Refused: if there is none, or the file is damaged, foreign or newer; it is left as it was.
        """
        if not os.path.isfile(path) or path.stat().st_size == 0:
            raise Refused(f"there is no battle in {path}: choose another file, or begin one")
        journal = Journal(path, clock)
        try:
            return cls(journal)
        except Refused as refusal:
            journal.close()
            raise Refused(f"the battle {path} cannot be read: {refusal}") from refusal

    @property
    def path(self) -> Path:
        """Of its file."""
        return self._journal.path

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything that was journalled, what was taken back included."""
        return self._entries

    @property
    def can_undo(self) -> str | None:
        """What `undo` would take back, in a few words; never the beginning."""
        found = self._undone_by(UNDO)
        return label(self._events[found.seq]) if found else None

    @property
    def can_redo(self) -> str | None:
        """What `redo` would do again, in a few words."""
        found = self._undone_by(REDO)
        return label(self._events[found.seq]) if found else None

    def record(self, event: Event) -> Entry:
        """Let something happen.

        Raises:
            Refused: if it cannot have happened now, or the disk is full; then nothing has changed.
        """
        fold(self.state, event)
        if isinstance(event, Enlisted):
            check_card(self.game, event.figure, event.card)
        if isinstance(event, Overruled) and event.entry not in {entry.seq for entry in standing(self._entries)}:
            raise Refused(f"entry {event.entry} cannot be overruled: it is not there, or was taken back")
        entry = self._append(event.kind, event.to_body(), event.version)
        self._events[entry.seq] = event_of(entry)
        self.state = fold(self.state, self._events[entry.seq])
        return entry

    def record_all(self, events: Iterable[Event]) -> None:
        """Let several things happen at once: each an entry of its own, and all of them or none.

        Raises:
            Refused: as `record`.
        """
        entries, state, kept = self._entries, self.state, False
        try:
            with self._journal.together():
                for event in events:
                    self.record(event)
            kept = True
        finally:
            if not kept:
                for entry in self._entries[len(entries) :]:
                    self._events.pop(entry.seq, None)
                self._entries, self.state = entries, state

    def ask(
        self,
        action: str,
        given: Mapping[str, Any],
        dice: Dice,
        applies: Applied = _no_effects,
        by: Sequence[str] = (),
        title: str = "",
    ) -> Verdict:
        """Ask the game, roll, and keep question, faces, verdict and effects in one entry.

        Args:
            action: Of the game.
            given: The facts; they must be values that JSON knows.
            dice: Answers every request.
            applies: What the verdict does to the figures.
            by: Figures that act.
            title: What is done, for the players.

        Raises:
            RuleRefusal: as `Game.begin` and `rules.dice.rolled`; then nothing has happened.
            Refused: as `record`.
        """
        for figure in by:
            self.state.unit(figure)  # before the dice are rolled for nothing
        verdict, throws = _played(self.game, action, given, dice)
        asked = Asked(
            action=action,
            given=plain(given),
            by=tuple(by),
            throws=throws,
            verdict=Told.of(verdict),
            effects=applies(verdict),
            title=title,
        )
        self.record(asked)
        return verdict

    def undo(self) -> str | None:
        """Take the last thing back; its name, or None where only the beginning is left."""
        return self._turn_back(UNDO)

    def redo(self) -> str | None:
        """Do again what was taken back last; its name, or None where nothing was."""
        return self._turn_back(REDO)

    def go_to(self, seq: int) -> int:
        """Take back, or do again, until this entry is the last that was done; how many were.

        Every step is an entry of its own, as if each had been undone by itself; all of them are kept, or none is.

        Raises:
            Refused: if the entry does not hold and cannot be done again, or the disk is full; then nothing has changed.
        """
        steps = [one for one in standing(self._entries) if one.kind not in BEFALLEN]
        again = redoable(self._entries)
        held = [one.seq for one in steps]
        if seq in held:
            turns = [(UNDO, one) for one in reversed(steps[held.index(seq) + 1 :])]
        elif seq in (coming := [one.seq for one in again]):
            turns = [(REDO, one) for one in again[: coming.index(seq) + 1]]
        else:
            raise Refused(f"entry {seq} is no step of this battle any more: choose another")
        told = [(kind, {"entry": one.seq, "what": label(self._events[one.seq])}) for kind, one in turns]
        self._entries = (*self._entries, *self._journal.append_all(told))
        self.state = folded(self._entries, self._events)
        return len(turns)

    def close(self) -> None:
        """Let go of the file."""
        self._journal.close()

    def __enter__(self) -> Battle:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def _append(self, kind: str, body: Mapping[str, Any], version: int = 1) -> Entry:
        entry = self._journal.append(kind, body, version)
        self._entries = (*self._entries, entry)
        return entry

    def _turn_back(self, kind: str) -> str | None:
        found = self._undone_by(kind)
        if found is None:
            return None
        name = label(self._events[found.seq])
        self._append(kind, {"entry": found.seq, "what": name})
        self.state = folded(self._entries, self._events)
        return name

    def _undone_by(self, kind: str) -> Entry | None:
        """The entry that an undo would take back, or a redo bring back."""
        now = standing(self._entries)
        then = standing((*self._entries, Entry(0, 0.0, kind, 1, {})))
        longer, shorter = (now, then) if kind == UNDO else (then, now)
        turned = {entry.seq: entry for entry in longer}
        for entry in shorter:
            turned.pop(entry.seq, None)
        return next((entry for entry in turned.values() if entry is not longer[0]), None)


def events_of(entries: Sequence[Entry]) -> dict[int, Event]:
    """The events of a journal by the numbers of their entries, those that were taken back included.

    Raises:
        Refused: if an entry is of an unknown kind or a newer version, or its body is not one.
    """
    for entry in entries:
        if not is_event(entry):
            check_version(entry)
    return {entry.seq: event_of(entry) for entry in entries if is_event(entry)}


def folded(entries: Sequence[Entry], events: Mapping[int, Event]) -> State:
    """The state that a journal folds into.

    Raises:
        Refused: if an event does not fit what came before it.
    """
    state = State()
    for entry in standing(entries):
        try:
            state = fold(state, events[entry.seq])
        except Refused as refusal:
            raise Refused(f"entry {entry.seq} ({entry.kind}) does not fit what came before: {refusal}") from refusal
    if not state.game:
        raise Refused("its journal does not say what is played: begin a battle in another file")
    return state


def game_of(state: State) -> Game[Any]:
    """The game that a battle plays, with its options and house rules.

    Raises:
        Refused: if this program has no such game, or the house rules do not fit it.
    """
    if not state.house_rules:
        return open_game(state.game).choosing(**state.options)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "house_rules.toml"
        file.write_text(state.house_rules, encoding="utf-8")
        return open_game(state.game, file).choosing(**state.options)


def _text(game: str, path: Path) -> str:
    """The text of a file of house rules that stands by itself: a battle must not lose them with another file."""
    open_game(game, path)
    text = path.read_text(encoding="utf-8")
    parent = str(tomllib.loads(text).get("inherits", ""))
    if parent.endswith(".toml"):
        raise Refused(f"{path.name} inherits the file {parent}: let it inherit the game and copy what it needs")
    return text


def _played(game: Game[Any], action: str, given: Mapping[str, Any], dice: Dice) -> tuple[Verdict, tuple[Throw, ...]]:
    throws: list[Throw] = []

    def kept(request: DiceRequest) -> Roll:
        roll = dice(request)
        throws.append(Throw.of(request, roll))
        return roll

    verdict = play(game.begin(action, given), kept)
    return verdict, tuple(throws)


# Played again.


@dataclass(frozen=True, slots=True)
class Difference:
    """An entry whose question the rules now answer otherwise: what was told, and what is."""

    seq: int
    was: str
    now: str


def differences(game: Game[Any], entries: Sequence[Entry]) -> tuple[Difference, ...]:
    """Every question of a journal asked anew with the faces that fell; also those that were taken back."""
    events = events_of(entries).items()
    found = (_difference(game, seq, event) for seq, event in events if isinstance(event, Asked))
    return tuple(one for one in found if one)


def replay(path: Path) -> tuple[Difference, ...]:
    """The differences of the battle in a file; none where it replays to the same state.

    Raises:
        Refused: as `Battle.open`.
    """
    with Battle.open(path, lambda: 0.0) as battle:
        return differences(battle.game, battle.entries)


def _difference(game: Game[Any], seq: int, asked: Asked) -> Difference | None:
    script = Scripted([face for throw in asked.throws for face in throw.faces])
    try:
        verdict, throws = _played(game, asked.action, asked.given, script)
    except Refused as refusal:
        return Difference(seq, asked.verdict.outcome, f"refused: {refusal}")
    told = Told.of(verdict)
    if throws != asked.throws:
        return Difference(seq, _dice(asked.throws), _dice(throws))
    return None if told == asked.verdict else _verdicts_apart(seq, asked.verdict, told)


def _dice(throws: Sequence[Throw]) -> str:
    return "; ".join(f"{one.for_whom}, {one.why}: {' '.join(map(str, one.faces))}" for one in throws) or "no dice"


def _verdicts_apart(seq: int, was: Told, now: Told) -> Difference:
    """The first thing in which two verdicts differ, in words."""
    if was.outcome != now.outcome:
        return Difference(seq, was.outcome, now.outcome)
    for name in {**was.numbers, **now.numbers}:
        if was.numbers.get(name) != now.numbers.get(name):
            return Difference(seq, f"{name} {was.numbers.get(name)}", f"{name} {now.numbers.get(name)}")
    return Difference(seq, _reasons(was), _reasons(now))


def _reasons(told: Told) -> str:
    return "; ".join(f"{one.rule} {one.text}" for one in told.reasons)
