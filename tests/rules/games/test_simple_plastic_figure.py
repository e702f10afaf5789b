"""Simple Plastic Figure against its rulebook: worked examples, more cases by rule, and random dice."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rules.engine.dice import DiceRequest, Roll, Scripted
from rules.engine.game import Game
from rules.games import open_game
from rules.games.simple_plastic_figure.movement import movement_profile
from rules.games.simple_plastic_figure.tables import Tables
from rules.tabletop.errors import UserError
from rules.tabletop.movement import walk
from rules.tabletop.table import TerrainKind
from tests.rules import rule_table
from tests.rules.board import box, piece

ROOT = Path(__file__).parents[3]
NAME = "simple_plastic_figure"
GAME: Game[Tables] = open_game(NAME)


def test_every_ambiguity_is_an_option_of_which_every_value_changes_an_answer() -> None:
    absent = {12, 13, 34, 37, 39}  # the checklist's numbers are not contiguous
    assert {option.rule for option in GAME.options.values()} == {f"WW-A{n:02}" for n in range(1, 43) if n not in absent}


def test_the_rules_are_the_64_of_the_checklist() -> None:
    assert list(GAME.rules.header.rules) == [f"WW-{number:02}" for number in range(1, 65)]


# The rulebook's modifiers added up by hand for every combination: the lowest die that eliminates, 1 where even a 1
# does, 7 where no die does. Columns: standing, kneeling, prone; each in the open, concealed, in cover.
NEEDED = {
    (3, "rifle_german"): (3, 4, 6, 4, 5, 7, 5, 6, 7),
    (3, "sniper_rifle"): (1, 2, 4, 2, 3, 5, 3, 4, 6),
    (3, "bar"): (2, 3, 5, 3, 4, 6, 4, 5, 7),
    (3, "grenade"): (1, 1, 3, 1, 2, 4, 2, 3, 5),
    (6, "rifle_german"): (4, 5, 7, 5, 6, 7, 6, 7, 7),
    (6, "sniper_rifle"): (2, 3, 5, 3, 4, 6, 4, 5, 7),
    (6, "bar"): (3, 4, 6, 4, 5, 7, 5, 6, 7),
    (6, "grenade"): (1, 2, 4, 2, 3, 5, 3, 4, 6),
    (7, "rifle_german"): (5, 6, 7, 6, 7, 7, 7, 7, 7),
    (7, "sniper_rifle"): (3, 4, 6, 4, 5, 7, 5, 6, 7),
    (7, "bar"): (4, 5, 7, 5, 6, 7, 6, 7, 7),
    (7, "grenade"): (2, 3, 5, 3, 4, 6, 4, 5, 7),
}
STANDS = [(pose, cover) for pose in ("standing", "kneeling", "prone") for cover in ("none", "concealment", "cover")]
COMBATS = [
    (distance_in, weapon, pose, cover, needed)
    for (distance_in, weapon), row in NEEDED.items()
    for (pose, cover), needed in zip(STANDS, row, strict=True)
]


@pytest.mark.parametrize(("distance_in", "weapon", "pose", "cover", "needed"), COMBATS)
def test_all_108_combinations_ww_51_ww_52_ww_53_ww_54_ww_55(
    distance_in: float, weapon: str, pose: str, cover: str, needed: int
) -> None:
    facts = {"weapon": weapon, "range_for_modifier_in": distance_in, "pose": pose, "cover": cover}
    chances = GAME.odds("combat", facts)
    assert chances.get("eliminated", Fraction(0)) == Fraction(7 - needed, 6)


def test_reasons_add_up_to_the_modifier_ww_55() -> None:
    facts = {
        "weapon": "mg34_42",
        "distance_in": 5,
        "pose": "standing",
        "terrain": [{"terrain": "hedge", "line_passes_terrain": True, "fraction_behind": 0.6}],
        "led": True,
        "directed_by_binoculars": True,
    }
    answer = GAME.ask("attack", facts, Scripted([4]))
    # 4 to 6 in +1, automatic +1, standing +1, concealment -1, led +1, directed +1
    added = [(reason.rule, reason.modifier) for reason in answer.reasons if reason.modifier is not None]
    expected = [("WW-51", 1), ("WW-52", 1), ("WW-53", 1), ("WW-54", -1), ("WW-56", 1), ("WW-57", 1)]
    assert added == expected
    assert answer.numbers["modifier"] == 4


@pytest.mark.parametrize(("behind", "said"), [(0.76, True), (0.75, False)])
def test_the_verdict_says_that_too_little_of_the_target_is_visible_ww_26(behind: float, said: bool) -> None:
    facts = {"pose": "kneeling", "terrain": "stone_mound", "fraction_behind": behind, "line_passes_terrain": True}
    reasons = GAME.ask("cover", facts, Scripted([])).reasons
    assert ("WW-26" in {reason.rule for reason in reasons}) is said


def test_a_hit_counts_at_once_ww_63() -> None:
    # Two dice at one man: both are thrown, and the second is lost on a dead man.
    shots = [{"target": "a", "range_in": 3, "pose": "standing"}] * 2
    answer = GAME.ask("volley", {"weapon": "pistol", "shots": shots}, Scripted([6, 1]))
    assert answer.numbers["eliminated"] == ["a"]
    assert "WW-63" in {reason.rule for reason in answer.reasons}


def test_each_side_has_half_of_the_turn_ww_08() -> None:
    steps = GAME.ask("turn", {"first": "german", "second": "allied"}, Scripted([])).numbers["steps"]
    assert [(step["phase"], step["side"]) for step in steps] == [
        ("initiative", None),
        ("first_status", "german"),
        ("first_actions", "german"),
        ("second_status", "allied"),
        ("second_actions", "allied"),
        ("end", None),
    ]


def test_odds_of_a_fight_are_even_but_for_the_bayonet_ww_24() -> None:
    even = GAME.odds("hand_to_hand", {"enemies": [{"id": "e"}]})
    assert even["attacker wins"] == Fraction(1, 2)
    # With +1: of 36 throws 21 win, 5 tie and are rolled again, 10 lose.
    keen = GAME.odds("hand_to_hand", {"enemies": [{"id": "e"}], "attacker_bayonet": True})
    assert keen["attacker wins"] == Fraction(21, 31)


def test_odds_of_choosing_are_even_ww_07() -> None:
    odds = GAME.odds("initiative", {"sides": ["german", "allied"]}, "chooser")
    assert odds == {"german": Fraction(1, 2), "allied": Fraction(1, 2)}


def test_only_facts_that_no_camera_sees_are_questions() -> None:
    asked = {question.fact: question.default for question in GAME.questions("attack")}
    assert asked["place"] == "open"
    assert asked["pose"] == "standing"
    assert "distance_in" not in asked


# The tables.

# The rulebook's three weapon tables side by side: range in inches, shots a turn, blast radius in inches.
PRINTED = {
    "pistol": (6, 2, None),
    "american_carbine": (12, 2, None),
    "rifle_german": (24, 1, None),
    "rifle_russian": (24, 1, None),
    "rifle_british": (24, 1, None),
    "rifle_american": (24, 2, None),
    "sniper_rifle": (30, 1, None),
    "smg_german": (12, 3, None),
    "smg_british": (12, 3, None),
    "smg_american": (12, 3, None),
    "smg_russian": (12, 4, None),
    "bar": (24, 3, None),
    "bren": (24, 3, None),
    "dp": (24, 3, None),
    "mg34_42": (30, 4, None),
    "medium_machinegun": (30, 3, None),
    "grenade": (6, 1, 4),
    "panzerfaust": (6, 1, 4.5),
    "panzerschreck": (12, 1, 3.5),
    "bazooka": (18, 1, 3),
    "piat": (18, 1, 4),
    "mortar_50_60": (30, 1, 4.5),
    "mortar_81": (48, 1, 5),
    "mortar_120": (66, 1, 5.5),
    "gun_75": (72, 1, 5),
    "gun_105": (96, 1, 6),
}


def test_the_weapon_tables_ww_35_ww_36_ww_38() -> None:
    rows = GAME.rules.tables.weapons.items()
    assert {name: (row.range_in, row.rof, row.blast_radius_in) for name, row in rows} == PRINTED


@pytest.mark.parametrize(
    ("cover", "exposed", "terrain"),
    [
        ("concealment", 1, ["light_trees", "high_grass", "wood_fence", "hedge"]),  # fire runs through it
        ("cover", 0.5, ["thick_trees", "logs", "earth_mound", "stone_mound", "earth_wall", "stone_wall", "hedgerow"]),
        ("cover", 0.5, ["building", "bunker", "foxhole", "trench", "ditch"]),
    ],
)
def test_concealment_and_cover_as_listed_ww_54(cover: str, exposed: float, terrain: list[str]) -> None:
    for name in terrain:
        asked = {"pose": "kneeling", "terrain": name, "line_passes_terrain": True}
        found = GAME.ask("cover", asked, Scripted([])).numbers
        assert (found["cover"], found["exposed"]) == (cover, exposed), name


@pytest.mark.parametrize(
    ("pose", "behind", "modifier"),
    [("standing", 0.25, 1), ("kneeling", 0.5, 0), ("crouching", 0.5, 0), ("prone", 0.75, -1)],
)
def test_the_poses_ww_29_ww_53(pose: str, behind: float, modifier: int) -> None:
    row = GAME.rules.tables.poses[pose]
    assert (row.behind, row.modifier) == (behind, modifier)


def test_the_costs_of_crossing_ww_13_ww_14_ww_16_ww_18_ww_19() -> None:
    printed = {"cross_leg_high": 1, "cross_waist_high": 3, "leave_building": 2, "leave_bunker": 3}
    printed |= {"leave_foxhole": 3, "leave_trench": 3, "leave_ditch": 3}
    printed |= dict.fromkeys(("enter_building", "enter_foxhole", "enter_trench", "enter_ditch", "enter_bunker"), 0)
    for name, cost_in in printed.items():
        asked = {"distance_in": 0, "events": [name], "touching_at_start_of_move": True}
        assert GAME.ask("move", asked, Scripted([])).numbers["cost_in"] == cost_in, name


def test_a_leader_adds_an_inch_and_costs_none_ww_56() -> None:
    found = GAME.ask("move", {"distance_in": 7, "events": ["led"]}, Scripted([])).numbers
    assert (found["legal"], found["cost_in"], found["allowance_in"]) == (True, 7, 7)


def test_places_ww_15_ww_31_ww_32_ww_33() -> None:
    rows = GAME.rules.tables.places
    steps = {name: (row.cover, row.pose_steps) for name, row in rows.items() if row.cover != "none"}
    holes = dict.fromkeys(("building", "foxhole", "trench", "ditch"), ("cover", 1))
    assert steps == {**holes, "bunker": ("cover", 2)}  # two steps down from standing is prone
    apart = {name for name in rows if not GAME.ask("enter", {"place": name}, Scripted([])).numbers["legal"]}
    assert apart == {"trees", "bunker"}


def test_what_a_measured_piece_may_be_ww_12_ww_13_ww_14_ww_15_ww_16_ww_18_ww_19_ww_54() -> None:
    tables = GAME.rules.tables
    kinds = {name: " ".join(row.kinds) for name, row in tables.terrain.items() if row.rule == "WW-54"}
    assert kinds == {
        "light_trees": "tree woods bush",
        "high_grass": "rough",
        "wood_fence": "fence",
        "stone_wall": "wall low_wall",
        "hedge": "hedge",
        "thick_trees": "tree woods",
        "logs": "other",
        "earth_mound": "rough sandbags",
        "stone_mound": "rocks",
        "earth_wall": "wall low_wall sandbags",
        "hedgerow": "hedge",
        "building": "building",
        "bunker": "bunker",
        "foxhole": "foxhole",
        "trench": "trench",
        "ditch": "trench",
    }
    # Fire passes what conceals only; trees cannot be passed, hills and bridges are walked on.
    light = {name for name, row in tables.terrain.items() if row.through and row.rule == "WW-54"}
    assert light == {"light_trees", "high_grass", "wood_fence", "hedge"}
    ground = tables.ground.items()
    assert {name for name, row in ground if not row.passable} == {"tree", "woods"}
    assert {name for name, row in ground if row.on_top} == {"hill", "bridge"}
    assert {name for name, row in ground if row.hurdle} == {"wall", "low_wall", "fence", "hedge", "rocks", "sandbags"}
    assert {name for name, row in ground if row.touch_first} == {"bunker"}


def test_how_explosives_are_aimed_and_stray() -> None:
    """WW-26, WW-39, WW-40, WW-41, WW-42, WW-43, WW-44, WW-45, WW-46, WW-47, WW-48 and WW-49."""
    tables = GAME.rules.tables
    aims = {name: (row.aim_at, row.direct) for name, row in tables.weapon_kinds.items()}
    direct = dict.fromkeys(("grenade", "at_launcher"), ("spot", True))
    assert aims == {"small_arm": ("figure", True), **direct, **dict.fromkeys(("mortar", "gun"), ("spot", False))}
    # "5-6 is a hit on the spot desired, 4 to the left, 3 to the right, 2 towards the opposing player, 1 towards you"
    faces = {name: (tuple(row.faces), row.strays) for name, row in tables.scatter.items()}
    assert faces == {
        "on_spot": ((5, 6), False),
        "left": ((4,), True),
        "right": ((3,), True),
        "toward_opponent": ((2,), True),
        "toward_self": ((1,), True),
    }
    # Occupants, figures outside, the roll that is needed, whether the thrower touches it, and the radius in the house.
    found = {
        name: (str(row.occupants), row.outside, row.hit_on, row.touching, row.radius_factor)
        for name, row in tables.shelter_attacks.items()
    }
    assert found == {
        "grenade_bunker": ("all", False, None, True, 1),
        "grenade_building": ("radius", False, None, True, 2),
        "grenade_trench": ("all", False, None, False, 1),
        "at_launcher_bunker": ("all", True, None, False, 1),
        "at_launcher_trench": ("all", True, None, False, 1),
        "at_launcher_building": ("radius", True, None, False, 1),
        "mortar_bunker": ("none", True, None, False, 1),
        "mortar_trench": ("all", False, 6, False, 1),
        "mortar_building": ("radius", False, 5, False, 2),
        "gun_bunker": ("removed", False, 6, False, 1),
        "gun_trench": ("all", False, 6, False, 1),
        "gun_building_hole": ("hole", False, 5, False, 1),
        "gun_building_roof": ("all", False, 5, False, 1),
    }
    assert {name: row.within_in for name, row in tables.shelter_attacks.items() if row.within_in} == {
        "grenade_trench": 3
    }
    # "up to 3 inches: 3-6 is a hit; 4-6 inches: 4-6; 7-12 inches: 5-6; 13 inches +: 6"
    bands = {name: (row.up_to_in, row.hit_on) for name, row in tables.launcher_bands.items()}
    assert bands == {"close": (3, 3), "near": (6, 4), "middle": (12, 5), "far": (None, 6)}


def test_every_weapon_has_a_card_and_every_card_fits_its_nation_ww_02() -> None:
    tables = GAME.rules.tables
    assert {weapon for card in tables.cards.values() for weapon in card.weapons} == set(tables.weapons)
    foreign = {row.rifle: nation for nation, row in tables.nations.items()}
    for card in tables.cards.values():
        assert {foreign.get(weapon, card.nation) for weapon in card.weapons} <= {card.nation}
        assert not (card.reserve and card.weapons)


def test_who_carries_nothing_and_who_leads() -> None:
    """WW-24, WW-37, WW-44, WW-56, WW-57, WW-58 and WW-60: what a card's name says of it."""
    cards = GAME.rules.tables.cards
    unarmed = {"german_radioman", "russian_radioman", "british_radioman", "observer", "sentry", "marcher", "wounded"}
    assert {name for name, card in cards.items() if not card.weapons} == unarmed
    assert {name for name, card in cards.items() if card.reserve} == {"sentry", "marcher", "wounded"}
    roles = {"radioman": "radioman", "officer": "leader", "sergeant": "leader", "observer": "figure_with_binoculars"}
    roles["officer_with_binoculars"] = "leader_with_binoculars"
    for name, card in cards.items():
        plain = name.removeprefix(f"{card.nation}_")
        assert (card.role, card.bayonet) == (roles.get(plain, "figure"), "bayonet" in name), name


