"""Army Men: the tables of the game compared with those of the rulebook, row by row."""

from __future__ import annotations

from typing import Any

import pytest

from rules.engine.dice import Scripted
from rules.engine.game import Game
from rules.games import open_game
from rules.games.army_men.status import movement_profile
from rules.games.army_men.tables import Tables
from rules.tabletop.movement import walk
from rules.tabletop.table import TerrainKind, TerrainPiece

GAME: Game[Tables] = open_game("army_men")
TABLES = GAME.rules.tables


def columns(text: str) -> list[tuple[str, list[str]]]:
    """A small table in text: a name and its values on each line."""
    return [(name, values) for name, *values in (line.split() for line in text.strip().splitlines())]


def test_when_and_at_what_each_weapon_fires() -> None:
    """AM-12, AM-13, AM-14, AM-40, AM-44, AM-45, AM-46, AM-47, AM-48, AM-49, AM-50, AM-51, AM-52, AM-53, AM-54, AM-55,
    AM-56, AM-57, AM-58, AM-59, AM-60, AM-61, AM-62, AM-70, AM-84, AM-85, AM-93, AM-94, AM-103, AM-106, AM-107 and
    AM-112.

    "Automatic weapons, other small arms, heavy weapons: tanks, artillery, bazookas, flame-throwers, mortars, and
    anything else that is not a machine gun, rifle, or pistol. Missiles and lasers should be fired in the automatic
    weapon phase." The phase, then a hit on infantry, helicopter, plane, truck, half-track, tank, pillbox and cannon:
    eliminates, sustained fire only, second die, the men inside only, glued, nothing, immune, - not to be attacked.
    Then + fires over obstacles if a radio sees the target, ++ always does, and T for a turret.
    """
    meant = {"E": "eliminates", "S": "if_sustained", "d": "second_die", "M": "men_inside", "G": "immobilizes"}
    meant |= {".": "nothing", "i": "immune", "-": "not_allowed"}
    printed = """
        knife          4 EE-.MiM.
        pistol         3 EE-.MiM.
        rifle          3 EE-.MiM.
        sniper_rifle   3 EE-.MiM.
        submachine_gun 2 EE-.MiM.
        assault_rifle  2 EE-.MiM.
        lmg            2 EEE.MiM.
        hmg            2 EEESMiM.
        grenade        4 EE-.iiM.
        light_mortar   4 EE-Eiii. ++
        heavy_mortar   4 EE-Eiii. ++
        flame_thrower  4 EE-EddM.
        bazooka        4 EE-Eddd.
        tank_gun       4 EE-EdddE T
        light_cannon   4 EE-EdddE
        howitzer       4 EE-EdddE +
        missile        2 EE-EdddE
        laser          2 EEEEEEEE
        glue_cannon    4 GG-GGG.G
        land_mine      1 E..Edd.E
        """
    targets = ("infantry", "helicopter", "plane", "soft", "half_track", "tank", "pillbox", "cannon")
    for name, (phase, hits, *marks) in columns(printed):
        weapon = TABLES.weapons[name]
        row = TABLES.effects[weapon.group]
        assert weapon.phase == int(phase), name
        assert [getattr(row, target) for target in targets] == [meant[hit] for hit in hits], name
        assert weapon.indirect == ("always" if "++" in marks else "can" if "+" in marks else "never"), name
        assert weapon.turret == ("T" in marks), name
        assert weapon.laid == (name == "land_mine"), name
    assert {name for name, _ in columns(printed)} == set(TABLES.weapons)


