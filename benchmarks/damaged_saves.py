"""Opens damaged battles: none may be opened altered without a word, none changed by opening, none end in a traceback.

    python -m benchmarks.damaged_saves [--count 1000] [--seed 1]

Each round begins with a sound save, of this version or of one without checksums, and harms it one to four times:
truncates it, flips bits, overwrites, swaps and repeats pages, edits entries, and puts foreign files beside it. After
each harm the battle is opened as the window opens it, and a damaged one is recovered into a copy. It ends with status 1
if anything was found that must not be.
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

from rules.battle import Battle
from rules.database import JOURNAL_MAGIC, beside
from rules.events import Enlisted, Event, Noted, Placed
from rules.journal import Damaged, Entry, survey_of
from rules.recovery import recover
from rules.table import UserError

PAGE = 4096
MENDED = "opened after an unfinished entry was taken back, which was said"
MOST_HARMS = 4
LONGEST_S = 30
"""For one save; what takes longer hangs."""


@dataclass(frozen=True)
class Sound:
    """A sound save.

    Attributes:
        path: Of the file.
        entries: What it holds.
        has_checksums: False for one of an earlier version.
    """

    path: Path
    entries: tuple[Entry, ...]
    has_checksums: bool


@dataclass
class Findings:
    """What became of the saves.

    Attributes:
        outcomes: How often each was the result of opening.
        faults: What must not be, each with the round it was found in.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=1000, help="how many damaged saves are opened")
    parser.add_argument("--seed", type=int, default=1, help="another number, other damage")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = tried(Path(folder), options.count, options.seed)
    for outcome, times in found.outcomes.most_common():
        print(f"{times:6} {outcome}")
    print(*found.faults, sep="\n")
    print(f"{sum(found.outcomes.values())} damaged saves opened, {len(found.faults)} faults")
    sys.exit(1 if found.faults else 0)


def tried(folder: Path, count: int, seed: int) -> Findings:
    """Harm and open so many saves in this folder."""
    chance, found = random.Random(seed), Findings()
    sounds = sound_saves(folder)
    victim = folder / "thesis.txt"
    victim.write_text("ten years of work")
    number = 0
    while sum(found.outcomes.values()) < count:
        number += 1
        place = folder / f"round-{number}"
        place.mkdir()
        _round(place, chance, sounds, found, f"round {number}")
        shutil.rmtree(place)
        if not victim.exists() or victim.read_text() != "ten years of work":
            found.faults.append(f"round {number}: another file was written to or deleted")
            victim.write_text("ten years of work")
    return found


def _round(place: Path, chance: random.Random, sounds: Sequence[Sound], found: Findings, name: str) -> None:
    sound = chance.choice(sounds)
    save = place / "x.battle"
    shutil.copyfile(sound.path, save)
    harms = []
    for _ in range(chance.randint(1, MOST_HARMS)):
        harm = chance.choice(HARMS)
        harms.append(harm.__name__)
        sound = harm(save, chance, sounds) or sound
        where = f"{name}, {sound.path.name}, {' + '.join(harms)}"
        outcome, faults = opened(save, sound)
        found.outcomes[outcome] += 1
        sound = _sound_now(save, sound) if outcome == MENDED else sound
        found.faults += [f"{where}: {fault}" for fault in faults]


def _sound_now(save: Path, before: Sound) -> Sound:
    """The save as SQLite's repair has left it, which was said: where nothing else could be read, it may be another."""
    with Battle.open(save, lambda: 0.0) as battle:
        return Sound(before.path, battle.entries, before.has_checksums)


def sound_saves(folder: Path) -> list[Sound]:
    """Saves of two lengths with checksums, and one without."""
    saves = []
    for name, length in (("short.battle", 12), ("long.battle", 90), ("old.battle", 40)):
        path = folder / name
        with Battle.begin(path, lambda: 7.0, "simple_plastic", ["green", "tan"]) as battle:
            battle.record_all(event for n in range(length) for event in _events(n, name))
            entries = battle.entries
        if name.startswith("old"):
            without_checksums(path)
        saves.append(Sound(path, entries, not name.startswith("old")))
    return saves


def _events(n: int, name: str) -> tuple[Event, ...]:
    return (
        Enlisted(figure=f"tan-{n}", side="tan", card="soldier"),
        Placed(figure=f"tan-{n}", at_in=(1.5 * n % 40, 2.0)),
        Noted(text=f"note {n} of {name} " * (1 + n % 5)),
    )


