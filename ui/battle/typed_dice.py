"""Dice requests as text, the faces that players type, and the pips of a die."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rules.engine.dice import DiceRequest, Die
from rules.engine.text import readable, roller_words
from ui.formatting import capitalized
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


PIPS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}
"""Places of the pips (right, down) of each face, in steps from its middle; a step is 0.26 of its side."""