def test_household_objects_as_listed_am_11() -> None:
    """A pencil stands for an anti-tank obstacle, a big paper clip for barbed wire, and so on through the list.

    Only a blanket is two things, so only there the players are asked. Without effects of props, nothing but the cliff
    is left (AM-A02).
    """
    printed = """
        pencil     anti-tank_obstacle   tank_obstacle
        paper_clip barbed_wire          wire
        jar_lid    fox_hole             foxhole       cover
        houseplant forest               woods         cover rough
        bottle     obstacle_and_cover   other         cover
        can        obstacle_and_cover   other         cover
        coin       minefield            mine
        ruler      bridge               bridge
        matchbox   fire_or_smoke        smoke         smoke
        blanket    low_hill_or_water    hill          ask
        books      steep_hill_or_cliff  mountain      ask cliff
        paper_cup  small_pillbox        bunker
        """
    keys = {"cover": "cover", "rough": "rough_for_vehicles", "smoke": "blocks_sight", "ask": "must_ask"}
    keys["cliff"] = "cliff"
    for name, (stands_for, terrain, *marks) in columns(printed):
        found = GAME.ask("prop", {"prop": name}, Scripted([])).numbers
        bare = GAME.choosing(prop_effects="none").ask("prop", {"prop": name}, Scripted([])).numbers
        assert (found["stands_for"], found["terrain"]) == (stands_for.replace("_", " "), terrain), name
        assert {mark for mark, key in keys.items() if found[key]} == set(marks), name
        assert {mark for mark, key in keys.items() if bare[key]} == {"ask", "cliff"} & set(marks), name
    assert {name for name, _ in columns(printed)} == set(TABLES.props)
    asked = {name: GAME.ask("prop", {"prop": name, "terrain": "hill"}, Scripted([])) for name in ("blanket", "can")}
    assert [(one.numbers["terrain"], one.numbers["must_ask"]) for one in asked.values()] == [
        ("hill", False),
        ("other", False),
    ]
    water = GAME.ask("prop", {"prop": "blanket", "terrain": "water"}, Scripted([])).numbers
    assert (water["terrain"], water["must_ask"]) == ("water", False)


def test_goals_as_listed_am_09() -> None:
    """ "Destroy all enemies, capture the flag, escape to a safe area, escort vehicles and cargo, rescue prisoners,
    capture the enemy leader, destroy a secret weapon": only the first is decided by counting the enemies."""
    printed = {
        "destroy_all": "every enemy is destroyed",
        "capture_flag": "the flag is taken",
        "escape": "the safe area is reached",
        "escort": "vehicles and cargo arrived",
        "rescue_prisoners": "the prisoners are free",
        "capture_leader": "the enemy leader is taken",
        "destroy_secret_weapon": "the secret weapon is destroyed",
    }
    assert {name: row.text for name, row in TABLES.goals.items()} == printed
    for name in printed:
        counted = GAME.ask("victory", {"goal": name, "enemies_left": 0, "own_left": 1}, Scripted([])).numbers["victory"]
        done = GAME.ask("victory", {"goal": name, "enemies_left": 1, "own_left": 0, "done": True}, Scripted([]))
        assert (counted, done.numbers["victory"]) == ((True, False) if name == "destroy_all" else (False, True)), name


def test_what_each_figure_shows() -> None:
    """AM-23, AM-31, AM-36, AM-44, AM-47, AM-48, AM-49, AM-50, AM-51, AM-52, AM-53, AM-54, AM-55, AM-56, AM-57, AM-58,
    AM-59, AM-60, AM-61, AM-62, AM-64, AM-65, AM-66, AM-67, AM-68, AM-69, AM-81, AM-84, AM-86, AM-92, AM-99, AM-113 and
    AM-116.

    "Any weapon depicted on a given army man may be used."
    """
    printed = """
        rifleman               infantry     rifle
        officer                infantry     pistol leader
        spotter                infantry     pistol binoculars
        radio_man              infantry     pistol radio
        knife_fighter          infantry     knife
        sniper                 infantry     sniper_rifle
        submachine_gunner      infantry     submachine_gun
        assault_rifleman       infantry     assault_rifle
        light_machine_gunner   infantry     lmg
        heavy_machine_gun_team infantry     hmg
        grenadier              infantry     grenade,rifle
        light_mortar_man       infantry     light_mortar
        heavy_mortar_team      infantry     heavy_mortar
        flame_thrower_man      infantry     flame_thrower
        bazooka_team           infantry     bazooka
        engineer               infantry     rifle engineer shovel
        medic                  infantry     - medic
        mine_sweeper           infantry     - mine_detector
        hero                   infantry     assault_rifle,grenade,knife hero
        paratrooper            infantry     submachine_gun parachute
        tank                   tank         tank_gun,lmg
        heavy_tank             tank         tank_gun,lmg heavy
        half_track             half_track   -
        jeep                   jeep         -
        truck                  truck        -
        train                  train        -
        light_cannon           light_cannon light_cannon
        howitzer               howitzer     howitzer
        plane                  plane        lmg
        helicopter             helicopter   lmg
        missile_launcher       vehicle      missile
        laser                  infantry     laser
        glue_cannon            cannon       glue_cannon
        pillbox                pillbox      -
        """
    flags = ("leader", "hero", "heavy", "binoculars", "radio", "engineer", "medic", "mine_detector", "shovel")
    for name, (kind, weapons, *marks) in columns(printed):
        card = TABLES.cards[name]
        shown = GAME.ask("unit_card", {"card": name}, Scripted([])).numbers
        assert card.kind == kind, name
        assert shown["weapons"] == [one for one in weapons.split(",") if one != "-"], name
        assert {flag for flag in (*flags, "parachute") if getattr(card, flag)} == set(marks), name
        assert shown["lives"] == (3 if name == "hero" else 1), name
    assert {name for name, _ in columns(printed)} == set(TABLES.cards)


