"""Fudge Miniatures Battles: legal lines of fire, and the modifiers of distance and cover."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated

from rules.engine.dice import Procedure
from rules.engine.ruleset import limit
from rules.engine.schema import Asked, Inches, Part, Within
from rules.engine.verdict import Reason, Verdict, forbidden, verdict
from rules.games.fudge_miniatures.attack import Attempt, Strike, attack_preview, attack_roll, barred
from rules.games.fudge_miniatures.tables import Rules, whole
from rules.tabletop.scene import SightRules
from rules.tabletop.tolerance import EXACT, within

Range = Annotated[float, Within(low=0.1, code="bad_range")]


@dataclass(frozen=True, kw_only=True)
class Line:
    """The line to a target; without slots, so that `Shot` can be a strike as well.

    Attributes:
        visible_fraction: Of the target's silhouette, past the terrain.
        visible_height, visible_base: The same of its height and base; asked only where an option counts them.
        models_hide: Part of it that other models alone hide; they are no cover.
        fired_in_contact: The weapon may be fired with an enemy at one's base.
    """

    weapon_range_in: Range
    distance_in: Inches
    visible_fraction: Annotated[Part, Asked("How much of the target is seen from the model's eye?")] = 1.0
    visible_height: Part | None = None
    visible_base: Part | None = None
    models_hide: Part = 0.0
    in_base_contact_with_enemy: Annotated[bool, Asked("Does an enemy touch the firer's base?")] = False
    fired_in_contact: bool = False


def range_modifier(rules: Rules, line: Line) -> int:
    """The penalty of the distance: none up to the Range, then for each further Range or part of it."""
    if within(line.distance_in, line.weapon_range_in):
        return 0
    free = 1 if rules.chooses("range_steps", "beyond_the_first") else 0
    return whole(rules, "beyond_range") * (ranges(line.distance_in, line.weapon_range_in) - free)


def ranges(distance_in: float, weapon_range_in: float) -> int:
    """How many Ranges of a weapon, parts of one included, go into a distance; one at least."""
    return max(1, math.ceil(distance_in / weapon_range_in - EXACT))


def _barred(rules: Rules, line: Aim | Shot) -> Verdict | None:
    """Why a model may not shoot along this line, None if it may."""
    if line.in_base_contact_with_enemy and not line.fired_in_contact:
        return forbidden("enemy_in_contact", rules.because("FM-34"), legal=False)
    by_option = {"height": line.visible_height, "base": line.visible_base}.get(rules.option("half_of"))
    past_terrain = line.visible_fraction if by_option is None else by_option
    seen = past_terrain - (line.models_hide if rules.chooses("models_block_sight", True) else 0.0)
    if not within(limit(rules, "visible_part"), seen):
        text = f"{max(0.0, seen):.0%} of the target is seen; {limit(rules, 'visible_part'):.0%} is needed"
        return forbidden("no_line_of_sight", rules.because("FM-35", text), legal=False)
    return barred(rules, line, "shoot")


def _range_reason(rules: Rules, line: Line) -> list[Reason]:
    far = range_modifier(rules, line)
    text = f"{line.distance_in:g} in with a Range of {line.weapon_range_in:g} in"
    return [rules.because("FM-36", text, far)] if far else []


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim(Attempt, Line):
    """A model that wants to shoot along a line."""


def may_shoot(rules: Rules, line: Aim) -> Verdict:
    """Whether a model may shoot along this line, and the penalty of the distance."""
    if bar := _barred(rules, line):
        return bar
    far = range_modifier(rules, line)
    reasons = (rules.because("FM-35"), *_range_reason(rules, line))
    return verdict("legal", *reasons, legal=True, range_modifier=far, range_modifier_at_most=far)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shot(Strike, Line):
    """One ranged weapon's attack; unless the players say whether there is cover, it depends on what is seen."""

    rodf: int
    behind_cover: Annotated[bool | None, Asked("Is the target behind cover?")] = None


def ranged_attack(rules: Rules, shot: Shot) -> Procedure[Verdict]:
    """One attack with one ranged weapon."""
    if bar := _barred(rules, shot):
        return bar
    cover = _cover_reason(rules, shot)
    answer = yield from attack_roll(rules, shot, _rodf(rules, shot), [*_range_reason(rules, shot), *cover])
    far = range_modifier(rules, shot)
    return Verdict(answer.outcome, {**answer.numbers, "range_modifier": far, "cover": bool(cover)}, answer.reasons)


def ranged_aim(rules: Rules, shot: Shot) -> Verdict:
    """The number needed, before the dice."""
    modifiers = [*_range_reason(rules, shot), *_cover_reason(rules, shot)]
    return _barred(rules, shot) or attack_preview(rules, shot, _rodf(rules, shot), modifiers)


def _cover_reason(rules: Rules, shot: Shot) -> list[Reason]:
    covered = shot.behind_cover
    if covered is None:
        covered = shot.visible_fraction < 1 and rules.chooses("cover", "any_part_hidden")
    return [rules.because("FM-37", modifier=whole(rules, "cover"))] if covered else []


def _rodf(rules: Rules, shot: Shot) -> Reason:
    return rules.because("FM-38", "the ranged weapon (RODF)", shot.rodf)


def sight_rules(rules: Rules) -> SightRules:
    """The kinds of terrain that hide figures, for `rules.tabletop.sight`."""
    return SightRules(figures_hide=rules.chooses("models_block_sight", True))
