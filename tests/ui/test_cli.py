"""The command line: exit codes, sentences, files."""

import json
import os
import shlex
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import numpy as np
import pytest

from calibration.opencv import cv2
from calibration.solve import place_of
from rules.tabletop.table import TerrainKind, TerrainPiece
from tests.calibration.drawn import camera, marker_corners, picture
from ui.cli import main
from vision.frame import Frame
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera

TABLE_IN = (30.0, 20.0)
SOLDIERS = {
    "green-1": (Sculpt.RIFLEMAN, 7.0, 9.0),
    "green-2": (Sculpt.OFFICER, 10.0, 5.5),
    "green-3": (Sculpt.KNEELING, 8.0, 14.0),
    "tan-1": (Sculpt.RIFLEMAN, 21.0, 9.5),
    "tan-2": (Sculpt.OFFICER, 23.0, 13.5),
    "tan-3": (Sculpt.KNEELING, 22.0, 5.5),
}
HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((14.0, 8.0), (17.0, 8.0), (17.0, 12.0), (14.0, 12.0)), 0.0, 3.0)
MARKERS = {
    0: marker_corners((5, 5), 3.0),
    1: marker_corners((35, 5), 3.0, 90),
    2: marker_corners((34, 24), 3.0, 10),
    3: marker_corners((6, 23), 3.0, -45),
}


@pytest.fixture(scope="module")
def markers_bgr():
    """Four markers on a grey table; without figures it is analysed in a tenth of the time."""
    return cv2.cvtColor(picture(camera(), MARKERS), cv2.COLOR_GRAY2BGR)


@pytest.fixture(scope="module")
def markers_png(markers_bgr, tmp_path_factory):
    """The file of that picture."""
    path = tmp_path_factory.mktemp("markers") / "table.png"
    cv2.imwrite(str(path), markers_bgr)
    return path


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """A small simulated table as files (pictures with and without figures, lens, layout, terrain), and the truth."""
    folder = tmp_path_factory.mktemp("table")
    models = tuple(Model(name, name.split("-")[0], *at) for name, at in SOLDIERS.items())
    scene = Scene(TABLE_IN, terrain=(HOUSE,), markers=corner_markers(TABLE_IN), models=models)
    simulated = SimulatedTable(scene, overhead_camera((1280, 720), TABLE_IN, 40.0))
    frame = simulated.read()
    truth, camera = simulated.truth, simulated.camera
    cv2.imwrite(str(folder / "table.png"), frame.image_bgr)
    cv2.imwrite(str(folder / "empty.png"), simulated.empty_bgr)
    lens = {
        "schema": 1,
        "image_size": list(frame.size_px),
        "matrix": camera.lens.matrix.tolist(),
        "distortion": camera.lens.distortion.tolist(),
    }
    (folder / "lens.json").write_text(json.dumps(lens))
    markers = [{"id": n, "corners_in": np.asarray(c).tolist()} for n, c in truth.markers.items()]
    (folder / "layout.json").write_text(json.dumps({"schema": 1, "markers": markers}))
    pieces = [
        {"name": p.name, "kind": p.kind, "outline_in": p.outline_in, "base_in": p.base_in, "height_in": p.height_in}
        for p in truth.terrain
    ]
    (folder / "terrain.json").write_text(json.dumps({"schema": 1, "pieces": pieces}))
    soldier = {army: next(f for f in truth.figures if f.army == army) for army in ("green", "tan")}
    clicks = []
    for army, figure in soldier.items():
        x, y = camera.table_to_pixel((*figure.centre_in, figure.z_in))[0]
        clicks += ["--teach", f"{army}@{x:.0f},{y:.0f}"]
    return folder, truth, clicks


@pytest.fixture(scope="module")
def analysis(table):
    """`analyse` with all its options."""
    folder, truth, clicks = table
    green = next(f for f in truth.figures if f.army == "green")
    done = main([
        "analyse", str(folder / "table.png"), "--lens", str(folder / "lens.json"), "--layout",
        str(folder / "layout.json"), "--terrain", str(folder / "terrain.json"), "--reference",
        str(folder / "empty.png"), *clicks, "--pairs", "--blast", f"{green.x_in:.3f},{green.y_in:.3f},1.5",
        "--json", str(folder / "out.json"), "--picture", str(folder / "out.png"),
    ])  # fmt: skip
    assert done == 0
    return json.loads((folder / "out.json").read_text()), truth, folder