def without_checksums(path: Path) -> None:
    """Make a battle one that an earlier version wrote."""
    raw = sqlite3.connect(path, isolation_level=None)
    raw.execute("DROP TABLE checksum")
    raw.execute("VACUUM")
    raw.close()


def opened(save: Path, sound: Sound) -> tuple[str, list[str]]:
    """Open a damaged save as the program does: what became of it, and what of that must not be."""
    before = _contents(save.parent)
    faults: list[str] = []
    outcome = "refused"
    if hasattr(signal, "SIGALRM"):
        signal.signal(signal.SIGALRM, _too_long)
        signal.alarm(LONGEST_S)
    try:
        outcome = _judged(save, sound, faults)
    except Damaged as damage:
        outcome = "damaged, and nothing of it can be saved"
        if damage.kept:
            outcome = "damaged, and recovered in a copy"
            faults += _recovered(damage, sound)
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


def _judged(save: Path, sound: Sound, faults: list[str]) -> str:
    with Battle.open(save, lambda: 0.0) as battle:
        same, remark = battle.entries == sound.entries, battle.remark
        is_part = battle.entries == sound.entries[: len(battle.entries)]
    if sound.has_checksums and not is_part and not remark:
        faults.append("opened with entries that were never written")
    if "what was not confirmed is gone" in remark:
        return MENDED
    if remark:
        return f"opened, and said that it cannot be checked; {'as it was' if same else 'altered'}"
    if not same:
        faults.append("opened altered without a word")
    return "opened, all entries as they were"


def _recovered(damage: Damaged, sound: Sound) -> list[str]:
    """Recover a damaged battle; what was wrong with that."""
    copy = damage.path.parent / "copy.battle"
    checked = survey_of(damage.path).checked
    try:
        count = recover(damage.path, copy, lambda: 0.0)
        with Battle.open(copy, lambda: 0.0) as battle:
            entries = battle.entries
    except UserError as refusal:
        # The readable part of a battle without checksums need not be a battle.
        return [f"not recovered: {refusal}"] if checked else []
    finally:
        copy.unlink(missing_ok=True)
    if checked and sound.has_checksums and (count < checked or entries[:count] != sound.entries[:count]):
        return [f"the copy has {count} entries, and they are not the first of the original"]
    return []


def _too_long(*_: object) -> None:
    raise TimeoutError(f"more than {LONGEST_S} s")


def _contents(folder: Path) -> dict[str, object]:
    """Every name in a folder with what is there."""
    return {
        path.name: path.read_bytes() if path.is_file() and not path.is_symlink() else path.lstat().st_mode
        for path in folder.iterdir()
    }


# Harm

Harm = Callable[[Path, random.Random, Sequence[Sound]], Sound | None]
"""Harms a save; the sound one that it is of from then on, where that is another."""


