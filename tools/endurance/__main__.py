"""Simulate an evening of eight hours at one table, as fast as the processor allows.

    python -m tools.endurance [--hours 8] [--pause 60] [--live 20] [--seed 1]

It uses the program's own parts: a source that is opened, read and closed, the session with its pipeline, and a battle
with its journal on disk. The clock is simulated: a picture every two seconds while nothing happens (`--pause` on
average), five per second otherwise. For `--live` seconds of each hour the window's two threads analyse, and the
camera takes thirty pictures per second of real time, whether or not the program keeps up. At the end the window's
source controller reopens the camera repeatedly.

The exit status is 1 if a figure had a wrong name at the end, the journal differs from what was confirmed, or memory,
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

from rules.tabletop.errors import UserError
from tools.endurance.health import Sample, growth, sample_now
from tools.endurance.players import Players
from tools.endurance.room import Room, Still, truth
from tools.endurance.script import Script, Shot
from ui.desktop.source_controller import SourceController
from ui.desktop.worker import Worker
from ui.session import Session, TableState
from ui.setup.armies import demo_setup
from vision.frame import Frame
from vision.table_view import TableView

SAMPLE_EVERY_S = 600.0
STUCK_S = 60.0  # real time until a figure must be seen
OPENED_AGAIN = 6
NEAR_IN = 0.6
"""Matching distance of a figure to its true place; figures stand 2.2 in apart."""
MOST_GROWTH_MIB = 16.0
"""Significant growth over the whole evening, extrapolated from its second half."""


@dataclass
class Findings:
    """Results of the run.

    Attributes:
        names: True name -> the id that the camera assigned at the beginning.
        acts: Number of events of each kind.
        wrong, unseen: Times when a figure had a wrong id or was not seen.
        samples: Resource usage.
        live, dropped: Pictures taken at the camera's own pace, and those that were not analysed.
        faults: Faults found.
    """

    names: dict[str, str] = field(default_factory=dict)
    acts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)
    unseen: list[str] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    live: int = 0
    dropped: int = 0
    faults: list[str] = field(default_factory=list)


class EnduranceRun:
    """One run: the room, the program, the players, and the checks."""

    def __init__(self, room: Room, journal: Path, rng: random.Random) -> None:
        """Set up the table and teach the armies."""
        self.room, self._journal, self._rng = room, journal, rng
        set_up, empty, there = room.first()
        self._setup = demo_setup(Frame(set_up, 0, 0.0), there, empty)
        self.session = Session(self._setup)
        self.findings = Findings()
        self.players: Players | None = None
        self._sample_at_s = 0.0

    def play(self) -> Findings:
        """Run the whole evening."""
        while not self.room.over:
            if self.room.live:
                self._look_live()
            else:
                self._look_from_open_to_close()
        self._open_again_and_again()
        self._end()
        return self.findings

    def _look_from_open_to_close(self) -> None:
        """Analyse one picture after another, until the camera is unplugged or runs at its own pace."""
        try:
            source = self.room.open()
        except UserError:
            return
        try:
            while (frame := source.read()) is not None:
                self._at_rest(self.session.shown(self.session.process(frame)))
        except UserError as refusal:
            if "no longer answers" not in str(refusal):
                raise
        finally:
            source.close()

    def _look_live(self) -> None:
        """Let the window's threads analyse the live pictures, and poll their results like the window."""
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
        """Reopen the camera with the window's source controller, over the final table."""
        source_controller = SourceController("0", self._setup, lambda _: Still(self.room), time.monotonic)
        for _ in range(OPENED_AGAIN):
            until_s = time.monotonic() + STUCK_S
            while (
                not (source_controller.pull() and source_controller.view is not None and source_controller.view.figures)
                and time.monotonic() < until_s
            ):
                time.sleep(1 / 60)
            if not (source_controller.view and source_controller.view.figures):
                self.findings.faults.append(f"no figure is seen after reopening: {source_controller.problem}")
            source_controller.try_again()
        source_controller.stop()
        if not source_controller.join():
            self.findings.faults.append("a thread is still running")

    @property
    def _now(self) -> str:
        minutes = int(self.room.clock() / 60)
        return f"{minutes // 60}:{minutes % 60:02d}"

    def _at_rest(self, view: TableView) -> None:
        """At rest: check all names, then let the players act."""
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
        self.findings.samples.append(sample_now(self.room.clock(), entries))
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
        """Check the journal and the growth of resources."""
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


def report(run: EnduranceRun) -> str:
    """All findings as text."""
    room, findings, players = run.room, run.findings, run.players
    assert players is not None
    lines = [
        f"{room.clock() / 3600:.1f} hours: {room.frames} pictures; of {findings.live} at the camera's own rate,"
        f" {findings.dropped} were dropped; camera opened {room.opened} times, found missing {room.gone} times",
        "events: " + ", ".join(f"{name} {count}" for name, count in findings.acts.most_common()),
        f"battle: {len(players.entries)} entries; moves accepted {players.accepted}, allowed {players.passed},"
        f" ignored {players.shifted}; actions {players.actions}, undone {players.taken_back}; refused"
        f" {players.refused}",
        f"checks of all names: {findings.acts.total()} of {len(findings.names)} figures;"
        f" wrong {_first_few(findings.wrong)},"
        f" unseen {_first_few(findings.unseen)}",
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
    """A session for the threads that counts the analysed pictures."""

    def __init__(self, session: Session) -> None:
        self.looked = 0
        self._session, self._last = session, None

    @property
    def state(self) -> TableState:
        """The session's state."""
        return self._session.state

    def process(self, frame: Frame) -> TableView:
        """The session's view; a picture that is analysed again counts once."""
        self.looked += frame is not self._last
        self._last = frame  # type: ignore[assignment]
        return self._session.process(frame)


def _first_few(found: Sequence[str]) -> str:
    return f"{len(found)} ({'; '.join(found[:6])})" if found else "0"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--pause", type=float, default=60.0, help="seconds between two events")
    parser.add_argument("--live", type=float, default=20.0, help="seconds of each hour at the camera's own pace")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    rng, others = random.Random(options.seed), random.Random(options.seed + 1)
    began_s = time.process_time(), time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Script(rng, options.pause, options.live), options.hours)
        run = EnduranceRun(room, Path(folder) / "battle", others)
        findings = run.play()
    print(report(run))
    print(f"processor {time.process_time() - began_s[0]:.0f} s, wall {time.perf_counter() - began_s[1]:.0f} s")
    return 1 if findings.faults else 0


if __name__ == "__main__":
    sys.exit(main())
