"""A battle: its journal, and the state that the journal folds into. Nothing is kept anywhere else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType, TracebackType
from typing import Any

from rules.battle.event_codec import check_version, event_of, is_event
from rules.battle.history import course_of, foldable
from rules.battle.journal import BEFALLEN, REDO, UNDO, Damaged, Entry, Journal
from rules.battle.progress import Cancelled, Step, no_step, part_of
from rules.engine.dice import Dice, DiceRequest, Roll, play
from rules.engine.events import Asked, Begun, Effects, Enlisted, Event, Overruled, Throw, Told, plain
from rules.engine.game import Game
from rules.engine.roster import check_card
from rules.engine.ruleset import Value, check_needs_no_file, rules_text
from rules.engine.state import State, fold
from rules.engine.text import label
from rules.engine.verdict import Verdict
from rules.games import open_game
from rules.tabletop.errors import UserError

_HOUSE_RULES = "house_rules.toml"

Clock = Callable[[], float]
Applied = Callable[[Verdict], Effects]
"""What a verdict does to the figures."""


def _no_effects(_: Verdict) -> Effects:
    return Effects()


class Battle:
    """An open battle. Every call that changes it returns when the change is on the disk.

    Attributes:
        game: The game with its options and house rules.
        taken_up_at: Number of the last entry that was there when it was opened; 1 where it has just begun.
    """

    def __init__(self, journal: Journal, step: Step = no_step) -> None:
        """Take over an open journal that holds a battle.

        Args:
            journal: It.
            step: Called now and then with the progress; it may end the work.

        Raises:
            UserError: if it holds none, or what this program cannot read, or what `step` raises.
        """
        self._journal = journal
        self._entries = journal.entries(part_of(step, 0, 3))
        self.taken_up_at = len(self._entries)
        self._events = events_of(self._entries, part_of(step, 1, 3))
        self._course = course_of(self._entries, self._events, part_of(step, 2, 3))
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
            UserError: if the file is taken, or the game, an option or a house rule is not one.
        """
        text = "" if house_rules is None else _text(game, house_rules)
        begun = Begun(game=game, players=tuple(players), options=dict(options or {}), house_rules=text)
        game_of(fold(State(), begun))
        journal = Journal(path, clock)
        try:
            if journal.entries():
                raise UserError(f"{path} already holds a battle: open it, or choose another name")
            journal.append(begun.kind, begun.to_body(), begun.version)
            return cls(journal)
        except UserError:
            journal.close()
            raise

    @classmethod
    def open(cls, path: Path, clock: Clock, step: Step = no_step) -> Battle:
        """Go on with a battle.

        Args:
            path: Of its file.
            clock: Seconds, kept with every entry.
            step: Called now and then with the progress; it may end the work.

        Raises:
            Damaged: if a copy of some of it can be gone on with, see `rules.battle.recovery`.
            Cancelled: if `step` raises it.
            UserError: if there is none, or the file is damaged, foreign, newer or too large; it is left as it was.
        """
        if not os.path.isfile(path) or path.stat().st_size == 0:
            raise UserError(f"there is no battle in {path}: choose another file, or begin one")
        journal = Journal(path, clock)
        try:
            return cls(journal, step)
        except (Damaged, Cancelled):
            journal.close()
            raise
        except UserError as refusal:
            kept = 0 if journal.is_checked else len(foldable(journal.entries()))
            journal.close()
            if kept:
                raise Damaged(path, str(refusal), kept, 0) from refusal
            raise UserError(f"the battle {path} cannot be read: {refusal}") from refusal

    @property
    def path(self) -> Path:
        """Of its file."""
        return self._journal.path

    @property
    def remark(self) -> str:
        """What the players should know about its file, as a sentence; empty where all is well."""
        return self._journal.remark

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything that was journalled, what was taken back included."""
        return self._entries

    @property
    def events(self) -> Mapping[int, Event]:
        """Everything that happened by the numbers of its entries, what was taken back included."""
        return MappingProxyType(self._events)

    @property
    def state(self) -> State:
        """How the battle stands."""
        return self._course.state

    @property
    def held(self) -> Mapping[int, Event]:
        """What holds, in order, by the numbers of its entries."""
        return {entry.seq: self._events[entry.seq] for entry in self._course.held}

    @property
    def can_undo(self) -> str | None:
        """What `undo` would take back, in a few words; never the beginning."""
        return self._label(self._course.to_undo)

    @property
    def can_redo(self) -> str | None:
        """What `redo` would do again, in a few words."""
        return self._label(self._course.to_redo)

    def _label(self, entry: Entry | None) -> str | None:
        return None if entry is None else label(self._events[entry.seq])

    def record(self, event: Event) -> Entry:
        """Let something happen.

        Raises:
            UserError: if it cannot have happened now, or the disk is full; then nothing has changed.
        """
        fold(self.state, event)
        if isinstance(event, Enlisted):
            check_card(self.game, event.figure, event.card)
        if isinstance(event, Overruled) and event.entry not in self.held:
            raise UserError(f"entry {event.entry} cannot be overruled: it is not there, or was taken back")
        return self._append(event.kind, event.to_body(), event.version)

    def record_all(self, events: Iterable[Event]) -> None:
        """Let several things happen at once: each an entry of its own, and all of them or none.

        Raises:
            UserError: as `record`.
        """
        entries, course, kept = self._entries, self._course, False
        try:
            with self._journal.together():
                for event in events:
                    self.record(event)
            kept = True
        finally:
            if not kept:
                for entry in self._entries[len(entries) :]:
                    self._events.pop(entry.seq, None)
                self._entries, self._course = entries, course

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
            RuleRefusal: as `Game.begin` and `rules.engine.dice.rolled`; then nothing has happened.
            UserError: as `record`.
        """
        for figure in by:
            self.state.unit(figure)  # before the dice are rolled for nothing
        verdict, throws = played(self.game, action, given, dice)
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
        return self._turn(UNDO, self._course.to_undo)

    def redo(self) -> str | None:
        """Do again what was taken back last; its name, or None where nothing was."""
        return self._turn(REDO, self._course.to_redo)

    def go_to(self, seq: int) -> int:
        """Take back, or do again, until this entry is the last that was done; how many were.

        Every step is an entry of its own, as if each had been undone by itself; all of them are kept, or none is.

        Raises:
            UserError: if the entry cannot be done again, or the disk is full; then nothing has changed.
        """
        steps = [one for one in self._course.held if one.kind not in BEFALLEN]
        again = self._course.undone[::-1]
        held = [one.seq for one in steps]
        if seq in held:
            turns = [(UNDO, one) for one in reversed(steps[held.index(seq) + 1 :])]
        elif seq in (coming := [one.seq for one in again]):
            turns = [(REDO, one) for one in again[: coming.index(seq) + 1]]
        else:
            raise UserError(f"entry {seq} is no step of this battle any more: choose another")
        told = [(kind, {"entry": one.seq, "what": label(self._events[one.seq])}) for kind, one in turns]
        self._take_in(self._journal.append_all(told))
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
        self._take_in((entry,))
        return entry

    def _take_in(self, entries: tuple[Entry, ...]) -> None:
        """Go on to what is on the disk."""
        self._entries = (*self._entries, *entries)
        self._events.update(events_of(entries))
        self._course = self._course.after(entries, self._events)

    def _turn(self, kind: str, entry: Entry | None) -> str | None:
        name = self._label(entry)
        if entry is not None:
            self._append(kind, {"entry": entry.seq, "what": name})
        return name


