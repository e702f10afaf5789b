"""Shows a battle in its panel and turn bar, and what of it is drawn on the table; changes nothing."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field

from rules.engine.position import Position
from rules.engine.preview import ActionPreview, AvailableActions, at_spot, is_owed
from rules.engine.text import place_words
from rules.tabletop.errors import UserError
from ui.battle.action_text import card_title, lines_above, numbered_names
from ui.battle.battle_overlay import badge_marks, casualties, chance_marks, down_marks, reach_marks, way_marks
from ui.battle.battle_session import BattleSession
from ui.battle.battle_setup import goal_lines
from ui.battle.selection import Selection
from ui.battle.turn_bar import absent_words, turn_bar
from ui.desktop.battle.panel import CLICK_ONE, PHOTO_PX, BattlePanel
from ui.desktop.battle.pending_moves import PendingMove, keys_of, pending_move
from ui.desktop.battle.turn_bar import TurnBarView
from ui.desktop.widgets import show_words
from ui.picture.preview import Preview
from ui.rules_text import readable, story_line
from ui.table.finding import Mark
from ui.table.portrait import portrait
from ui.translation import tr
from vision.table_view import TableView


@dataclass(frozen=True, slots=True)
class BattleDisplay:
    """What of the battle is shown on the table.

    Attributes:
        pending: Moves seen by the camera that wait for an answer.
        must_answer: Whether the next phase would forbid them.
        drawn: The ways of these moves, the selected figure's chances and reach, badges and casualties.
    """

    pending: tuple[PendingMove, ...] = ()
    must_answer: bool = False
    drawn: Preview = field(default_factory=Preview)

    @property
    def unanswered(self) -> tuple[tuple[str, ...], ...]:
        """The keys of the moves that must be answered before the next phase."""
        return keys_of(self.pending) if self.must_answer else ()


class BattlePresenter:
    """Shows the battle."""

    def __init__(self, panel: BattlePanel, bar: TurnBarView, decide: Callable[[Callable[[], object]], object]) -> None:
        """Show battles in `panel` and `bar`; `decide` makes the change that answers a move."""
        self._panel, self._bar, self._decide = panel, bar, decide
        self._refusal = ""
        self.shown = BattleDisplay()

    def show_nothing(self, play: BattleSession | None, armies: Sequence[str]) -> None:
        """Show that there is no battle, or one whose figures have not been seen yet."""
        panel = self._panel
        self._show_table(BattleDisplay())
        self._bar.show_turn(turn_bar(play, None, armies) if play is not None else None)
        panel.show_battle_open(play is not None)
        show_words(panel.absent, "")
        panel.overrule_button.setEnabled(False)
        panel.goals_button.setEnabled(play is not None)
        panel.show_actions((), [tr("No battle is open. Choose a game:") if play is None else tr(CLICK_ONE)])
        panel.show_story(() if play is None else tuple(map(story_line, play.story)))
        panel.show_photo(None)

    def show(
        self,
        play: BattleSession,
        position: Position,
        selection: Selection,
        *,
        armies: Sequence[str],
        skippable: Sequence[ActionPreview],
        skippable_moves: Sequence[tuple[str, ...]],
        asked: Sequence[ActionPreview] | None,
        idle: Collection[str],
        view: TableView | None,
    ) -> None:
        """Show the battle at a position, with the selected figure from `view`.

        The turn bar's button skips `skippable` and the moves of these keys at the next press; a round asks the figure
        for the actions `asked`, and found the figures `idle` to have no target.
        """
        panel, obligations = self._panel, play.obligations(position)
        owed = [one for one in obligations if is_owed(one)]
        panel.show_battle_open(True)
        panel.show_story(tuple(map(story_line, play.story)))
        show_words(panel.absent, absent_words(position))
        panel.overrule_button.setEnabled(bool(position.state.turn))
        panel.goals_button.setEnabled(True)
        proposals = play.proposals(position)
        pending = tuple(pending_move(play, position, one, self._decide) for one in proposals)
        marks = (*down_marks(position), *way_marks(proposals))
        reach: tuple[Mark, ...] = ()
        if asked is not None and selection.spot_in is None and len(selection.targets) < 2:
            title = card_title(position, position.unit(selection.figure))
            panel.show_actions(asked, (), selection.figure, title)
            if panel.chosen is None:
                panel.action_list.choose(0)
        else:
            available = self._show_actions(play, position, selection, obligations)
            if available is not None:
                marks = (*marks, *chance_marks(position, available.attacks))
                reach = tuple(reach_marks(position, available.figure, available.movement))
        badges, out = tuple(badge_marks(position, play.referee)), casualties(position)
        drawn = Preview(marks=marks, areas=reach, badges=badges, casualties=out)
        shown = BattleDisplay(pending, play.referee.moves(position), drawn)
        self._show_table(shown)
        skips = set(shown.unanswered) <= set(skippable_moves)
        bar = turn_bar(play, position, armies, skippable, owed, len(shown.unanswered), skips_moves=skips, idle=idle)
        self._bar.show_turn(bar)
        panel.show_photo(portrait(view, selection.figure, PHOTO_PX) if view is not None else None)

    def _show_table(self, shown: BattleDisplay) -> None:
        self.shown = shown
        self._panel.pending_moves.show_moves(shown.pending)

    def _show_actions(
        self, play: BattleSession, position: Position, selection: Selection, obligations: Sequence[ActionPreview]
    ) -> AvailableActions | None:
        """Show what the selected figure can do and return it; without a figure, show what is owed."""
        panel, figure = self._panel, selection.figure
        try:
            available = play.available_actions(position, figure) if figure else None
        except UserError as refusal:
            self._refusal = readable(str(refusal))
            panel.show_outcome(self._refusal)
            available = None
        else:
            if self._refusal and panel.why.text() == self._refusal:
                panel.show_outcome("")
            self._refusal = ""
        if available is None:
            panel.show_actions(obligations, [tr(CLICK_ONE), *goal_lines(play)])
            return None
        if len(selection.targets) > 1:
            actions = play.at_targets(position, figure, selection.targets)
            lines = [_aim_words(numbered_names(selection.targets))]
        elif selection.spot_in is not None:
            actions = at_spot(play.referee, position, figure, selection.spot_in)
            lines = [_aim_words(place_words(selection.spot_in))]
        else:
            own = [one for one in obligations if one.action.by == (figure,)]
            others = [one for one in obligations if one not in own and is_owed(one)]
            actions = (*own, *available.attacks, *available.others)
            moves = not position.state.turn or play.referee.moves(position)
            lines = lines_above(available, actions, others, moves=moves)
        panel.show_actions(actions, lines, figure, card_title(position, position.unit(figure)))
        return available


def _aim_words(target: str) -> str:
    return tr("aims at {place}. Esc: show all actions", place=target)
