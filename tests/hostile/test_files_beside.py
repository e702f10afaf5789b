"""A folder from a stranger: files beside a battle, links, and pipes instead of files."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from calibration.markers import dictionary_of
from calibration.profile import read_layout, read_lens
from rules.battle.battle import Battle
from rules.battle.database import START, next_checksum
from rules.battle.journal import Damaged, Journal
from rules.battle.recovery import recover
from rules.engine.events import Noted
from rules.games import open_game
from rules.tabletop.errors import UserError
from tests.hostile.nasty import is_a_sentence
from tools.damaged_saves import journal_header, journal_of_all, super_record, without_checksums
from ui.battle.battle_setup import load_army
from ui.battle.history import story_text
from ui.battle.thumbnail_store import ThumbnailStore, thumbnail_path
from ui.cli import main
from ui.commands.replay import open_battle
from ui.files import read_terrain, write_json
from ui.setup.saved_table_store import SavedTables
from vision.pictures import read_image
from vision.source import open_source

posix = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")
pytestmark = pytest.mark.timeout(20)
PICTURE = b"\xff\xd8 a picture"


@pytest.fixture
def save(tmp_path: Path) -> Path:
    """A battle of five entries, in its own folder."""
    path = tmp_path / "shared" / "x.battle"
    path.parent.mkdir()
    with Battle.begin(path, lambda: 0.0, "simple_plastic", ["green", "tan"]) as battle:
        battle.record_all(Noted(text=f"note {n}") for n in range(4))
    return path


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """An unrelated file of the user."""
    path = tmp_path / "thesis.txt"
    path.write_text("ten years of work")
    return path


def beside(save: Path, kind: str) -> Path:
    return Path(f"{save}{kind}")


def is_refused(read: Callable[[], object], match: str, *files: Path) -> None:
    before = [file.read_bytes() for file in files]
    with pytest.raises(UserError, match=match) as refusal:
        read()
    is_a_sentence(str(refusal.value))
    assert [file.read_bytes() for file in files] == before


def super_journal(save: Path, victim: Path) -> bytes:
    """A rollback journal that SQLite plays back, after which it deletes the victim."""
    return journal_header(save.stat().st_size // 4096) + super_record(victim)


# A: a super-journal


def test_the_crafted_journal_would_delete_a_file(save: Path, victim: Path) -> None:
    """Otherwise the tests below would prove nothing: SQLite alone follows the journal."""
    beside(save, "-journal").write_bytes(super_journal(save, victim))
    raw = sqlite3.connect(save)
    raw.execute("SELECT count(*) FROM entry").fetchone()
    raw.close()
    assert not victim.exists()


def test_a_journal_that_names_a_file_to_delete(save: Path, victim: Path, capsys: pytest.CaptureFixture[str]) -> None:
    journal = beside(save, "-journal")
    journal.write_bytes(super_journal(save, victim))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "delete another file", save, journal, victim)
    assert main(["replay", str(save)]) == 1
    assert "delete another file" in capsys.readouterr().err
    assert main(["replay", str(save), "--recover", str(save.with_name("copy"))]) == 0
    with open_battle(save.with_name("copy")) as copy:
        assert "note 3" in story_text(copy)
    assert victim.read_text() == "ten years of work"


@posix
def test_a_journal_beside_the_target_of_a_link_is_found(save: Path, victim: Path, tmp_path: Path) -> None:
    beside(save, "-journal").write_bytes(super_journal(save, victim))
    (tmp_path / "link.battle").symlink_to(save)
    is_refused(lambda: Battle.open(tmp_path / "link.battle", lambda: 0.0), "delete another file", save, victim)


def test_a_new_battle_beside_such_a_journal(tmp_path: Path, victim: Path) -> None:
    path = tmp_path / "new.battle"
    beside(path, "-journal").write_bytes(journal_header(0) + super_record(victim))
    is_refused(lambda: Battle.begin(path, lambda: 0.0, "simple_plastic", ["a", "b"]), "delete another file", victim)
    assert not path.exists()


def test_a_picture_file_with_such_a_journal(save: Path, victim: Path) -> None:
    with Battle.open(save, lambda: 0.0) as battle:
        thumbnails = ThumbnailStore(battle)
        thumbnails.put(1, PICTURE)
        thumbnails.close()
        journal = beside(thumbnails.path, "-journal")
        journal.write_bytes(super_journal(thumbnails.path, victim))
        again = ThumbnailStore(battle)
        assert again.seqs == frozenset()
        assert "delete another file" in again.remark
        is_refused(lambda: again.put(2, PICTURE), "delete another file", thumbnails.path, journal, victim)
        journal.unlink()
        assert ThumbnailStore(battle).picture(1) == PICTURE


def test_a_write_ahead_log_is_not_read_in_place_of_a_battle(save: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copyfile(save, other)
    raw = sqlite3.connect(other, isolation_level=None)
    raw.execute("PRAGMA journal_mode = WAL")
    raw.execute("INSERT INTO entry VALUES (6, 0, 'noted', 1, '{\"text\": \"never said\"}')")
    shutil.copyfile(f"{other}-wal", f"{save}-wal")
    raw.close()
    is_refused(lambda: Battle.open(save, lambda: 0.0), "was not written by this program", save)
    assert beside(save, "-wal").exists()


@posix
@pytest.mark.parametrize("kind", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("what", ["link", "dangling", "pipe", "folder"])
def test_pipes_and_links_beside_a_battle(save: Path, victim: Path, kind: str, what: str) -> None:
    path = beside(save, kind)
    if what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    else:
        path.symlink_to(victim if what == "link" else victim.with_name("nowhere"))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "is not a regular file", save, victim)
    assert not victim.with_name("nowhere").exists()


def test_a_journal_of_another_battle_does_not_change_this_one(save: Path) -> None:
    """The journal would shrink the battle to its first page; the copy contains everything."""
    journal = beside(save, "-journal")
    journal.write_bytes(journal_header(1))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "is needed to repair it", save, journal)
    with pytest.raises(Damaged) as damage:
        Battle.open(save, lambda: 0.0)
    assert damage.value.kept == 5


def test_a_journal_that_contains_another_whole_battle(save: Path) -> None:
    """SQLite would replace this battle with the other one."""
    other = save.with_name("other")
    with Battle.begin(other, lambda: 1.0, "simple_plastic", ["blue", "grey"]) as battle:
        battle.record(Noted(text="another battle"))
    journal = beside(save, "-journal")
    journal.write_bytes(journal_of_all(other))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "it would change earlier entries", save, journal)
    raw = sqlite3.connect(save)
    assert raw.execute("SELECT count(*) FROM entry").fetchone() == (2,)
    raw.close()


def test_a_rollback_to_an_earlier_state_is_reported(save: Path) -> None:
    """A rollback after a kill also loses entries and looks the same, so the message only reports the loss."""
    past = save.with_name("past")
    shutil.copyfile(save, past)
    with Battle.open(save, lambda: 0.0) as battle:
        battle.record(Noted(text="the last"))
    beside(save, "-journal").write_bytes(journal_of_all(past))
    with Battle.open(save, lambda: 0.0) as battle:
        assert len(battle.entries) == 5
        assert "unconfirmed entries are lost" in battle.remark


def test_a_file_that_is_not_a_journal_is_not_changed(save: Path) -> None:
    journal = beside(save, "-journal")
    journal.write_bytes(b"Dear diary, today we played until midnight.")
    is_refused(lambda: Battle.open(save, lambda: 0.0), "is not an SQLite journal", save, journal)


def test_an_old_battle_with_an_entry_that_makes_no_sense(save: Path) -> None:
    without_checksums(save)
    save.write_bytes(save.read_bytes().replace(b'{"text": "note 2"}', b'{"texs": "note 2"}'))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "'texs'.*3 entries can be read: continue from there", save)


# C: picture files


def test_a_picture_file_in_use_by_another_program_is_not_renamed(save: Path) -> None:
    with Battle.open(save, lambda: 0.0) as battle:
        thumbnails = ThumbnailStore(battle)
        thumbnails.put(1, PICTURE)
        thumbnails.close()
        raw = sqlite3.connect(thumbnails.path, isolation_level=None)
        raw.execute("BEGIN EXCLUSIVE")
        again = ThumbnailStore(battle)
        assert again.picture(1) is None
        assert "another program has it open" in again.remark
        raw.close()
        assert again.picture(1) == PICTURE
        again.close()
    assert not list(save.parent.glob("*.aside-*"))


@posix
def test_a_picture_file_that_is_a_link_is_not_followed(save: Path, tmp_path: Path, victim: Path) -> None:
    for target in (tmp_path / "made", victim):
        thumbnail_path(save).unlink(missing_ok=True)
        thumbnail_path(save).symlink_to(target)
        with Battle.open(save, lambda: 0.0) as battle:
            is_refused(lambda: ThumbnailStore(battle).put(1, PICTURE), "is a link, which is not followed", victim)
    assert not (tmp_path / "made").exists()


@posix
def test_a_new_battle_does_not_follow_a_link(tmp_path: Path) -> None:
    (tmp_path / "x.battle").symlink_to(tmp_path / "made")
    path = tmp_path / "x.battle"
    is_refused(lambda: Battle.begin(path, lambda: 0.0, "simple_plastic", ["a", "b"]), "a link to a missing file")
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("name", ["a\0b", "x" * 5000, ".", "/dev/null", "/dev/null/x"])
def test_a_battle_with_an_impossible_file_name_is_refused(name: str) -> None:
    is_refused(lambda: Battle.begin(Path(name), lambda: 0.0, "simple_plastic", ["a", "b"]), "the battle")


def test_renamed_pictures_keep_their_own_log(save: Path) -> None:
    with Battle.begin(save.with_name("other"), lambda: 5.0, "simple_plastic", ["a", "b"]) as other:
        thumbnails = ThumbnailStore(other)
        thumbnails.put(1, PICTURE)
        shutil.copyfile(thumbnails.path, thumbnail_path(save))
        shutil.copyfile(f"{thumbnails.path}-wal", f"{thumbnail_path(save)}-wal")
        thumbnails.close()
    with Battle.open(save, lambda: 0.0) as battle:
        mine = ThumbnailStore(battle)
        assert mine.picture(1) is None
        assert "are now in" in mine.remark
        mine.put(1, PICTURE + b" of mine")
        assert mine.picture(1) == PICTURE + b" of mine"
        mine.close()


# E, F: damage


@pytest.mark.parametrize("where", [b"TABLE entry", b"entryentry", b"checksumchecksum"])
def test_a_schema_that_is_not_text(save: Path, where: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    data = bytearray(save.read_bytes())
    at = data.find(where)
    data[at : at + 2] = b"\xff\xfe"
    save.write_bytes(data)
    is_refused(lambda: Battle.open(save, lambda: 0.0), "not UTF-8|not a battle|malformed", save)
    assert main(["replay", str(save)]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_an_altered_entry_is_named_and_the_battle_continues_in_a_copy(
    save: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save.write_bytes(save.read_bytes().replace(b"note 2", b"note 7"))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "entry 4 does not match.* intact up to entry 3", save)
    copy = save.with_name("copy.battle")
    assert main(["replay", str(save)]) == 1
    assert "--recover COPY" in capsys.readouterr().err
    assert main(["replay", str(save), "--recover", str(copy)]) == 0
    assert "after entry 3" in capsys.readouterr().out
    with Battle.open(copy, lambda: 0.0) as battle:
        assert not battle.remark
        assert [entry.body.get("text") for entry in battle.entries] == [
            *(None, "note 0", "note 1"),
            "Copied from x.battle, entries 1 to 3.",
        ]
        battle.record(Noted(text="on"))
    assert main(["replay", str(save), "--recover", str(copy)]) == 1  # the name is taken
    assert "choose another name" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ("DELETE FROM entry WHERE seq > 3", "what followed entry 3 is lost"),
        ("DELETE FROM entry WHERE seq = 3", "entry 3 is missing"),
        ("UPDATE entry SET time_s = 1 WHERE seq = 2", "entry 2 does not match its checksum"),
        ("UPDATE entry SET kind = 'moved' WHERE seq = 5", "entry 5 does not match its checksum"),
        (
            "INSERT INTO entry VALUES (6, 0, 'noted', 1, '{\"text\": \"never said\"}')",
            "entry 6 does not match its checksum",
        ),
        ("DELETE FROM checksum WHERE seq > 2", "entry 3 does not match its checksum"),
    ],
)
def test_changes_by_another_program_are_detected(save: Path, change: str, fault: str) -> None:
    raw = sqlite3.connect(save, isolation_level=None)
    triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        raw.execute(f"DROP TRIGGER {name}")
    raw.execute(change)
    for _, sql in triggers:
        raw.execute(sql)
    raw.close()
    is_refused(lambda: Battle.open(save, lambda: 0.0), fault, save)


def test_a_battle_without_checksums_shows_a_note_until_one_covers_it(save: Path) -> None:
    without_checksums(save)
    with Battle.open(save, lambda: 0.0) as battle:
        assert "without checksums: changes to its 5 entries cannot be detected" in battle.remark
        battle.record(Noted(text="the first with one"))
    with Battle.open(save, lambda: 0.0) as battle:
        assert not battle.remark
        assert len(battle.entries) == 6
    save.write_bytes(save.read_bytes().replace(b"note 2", b"note 7"))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "entry 6 does not match its checksum", save)


def test_a_damaged_battle_without_checksums_is_not_reported_as_intact(save: Path) -> None:
    without_checksums(save)
    save.write_bytes(save.read_bytes().replace(b'{"text": "note 2"}', b'{"text": "note 2"]'))
    is_refused(lambda: Battle.open(save, lambda: 0.0), "other changes to it cannot be detected", save)
    assert recover(save, save.with_name("copy"), lambda: 0.0) == 3
    with Battle.open(save.with_name("copy"), lambda: 0.0) as battle:
        assert "could not be checked" in str(battle.entries[-1].body["text"])


def test_checksums_survive_a_cancelled_transaction(tmp_path: Path) -> None:
    def called_off() -> None:
        with journal.together():
            journal.append("b", {})
            raise RuntimeError

    with Journal(tmp_path / "b", lambda: 0.0) as journal:
        journal.append("a", {})
        with pytest.raises(RuntimeError):
            called_off()
        journal.append("c", {})
        assert [entry.kind for entry in journal.entries()] == ["a", "c"]


# H: pipes and devices

READERS: dict[str, Callable[[Path], object]] = {
    "x.json lens": read_lens,
    "x.json layout": read_layout,
    "x.json terrain": read_terrain,
    "x.json army": load_army,
    "x.yml": lambda path: dictionary_of(str(path)),
    "x.png": read_image,
    "x.mp4": lambda path: open_source(str(path)),
    "x.toml": lambda path: open_game("army_men", path),
    "x.battle": lambda path: Battle.open(path, lambda: 0.0),
    "y.battle": lambda path: Battle.begin(path, lambda: 0.0, "simple_plastic", ["a", "b"]),
    "rules.toml": lambda path: Battle.begin(path.with_name("b"), lambda: 0.0, "army_men", ["a", "b"], house_rules=path),
    "out.json": lambda path: write_json(path, {}),
}


@posix
@pytest.mark.parametrize("name", READERS)
def test_a_pipe_instead_of_a_file(name: str, tmp_path: Path) -> None:
    path = tmp_path / name.split()[0]
    os.mkfifo(path)
    is_refused(lambda: READERS[name](path), "pipe|no file|no battle")


@posix
def test_a_pipe_instead_of_a_picture_file_or_saved_table(save: Path, tmp_path: Path) -> None:
    os.mkfifo(thumbnail_path(save))
    with Battle.open(save, lambda: 0.0) as battle:
        is_refused(lambda: ThumbnailStore(battle).put(1, PICTURE), "is a pipe")
    store = SavedTables(tmp_path)
    os.mkfifo(store.path_of("camera"))
    assert "is a pipe" in store.load("camera").remark


@posix
@pytest.mark.parametrize("command", ["resolve", "replay", "analyse"])
def test_a_pipe_on_the_command_line(command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.mkfifo(tmp_path / "x")
    assert main([command, str(tmp_path / "x")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


# J: house rules that inherit a path


def with_house_rules(path: Path, rules: str) -> Path:
    """A battle that begins with these house rules, with correct checksums."""
    Battle.begin(path, lambda: 0.0, "army_men", ["green", "tan"]).close()
    raw = sqlite3.connect(path, isolation_level=None)
    triggers = raw.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    for name, _ in triggers:
        raw.execute(f"DROP TRIGGER {name}")
    raw.execute("UPDATE entry SET body = json_set(body, '$.house_rules', ?)", (rules,))
    row = raw.execute("SELECT seq, time_s, kind, version, body FROM entry").fetchone()
    raw.execute("UPDATE checksum SET sha256 = ?", (next_checksum(START, row),))
    for _, sql in triggers:
        raw.execute(sql)
    raw.close()
    return path


@pytest.mark.parametrize("parent", ["{folder}/house.toml", "{folder}/house", "../games/army_men", "../../../x", ""])
def test_house_rules_of_a_battle_inherit_no_path(tmp_path: Path, parent: str) -> None:
    (tmp_path / "house.toml").write_text('inherits = "army_men"\nhouse_rules = "Elsewhere"\n', "utf-8")
    rules = f'inherits = "{parent.format(folder=tmp_path)}"\n'
    path = with_house_rules(tmp_path / "x.battle", rules)
    is_refused(lambda: Battle.open(path, lambda: 0.0), "the house rules of a battle must inherit one of army_men", path)
    mine = tmp_path / "mine.toml"
    mine.write_text(rules, "utf-8")
    begin = lambda: Battle.begin(tmp_path / "new", lambda: 0.0, "army_men", ["a", "b"], house_rules=mine)  # noqa: E731
    is_refused(begin, r"mine\.toml inherits", mine)
    assert not (tmp_path / "new").exists()


def test_house_rules_that_inherit_a_game_still_open(tmp_path: Path) -> None:
    path = with_house_rules(tmp_path / "x.battle", 'inherits = "army_men"\nhouse_rules = "Attic"\n')
    with Battle.open(path, lambda: 0.0) as battle:
        assert battle.game.rules.labels == ("Attic",)
