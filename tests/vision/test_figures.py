import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from rules.tabletop.table import Posture, TerrainKind, TerrainPiece
from tests.vision.figure_pictures import GREEN, TABLE, TAN, camera, empty, fill, soldier
from vision.figures import Finder
from vision.ground import Grounds
from vision.palette import teach
from vision.recogniser import Recogniser
from vision.rectified import rectified_image
from vision.simulation.scene import Model, Scene, Sculpt
from vision.simulation.simulator import demo_table, overhead_camera, render
from vision.simulation.surface import Surface

EYE = camera()
PIXEL_IN = 1 / 25  # on the table; bodies are drawn to a sixteenth of a pixel, the search has 18 px/in
AREA = ((0, 0), (30, 0), (30, 24), (0, 24))


@pytest.fixture(scope="module")
def palette():
    image = empty()
    soldier(image, EYE, 8, 8, GREEN)
    soldier(image, EYE, 22, 16, TAN)
    clicks = {"green": (8, 8), "tan": (22, 16)}
    return tuple(teach(image, tuple(map(float, EYE.table_to_pixel(at)[0])), army) for army, at in clicks.items())


def find(image, palette, finder=None, **more):
    return (finder or Finder()).find(image, EYE, palette, area_in=AREA, **more)


def off(sighting, x, y):
    return math.hypot(sighting.x_in - x, sighting.y_in - y)


def test_no_figures_on_an_empty_table(palette):
    assert find(empty(), palette) == ()


def test_no_figures_without_armies():
    assert find(empty(), ()) == ()


def test_soldiers_of_the_tables_hue_are_proposed_although_they_look_like_shadows():
    image = empty()
    for x, y in ((6, 6), (24, 6), (6, 18), (24, 18), (20, 12)):
        soldier(image, EYE, x, y, tuple(0.7 * level for level in TABLE), turn=30 * x)
    finder = Finder()
    assert len(find(image, (), finder, reference_bgr=empty(), propose=True)) == 5
    assert [army.name for army in finder.proposed] == ["brown"]


@pytest.mark.parametrize(("doubtful", "armies"), [(0.9, ["green"]), (0.99, ["green", "brown"])])
def test_a_proposed_army_that_turns_out_to_be_shadows_is_dropped(monkeypatch, doubtful, armies):
    """Dark figures stand beside all soldiers, on one side; only the first look takes them for soldiers for sure."""

    class Doubting(Recogniser):
        calls = 0

        def candidates(self, *given):
            Doubting.calls += 1
            found = [one for one in super().candidates(*given) if one.chance > 0.7]
            middle = np.mean([one.row for one in found])
            dark = [Doubting.calls > 1 and one.row > middle for one in found]
            return [
                replace(one, chance=doubtful if is_dark else 0.99) for one, is_dark in zip(found, dark, strict=True)
            ]

    monkeypatch.setattr("vision.figures.Recogniser", Doubting)
    image = empty()
    for x in (5, 12, 19, 26):
        soldier(image, EYE, x, 12, GREEN)
        soldier(image, EYE, x, 14, (30, 40, 60))
    finder = Finder()
    found = find(image, (), finder, reference_bgr=empty(), propose=True)
    assert [army.name for army in finder.proposed] == armies
    assert {one.army for one in found} == set(armies)


@pytest.mark.parametrize("how", ["hidden", "known_in"])
def test_no_army_is_proposed_from_what_a_hand_hides_or_figures_that_are_known(how):
    image, left, right = empty(), [(5, 5), (5, 12), (5, 19)], [(25, 5), (25, 12), (25, 19)]
    for place in left:
        soldier(image, EYE, *place, GREEN)
    for place in right:
        soldier(image, EYE, *place, TAN)
    both, one = Finder(), Finder()
    find(image, (), both, propose=True)
    assert len(both.proposed) == 2
    where = {"hidden": lambda at_in: at_in[0] > 15, "known_in": right}
    find(image, (), one, propose=True, **{how: where[how]})
    assert [army.name for army in one.proposed] == ["green"]


def test_armies_that_are_not_seen_are_forgotten(palette):
    finder = Finder()
    finder.proposed = palette
    finder.forget_unseen({"tan"})
    assert [army.name for army in finder.proposed] == ["tan"]


