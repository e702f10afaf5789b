"""Playing a recording, without threads: the frames that the player's wishes lead to."""

from __future__ import annotations

import numpy as np
import pytest

from rules.tabletop.errors import UserError
from ui.playback import JUMP_S, Playback, film_words, playback_of
from vision.frame import Frame

IMAGE = np.zeros((4, 6, 3), np.uint8)


class Recorded:
    """A recording of frames 0.1 s apart; a folder if it has names. `broken` frames cannot be read."""

    name, live, still = "recorded", False, False

    def __init__(self, frames: int, claimed_s: float | None, names: tuple[str, ...] = (), broken: tuple[int, ...] = ()):
        self.step_s, self.duration_s, self.pictures = 0.1, claimed_s, names
        self._frames, self._broken, self._next = frames, broken, 0

    def read(self) -> Frame | None:
        index, self._next = self._next, self._next + 1
        if index in self._broken:
            raise UserError(f"{index} is broken")
        return Frame(IMAGE, index, index * 0.1) if index < self._frames else None

    def frame_at(self, time_s: float) -> Frame | None:
        self._next = round(time_s * 10)
        return self.read()

    def frame_before(self, time_s: float) -> Frame | None:
        self._next = min(round(time_s * 10), self._frames) - 1
        return self.read() if self._next >= 0 else None

    def close(self) -> None: ...


def folder(count: int, *broken: int) -> Playback:
    names = tuple(f"{number}.jpg" for number in range(count))
    return Playback(Recorded(count, (count - 1) * 0.1, names, broken))


def film(frames: int, claimed_s: float | None = 0.9) -> Playback:
    return Playback(Recorded(frames, claimed_s))


def shown(playback: Playback) -> tuple[int, int | None, float] | None:
    """The number, scene and time of the next frame."""
    frame = playback.next_frame()
    return (frame.index, frame.scene, round(frame.time_s, 6)) if frame is not None else None


def test_a_film_plays_and_a_folder_waits_at_its_first_picture() -> None:
    for playback, plays in ((film(3), True), (folder(3), False)):
        assert playback.has_work
        assert shown(playback) == (0, 0, 0.0)
        assert playback.has_work is plays


def test_a_jump_begins_a_scene_and_time_goes_on() -> None:
    playback = film(10)
    assert [shown(playback) for _ in range(2)] == [(0, 0, 0.0), (1, 0, 0.1)]
    playback.go_to(0.7)
    assert shown(playback) == (7, 1, pytest.approx(0.1 + JUMP_S))
    assert shown(playback) == (8, 1, pytest.approx(0.2 + JUMP_S))
    playback.go_to(0.3)
    assert shown(playback) == (3, 2, pytest.approx(0.2 + 2 * JUMP_S))
    assert playback.playing


def test_only_the_last_of_several_jumps_is_made() -> None:
    playback = film(10)
    shown(playback)
    for time_s in (0.9, 0.1, 0.5):
        playback.go_to(time_s)
    assert shown(playback)[0] == 5  # type: ignore[index]


def test_steps_pause_and_count() -> None:
    playback = film(10)
    shown(playback)
    for _ in range(3):
        playback.step(1)
    assert not playback.playing
    assert shown(playback) == (3, 0, 0.3)  # forward is no jump
    for _ in range(2):
        playback.step(-1)
    assert shown(playback)[:2] == (1, 1)  # type: ignore[index]
    playback.step(-5)  # further than the first frame
    assert shown(playback)[:2] == (0, 2)  # type: ignore[index]
    playback.step(-1)
    assert shown(playback) is None
    assert not playback.has_work


def test_the_end_is_a_state_and_play_starts_again() -> None:
    playback = film(2, claimed_s=5.0)
    assert [shown(playback) for _ in range(3)][-1] is None
    assert (playback.at_end, playback.playing, playback.has_work) == (True, False, False)
    assert playback.duration_s == 0.1  # not the 5 s that the file claims
    playback.play(True)
    assert shown(playback)[:2] == (0, 1)  # type: ignore[index]
    assert playback.playing
    assert not playback.at_end


def test_a_jump_behind_a_false_end_shows_the_last_frame() -> None:
    playback = film(4, claimed_s=5.0)
    shown(playback)
    playback.go_to(4.0)
    assert shown(playback)[0] == 3  # type: ignore[index]
    assert (playback.at_end, playback.duration_s) == (True, pytest.approx(0.3))


def test_broken_pictures_are_left_out_in_both_directions() -> None:
    playback = folder(6, 0, 2, 3)
    assert shown(playback)[0] == 1  # type: ignore[index]
    assert playback.take_problem() == "0 is broken"
    playback.step(1)
    assert shown(playback)[0] == 4  # type: ignore[index]
    assert playback.take_problem() == "3 is broken"
    assert playback.take_problem() == ""
    playback.step(-1)
    assert shown(playback)[0] == 1  # type: ignore[index]
    playback.step(-1)
    assert shown(playback) is None
    assert (playback.place_words, playback.picture) == ("2 of 6", "1.jpg")


def test_broken_last_pictures_are_the_end() -> None:
    playback = folder(3, 1, 2)
    shown(playback)
    playback.step(1)
    assert shown(playback) is None
    assert playback.at_end
    assert playback.index == 0


def test_a_folder_of_broken_pictures_is_refused() -> None:
    with pytest.raises(UserError, match="1 is broken"):
        folder(2, 0, 1).next_frame()


def test_frames_are_due_by_the_speed() -> None:
    playback = film(10)
    frames = [playback.next_frame() for _ in range(4)]
    delays_s = [playback.delay_s(frame, 100.0) for frame in frames[:2] if frame]
    assert delays_s == pytest.approx([0.0, 0.1])
    playback.speed = 2.0
    # 0.1 s and 0.05 s after the speed changed
    delays_s = [playback.delay_s(frame, 100.0) for frame in frames[2:] if frame]
    assert delays_s == pytest.approx([0.0, 0.05])
    assert playback.delay_s(frames[3], 101.0) == 0.0  # type: ignore[arg-type]


def test_only_films_and_folders_have_controls() -> None:
    one = Recorded(1, 0.0, ("only.jpg",))
    still = Recorded(1, 0.0)
    still.still = True  # type: ignore[misc]
    assert playback_of(one) is playback_of(still) is None
    assert playback_of(Recorded(2, 0.1, ("a.jpg", "b.jpg"))) is not None


@pytest.mark.parametrize(
    ("time_s", "duration_s", "words"),
    [
        (83.9, 250.0, "1:23 / 4:10"),
        (0.0, None, "0:00"),
        (3725.0, 7200.0, "1:02:05 / 2:00:00"),
        (9.0, 5.0, "0:09 / 0:09"),
    ],
)
def test_times_read_like_a_clock(time_s: float, duration_s: float | None, words: str) -> None:
    assert film_words(time_s, duration_s) == words
