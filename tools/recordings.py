"""Records what a game offers and does in random play, to show that a change of its code changes nothing else.

    python -m tools.recordings GAME --out before.jsonl
    ... change the game ...
    python -m tools.recordings GAME --out after.jsonl && diff before.jsonl after.jsonl

Play starts from every scripted situation of the game, after its own steps. One line per step: the actions of every
figure with their facts and verdicts, and the effects of the action that chance chose.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import random
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from rules.battle.referees import perform
from rules.battle.scripted import SituationPlay, begin_battle
from rules.battle.situation import situation_of
from rules.engine.action import Action
from rules.engine.dice import DiceRequest, Roll, rolled
from rules.engine.preview import ActionPreview, preview_without_odds
from rules.tabletop.errors import UserError

SITUATIONS = Path(__file__).parents[1] / "tests" / "data" / "situations"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game", choices=sorted(folder.name for folder in SITUATIONS.iterdir()))
    parser.add_argument("--out", type=Path, required=True, help="the file to write")
    parser.add_argument("--steps", type=int, default=3, help="random steps after each situation")
    parser.add_argument("--every", type=int, default=1, help="use only every n-th situation")
    options = parser.parse_args()
    files = sorted((SITUATIONS / options.game).glob("*.json"))[:: options.every]
    with options.out.open("w", encoding="utf-8") as out:
        for seed, file in enumerate(files):
            for line in recorded(file, seed, options.steps):
                out.write(json.dumps({"situation": file.stem, **line}, default=plain, sort_keys=True) + "\n")


def recorded(file: Path, seed: int, steps: int) -> Iterator[dict[str, Any]]:
    """What is possible after a situation's steps and after each random step that follows."""
    document = json.loads(file.read_text(encoding="utf-8"))
    situation = situation_of(document)
    chance = random.Random(seed)
    with TemporaryDirectory() as folder, begin_battle(situation, Path(folder)) as battle:
        play = SituationPlay(situation, battle)
        for step in situation.steps:
            try:
                play.step(step)
            except UserError:
                break
        for _ in range(steps):
            previews = [preview_without_odds(play.position, one) for one in _actions(play)]
            yield {"offered": [_preview(one) for one in previews]}
            possible = [one.action for one in previews if one.possible and not one.ambiguities]
            yield {"done": _act(play, chance, possible)}


def _actions(play: SituationPlay) -> Iterable[Action]:
    position, referee = play.position, play.referee
    yield from referee.obligations(position)
    for name, unit in sorted(position.state.units.items()):
        if unit.out or name not in position.figures:
            continue
        yield referee.movement(position, name)
        yield from referee.attacks(position, name)
        yield from referee.others(position, name)
        x_in, y_in = position.figure(name).centre_in
        yield from referee.at_spot(position, name, (x_in + 3.0, y_in + 1.0))
        yield referee.march(position, {name: ((x_in, y_in), (x_in + 1.0, y_in + 2.0))}, {name: 90.0})


def _act(play: SituationPlay, chance: random.Random, possible: list[Action]) -> Any:
    def dice(request: DiceRequest) -> Roll:
        return rolled(request, tuple(chance.choice(request.die.faces) for _ in range(request.count)))

    if not possible or chance.random() < 0.3:
        play.battle.record(play.referee.next_phase(play.position))
    else:
        try:
            perform(play.battle, play.referee, play.position, chance.choice(possible), dice)
        except UserError as refusal:
            return str(refusal)
    return play.battle.entries[-1].body


def _preview(one: ActionPreview) -> dict[str, Any]:
    fields = {field.name: getattr(one.action, field.name) for field in dataclasses.fields(one.action)}
    omitted, before = ("view", "has_odds", "template", "each"), one.before
    return {key: value for key, value in fields.items() if key not in omitted} | {
        "before": before and (before.outcome, before.numbers, before.reasons),
        "refusal": one.refusal,
        "asks": [question.fact for question in one.asks],
    }


def plain(value: Any) -> Any:
    """A value as JSON knows it; floats of measured facts are rounded by `repr` only."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    return sorted(value) if isinstance(value, (set, frozenset)) else str(value)


if __name__ == "__main__":
    main()