@pytest.mark.parametrize("light", [(0.5, 0.5, 0.5), (0.0, 0.8, 0.0), (0.8, 0.0, 0.8)])
@pytest.mark.parametrize("beside_empty", [False, True])
def test_thin_projected_lines_are_not_figures(light, beside_empty):
    """Lines 2 mm (2 px) wide that brighten the table by half, or nearly double one colour."""
    image, places = empty(), [(6, 6), (24, 6), (6, 18), (24, 18)]
    for x, y in places:
        soldier(image, EYE, x, y, GREEN)
    lines = np.zeros(image.shape[:2], np.float32)
    for x, y, radius_in in ((15, 12, 5), (6, 6, 2), (20, 16, 6)):
        column, row = EYE.table_to_pixel((x, y))[0].round().astype(int).tolist()
        cv2.circle(lines, (column, row), 25 * radius_in, 1.0, 2, cv2.LINE_AA)
        cv2.line(lines, (column, row), (column + 200, row - 150), 1.0, 2, cv2.LINE_AA)
    linear = (image / 255) ** 2.2 * (1 + np.multiply.outer(lines, light))
    lit = np.clip(linear ** (1 / 2.2) * 255, 0, 255).astype(np.uint8)
    found = find(lit, (), reference_bgr=empty() if beside_empty else None, propose=True)
    assert sorted(min(off(sighting, *place) for sighting in found) < 0.3 for place in places) == [True] * 4
    assert len(found) == 4


@settings(max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.floats(3, 27), st.floats(3, 21), st.floats(0, 180), st.sampled_from(["green", "tan"]))
@pytest.mark.slow
def test_a_standing_soldier_is_located_at_its_base_not_at_its_colour(palette, x, y, turn, army):
    image = empty()
    soldier(image, EYE, x, y, GREEN if army == "green" else TAN, turn)
    (found,) = find(image, palette)
    assert found.army == army
    # The head leans up to 0.75 in outwards here, the middle of the colour half of it. Two pixels are 0.14 in.
    assert off(found, x, y) < 0.15
    assert off(found, x, y) < 3 * math.sqrt(2) * found.sigma_in


def test_touching_soldiers_are_separated(palette):
    image = empty()
    places = [(10, 10), (11.1, 10.1), (20, 15), (20.1, 14.16)]  # bases 1.08 in long, 0.82 in broad
    for x, y in places:
        soldier(image, EYE, x, y, GREEN)
    found = find(image, palette)
    assert len(found) == 4
    for x, y in places:
        assert min(off(sighting, x, y) for sighting in found) < 0.25


def test_a_prone_soldier_is_recognised_as_prone(palette):
    image = empty()
    soldier(image, EYE, 12, 9, TAN, turn=30, posture=Posture.PRONE)
    (found,) = find(image, palette)
    assert found.posture in (Posture.PRONE, Posture.DOWN)
    assert off(found, 12, 9) < 0.15


@pytest.fixture(scope="module")
def simulated():
    """What is found on the simulated table of the demo, and what stands there."""
    table = demo_table(lambda: 0.0)
    frame, truth = table.read(), table.truth
    clicks = {
        f.army: table.camera.table_to_pixel((f.x_in, f.y_in, 0.0))[0]
        for f in truth.figures
        if f.id in ("green-1", "tan-1")
    }
    armies = tuple(teach(frame.image_bgr, tuple(px), army) for army, px in clicks.items())
    more = {"reference_bgr": table.empty_bgr, "terrain": truth.terrain}
    return Finder().find(frame.image_bgr, table.camera, armies, **more), truth.figures


@pytest.mark.slow
def test_prone_soldiers_without_bases_and_the_jeep_are_found_on_the_simulated_table(simulated):
    found, figures = simulated
    for true in figures:
        if true.id in ("green-5", "tan-5", "tan-8"):
            nearest = min(found, key=lambda sighting: off(sighting, true.x_in, true.y_in))
            assert off(nearest, true.x_in, true.y_in) < 0.5
            assert (nearest.army, nearest.posture) == (true.army, true.posture)


def test_a_kneeling_soldier_far_out_is_lower_than_a_standing_one(palette):
    image = empty()
    soldier(image, EYE, 27, 20, GREEN, posture=Posture.KNEELING)
    soldier(image, EYE, 3, 4, GREEN)
    kneeling, standing = sorted(find(image, palette), key=lambda sighting: -sighting.x_in)
    assert (kneeling.posture, standing.posture) == (Posture.KNEELING, Posture.STANDING)


