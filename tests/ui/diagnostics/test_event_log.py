"""The event log stays small in memory and on the disk, and ignores errors of the disk."""

from pathlib import Path

import pytest

from ui.diagnostics.event_log import LARGEST_BYTES, EventLog, log_file
from ui.diagnostics.ui_watchdog import Stall


def test_only_the_last_messages_are_kept_once() -> None:
    event_log = EventLog()
    for number in range(100):
        event_log.stalled(Stall(number, 0.0))
        for _ in range(3):  # the message bar repeats itself 60 times a second
            event_log.said(f"message {number}")
    assert len(event_log.stalls) == len(event_log.told) == 20
    assert event_log.stalls[-1].endswith("99000 ms (0 busy): place unknown")
    assert [line.split()[-1] for line in event_log.told] == [str(n) for n in range(80, 100)]


def test_a_repeated_message_after_another_is_recorded_again() -> None:
    event_log = EventLog()
    for words in ("no marker", "", "no marker"):
        event_log.said(words)
    assert len(event_log.told) == 2


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
    assert event_log.told[0].endswith("hello")
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
