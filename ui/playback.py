"""Playing a recording: the player asks in the window's thread, and the reading thread follows."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace

from rules.tabletop.errors import UserError
from ui.translation import tr
from vision.frame import Frame
from vision.source import Recording, Source

SPEEDS = (0.5, 1.0, 2.0)

JUMP_S = 1.0
"""How far a jump, in whichever direction, moves the clock that vision sees: nothing moves continuously across it."""

_MAX_LATE_S = 0.25
"""A recording that cannot be read fast enough goes on from where it is instead of catching up."""


@dataclass(frozen=True, slots=True)
class _Wish:
    """What the player asked for: a time to go to, or steps from here."""

    time_s: float | None = None
    steps: int = 0

    def __bool__(self) -> bool:
        return self.time_s is not None or self.steps != 0


def playback_of(source: Source) -> Playback | None:
    """The controls of a source: None for cameras and single pictures."""
    if not isinstance(source, Recording) or source.still or len(source.pictures) == 1:
        return None
    return Playback(source)


class Playback:
    """One recording, its place and what the player wants of it.

    Films start at once; folders wait at their first picture. The reading thread sets the attributes, except
    that the window chooses the speed.

    Attributes:
        playing: Whether the frames follow by themselves.
        speed: One of `SPEEDS`.
        at_end: Whether the last frame is shown.
        index: The number of the frame that was read last, -1 before the first.
        time_s: Its time in the recording.
        duration_s: The time of the last frame; None if unknown.
        pictures: The names of a folder's pictures; empty for a film.
        step_s: The time between two frames.
    """

    def __init__(self, recording: Recording) -> None:
        self.playing = not recording.pictures
        self.speed = 1.0
        self.at_end = False
        self.index, self.time_s = -1, 0.0
        self.duration_s = recording.duration_s
        self.pictures, self.step_s = recording.pictures, recording.step_s
        self._recording = recording
        self._problem = ""
        self._scene, self._offset_s = 0, 0.0
        self._pace: tuple[float, float, float] | None = None
        self._wish, self._lock = _Wish(), threading.Lock()
        self._changed = threading.Event()

    # What the player asks for

    def play(self, on: bool) -> None:
        """Play or pause; at the end, play again from the start."""
        if on and self.at_end:
            self.go_to(0.0)
        self.playing = on
        self._changed.set()

    def go_to(self, time_s: float) -> None:
        """Go to a time of the recording; what was asked before and not done yet is dropped."""
        with self._lock:
            self._wish = _Wish(time_s)
        self._changed.set()

    def step(self, steps: int) -> None:
        """Pause and go some frames forward or, if negative, back."""
        self.playing = False
        with self._lock:
            before = self._wish
            self._wish = (
                _Wish(steps=before.steps + steps)
                if before.time_s is None
                else _Wish(before.time_s + steps * self.step_s)
            )
        self._changed.set()

    def take_problem(self) -> str:
        """Why frames were left out since the last call, as a sentence; empty if none were."""
        problem, self._problem = self._problem, ""
        return problem

    # What the reading thread does

    @property
    def is_asked(self) -> bool:
        """Whether the player asked for another frame."""
        return bool(self._wish)

    @property
    def has_work(self) -> bool:
        """Whether there is a frame to read now."""
        return self.is_asked or self.index < 0 or (self.playing and not self.at_end)

    def wait(self, most_s: float) -> bool:
        """Wait until the player asks for something, at most this long; return whether the player did."""
        asked = self._changed.wait(most_s)
        self._changed.clear()
        return asked

    def delay_s(self, frame: Frame, now_s: float) -> float:
        """Time until this frame is due, in seconds of the clock that `now_s` comes from."""
        if self._pace is not None and self._pace[2] == self.speed:
            due_s = self._pace[0] + (frame.time_s - self._pace[1]) / self.speed
            if due_s > now_s - _MAX_LATE_S:
                return max(0.0, due_s - now_s)
        self._pace = now_s, frame.time_s, self.speed
        return 0.0

    def rest(self) -> None:
        """Forget when the next frame is due, after a pause."""
        self._pace = None

    def next_frame(self) -> Frame | None:
        """Read the frame that the player asked for, otherwise the next one; None if there is none.

        Raises:
            UserError: If not a single frame can be read.
        """
        with self._lock:
            wish, self._wish = self._wish, _Wish()
        if wish:
            self._pace = None
        if wish.time_s is not None:
            frame = self._at(wish.time_s)
        elif wish.steps < 0:
            frame = self._before(-wish.steps)
        else:
            for _ in range(wish.steps - 1):
                self._read(self._recording.read)
            return self._shown(self._read(self._recording.read), is_jump=False)
        if frame is None or frame.index == self.index:
            return None
        return self._shown(frame, is_jump=True)

    def _at(self, time_s: float) -> Frame | None:
        self.at_end = False
        frame = self._read(lambda: self._recording.frame_at(time_s))
        if frame is None:  # the file is shorter than it claims, or its last pictures cannot be read
            frame = self._read(lambda: self._recording.frame_before(time_s))
            self._end(frame)
        return frame

    def _before(self, steps: int) -> Frame | None:
        frame, time_s = None, self.time_s
        for _ in range(steps):
            earlier = self._read_before(time_s)
            if earlier is None:
                break
            frame, time_s = earlier, earlier.time_s
        if frame is not None:
            self.at_end = False
        return frame

    def _read_before(self, time_s: float) -> Frame | None:
        """The nearest readable frame before this time."""
        while time_s > 0:
            try:
                return self._recording.frame_before(time_s)
            except UserError as refusal:
                self._problem = str(refusal)
                time_s -= self.step_s
        return None

    def _read(self, read: Callable[[], Frame | None]) -> Frame | None:
        """The frame, or the next one of a folder that can be read."""
        while True:
            try:
                return read()
            except UserError as refusal:
                if not self.pictures and self.index < 0:
                    raise
                self._problem = str(refusal)
                if not self.pictures:
                    return None
                read = self._recording.read

    def _shown(self, frame: Frame | None, *, is_jump: bool) -> Frame | None:
        """The frame by the clock and with the scene that vision sees."""
        if frame is None:
            if self.index < 0:
                raise UserError(self._problem)
            self._end(None)
            return None
        self._scene += is_jump
        if is_jump:
            self._offset_s += self.time_s - frame.time_s + JUMP_S
        self.index, self.time_s = frame.index, frame.time_s
        self.at_end |= frame.index == len(self.pictures) - 1
        return replace(frame, time_s=frame.time_s + self._offset_s, scene=self._scene)

    def _end(self, last: Frame | None) -> None:
        self.at_end, self.playing = True, False
        if not self.pictures:
            self.duration_s = self.time_s if last is None else last.time_s

    # How it is shown

    @property
    def place_words(self) -> str:
        """Such as "3 of 17" in a folder, and "1:23 / 4:10" in a film."""
        if self.pictures:
            return tr("{number} of {count}", number=self.index + 1, count=len(self.pictures))
        return film_words(self.time_s, self.duration_s)

    @property
    def picture(self) -> str:
        """The name of a folder's picture; empty for films."""
        return self.pictures[self.index] if self.pictures and self.index >= 0 else ""


def film_words(time_s: float, duration_s: float | None) -> str:
    """Such as "1:23 / 4:10", or "1:23" if the duration is unknown."""
    if duration_s is None:
        return _minutes(time_s)
    return f"{_minutes(time_s)} / {_minutes(max(time_s, duration_s))}"


def _minutes(time_s: float) -> str:
    minutes, seconds = divmod(int(time_s), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