@pytest.mark.slow
def test_a_lower_chance_suffices_where_a_figure_is_expected(palette):
    plain, with_memory = [], []
    for share in np.linspace(0.3, 0.9, 7):  # how far the soldier is blended into the table
        image = empty()
        soldier(image, EYE, 8, 8, GREEN)
        image = np.asarray(cv2.addWeighted(image, 1 - share, empty(), share, 0))
        plain.append(len(find(image, palette)))
        with_memory.append(len(find(image, palette, expected_in=[(8.1, 8.0)])))
    assert all(few <= more <= 1 for few, more in zip(plain, with_memory, strict=True))
    assert sum(plain) < sum(with_memory)
    assert with_memory[-1] == 0, "an expected place alone is not a figure"


@pytest.mark.parametrize(("chance", "count"), [(0.49, 0), (0.51, 1)])
def test_a_figure_counts_if_it_is_likelier_than_not(palette, monkeypatch, chance, count):
    """With or without the empty table; colours are learned from surer ones."""

    class Unsure(Recogniser):
        def candidates(self, *given):
            return [replace(one, chance=chance) for one in super().candidates(*given) if one.chance > 0.9]

    monkeypatch.setattr("vision.figures.Recogniser", Unsure)
    image = empty()
    soldier(image, EYE, 8, 8, GREEN)
    for reference in (None, empty()):
        assert len(find(image, palette, reference_bgr=reference)) == count


def test_a_prone_soldier_faces_along_its_body(simulated):
    found, figures = simulated
    true = [f for f in figures if f.posture is Posture.PRONE]
    pairs = [(min(found, key=lambda sighting: off(sighting, f.x_in, f.y_in)), f) for f in true]
    reported = [(s.facing_deg - f.facing_deg + 180) % 360 - 180 for s, f in pairs if s.facing_deg is not None]
    assert reported
    assert max(abs(error) for error in reported) < 30


def test_the_place_of_a_figure_on_a_hill_is_measured_at_the_top(palette):
    hill = TerrainPiece("book", TerrainKind.HILL, ((2, 2), (10, 2), (10, 10), (2, 10)), 0.0, 2.5)
    image = empty()
    fill(image, EYE, list(hill.outline_in), 2.5, (150, 150, 150))
    soldier(image, EYE, 5, 5, GREEN, z=2.5)
    (found,) = find(image, palette, terrain=(hill,))
    assert found.z_in == 2.5
    # On the table's plane the same pixels lie 2.5 / 37.5 of 12.2 in further out: 0.8 in.
    assert off(found, 5, 5) < 0.15


def test_other_objects_are_not_soldiers(palette):
    image = empty()
    wall = [(5, 5), (9, 5), (9, 5.5), (5, 5.5)]
    fill(image, EYE, wall, 0.0, GREEN)
    fill(image, EYE, [(20, 5), (25, 5), (25, 11), (20, 11)], 0.0, TAN)  # a book
    fill(image, EYE, [(14, 18), (14.4, 18), (14.4, 18.4), (14, 18.4)], 0.0, GREEN)  # a die
    assert [s for s in find(image, palette) if s.posture is not Posture.VEHICLE] == []


def test_a_tank_is_one_vehicle(palette):
    image = empty()
    turn = math.radians(25)
    along, across = np.array([math.cos(turn), math.sin(turn)]), np.array([-math.sin(turn), math.cos(turn)])
    hull = [
        tuple(np.array([10, 12]) + a * 2.2 * along + b * 1.2 * across) for a, b in ((1, 1), (1, -1), (-1, -1), (-1, 1))
    ]
    fill(image, EYE, hull, 0.8, GREEN)
    (found,) = find(image, palette)
    assert found.posture is Posture.VEHICLE
    assert off(found, 10, 12) < 2 * PIXEL_IN + 1 / 18


def test_markers_are_never_figures(palette):
    paper = ((20, 5), (23, 5), (23, 8), (20, 8))
    image = empty()
    soldier(image, EYE, 21.5, 6.5, GREEN)  # drawn on the paper, as a picture would be
    assert len(find(image, palette)) == 1
    assert find(image, palette, keep_out_in=(paper,)) == ()


