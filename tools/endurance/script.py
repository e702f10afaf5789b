"""A random script of an evening at a simulated table, as a sequence of pictures to take."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from calibration.camera import TableCamera
from rules.tabletop.table import PointIn, TerrainKind, TerrainPiece
from vision.simulation.scene import Model, Sculpt
from vision.simulation.simulator import overhead_camera

SIZE_IN = (48.0, 36.0)
SIZE_PX = (1280, 720)
HEIGHT_IN = 55.0
IDLE_S, BUSY_S, LIVE_S = 2.0, 0.2, 1 / 30
"""Seconds between two pictures: while nothing happens, while something happens, and at the camera's own pace."""
SETTLING = 14
"""Pictures after something happened: the eight that are searched, and some until all is at rest."""
HOUSE = TerrainPiece("house", TerrainKind.BUILDING, ((21.0, 15.0), (27.0, 15.0), (27.0, 20.0), (21.0, 20.0)), 0.0, 3.0)
SOLDIERS = (Sculpt.RIFLEMAN, Sculpt.OFFICER, Sculpt.GRENADIER, Sculpt.KNEELING, Sculpt.RIFLEMAN, Sculpt.MARCHING)
LEFT_IN, NEAR_IN, RIGHT_IN, FAR_IN = 8.0, 7.0, 40.0, 29.0
"""Area for the soldiers, away from the markers."""
APART_IN = 2.2
LONGEST_MOVE_IN = 8.0


@dataclass(frozen=True, slots=True)
class Shot:
    """One picture to take.

    Attributes:
        step_s: Seconds since the previous picture.
        models: The models on the table.
        camera: The camera over the table.
        lamp: Brightness relative to normal light.
        arms: Pixels that arms reach for.
        covered: Markers under a card.
        unplugged: The camera is unplugged; there is no picture.
        live: The camera runs at its own pace.
        settled: All previous events are over, and there was time to see them.
        done: The previous event in a word.
    """

    step_s: float
    models: tuple[Model, ...]
    camera: TableCamera
    lamp: float = 1.0
    arms: tuple[PointIn, ...] = ()
    covered: frozenset[int] = frozenset()
    unplugged: bool = False
    live: bool = False
    settled: bool = False
    done: str = ""


