"""Sentences about the armies' colours."""

from dataclasses import replace

import numpy as np
import pytest

from tests.ui.views import view_of
from ui.guide import GuideStep, Progress, TableStatus, Tick, guide
from ui.session import TableState
from ui.setup.armies import WITHOUT_EMPTY, separation_sentence, separation_words
from vision.palette import ArmyColour
from vision.separation import Separation
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
    assert words == (separation_sentence(TAN), separation_sentence(GREY))


@pytest.mark.parametrize(
    ("found", "sentence"),
    [
        (GREEN, "Green stands out well from this table."),
        (TAN, "Tan and this table look alike. Take a picture of the empty table, or add light."),
        (
            replace(TAN, empty_known=True),
            "Tan and this table look alike even with a picture of the empty table. Add light, or use",
        ),
        (replace(GREY, empty_known=True), "Grey is visible on this table, less reliably in shade. More light helps."),
        (PAIR, "Green and tan are easy to tell apart."),
        (replace(PAIR, score=0.5), "Green and tan look alike. Click more soldiers of each"),
    ],
)
def test_a_sentence_says_what_would_help(found, sentence):
    assert separation_sentence(found).startswith(sentence)
    assert separation_sentence(found, str.format) == separation_sentence(found), "English without a translation"


def test_a_missing_empty_table_is_mentioned():
    assert separation_words(view(GREEN), setup("green")) == (separation_sentence(GREEN), WITHOUT_EMPTY)


def test_all_is_well():
    words = separation_words(view(GREEN, PAIR), setup("green", "tan", reference_bgr=EMPTY))
    assert words == ("All armies stand out well from each other and from this table.",)


def test_a_forgotten_army_is_not_mentioned():
    words = separation_words(view(GREEN, TAN, PAIR), setup("green", reference_bgr=EMPTY))
    assert words == (separation_sentence(GREEN),)
    assert separation_words(view(), setup("green")) == (), "there was no search yet"


def test_the_guide_shows_similar_colours():
    now = TableStatus("demo", view(GREEN, GREY, TAN), TableState(setup("green", "grey", "tan")))
    ticks = guide(now, Progress().go_to(GuideStep.ARMIES)).ticks
    assert Tick(separation_sentence(TAN), False) in ticks
    assert Tick(separation_sentence(GREY), None) in ticks
    assert not any(separation_sentence(GREEN) == tick.words for tick in ticks)
