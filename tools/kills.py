"""Kill a battle repeatedly while it is written: no confirmed entry may be lost, and no thumbnail file set aside.

    python -m tools.kills [--count 200] [--seed 1]

A separate process plays a battle without end, with a picture of every entry, sometimes closes both, and reports the
confirmed entries. It is killed at a random moment; then the battle and its pictures are opened as the window opens
them. The exit status is 1 if anything was lost, altered or set aside.
"""

from __future__ import annotations

import argparse
import json
import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from rules.battle.battle import Battle
from rules.engine.events import Noted
from rules.tabletop.errors import UserError
from ui.battle.thumbnail_store import ThumbnailStore

LONGEST_WAIT_S = 0.12
"""Seconds between the first confirmed entry and the kill: some dozens of entries."""
REOPENED_EVERY = 9
MOST_ENTRIES = 4000
"""Entries after which a new battle starts, so that opening takes no longer than writing."""


@dataclass
class Findings:
    """Results of all kills."""

    kills: int = 0
    confirmed: int = 0
    rolled_back: int = 0
    faults: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=200, help="how often it is killed")
    parser.add_argument("--seed", type=int, default=1, help="another number, other moments")
    parser.add_argument("--play", type=Path, help="play the battle in this file without end; for the process itself")
    options = parser.parse_args()
    if options.play is not None:
        play(options.play, options.seed)
    with tempfile.TemporaryDirectory() as folder:
        found = play_and_kill(Path(folder), options.count, options.seed)
    print(*found.faults, sep="\n")
    rollbacks = f"{found.rolled_back} unfinished entries rolled back"
    print(f"{found.kills} kills, {found.confirmed} pictures confirmed; {rollbacks}, {len(found.faults)} faults")
    sys.exit(1 if found.faults else 0)


def play(path: Path, seed: int) -> None:
    """Play without end; each line on standard output is the number of an entry that is stored with its picture."""
    chance = random.Random(seed)
    while True:
        with Battle.open(path, time.time) as battle:
            thumbnails = ThumbnailStore(battle)
            for _ in range(REOPENED_EVERY):
                entry = battle.record(Noted(text=_words(len(battle.entries) + 1)))
                thumbnails.put(entry.seq, _picture(entry.seq, chance.randint(100, 19_000)))
                print(json.dumps(entry.seq), flush=True)
            thumbnails.close()


def play_and_kill(folder: Path, count: int, seed: int) -> Findings:
    """Play and kill `count` times, and check the files each time."""
    chance, found = random.Random(seed), Findings()
    path = folder / "0.battle"
    for number in range(count):
        if not path.exists() or found.confirmed // MOST_ENTRIES > int(path.stem):
            path = folder / f"{found.confirmed // MOST_ENTRIES}.battle"
            Battle.begin(path, lambda: 0.0, "simple_plastic", ["green", "tan"]).close()
        confirmed = _kill_while_playing(path, seed * 1000 + number, chance.uniform(0, LONGEST_WAIT_S))
        found.kills += 1
        found.confirmed += len(confirmed)
        found.faults += [f"kill {number}: {fault}" for fault in _check_files(path, confirmed, found)]
    return found


def _kill_while_playing(path: Path, seed: int, wait_s: float) -> list[int]:
    """Play in another process and kill it; returns the entries it has confirmed."""
    command = [sys.executable, "-m", "tools.kills", "--play", str(path), "--seed", str(seed)]
    player = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert player.stdout is not None
    first = player.stdout.readline()
    time.sleep(wait_s)
    player.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    rest, _ = player.communicate()
    return [int(line) for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]


def _check_files(path: Path, confirmed: list[int], found: Findings) -> list[str]:
    """Open the battle and its pictures; returns the faults."""
    if not confirmed:
        return ["nothing was played"]
    try:
        with Battle.open(path, lambda: 0.0) as battle:
            found.rolled_back += "unconfirmed entries are lost" in battle.remark
            faults = [
                f"entry {entry.seq} is not what was written"
                for entry in battle.entries[1:]
                if entry.body["text"] != _words(entry.seq)
            ]
            faults += [f"entry {confirmed[-1]} is lost"] if len(battle.entries) < confirmed[-1] else []
            thumbnails = ThumbnailStore(battle)
            stored = {seq: thumbnails.picture(seq) or b"" for seq in confirmed}
            lost = [seq for seq, jpeg in stored.items() if not jpeg or jpeg != _picture(seq, len(jpeg))]
            faults += [f"{len(lost)} pictures are lost"] if lost else []
            faults += [thumbnails.remark] if thumbnails.remark else []
            thumbnails.close()
    except UserError as refusal:
        return [str(refusal)]
    return faults


def _words(seq: int) -> str:
    return f"note {seq} " * (1 + seq % 40)


def _picture(seq: int, size: int) -> bytes:
    """A fake JPEG of this size, different for every entry."""
    return (b"\xff\xd8" + seq.to_bytes(4, "big") * (size // 4 + 1))[:size]


if __name__ == "__main__":
    main()
