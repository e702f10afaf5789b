"""Armies as groups of figures of one colour: accepting, naming, merging and splitting them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from tests.ui.views import figure, view_of
from ui.session import TableState
from ui.setup.armies import OneColour, accepted, another_army, armies_of, merged, one_colour_words, renamed, split
from ui.table.corrections import Added, ArmyChanged, Confirmed, corrected
from vision.palette import army_names
from vision.separation import Separation
from vision.setup import Setup
from vision.stock_colours import PLASTIC_BGR, stock_colour
from vision.tracks import Tracking

NAMES = ("tan", "green", "grey", "blue")
PLACES = [(4.0 + 2.0 * k, 8.0) for k in range(6)]


def colours(*names):
    """A palette with a different plastic for each name; a repeated name gets another plastic."""
    return tuple(replace(stock_colour(NAMES[k]), name=name, samples=100 + k) for k, name in enumerate(names))


def known(*names):
    return TableState(Setup(palette=colours(*names)))


def painted(army, *plastics, noise=2.0):
    """A view of figures of these plastics, all assigned to one army."""
    figures = [figure(f"{army}-{k + 1}", *PLACES[k]) for k in range(len(plastics))]
    view = view_of(*figures)
    image = np.full((800, 1000, 3), (60, 90, 130), np.uint8)
    for plastic, place in zip(plastics, PLACES, strict=False):
        x, y = view.calibration.camera.table_to_pixel((*place, 0.5))[0]
        cv2.circle(image, (round(x), round(y)), 40, PLASTIC_BGR[plastic], -1)
    grain = np.random.default_rng(1).normal(0, noise, image.shape)
    return replace(view, frame=replace(view.frame, image_bgr=np.clip(image + grain, 0, 255).astype(np.uint8)))


def plastics(state):
    """The plastics of each army, identified by their numbers of pixels."""
    armies = army_names(state.setup.palette)
    return {army: {c.samples for c in state.setup.palette if c.name == army} for army in armies}


def test_proposed_groups_are_accepted_unchanged():
    view = replace(view_of(), proposed=colours("tan", "green"))
    after = accepted(view, TableState())
    assert army_names(after.setup.palette) == ("green", "tan")
    assert {id(c) for c in after.setup.palette} == {id(c) for c in view.proposed}


def test_changing_one_proposed_group_accepts_the_others():
    view = replace(view_of(), proposed=colours("tan", "green", "grey"))
    assert army_names(renamed(view, TableState(), "tan", " Desert Rats ").setup.palette) == (
        "Desert Rats",
        "green",
        "grey",
    )
    assert plastics(merged(view, TableState(), "tan", ["grey"])) == {"green": {101}, "tan": {100, 102}}


@pytest.mark.parametrize("name", ["", "   ", "a" * 31, "two\nlines"])
def test_an_invalid_army_name_is_rejected(name):
    with pytest.raises(UserError, match="An army's name has 1 to 30 letters"):
        renamed(view_of(), known("tan"), "tan", name)


def test_an_army_cannot_be_renamed_to_a_taken_name():
    with pytest.raises(UserError, match="select both and press Merge"):
        renamed(view_of(), known("tan", "green"), "tan", "green")


@given(st.lists(st.sampled_from(["A", "B", "C"]), min_size=2, max_size=4))
def test_renaming_back_restores_the_state(names):
    state, view = known(*names), view_of()
    there = renamed(view, state, names[0], "Rangers")
    assert "Rangers" in plastics(there)
    assert names[0] not in plastics(there)
    assert plastics(renamed(view, there, "Rangers", names[0])) == plastics(state)


@given(st.lists(st.sampled_from(["A", "B", "C"]), min_size=2, max_size=4), st.data())
def test_merging_keeps_all_plastics(names, data):
    state = known(*names)
    armies = army_names(state.setup.palette)
    chosen = data.draw(st.lists(st.sampled_from(armies), min_size=1, unique=True))
    after = plastics(merged(view_of(), state, chosen[0], chosen[1:]))
    before = plastics(state)
    assert after.pop(chosen[0]) == set.union(*(before[army] for army in chosen))
    assert after == {army: own for army, own in before.items() if army not in chosen}


@given(st.lists(st.sampled_from(["A", "B", "C"]), min_size=2, max_size=4))
def test_repeated_splitting_restores_all_plastics(names):
    state, view = known(*names), view_of()
    for army in army_names(state.setup.palette):
        while len(plastics(state)[army]) > 1:
            before = plastics(state)
            state, new = split(view, state, army)
            after = plastics(state)
            assert new not in before
            assert after[army] | after[new] == before[army]
    assert sorted(map(len, plastics(state).values())) == [1] * len(names)


def test_splitting_removes_the_least_learned_plastic():
    palette = tuple(
        replace(colour, samples=samples) for colour, samples in zip(colours("A", "A"), (200, 50), strict=True)
    )
    after, new = split(view_of(), TableState(Setup(palette=palette)), "A")
    assert plastics(after) == {"A": {200}, new: {50}}


def test_an_army_is_split_by_its_figures_colours():
    view = painted("tan", "tan", "tan", "tan", "brown", "brown")
    after, new = split(view, known("tan", "green"), "tan")
    assert new == "brown", "the smaller part is the new army"
    found = {colour.name: colour for colour in after.setup.palette}
    assert set(found) == {"tan", "brown", "green"}
    for army in ("tan", "brown"):
        assert np.abs(found[army].mean[:2] - stock_colour(army).mean[:2]).max() < 0.05


def test_the_clicked_figure_is_in_the_new_army():
    view = painted("tan", "tan", "tan", "tan", "brown", "brown")
    after, new = split(view, known("tan"), "tan", view.figures[0])
    moved = next(colour for colour in after.setup.palette if colour.name == new)
    assert np.abs(moved.mean[:2] - stock_colour("tan").mean[:2]).max() < 0.05
    both = TableState(Setup(palette=(stock_colour("tan"), replace(stock_colour("brown"), name="tan"))))
    for clicked, plastic in ((0, "tan"), (4, "brown")):
        after, new = split(view, both, "tan", view.figures[clicked])
        moved = next(colour for colour in after.setup.palette if colour.name == new)
        assert np.allclose(moved.mean, stock_colour(plastic).mean)


@pytest.mark.parametrize("soldiers", [["tan"] * 5, ["tan"], []])
def test_figures_of_one_colour_are_not_split(soldiers):
    with pytest.raises(OneColour, match="Tan: all soldiers are nearly the same colour"):
        split(painted("tan", *soldiers), known("tan"), "tan")


def test_one_figure_can_be_moved_to_a_new_army():
    view = view_of(figure("tan-1", 4, 8), figure("tan-2", 8, 8))
    state = known("tan", "green")
    one = another_army(view, state, view.figures[1])
    assert one.id == "tan-2"
    assert one.army not in armies_of(view, state)
    state = replace(state, corrections=(one,))
    view = replace(view, tracking=corrected(view.tracking, state.corrections))
    assert armies_of(view, state) == ("tan", "green", one.army)
    assert armies_of(view_of(), state) == ("tan", "green"), "none of its figures is visible"


def test_corrections_follow_a_renamed_army():
    seen = Tracking(figures=(figure("tan-1", 4, 8), figure("tan-2", 8, 8), figure("green-1", 12, 8)))
    state = replace(
        known("tan", "green"),
        corrections=(
            ArmyChanged("green-1", "tan", "tan-3"),
            Added(figure("tan-4", 14, 8)),
            Confirmed("tan-2"),  # the track keeps this id
        ),
    )
    view = replace(view_of(), tracking=corrected(seen, state.corrections))
    after = renamed(view, state, "tan", "Rangers")
    armies = {one.id: one.army for one in corrected(seen, after.corrections).figures}
    assert armies.pop("tan-1") == "tan", "vision itself assigns it to the Rangers"
    assert set(armies.values()) == {"Rangers"}
    assert len(armies) == 3


def test_advice_is_given_for_armies_of_one_colour():
    one = replace(view_of(), proposed=colours("tan"))
    assert one_colour_words(one).startswith("They are all one colour. If they are two armies, right-click")
    alike = (Separation("tan", "green", 0.6, False), Separation("tan", None, 0.1, False))
    two = replace(view_of(), proposed=colours("tan", "green"), separations=alike)
    assert one_colour_words(two).startswith("Tan and green are nearly the same colour.")
    well = (Separation("tan", "green", 0.95, False),)
    assert one_colour_words(replace(two, separations=well)) == ""
    assert one_colour_words(replace(two, proposed=colours("tan", "grey"))) == "", "green is not an army any more"