@pytest.mark.slow
def test_separation_is_reported_as_score_and_text(analysis, table, capsys):
    document, _, folder = analysis
    assert document["empty_table"] is True
    told = {(one["army"], one["other"]): one for one in document["separation"]}
    assert set(told) == {("green", None), ("tan", None), ("green", "tan")}
    assert all(0 <= one["score"] <= 1 for one in told.values())
    sentence = "Green and tan can be told apart, less reliably in shade."
    assert told["green", "tan"]["words"] == sentence
    _, _, clicks = table
    assert main(["analyse", str(folder / "table.png"), "--lens", str(folder / "lens.json"), *clicks]) == 0
    said = capsys.readouterr().out
    assert sentence in said
    assert said.rstrip().endswith(
        "Without a picture of the empty table, fewer soldiers are found, above all in shadow."
    )


def test_the_calibration_equals_the_true_camera(analysis):
    document, truth, _ = analysis
    assert (document["schema"], document["image_size"]) == (1, [1280, 720])
    said = document["calibration"]
    assert said["state"] == "ok"
    assert said["residual_px"] < 0.5
    assert said["sigma_in"] < 0.05
    position = -np.array(said["camera"]["rotation"]).T @ said["camera"]["translation"]
    assert position == pytest.approx(truth.camera.position_in, abs=0.2)
    assert [m["id"] for m in said["markers"]] == [0, 1, 2, 3]


def test_figures_are_measured_at_their_true_places(analysis):
    document, truth, _ = analysis
    armies = [f for f in truth.figures if f.army in ("green", "tan") and f.posture != "vehicle"]
    near = 0
    for figure in armies:
        away = [
            np.hypot(g["x_in"] - figure.x_in, g["y_in"] - figure.y_in)
            for g in document["figures"]
            if g["army"] == figure.army
        ]
        near += min(away) < 0.3
    assert near >= 0.8 * len(armies)
    for figure in document["figures"]:
        assert set(figure) == {
            "id", "army", "x_in", "y_in", "z_in", "sigma_in", "facing_deg", "posture", "base_in", "foot_px",
            "confidence", "posture_confidence",
        }  # fmt: skip
        foot = truth.camera.table_to_pixel((figure["x_in"], figure["y_in"], figure["z_in"]))[0]
        assert figure["foot_px"] == pytest.approx(foot, abs=1.0)


def test_every_ordered_pair_has_a_range(analysis):
    document, _, _ = analysis
    figures = {f["id"]: f for f in document["figures"]}
    assert len(document["pairs"]) == len(figures) * (len(figures) - 1)
    for pair in document["pairs"]:
        a, b = figures[pair["a"]], figures[pair["b"]]
        assert pair["centre_in"] == pytest.approx(np.hypot(a["x_in"] - b["x_in"], a["y_in"] - b["y_in"]), abs=1e-3)
        assert 0 <= pair["edge_in"] < pair["centre_in"]
        assert 0 < pair["sigma_in"] < 1
        assert 0 <= pair["exposure"] <= 1
        assert pair["exposure"] == 1 or pair["blocked_by"]
    assert any(pair["visible"] for pair in document["pairs"])
    assert any(not pair["visible"] for pair in document["pairs"]), "there is a house on the table"


def test_the_blast_contains_its_target(analysis):
    document, _, _ = analysis
    (blast,) = document["blasts"]
    assert blast["inside"][0]["fraction"] == pytest.approx(1, abs=0.05)
    assert blast["inside"][0]["id"].startswith("green")


def test_the_annotated_picture_differs_from_the_original(analysis):
    _, _, folder = analysis
    plain, drawn = cv2.imread(str(folder / "table.png")), cv2.imread(str(folder / "out.png"))
    assert plain.shape == drawn.shape
    changed = (cv2.absdiff(plain, drawn).max(2) > 30).mean()
    assert 0.001 < changed < 0.2


def test_markers_without_a_layout_give_a_rotated_table(markers_png, tmp_path):
    out = tmp_path / "o.json"
    assert main(["analyse", str(markers_png), "--json", str(out)]) == 0
    markers = {m["id"]: np.array(m["corners_in"]) for m in json.loads(out.read_text())["calibration"]["markers"]}
    found = np.concatenate([markers[n] for n in sorted(markers)])
    true = np.concatenate([MARKERS[n] for n in sorted(markers)])
    x, y, turn = place_of(found, true)
    c, s = np.cos(turn), np.sin(turn)
    assert np.abs(found @ np.array([[c, s], [-s, c]]) + (x, y) - true).max() < 0.06