def test_the_kinds_of_units() -> None:
    """AM-19, AM-20, AM-23, AM-81, AM-84, AM-85, AM-93, AM-95, AM-96, AM-105, AM-106, AM-107, AM-112 and AM-113.

    "One foot per turn for infantry, two feet per turn for vehicles; jeeps and trucks (as well as trains) up to three
    feet on a road. Most tanks and planes may fire LMGs in addition. Hard targets: AFVs and pillboxes." The allowance,
    that on a road, the column of a hit, the table of the second die; L an additional machine gun, c carries men, who p
    shoot from it or are s shut in, v is a vehicle, f flies.
    """
    printed = """
        infantry     12 -  infantry   -       -
        vehicle      24 -  soft       -       vc
        tank         24 -  tank       afv     vcsL
        half_track   24 -  half_track afv     vcp
        jeep         24 36 soft       -       vc
        truck        24 36 soft       -       vc
        train        24 36 soft       -       vc
        cannon       6  -  cannon     -       -
        light_cannon 6  -  cannon     -       -
        howitzer     6  -  cannon     -       -
        plane        24 -  plane      -       vfcsL
        helicopter   24 -  helicopter -       vfcs
        pillbox      0  -  pillbox    pillbox cp
        """
    flags = {"v": "vehicle", "f": "flies", "c": "carries", "p": "ports", "s": "sealed", "L": "extra_lmg"}
    for name, (move_in, road_in, target, hard, marks) in columns(printed):
        kind = TABLES.kinds[name]
        assert (kind.move_in, kind.target, kind.hard or "-") == (float(move_in), target, hard), name
        assert kind.road_in == (None if road_in == "-" else float(road_in)), name
        assert {mark for mark, flag in flags.items() if getattr(kind, flag)} == set(marks) - {"-"}, name
    assert {name for name, _ in columns(printed)} == set(TABLES.kinds)


def test_attack_modifiers_as_printed() -> None:
    """AM-64, AM-65, AM-83, AM-84, AM-86, AM-87, AM-88, AM-89, AM-90, AM-91, AM-92, AM-113 and AM-116.

    "Behind cover -3, flame-throwers and grenades are -0. Flying -4. Inside pillbox -5, flame throwers are -0. Range >3
    -1, NA for high-tech weapons such as lasers. From lower elevation -1. Adjacent +2 (knife: no adjacent bonus). From
    behind +2. Guns using indirect fire are -1 on their first attack on a fixed location." The modifier, whether it is
    a cover, the distance beyond which it counts, and the weapons that it is not for.
    """
    printed = """
        behind_cover      -3 cover  -  flame_thrower grenade
        inside_half_track -3 cover  -  flame_thrower grenade
        entrenched        -3 cover  -  flame_thrower grenade
        inside_pillbox    -5 cover  -  flame_thrower
        flying            -4 always -
        beyond_3ft        -1 always 36 laser missile
        from_lower        -1 always -
        adjacent          2  always -  knife
        from_behind       2  always -
        leader            1  always -
        binoculars        1  always 36
        hero              1  always -
        first_shot        -1 always -
        """
    for name, (modifier, cover, beyond_in, *not_for) in columns(printed):
        row = TABLES.attack_modifiers[name]
        assert row.modifier == int(modifier), name
        assert row.cover == (cover == "cover"), name
        assert row.beyond_in == (None if beyond_in == "-" else float(beyond_in)), name
        assert set(row.not_for) == set(not_for), name
    assert {name for name, _ in columns(printed)} == set(TABLES.attack_modifiers)


