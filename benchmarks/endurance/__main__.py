"""`python -m benchmarks.endurance`: an evening of eight hours at one table, as quick as the processor allows.

    python -m benchmarks.endurance [--hours 8] [--pause 60] [--live 20] [--seed 1]

The parts are the program's own: a source that is opened, read and closed, the session with its pipeline, a battle with
its journal on the disk. The clock is handed in: a picture every two seconds while nothing happens (`--pause` on
average), five a second while something does. For `--live` seconds of each hour the window's two threads look, and the
camera takes thirty pictures a second of the real clock's, whether or not anybody keeps up. At the end the window's
bench opens the camera again and again.

It ends with status 1 if a figure's name was wrong at the end, the journal is not what was confirmed, or memory,
descriptors or threads grow.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.endurance.health import Sample, growth, taken
from benchmarks.endurance.players import Players
from benchmarks.endurance.room import Room, Still, truth
from benchmarks.endurance.script import Script, Shot
from rules.table import UserError
from ui.desktop.source_controller import Bench
from ui.desktop.worker import Worker
from ui.session import Session, TableState
from ui.setup.demo_armies import demo_setup
from vision.frame import Frame
from vision.pipeline import TableView

SAMPLE_EVERY_S = 600.0
STUCK_S = 60.0  # of the real clock, until somebody is seen
OPENED_AGAIN = 6
NEAR_IN = 0.6
"""A figure found so far from where it stands is that figure; those of a table stand 2.2 in apart."""
MOST_GROWTH_MIB = 16.0
"""Over the whole evening, at the pace of its second half, where that is no chance."""


@dataclass
class Findings:
    """What was seen to be so.

    Attributes:
        names: By the truth's name, the one that the camera gave at the beginning.
        acts: How often each happened.
        wrong, unseen: When somebody had another's name, or was not seen.
        samples: What the process held.
        live, dropped: Pictures taken at the camera's own pace, and those of them that nobody looked at.
        faults: What must not be.
    """

    names: dict[str, str] = field(default_factory=dict)
    acts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    live: int = 0
    dropped: int = 0
    faults: list[str] = field(default_factory=list)


class Evening:
    """One run: the room, the program, the players, and who watches them all."""

    def __init__(self, room: Room, journal: Path, rng: random.Random) -> None:
        """The table is set up, and the armies are taught."""
        self.room, self._journal, self._rng = room, journal, rng
        set_up, empty, there = room.first()
        self._setup = demo_setup(Frame(set_up, 0, 0.0), there, empty)
        self.session = Session(self._setup)
        self.findings = Findings()
        self.players: Players | None = None
        self._sample_at_s = 0.0

    def play(self) -> Findings:
        """All of it."""
        while not self.room.over:
            if self.room.live:
                self._look_live()
            else:
                self._look_from_open_to_close()
        self._open_again_and_again()
        self._end()
        return self.findings

    def _look_from_open_to_close(self) -> None:
        """One picture after another, until the camera is gone or does not wait any longer."""
        try:
            source = self.room.open()
        except UserError:
            return
        try:
            while (frame := source.read()) is not None:
                self._settled(self.session.shown(self.session.look(frame)))
        except UserError as refusal:
            if "no longer answers" not in str(refusal):
                raise
        finally:
            source.close()

    def _look_live(self) -> None:
        """The window's threads look as well as they can; this one pulls, as the window does."""
        counted = _Counted(self.session)
        worker = Worker(counted, lambda: self.room.open(live=True), 0.1, self.room.clock)  # type: ignore[arg-type]
        before = self.room.frames
        worker.start()
        shown = None
        while not worker.ended and not worker.broken:
            if worker.view is not None and worker.view is not shown:
                shown = worker.view
                self.session.shown(shown)
            time.sleep(1 / 60)
        worker.stop()
        if not worker.join() or worker.broken or worker.view_problem:
            self.findings.faults.append(f"{self._now}: the threads are not well: {worker.view_problem}")
        self.findings.live += self.room.frames - before
        self.findings.dropped += self.room.frames - before - counted.looked

    def _open_again_and_again(self) -> None:
        """The window's bench, over the table as it is at the end."""
        bench = Bench("0", self._setup, lambda _: Still(self.room), time.monotonic)
        for _ in range(OPENED_AGAIN):
            until_s = time.monotonic() + STUCK_S
            while not (bench.pull() and bench.view is not None and bench.view.figures) and time.monotonic() < until_s:
                time.sleep(1 / 60)
            if not (bench.view and bench.view.figures):
                self.findings.faults.append(f"opened again, nobody is seen: {bench.problem}")
            bench.try_again()
        bench.stop()
        if not bench.join():
            self.findings.faults.append("a thread goes on")

    @property
    def _now(self) -> str:
        minutes = int(self.room.clock() / 60)
        return f"{minutes // 60}:{minutes % 60:02d}"

    def _settled(self, view: TableView) -> None:
        """Where all is at rest: whether everybody has his name; then it is the players' turn."""
        shot = self.room.newest
        if shot is None or not shot.settled:
            return
        self.findings.acts[shot.done] += 1
        self._check_names(shot, view)
        if self.players is None:
            self.players = Players(self._journal, self.session, view, self._rng)
        self.players.look(view)
        if self.room.clock() >= self._sample_at_s:
            self._sample_at_s += SAMPLE_EVERY_S
            self._sample()

    def _sample(self) -> None:
        entries = len(self.players.entries) if self.players else 0
        self.findings.samples.append(taken(self.room.clock(), entries))
        print(self.findings.samples[-1], flush=True)

    def _check_names(self, shot: Shot, view: TableView) -> None:
        seen = {figure.id: figure.centre_in for figure in view.figures}
        there = truth(shot.models)
        if not self.findings.names:
            self.findings.names = {
                name: min(seen, key=lambda one: math.dist(seen[one], place)) for name, place in there.items()
            }
        for name, place in there.items():
            own = self.findings.names[name]
            near = [one for one, at in seen.items() if math.dist(at, place) < NEAR_IN]
            if own in near:
                continue
            words = f"{self._now} after {shot.done!r}: {own}"
            if near:
                self.findings.wrong.append(f"{words} is called {near[0]}")
            else:
                self.findings.unseen.append(f"{words} is not seen")
        if shot.done == "end":
            last = [one for one in (*self.findings.wrong, *self.findings.unseen) if one.startswith(self._now)]
            self.findings.faults += last
            if len(seen) != len(there):
                self.findings.faults.append(f"{len(seen)} figures are seen of {len(there)}")

    def _end(self) -> None:
        """Read the journal again, and see what grew."""
        findings = self.findings
        assert self.players is not None
        findings.faults += self.players.checked()
        if self.room.opened != self.room.closed:
            findings.faults.append(f"the camera was opened {self.room.opened} times, closed {self.room.closed}")
        line, hours = growth(findings.samples, "resident_mib"), findings.samples[-1].time_s / 3600
        if line.certain and line.slope * hours > MOST_GROWTH_MIB:
            findings.faults.append("memory grows")
        half = [one for one in findings.samples if one.time_s >= findings.samples[-1].time_s / 2]
        for what in ("files", "threads", "tasks"):
            if len({getattr(one, what) for one in half}) > 1:
                findings.faults.append(f"{what} differ: {[getattr(one, what) for one in half]}")