@pytest.mark.slow
def test_a_rectangle_calibrates_without_markers(table, tmp_path, capsys):
    folder, truth, clicks = table
    (width, depth), out = (24.0, 12.0), tmp_path / "o.json"
    corners_in = np.array([[3.0, 4, 0], [3 + width, 4, 0], [3 + width, 4 + depth, 0], [3, 4 + depth, 0]])
    corners = ":".join(f"{x:.1f},{y:.1f}" for x, y in truth.camera.table_to_pixel(corners_in))
    rectangle = ["--rectangle", f"{width:g}x{depth:g}:{corners}", "--lens", str(folder / "lens.json")]
    reference = ["--reference", str(folder / "empty.png")]
    assert main(["analyse", str(folder / "table.png"), *rectangle, *clicks, *reference, "--json", str(out)]) == 0
    assert "Calibrated by a rectangle" in capsys.readouterr().out
    found = np.array([[one["x_in"] + 3, one["y_in"] + 4] for one in json.loads(out.read_text())["figures"]])
    true = np.array([one.centre_in for one in truth.figures if one.army in ("green", "tan")])
    nearest = np.linalg.norm(found[:, None] - true[None], axis=2).min(axis=1)
    assert len(found) == len(SOLDIERS)
    assert np.median(nearest) < 0.125  # a tape measure's eighth of an inch


@pytest.mark.parametrize(
    "wrong", ["30x20", "30:1,1:2,1:2,2:1,2", "30x20:1,1:2,1:2,2", "ax20:1,1:2,1:2,2:1,2", "30x20:1,1:2,1:2,2:1,x"]
)
def test_an_invalid_rectangle_is_wrong_usage(wrong, capsys):
    with pytest.raises(SystemExit) as stop:
        main(["analyse", "picture.png", "--rectangle", wrong])
    assert stop.value.code == 2
    assert "--rectangle" in capsys.readouterr().err


def test_a_mirrored_rectangle_is_rejected(markers_png, capsys):
    assert main(["analyse", str(markers_png), "--rectangle", "30x20:200,200:600,200:600,600:200,600"]) == 1
    assert "near left, near right, far right, far left" in capsys.readouterr().err


def test_a_rectangle_and_marker_options_exclude_each_other(table, capsys):
    folder, _, _ = table
    both = ["--rectangle", "30x20:200,600:600,600:600,200:200,200", "--layout", str(folder / "layout.json")]
    assert main(["analyse", str(folder / "table.png"), *both]) == 1
    assert "leave out --rectangle" in capsys.readouterr().err


@pytest.mark.slow
def test_untaught_figures_are_grouped_by_plastic(table, tmp_path, capsys):
    folder, truth, _ = table
    out = tmp_path / "o.json"
    reference = ["--reference", str(folder / "empty.png"), "--layout", str(folder / "layout.json")]
    assert main(["analyse", str(folder / "table.png"), *reference, "--json", str(out)]) == 0
    document = json.loads(out.read_text())
    groups = {one["army"]: one["figures"] for one in document["groups"]}
    assert len(groups) == len({one.army for one in truth.figures})
    assert sum(groups.values()) == len(document["figures"])
    said = capsys.readouterr().out
    for army, count in groups.items():
        assert f"{count} {army}" in said


