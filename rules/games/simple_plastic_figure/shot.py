"""Simple Plastic Figure: a shot of a small arm as the measured table shows it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from rules.engine.dice import DiceRequest, Die, Procedure
from rules.engine.game import Answer
from rules.engine.schema import Asked, Count
from rules.engine.verdict import Reason, Verdict, total
from rules.games.simple_plastic_figure.cover import Piece, cover_of, exposure, lowered, worst
from rules.games.simple_plastic_figure.fire import (
    Aiming,
    Declared,
    declare_shots,
    effect,
    eliminates,
    held,
    may_target,
    modifiers,
    needed,
)
from rules.games.simple_plastic_figure.tables import (
    AimAt,
    PlaceName,
    PoseName,
    Rules,
    called,
    illegal,
    legal,
    weapon_of,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sighted(Aiming):
    """Shots at one figure with all that stands around it; terrain is what the line of fire meets."""

    pose: Annotated[PoseName, Asked("How does the target stand?")] = "standing"
    place: Annotated[PlaceName, Asked("What is the target in?")] = "open"
    terrain: tuple[Piece, ...] = ()
    shots: Count = 1


def aimed(rules: Rules, shot: Sighted) -> Verdict:
    """What a shot needs before the die, with every modifier; or why it may not be fired."""
    weapon = held(rules, shot.weapon, shot.scope)
    if rules.tables.weapon_kinds[weapon_of(rules, weapon).kind].aim_at is AimAt.SPOT:
        return illegal("aimed_at_a_spot", rules.because("WW-38", f"a {called(rules, weapon)} is aimed at a spot"))
    exposed = min((shot.target_exposed, *(exposure(rules, shot.pose, piece) for piece in shot.terrain)))
    seen = may_target(rules, replace(shot, target_exposed=exposed))
    declared = declare_shots(rules, Declared(weapon=weapon, shots=shot.shots))
    barred = next((answer for answer in (seen, declared) if not answer.allowed), None)
    if barred is not None:
        return barred
    place = rules.tables.places[shot.place]
    pose = lowered(rules, shot.place, shot.pose)
    found = [cover_of(rules, shot.pose, piece) for piece in shot.terrain]
    covers = worst(rules, [place.cover, *(cover for cover, _ in found)])
    why = [reason for _, reason in found] + ([rules.because(place.rule)] if place.cover != "none" else [])
    added = modifiers(rules, weapon, shot.distance_in, pose, covers, shot)
    modifier = int(total(added))
    numbers = {"modifier": modifier, "needs_roll": needed(rules, modifier), "pose": pose, "covers": covers}
    return legal("may fire", *seen.reasons, *why, *added, **numbers)


def attack(rules: Rules, shot: Sighted) -> Answer:
    """Shots of a small arm at one target, from the measured table to their effect."""
    seen = aimed(rules, shot)
    return _fired(rules, shot, seen.reasons) if seen.allowed else seen


def _fired(rules: Rules, shot: Sighted, reasons: Sequence[Reason]) -> Procedure[Verdict]:
    """All dice at once; where targets are named one by one, until he is dead."""
    verdict_without_dice = rules.chooses("targets_named", "all_first")
    modifier = int(total(reasons))
    faces: list[int] = []
    why = f"the effect of the {called(rules, held(rules, shot.weapon, shot.scope))}"
    while len(faces) < shot.shots:
        roll = yield DiceRequest(Die.D6, shot.shots if verdict_without_dice else 1, "the target", why)
        faces += roll.faces
        if any(eliminates(rules, face, modifier) for face in roll.faces):
            break
    telling = next((face for face in faces if eliminates(rules, face, modifier)), max(faces, default=min(Die.D6.faces)))
    found = effect(rules, telling, reasons)
    numbers = {**found.numbers, "rolls": faces, "shots_left": shot.shots - len(faces)}
    return Verdict(found.outcome, numbers, found.reasons)
