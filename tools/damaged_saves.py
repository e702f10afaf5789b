"""Open damaged battles: none may be altered without a message, changed by opening, or cause a traceback.

    python -m tools.damaged_saves [--count 1000] [--seed 1]

Each round starts with an intact save, of this version or of one without checksums, and damages it one to four times:
truncates it, flips bits, overwrites, swaps and repeats pages, edits entries, and puts foreign files beside it. After
each damage the battle is opened as in the window, and a damaged one is recovered into a copy. The exit status is 1 if
any fault was found.
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import sqlite3
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rules.battle.battle import Battle
from rules.battle.database import JOURNAL_MAGIC, beside
from rules.battle.journal import Damaged, Entry, survey_of
from rules.battle.recovery import recover
from rules.engine.events import Event, Noted, Placed, UnitJoined
from rules.tabletop.errors import UserError

PAGE = 4096
MENDED = "opened after an unfinished entry was rolled back, with a message"
MOST_HARMS = 4
LONGEST_S = 30
"""Time limit for one save."""


@dataclass(frozen=True)
class IntactSave:
    """An intact save; one of an earlier version has no checksums."""

    path: Path
    entries: tuple[Entry, ...]
    has_checksums: bool


@dataclass
class Findings:
    """Results of all rounds."""

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many damaged saves are opened")
    parser.add_argument("--seed", type=int, default=1, help="another number, other damage")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = run_rounds(Path(folder), options.count, options.seed)
    for outcome, times in found.outcomes.most_common():
        print(f"{times:6} {outcome}")
    print(*found.faults, sep="\n")
    print(f"{sum(found.outcomes.values())} damaged saves opened, {len(found.faults)} faults")
    sys.exit(1 if found.faults else 0)


def run_rounds(folder: Path, count: int, seed: int) -> Findings:
    """Damage and open `count` saves in this folder."""
    rng, found = random.Random(seed), Findings()
    intact_saves = write_intact_saves(folder)
    victim = folder / "thesis.txt"
    victim.write_text("ten years of work")
    number = 0
    while sum(found.outcomes.values()) < count:
        number += 1
        place = folder / f"round-{number}"
        place.mkdir()
        _round(place, rng, intact_saves, found, f"round {number}")
        shutil.rmtree(place)
        if not victim.exists() or victim.read_text() != "ten years of work":
            found.faults.append(f"round {number}: another file was written to or deleted")
            victim.write_text("ten years of work")
    return found


def _round(place: Path, rng: random.Random, intact_saves: Sequence[IntactSave], found: Findings, name: str) -> None:
    intact = rng.choice(intact_saves)
    save = place / "x.battle"
    shutil.copyfile(intact.path, save)
    harms = []
    for _ in range(rng.randint(1, MOST_HARMS)):
        harm = rng.choice(HARMS)
        harms.append(harm.__name__)
        intact = harm(save, rng, intact_saves) or intact
        where = f"{name}, {intact.path.name}, {' + '.join(harms)}"
        outcome, faults = opened(save, intact)
        found.outcomes[outcome] += 1
        intact = _current_save(save, intact) if outcome == MENDED else intact
        found.faults += [f"{where}: {fault}" for fault in faults]


def _current_save(save: Path, before: IntactSave) -> IntactSave:
    """The save after SQLite's reported repair; if nothing else was readable, it may be another save."""
    with Battle.open(save, lambda: 0.0) as battle:
        return IntactSave(before.path, battle.entries, before.has_checksums)


def write_intact_saves(folder: Path) -> list[IntactSave]:
    """Intact saves of two lengths with checksums, and one without."""
    saves = []
    for name, length in (("short.battle", 12), ("long.battle", 90), ("old.battle", 40)):
        path = folder / name
        with Battle.begin(path, lambda: 7.0, "simple_plastic", ["green", "tan"]) as battle:
            battle.record_all(event for n in range(length) for event in _events(n, name))
            entries = battle.entries
        if name.startswith("old"):
            without_checksums(path)
        saves.append(IntactSave(path, entries, not name.startswith("old")))
    return saves


