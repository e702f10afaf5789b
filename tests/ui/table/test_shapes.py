"""Templates in the sizes of the games, and how they are laid."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rules.games import open_game
from rules.tabletop.template import Blast, Flame, Strip, Wedge
from tests.ui.picture.test_overlay import view_of
from tests.ui.tables import soldier
from ui.measuring import covered
from ui.table.shapes import USUAL, Form, TemplateKind, forms, start_of, template_words

ARMY_MEN, PLASTIC_FUDGE, WW2 = (open_game(n) for n in ("army_men", "plastic_fudge", "simple_plastic_figure"))


@pytest.mark.parametrize(
    ("game", "kind", "sizes"),
    [
        (ARMY_MEN, TemplateKind.BLAST, [(3, 0), (4.5, 0), (6, 0)]),  # AM-52 to 60: 6, 9 and 12 in across
        (ARMY_MEN, TemplateKind.FLAME, [(12, 6)]),  # AM-55: 1 ft, 6 in wide at its end
        (ARMY_MEN.choosing(blast_size="radius"), TemplateKind.BLAST, [(6, 0), (9, 0), (12, 0)]),
        (PLASTIC_FUDGE, TemplateKind.BLAST, [(1.75, 0), (3.5, 0)]),  # discs of 3.5 and 7 in across
        (PLASTIC_FUDGE, TemplateKind.WEDGE, [(3, 45)]),  # PF-05
        (WW2, TemplateKind.BLAST, [(3, 0), (3.5, 0), (4, 0), (4.5, 0), (5, 0), (5.5, 0), (6, 0)]),  # WW-38, by radius
    ],
)
def test_a_game_offers_its_own_sizes(game, kind: TemplateKind, sizes: list[tuple[float, float]]) -> None:  # type: ignore[no-untyped-def]
    assert [(form.length_in, form.width) for form in forms(kind, (game,))] == sizes


def test_without_own_templates_the_default_is_offered() -> None:
    assert forms(TemplateKind.WEDGE, (ARMY_MEN,)) == (USUAL[TemplateKind.WEDGE],)
    several = forms(TemplateKind.BLAST, (ARMY_MEN, PLASTIC_FUDGE))
    assert several[0] == USUAL[TemplateKind.BLAST]
    assert "Army Men: grenade" in next(form for form in several[1:] if form.length_in == 3).words


def test_each_kind_is_laid_from_start_towards_a_place() -> None:
    at, up = (10.0, 10.0), (10.0, 30.0)
    assert Form(TemplateKind.BLAST, 3).laid(at, up) == Blast(at, 3)
    assert Form(TemplateKind.WEDGE, 6, 45).laid(at, up) == Wedge(at, 90, 6, 45)
    assert Form(TemplateKind.FLAME, 12, 6).laid(at, up) == Flame(at, 90, 12, 6)
    strip = Form(TemplateKind.STRIP, 12, 1).laid(at, up)
    assert isinstance(strip, Strip)
    assert strip.path_in[1] == pytest.approx((10, 22))
    assert template_words(strip) == "strip of 12 in, 1 in wide"


@given(st.floats(0.01, 1000))
def test_a_typed_size_is_limited(size: float) -> None:
    form = Form(TemplateKind.FLAME, 12, 6).of_length(size)
    assert 0.5 <= form.length_in <= 48
    assert start_of(form.laid((1, 2), (3, 4))) == (1, 2)


def test_the_figure_that_lays_a_wedge_is_not_under_it() -> None:
    view = view_of(soldier("green-1", 10, 10), soldier("tan-1", 13, 10))
    assert [hit.id for hit in covered(view, Wedge((10, 10), 0, 6, 45))] == ["tan-1"]
    assert [hit.id for hit in covered(view, Blast((10, 10), 6))] == [
        "green-1",
        "tan-1",
    ]  # a blast includes the figure at its centre
