import json

import pytest

import ui.commands.demo
from ui.cli import main


@pytest.mark.slow
def test_the_demo_without_a_display_writes_its_files(tmp_path, monkeypatch, capsys):
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    monkeypatch.setattr(ui.commands.demo, "TURN_S", 1.0)
    folder = tmp_path / "new" / "demo"
    assert main(["demo", "--out", str(folder)]) == 0
    said = capsys.readouterr().out
    for words in ("no display", "Calibrated by 4 markers", "green-1", "Blast of 3 in", "table.png"):
        assert words in said
    document = json.loads((folder / "table.json").read_text())
    first = next(line.split() for line in said.splitlines() if line.startswith("green-1 "))  # id, posture, x, y, ±
    [sigma_in] = [one["sigma_in"] for one in document["figures"] if one["id"] == "green-1"]
    assert float(first[4]) == pytest.approx(2 * sigma_in, abs=0.011)  # two sigma
    assert len(document["frames"]) == 2  # one at 0 s, one at 1 s
    assert len(document["figures"]) > 15
    assert document["pairs"]
    assert document["blasts"][0]["inside"]
    assert (folder / "table.png").read_bytes().startswith(b"\x89PNG")
    assert "Calibrated" in (folder / "log.txt").read_text("utf-8")


def test_a_folder_that_cannot_be_created(tmp_path, monkeypatch, capsys):
    monkeypatch.delenv("QT_QPA_PLATFORM", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr("sys.platform", "linux")
    (tmp_path / "file").write_text("")
    assert main(["demo", "--out", str(tmp_path / "file" / "demo")]) == 1
    assert "cannot be created" in capsys.readouterr().err