def test_the_empty_table_helps_on_a_mat_of_the_armys_colour(palette):
    grain = np.random.default_rng(5).normal(0, 2, (720, 960, 1))
    mat = np.clip(np.array((50, 105, 90)) + grain, 0, 255).astype(np.uint8)
    image = mat.copy()
    soldier(image, EYE, 9, 8, GREEN)
    found = find(image, palette, reference_bgr=mat)
    assert [sighting.army for sighting in found] == ["green"]
    assert off(found[0], 9, 8) < 0.15


def test_a_reference_of_another_size_is_refused(palette):
    with pytest.raises(UserError, match="480x360"):
        find(empty(), palette, reference_bgr=cv2.resize(empty(), (480, 360)))


def test_a_figure_height_of_zero_is_refused(palette):
    with pytest.raises(UserError, match="in high"):
        find(empty(), palette, figure_height_in=0.0)


def test_a_sheet_is_the_rectified_picture():
    image = rectified_image(EYE, np.array([2.0, 3.0]), np.array([9.0, 8.0]), 1.2, 14.0)
    assert image.map_x.shape == (70, 98)
    for row, column in ((0, 0), (69, 97), (33, 41)):
        x, y = image.to_table(column, row)
        u, v = EYE.table_to_pixel((x, y, 1.2))[0]
        # Linear between samples 8 rectified pixels apart: the lens bends by far less than a hundredth of a pixel.
        assert (image.map_x[row, column], image.map_y[row, column]) == pytest.approx((u, v), abs=0.02)


def test_a_second_search_gives_the_same_result_as_a_first(palette):
    first, second = empty(), empty(seed=2)
    soldier(first, EYE, 8, 8, GREEN)
    soldier(second, EYE, 20, 14, TAN)
    finder = Finder()
    for image in (first, second, first):
        assert finder.find(image, EYE, palette, area_in=AREA) == find(image, palette)


@pytest.mark.slow
def test_a_finder_reacts_to_changes_of_its_inputs(palette):
    hill = TerrainPiece("book", TerrainKind.HILL, ((2, 2), (10, 2), (10, 10), (2, 10)), 0.0, 2.5)
    image = empty()
    fill(image, EYE, list(hill.outline_in), 2.5, (150, 150, 150))
    soldier(image, EYE, 5, 5, GREEN, z=2.5)
    finder = Finder()
    paper = ((3, 3), (7, 3), (7, 7), (3, 7))
    higher = camera(40.5)
    for eye, armies, more in (
        (EYE, palette, {}),
        (EYE, palette, {"terrain": (hill,)}),
        (EYE, palette, {"keep_out_in": (paper,)}),
        (EYE, palette, {"reference_bgr": image}),
        (EYE, palette, {"reference_bgr": empty()}),
        (EYE, palette[1:], {}),
        (higher, palette, {}),
        (EYE, palette, {"figure_height_in": 1.8}),
    ):
        found = finder.find(image, eye, armies, area_in=AREA, **more)
        assert found == Finder().find(image, eye, armies, area_in=AREA, **more)
    assert finder.find(image, EYE, palette, area_in=AREA, terrain=(hill,))[0].z_in == 2.5


@pytest.mark.parametrize("with_reference", [False, True])
def test_a_search_of_a_part_finds_the_figures_with_their_feet_in_it(palette, with_reference):
    image, finder = empty(), Finder()
    for x, y in ((8, 8), (12, 9), (22, 16)):
        soldier(image, EYE, x, y, GREEN)
    more = {"reference_bgr": empty(seed=4)} if with_reference else {}
    whole = finder.find(image, EYE, palette, area_in=AREA, **more)
    feet = EYE.table_to_pixel([(8, 8, 0.0), (12, 9, 0.0)]).round().astype(int)
    for k, (x, y) in enumerate(feet.tolist()):
        (part,) = finder.find(image, EYE, palette, area_in=AREA, within_px=(x - 20, y - 20, x + 20, y + 20), **more)
        same = min(whole, key=lambda one: off(one, part.x_in, part.y_in))
        assert off(same, part.x_in, part.y_in) < 0.05, f"soldier {k}"
        assert (part.army, part.posture) == (same.army, same.posture)
    assert finder.find(image, EYE, palette, area_in=AREA, within_px=(0, 0, 30, 30), **more) == ()
    assert finder.find(image, EYE, palette, area_in=AREA, within_px=(-90, -90, -50, -60), **more) == ()