def test_only_small_arms_have_no_blast_ww_38() -> None:
    for row in GAME.rules.tables.weapons.values():
        assert (row.blast_radius_in is None) == (row.kind == "small_arm")
        assert (row.fire == "explosives") == (row.kind != "small_arm")


def test_every_explosive_answers_every_shelter() -> None:
    tables = GAME.rules.tables
    shelters = {row.shelter for row in tables.places.values() if row.shelter}
    wanted = {f"{k}_{s}" for k, row in tables.weapon_kinds.items() if row.aim_at == "spot" for s in shelters}
    known = {name.removesuffix("_hole").removesuffix("_roof") for name in tables.shelter_attacks}
    assert known == wanted


# No dice sequence crashes a procedure.


def rows(table: str) -> st.SearchStrategy[str]:
    return st.sampled_from(list(GAME.rules.plain[table]))


def facts(needed: dict[str, Any], **extra: Any) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(needed, optional=extra)


INCHES = st.sampled_from([0, 0.5, 2, 3, 3.4, 4, 6, 6.5, 9, 12.5, 24, 30, 48, 90])
PARTS = st.sampled_from([0.0, 0.2, 0.25, 0.5, 0.75, 1.0])
FACES = st.integers(1, 6)
YES = st.booleans()
HELP = dict.fromkeys(("led", "led_by_leader", "led_by_radioman", "directed", "directed_by_radio"), YES)
TARGET = facts({"target": st.sampled_from("abc"), "range_in": INCHES, "pose": rows("poses")}, cover=rows("covers"))
NEAR = facts(
    {"id": st.sampled_from("abc"), "near_edge_in": INCHES},
    inside=YES,
    place=rows("places"),
    pose=rows("poses"),
    cover=rows("covers"),
    cover_from_firer=rows("covers"),
    firer_distance_in=INCHES,
)
PIECES = facts({"terrain": rows("terrain")}, fraction_behind=PARTS, line_passes_terrain=YES, touching=YES)
FIGURES = st.lists(NEAR, max_size=3)
POINT = st.lists(st.integers(-40, 40), min_size=2, max_size=2)
SHOT = facts(
    {"weapon": rows("weapons"), "distance_in": INCHES},
    pose=rows("poses"),
    place=rows("places"),
    terrain=st.lists(PIECES, max_size=2),
    target_exposed=PARTS,
    target_at_opening=YES,
    shooter_at_opening=YES,
    figure_in_line=YES,
    status_die=FACES,
    **HELP,
)
BLAST = facts(
    {"weapon": st.sampled_from(["grenade", "piat", "gun_105"]), "range_for_modifier_in": INCHES, "figures": FIGURES},
    everybody=YES,
    inside_shelter=YES,
    **HELP,
)
ASKED: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "initiative": facts({"sides": st.just(["german", "allied"])}, last_chooser=st.just("german")),
    "status_check": facts({}),
    "status_reroll": facts({"status_die": FACES}, figure_distance_in=INCHES, anybody_acted=YES),
    "hand_to_hand": facts(
        {"enemies": st.lists(facts({"id": st.sampled_from("abc")}, bayonet=YES), max_size=2)},
        where=rows("places"),
        attacker_bayonet=YES,
    ),
    "attack": SHOT,
    "charge": facts(
        {"weapon": rows("weapons"), "distance_in": INCHES, "figures": FIGURES},
        place=rows("places"),
        thrower_touching_wall=YES,
        target_exposed=PARTS,
        **HELP,
    ),
    "shell": facts({"weapon": rows("weapons"), "distance_in": INCHES}, spot_in=POINT, firer_in=POINT, at_shelter=YES),
    "burst": facts(
        {
            "weapon": st.sampled_from(["mortar_50_60", "mortar_81", "gun_75", "gun_105"]),
            "range_for_modifier_in": INCHES,
            "figures": FIGURES,
        },
        place=rows("places"),
        choice=st.sampled_from(["hole", "roof"]),
        **HELP,
    ),
    "status_checks": facts({"figures": st.lists(st.sampled_from("abc"), max_size=3, unique=True)}),
    "leave_table": facts({}, reaches_far_edge=YES, status_die=FACES, actions=st.lists(st.just("fire"), max_size=1)),
    "objective": facts({"side": st.just("german"), "goal": rows("goals"), "needed": st.integers(0, 3)}),
    "volley": facts({"weapon": rows("weapons"), "shots": st.lists(TARGET, max_size=3)}),
    "explosion": BLAST,
    "hole_in_wall": BLAST,
    "at_to_hit": facts({"weapon": rows("weapons"), "target": rows("places"), "distance_in": INCHES}, figures=FIGURES),
    "deviation": facts({"weapon": rows("weapons")}, spot_in=POINT, at_shelter=YES, **HELP),
    "shell_on_shelter": facts(
        {"weapon": rows("weapons"), "place": rows("places")},
        choice=st.sampled_from(["hole", "roof"]),
        figures=FIGURES,
    ),
    "grenade_at": facts({"place": rows("places")}, thrower_touching_wall=YES, thrower_distance_in=INCHES),
    "move": facts(
        {"distance_in": INCHES, "events": st.lists(rows("crossings"), max_size=3)}, inside_building=YES, **HELP
    ),
    "enter": facts({"place": rows("places")}, enemy_inside=YES, touching_at_start_of_move=YES),
    "cover": facts({"terrain": rows("terrain"), "pose": rows("poses")}, fraction_behind=PARTS, touching=YES),
    "command_actions": facts(
        {
            "who": rows("commanders"),
            "actions": st.lists(st.sampled_from(["lead", "fire", "direct_fire", "call_fire"]), max_size=2),
        },
        status_die=FACES,
    ),
}
QUESTIONS = st.one_of([st.tuples(st.just(action), given) for action, given in ASKED.items()])
CHOICES = st.fixed_dictionaries(
    {},
    optional={name: st.sampled_from(o.values) for name, o in GAME.options.items() if name != "weapon_list"},
)