def truncate(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    size = save.stat().st_size
    at = chance.choice((chance.randint(0, size), chance.randint(0, size // PAGE) * PAGE))
    os.truncate(save, at)


def flip(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    data = bytearray(save.read_bytes())
    for _time in range(chance.choice((1, 1, 3, 20)) if data else 0):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
    save.write_bytes(data)


def overwrite(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    data = bytearray(save.read_bytes())
    at, length = chance.randrange(len(data) + 1), chance.choice((1, 30, PAGE))
    data[at : at + length] = chance.choice((bytes(length), chance.randbytes(length)))
    save.write_bytes(data)


def flip_text(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    """Change a letter inside of an entry: nothing of SQLite's own structure notices."""
    data = bytearray(save.read_bytes())
    at = data.find(b"note ", chance.randrange(len(data) + 1))
    if at >= 0:
        data[at + 5] = ord("0") + (data[at + 5] + 1) % 10
        save.write_bytes(data)


def swap_pages(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    data = save.read_bytes()
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    if len(pages) > 1:
        a, b = chance.sample(range(len(pages)), 2)
        pages[a], pages[b] = pages[b], pages[a]
        save.write_bytes(b"".join(pages))


def page_of_another(save: Path, chance: random.Random, sounds: Sequence[Sound]) -> None:
    data, other = bytearray(save.read_bytes()), chance.choice(sounds).path.read_bytes()
    at = chance.randrange(len(other) // PAGE) * PAGE
    data[at : at + PAGE] = other[at : at + PAGE]
    save.write_bytes(data)


def repeat(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    data = bytearray(save.read_bytes())
    at = chance.randrange(len(data) + 1)
    data[at:at] = data[max(0, at - chance.choice((9, PAGE))) : at]
    save.write_bytes(data)


def edit(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    """As somebody with a tool for databases would, who knows nothing of checksums."""
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
        return  # SQLite itself would do what those files want
    raw = sqlite3.connect(save, isolation_level=None)
    try:
        triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
        for name, _sql in triggers:
            raw.execute(f"DROP TRIGGER {name}")
        raw.execute("PRAGMA synchronous = OFF")
        raw.execute(chance.choice(changes).format(n=chance.randint(1, 40)))
        for _name, sql in triggers:
            raw.execute(sql)
    except (sqlite3.Error, UnicodeDecodeError):
        pass  # what is damaged already may not be edited any more
    finally:
        raw.close()


def foreign_journal(save: Path, chance: random.Random, sounds: Sequence[Sound]) -> Sound | None:
    """A rollback journal of another battle, of this one's past, or of nothing."""
    journal = _beside(save, "-journal")
    kind = chance.choice(("unfinished", "unfinished", "whole", "shrink", "random", "empty", "super"))
    if kind == "unfinished":
        other, is_torn = chance.choice(sounds), chance.random() < 0.5
        _unfinished(other.path, save if is_torn else None, journal)
        return other if is_torn else None
    if kind == "whole":
        journal.write_bytes(journal_of_all(chance.choice(sounds).path))
    elif kind == "shrink":
        journal.write_bytes(journal_header(chance.randint(0, 9)))
    elif kind == "random":
        journal.write_bytes(chance.choice((b"", JOURNAL_MAGIC)) + chance.randbytes(chance.randrange(3000)))
    elif kind == "empty":
        journal.write_bytes(bytes(chance.choice((0, 512))))
    else:
        size = save.stat().st_size // PAGE
        journal.write_bytes(journal_header(size) + super_record(save.parent.parent / "thesis.txt"))
    return None


def foreign_log(save: Path, chance: random.Random, sounds: Sequence[Sound]) -> None:
    """A write-ahead log, of another battle or of nothing."""
    log = _beside(save, "-wal")
    if chance.random() < 0.3:
        log.write_bytes(chance.randbytes(chance.randrange(9000)))
        return
    other = save.parent / "other"
    shutil.copyfile(chance.choice(sounds).path, other)
    raw = sqlite3.connect(other, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("INSERT INTO entry (time_s, kind, version, body) VALUES (0, 'noted', 1, '{\"text\": \"mine\"}')")
    shutil.copyfile(f"{other}-wal", log)
    raw.close()
    other.unlink()


def odd_companion(save: Path, chance: random.Random, _: Sequence[Sound]) -> None:
    """A link, a pipe or a folder where SQLite would look for a file of its own."""
    path = _beside(save, chance.choice(("-journal", "-wal", "-shm")))
    kind = chance.choice(("link", "dangling", "pipe", "folder"))
    if kind == "pipe" and hasattr(os, "mkfifo"):
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    else:
        path.symlink_to(save.parent.parent / ("thesis.txt" if kind == "link" else "nowhere"))


HARMS: tuple[Harm, ...] = (
    *(truncate, flip, flip, overwrite, flip_text, flip_text, swap_pages, page_of_another, repeat, edit, edit),
    *(foreign_journal, foreign_journal, foreign_log, odd_companion),
)


def journal_header(pages: int) -> bytes:
    """The first sector of a rollback journal without records, that would shrink the database to so many pages."""
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
    """What ends a rollback journal that names a super-journal: SQLite deletes that file after the rollback."""
    text = os.fsencode(name)
    total = sum(byte - 256 * (byte > 127) for byte in text) % 2**32
    numbers = (len(text).to_bytes(4, "big"), total.to_bytes(4, "big"))
    return b"\x00\x04\x00\x01" + text + b"".join(numbers) + JOURNAL_MAGIC


def _beside(save: Path, kind: str) -> Path:
    """The place of such a file beside a save, with nothing there."""
    path = Path(f"{save}{kind}")
    if path.is_dir() and not path.is_symlink():
        path.rmdir()
    path.unlink(missing_ok=True)
    return path


def _unfinished(sound: Path, torn: Path | None, journal: Path) -> None:
    """The journal of a transaction that was never finished; with `torn`, also the database as it left it."""
    copy = journal.parent / "unfinished"
    shutil.copyfile(sound, copy)
    raw = sqlite3.connect(copy, isolation_level=None)
    raw.execute("PRAGMA cache_size = 2")  # pages go to the disk before the end, and the journal before them
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