def test_a_first_search_of_a_part_still_learns_the_whole_tables_colours(palette):
    image = empty()
    soldier(image, EYE, 8, 8, GREEN)
    soldier(image, EYE, 22, 16, TAN)
    x, y = EYE.table_to_pixel((8, 8, 0.0))[0].round().astype(int).tolist()
    (found,) = Finder().find(image, EYE, palette, area_in=AREA, within_px=(x - 20, y - 20, x + 20, y + 20))
    assert found.army == "green"


def test_a_soldier_on_the_edge_of_a_board_is_not_found_twice(palette):
    # Too low to hide anything, so the table is searched up to the board, over which the soldier leans outwards.
    board = TerrainPiece("board", TerrainKind.HILL, ((2, 2), (6, 2), (6, 6), (2, 6)), 0.0, 0.4)
    image = empty()
    soldier(image, EYE, 2.1, 2.1, GREEN, z=0.4)
    (found,) = find(image, palette, terrain=(board,))
    assert found.z_in == 0.4


def test_grounds_too_near_to_the_camera_are_not_searched():
    # The camera hangs at 40 in; a soldier on the tower would be 2.1 in high, 1.5 in below it.
    tower, hill = (
        TerrainPiece("tower", TerrainKind.HILL, ((14, 11), (16, 11), (16, 13), (14, 13)), 0.0, top) for top in (38.5, 3)
    )
    levels = [
        [ground.image.z_in for ground in Grounds(EYE, AREA, [top], (), None, 1.0).grounds] for top in (tower, hill)
    ]
    assert levels == [[0.0], [3.0, 0.0]]


def test_a_sighting_cannot_be_changed(palette):
    image = empty()
    soldier(image, EYE, 8, 8, GREEN)
    (found,) = find(image, palette)
    with pytest.raises(AttributeError):
        found.x_in = 3.0
    assert replace(found, x_in=3.0).x_in == 3.0


def test_renaming_an_army_does_not_refine_its_colours_again(palette, monkeypatch):
    image, eye, finder = empty(), camera(), Finder()
    soldier(image, eye, 8, 8, GREEN)
    soldier(image, eye, 22, 16, TAN)
    before = finder.find(image, eye, palette)
    assert {one.army for one in before} == {"green", "tan"}
    monkeypatch.setattr("vision.figures.refined_by_groups", None)  # it would fail
    named = tuple(replace(army, name="a" if army.name == "tan" else army.name) for army in reversed(palette))
    after = finder.find(image, eye, named)
    assert {one.army for one in after} == {"green", "a"}
    assert sorted(one.x_in for one in after) == sorted(one.x_in for one in before)
    merged = tuple(replace(army, name="one") for army in palette)
    assert [one.army for one in finder.find(image, eye, merged)] == ["one", "one"]


@pytest.mark.slow
def test_an_oblique_camera_places_figures_neither_too_far_nor_too_near():
    # At a tilt of 50 degrees bodies lean outwards by 1.0 to 1.6; the networks alone place such figures 0.07 in too far.
    size_in = (30.0, 24.0)
    eye = overhead_camera(table_size_in=size_in, height_in=30.0, tilt_deg=50.0)
    places = [(x, y) for y in (10.0, 13.0, 16.0, 19.0) for x in (9.0, 13.0, 17.0, 21.0)]
    men = [Model(f"green-{k}", "green", Sculpt.RIFLEMAN, *at, facing_deg=50.0 * k) for k, at in enumerate(places)]
    scene = Scene(surface=Surface.CARDBOARD, table_size_in=size_in, models=tuple(men))
    image, bare = (render(one, eye, np.random.default_rng(4)) for one in (scene, scene.empty))
    found = Finder().find(image, eye, (), reference_bgr=bare, propose=True)
    assert len(found) == len(places)
    outward_in = []
    for at in places:
        nearest = min(found, key=lambda one: off(one, *at))
        away = np.array(at) - eye.position_in[:2]
        outward_in.append((np.array([nearest.x_in, nearest.y_in]) - at) @ away / np.hypot(*away))
    assert abs(np.median(outward_in)) < 0.05
