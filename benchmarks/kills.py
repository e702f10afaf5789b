"""Kills a battle in the middle of its writing, again and again: nothing confirmed may be lost, no album set aside.

    python -m benchmarks.kills [--count 200] [--seed 1]

A process of its own plays a battle without end, with a picture of every entry, closes both now and then, and says what
has been confirmed. It is killed at a moment that chance chooses; then the battle and its album are opened as the window
opens them. It ends with status 1 if anything was lost, altered or set aside.
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

from rules.battle import Battle
from rules.events import Noted
from rules.table import UserError
from ui.battle.thumbnail_store import Album

LONGEST_WAIT_S = 0.12
"""Between the first confirmed entry and the kill: some dozens of entries."""
REOPENED_EVERY = 9
MOST_ENTRIES = 4000
"""Then another battle is begun, so that opening it takes no longer than writing it."""


@dataclass
class Findings:
    """What was found after the kills.

    Attributes:
        kills: How many there were.
        confirmed: Entries with their pictures that had been confirmed in all.
        mended: Kills after which an unfinished entry was taken back.
        faults: What must not be.
    """

    kills: int = 0
    confirmed: int = 0
    mended: int = 0
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
        found = killed(Path(folder), options.count, options.seed)
    print(*found.faults, sep="\n")
    mended = f"{found.mended} unfinished entries taken back"
    print(
        f"{found.kills} kills, {found.confirmed} entries and pictures confirmed, {mended}, {len(found.faults)} faults"
    )
    sys.exit(1 if found.faults else 0)


def play(path: Path, seed: int) -> None:
    """Go on for ever; each line on standard output is the number of an entry that is kept with its picture."""
    chance = random.Random(seed)
    while True:
        with Battle.open(path, time.time) as battle:
            album = Album(battle)
            for _ in range(REOPENED_EVERY):
                entry = battle.record(Noted(text=_words(len(battle.entries) + 1)))
                album.put(entry.seq, _picture(entry.seq, chance.randint(100, 19_000)))
                print(json.dumps(entry.seq), flush=True)
            album.close()


def killed(folder: Path, count: int, seed: int) -> Findings:
    """Play and kill so often, and look at what is left each time."""
    chance, found = random.Random(seed), Findings()
    path = folder / "0.battle"
    for number in range(count):
        if not path.exists() or found.confirmed // MOST_ENTRIES > int(path.stem):
            path = folder / f"{found.confirmed // MOST_ENTRIES}.battle"
            Battle.begin(path, lambda: 0.0, "simple_plastic", ["green", "tan"]).close()
        confirmed = _played(path, seed * 1000 + number, chance.uniform(0, LONGEST_WAIT_S))
        found.kills += 1
        found.confirmed += len(confirmed)
        found.faults += [f"kill {number}: {fault}" for fault in _looked(path, confirmed, found)]
    return found


def _played(path: Path, seed: int, wait_s: float) -> list[int]:
    """Play in another process and kill it; the entries it has confirmed."""
    command = [sys.executable, "-m", "benchmarks.kills", "--play", str(path), "--seed", str(seed)]
    player = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)  # noqa: S603 - this module itself
    assert player.stdout is not None
    first = player.stdout.readline()
    time.sleep(wait_s)
    player.send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
    rest, _ = player.communicate()
    return [int(line) for line in (first + rest).splitlines(keepends=True) if line.endswith("\n")]


def _looked(path: Path, confirmed: list[int], found: Findings) -> list[str]:
    """Open the battle and its album; what must not be."""
    if not confirmed:
        return ["nothing was played"]
    try:
        with Battle.open(path, lambda: 0.0) as battle:
            found.mended += "not confirmed is gone" in battle.remark
            faults = [
                f"entry {entry.seq} is not what was written"
                for entry in battle.entries[1:]
                if entry.body["text"] != _words(entry.seq)
            ]
            faults += [f"entry {confirmed[-1]} is lost"] if len(battle.entries) < confirmed[-1] else []
            album = Album(battle)
            kept = [seq for seq in confirmed if album.picture(seq) == _picture(seq, len(album.picture(seq) or b""))]
            faults += [f"{len(confirmed) - len(kept)} pictures are lost"] if kept != confirmed else []
            faults += [album.remark] if album.remark else []
            album.close()
    except UserError as refusal:
        return [str(refusal)]
    return faults


def _words(seq: int) -> str:
    return f"note {seq} " * (1 + seq % 40)


def _picture(seq: int, size: int) -> bytes:
    """What passes for a JPEG, of this length, and is another for every entry."""
    return (b"\xff\xd8" + seq.to_bytes(4, "big") * (size // 4 + 1))[:size]


if __name__ == "__main__":
    main()
