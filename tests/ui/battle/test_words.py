"""No sentence for players contains a raw id ("tan-4") or an internal name ("very_hurt"), in any game or phase."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from rules.battle.journal import event_of, standing
from rules.engine.needed import needed_words
from rules.engine.preview import ActionPreview
from rules.engine.text import label
from tests.rules import (
    test_battle_army_men,
    test_battle_fudge_miniatures,
    test_battle_plastic_fudge,
    test_battle_simple_plastic,
    test_battle_simple_plastic_figure,
)
from tests.rules.battle_driver import BattleDriver, play_at_random
from ui.battle.action_text import action_words, chance_lines, movement_words, reason_rows, refusal_words, state_words
from ui.battle.battle_session import BattleSession
from ui.battle.ruling import case_before, cases_after

SET_UPS: dict[str, Callable[[Path], BattleDriver]] = {
    "army_men": test_battle_army_men.set_up,
    "fudge_miniatures": test_battle_fudge_miniatures.set_up,
    "plastic_fudge": test_battle_plastic_fudge.set_up,
    "simple_plastic": test_battle_simple_plastic.set_up,
    "simple_plastic_figure": test_battle_simple_plastic_figure.set_up,
}
RAW = re.compile(r"[a-z]\w*-\d|\w_\w|[\[{]'")
"""An id, a name with underscores, or a list or dict as Python prints it."""


def told(play: BattleSession, driver: BattleDriver) -> Iterator[str]:
    """Everything that the window would show at this position."""
    position = driver.position
    yield state_words(position.state)
    found: list[ActionPreview] = [*play.obligations(position)]
    for name in list(position.figures)[::2]:  # every second one; the others are used at the next position
        available = play.available_actions(position, name)
        yield movement_words(available)
        found += [*available.attacks, *available.others]
    for one in found:
        yield from (action_words(one), chance_lines(one), needed_words(one), refusal_words(one), case_before(one).words)
        yield from reason_rows(one)
        yield from (doubt.question for doubt in one.ambiguities)
        yield from (question.text for question in one.asks)


@pytest.mark.parametrize("game", SET_UPS)
@pytest.mark.slow
def test_no_sentence_contains_raw_ids(game: str, tmp_path: Path) -> None:
    driver = SET_UPS[game](tmp_path / "b")
    with driver.battle as battle:
        play = BattleSession(battle)
        said: set[str] = set()
        for step in range(4):
            play_at_random(driver, seed=step, steps=4)
            said.update(told(play, driver))
        said.update(play.story)
        said.update(label(event_of(entry)) for entry in standing(battle.entries))
        said.update(case.words for case in cases_after(play))
        assert len(said) > 30
        assert sorted(words for words in said if RAW.search(words)) == []
