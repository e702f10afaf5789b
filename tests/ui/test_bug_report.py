"""The event log, the file for crashes, and the report: it has enough details, and no personal names."""

import faulthandler
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ui.diagnostics import (
    LARGEST_BYTES,
    EventLog,
    Stall,
    bug_report,
    crash_file,
    crashes_kept,
    last_crash,
    log_file,
    without_folders,
)

HOME = Path("/people/jane")


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("/people/jane/Jane Doe's games/evening.battle is saved.", "evening.battle is saved."),
        ("the battle /media/Jane Doe/a.battle cannot be used", "the battle a.battle cannot be used"),
        ("20 GB free for saves in /people/jane", "20 GB free for saves in ~"),
        (r"C:\Users\Jane Doe\evening.battle is saved.", "evening.battle is saved."),
        ("janes/evening.battle is saved.", "evening.battle is saved."),
        ('  File "/opt/sandtable/ui/session.py", line 3, in do', '  File "session.py", line 3, in do'),
        ("ok  camera  /dev/video0 HD Webcam", "ok  camera  video0 HD Webcam"),
        ("1920 x 1080 at 30; exposure held", "1920 x 1080 at 30; exposure held"),
    ],
)
def test_folders_are_removed(line: str, left: str) -> None:
    assert without_folders(line, HOME) == left


def test_a_root_home_folder_is_not_replaced() -> None:
    assert without_folders("nothing here", Path("/")) == "nothing here"


def test_the_report_has_versions_findings_stalls_and_messages() -> None:
    event_log = EventLog(clock=lambda: 0.0)
    event_log.stalled(Stall(0.2, 0.1, ("a.py:1 slow",)))
    event_log.said("/people/jane/evening.battle is saved.")
    report = bug_report("ok  Python  3.11\nok  camera  /people/jane/x", event_log, HOME)
    assert report.startswith("Sandtable ")
    for words in ("numpy ", "ok  Python  3.11", "200 ms (100 busy): a.py:1 slow", "  evening.battle is saved."):
        assert words in report
    assert "jane" not in report
    assert "none" in bug_report("", EventLog(), HOME)


def test_only_the_last_messages_are_kept_once() -> None:
    event_log = EventLog()
    for number in range(100):
        event_log.stalled(Stall(number, 0.0))
        for _ in range(3):  # the message bar repeats itself 60 times a second
            event_log.said(f"message {number}")
    assert len(event_log.stalls) == len(event_log.messages) == 20
    assert event_log.stalls[-1].endswith("99000 ms (0 busy): place unknown")
    assert [line.split()[-1] for line in event_log.messages] == [str(n) for n in range(80, 100)]


def test_a_repeated_message_after_another_is_recorded_again() -> None:
    event_log = EventLog()
    for words in ("no marker", "", "no marker"):
        event_log.said(words)
    assert len(event_log.messages) == 2


def test_the_log_records_events(tmp_path: Path) -> None:
    event_log = EventLog(tmp_path / "new" / "sandtable.log")
    event_log.stalled(Stall(0.2, 0.1, ("a.py:1 slow",)))
    event_log.said("Überraschung")
    event_log.failed("Traceback")
    event_log.close()
    lines = (tmp_path / "new" / "sandtable.log").read_text(encoding="utf-8").splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == [
        "stalled 200 ms (100 busy): a.py:1 slow",
        "said Überraschung",
        "failed Traceback",
    ]


def test_the_log_stays_small(tmp_path: Path) -> None:
    event_log = EventLog(tmp_path / "sandtable.log")
    for number in range(60):
        event_log.failed(f"{number} " + 20_000 * "x")  # 1.2 MB in all
    event_log.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["sandtable.log", "sandtable.log.1"]
    assert all(file.stat().st_size <= LARGEST_BYTES for file in files)
    assert "failed 59" in files[0].read_text()


def test_an_unwritable_log_is_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    event_log = EventLog(tmp_path / "file" / "sandtable.log")
    event_log.said("hello")
    event_log.close()
    assert event_log.log is None
    assert event_log.messages[0].endswith("hello")
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_is_ignored_by_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sandtable.log").symlink_to("/dev/full")
    event_log = EventLog(tmp_path / "sandtable.log")
    event_log.said("hello")
    event_log.close()
    assert capsys.readouterr().err == ""


def test_the_log_is_in_the_users_folder() -> None:
    assert log_file().name == "sandtable.log"
    assert "sandtable" in log_file().parts[-3:]


DIES = """
import os, sys
from pathlib import Path
from ui.diagnostics import crashes_kept

def in_the_middle():
    if sys.argv[2] == "dies":
        os.abort()

with crashes_kept(Path(sys.argv[1])):
    in_the_middle()
"""


def run(file: Path, how: str, folder: Path) -> None:
    """Runs in its own folder, where a core file may be left."""
    env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", DIES, str(file), how], cwd=folder, env=env, capture_output=True, check=False)


def test_a_crash_is_recorded_until_a_run_ends_well(tmp_path: Path) -> None:
    file = crash_file(tmp_path / "new" / "sandtable.log")
    assert file == tmp_path / "new" / "sandtable-crash.log"
    assert last_crash(file) == ""
    run(file, "dies", tmp_path)
    assert "in_the_middle" in last_crash(file)
    run(file, "ends", tmp_path)
    assert last_crash(file) == ""


def test_an_active_fault_handler_and_an_unwritable_folder_are_tolerated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(faulthandler, "is_enabled", lambda: True)
    with crashes_kept(tmp_path / "crash.log"):
        assert not (tmp_path / "crash.log").exists()
    monkeypatch.setattr(faulthandler, "is_enabled", lambda: False)
    (tmp_path / "file").write_text("")
    with crashes_kept(tmp_path / "file" / "crash.log"):
        pass
    assert last_crash(tmp_path / "file" / "crash.log") == ""