@settings(max_examples=50)
@given(question=QUESTIONS, options=CHOICES, seed=st.integers(0, 2**32))
def test_procedures_accept_all_dice(question: tuple[str, dict[str, Any]], options: dict[str, Any], seed: int) -> None:
    dice = np.random.default_rng(seed)

    def fall(request: DiceRequest) -> Roll:
        return Roll(tuple(int(dice.choice(request.die.faces)) for _ in range(request.count)))

    answer = GAME.choosing(**options).ask(question[0], question[1], fall)
    assert answer.reasons
    json.dumps(dict(answer.numbers))  # every number is one that JSON knows
    known = set(GAME.rules.header.rules) | {option.rule for option in GAME.options.values()}
    assert {reason.rule for reason in answer.reasons} <= known


@settings(max_examples=40)
@given(question=QUESTIONS, options=CHOICES)
def test_odds_sum_to_one(question: tuple[str, dict[str, Any]], options: dict[str, Any]) -> None:
    odds = GAME.choosing(**options).odds(*question)
    assert sum(odds.values()) == 1
    assert all(0 < chance <= 1 for chance in odds.values())


@settings(max_examples=60)
@given(shot=SHOT, nearer=INCHES)
def test_nearer_is_never_worse_ww_51(shot: dict[str, Any], nearer: float) -> None:
    far = GAME.odds("attack", shot)
    near = GAME.odds("attack", {**shot, "distance_in": min(nearer, shot["distance_in"])})
    assert near.get("eliminated", Fraction(0)) >= far.get("eliminated", Fraction(0))