HARD_TARGETS = ("tank", "half_track", "pillbox")
GUNS = ("tank_gun", "light_cannon", "howitzer", "missile", "bazooka", "flame_thrower", "land_mine")


@pytest.mark.parametrize("weapon", GUNS)
@pytest.mark.parametrize("target", HARD_TARGETS)
@pytest.mark.parametrize("face", ["front", "side", "rear"])
@pytest.mark.parametrize("heavy", [False, True])
def test_every_hard_target_die_am_41_am_94_am_97_am_98_am_99_am_100_am_101_am_102_am_103(
    weapon: str, target: str, face: str, heavy: bool
) -> None:
    """ "Half track +1. Side or rear of a tank +1 (flame throwers NA). Heavy tank -1. Flame-thrower or howitzer +1.
    High-tech missile +2. Land mine or bazooka -1. Flame throwers cannot destroy pillboxes." """
    modifier = (target == "half_track") - (target == "tank" and heavy)
    modifier += target == "tank" and face != "front" and weapon != "flame_thrower"
    modifier += {"flame_thrower": 1, "howitzer": 1, "missile": 2, "land_mine": -1, "bazooka": -1}.get(weapon, 0)
    asked = {"weapon": weapon, "target": target, "face": face, "heavy": heavy}
    answer = GAME.ask("hard_target_die", asked, Scripted([3]))
    if target == "pillbox" and weapon in ("flame_thrower", "land_mine"):  # a pillbox walks on no mine
        assert not answer.allowed
    else:
        assert answer.numbers["modified"] == 3 + modifier


AFV = ["no_effect", "no_effect", "immobilized", "immobilized", "destroyed", "destroyed"]
PILLBOX = ["no_effect"] * 4 + ["stunned", "destroyed"]


@pytest.mark.parametrize(("target", "results"), [("tank", AFV), ("half_track", AFV), ("pillbox", PILLBOX)])
@pytest.mark.parametrize("face", range(1, 7))
def test_each_face_against_hard_targets_am_95_am_96(target: str, results: list[str], face: int) -> None:
    """ "For AFVs: 1-2 no effect, 3-4 immobilized, 5-6 destroyed. For pillboxes: 1-4 no effect, 5 stunned for one turn,
    6 destroyed." """
    shift = target == "half_track"  # which has +1 (AM-97)
    asked = {"weapon": "light_cannon", "target": target}
    answer = GAME.ask("hard_target_die", asked, Scripted([face]))
    assert answer.numbers["result"] == results[min(face + shift, 6) - 1]


def test_who_gets_out_of_a_wreck_am_105() -> None:
    """ "Crews survive destroyed tanks (not jeeps or half-tracks) on a subsequent roll of 1-2, pillboxes 1-3." """
    for name in TABLES.crew_survival:
        faces = {"tank": (1, 2), "pillbox": (1, 2, 3)}.get(name, ())
        asked = [GAME.ask("crew_survival", {"destroyed": name}, Scripted([face])) for face in range(1, 7)]
        assert tuple(face for face, one in enumerate(asked, 1) if one.numbers["survives"]) == faces, name
        assert all(one.numbers["roll_needed"] == bool(faces) for one in asked), name
    assert set(TABLES.crew_survival) == {
        *("tank", "pillbox", "jeep", "half_track", "truck", "train", "vehicle", "plane", "helicopter")
    }


def test_each_face_of_a_climber_am_27_am_28() -> None:
    """ "1 fall to death, 2-4 no progress, 5-6 climb three inches"; he may not attack whichever it is."""
    answers = [GAME.ask("climb", {}, Scripted([face])).numbers for face in range(1, 7)]
    assert [one["climbed_in"] for one in answers] == [0, 0, 0, 0, 3, 3]
    assert [one["dead"] for one in answers] == [True, False, False, False, False, False]
    assert not any(one["may_attack"] for one in answers)