def events_of(entries: Sequence[Entry], step: Step = no_step) -> dict[int, Event]:
    """The events of a journal by the numbers of their entries, those that were taken back included.

    Raises:
        UserError: if an entry is of an unknown kind or a newer version, or its body is not one; or what `step` raises.
    """
    events: dict[int, Event] = {}
    for number, entry in enumerate(entries):
        step(number, len(entries))
        if is_event(entry):
            events[entry.seq] = event_of(entry)
        else:
            check_version(entry)
    return events


def game_of(state: State) -> Game[Any]:
    """The game that a battle plays, with its options and house rules.

    Raises:
        UserError: if this program has no such game, or the house rules do not fit it.
    """
    if not state.house_rules:
        return open_game(state.game).choosing(**state.options)
    check_needs_no_file(state.house_rules, _HOUSE_RULES)
    with TemporaryDirectory() as folder:
        file = Path(folder) / _HOUSE_RULES
        file.write_text(state.house_rules, encoding="utf-8")
        return open_game(state.game, file).choosing(**state.options)


def _text(game: str, path: Path) -> str:
    """The text of a file of house rules that needs no other: a battle must not lose them with another file."""
    text = rules_text(path)
    check_needs_no_file(text, path.name)
    open_game(game, path)
    return text


def played(game: Game[Any], action: str, given: Mapping[str, Any], dice: Dice) -> tuple[Verdict, tuple[Throw, ...]]:
    """A question to a game: the verdict, and all dice that it took."""
    throws: list[Throw] = []

    def kept(request: DiceRequest) -> Roll:
        roll = dice(request)
        throws.append(Throw.of(request, roll))
        return roll

    verdict = play(game.begin(action, given), kept)
    return verdict, tuple(throws)
