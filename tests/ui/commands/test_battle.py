"""`sandtable battle`: a scripted situation from a file, its answer on the screen and in another file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ui.cli import main

SITUATION = Path(__file__).parents[2] / "data" / "situations" / "simple_plastic" / "frontmost_is_killed_first.json"


def test_the_answer_is_printed_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["battle", str(SITUATION), "--json", str(tmp_path / "answer.json")]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed == json.loads((tmp_path / "answer.json").read_text(encoding="utf-8"))
    assert printed["state"]["figures"]["tan-1"]["out"]


def test_a_wrong_step_prints_one_sentence_and_no_answer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = json.loads(SITUATION.read_text(encoding="utf-8"))
    wrong["steps"].append({"ask": "green-9"})
    (tmp_path / "wrong.json").write_text(json.dumps(wrong), encoding="utf-8")
    assert main(["battle", str(tmp_path / "wrong.json")]) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "step 2: there is no figure 'green-9'" in printed.err
