"""Dice requests as text, the faces that players type, and actions whose dice are being rolled. No Qt here."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from rules.engine.action import Action
from rules.engine.dice import Dice, DiceRequest, Die, Procedure, Roll, rolled
from rules.engine.position import Position
from rules.engine.preview import ActionPreview
from rules.engine.verdict import Verdict
from ui.battle.battle_session import BattleSession
from ui.formatting import capitalized
from ui.rules_text import readable, roller_words
from ui.translation import tr

_FUDGE = {"-": -1, "minus": -1, "0": 0, "blank": 0, "b": 0, "+": 1, "plus": 1}
"""Accepted in every language, in addition to the player's own words for the faces."""
_EXAMPLES = {Die.D6: ("2", "5", "3", "6"), Die.FUDGE: ("-", "0", "+", "+")}


def request_words(request: DiceRequest) -> str:
    """The dice, the figure and the purpose of the roll, such as "2 six-sided dice for Green 1: the attack"."""
    dice, who = dice_words(request.die, request.count), roller_words(request.for_whom)
    return tr("{dice} for {who}: {why}", dice=dice, who=who, why=readable(request.why))


def dice_words(die: Die, count: int) -> str:
    """Dice as text, such as "2 six-sided dice"."""
    fudge = die is Die.FUDGE
    if count == 1:
        return tr("1 Fudge die") if fudge else tr("1 six-sided die")
    return tr("{count} Fudge dice", count=count) if fudge else tr("{count} six-sided dice", count=count)


def hint_words(die: Die, count: int) -> str:
    """The hint in the field for typed faces, such as "Type the die, e.g. 2"."""
    example = " ".join(_EXAMPLES[die][: min(count, 4)])
    if count == 1:
        return tr("Type the die, e.g. {example}", example=example)
    return tr("Type the {count} dice, e.g. {example}", count=count, example=example)


def face_words(die: Die, face: int) -> str:
    """A face as text: "4" or, on a Fudge die, "plus", "blank" or "minus"."""
    return {1: tr("plus"), 0: tr("blank"), -1: tr("minus")}[face] if die is Die.FUDGE else str(face)


def roll_words(request: DiceRequest, faces: tuple[int, ...]) -> str:
    """A roll as text, such as "Green 1: 4, 2"."""
    shown = ", ".join(face_words(request.die, face) for face in faces)
    return tr("{who}: {faces}", who=capitalized(roller_words(request.for_whom)), faces=shown)


def thrown_words(request: DiceRequest, faces: tuple[int, ...]) -> str:
    """The same for dice that are drawn or that need little room: the total of Fudge dice, such as "The tank: +2"."""
    if request.die is not Die.FUDGE:
        return roll_words(request, faces)
    return tr("{who}: {faces}", who=capitalized(roller_words(request.for_whom)), faces=f"{sum(faces):+d}")


def typed_faces(die: Die, text: str) -> list[int]:
    """The faces that a player typed, such as "6 3", "6,3" or "63", or "- 0 +" and "-1 0 1"; the rest is ignored."""
    words = text.lower().replace(",", " ").split()
    if die is Die.FUDGE:
        faces = _FUDGE | {face_words(die, face).lower(): face for face in die.faces}
        return [face for word in words for face in _fudge_faces(word, faces)]
    if len(words) == 1 and words[0].isdecimal() and len(words[0]) > 1:
        words = list(words[0])  # typed without spaces
    return [int(word) for word in words if word.lstrip("+-").isdecimal()]


def _fudge_faces(word: str, faces: Mapping[str, int]) -> Iterator[int]:
    """Parse "-1", "minus", "blank", or a row of signs such as "+-0+"."""
    if word.lstrip("+-").isdecimal() and word.lstrip("+-").strip("0"):
        yield int(word)
    elif word in faces:
        yield faces[word]
    else:
        yield from (_FUDGE[sign] for sign in word if sign in _FUDGE)


