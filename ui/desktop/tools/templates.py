"""Tools that lay templates: a disc by one click, a wedge, flame or strip by where it starts and whither it goes."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from rules.engine.game import Game
from rules.games import GAMES, open_game
from rules.tabletop.template import Template
from ui.desktop.tools.tool import PickResult, PlainTool
from ui.desktop.translation import tr
from ui.picture.overlay import PointPx, Preview
from ui.session import End, Session
from ui.table.shapes import USUAL, Form, Kind, forms

_HALF_SIGHT_IN = 1.0


class FormShelf:
    """The shapes that can be laid: those of the battle's game, else of all games, opened when they are asked for."""

    def __init__(self, played: Callable[[], Game[Any] | None]) -> None:
        """`played` is the battle's game; None where no battle is on."""
        self._played = played

    def first(self, kind: Kind) -> Form:
        """What is in hand to begin with."""
        game = self._played()
        return forms(kind, (game,))[0] if game is not None else USUAL[kind]

    def every(self, kind: Kind) -> tuple[Form, ...]:
        """All of them, the first one first."""
        game = self._played()
        return forms(kind, (game,)) if game is not None else self._of_all[kind]

    @cached_property
    def _of_all(self) -> dict[Kind, tuple[Form, ...]]:
        games: tuple[Game[Any], ...] = tuple(open_game(name) for name in GAMES)
        return {kind: forms(kind, games) for kind in Kind}


class TemplateTool(PlainTool):
    """Lays templates of one kind, in the sizes of the games or one of the players'.

    Attributes:
        form: What would be laid.
    """

    takes_wheel = True

    def __init__(self, session: Session, kind: Kind, shelf: FormShelf) -> None:
        self.name = str(kind)
        self._session, self._kind, self._shelf = session, kind, shelf
        self._start: End | None = None
        self._laid: tuple[PointPx, Form] | None = None
        self._chosen: Form | None = None

    @property
    def form(self) -> Form:
        """What would be laid."""
        return self._chosen or self._shelf.first(self._kind)

    @property
    def in_progress(self) -> bool:
        """Whether it is fixed at one end."""
        return self._start is not None

    @property
    def hint(self) -> str:
        """What to do next."""
        what = tr(
            "{form}. The wheel, + and - or a number change it; the tool again: the next of the games'.",
            form=self.form.words,
        )
        if self._kind is Kind.BLAST:
            return tr("Click to lay a {what}", what=what)
        if self._start is None:
            return tr("Click the soldier, or the place, where it starts: {what}", what=what)
        return tr("Click whither it goes: {what}", what=what)

    def press(self, at: PickResult) -> None:
        """Lay a disc; of the others, fix where it starts, then lay it."""
        if at.place_in is None or at.end is None:
            return
        if self._kind is not Kind.BLAST and self._start is None:
            self._start = at.end
        elif (template := self._template(at)) is not None:
            self._session.lay(template)
            self._laid, self._start = (at.px, self.form), None

    def _template(self, at: PickResult) -> Template | None:
        """What a click there would lay."""
        place = at.place_in
        if place is None:
            return None
        if self._kind is Kind.BLAST:
            return self.form.laid(place, place)
        toward = at.figure.centre_in if at.figure else place
        if self._start is None:
            start = toward
            return self.form.laid(start, (start[0] + _HALF_SIGHT_IN, start[1]))
        begin = at.place_of(self._start)
        return self.form.laid(begin, toward) if begin is not None else None

    def turn(self, steps: int) -> None:
        """Larger or smaller, by half an inch."""
        self._chosen = self.form.longer(steps)

    def number(self, value: float) -> None:
        """So large, in inches."""
        self._chosen = self.form.of_length(value)

    def again(self) -> None:
        """The next of the games' sizes."""
        every = self._shelf.every(self._kind)
        at = next((n for n, form in enumerate(every) if form == self.form), -1)
        self._chosen = every[(at + 1) % len(every)]

    def cancel(self) -> bool:
        """Let go of where it starts."""
        had, self._start = self._start is not None, None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The template as it would be laid; none where it has just been laid, until the mouse moves on."""
        if at is None or at.place_in is None or self._laid == (at.px, self.form):
            return Preview()
        picked = self._start if isinstance(self._start, str) else None
        pin_in = None if isinstance(self._start, str) else self._start
        return Preview(picked=picked, pin_in=pin_in, template=self._template(at))