def _events(n: int, name: str) -> tuple[Event, ...]:
    return (
        UnitJoined(figure=f"tan-{n}", side="tan", card="soldier"),
        Placed(figure=f"tan-{n}", at_in=(1.5 * n % 40, 2.0)),
        Noted(text=f"note {n} of {name} " * (1 + n % 5)),
    )


def without_checksums(path: Path) -> None:
    """Convert a battle to the format of an earlier version."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("DROP TABLE checksum")
    raw.execute("VACUUM")
    raw.close()


def opened(save: Path, intact: IntactSave) -> tuple[str, list[str]]:
    """Open a damaged save as the program does; returns the outcome and the faults."""
    before = _contents(save.parent)
    faults: list[str] = []
    outcome = "refused"
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _timed_out)
        signal.alarm(LONGEST_S)
    try:
        outcome = _check(save, intact, faults)
    except Damaged as damage:
        outcome = "damaged, and nothing of it can be saved"
        if damage.kept:
            outcome = "damaged, and recovered in a copy"
            faults += _recovered(damage, intact)
    except UserError as refusal:
        faults += [] if 0 < len(str(refusal)) < 2000 else [f"no sentence: {refusal}"]
    except Exception:  # noqa: BLE001 - whatever it is, it must not be
        faults.append(traceback.format_exc())
    finally:
        if hasattr(signal, "SIGALRM"):
            signal.alarm(0)
    after = _contents(save.parent)
    if after != before and outcome != MENDED:
        changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
        faults.append(f"{outcome}, and opening changed {', '.join(sorted(changed))}")
    return outcome, faults


def _check(save: Path, intact: IntactSave, faults: list[str]) -> str:
    with Battle.open(save, lambda: 0.0) as battle:
        same, remark = battle.entries == intact.entries, battle.remark
        is_part = battle.entries == intact.entries[: len(battle.entries)]
    if intact.has_checksums and not is_part and not remark:
        faults.append("opened with entries that were never written")
    if "unconfirmed entries are lost" in remark:
        return MENDED
    if remark:
        return f"opened, with the message that it cannot be checked; {'unchanged' if same else 'altered'}"
    if not same:
        faults.append("opened altered without a word")
    return "opened, all entries as they were"


def _recovered(damage: Damaged, intact: IntactSave) -> list[str]:
    """Recover a damaged battle; returns the faults."""
    copy = damage.path.parent / "copy.battle"
    checked = survey_of(damage.path).checked
    try:
        count = recover(damage.path, copy, lambda: 0.0)
        with Battle.open(copy, lambda: 0.0) as battle:
            entries = battle.entries
    except UserError as refusal:
        # Without checksums, the readable part may not be a valid battle.
        return [f"not recovered: {refusal}"] if checked else []
    finally:
        copy.unlink(missing_ok=True)
    if checked and intact.has_checksums and (count < checked or entries[:count] != intact.entries[:count]):
        return [f"the copy has {count} entries, and they are not the first of the original"]
    return []


def _timed_out(*_: object) -> None:
    raise TimeoutError(f"more than {LONGEST_S} s")


def _contents(folder: Path) -> dict[str, object]:
    """The contents of every file of a folder by name."""
    return {
        path.name: path.read_bytes() if path.is_file() and not path.is_symlink() else path.lstat().st_mode
        for path in folder.iterdir()
    }


# Damage

DamageStep = Callable[[Path, random.Random, Sequence[IntactSave]], IntactSave | None]
"""Damages a save; returns the intact save to compare with, if it is another one from now on."""


def truncate(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    size = save.stat().st_size
    at = rng.choice((rng.randint(0, size), rng.randint(0, size // PAGE) * PAGE))
    os.truncate(save, at)


def flip(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    data = bytearray(save.read_bytes())
    for _time in range(rng.choice((1, 1, 3, 20)) if data else 0):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    save.write_bytes(data)


def overwrite(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    data = bytearray(save.read_bytes())
    at, length = rng.randrange(len(data) + 1), rng.choice((1, 30, PAGE))
    data[at : at + length] = rng.choice((bytes(length), rng.randbytes(length)))
    save.write_bytes(data)


def flip_text(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    """Change a letter inside an entry, which leaves SQLite's own structure valid."""
    data = bytearray(save.read_bytes())
    at = data.find(b"note ", rng.randrange(len(data) + 1))
    if at >= 0:
        data[at + 5] = ord("0") + (data[at + 5] + 1) % 10
        save.write_bytes(data)


