"""Any arguments for any command: the exit status is 0, 1 or 2, with at most one sentence and no traceback."""

from __future__ import annotations

import contextlib
import io
import json
from collections.abc import Iterator
from itertools import chain, pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from calibration.opencv import cv2
from rules.battle.battle import Battle
from rules.engine.events import Noted
from tests.hostile.nasty import LONGEST_SENTENCE, few
from tools.damaged_saves import without_checksums
from ui.cli import main

WORDS = (
    *(
        "",
        " ",
        "-",
        "--",
        "---",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "nan",
        "inf",
        "-inf",
        "1e308",
        "1e-308",
        "9" * 30,
        "9" * 5000,
    ),
    *("1,2", "1,2,3", "nan,1,2", ",,", "a@1,2", "@", "a@b@1,2", "a@1e8,-1e8", "100,100", "99,101", "1e9,1", "100,nan"),
    *("3x3:1:0.5", "60x60:1:0.5", "2x2:1e300:1e299", "5x5:nan:nan", "0x0:0:0", "-3x3:1:1", "3x3:1e-9:1e-10", "9x6:1.0"),
    *("4X4_50", "4x4_1000", "5X5_100", "DICT_", "ARUCO_ORIGINAL", "x.yml", "__class__", "2d6", "99dF", "0d6", "٣d6"),
    *("letter", "A4", "markers", "board", "rod", "cards", "edge", "army_men", "simple_plastic", "../x", "\udce4\udcff"),
    *(
        "table.png",
        "folder",
        "nothing.json",
        "good.json",
        "bad.json",
        "empty",
        "battle",
        "/dev/null",
        "/dev/zero",
        "/dev/full",
    ),
    *(
        "ä ö/ü.json",
        "x" * 300,
        "x/" * 3000,
        "out.png",
        "out.pdf",
        "-o",
        "a\nb",
        "a\x1b[31mb",
        "%s",
        "{0}",
        "@table.png",
    ),
)
OPTIONS = {
    "print": ("--paper", "--kind", "--marker-side", "--dictionary", "--board", "--game", "--army", "--measured"),
    "lens": ("-o", "--out", "--board", "--dictionary", "--chessboard"),
    "analyse": (
        *("--marker-side", "--measured", "--dictionary", "--board", "--layout", "--lens", "--teach", "--reference"),
        *("--figure-height", "--terrain", "--blast", "--pairs", "--json", "--picture", "--frames"),
    ),
    "resolve": (),
    "battle": ("--json",),
    "replay": ("--json",),
    "rod": (
        *("--show", "--ruler", "--dice-wait", "--alarm", "--off", "--reach", "--sigma", "--length", "--leds-per-inch"),
        *("--reversed", "--brightness", "--gamma", "--list", "--baud"),
    ),
    "dice": ("--ask", "--virtual", "--every", "--count", "--fudge", "--seed", "--list", "--baud"),
}
TO_END = {"rod": ("--seconds", "0.02", "--port", "none"), "dice": ("--seconds", "0.02", "--port", "none")}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files that arguments can name."""
    folder = tmp_path_factory.mktemp("things")
    cv2.imwrite(str(folder / "table.png"), np.full((60, 80, 3), 120, np.uint8))
    (folder / "folder").mkdir()
    cv2.imwrite(str(folder / "folder" / "1.png"), np.full((60, 80, 3), 120, np.uint8))
    (folder / "good.json").write_text(json.dumps({"schema": 1, "pieces": []}))
    (folder / "bad.json").write_text("[" * 3000)
    (folder / "empty").write_bytes(b"")
    (folder / "battle").write_bytes(b"SQLite format 3\0" * 20)
    return folder


@pytest.fixture(autouse=True)
def here(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(folder / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(folder / "data"))
    monkeypatch.setattr("sys.stdin", None)


@contextlib.contextmanager
def said() -> Iterator[tuple[io.StringIO, io.StringIO]]:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        yield out, err


def run(arguments: list[str]) -> tuple[int, str]:
    """The exit status and the text on stderr."""
    with said() as (_, err):
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = int(stop.code or 0)
    return status, err.getvalue()


def command_lines(command: str) -> st.SearchStrategy[list[str]]:
    word = st.sampled_from(WORDS) | st.text(max_size=5)
    options = st.sampled_from(OPTIONS[command]) if OPTIONS[command] else st.nothing()
    one = st.tuples(options, word).map(list) | options.map(lambda option: [option]) | word.map(lambda text: [text])
    return st.lists(one, max_size=4).map(lambda parts: [command, *chain(*parts), *TO_END.get(command, ())])


def is_well_said(status: int, err: str) -> None:
    assert status in (0, 1, 2)
    assert "Traceback" not in err
    if status == 1 and err:  # `resolve` answers with an error on stdout
        last = err.rstrip("\n").split("\n")[-1]
        assert last.startswith("sandtable: "), err[:300]
        assert last.isprintable()
        assert len(last) < LONGEST_SENTENCE


@pytest.mark.parametrize("command", OPTIONS)
@few
@given(data=st.data())
def test_any_arguments(command: str, folder: Path, data: st.DataObject) -> None:
    arguments = data.draw(command_lines(command))
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    is_well_said(*run(arguments))
    outputs = {b for a, b in pairwise(arguments) if command in ("print", "lens") or a in ("--json", "--picture")}
    for path, content in before.items():
        if path.name in outputs:
            path.write_bytes(content)
        assert path.read_bytes() == content


@pytest.mark.parametrize(
    "arguments",
    [
        ["analyse", "9" * 30],
        ["analyse", "9" * 5000],
        ["analyse", "x/" * 3000],
        ["analyse", "\ud800"],
        ["analyse", "/dev/zero"],
        ["analyse", "table.png", "--lens", "/dev/zero"],
        ["analyse", "table.png", "--layout", "/dev/urandom"],
        ["analyse", "table.png", "--terrain", "x/" * 3000],
        ["analyse", "table.png", "--reference", "folder"],
        ["analyse", "table.png", "--board", "60x60:1e300:1e299"],
        ["analyse", "table.png", "--json", "x/" * 3000],
        ["analyse", "table.png", "--json", "x" * 300],
        ["analyse", "table.png", "--picture", "x" * 300 + ".png"],
        ["print", "out.pdf", "--marker-side", "1e-300"],
        ["print", "out.pdf", "--kind", "board", "--board", "60x60:1e-300:1e-301"],
        ["print", "out.pdf", "--kind", "board", "--board", "60x60:1e300:1e299", "--dictionary", "4X4_1000"],
        ["print", "out.pdf", "--dictionary", "9" * 5000],
        ["print", "out.pdf", "--army", "x" * 5000],
        ["print", "out.pdf", "--army", "folder"],
        ["print", "x" * 300],
        ["replay", "x/" * 3000],
        ["replay", "/dev/zero"],
        ["replay", "folder"],
        ["replay", "a\nb\x1b[31m\x9b2J"],
        ["analyse", "table.png", "--lens", "a\nb\x1b[31m"],
        ["resolve", "/dev/zero"],
        ["resolve", "folder"],
        ["demo", "--out", "empty"],
        ["demo", "--out", "x" * 300],
        ["rod", "--emulate", "--seconds", "0.02", "--show", "1e308", "--reach", "1e308", "--sigma", "1e308"],
        ["rod", "--show", "5", "--length", "400", "--leds-per-inch", "nan", "--seconds", "0.02"],
        ["rod", "--ruler", "--port", "/dev/null", "--baud", "9" * 30, "--seconds", "0.02"],
        ["rod", "--ruler", "--port", "a" * 5000, "--seconds", "0.02"],
        ["dice", "--emulate", "--seconds", "0.02", "--count", "9" * 9],
        ["dice", "--emulate", "--seconds", "0.02", "--every", "nan"],
        ["dice", "--emulate", "--seconds", "0.02", "--every", "-1"],
        ["dice", "--emulate", "--seconds", "0.02", "--every", "1e-300"],
        ["dice", "--ask", "99d6", "--virtual", "--seed", "9" * 400],
        ["dice", "--port", "folder", "--seconds", "0.02"],
        ["lens", "table.png", "table.png", "-o", "lens.json", "--chessboard", "9999x9999:1"],
        ["lens", "table.png", "-o", "lens.json", "--chessboard", "-1x3:nan"],
        ["lens", "table.png", "-o", "lens.json", "--board", "60x60:1e300:1e299", "--dictionary", "4X4_1000"],
    ],
    ids=lambda arguments: " ".join(arguments)[:60],
)
def test_arguments_that_once_caused_a_traceback(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)  # with a platform the demo would open its window
    is_well_said(*run(arguments))


def test_a_battle_cannot_send_control_codes_to_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Battle.begin(tmp_path / "b", lambda: 0.0, "simple_plastic", ["green", "tan"]) as battle:
        battle.record(Noted(text="\x1b]0;owned\x07 \x9b2J Tee für zwei"))
    assert main(["replay", str(tmp_path / "b")]) == 0
    told = capsys.readouterr().out
    assert "Tee für zwei" in told
    assert told.replace("\n", "").isprintable()
    odd = tmp_path / "b\x1b[31m\x9b2J"
    (tmp_path / "b").rename(odd)
    without_checksums(odd)
    assert main(["replay", str(odd)]) == 0
    noted = capsys.readouterr().err
    assert "without checksums" in noted
    assert noted.replace("\n", "").isprintable()
