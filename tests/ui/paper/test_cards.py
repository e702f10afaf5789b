"""Unit cards show the game's data, and no text leaves the card."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PyQt6.QtGui import QFont, QFontMetricsF, QGuiApplication
from PyQt6.QtWidgets import QApplication

from rules.engine.roster import Army, Recruit
from rules.games import GAMES, open_game
from rules.tabletop.errors import UserError
from ui.paper.cards import CARD_MM, FACES, UnitCard, army_cards, card_face, card_sheet, game_cards
from ui.paper.page import PAPERS_MM, Text


@pytest.fixture(autouse=True)
def application() -> QGuiApplication | None:
    return QApplication.instance() or QApplication(["test", "-platform", "offscreen"])


def card(game: str, name: str) -> UnitCard:
    names = list(open_game(game).rules.plain["cards"])
    return game_cards(open_game(game))[names.index(name)]


@pytest.mark.parametrize(("name", "count"), [(name, len(open_game(name).rules.plain["cards"])) for name in GAMES])
def test_every_ready_unit_has_a_card_with_its_rule(name: str, count: int) -> None:
    game = open_game(name)
    cards = game_cards(game)
    assert len(cards) == count
    for made, row in zip(cards, game.rules.plain["cards"].values(), strict=True):
        assert made.title
        assert made.kind
        assert made.values
        assert made.rules[0] == row["rule"]
        options = {option.rule for option in game.options.values()}
        assert set(made.rules) <= set(game.rules.header.rules) | options


def test_every_game_makes_cards() -> None:
    assert set(FACES) == set(GAMES)


def test_the_commander_of_plastic_fudge_pf_91() -> None:
    # ML Good 12 in by jeep, pistol AL Good +1 that reaches R2 = 6 in, DL Good, TL Superb; 118 and 50 points.
    made = card("plastic_fudge", "commander")
    assert made.values == (
        ("By jeep, Good", "12 in"),
        ("Defense, Good", "+1"),
        ("Training, Superb", "+3"),
        ("Points", "168"),
    )
    assert made.weapons == ("Pistol: reaches 6 in, attack +1 (Good)",)
    assert made.kind == "trooper, commander, binoculars"
    assert made.boxes == (("Injuries", 5),)  # from +1 down to Abysmal, -4 (PF-52, PF-54)


def test_the_radio_reaches_farther_than_the_pistol_pf_92() -> None:
    assert card("plastic_fudge", "radioman").weapons == (
        "Pistol: reaches 6 in, attack -1 (Mediocre)",
        "Radio: reaches R6 (Superb)",
    )


def test_the_mortar_costs_25_more_than_printed_and_needs_a_spotter_pf_107() -> None:
    made = card("plastic_fudge", "mortar")
    assert dict(made.values)["Points"] == "105"
    assert made.remarks == ("Cannot act without a spotter.", "Attacked hand to hand: AL -2, RL -3.")


def test_the_heavy_mortar_of_army_men_am_54() -> None:
    # 2 to 5 ft, attack 6, blast 9 in, crew 2, stationary, half move.
    made = card("army_men", "heavy_mortar_team")
    assert made.weapons == (
        "Heavy mortar: 24 to 60 in, attack 6, blast 9 in, crew 2, stationary, half move, over cover",
    )


def test_a_hero_has_three_lives_am_117() -> None:
    assert card("army_men", "hero").boxes == (("Lives", 3),)


def test_the_king_of_fudge_miniatures_fm_58() -> None:
    made = card("fudge_miniatures", "King Kingsley")
    assert made.title == "King Kingsley"
    assert made.values[:4] == (
        ("Strength, Great", "+2"),
        ("Dexterity, Good", "+1"),
        ("Guts, Good", "+1"),
        ("Movement", "5 in"),
    )
    assert made.values[4:] == (("MODF", "+7"), ("RODF", "N/A"), ("DDF", "+1"), ("HDDF", "+0"))
    assert made.weapons == ("Kingly Robes", "Sword of Smiting: 2h, damage +5")
    assert [count for _, count in made.boxes] == [2, 1, 1, 1, 1]  # FM-39


def test_the_sniper_of_simple_plastic_sp_22() -> None:
    made = card("simple_plastic", "sniper")
    assert made.values == (("Moves", "4 in"), ("Attacks", "2"), ("Dice", "1 each"), ("Kills on", "4+"))
    assert made.remarks[:2] == ("Serves alone.", "Cannot attack in a turn in which it moved.")


def test_a_nations_weapon_has_its_own_name_ww_37() -> None:
    assert card("simple_plastic_figure", "german_machine_gunner").weapons == (
        "MG34 or MG42: to 30 in, 4 shots, automatic +1",
    )
    assert card("simple_plastic_figure", "british_medium_machine_gunner").weapons[0].startswith("Vickers:")
    assert card("simple_plastic_figure", "american_bar_gunner").weapons == ("BAR: to 24 in, 3 shots, automatic +1",)


def test_an_option_changes_the_card_pf_a01() -> None:
    game = open_game("plastic_fudge").choosing(band_in=6)
    assert game_cards(game)[0].weapons == ("Pistol: reaches 12 in, attack +1 (Good)",)  # R2


ARMY = Army(
    name="Guards",
    game="plastic_fudge",
    recruits=(
        Recruit(figure="green-1", card="basic", squad="A"),
        Recruit(
            figure="green-2",
            own={"title": "Onkel Tom", "kind": "trooper", "ML": "Good", "RL": ["Fair"], "AL": ["Great"], "DL": "Poor"}
            | {"TL": "Fair", "weapons": ["rifle"]},
        ),
    ),
)


def test_an_army_card_names_figure_and_squad() -> None:
    first, own = army_cards(open_game("plastic_fudge"), ARMY)
    assert (first.title, first.figure, first.kind) == (
        "Basic Trooper",
        "green-1",
        "trooper, pose as it stands, squad A",
    )
    assert (own.title, own.figure) == ("Onkel Tom", "green-2")
    assert dict(own.values)["Points"] == "80"  # 20 + 10 + 35 + 5 + 10 (PF-14)


@pytest.mark.parametrize(
    ("recruit", "message"),
    [
        (Recruit(figure="green-9", card="elf"), "green-9 has the card 'elf', which Plastic Fudge lacks"),
        (Recruit(figure="green-9", own={"title": "?"}), "the card of green-9 lacks the key 'kind'"),
    ],
)
def test_an_invalid_card_is_rejected(recruit: Recruit, message: str) -> None:
    with pytest.raises(UserError, match=message):
        army_cards(open_game("plastic_fudge"), Army(name="x", game="plastic_fudge", recruits=(recruit,)))


def test_a_players_own_character_keeps_its_title() -> None:
    own = {"title": "Sam", "strength": 1, "dexterity": 0, "guts": 1, "movement_in": 5, "ddf": 0, "hddf": 0}
    army = Army(name="x", game="fudge_miniatures", recruits=(Recruit(figure="red-1", own=own),))
    assert army_cards(open_game("fudge_miniatures"), army)[0].title == "Sam"


@pytest.mark.parametrize("paper", PAPERS_MM)
@pytest.mark.parametrize("name", GAMES)
def test_text_stays_on_its_card_and_every_page_has_the_credit(name: str, paper: str) -> None:
    game = open_game(name)
    sheet = card_sheet(game_cards(game), game.title, game, paper)
    width, height = PAPERS_MM[paper]
    for page in sheet.pages:
        words = " ".join(text.words for text in page.texts)
        assert game.credit in words
        assert "a card is 92 x 60 mm" in words
        for text in page.texts:
            assert text.room_mm is not None
            left, right = _ends(text)
            assert left >= 10 - 1e-6
            assert right <= width - 10 + 1e-6
            assert text.at_mm[1] - 0.7 * text.size_mm >= 10
            assert text.at_mm[1] <= height - 10


def _ends(text: Text) -> tuple[float, float]:
    """The left and right end of a text, as `ui.desktop.paper` draws it."""
    font = QFont("sans-serif")
    font.setPixelSize(100)
    font.setBold(text.bold)
    width = QFontMetricsF(font).horizontalAdvance(text.words) * text.size_mm / 100
    width = width if text.room_mm is None else min(width, text.room_mm)
    before = {"left": 0.0, "centre": width / 2, "right": width}[text.align]
    return text.at_mm[0] - before, text.at_mm[0] - before + width


WORDS = st.text("abcdefg hij", min_size=1, max_size=120)


@given(
    title=WORDS,
    figure=st.text("green-1", max_size=20),
    weapons=st.lists(WORDS, max_size=6),
    remarks=st.lists(WORDS, max_size=4),
    values=st.lists(st.tuples(WORDS, WORDS), max_size=8),
    boxes=st.lists(st.tuples(st.text("abc", max_size=8), st.integers(0, 4)), max_size=4),
)
def test_any_amount_of_text_fits_the_card(
    title: str,
    figure: str,
    weapons: list[str],
    remarks: list[str],
    values: list[tuple[str, str]],
    boxes: list[tuple[str, int]],
) -> None:
    made = UnitCard(
        title=title,
        kind="kind",
        figure=figure,
        weapons=tuple(weapons),
        remarks=tuple(remarks),
        values=tuple(values),
        boxes=tuple(boxes),
    )
    face = card_face(made, (20.0, 30.0))
    for text in face.texts:
        assert 20 <= text.at_mm[0] <= 20 + CARD_MM[0]
        assert 30 <= text.at_mm[1] <= 30 + CARD_MM[1]
    for line in face.lines:
        assert min(line.start_mm[0], line.end_mm[0]) >= 20
        assert max(line.start_mm[0], line.end_mm[0]) <= 20 + CARD_MM[0] + 1e-9


@pytest.mark.parametrize("name", GAMES)
def test_the_ready_cards_are_legible_at_arms_length(name: str) -> None:
    # 2.4 mm of type are 7 points; most of it is 9 to 11.
    for made in game_cards(open_game(name)):
        body = [text for text in card_face(made, (0, 0)).texts if text.at_mm[1] > 14]
        assert min(text.size_mm for text in body) >= 2.4, made.title


def test_an_army_without_figures_has_no_cards() -> None:
    with pytest.raises(UserError, match="has no figures, so there are no cards to print"):
        card_sheet((), "Guards", open_game("army_men"))
