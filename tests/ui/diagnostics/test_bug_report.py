"""A bug report has enough details, and no personal names."""

from pathlib import Path

import pytest

from ui.diagnostics.bug_report import bug_report, without_folders
from ui.diagnostics.event_log import EventLog
from ui.diagnostics.ui_watchdog import Stall

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