def told(evening: Evening) -> str:
    """All findings in lines."""
    room, findings, players = evening.room, evening.findings, evening.players
    assert players is not None
    lines = [
        f"{room.clock() / 3600:.1f} hours: {room.frames} pictures; of {findings.live} at the camera's own pace the"
        f" mailbox dropped {findings.dropped}; camera opened {room.opened} times, found gone {room.gone} times",
        "acts: " + ", ".join(f"{name} {count}" for name, count in findings.acts.most_common()),
        f"battle: {len(players.entries)} entries; moves accepted {players.accepted}, let pass {players.passed}, only"
        f" shifted {players.shifted}; deeds {players.deeds}, taken back {players.taken_back}; refused"
        f" {players.refused}",
        f"checks of all names: {findings.acts.total()} of {len(findings.names)} figures; wrong {_few(findings.wrong)},"
        f" unseen {_few(findings.unseen)}",
    ]
    for what in ("resident_mib", "files", "threads", "tasks", "entries"):
        line = growth(findings.samples, what)
        lines.append(
            f"{what}: {line.low:.1f} to {line.high:.1f} in the second half,"
            f" {line.slope:+.3f} +- {line.sigma:.3f} an hour"
        )
    lines.append("\n".join(findings.faults) or "no fault: names and journal as they were, and nothing grows")
    return "\n".join(lines)


class _Counted:
    """A session as the threads see it, counting the pictures that are looked at."""

    def __init__(self, session: Session) -> None:
        self.looked = 0
        self._session, self._last = session, None

    @property
    def state(self) -> TableState:
        """The session's."""
        return self._session.state

    def look(self, frame: Frame) -> TableView:
        """The session's; a picture that is looked at again is counted once."""
        self.looked += frame is not self._last
        self._last = frame  # type: ignore[assignment]
        return self._session.look(frame)


def _few(found: Sequence[str]) -> str:
    return f"{len(found)} ({'; '.join(found[:6])})" if found else "0"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--pause", type=float, default=60.0, help="seconds between two things that happen")
    parser.add_argument("--live", type=float, default=20.0, help="seconds of each hour at the camera's own pace")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, others = random.Random(options.seed), random.Random(options.seed + 1)
    began_s = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Script(rng, options.pause, options.live), options.hours)
        evening = Evening(room, Path(folder) / "battle", others)
        findings = evening.play()
    print(told(evening))
    print(f"processor {time.process_time() - began_s[0]:.0f} s, wall {time.perf_counter() - began_s[1]:.0f} s")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