def swap_pages(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    data = save.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    if len(pages) > 1:
        a, b = rng.sample(range(len(pages)), 2)
        pages[a], pages[b] = pages[b], pages[a]
        save.write_bytes(b"".join(pages))


def page_of_another(save: Path, rng: random.Random, intact_saves: Sequence[IntactSave]) -> None:
    data, other = bytearray(save.read_bytes()), rng.choice(intact_saves).path.read_bytes()
    at = rng.randrange(len(other) // PAGE) * PAGE
    data[at : at + PAGE] = other[at : at + PAGE]
    save.write_bytes(data)


def repeat(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    data = bytearray(save.read_bytes())
    at = rng.randrange(len(data) + 1)
    data[at:at] = data[max(0, at - rng.choice((9, PAGE))) : at]
    save.write_bytes(data)


def edit(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    """Edit entries as with a database tool, which ignores checksums."""
    changes = (
        "UPDATE entry SET body = replace(body, 'note', 'mote') WHERE seq = {n}",
        "UPDATE entry SET time_s = time_s + 1 WHERE seq = {n}",
        "UPDATE entry SET seq = seq + 1000 WHERE seq = {n}",
        "DELETE FROM entry WHERE seq = {n}",
        "DELETE FROM entry WHERE seq > {n}",
        "DELETE FROM checksum WHERE seq = {n}",
        "DELETE FROM checksum WHERE seq > {n}",
        "DELETE FROM checksum WHERE seq <= {n}",
        "UPDATE checksum SET sha256 = zeroblob(32) WHERE seq = {n}",
        "INSERT INTO entry SELECT seq + 1, time_s, kind, version, body FROM entry ORDER BY seq DESC LIMIT 1",
    )
    if beside(save):
        return  # SQLite itself would apply those files
    raw = sqlite3.connect(save, isolation_level=None)
    try:
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _sql in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("PRAGMA synchronous = OFF")
        raw.execute(rng.choice(changes).format(n=rng.randint(1, 40)))
        for _name, sql in triggers:
            raw.execute(sql)
    except (sqlite3.Error, UnicodeDecodeError):
        pass  # an already damaged save may not be editable
    finally:
        raw.close()


def foreign_journal(save: Path, rng: random.Random, intact_saves: Sequence[IntactSave]) -> IntactSave | None:
    """A rollback journal of another battle, of an earlier state of this one, or an empty one."""
    journal = _beside(save, "-journal")
    kind = rng.choice(("unfinished", "unfinished", "whole", "shrink", "random", "empty", "super"))
    if kind == "unfinished":
        other, is_torn = rng.choice(intact_saves), rng.random() < 0.5
        _unfinished(other.path, save if is_torn else None, journal)
        return other if is_torn else None
    if kind == "whole":
        journal.write_bytes(journal_of_all(rng.choice(intact_saves).path))
    elif kind == "shrink":
        journal.write_bytes(journal_header(rng.randint(0, 9)))
    elif kind == "random":
        journal.write_bytes(rng.choice((b"", JOURNAL_MAGIC)) + rng.randbytes(rng.randrange(3000)))
    elif kind == "empty":
        journal.write_bytes(bytes(rng.choice((0, 512))))
    else:
        size = save.stat().st_size // PAGE
        journal.write_bytes(journal_header(size) + super_record(save.parent.parent / "thesis.txt"))
    return None


def foreign_log(save: Path, rng: random.Random, intact_saves: Sequence[IntactSave]) -> None:
    """A write-ahead log of another battle, or an empty one."""
    log = _beside(save, "-wal")
    if rng.random() < 0.3:
        log.write_bytes(rng.randbytes(rng.randrange(9000)))
        return
    other = save.parent / "other"
    shutil.copyfile(rng.choice(intact_saves).path, other)
    raw = sqlite3.connect(other, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("INSERT INTO entry (time_s, kind, version, body) VALUES (0, 'noted', 1, '{\"text\": \"mine\"}')")
    shutil.copyfile(f"{other}-wal", log)
    raw.close()
    other.unlink()


def odd_companion(save: Path, rng: random.Random, _: Sequence[IntactSave]) -> None:
    """A link, a pipe or a folder in place of one of SQLite's files."""
    path = _beside(save, rng.choice(("-journal", "-wal", "-shm")))
    kind = rng.choice(("link", "dangling", "pipe", "folder"))
    if kind == "pipe" and hasattr(os, "mkfifo"):
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(save.parent.parent / ("thesis.txt" if kind == "link" else "nowhere"))


HARMS: tuple[DamageStep, ...] = (
    *(truncate, flip, flip, overwrite, flip_text, flip_text, swap_pages, page_of_another, repeat, edit, edit),
    *(foreign_journal, foreign_journal, foreign_log, odd_companion),
)


def journal_header(pages: int) -> bytes:
    """The first sector of a rollback journal without records that would shrink the database to `pages` pages."""
    numbers = (0, 0, pages, 512, PAGE)
    return (JOURNAL_MAGIC + b"".join(number.to_bytes(4, "big") for number in numbers)).ljust(512, b"\0")


def journal_of_all(path: Path) -> bytes:
    """A rollback journal that turns any database into this one, page by page."""
    data = path.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    numbers = (len(pages), 0, len(pages), 512, PAGE)
    head = (JOURNAL_MAGIC + b"".join(number.to_bytes(4, "big") for number in numbers)).ljust(512, b"\0")
    sums = (sum(page[PAGE - 200 : 0 : -200]) for page in pages)  # as SQLite checks its records, with a nonce of 0
    records = zip(range(1, len(pages) + 1), pages, sums, strict=True)
    return head + b"".join(n.to_bytes(4, "big") + page + total.to_bytes(4, "big") for n, page, total in records)


def super_record(name: Path) -> bytes:
    """The end of a rollback journal with a super-journal, which SQLite deletes after the rollback."""
    text = os.fsencode(name)
    total = sum(byte - 256 * (byte > 127) for byte in text) % 2**32
    numbers = (len(text).to_bytes(4, "big"), total.to_bytes(4, "big"))
    return b"\x00\x04\x00\x01" + text + b"".join(numbers) + JOURNAL_MAGIC


def _beside(save: Path, kind: str) -> Path:
    """The path of such a file beside a save, after removing what is there."""
    path = Path(f"{save}{kind}")
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    return path


def _unfinished(intact: Path, torn: Path | None, journal: Path) -> None:
    """The journal of an unfinished transaction; with `torn`, also the database in that state."""
    copy = journal.parent / "unfinished"
    shutil.copyfile(intact, copy)
    raw = sqlite3.connect(copy, isolation_level=None)
    raw.execute("PRAGMA cache_size = 2")  # forces pages to disk before the end, and the journal before them
    raw.execute("BEGIN")
    for n in range(200):
        row = (0.0, "noted", 1, '{"text": "%s"}' % (f"{n} " * 200))
        raw.execute("INSERT INTO entry (time_s, kind, version, body) VALUES (?, ?, ?, ?)", row)
    shutil.copyfile(f"{copy}-journal", journal)
    if torn is not None:
        shutil.copyfile(copy, torn)
    raw.execute("ROLLBACK")
    raw.close()
    copy.unlink()


if __name__ == "__main__":
    main()