def test_each_face_of_a_swimmer_am_30() -> None:
    """ "They have a 1 in 6 chance of drowning", on the face that the players agreed on."""
    for drowning in range(1, 7):
        game = GAME.choosing(drowning_face=drowning)
        drowned = [game.ask("swim", {}, Scripted([face])).numbers["drowned"] for face in range(1, 7)]
        assert [face for face, so in enumerate(drowned, 1) if so] == [drowning]


def test_each_face_of_a_paratrooper_am_03_am_31_am_32() -> None:
    """ "1-2 on target, 3 north of target, 4 east, 5 south, 6 west. If off target, roll another die to determine how
    many feet they are off (max 3')." """
    directions = [GAME.ask("paratrooper", {}, Scripted([face, 1])).numbers["direction"] for face in range(1, 7)]
    assert directions == [None, None, "north", "east", "south", "west"]
    feet = {
        "at_most_3": [1, 2, 3, 3, 3, 3],
        "half_rounded_up": [1, 1, 2, 2, 3, 3],
        "reroll_above_3": [1, 2, 3, 1, 1, 1],  # of 4, 5 or 6, then 6, then 1
    }
    for way, wanted in feet.items():
        game = GAME.choosing(paratrooper_feet=way)
        asked = [game.ask("paratrooper", {}, Scripted([3, face, 6, 1])) for face in range(1, 7)]
        assert [one.numbers["offset_in"] for one in asked] == [12 * one for one in wanted]


WALKING = [name for name, row in TABLES.kinds.items() if row.move_in and not row.flies]


@pytest.mark.parametrize("unit", WALKING)
def test_what_halves_a_move_am_21_am_22_am_24(unit: str) -> None:
    """ "The allowance is halved when going up hills, and is it also halved for vehicles crossing rough ground. Tanks
    lose half their movement allowance when they change directions by turning." """
    kind = TABLES.kinds[unit]

    def part(**facts: Any) -> float:
        answer = GAME.ask("move_allowance", {"unit": unit, **facts}, Scripted([]))
        return float(answer.numbers["distance_in"]) / kind.move_in

    assert part(uphill=True) == 0.5
    assert part(rough=True) == (0.5 if kind.vehicle else 1)
    assert part(turns=True) == (0.5 if unit == "tank" else 1)


CROSSINGS = """
    building      -   -
    bunker        1   -
    wall          -   -
    other         -   -
    wire          -   1
    tank_obstacle 1   -
    mountain      -   -
    water         2   -
    rough         1   2
    woods         1   2
    low_wall      1   1
    fence         1   1
    hedge         1   1
    sandbags      1   1
    foxhole       1   1
    trench        1   1
    mine          1   1
    smoke         1   1
    road          1   1
    bridge        1   1
    """


@pytest.mark.parametrize(("name", "costs"), columns(CROSSINGS))
def test_what_ground_costs(name: str, costs: list[str]) -> None:
    """AM-11, AM-18, AM-22, AM-27, AM-29, AM-71 and AM-72: what an inch of ground costs a man, and a vehicle; - blocks.

    "Barbed wire blocks infantry. Tank obstacles block vehicles. Swimming infantry move at a rate of 6 in. Bottles,
    cans, etc: obstacles" as a wreck is; a mountain is a cliff, which is climbed.
    """
    piece = TerrainPiece(name, TerrainKind(name), ((4, -5), (6, -5), (6, 5), (4, 5)))
    for unit, cost in zip(("infantry", "truck"), costs, strict=True):
        walked = walk(((0.0, 0.0), (10.0, 0.0)), [piece], movement_profile(GAME.rules, unit), 24)
        assert bool(walked.impassable) == (cost == "-"), unit
        if cost != "-":
            assert walked.cost_in == pytest.approx(8 + 2 * float(cost)), unit
    unsensible = GAME.choosing(prop_effects="none").rules
    truck = walk(((0.0, 0.0), (10.0, 0.0)), [piece], movement_profile(unsensible, "truck"), 24)
    if name == "woods":  # a houseplant without effect (AM-A02)
        assert truck.cost_in == pytest.approx(10)


