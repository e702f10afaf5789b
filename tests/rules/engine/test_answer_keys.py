"""The statuses that store players' answers: one for each figure, fact and target."""

from rules.engine.action import Action
from rules.engine.ambiguity import answer_key


def test_an_answer_about_one_place_is_no_answer_about_another() -> None:
    """Such as a man who enters two minefields in one move: each is asked about."""
    kinds = [
        Action("Step on a mine", "mine", {}, by=("green-1",), piece="Mines 1"),
        Action("Step on a mine", "mine", {}, by=("green-1",), piece="Mines 2"),
        Action("Step on a mine", "mine", {}, by=("green-1",), spot_in=(3.0, 4.0)),
        Action("Rifle", "rifle", {}, by=("green-1",), at=("tan-1",)),
        Action("Dig in", "dig", {}, by=("green-1",)),
    ]
    keys = [answer_key(one, "fell") for one in kinds]
    assert len(set(keys)) == len(kinds)
    assert keys[0] == "fell at Mines 1"
    assert keys[-1] == "fell"


def test_a_figure_that_carries_a_piece_of_terrain_to_another_is_the_target() -> None:
    action = Action("Load", "load", {}, by=("green-1",), at=("truck-1",), piece="Crate")
    assert answer_key(action, "room") == "room at truck-1"
