"""`sandtable replay`: a battle's journal as a story or JSON, with the verdicts that would now differ, or as a film."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import TextIO

from rules.battle.battle import Battle
from rules.battle.journal import Damaged
from rules.battle.progress import Step, no_step, part_of
from rules.battle.recovery import recover
from rules.tabletop.errors import UserError
from ui.battle.history import battle_document, report_of, story_text
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import ThumbnailStore
from ui.commands import sanitized
from ui.files import write_bytes

_PATIENCE_S, _REDRAW_S = 1.0, 0.25


def run_replay(options: argparse.Namespace) -> int:
    """Run the command and return its exit status.

    Raises:
        UserError: as `open_battle` and `rules.battle.recovery.recover`.
    """
    with closing(_Progress(sys.stderr, time.monotonic)) as progress:
        if options.recover is not None:
            count = recover(options.battle, options.recover, time.time, progress.step)
            progress.close()
            print(sanitized(f"{options.recover} continues {options.battle} after entry {count}."))
            return 0
        with open_battle(options.battle, part_of(progress.step, 0, 2)) as battle:
            step: Step = part_of(progress.step, 1, 2)
            text = _written(battle, options, step)
            progress.close()
            if battle.remark:
                print(sanitized(f"sandtable: {battle.remark}"), file=sys.stderr)
    print(text if options.json else sanitized(text))
    return 0


def _written(battle: Battle, options: argparse.Namespace, step: Step) -> str:
    """The battle as text or JSON, or a sentence about the file that was written."""
    if options.json:
        return json.dumps(battle_document(battle, step), indent=1, ensure_ascii=False)
    path: Path | None = options.film or options.page
    if path is None:
        return story_text(battle, step)
    with closing(ThumbnailStore(battle)) as pictures:
        if options.film is not None:
            from ui.desktop.battle.film import save_film  # loads Qt, which draws the text

            save_film(path, report_of(battle), pictures, options.speed, step)
        else:
            write_bytes(path, report_page(report_of(battle), pictures.picture, step))
        return f"{path} shows {options.battle}. {pictures.remark}".rstrip()


def open_battle(path: Path, step: Step = no_step) -> Battle:
    """Open a battle to read it.

    Raises:
        UserError: if there is no battle, or the file is damaged, of another program, or too new.
    """
    try:
        return Battle.open(path, lambda: 0.0, step)  # nothing is written, so the clock is not used
    except Damaged as damage:
        command = " (sandtable replay BATTLE --recover COPY)" if damage.kept else ""
        raise UserError(f"{damage}{command}") from damage


class _Progress:
    """Shows a percentage on the terminal after a second."""

    def __init__(self, out: TextIO | None, clock: Callable[[], float]) -> None:
        self._out = out if out is not None and out.isatty() else None
        self._clock, self._due_s, self._shown = clock, clock() + _PATIENCE_S, False

    def step(self, done: int, of: int) -> None:
        if self._out is not None and self._clock() >= self._due_s:
            self._due_s, self._shown = self._clock() + _REDRAW_S, True
            print(f"\rWorking … {100 * done // max(of, 1)} %  (Ctrl-C to cancel) ", end="", file=self._out, flush=True)

    def close(self) -> None:
        """Clear the line."""
        if self._shown and self._out is not None:
            print("\r\x1b[K", end="", file=self._out, flush=True)
        self._shown = False
