"""Finds the action that a step of a scripted situation describes, or says why there is none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from rules.battle.answers import Answer, last_reason
from rules.battle.steps import Wanted, name_key
from rules.engine.action import Action
from rules.engine.game import Game
from rules.engine.position import Position
from rules.engine.preview import preview_without_odds
from rules.engine.referee import Referee
from rules.engine.ruleset import Ruleset
from rules.engine.state import ELIMINATED, State
from rules.engine.text import display_name
from rules.tabletop.errors import UserError
from rules.tabletop.template import Blast

_GENERIC = ("attack", "move")
"""Names that stand for any attack and any move in every game."""


def known_figure(state: State, name: Any, *, of_battle: bool = True) -> str:
    """The id of a figure, or "" for the battle itself.

    Raises:
        UserError: if the battle has no such figure.
    """
    if isinstance(name, str) and (name in state.units or (of_battle and name == "")):
        return name
    raise UserError(f"there is no figure {name!r}: choose one of {', '.join(state.units)}")


def actions_of(referee: Referee[Any], position: Position, name: str) -> Iterator[Action]:
    """All actions of a figure, with its obligations."""
    if _can_act(position, name):
        yield referee.movement(position, name)
        yield from referee.attacks(position, name)
        yield from referee.others(position, name)
    yield from (action for action in referee.obligations(position) if name in action.by)


def _can_act(position: Position, name: str) -> bool:
    return name in position.figures and not position.unit(name).out


def action_called(game: Game[Any], name: Any) -> Any:
    """The action of a name: the name itself, unless it is a further name of another action."""
    rows = game.rules.header.unavailable.items()
    return next((action for action, row in rows if name in row.also), name)


def action_of(referee: Referee[Any], position: Position, wanted: Wanted) -> Action | None:
    """The action that a step describes: of those that fit best with each weapon, preferably one that is allowed.

    Raises:
        UserError: if the step names a figure or an action that the battle does not have, or no target of several.
    """
    game = position.game
    known_figure(position.state, wanted.by)
    if wanted.action not in (*game.actions, *_GENERIC):
        raise UserError(f"{game.title} has no action {wanted.action!r}: choose one of {', '.join(game.actions)}")

    def misfit(action: Action) -> tuple[bool, ...]:
        aside = action.at[:1] != wanted.targets[:1]
        others_too = sorted(action.at) != sorted(wanted.targets)
        renamed, unnamed = action.name != wanted.action, action.by[:1] != (wanted.by,)
        return aside, others_too, renamed, not _agrees(position, action, wanted.answers), unnamed

    def rank(action: Action) -> tuple[bool, ...]:
        preview, (aside, *rest) = preview_without_odds(position, action), misfit(action)
        in_another_phase = preview.before is not None and preview.before.numbers.get("reason") == "wrong_phase"
        return aside, not preview.possible, in_another_phase, *rest

    found = [action for action in _candidates(referee, position, wanted) if _fits(action, wanted)]
    aims = [] if wanted.targets else [action for action in found if action.view is not None]
    if len({action.at for action in aims if preview_without_odds(position, action).possible}) > 1:
        raise UserError(f'{wanted.action} by {wanted.by} has several possible targets: name one with "at"')
    found.sort(key=misfit)
    best = {action.weapon: misfit(action) for action in reversed(found)}
    return min((action for action in found if misfit(action) == best[action.weapon]), key=rank, default=None)


def _candidates(referee: Referee[Any], position: Position, wanted: Wanted) -> Iterator[Action]:
    if not wanted.by:
        yield from referee.obligations(position)
        return
    if wanted.spot_in is not None:
        if _can_act(position, wanted.by):
            yield from referee.at_spot(position, wanted.by, wanted.spot_in)
        yield from (one for one in referee.obligations(position) if _is_owed(one, wanted))
        return
    pieces = {piece.name for piece in position.terrain}
    for one in wanted.targets:
        if one not in pieces:
            known_figure(position.state, one)
    if wanted.targets and wanted.is_list and _can_act(position, wanted.by):
        yield from referee.at_targets(position, wanted.by, wanted.targets)
    if len(set(wanted.targets)) == len(wanted.targets):  # no other action says how often a target is named
        yield from actions_of(referee, position, wanted.by)


def _is_owed(action: Action, wanted: Wanted) -> bool:
    """Whether a step names what a figure owes at a place, such as the burst of its shell where it was aimed or fell."""
    fell = action.template.centre_in if isinstance(action.template, Blast) else None
    return action.name == wanted.action and wanted.by in action.by and wanted.spot_in in (action.spot_in, fell)


def _fits(action: Action, wanted: Wanted) -> bool:
    attacks = action.view is not None or action.spot_in is not None or (wanted.is_list and action.attacked)
    if action.name != wanted.action and not (wanted.action == "attack" and attacks):
        return False
    if wanted.weapon and wanted.weapon not in (name_key(action.weapon), name_key(action.title)):
        return False
    if wanted.by and wanted.by not in action.by:
        return False
    if action.spot_in is not None or wanted.spot_in is not None:
        return action.spot_in is not None
    return set(wanted.targets) <= {*action.at, action.piece}


def _agrees(position: Position, action: Action, answers: Mapping[str, Any]) -> bool:
    """Whether an action agrees with the answers, which may select one of several, such as "moves second"."""
    given, asked = action.given, {one.fact for one in position.game.questions(action.name)}
    selecting = (key for key, value in answers.items() if key in asked or isinstance(given.get(key), type(value)))
    return all(given[key] == answers[key] for key in selecting if key in given)


def unavailable(referee: Referee[Any], position: Position, wanted: Wanted) -> Answer:
    """Why no action fits a step: a figure that is not there, or the rule that has no such action now."""
    by, rules, units = wanted.by, position.game.rules, position.state.units
    row = rules.header.unavailable.get(wanted.action)
    rule = row.rule if row else _rule_of(rules, "phases", position.state.phase.partition(" ")[0])
    for name in (*([by] if by else ()), *wanted.targets):
        if name in units and units[name].out:
            gone = _rule_of(rules, "statuses", ELIMINATED) or rule
            return {"rule": gone, "text": f"{display_name(name)} is out of the battle"}
        if name in units and name not in position.figures:
            return {"rule": None, "text": f"{display_name(name)} is not on the table"}
    friend = ""
    if by and wanted.action in ("attack", "blast"):
        aimed = tuple(name for name in wanted.targets if name in units)
        if reason := last_reason(referee.unoffered(position, by, aimed, wanted.weapon)):
            return reason
        friend = next((name for name in aimed if units[name].side == units[by].side), "")
    text = f"{display_name(by)} cannot do this now" if by else "this cannot be done now"
    if friend:
        return {"rule": rule, "text": f"{display_name(friend)} is no enemy of {display_name(by)}"}
    return {"rule": rule, "text": ": ".join(filter(None, (text, rules.header.rules.get(rule or ""))))}


def _rule_of(rules: Ruleset[Any], table: str, name: str) -> str | None:
    """The rule of a row that a game may have: of what its figures are in, or of the phase."""
    found: str | None = rules.plain.get(table, {}).get(name, {}).get("rule")
    return found
