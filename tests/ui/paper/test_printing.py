"""Everything that can be printed, and `sandtable print`."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from calibration.print_scale import PrintScale
from rules.engine.roster import Army, Recruit
from rules.tabletop.errors import UserError
from ui.battle.battle_setup import ArmyLists, save_army
from ui.cli import main
from ui.files import data_folder
from ui.paper.page import PAPERS_MM
from ui.paper.printing import PrintJob, SheetKind, army_words, sheet_of

ARMY = Army(
    name="Guards",
    game="plastic_fudge",
    recruits=(Recruit(figure="green-1", card="commander"), Recruit(figure="green-2", card="radioman")),
)


@pytest.mark.parametrize("paper", PAPERS_MM)
@pytest.mark.parametrize(
    ("job", "pages", "first"),
    [
        (PrintJob(), 2, "Sandtable markers, sheet 1 of 2"),
        (PrintJob(side_in=4.5), 4, "Sandtable markers, sheet 1 of 4"),
        (PrintJob(kind=SheetKind.EDGE), 1, "Sandtable markers, sheet 1 of 1"),
        (PrintJob(kind=SheetKind.BOARD), 1, "Sandtable board for the lens"),
        (PrintJob(kind=SheetKind.ROD), 1, "Range rod, 36 in, a mark every 3 in"),
        (PrintJob(kind=SheetKind.CARDS, game="army_men"), 5, "Army Men, ready cards, 1 of 5"),  # 34 cards, 8 a page
        (PrintJob(kind=SheetKind.CARDS, army=ARMY), 1, "Guards, Plastic Fudge, 1 of 1"),
    ],
)
def test_every_kind_has_a_sheet_for_both_papers(job: PrintJob, pages: int, first: str, paper: str) -> None:
    sheet = sheet_of(
        PrintJob(**{name: getattr(job, name) for name in ("kind", "side_in", "game", "army")}, paper=paper)
    )
    assert (sheet.paper, len(sheet.pages)) == (paper, pages)
    assert sheet.pages[0].texts[0].words == first


def test_the_print_scale_applies_to_every_kind() -> None:
    for kind in SheetKind:
        sheet = sheet_of(PrintJob(kind=kind, game="simple_plastic", scale=PrintScale(98, 101)))
        assert sheet.stretch == pytest.approx((100 / 98, 100 / 101))


def test_cards_without_game_or_army_are_rejected() -> None:
    with pytest.raises(UserError, match="choose a game"):
        sheet_of(PrintJob(kind=SheetKind.CARDS))


def test_an_army_summary_has_the_games_verdict() -> None:
    # 168 and 108 points; one commander, one radioman (PF-19, PF-89), under 500 (PF-85).
    assert army_words(ARMY) == "2 figures, 276 points: legal"
    alone = Army(name="x", game="fudge_miniatures", recruits=(Recruit(figure="a", card="King Kingsley"),))
    assert army_words(alone).startswith("1 figure: unusual (FM-01: A skirmish: two or more players with 3 to 10 models")


def test_an_army_without_known_points_is_printed() -> None:
    levels = {"kind": "trooper", "ML": "Good", "RL": [], "AL": [], "DL": "Good", "TL": "Good", "weapons": []}
    own = Recruit(figure="green-3", own={"title": "Tom", **levels})
    sheet = sheet_of(PrintJob(kind=SheetKind.CARDS, army=Army(name="x", game="plastic_fudge", recruits=(own,))))
    assert any("the points of green-3 are unknown" in text.words for text in sheet.pages[0].texts)


@pytest.fixture
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("XDG_DATA_HOME", "HOME", "LOCALAPPDATA", "USERPROFILE"):
        monkeypatch.setenv(name, str(tmp_path))
    assert tmp_path in data_folder("armies").parents
    return tmp_path


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--kind", "edge", "--paper", "a4"),
        ("--kind", "board", "--board", "5x6:1.2:0.9", "--measured", "99.5,101"),
        ("--kind", "rod"),
        ("--game", "simple_plastic"),
    ],
)
def test_the_command_prints_each_kind(
    options: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pdf = tmp_path / "out.pdf"
    assert main(["print", str(pdf), *options]) == 0
    assert pdf.read_bytes().startswith(b"%PDF")
    assert "print at 100 %" in capsys.readouterr().out


def test_the_command_prints_an_army_by_its_file_and_by_its_name(at_home: Path) -> None:
    save_army(at_home / "mine.json", ARMY)
    ArmyLists(data_folder("armies")).keep(ARMY)
    for army in (str(at_home / "mine.json"), "guards"):
        assert main(["print", str(at_home / "out.pdf"), "--army", army]) == 0


@pytest.mark.parametrize(
    ("options", "status", "message"),
    [
        (("--measured", "90,100"), 1, "the level scale cannot be 90 mm long"),
        (("--measured", "99"), 2, "is not ACROSS,DOWN in millimetres"),
        (("--kind", "cards"), 1, "choose a game"),
        (("--army", "nobody"), 1, "there is no army list 'nobody': save one first"),
        (("--army", "no.json"), 1, "the army list file no.json cannot be read"),
        (("--game", "chess"), 1, "there is no game 'chess'"),
        (("--kind", "board", "--board", "30x30:1:0.5"), 1, "does not fit on letter paper"),
        (("--kind", "boards"), 2, "invalid choice"),
    ],
)
def test_the_command_says_what_it_cannot_print(
    options: tuple[str, ...], status: int, message: str, at_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pdf = at_home / "out.pdf"
    try:
        found = main(["print", str(pdf), *options])
    except SystemExit as stop:
        found = int(stop.code or 0)
    assert found == status
    assert re.search(re.escape(message), capsys.readouterr().err)
    assert not pdf.exists()