@pytest.mark.slow
def test_a_folder_gives_frames_with_persistent_ids(table, tmp_path):
    folder, _, clicks = table
    shots = tmp_path / "shots"
    shots.mkdir()
    for n in range(2):
        (shots / f"{n}.png").symlink_to(folder / "table.png")
    out = tmp_path / "o.json"
    arguments = ["analyse", str(shots), *clicks, "--reference", str(folder / "empty.png"), "--json", str(out)]
    assert main(arguments) == 0
    document = json.loads(out.read_text())
    assert [frame["index"] for frame in document["frames"]] == [0, 1]
    names = [{figure["id"] for figure in frame["figures"]} for frame in document["frames"]]
    assert names[0]
    assert names[0] == names[1]
    assert all((event["kind"], event["frame"]) == ("found", 0) for event in document["events"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["none.png"], "there is no 'none.png'"),
        (["empty-folder"], "holds no pictures"),
        (["broken.png"], "broken"),
        (["text.mp4"], "neither a picture nor a video"),
        (["table.png", "--lens", "none.json"], "cannot be read"),
        (["table.png", "--lens", "other-lens.json"], "640x480"),
        (["table.png", "--layout", "broken.png"], "is not a text file"),
        (["table.png", "--dictionary", "9X9"], "no ArUco dictionary"),
        (["table.png", "--dictionary", "6X6_250"], "choose dictionary 4X4_50"),
        (["table.png", "--marker-side", "900"], "marker side"),
        (["table.png", "--teach", "tan@5000,1"], "outside the picture"),
        (["table.png", "--reference", "small.png"], "empty table"),
        (["table.png", "--json", "none/out.json"], "cannot be written"),
        (["table.png", "--picture", "out.gif"], "name ending in"),
        (["table.png", "--json", "empty-folder"], "is a folder"),
        ([""], "no source is named"),
        (["table.png", "--board", "7x5:1.4:1.0"], "no marker found"),
        (["table.png", "--board", "7x5:1.0:1.4"], "is impossible"),
    ],
)
def test_failures_are_one_sentence(markers_png, tmp_path, monkeypatch, capsys, arguments, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "table.png").symlink_to(markers_png)
    (tmp_path / "empty-folder").mkdir()
    (tmp_path / "broken.png").write_bytes(markers_png.read_bytes()[:5000])
    (tmp_path / "text.mp4").write_text("no video")
    cv2.imwrite("small.png", np.zeros((10, 10, 3), np.uint8))
    lens = {"schema": 1, "image_size": [640, 480], "matrix": [[500, 0, 320], [0, 500, 240], [0, 0, 1]]}
    (tmp_path / "other-lens.json").write_text(json.dumps(lens | {"distortion": [0, 0, 0, 0, 0]}))
    assert main(["analyse", *arguments]) == 1
    said = capsys.readouterr()
    assert words in said.err
    assert said.err.startswith("sandtable: ")
    assert said.err.count("\n") == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyze"],
        ["open", "nowhere.png"],
        ["analyse"],
        ["analyse", "x.png", "--teach", "tan"],
        ["analyse", "x.png", "--teach", "@1,2"],
        ["analyse", "x.png", "--blast", "1,2"],
        ["analyse", "x.png", "--blast", "1,2,-3"],
        ["analyse", "x.png", "--blast", "nan,2,3"],
        ["analyse", "x.png", "--board", "7:1"],
        ["analyse", "x.png", "--board", "99999999999x5:1.4:1.0"],
        ["analyse", "x.png", "--blast", "--pairs"],
        ["analyse", "x.png", "--marker-side", "0"],
        ["analyse", "x.png", "--frames", "0"],
        ["print", "out.pdf", "--paper", "a3"],
    ],
)
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2
    assert "usage:" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "source"),
    [
        ([], None),
        (["open", "table.png"], "table.png"),
        (["table.png"], "table.png"),
        (["open", "0"], "0"),
        (["open", "evening.battle"], "evening.battle"),
        (["evening.battle"], "evening.battle"),
        (["open", "lens"], "lens"),  # a folder of that name
    ],
)
def test_the_window_opens_what_is_named(arguments, source, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("table.png", "evening.battle"):
        (tmp_path / name).touch()
    (tmp_path / "lens").mkdir()
    shown = []
    monkeypatch.setattr("ui.desktop.app.run", lambda *given: shown.append(given[0]) or 0)
    monkeypatch.setattr("ui.desktop.source_opening.EarlySource", lambda _: None)
    monkeypatch.setattr("ui.commands.doctor.display_problem", lambda *_: None)
    assert main(arguments) == 0
    assert shown == [source]


def test_a_blast_may_have_negative_coordinates(markers_png, capsys):
    assert main(["analyse", str(markers_png), "--blast", "-5,-.5,2"]) == 0
    assert "Blast of 2 in at -5.0, -0.5" in capsys.readouterr().out


def test_a_mirrored_picture_is_called_mirrored_and_nothing_else(tmp_path, capsys):
    """Its markers also look blurred or unreadable, which would send the player the wrong way."""
    sample = cv2.imread(str(Path(__file__).parents[2] / "samples" / "cardboard" / "table.jpg"))
    cv2.imwrite(str(tmp_path / "p.jpg"), np.ascontiguousarray(sample[:, ::-1]))
    assert main(["analyse", str(tmp_path / "p.jpg")]) == 1
    assert capsys.readouterr().err == "sandtable: marker 0 is mirrored: turn off mirroring in the camera's settings\n"


def test_unusable_markers_are_reported_and_drawn(tmp_path, capsys):
    """A marker of another dictionary, twice as large as necessary: 8 cells of 12 px on paper."""
    marker = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_6X6_250), 7, 96)
    picture = np.full((360, 640), 120, np.uint8)
    picture[100:260, 300:460] = 240
    picture[132:228, 332:428] = np.maximum(marker, 20)
    cv2.imwrite(str(tmp_path / "p.png"), picture)
    drawn, out = tmp_path / "drawn.png", tmp_path / "o.json"
    assert main(["analyse", str(tmp_path / "p.png"), "--picture", str(drawn), "--json", str(out)]) == 1
    assert "marker 7 of dictionary 6X6_50" in capsys.readouterr().err
    assert json.loads(out.read_text())["calibration"]["state"] == "none"
    changed = cv2.absdiff(cv2.imread(str(tmp_path / "p.png")), cv2.imread(str(drawn))).max(2) > 30
    assert changed[125:240, 325:435].mean() > 0.05
    assert not changed[:90].any()


