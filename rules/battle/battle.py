"""A battle: its journal, and the state computed from it. Nothing is stored anywhere else."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType
from typing import Any

from rules.battle.history import events_of, history_of, valid_beginning
from rules.battle.journal import EXTERNAL_EVENTS, REDO, UNDO, Damaged, Entry, Journal
from rules.battle.progress import Cancelled, Step, no_step, part_of
from rules.engine.dice import Procedure
from rules.engine.events import (
    ActionResolved,
    BattleBegun,
    Effects,
    Event,
    Throw,
    UnitJoined,
    VerdictOverruled,
    VerdictRecord,
    plain,
)
from rules.engine.game import Game
from rules.engine.roster import check_card
from rules.engine.ruleset import Value, check_needs_no_file, rules_text
from rules.engine.state import State, fold
from rules.engine.text import label
from rules.engine.verdict import Verdict
from rules.games import open_game
from rules.tabletop.errors import UserError, user_error

_HOUSE_RULES = "house_rules.toml"

Clock = Callable[[], float]
Applied = Callable[[Verdict], Effects]
"""Computes what a verdict changes in the battle."""


def _no_effects(_: Verdict) -> Effects:
    return Effects()


class Battle(AbstractContextManager["Battle"]):
    """An open battle. Every method that changes it returns after the change is on the disk.

    Attributes:
        game: The game with its options and house rules.
        opened_seq: Number of the last entry that existed when the battle was opened; 1 for a new battle.
    """

    def __init__(self, journal: Journal, step: Step = no_step, game: Game[Any] | None = None) -> None:
        """Load the battle of an open journal.

        Args:
            journal: The open journal; the battle closes it.
            step: Receives the progress and may cancel.
            game: The battle's game, if it is open already; opening one takes 50 ms.

        Raises:
            UserError: if the journal has no battle or cannot be read by this program; also whatever `step` raises.
        """
        self._journal = journal
        self._entries = journal.entries(part_of(step, 0, 3))
        self.opened_seq = len(self._entries)
        self._events = events_of(self._entries, part_of(step, 1, 3))
        self._history = history_of(self._entries, self._events, part_of(step, 2, 3))
        self.game = game_of(self.state) if game is None else game

    @classmethod
    def begin(
        cls,
        path: Path,
        clock: Clock,
        game: str,
        players: Sequence[str],
        options: Mapping[str, Value] | None = None,
        house_rules: Path | None = None,
        *,
        is_kept: bool = True,
    ) -> Battle:
        """Begin a battle in a new file.

        Args:
            path: The new file.
            clock: Seconds, stored with every entry.
            game: Name of the game.
            players: The sides.
            options: Options that differ from their defaults.
            house_rules: A file of house rules that inherits the game; its text is stored in the battle.
            is_kept: As for `rules.battle.journal.Journal`.

        Raises:
            UserError: if the file holds a battle already, or the game, an option or a house rule is invalid.
        """
        text = "" if house_rules is None else _house_rules_text(game, house_rules)
        begun = BattleBegun(game=game, players=tuple(players), options=dict(options or {}), house_rules=text)
        opened = game_of(fold(State(), begun))
        header = opened.rules.header
        if header.most_sides is not None and len(players) > header.most_sides:
            few = f"{header.title} is for {header.most_sides} sides, not {len(players)}"
            raise user_error("{few}: combine allies into one army, or choose another game", few=few)
        journal = Journal(path, clock, is_kept=is_kept)
        try:
            if journal.entries():
                raise user_error("{path} already holds a battle: open it or choose another name", path=path)
            journal.append(begun.kind, begun.to_body(), begun.version)
            return cls(journal, game=opened)
        except UserError:
            journal.close()
            raise

    @classmethod
    def open(cls, path: Path, clock: Clock, step: Step = no_step) -> Battle:
        """Open a stored battle.

        Args:
            path: Its file.
            clock: Seconds, stored with every entry.
            step: Receives the progress and may cancel.

        Raises:
            Damaged: if the file is damaged but a copy can continue from a part of it, see `rules.battle.recovery`.
            Cancelled: if `step` raises it.
            UserError: if there is no battle, or the file is damaged beyond repair, not a journal, of a newer program or
                too large. The file stays unchanged.
        """
        if not os.path.isfile(path) or path.stat().st_size == 0:
            raise user_error("there is no battle in {path}: choose another file or begin a new battle", path=path)
        journal = Journal(path, clock)
        try:
            return cls(journal, step)
        except (Damaged, Cancelled):
            journal.close()
            raise
        except UserError as refusal:
            kept = 0 if journal.is_checked else len(valid_beginning(journal.entries()))
            journal.close()
            if kept:
                raise Damaged(path, str(refusal), kept, 0) from refusal
            raise user_error("the battle {path} cannot be read: {reason}", path=path, reason=refusal) from refusal

    @property
    def path(self) -> Path:
        """The battle's file."""
        return self._journal.path

    @property
    def remark(self) -> str:
        """A warning about the file for the players, as a sentence; empty if there is none."""
        return self._journal.remark

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All entries of the journal, undone ones included."""
        return self._entries

    @property
    def events(self) -> Mapping[int, Event]:
        """All events by entry number, undone ones included."""
        return MappingProxyType(self._events)

    @property
    def state(self) -> State:
        """The current state."""
        return self._history.state

    @property
    def in_force(self) -> Mapping[int, Event]:
        """The events in force (not undone), in order, by entry number."""
        return {entry.seq: self._events[entry.seq] for entry in self._history.in_force}

    @property
    def can_undo(self) -> str | None:
        """Label of the event that `undo` would take back, or None; the beginning of the battle cannot be undone."""
        return self._label(self._history.to_undo)

    @property
    def can_redo(self) -> str | None:
        """Label of the event that `redo` would restore, or None."""
        return self._label(self._history.to_redo)

    def _label(self, entry: Entry | None) -> str | None:
        return None if entry is None else label(self._events[entry.seq])

    def record(self, event: Event) -> Entry:
        """Append an event to the journal and apply it to the state.

        Raises:
            UserError: if the event does not fit the current state, or the disk is full; then nothing has changed.
        """
        fold(self.state, event)
        if isinstance(event, UnitJoined):
            check_card(self.game, event.figure, event.card)
        if isinstance(event, VerdictOverruled) and event.entry not in self.in_force:
            raise user_error("entry {entry} cannot be overruled: it does not exist or was undone", entry=event.entry)
        return self._append(event.kind, event.to_body(), event.version)

    def record_all(self, events: Iterable[Event]) -> None:
        """Append several events, each as its own entry, in one transaction.

        Raises:
            UserError: as `record`; then none of them is stored.
        """
        entries, history, committed = self._entries, self._history, False
        try:
            with self._journal.together():
                for event in events:
                    self.record(event)
            committed = True
        finally:
            if not committed:
                for entry in self._entries[len(entries) :]:
                    self._events.pop(entry.seq, None)
                self._entries, self._history = entries, history

    def asking(
        self,
        action: str,
        given: Mapping[str, Any],
        applies: Applied = _no_effects,
        by: Sequence[str] = (),
        title: str = "",
        at: Sequence[str] = (),
    ) -> Procedure[Verdict]:
        """Ask the game for dice, and store the question, faces, verdict and effects in one entry.

        Dice may arrive one throw at a time; a procedure that is closed early stores nothing.

        Args:
            action: Name of a rule of the game.
            given: The facts, in values that JSON can store.
            applies: Computes the effects of the verdict.
            by: Figures that act.
            title: The action's title for the players.
            at: Figures that are attacked.

        Raises:
            RuleRefusal: as `Game.begin` and `rules.engine.dice.rolled`; then nothing has happened.
            UserError: as `record`.
        """
        for figure in by:
            self.state.unit(figure)  # raises for an unknown figure before any dice are rolled
        verdict, throws = yield from recorded(self.game.begin(action, given))
        asked = ActionResolved(
            action=action,
            given=plain(given),
            by=tuple(by),
            throws=throws,
            verdict=VerdictRecord.of(verdict),
            effects=applies(verdict),
            title=title,
            at=tuple(at),
        )
        self.record(asked)
        return verdict

    def undo(self) -> str | None:
        """Undo the last event; its label, or None if only the beginning is left."""
        return self._toggle(UNDO, self._history.to_undo)

    def redo(self) -> str | None:
        """Redo the event that was undone last; its label, or None if there is none."""
        return self._toggle(REDO, self._history.to_redo)

    def go_to(self, seq: int) -> int:
        """Undo or redo until this entry is the last one in force; returns the number of steps.

        Every step is stored as its own entry, all of them in one transaction.

        Raises:
            UserError: if the entry cannot be redone, or the disk is full; then nothing has changed.
        """
        steps = [one for one in self._history.in_force if one.kind not in EXTERNAL_EVENTS]
        again = self._history.undone[::-1]
        held = [one.seq for one in steps]
        if seq in held:
            turns = [(UNDO, one) for one in reversed(steps[held.index(seq) + 1 :])]
        elif seq in (coming := [one.seq for one in again]):
            turns = [(REDO, one) for one in again[: coming.index(seq) + 1]]
        else:
            raise user_error("the battle cannot return to entry {seq}: choose another entry", seq=seq)
        bodies = [(kind, {"entry": one.seq, "what": label(self._events[one.seq])}) for kind, one in turns]
        self._apply(self._journal.append_all(bodies))
        return len(turns)

    def together(self) -> AbstractContextManager[None]:
        """A transaction: all changes within it reach the disk when it ends, or, after an error, none."""
        return self._journal.together()

    def snapshot(self) -> bytes:
        """The content of the battle's file, for a copy."""
        return self._journal.snapshot()

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _append(self, kind: str, body: Mapping[str, Any], version: int = 1) -> Entry:
        entry = self._journal.append(kind, body, version)
        self._apply((entry,))
        return entry

    def _apply(self, entries: tuple[Entry, ...]) -> None:
        """Update the state with entries that are on the disk."""
        self._entries = (*self._entries, *entries)
        self._events.update(events_of(entries))
        self._history = self._history.after(entries, self._events)

    def _toggle(self, kind: str, entry: Entry | None) -> str | None:
        name = self._label(entry)
        if entry is not None:
            self._append(kind, {"entry": entry.seq, "what": name})
        return name


def game_of(state: State) -> Game[Any]:
    """The game of a battle, with its options and house rules.

    Raises:
        UserError: if this program does not have the game, or the house rules do not fit it.
    """
    if not state.house_rules:
        return open_game(state.game).choosing(**state.options)
    check_needs_no_file(state.house_rules, _HOUSE_RULES)
    with TemporaryDirectory() as folder:
        file = Path(folder) / _HOUSE_RULES
        file.write_text(state.house_rules, encoding="utf-8")
        return open_game(state.game, file).choosing(**state.options)


def _house_rules_text(game: str, path: Path) -> str:
    """The text of a file of house rules that depends on no other file, because a battle carries its own rules."""
    text = rules_text(path)
    check_needs_no_file(text, path.name)
    open_game(game, path)
    return text


def recorded(procedure: Procedure[Verdict]) -> Procedure[tuple[Verdict, tuple[Throw, ...]]]:
    """The same procedure, which returns its verdict with every throw of dice on the way."""
    throws: list[Throw] = []
    try:
        request = next(procedure)
        while True:
            roll = yield request
            throws.append(Throw.of(request, roll))
            request = procedure.send(roll)
    except StopIteration as end:
        return end.value, tuple(throws)
