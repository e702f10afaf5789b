"""The outcomes that players can put in place of a roll or a verdict."""

from __future__ import annotations

from pathlib import Path

from rules.battle.referees import position_of
from rules.engine.dice import Scripted
from rules.engine.events import PhaseBegun
from rules.engine.roster import Army
from tests.rules.battle_driver import begun, recruits
from tests.rules.board import figure
from ui.battle.battle_session import BattleSession
from ui.battle.ruling import case_before, cases_after, holdings, override_words

KING = "King Kingsley"
PLACES = {"green-1": (10.0, 10.0), "tan-1": (10.0, 11.0)}


def test_wounds_of_the_same_name_are_one_outcome(tmp_path: Path) -> None:
    """A blow of 5 and one of 6 both mark "very hurt": 20 % and 23 % of the rolls."""
    armies = {
        side: Army(name=side, game="fudge_miniatures", recruits=recruits(side, KING)) for side in ("green", "tan")
    }
    with begun(tmp_path / "b", "fudge_miniatures", armies, PLACES) as battle:
        play = BattleSession(battle)
        battle.record(PhaseBegun(turn=1, side="green", phase="action"))
        position = position_of(battle, [figure(name, *at, sigma=0.01) for name, at in PLACES.items()], [])
        [blow] = [one for one in play.available_actions(position, "green-1").attacks if one.possible]
        assert [override_words(one) for one in holdings(play, position, case_before(blow))] == [
            "Very hurt: Tan 1, 43 % by the dice",
            "Near death: Tan 1, 32 % by the dice",
            "Hurt: Tan 1, 17 % by the dice",
            "Dead: Tan 1, 6 % by the dice",
            "Scratch: Tan 1, 1 % by the dice",
            "No effect, but the action is used up",
        ]
        # Without plus or minus a blow marks 6, and one with a plus 7: very hurt and near death.
        verdict = play.do(position, blow.action, Scripted([0, 0, 0, 0]))
        assert verdict.outcome == "very_hurt"
        [case, *_] = cases_after(play)
        words = [override_words(one) for one in holdings(play, position, case)]
        assert not any(one.startswith("Very hurt") for one in words)
        assert "Dead: Tan 1, 6 % by the dice" in words