# The measured table, house rules and the table of rules.

PATH = ((0.0, 0.0), (10.0, 0.0))


def test_walking_the_measured_table_ww_14_ww_16_ww_18() -> None:
    hedge = piece("hedge", TerrainKind.HEDGE, box(2, -5, 2.5, 5), 1.0)
    foxhole = piece("foxhole", TerrainKind.FOXHOLE, box(4, -5, 5, 5))
    house = piece("house", TerrainKind.BUILDING, box(6, -5, 8, 5), 5)
    walked = walk(PATH, [hedge, foxhole, house], movement_profile(GAME.rules), 6)
    assert walked.cost_in == pytest.approx(10 + 3 + 3 + 2)  # waist-high hedge, out of the foxhole, out of the house


@pytest.mark.parametrize("kind", ["wall", "low_wall", "fence", "hedge", "rocks", "sandbags"])
def test_heights_of_what_is_crossed_ww_13_ww_14(kind: str) -> None:
    # Of a figure of 54 mm, 2.1 in, the knee is at 0.7 in and the waist at 1.2 in.
    for height_in, cost_in in ((0.7, 1), (0.71, 3), (1.2, 3), (1.21, 0)):
        walked = walk(
            PATH, [piece(kind, TerrainKind(kind), box(2, -5, 2.5, 5), height_in)], movement_profile(GAME.rules), 6
        )
        assert bool(walked.impassable) == (height_in > 1.2)
        assert walked.impassable or walked.cost_in == pytest.approx(10 + cost_in)


