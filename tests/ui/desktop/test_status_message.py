"""A message stays for eight seconds, or until the player does something else."""

from __future__ import annotations

from ui.desktop.messages import StatusMessage


def test_a_message_stays_for_eight_seconds() -> None:
    now_s = [100.0]
    said = StatusMessage(lambda: now_s[0])
    assert said.now == ("", ())
    ways = (("Try again", lambda: None),)
    said.say("The camera is gone.", ways)
    now_s[0] = 108.0
    assert said.now == ("The camera is gone.", ways)
    now_s[0] = 108.1
    assert said.now == ("", ())


def test_a_new_message_replaces_the_old_one_and_its_buttons() -> None:
    said = StatusMessage(lambda: 0.0)
    said.say("one", (("way", lambda: None),))
    said.say("two")
    assert said.now == ("two", ())
    said.forget()
    assert said.now == ("", ())
