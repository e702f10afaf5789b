"""Rounds in which one figure after another is asked: morale, wounds, simultaneous fire, fire at whom one saw pass."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from rules.battle.event_codec import event_of
from rules.battle.journal import standing
from rules.engine.events import Asked, PhaseBegun, Ruled
from rules.engine.position import Moment
from rules.engine.referee import FIRE, Deed, prospect
from rules.engine.text import spoken
from ui.battle.battle_session import Play

PATIENCE = 2
"""How many are looked at before the window has its turn again."""


class Mark(StrEnum):
    """How it stands with a figure of a round."""

    OPEN = "open"
    DONE = "done"
    SKIPPED = "skipped"
    IDLE = "idle"


@dataclass(frozen=True, slots=True)
class Step:
    """A figure of a round.

    Attributes:
        figure: Its id.
        mark: How it stands with it.
    """

    figure: str
    mark: Mark

    @property
    def words(self) -> str:
        """As "✓ Tan 4" or "Tan 5, skipped"."""
        name = spoken(self.figure)
        after = {Mark.SKIPPED: ", skipped", Mark.IDLE: ", nothing to do"}
        return f"{'✓ ' if self.mark is Mark.DONE else ''}{name}{after.get(self.mark, '')}"


@dataclass(frozen=True, slots=True)
class Walk:
    """How a round stands.

    Attributes:
        name: Of the round.
        steps: Everybody in it, in the order in which they are asked.
        at: The one who is asked now, by his number; None where nobody is left.
        looking: Whether it is not known yet who is next.
    """

    name: str
    steps: tuple[Step, ...]
    at: int | None
    looking: bool = False

    @property
    def figure(self) -> str:
        """Who is asked now; empty where nobody is."""
        return self.steps[self.at].figure if self.at is not None else ""

    @property
    def words(self) -> str:
        """As "Morale, 3 of 5: Tan 4"."""
        if self.at is not None:
            return f"{self.name}, {self.at + 1} of {len(self.steps)}: {spoken(self.figure)}"
        if self.looking:
            return f"{self.name}: looking for the next …"
        left = sum(step.mark is Mark.SKIPPED for step in self.steps)
        return f"{self.name}: {f'{left} skipped' if left else 'all done'}"


def rounds(play: Play, moment: Moment) -> tuple[str, ...]:
    """The rounds that there may be now: what is owed first, then attacks of those who may have one."""
    if not moment.state.turn:
        return ()
    owed = dict.fromkeys(deed.round for deed in play.referee.duties(moment) if deed.round and deed.by)
    return (*owed, *(name for name in play.referee.rounds(moment) if name not in owed))


class Walker:
    """Leads through one round: knows who was asked, who is next, and whom the players passed over.

    Whether somebody has anything to attack takes long to find out, so it is asked only of who might be next.

    Attributes:
        name: Of the round.
    """

    def __init__(self, play: Play, name: str) -> None:
        """Begin a round; nobody is asked before the first `look`."""
        self.name = name
        self._play = play
        self._order: list[str] = []
        self._skipped: set[str] = set()
        self._idle: set[str] = set()
        self._done: set[str] = set()
        self._last = self._at = ""
        self._moment: Moment | None = None
        self._owed: dict[str, tuple[Deed, ...]] = {}

    def look(self, moment: Moment, patience: int = PATIENCE) -> Walk:
        """How the round stands now; who is done, or has nothing to do, gives way to the next.

        Args:
            moment: The battle now.
            patience: How many may be looked at; where that is not enough, the walk says that it is looking.
        """
        self._take(moment)
        for name in self._coming():
            if not patience:
                return self._walk(looking=True)
            patience -= 1
            if self._is_open(name):
                self._last = self._at = name
                return self._walk()
            self._idle.add(name)
        self._at = ""
        return self._walk()

    def deeds(self, moment: Moment) -> tuple[Deed, ...]:
        """What is asked of him whose turn it is."""
        self._take(moment)
        return self._deeds(self._at) if self._at else ()

    def skip(self, moment: Moment) -> Walk:
        """Pass over who is asked now; he can be come back to."""
        if self._at:
            self._skipped.add(self._at)
        return self.look(moment)

    def back(self, moment: Moment) -> Walk:
        """Come back to the last one before who is not done; from the first, to the last of all."""
        self._take(moment)
        here = self._order.index(self._at) if self._at else len(self._order)
        round_the_end = [*self._order[:here][::-1], *self._order[here + 1 :][::-1]]
        found = next((name for name in round_the_end if self._is_open(name)), "")
        return self.go(found, moment) if found else self.look(moment)

    def go(self, figure: str, moment: Moment) -> Walk:
        """Ask this one next, where there is anything to ask him."""
        if figure in self._order:
            self._skipped.discard(figure)
            self._idle.discard(figure)
            self._last = figure
        return self.look(moment)

    def _take(self, moment: Moment) -> None:
        """Look at the battle as it is now; where something was taken back, everybody may be asked again."""
        if moment is self._moment:
            return
        self._moment, done = moment, _done(self._play)
        if undone := [name for name in self._order if name in self._done - done]:
            self._idle.clear()
            self._last = undone[0]
        self._done = done
        owed = [deed for deed in self._play.referee.duties(moment) if deed.round == self.name and deed.by]
        self._owed = {deed.by[0]: tuple(one for one in owed if one.by[0] == deed.by[0]) for deed in owed}
        self._idle -= self._owed.keys()
        coming = self._owed if self.name not in self._play.referee.rounds(moment) else in_turn(moment)
        self._order += [name for name in coming if name not in self._order]

    def _coming(self) -> list[str]:
        """Who is asked now, and who after him, round the end."""
        here = self._order.index(self._last) if self._last in self._order else 0
        names = [*self._order[here:], *self._order[:here]]
        return [name for name in names if name not in self._skipped and name not in self._idle]

    def _deeds(self, figure: str) -> tuple[Deed, ...]:
        if figure in self._owed:
            return self._owed[figure]
        moment = self._moment
        if moment is None or figure not in moment.figures or moment.unit(figure).out:
            return ()
        every = self._play.referee.attacks(moment, figure)
        return tuple(deed for deed in every if (deed.round or FIRE) == self.name)

    def _is_open(self, figure: str) -> bool:
        return self._moment is not None and any(_possible(self._moment, deed) for deed in self._deeds(figure))

    def _walk(self, *, looking: bool = False) -> Walk:
        steps = tuple(Step(name, self._mark(name)) for name in self._order)
        at = None if looking or not self._at else self._order.index(self._at)
        return Walk(self.name, steps, at, looking)

    def _mark(self, name: str) -> Mark:
        if name in self._skipped:
            return Mark.SKIPPED
        if name != self._at and name in self._done:
            return Mark.DONE
        return Mark.IDLE if name in self._idle else Mark.OPEN


def in_turn(moment: Moment) -> list[str]:
    """Who may attack in this phase, in the order of the battle."""
    side = moment.state.side
    units = moment.state.units.values()
    return [unit.id for unit in units if unit.id in moment.figures and not unit.out and side in ("", unit.side)]


def _possible(moment: Moment, deed: Deed) -> bool:
    """Whether it may be done; its odds are not worked out for that, nor what is too close to call."""
    return prospect(moment, replace(deed, listed=False, measured=())).possible


def _done(play: Play) -> set[str]:
    """Who has done something since the phase began."""
    names: set[str] = set()
    for entry in reversed(standing(play.battle.entries)):
        event = event_of(entry)
        if isinstance(event, PhaseBegun):
            break
        if isinstance(event, (Asked, Ruled)):
            names |= set(event.by)
    return names