def test_impassable_terrain_on_the_measured_table_ww_15_ww_19() -> None:
    tree = piece("tree", TerrainKind.TREE, box(2, -5, 3, 5), 5)
    woods = piece("woods", TerrainKind.WOODS, box(2, -5, 3, 5), 5)
    assert len(walk(PATH, [woods], movement_profile(GAME.rules), 6).impassable) == 1
    bunker = piece("bunker", TerrainKind.BUNKER, box(4, -5, 5, 5), 2)
    cliff = piece("wall", TerrainKind.WALL, box(6, -5, 7, 5), 3)  # higher than a waist, WW-A09
    assert len(walk(PATH, [tree, bunker, cliff], movement_profile(GAME.rules), 6).impassable) == 3
    climbing = GAME.choosing(higher_than_waist="as_waist_high").rules
    assert len(walk(PATH, [tree, bunker, cliff], movement_profile(climbing, touches_bunker=True), 6).impassable) == 1


def test_a_variant_overrides_a_row_ww_35(tmp_path: Path) -> None:
    file = tmp_path / "close.toml"
    file.write_text(f'inherits = "{NAME}"\nhouse_rules = "Close country"\n[weapons.bar]\nrange_in = 18\n')
    variant = open_game(NAME, file)
    assert variant.rules.labels == ("Close country",)
    profile = variant.ask("weapon_profile", {"weapon": "bar", "distances_in": [18, 19]}, Scripted([]))
    assert profile.numbers["in_range"] == [True, False]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("[status.free]\nfaces = [1, 2, 3]", "status must have each face"),
        ("[phases.end]\nhalf = 3", "phases.end: half must be at least 0 and at most 2"),
        ('[range_bands.beyond]\nrule = "WW-51"', "range_bands must go outwards"),
        ('[places.cellar]\nrule = "WW-31"\nshelter = "cellar"', "add the row shelter_attacks.grenade_cellar"),
        ('[ground.lava]\nrule = "WW-15"', r"ground\.lava must be one of hill, .*, not 'lava'"),
        ('[weapons.bar]\nfire = "loud"', "names 'loud', which is not in the table fires"),
        ('[places.open]\nrule = "WW-99"', "cites the rule 'WW-99'"),
    ],
)
def test_a_variant_with_a_mistake_is_refused(tmp_path: Path, row: str, message: str) -> None:
    file = tmp_path / "slip.toml"
    file.write_text(f'inherits = "{NAME}"\n{row}\n')
    with pytest.raises(UserError, match=message):
        open_game(NAME, file)


def test_every_rule_has_code_and_a_test() -> None:
    homes, shown = rule_table.lives(NAME), rule_table.tests(NAME)
    enforced = [rule for rule in GAME.rules.header.rules if rule not in GAME.rules.header.beyond]
    assert [rule for rule in enforced if not homes.get(rule)] == []
    assert [rule for rule in enforced if not shown.get(rule)] == []
    assert len(GAME.rules.header.beyond) <= 5


def test_the_table_of_rules_is_up_to_date() -> None:
    kept = rule_table.file_of(NAME).read_text(encoding="utf-8")
    assert kept == rule_table.written(NAME), f"run python -m tests.rules.rule_table {NAME}"
