"""Time, memory and size of a battle's film in each format, and of its web page.

Run with `python -m benchmarks.battle_film [--actions N] [--folder FOLDER]`. Each file is made in a process of its own
and, as in the window, in a thread. Meanwhile a timer of 16 ms in Qt's own thread measures how long the window would
wait, and how much memory was added. The wait is in processor time of the process, so that other programs do not count.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
from PyQt6.QtCore import QEventLoop, QTimer
from PyQt6.QtWidgets import QApplication

from benchmarks.page import Table
from rules.battle.battle import Battle
from rules.battle.progress import no_step
from rules.engine.dice import Scripted, play
from rules.engine.events import Change, Effects, Event, Move, Moved, PhaseBegun, Placed, TableLaid, UnitJoined
from rules.engine.verdict import Verdict
from rules.tabletop.table import TerrainKind, TerrainPiece
from ui.battle.film import FORMATS
from ui.battle.history import report_of
from ui.battle.report_page import report_page
from ui.battle.thumbnail_store import ThumbnailStore, small_jpeg
from ui.desktop.app import collected_here
from ui.desktop.battle.film import save_film
from vision.simulation.scene import demo_scene
from vision.simulation.simulator import SimulatedTable

GAME, SIDES = "simple_plastic", ("green", "tan")
HOUSE = TerrainPiece("House", TerrainKind.BUILDING, ((16.0, 14.0), (22.0, 14.0), (22.0, 19.0), (16.0, 19.0)), 0.0, 5.0)
WOODS = TerrainPiece("Woods", TerrainKind.WOODS, ((26.0, 6.0), (32.0, 8.0), (30.0, 13.0), (25.0, 11.0)), 0.0, 6.0)
_MEN = 12


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--actions", type=int, default=200)
    parser.add_argument("--folder", type=Path, help="where the battle and its films stay")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as own:
        folder = options.folder or Path(own)
        path = folder / "evening.battle"
        prepare(path, options.actions)
        print(table(path, [folder / f"evening{one.suffix}" for one in FORMATS] + [folder / "evening.html"]).markdown())


def table(battle: Path, outputs: list[Path]) -> Table:
    """The page's table."""
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        rows = [pool.apply(measured, (battle, path)) for path in outputs]
    head = ("file", "seconds", "of the processor", "longest wait, processor ms", "memory, MB", "size, MB")
    return Table("battle-film", head, rows)


def measured(battle: Path, path: Path) -> tuple[str, ...]:
    """Cells of one row."""
    application = QApplication(["film", "-platform", "offscreen"])
    with Battle.open(battle, lambda: 0.0) as one, closing(ThumbnailStore(one)) as pictures:

        def make() -> None:
            if path.suffix == ".html":
                path.write_bytes(report_page(report_of(one), pictures.picture, no_step))
            else:
                save_film(path, report_of(one), pictures, 1.0, no_step)

        began_s, own_s = time.monotonic(), time.process_time()
        wait_s, more_mb = _watched(make, application)
        took_s, own_s = time.monotonic() - began_s, time.process_time() - own_s
    size_mb = path.stat().st_size / 2**20
    numbers = (f"{took_s:.1f}", f"{own_s:.1f}", f"{1000 * wait_s:.0f}", f"{more_mb:.0f}", f"{size_mb:.1f}")
    return (path.suffix, *numbers)


def _watched(make: Callable[[], None], application: QApplication) -> tuple[float, float]:
    """The longest processor time between two events of a timer while `make` runs, and the memory it added."""
    ticks, thread = [(time.process_time(), _resident_mb())], threading.Thread(target=make)
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append((time.process_time(), _resident_mb())))
    timer.start(16)
    with collected_here():
        thread.start()
        while thread.is_alive():
            application.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    longest_s = max(after - before for (before, _), (after, _) in itertools.pairwise(ticks))
    return longest_s, max(mb for _, mb in ticks) - ticks[0][1]


def _resident_mb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def prepare(path: Path, actions: int) -> None:
    """Write a battle of two dozen figures that move and fire, with a picture for every action."""
    jpeg = small_jpeg(np.asarray(SimulatedTable(demo_scene()).read().image_bgr[::2, ::2]))
    clock = itertools.count(1_764_000_000, 40)
    with Battle.begin(path, lambda: float(next(clock)), GAME, SIDES) as battle:
        battle.record(TableLaid(camera="", terrain=(HOUSE, WOODS)))
        battle.record_all(_set_up())
        rng, pictures = random.Random(7), ThumbnailStore(battle)
        for number in range(actions):
            if number % 10 == 0:
                turn, side = number // 20 + 1, SIDES[number // 10 % 2]
                battle.record(PhaseBegun(turn=turn, side=side, phase="moving"))
            (_move if number % 10 < 5 else _shoot)(battle, rng)
            pictures.put(battle.entries[-1].seq, jpeg)
        pictures.close()


def _set_up() -> Iterator[Event]:
    for side in SIDES:
        for number in range(1, _MEN + 1):
            yield UnitJoined(figure=f"{side}-{number}", side=side, card="soldier")
    for side, y_in in zip(SIDES, (4.0, 26.0), strict=True):
        for number in range(1, _MEN + 1):
            yield Placed(figure=f"{side}-{number}", at_in=(2.0 + 3.2 * number, y_in))


def _move(battle: Battle, rng: random.Random) -> None:
    man = rng.choice(battle.state.standing(battle.state.side))
    assert man.at_in is not None
    x, y = man.at_in
    to_in = (x + rng.uniform(-2.0, 2.0), y + rng.uniform(1.0, 4.0) * (1 if y < 15 else -1))
    battle.record(Moved(moves=(Move(figure=man.id, from_in=man.at_in, to_in=to_in, moved_in=3.0, cost_in=3.0),)))


def _shoot(battle: Battle, rng: random.Random) -> None:
    state = battle.state
    enemy = next(side for side in SIDES if side != state.side)
    man, target = rng.choice(state.standing(state.side)), rng.choice(state.standing(enemy))

    def falls(verdict: Verdict) -> Effects:
        kills = verdict.outcome == "kills" and len(state.standing(enemy)) > 2
        return Effects(changes=(Change(figure=target.id, key="eliminated", value=True, rule="SP-11"),) if kills else ())

    title = f"Attack {target.id.replace('-', ' ').capitalize()}"
    given = {"attacker": "ordinary", "attacker_moved": True}
    play(battle.asking("attack", given, falls, [man.id], title, [target.id]), Scripted([rng.randint(1, 6)]))


if __name__ == "__main__":
    main()