def virtual_dice(chance: random.Random) -> Dice:
    """Dice that the program rolls."""
    return lambda request: rolled(request, (chance.choice(request.die.faces) for _ in range(request.count)))


PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Places of the pips (right, down) of each face, in steps from its middle; a step is 0.26 of its side."""


Throws = tuple[tuple[DiceRequest, Roll], ...]
"""Dice that were rolled, each with its request."""


def needs_dice(preview: ActionPreview) -> bool:
    """Whether dice decide a possible action."""
    unknown = not preview.action.has_odds and preview.before is None
    return preview.possible and (unknown or len(preview.odds) > 1 or bool(preview.odds_of))


def alike(action: Action, others: Sequence[ActionPreview]) -> tuple[Action, ...]:
    """The obligations of an action's kind that can be rolled now, such as all morale checks; empty if none is owed."""
    kind = [one for one in others if action.owed and one.action.owed and one.action.name == action.name]
    return tuple(one.action for one in kind if one.possible and not one.ambiguities)


class RollingAction:
    """Leads an action through its dice. A roll is final; the battle changes only with the last one.

    Attributes:
        action: The action.
        position: The position in which it was begun.
        request: The dice that it needs next; None after the last roll, or if it was cancelled.
        throws: The rolls so far.
        verdict: The result, once all dice are rolled.
    """

    def __init__(self, play: BattleSession, position: Position, action: Action) -> None:
        """Begin an action; raises as `BattleSession.do`, also in `answer`."""
        self.action, self.position, self._play = action, position, play
        self.request: DiceRequest | None = None
        self.throws: Throws = ()
        self.verdict: Verdict | None = None
        self._procedure: Procedure[Verdict] = play.doing(position, action)
        self._advance(None)

    @property
    def may_cancel(self) -> bool:
        """Whether the players may take the action back: until the first die is rolled."""
        return self.request is not None and not self.throws

    @property
    def more_follows(self) -> bool:
        """Whether it may ask for more dice after this request."""
        rolls = [roll for _, roll in self.throws]
        return self.request is not None and self._play.asks_again(self.position, self.action, rolls, self.request)

    @property
    def same(self) -> tuple[Action, ...]:
        """The rolls of its kind that the phase still needs, such as all morale checks; empty if none is needed."""
        return alike(self.action, self._play.owed(self._now)) if self.action.owed else ()

    def following(self, done: Collection[str]) -> RollingAction | None:
        """The next roll of its kind whose words are not in `done`, begun; None after the last."""
        action = next((one for one in self.same if one.words not in done), None)
        return None if action is None else RollingAction(self._play, self._now, action)

    @property
    def _now(self) -> Position:
        """The position after what has happened since it was begun."""
        return replace(self.position, state=self._play.battle.state)

    def answer(self, roll: Roll) -> None:
        """Use a roll for the current request."""
        if self.request is not None:
            self.throws = (*self.throws, (self.request, roll))
            self._advance(roll)

    def answer_all(self, dice: Dice) -> None:
        """Roll everything that is left."""
        while self.request is not None:
            self.answer(dice(self.request))

    def cancel(self) -> None:
        """End it without a result; nothing has happened in the battle."""
        self.request = None
        self._procedure.close()

    def _named(self, request: DiceRequest) -> DiceRequest:
        """The request with the acting figure where the rule names its card, such as "Knavely Knave follower"."""
        state, who = self.position.state, request.for_whom
        is_name = who.startswith("the ") or who in state.units or who in state.sides
        return request if is_name or len(self.action.by) != 1 else replace(request, for_whom=self.action.by[0])

    def _advance(self, roll: Roll | None) -> None:
        self.request = None  # also if the rules or the disk refuse it
        try:
            self.request = self._named(next(self._procedure) if roll is None else self._procedure.send(roll))
        except StopIteration as end:
            self.verdict = end.value
