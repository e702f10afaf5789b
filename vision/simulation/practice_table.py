"""The practice table as a source: one thread reads pictures while another one moves the soldiers."""

from __future__ import annotations

from collections.abc import Callable

from calibration.camera import TableCamera
from vision.simulation.practice import Practice, practice_ground
from vision.simulation.scene import Scene, demo_scene
from vision.simulation.simulator import SimulatedTable, Snapshot

_REMEMBERED = 64
"""Pictures whose truth is kept: about two seconds."""


class PracticeTable(SimulatedTable):
    """A simulated table at rest until its soldiers, camera or light are changed.

    `read` belongs to one thread and `change` to another. They share only `now`, which is replaced as a whole.

    Attributes:
        now: The current table.
    """

    def __init__(
        self,
        scene: Scene,
        camera: TableCamera | None = None,
        *,
        clock: Callable[[], float] | None = None,
        seed: int = 0,
    ) -> None:
        """Set up the table; the arguments are those of `SimulatedTable`."""
        super().__init__(scene, camera, clock=clock, seed=seed)
        self.now: Practice = practice_ground(scene, self.camera)
        self._taken: tuple[tuple[float, Snapshot], ...] = ()

    @property
    def time_s(self) -> float:
        """Time of an operation: the clock's, or that of the last picture if there is no clock."""
        if self._clock is None or self._start_s is None:
            return self._time_s
        return self._clock() - self._start_s

    def change(self, operation: Callable[[Practice, float], Practice]) -> None:
        """Replace the table by the result of an operation.

        Args:
            operation: Called with the table and the time.

        Raises:
            UserError: From the operation; the table is then unchanged.
        """
        self.now = operation(self.now, self.time_s)

    def _snapshot(self, time_s: float) -> Snapshot:
        """What the picture of that time showed; after the last picture, what is there now."""
        taken = self._taken
        if taken and time_s <= taken[-1][0]:
            return next((shown for at_s, shown in reversed(taken) if at_s <= time_s), taken[0][1])
        return self.now.snapshot(time_s)

    def _take(self, time_s: float) -> Snapshot:
        shown = self.now.snapshot(time_s)
        self._taken = (*self._taken[1 - _REMEMBERED :], (time_s, shown))
        return shown


def practice_table(clock: Callable[[], float] | None = None, seed: int = 0) -> PracticeTable:
    """The demo's table at rest, at 1080p."""
    return PracticeTable(demo_scene(seed), clock=clock, seed=seed)
