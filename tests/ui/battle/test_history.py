"""A battle's moments, their thumbnails, and the exports."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.engine.dice import Scripted, play
from rules.engine.events import CameraMoved, Change, Changed, Effects, Noted, PhaseBegun, Placed, TableLaid, UnitJoined
from rules.engine.state import State
from rules.engine.verdict import Verdict
from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.full_disk import fill
from ui.battle.battle_map import extent_of, map_shapes
from ui.battle.history import HistoryMoment, battle_document, battle_json, matching, positions
from ui.battle.thumbnail_store import MOST_BYTES, ThumbnailStore, small_jpeg, thumbnail_path
from ui.picture.shapes import Label, Line

HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((1.0, 1.0), (5.0, 1.0), (5.0, 4.0)), 0.0, 5.0)
SHOT = {"attacker": "ordinary", "attacker_moved": True}


def falls(_: Verdict) -> Effects:
    return Effects(changes=(Change(figure="tan-4", key="eliminated", value=True, rule="SP-11"),))


@pytest.fixture
def battle(tmp_path: Path) -> Iterator[Battle]:
    clock = iter(range(1_000_000, 1_001_000))
    with Battle.begin(tmp_path / "b", lambda: float(next(clock)), "simple_plastic", ["green", "tan"]) as one:
        one.record(UnitJoined(figure="green-1", side="green", card="soldier"))  # 2
        one.record(UnitJoined(figure="tan-4", side="tan", card="soldier"))  # 3
        one.record(UnitJoined(figure="tan-40", side="tan", card="soldier"))  # 4
        one.record(TableLaid(camera="", terrain=(HOUSE,)))  # 5
        one.record(Placed(figure="green-1", at_in=(1.0, 1.0)))  # 6
        one.record(Placed(figure="tan-4", at_in=(9.0, 1.0)))  # 7
        one.record(PhaseBegun(turn=1, side="green", phase="attacking"))  # 8
        play(one.asking("attack", SHOT, falls, ["green-1"]), Scripted([4]))  # 9
        one.record(Noted(text="<b>Tea</b> & biscuits"))  # 10
        yield one


def titles(told: tuple[HistoryMoment, ...]) -> list[str]:
    return [one.title for one in told]


def test_moments_have_titles_figures_and_states(battle: Battle) -> None:
    told = positions(battle)
    assert titles(told) == [
        "The battle of Green against Tan begins",
        "3 soldiers join",
        "On the table: house",
        "2 soldiers are placed",
        "Turn 1 · Green attacks",
        "Tan 4 eliminated",
        "Note: <b>Tea</b> & biscuits",
    ]
    assert told[1].seqs == (2, 3, 4)
    assert not told[4].after.unit("tan-4").out
    assert told[5].after.unit("tan-4").out
    assert told[5].figures == {"green-1", "tan-4"}
    assert told[-1].after == battle.state
    assert [one.is_step for one in told].count(False) == 1
    assert all(one.stands for one in told)


def test_undone_moments_come_last_and_do_not_stand(battle: Battle) -> None:
    battle.undo()
    battle.undo()
    battle.record(CameraMoved(what="table"))
    told = positions(battle)
    assert titles(told)[-3:] == ["The table was bumped", "Tan 4 eliminated", "Note: <b>Tea</b> & biscuits"]
    assert [one.stands for one in told[-3:]] == [True, False, False]
    assert told[-2].after.unit("tan-4").out
    battle.go_to(told[-1].seqs[-1])
    assert battle.state.unit("tan-4").out


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("tan-4", ["3 soldiers join", "2 soldiers are placed", "Tan 4 eliminated"]),
        ("Tan 4", ["3 soldiers join", "2 soldiers are placed", "Tan 4 eliminated"]),
        ("tan 40", ["3 soldiers join"]),
        ("biscuits", ["Note: <b>Tea</b> & biscuits"]),
        ("nothing of the kind", []),
    ],
)
def test_the_history_is_searched_by_figure_or_text(battle: Battle, words: str, found: list[str]) -> None:
    assert titles(matching(positions(battle), words)) == found


def test_an_empty_search_finds_all_moments(battle: Battle) -> None:
    assert len(matching(positions(battle), "  ")) == 7


def test_the_battle_map_shows_standing_and_eliminated_figures(battle: Battle) -> None:
    told = positions(battle)
    extent = extent_of(one.after for one in told)
    assert extent == (-7.0, -9.5, 17.0, 14.5)  # 1 to 9 and 1 to 4 with 3 in of room, 24 in at least
    size, before = map_shapes(told[4].after, extent, (480, 480))
    _, after = map_shapes(told[5].after, extent, (480, 480), told[5].figures)
    assert size == (480, 480)
    assert len([one for one in before if isinstance(one, Line) and one.closed]) == 3  # the house, and two
    assert (
        len([one for one in after if isinstance(one, Line) and not one.closed]) == 2
    )  # the cross of the eliminated figure
    assert {rows for one in after if isinstance(one, Label) for rows, _ in one.rows} == {"house", "Green 1", "Tan 4"}
    ring = next(one for one in after if isinstance(one, Line) and one.closed and one.width == 3.5)
    middle = np.mean(ring.points_px, axis=0)
    assert middle == pytest.approx((20 * 8 - 0.5, 20 * 13.5 - 0.5), abs=0.1)  # (1, 1) at 20 px an inch


def test_the_name_of_a_piece_is_beside_the_one_that_stands_on_it() -> None:
    def book(name: str, half_in: float, top_in: float) -> TerrainPiece:
        corners = tuple((10 + u * half_in, 10 + v * half_in) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1)))
        return TerrainPiece(name, TerrainKind.BUILDING, corners, 0.0, top_in)

    state = State(terrain=(book("atlas", 2.0, 3.0), book("encyclopaedia", 4.0, 1.0)))
    _, shapes = map_shapes(state, (0.0, 0.0, 20.0, 20.0), (200, 200))
    places = {one.rows[0][0]: np.array(one.at_px) for one in shapes if isinstance(one, Label)}
    # At 10 px an inch the atlas reaches 20 px from its middle, where its own name is.
    assert places["atlas"] == pytest.approx((99.5, 99.5), abs=0.1)
    # The encyclopaedia reaches 40 px: 30 is the middle between its edge and the atlas.
    assert np.abs(places["encyclopaedia"] - places["atlas"]) == pytest.approx((0, 30), abs=0.1)


# Pictures


NOISE = np.random.default_rng(3).integers(0, 255, (360, 640, 3), np.uint8)


def test_thumbnails_stay_below_their_maximum_size() -> None:
    smooth = cv2.GaussianBlur(NOISE, (0, 0), 8)
    for image in (NOISE, smooth):
        jpeg = small_jpeg(np.asarray(image, np.uint8))
        assert len(jpeg) <= MOST_BYTES
        assert cv2.imdecode(np.frombuffer(jpeg, np.uint8), 1) is not None
    assert cv2.imdecode(np.frombuffer(small_jpeg(np.asarray(smooth, np.uint8)), np.uint8), 1).shape == (360, 640, 3)


def test_thumbnails_are_stored_without_changing_the_battle(battle: Battle) -> None:
    before = battle.path.read_bytes()
    thumbnails, jpeg = ThumbnailStore(battle), small_jpeg(NOISE)
    assert (thumbnails.seqs, thumbnails.picture(9)) == (frozenset(), None)
    assert not thumbnails.path.exists()
    thumbnails.put(9, jpeg)
    thumbnails.put(10, jpeg)
    thumbnails.close()
    again = ThumbnailStore(battle)
    assert again.seqs == {9, 10}
    assert again.picture(9) == jpeg
    assert again.picture(8) is None
    again.close()
    assert battle.path.read_bytes() == before
    assert [path.name for path in battle.path.parent.glob("*.pictures*")] == ["b.pictures"]


def test_thumbnails_of_another_battle_are_renamed(battle: Battle, tmp_path: Path) -> None:
    with Battle.begin(tmp_path / "c", lambda: 5.0, "simple_plastic", ["green", "tan"]) as other:
        thumbnails = ThumbnailStore(other)
        thumbnails.put(1, small_jpeg(NOISE))
        thumbnails.close()
    thumbnail_path(tmp_path / "c").rename(thumbnail_path(battle.path))
    mine = ThumbnailStore(battle)
    assert mine.picture(1) is None
    assert "are now in" in mine.remark
    mine.put(1, small_jpeg(NOISE))
    assert mine.seqs == {1}
    mine.close()
    assert Path(f"{mine.path}.aside-1").exists()


@pytest.mark.parametrize("harm", [b"no database", b"SQLite format 3\0" + bytes(200)])
def test_a_damaged_thumbnail_file_is_renamed(battle: Battle, harm: bytes) -> None:
    thumbnail_path(battle.path).write_bytes(harm)
    thumbnails = ThumbnailStore(battle)
    assert thumbnails.picture(1) is None
    assert "are now in" in thumbnails.remark
    assert Path(f"{thumbnails.path}.aside-1").read_bytes() == harm
    thumbnails.close()


def test_a_full_disk_is_reported_and_the_battle_continues(
    battle: Battle, connections: list[sqlite3.Connection]
) -> None:
    thumbnails = ThumbnailStore(battle)
    thumbnails.put(1, small_jpeg(NOISE))
    fill(connections[-1])
    with pytest.raises(UserError, match=r"disk is full.*the battle itself is safe"):
        thumbnails.put(2, small_jpeg(NOISE))
    thumbnails.close()
    battle.record(Noted(text="on"))


def test_foreign_data_in_the_thumbnail_file_is_ignored(battle: Battle) -> None:
    thumbnails = ThumbnailStore(battle)
    thumbnails.put(1, b"\xff\xd8ok")
    thumbnails.close()
    with sqlite3.connect(thumbnails.path) as file:
        file.execute("INSERT INTO picture VALUES (2, ?)", (b"\xff\xd8" + bytes(MOST_BYTES),))
        file.execute("INSERT INTO picture VALUES (3, ?)", (b"<script>",))
    again = ThumbnailStore(battle)
    assert again.picture(1) == b"\xff\xd8ok"
    assert (again.picture(2), again.picture(3)) == (None, None)
    again.close()


# Exports


def test_the_exported_json_equals_replay(battle: Battle) -> None:
    document = json.loads(battle_json(battle))
    assert document == json.loads(json.dumps(battle_document(battle)))
    assert [entry["stands"] for entry in document["entries"]] == [True] * 10
    assert document["state"]["terrain"][0]["name"] == "house"
    battle.record(Changed(changes=(Change(figure="tan-4", key="x", value=1),)))
    battle.undo()
    assert [entry["stands"] for entry in battle_document(battle)["entries"]][-2:] == [False, False]
