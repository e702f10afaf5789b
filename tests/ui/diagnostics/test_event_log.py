"""The event log stays small in memory and on the disk, and ignores errors of the disk."""

from pathlib import Path

import pytest

from ui.diagnostics.event_log import LARGEST_BYTES, EventLog, log_file
from ui.diagnostics.ui_watchdog import Stall


def test_only_the_last_messages_are_kept_once() -> None:
    diary = EventLog()
    for number in range(100):
        diary.stalled(Stall(number, 0.0))
        for _ in range(3):  # the message bar repeats itself 60 times a second
            diary.said(f"message {number}")
    assert len(diary.stalls) == len(diary.told) == 20
    assert diary.stalls[-1].endswith("99000 ms (0 at work): unseen")
    assert [line.split()[-1] for line in diary.told] == [str(n) for n in range(80, 100)]


def test_a_repeated_message_after_another_is_recorded_again() -> None:
    diary = EventLog()
    for words in ("no marker", "", "no marker"):
        diary.said(words)
    assert len(diary.told) == 2


def test_the_log_records_events(tmp_path: Path) -> None:
    diary = EventLog(tmp_path / "new" / "sandtable.log")
    diary.stalled(Stall(0.2, 0.1, ("a.py:1 slow",)))
    diary.said("Überraschung")
    diary.failed("Traceback")
    diary.close()
    lines = (tmp_path / "new" / "sandtable.log").read_text(encoding="utf-8").splitlines()
    assert [line.split(" ", 2)[2] for line in lines] == [
        "stalled 200 ms (100 at work): a.py:1 slow",
        "said Überraschung",
        "failed Traceback",
    ]


def test_the_log_stays_small(tmp_path: Path) -> None:
    diary = EventLog(tmp_path / "sandtable.log")
    for number in range(60):
        diary.failed(f"{number} " + 20_000 * "x")  # 1.2 MB in all
    diary.close()
    files = sorted(tmp_path.iterdir())
    assert [file.name for file in files] == ["sandtable.log", "sandtable.log.1"]
    assert all(file.stat().st_size <= LARGEST_BYTES for file in files)
    assert "failed 59" in files[0].read_text()


def test_an_unwritable_log_is_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").write_text("")
    diary = EventLog(tmp_path / "file" / "sandtable.log")
    diary.said("hello")
    diary.close()
    assert diary.log is None
    assert diary.told[0].endswith("hello")
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device here")
def test_a_full_disk_is_ignored_by_the_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "sandtable.log").symlink_to("/dev/full")
    diary = EventLog(tmp_path / "sandtable.log")
    diary.said("hello")
    diary.close()
    assert capsys.readouterr().err == ""


def test_the_log_is_in_the_users_folder() -> None:
    assert log_file().name == "sandtable.log"
    assert "sandtable" in log_file().parts[-3:]
