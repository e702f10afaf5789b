import json
import os

import numpy as np
import pytest

from rules.tabletop.errors import UserError
from rules.tabletop.table import TerrainKind
from ui.files import check_writable, read_terrain, write_bytes, write_json, write_picture
from vision.pictures import read_image

HOUSE = {"name": "house", "kind": "building", "outline_in": [[0, 0], [4, 0], [4, 3]], "base_in": 0.5, "height_in": 5}


def terrain_file(folder, *pieces):
    path = folder / "terrain.json"
    path.write_text(json.dumps({"schema": 1, "pieces": pieces}), "utf-8")
    return path


def test_terrain(tmp_path):
    (house,) = read_terrain(terrain_file(tmp_path, HOUSE))
    assert (house.name, house.kind, house.top_in) == ("house", TerrainKind.BUILDING, 5.5)
    assert house.outline_in[1] == (4, 0)


@pytest.mark.parametrize(
    ("piece", "fault"),
    [
        (HOUSE | {"kind": "castle"}, "piece 2 .*'castle'.*bunker"),
        ({k: v for k, v in HOUSE.items() if k != "outline_in"}, "piece 2 .*outline_in"),
        (HOUSE | {"outline_in": [[0, 0, 0]]}, "piece 2 .*outline_in"),
        (HOUSE | {"outline_in": [[0, 0], [2, 2], [2, 0], [0, 2]]}, "house.*crosses itself"),
        (HOUSE | {"kind": ["building"]}, "piece 2 .*unknown kind"),
        (HOUSE | {"outline_in": [[0, 0], [1e300, 0], [4, 3]]}, "piece 2 .*beyond 1000 in"),
        (HOUSE | {"height_in": 1e308}, "piece 2 .*beyond 1000 in"),
        (HOUSE | {"outline_in": [[0, 0], [float("nan"), 0], [4, 3]]}, "finite"),
        (HOUSE | {"outline_in": []}, "0 points"),
        (HOUSE | {"height_in": "tall"}, "piece 2 .*height_in"),
        (7, "piece 2 .*object"),
    ],
)
def test_invalid_terrain_is_reported_with_its_place(tmp_path, piece, fault):
    with pytest.raises(UserError, match=fault):
        read_terrain(terrain_file(tmp_path, HOUSE, piece))


def test_a_terrain_file_without_pieces(tmp_path):
    (tmp_path / "t.json").write_text('{"schema": 1}')
    with pytest.raises(UserError, match="pieces"):
        read_terrain(tmp_path / "t.json")


def test_a_picture_round_trip(tmp_path):
    picture = np.random.default_rng(1).integers(0, 255, (20, 30, 3), np.uint8)
    path = tmp_path / "Tisch für Zwei.png"
    write_picture(path, picture)
    assert np.array_equal(read_image(path), picture)


def test_an_unknown_picture_format_is_rejected(tmp_path):
    with pytest.raises(UserError, match=r"\.gif needs a name ending in"):
        write_picture(tmp_path / "a.gif", np.zeros((2, 2, 3), np.uint8))


def test_a_failed_write_keeps_the_old_file_and_no_temporary_file(tmp_path, monkeypatch):
    path = tmp_path / "a.json"
    write_json(path, {"old": True})

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(UserError, match=r"the disk is full.*free some space"):
        write_json(path, {"new": True})
    assert json.loads(path.read_text()) == {"old": True}
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(UserError, match=r"cannot be written \(there is no such folder\): choose another folder"):
        write_bytes(tmp_path / "none" / "a.txt", b"")
    with pytest.raises(UserError, match="cannot be written"):
        write_bytes(tmp_path / "a\0.txt", b"")


def test_a_link_is_followed_and_kept(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "there" / "a.json")
    write_json(tmp_path / "link.json", {"a": 1})
    assert (tmp_path / "link.json").is_symlink()
    assert json.loads((tmp_path / "there" / "a.json").read_text()) == {"a": 1}


def test_a_pipe_is_written_to_and_not_replaced(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        check_writable(pipe)
        write_bytes(pipe, b"x")
        assert os.read(reader, 9) == b"x"
        assert pipe.is_fifo()
    finally:
        os.close(reader)


def test_unwritable_files_are_rejected_beforehand(tmp_path):
    with pytest.raises(UserError, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        check_writable(tmp_path / "none" / "a.json")
    check_writable(tmp_path / "a.json")
    assert list(tmp_path.iterdir()) == []


def test_new_files_have_the_usual_permissions(tmp_path):
    write_bytes(tmp_path / "a", b"x")
    (tmp_path / "b").write_bytes(b"x")
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode
