"""The networks' files, and which hints the reader looks at."""

from importlib import resources

import numpy as np

from tests.vision.dice.pictures import Drawn, Eye, draw
from vision.dice.networks import FACES, NOTHING, DiceNetworks, DieHint
from vision.dice.pyramid import Pyramid

EYE = Eye(size=(200, 200), side_px=60)


def test_the_networks_are_small() -> None:
    files = [file for file in resources.files("vision.dice").iterdir() if file.name.endswith(".onnx")]
    assert {file.name for file in files} == {"dice_finder.onnx", "face_reader.onnx"}
    assert sum(len(file.read_bytes()) for file in files) < 1_500_000


def hint(right_px: float, side_px: float, chance: float) -> DieHint:
    """A hint to the right of the picture's centre, where the die lies."""
    return DieHint(np.array([99.5 + right_px, 99.5]), side_px, chance)


def test_a_hint_on_a_die_that_was_read_is_not_read() -> None:
    """25 px is less than 0.55 of the smaller side, 50 px: the hint is on the die."""
    picture = Pyramid(draw([Drawn(face=4)], EYE))
    [face] = DiceNetworks().read(picture, [hint(25, 50, 0.5), hint(0, 60, 0.9)])
    assert FACES[int(face.chances.argmax())] == 4


def test_a_hint_is_read_if_the_likelier_one_on_it_was_no_die() -> None:
    picture = Pyramid(draw([], EYE))
    faces = DiceNetworks().read(picture, [hint(25, 50, 0.5), hint(0, 60, 0.9)])
    assert [int(face.chances.argmax()) for face in faces] == [NOTHING, NOTHING]