@dataclass
class Script:
    """A random script; `shots` yields the pictures of a number of hours."""

    rng: random.Random
    pause_s: float
    live_s: float
    now_s: float = 0.0
    daylight: float = 1.0
    camera: TableCamera = field(default_factory=lambda: bumped_camera(0.0, 0.0, 0.0))
    covered: frozenset[int] = frozenset()
    models: dict[str, Model] = field(default_factory=lambda: {model.id: model for model in armies()})

    def shots(self, hours: float) -> Iterator[Shot]:
        """Idle pictures with events between them, and a live period in every hour."""
        acts = {
            "carried": (self._carry_soldier, 10.0),
            "two carried": (self._carry_two_soldiers, 2.0),
            "knocked over": (self._knock_over, 2.0),
            "set up": (self._stand_up, 2.0),
            "hand": (self._hand, 3.0),
            "covered": (self._cover, 2.0),
            "uncovered": (self._uncover, 2.0),
            "cloud": (self._cloud_passes, 2.0),
            "light switched": (self._switch, 0.7),
            "bumped": (self._bump_camera, 0.6),
            "unplugged": (self._unplug_camera, 0.6),
        }
        end_s, live_from_s = 3600 * hours, 1800 * min(1.0, hours)
        yield from self._busy_shots(SETTLING, BUSY_S)
        yield self._shot(IDLE_S, settled=True, done="begun")
        while self.now_s < end_s:
            yield from self._idle_shots(self.rng.uniform(0.2, 1.8) * self.pause_s)
            if self.now_s > live_from_s:
                live_from_s += 3600
                yield from (replace(shot, live=True) for shot in self._live_shots())
                name = "at the camera's pace"
            else:
                name = self.rng.choices([*acts], [weight for _, weight in acts.values()])[0]
                yield from acts[name][0]()
            yield from self._busy_shots(SETTLING, BUSY_S)
            yield self._shot(IDLE_S, settled=True, done=name)
        yield from self._uncover()
        yield from self._busy_shots(SETTLING, BUSY_S)
        yield self._shot(IDLE_S, settled=True, done="end")

    def _shot(self, step_s: float, *, arms: Sequence[PointIn] = (), **more: object) -> Shot:
        self.now_s += step_s
        lamp = self.daylight * (1 + 0.03 * math.sin(2 * math.pi * self.now_s / 900))
        models = tuple(self.models.values())
        return Shot(step_s, models, self.camera, lamp, tuple(arms), self.covered, **more)  # type: ignore[arg-type]

    def _busy_shots(self, count: int, step_s: float, arms: Sequence[PointIn] = ()) -> Iterator[Shot]:
        for _ in range(count):
            yield self._shot(step_s, arms=arms)

    def _idle_shots(self, seconds: float) -> Iterator[Shot]:
        return self._busy_shots(round(seconds / IDLE_S), IDLE_S)

    def _live_shots(self) -> Iterator[Shot]:
        """One third at rest, then a move, then at rest again."""
        yield from self._busy_shots(round(self.live_s / 3 / LIVE_S), LIVE_S)
        for shot in self._carry_soldier():
            yield from (replace(shot, step_s=LIVE_S) for _ in range(round(BUSY_S / LIVE_S)))
        yield from self._busy_shots(round(self.live_s / 3 / LIVE_S), LIVE_S)

    def _reach(self, *names: str) -> list[PointIn]:
        return [_pixel(self.camera, self.models[name]) for name in names]

    def _carry_soldier(self, *names: str) -> Iterator[Shot]:
        """A hand moves a soldier to another place."""
        names = names or (self.rng.choice([*self.models]),)
        yield from self._busy_shots(3, BUSY_S, self._reach(*names))
        for name in names:
            x_in, y_in = self._place(name)
            self.models[name] = replace(
                self.models[name], x_in=x_in, y_in=y_in, facing_deg=self.rng.uniform(0, 360), tilt_deg=0.0
            )
        yield from self._busy_shots(3, BUSY_S, self._reach(*names))

    def _carry_two_soldiers(self) -> Iterator[Shot]:
        """A hand moves one soldier of each army; two of the same army would be indistinguishable afterwards."""
        pair = [self.rng.choice([name for name in self.models if name.startswith(army)]) for army in ("green", "tan")]
        return self._carry_soldier(*pair)

    def _place(self, name: str) -> PointIn:
        """A free place, not too far away."""
        own = self.models[name]
        others = [model for model in self.models.values() if model.id != name]
        while True:
            x_in, y_in = self.rng.uniform(LEFT_IN, RIGHT_IN), self.rng.uniform(NEAR_IN, FAR_IN)
            near = 1.5 < math.dist((x_in, y_in), (own.x_in, own.y_in)) < LONGEST_MOVE_IN
            if near and not _near_house(x_in, y_in) and all(_apart(model, x_in, y_in) for model in others):
                return x_in, y_in

    def _knock_over(self) -> Iterator[Shot]:
        """A soldier falls between two pictures."""
        standing = [model for model in self.models.values() if not model.tilt_deg]
        free = [one for one in standing if all(_apart(o, one.x_in, one.y_in) for o in standing if o is not one)]
        one = self.rng.choice(free or standing)
        self.models[one.id] = replace(one, tilt_deg=90.0)
        yield self._shot(BUSY_S)

    def _stand_up(self) -> Iterator[Shot]:
        """A hand stands up all fallen soldiers."""
        lying = [model.id for model in self.models.values() if model.tilt_deg]
        for name in lying:
            yield from self._busy_shots(3, BUSY_S, self._reach(name))
            self.models[name] = replace(self.models[name], tilt_deg=0.0)
            yield from self._busy_shots(2, BUSY_S, self._reach(name))

    def _hand(self) -> Iterator[Shot]:
        """A hand over the table changes nothing."""
        yield from self._busy_shots(self.rng.randrange(3, 12), BUSY_S, self._reach(self.rng.choice([*self.models])))

    def _cover(self) -> Iterator[Shot]:
        """A card covers some or all markers."""
        count = self.rng.choice((1, 1, 1, 2, 4))
        self.covered = frozenset(self.rng.sample(range(4), count))
        yield self._shot(BUSY_S)

    def _uncover(self) -> Iterator[Shot]:
        self.covered = frozenset()
        yield self._shot(BUSY_S)

    def _cloud_passes(self) -> Iterator[Shot]:
        """A cloud darkens the table for a minute."""
        dark, before = self.rng.uniform(0.6, 0.85), self.daylight
        for second in range(60):
            self.daylight = before * (1 - (1 - dark) * math.sin(math.pi * second / 60))
            yield self._shot(1.0)
        self.daylight = before

    def _switch(self) -> Iterator[Shot]:
        self.daylight = self.rng.choice((0.55, 0.75, 1.0, 1.15))
        yield self._shot(BUSY_S)

    def _bump_camera(self) -> Iterator[Shot]:
        """The camera is bumped: it swings, then rests in another pose."""
        self.camera = bumped_camera(self.rng.uniform(-1, 1), self.rng.uniform(-1, 1), self.rng.uniform(-1, 1))
        yield self._shot(BUSY_S)

    def _unplug_camera(self) -> Iterator[Shot]:
        """The camera is unplugged for half a minute."""
        for _ in range(self.rng.randrange(1, 3)):
            yield self._shot(15.0, unplugged=True)


def armies() -> tuple[Model, ...]:
    """The models in their initial places."""
    greens = [Model(f"green-{n}", "green", s, 9 + 5.5 * n, 9.0, facing_deg=80 + n) for n, s in enumerate(SOLDIERS)]
    tans = [Model(f"tan-{n}", "tan", s, 10 + 5.5 * n, 26.0, facing_deg=260 + n) for n, s in enumerate(SOLDIERS)]
    return (*greens, *tans)


def bumped_camera(lift: float, tilt: float, roll: float) -> TableCamera:
    """The camera after a bump; each argument is from -1 to 1."""
    return overhead_camera(SIZE_PX, SIZE_IN, HEIGHT_IN + 0.4 * lift, 3.5 + 0.6 * tilt, 0.8 + 0.8 * roll)


def _pixel(camera: TableCamera, model: Model) -> PointIn:
    u, v = camera.table_to_pixel((model.x_in, model.y_in, 0.5))[0]
    return float(u), float(v)


def _near_house(x_in: float, y_in: float) -> bool:
    (left, near), _, (right, far), _ = HOUSE.outline_in
    return left - 2.5 < x_in < right + 2.5 and near - 2.5 < y_in < far + 2.5


def _apart(model: Model, x_in: float, y_in: float) -> bool:
    return math.dist((model.x_in, model.y_in), (x_in, y_in)) > APART_IN + (1.0 if model.tilt_deg else 0.0)
