"""Sentences about the armies' colours."""

from dataclasses import replace

import numpy as np

from tests.ui.views import view_of
from ui.session import TableState
from ui.setup.colours import WITHOUT_EMPTY, separation_sentence, separation_words
from ui.setup.first_run import Progress, Standing, Step, Tick, guide
from vision.palette import ArmyColour
from vision.separation import Level, Separation
from vision.setup import Setup

EMPTY = np.zeros((2, 2, 3), np.uint8)
TAN = Separation("tan", None, 0.4, False)
GREEN = Separation("green", None, 0.9, False)
GREY = Separation("grey", None, 0.65, False)
PAIR = Separation("green", "tan", 0.97, False)


def setup(*names, **known):
    return Setup(palette=tuple(ArmyColour(name, np.zeros(3), np.eye(3), 100) for name in names), **known)


def view(*separations):
    return replace(view_of(), separations=separations)


def test_the_worst_separation_comes_first():
    words = separation_words(view(GREEN, GREY, TAN, PAIR), setup("green", "grey", "tan", reference_bgr=EMPTY))
    assert words == (TAN.sentence, GREY.sentence)


def test_sentences_are_those_of_the_report():
    pairs = [Separation("green", "tan", score, False) for score in (0.5, 0.8, 0.99)]
    tables = [Separation("tan", None, score, known) for score in (0.4, 0.65, 0.9) for known in (False, True)]
    assert {one.level for one in pairs} == {one.level for one in tables} == set(Level)
    for one in (*pairs, *tables):
        assert separation_sentence(one) == one.sentence


def test_a_missing_empty_table_is_mentioned():
    assert separation_words(view(GREEN), setup("green")) == (GREEN.sentence, WITHOUT_EMPTY)


def test_all_is_well():
    words = separation_words(view(GREEN, PAIR), setup("green", "tan", reference_bgr=EMPTY))
    assert words == ("All armies stand out well from each other and from this table.",)


def test_a_forgotten_army_is_not_mentioned():
    words = separation_words(view(GREEN, TAN, PAIR), setup("green", reference_bgr=EMPTY))
    assert words == (GREEN.sentence,)
    assert separation_words(view(), setup("green")) == (), "there was no search yet"


def test_the_guide_shows_similar_colours():
    now = Standing("demo", view(GREEN, GREY, TAN), TableState(setup("green", "grey", "tan")))
    ticks = guide(now, Progress().go_to(Step.ARMIES)).ticks
    assert Tick(TAN.sentence, False) in ticks
    assert Tick(GREY.sentence, None) in ticks
    assert not any(GREEN.sentence == tick.words for tick in ticks)
