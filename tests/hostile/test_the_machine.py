"""A full disk, a read-only folder, a clock that runs backwards, decimal commas, odd names, two programs."""

from __future__ import annotations

import itertools
import json
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from PyQt6.QtCore import QLocale, QSettings

from calibration.calibration_targets import CalibrationTargets
from calibration.camera import Lens
from rules.battle.battle import Battle
from rules.engine.events import Noted, UnitJoined
from rules.engine.roster import Army, Recruit
from rules.tabletop.errors import UserError
from ui.battle.battle_setup import ArmyLists
from ui.cli import main
from ui.desktop.paper import write_pdf
from ui.desktop.settings import Settings
from ui.files import write_json, write_picture
from ui.paper.printing import PrintJob, sheet_of
from ui.setup.lens import LensProfiles
from ui.vocabulary import Unit

ROOT = Path(__file__).parents[2]
LENS = Lens((64, 48), np.diag([50.0, 50, 1]), np.zeros(5))
ARMY = Army(
    name="Tan", game="simple_plastic", recruits=tuple(Recruit(figure=f"tan-{n}", card="soldier") for n in range(90))
)

WRITERS: dict[str, tuple[str, Callable[[Path], object]]] = {
    "json": ("out.json", lambda folder: write_json(folder / "out.json", list(range(9000)))),
    "picture": ("out.png", lambda folder: write_picture(folder / "out.png", np.zeros((900, 900, 3), np.uint8) + NOISE)),
    "pdf": ("out.pdf", lambda folder: write_pdf(sheet_of(PrintJob()), folder / "out.pdf")),
    "army": ("tan.json", lambda folder: ArmyLists(folder).keep(ARMY)),
    "lens": ("", lambda folder: LensProfiles(folder).keep("camera", LENS, {"story": "x" * 9000})),
}
NOISE = np.random.default_rng(1).integers(0, 255, (900, 900, 3), np.uint8)


@contextmanager
def disk_full_after(count: int) -> Iterator[None]:
    """No file can grow beyond this many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("kind", WRITERS)
def test_a_full_disk_leaves_the_old_file_and_no_temporary_files(kind: str, tmp_path: Path) -> None:
    name, write = WRITERS[kind]
    write(tmp_path)
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    assert name in {"", *(path.name for path in before)}
    with disk_full_after(2000), pytest.raises(UserError, match="free some space"):
        write(tmp_path)
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.parametrize("kind", WRITERS)
def test_a_folder_without_write_permission(kind: str) -> None:
    """In /proc not even root can create a file."""
    with pytest.raises(UserError, match=r"folder"):
        WRITERS[kind][1](Path("/proc/self"))


def begun(path: Path, clock: Callable[[], float]) -> Battle:
    battle = Battle.begin(path, clock, "simple_plastic", ["green", "tan"])
    battle.record(UnitJoined(figure="green-1", side="green", card="soldier"))
    return battle


def test_a_battle_in_a_folder_without_write_permission() -> None:
    with pytest.raises(UserError, match="/proc/self/b"):
        begun(Path("/proc/self/b.battle"), lambda: 0.0)


def test_a_clock_that_runs_backwards(tmp_path: Path) -> None:
    ticks = itertools.count(1e9, -3600.0)
    path = tmp_path / "b.battle"
    with begun(path, lambda: next(ticks)) as battle:
        battle.record(Noted(text="one"))
        battle.record(Noted(text="two"))
        battle.undo()
        told, state = battle.entries, battle.state
    with Battle.open(path, lambda: -1.0) as again:
        assert (again.entries, again.state) == (told, state)
        assert [entry.seq for entry in told] == sorted(entry.seq for entry in told)
        assert again.redo() == "note: two"


@pytest.fixture
def commas() -> Iterator[None]:
    """A locale that writes a half as 0,5."""
    before = QLocale()
    QLocale.setDefault(QLocale(QLocale.Language.German, QLocale.Country.Germany))
    assert QLocale().toString(0.5) == "0,5"
    yield
    QLocale.setDefault(before)


@pytest.mark.usefixtures("commas")
def test_a_locale_with_decimal_commas_does_not_change_files(tmp_path: Path) -> None:
    memory = Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat))
    memory.keep_prints(CalibrationTargets(2.5))
    memory.settings.sync()
    assert "marker_side_in=2.5" in (tmp_path / "s.ini").read_text()
    assert Settings(QSettings(str(tmp_path / "s.ini"), QSettings.Format.IniFormat)).prints.side_in == 2.5
    assert Unit.CENTIMETRE.words(1.0) == "2.5 cm"
    WRITERS["pdf"][1](tmp_path)
    assert b"," not in (tmp_path / "out.pdf").read_bytes().split(b"MediaBox")[1][:40]


@pytest.mark.parametrize(
    "name", ["Küche & Tisch №1", "  two  spaces ", "-o", "a'b\"c`$(x);d", "日本 テーブル", "a\nb", "x.y.json"]
)
def test_folders_of_any_name(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / name
    folder.mkdir()
    assert main(["print", str(folder / "ä ö.pdf"), "--kind", "rod"]) == 0
    assert (folder / "ä ö.pdf").read_bytes().startswith(b"%PDF")
    begun(folder / "ä ö.battle", lambda: 0.0).close()
    assert main(["replay", "--json", str(folder / "ä ö.battle")]) == 0
    write_picture(folder / "ä ö.png", np.full((48, 64, 3), 120, np.uint8))
    capsys.readouterr()
    assert main(["analyse", str(folder), "--json", str(folder / "ö.json")]) == 1
    assert "no marker found" in capsys.readouterr().err
    assert json.loads((folder / "ö.json").read_text("utf-8"))["source"] == str(folder)


_HOLDS = """
import sys
from pathlib import Path
from rules.battle.battle import Battle
with Battle.open(Path(sys.argv[1]), lambda: 0.0):
    print("open", flush=True)
    sys.stdin.read()
"""


def test_two_programs_on_one_battle(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.battle"
    begun(path, lambda: 0.0).close()
    before = path.read_bytes()
    other = subprocess.Popen(
        [sys.executable, "-c", _HOLDS, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdin is not None
    assert other.stdout.readline() == "open\n"
    with pytest.raises(UserError, match="open in another window"):
        Battle.open(path, lambda: 0.0)
    assert main(["replay", str(path)]) == 1
    assert "close it there first" in capsys.readouterr().err
    other.communicate("")
    assert path.read_bytes() == before
    Battle.open(path, lambda: 0.0).close()
