"""The order of announcements, with a clock that the tests set."""

from __future__ import annotations

from ui.voice import STALE_S, Announcement, AnnouncementKind, SpeechQueue


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def of(kind: AnnouncementKind, words: str = "words") -> Announcement:
    return Announcement(kind, words)


def test_the_most_urgent_is_spoken_first_whatever_came_first() -> None:
    queue = SpeechQueue(Clock())
    for kind in reversed(AnnouncementKind):
        queue.add(of(kind))
    assert [queue.next() for _ in range(9)] == [*map(of, AnnouncementKind), None]


def test_a_newer_one_replaces_one_of_its_kind_and_empty_words_withdraw_it() -> None:
    queue = SpeechQueue(Clock())
    queue.add(of(AnnouncementKind.DISTANCE, "old"))
    queue.add(of(AnnouncementKind.DISTANCE, "new"))
    queue.add(of(AnnouncementKind.TURN))
    queue.add(of(AnnouncementKind.TURN, ""))
    assert queue.next() == of(AnnouncementKind.DISTANCE, "new")
    assert queue.next() is None


def test_stale_ones_are_dropped() -> None:
    clock = Clock()
    queue = SpeechQueue(clock)
    queue.add(of(AnnouncementKind.OUTCOME))
    clock.now_s += 1
    queue.add(of(AnnouncementKind.TURN))
    clock.now_s += STALE_S - 0.5  # the first is 2.5 s old, the second 1.5 s
    assert queue.next() == of(AnnouncementKind.TURN)
    assert queue.next() is None


def test_a_replaced_one_counts_from_its_last_words() -> None:
    clock = Clock()
    queue = SpeechQueue(clock)
    queue.add(of(AnnouncementKind.DISTANCE, "old"))
    clock.now_s += STALE_S
    queue.add(of(AnnouncementKind.DISTANCE, "new"))
    clock.now_s += STALE_S
    assert queue.next() == of(AnnouncementKind.DISTANCE, "new")


def test_clearing_drops_everything() -> None:
    queue = SpeechQueue(Clock())
    queue.add(of(AnnouncementKind.OUTCOME))
    queue.clear()
    assert queue.next() is None