def test_a_broken_picture_keeps_earlier_results(markers_png, tmp_path, capsys):
    shots, out = tmp_path / "shots", tmp_path / "out.json"
    shots.mkdir()
    (shots / "1.png").symlink_to(markers_png)
    (shots / "2.png").write_bytes(b"")
    assert main(["analyse", str(shots), "--json", str(out)]) == 1
    assert "2.png is not a picture" in capsys.readouterr().err
    assert len(json.loads(out.read_text())["frames"]) == 1


class Interrupted:
    """A camera whose user presses Ctrl+C before the third picture."""

    live = False

    def __init__(self, image_bgr):
        self.image_bgr, self.read_count = image_bgr, 0

    def read(self):
        self.read_count += 1
        if self.read_count == 3:
            raise KeyboardInterrupt
        return Frame(self.image_bgr, self.read_count - 1, float(self.read_count))

    def close(self):
        pass


def test_ctrl_c_keeps_earlier_results(markers_bgr, monkeypatch, tmp_path):
    out = tmp_path / "out.json"
    monkeypatch.setattr("ui.commands.analyse.open_source", lambda _: Interrupted(markers_bgr))
    assert main(["analyse", "0", "--frames", "9", "--json", str(out)]) == 130
    assert len(json.loads(out.read_text())["frames"]) == 2


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/dev/full is a device of Linux")
@pytest.mark.parametrize(("output", "status", "lines"), [("> /dev/full", 1, 1), (">&-", 0, 0), ("| true", 0, 0)])
def test_an_unwritable_output_gives_no_traceback(output, status, lines, tmp_path):
    question = tmp_path / "question.json"
    question.write_text('{"ruleset": "army_men", "given": {"action": "weapon", "weapon": "knife"}}')
    python, asked = shlex.quote(sys.executable), shlex.quote(str(question))
    command = f"set -o pipefail; {python} -m ui.cli resolve {asked} {output}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stderr.count("\n") == lines, done.stderr
    assert done.returncode == status


@pytest.mark.slow
def test_a_terminal_without_plus_minus_shows_other_text(markers_png):
    done = subprocess.run(
        [sys.executable, "-m", "ui.cli", "analyse", str(markers_png)],
        env=os.environ | {"PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert "4 markers: ?0." in done.stdout


def test_the_print_command(tmp_path, capsys):
    assert main(["print", str(tmp_path / "sheet.pdf"), "--paper", "A4"]) == 0
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")
    assert "100 %" in capsys.readouterr().out
    assert main(["print", str(tmp_path / "none" / "sheet.pdf")]) == 1


def test_the_window_needs_a_display(monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    assert main([]) == 2
    assert "sandtable demo" in capsys.readouterr().err


def test_the_program_starts_as_a_process():
    done = subprocess.run([sys.executable, "-m", "ui.cli", "--help"], capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert "analyse" in done.stdout


def test_the_version_is_that_of_the_package(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--version"])
    assert stop.value.code == 0
    assert capsys.readouterr().out == f"sandtable {metadata.version('sandtable')}\n"