def test_what_covers_and_what_shelters_am_83_am_86_am_11_am_18() -> None:
    """ "Bottles, cans, etc. = miscellaneous obstacles and cover": what hides a target covers it, and some things also
    from all sides; a pillbox is more than cover. Props count where they have sensible effects."""
    across = "hill mountain wall low_wall fence hedge tree bush rocks bridge tank_obstacle"
    around = "building sandbags trench"
    rows = TABLES.shelters
    assert {name: set(row.terrain) for name, row in rows.items()} == {
        "across": set(map(TerrainKind, across.split())),
        "around": set(map(TerrainKind, around.split())),
        "props": set(map(TerrainKind, ("foxhole", "woods", "other"))),
        "pillbox": {TerrainKind.BUNKER},
    }
    assert [name for name, row in rows.items() if row.inside] == ["around", "props", "pillbox"]
    assert [name for name, row in rows.items() if row.pillbox] == ["pillbox"]
    assert [name for name, row in rows.items() if row.if_sensible] == ["props"]


def test_who_destroys_and_who_is_stopped_by_obstacles_am_67_am_71_am_72() -> None:
    """ "Barbed wire: blocks infantry, can be destroyed by engineers, tanks, guns. Tank obstacles: blocks vehicles, can
    be destroyed by engineers." """
    able = {
        "barbed_wire": {"engineer", "tank", "gun", "tank_gun", "light_cannon", "howitzer", "cannon", "heavy_tank"},
        "tank_obstacle": {"engineer"},
    }
    names = {"engineer", "tank", "gun", *TABLES.weapons, *TABLES.kinds, *TABLES.cards} - {"land_mine"}
    able["barbed_wire"] |= {"glue_cannon"} & set(TABLES.cards)  # a card of the kind "cannon"
    for obstacle, wanted in able.items():
        facts = {"obstacle": obstacle, "distance_in": 0.0}
        codes = {
            name: GAME.ask("destroy_obstacle", {**facts, "by": name}, Scripted([])).numbers.get("reason")
            for name in names
        }
        assert {name for name, code in codes.items() if code != "cannot_destroy"} == wanted
    stopped = {
        obstacle: {
            unit
            for unit in TABLES.kinds
            if GAME.ask("blocks", {"obstacle": obstacle, "unit": unit}, Scripted([])).numbers["blocked"]
        }
        for obstacle in able
    }
    on_foot = {"infantry", "cannon", "light_cannon", "howitzer", "pillbox"}
    assert stopped == {
        "barbed_wire": on_foot,
        "tank_obstacle": set(TABLES.kinds) - on_foot - {"plane", "helicopter"},
    }


def test_single_numbers_as_printed() -> None:
    """AM-02, AM-07, AM-08, AM-29, AM-32, AM-43, AM-50, AM-64, AM-68, AM-69, AM-70, AM-76, AM-79, AM-82, AM-91, AM-92,
    AM-111 and AM-115."""
    printed = """
        players_fewest 2, men_fewest 30, men_most 40, attackers_per_defender 2, swimming_in 6, off_target_ft 3,
        burst_arc_deg 60, half_move 0.5, leader_area_in 12, medic 7, mine_path_in 3, minefield 7, clear_jam 7,
        blast_part 0.5, flame_explosion_in 3, far_in 36, digging_turns 2, safe_zone 11, hero_lives 3"""
    for line in printed.split(","):
        name, value = line.split()
        assert TABLES.limits[name].value == float(value), name


def test_the_phases_in_their_order_am_12_am_13() -> None:
    """ "1. Movement (sequential) 2. Automatic weapons (simultaneous) 3. Other small arms (simultaneous) 4. Heavy
    weapons (simultaneous)": units move in the first only."""
    rows = [(row.number, name, row.simultaneous, row.moves) for name, row in TABLES.phases.items()]
    assert rows == [
        (1, "movement", False, True),
        (2, "automatic_weapons", True, False),
        (3, "small_arms", True, False),
        (4, "heavy_weapons", True, False),
    ]
