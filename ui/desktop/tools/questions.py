"""Tools that answer questions without placing anything: sight, targets and planned moves."""

from __future__ import annotations

from collections.abc import Callable

from rules.tabletop.errors import UserError
from rules.tabletop.path import Path
from rules.tabletop.table import Figure, PointIn
from ui.desktop.tools.tool import FigureTool, PickResult, Tool, figure_id, was_dragged
from ui.picture.preview import Preview
from ui.picture.shapes import PointPx
from ui.rules_text import display_name
from ui.table.finding import Answer, Finding
from ui.tools.plan import plan_finding
from ui.tools.reach import Arm, fan_finding, weapon_reaches
from ui.tools.sight import sight_finding
from ui.tools.tool_context import ToolContext
from ui.translation import tr

Now = Callable[[], ToolContext | None]
AboutOne = Callable[[ToolContext, Figure], Finding | None]

_MAX_IN = 240.0
_USUAL_REACH_IN, _USUAL_MOVE_IN, _STEP_IN = 12.0, 6.0, 0.5


class QuestionTool(Tool):
    """Caches its answer until the table or the question changes.

    Attributes:
        now: Returns the tool context; None before the first view.
    """

    def __init__(self, now: Now) -> None:
        self.now = now
        self._asked: tuple[ToolContext, object] | None = None
        self._finding: Finding | None = None

    def found(self, question: object, answer: Callable[[ToolContext], Finding | None]) -> Finding | None:
        """Answer a question; `question` identifies it in the cache."""
        now = self.now()
        if now is None or now.view.calibration is None:
            return None
        if self._asked is None or self._asked[1] != question or not now.is_same_table(self._asked[0]):
            try:
                found = answer(now)
            except UserError as refusal:
                found = Finding(Answer("", (str(refusal),)))
            self._asked, self._finding = (now, question), found
        return self._finding

    def about(self, name: str, question: object, answer: AboutOne) -> Finding | None:
        """Answer a question about one figure; None while it is not seen."""

        def asked(now: ToolContext) -> Finding | None:
            figure = now.figure(name)
            return answer(now, figure) if figure is not None else None

        return self.found((name, question), asked)


class SightTool(QuestionTool):
    """Shows what one figure sees of another: click the shooter, then the target."""

    name = "sight"

    def __init__(self, now: Now) -> None:
        super().__init__(now)
        self._shooter: str | None = None
        self._target: str | None = None

    @property
    def hint(self) -> str:
        if self._shooter is None:
            return tr("Click the soldier to look from, then point at a target.")
        if self._target is None:
            who = display_name(self._shooter)
            return tr("Point at a soldier to see how much {shooter} sees of it; click to keep the answer.", shooter=who)
        return tr("Click the next soldier to look from, or press Esc.")

    def press(self, at: PickResult) -> None:
        name = figure_id(at)
        if name is None:
            return
        if self._shooter is None or self._target is not None:
            self._shooter, self._target = name, None
        elif name != self._shooter:
            self._target = name

    def cancel(self) -> bool:
        had, self._shooter, self._target = self._shooter is not None, None, None
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """Rays to the target, or to the figure under the mouse."""
        hovered = figure_id(at)
        target, finding = self._target or hovered, None
        if self._shooter is not None and target not in (None, self._shooter):
            finding = self.about(self._shooter, target, lambda now, shooter: _sight(now, shooter, target))
        return Preview(hovered=hovered, picked=self._shooter, finding=finding)


def _sight(now: ToolContext, shooter: Figure, target: str | None) -> Finding | None:
    other = now.figure(target)
    return sight_finding(now, shooter, other) if other is not None else None


class TargetsTool(FigureTool, QuestionTool):
    """Shows the targets of one figure: point at it, click to keep it. `reach_in` is the range without a battle."""

    name = "fan"
    takes_wheel = True

    def __init__(self, now: Now) -> None:
        super().__init__(now)
        self._shown: str | None = None
        self._arm = 0
        self.reach_in = _USUAL_REACH_IN

    @property
    def hint(self) -> str:
        reach = tr("The wheel changes the weapon.") if self._arms(self._shown) else self._reach_words
        return tr("Point at a soldier to see its targets; click to keep them. {reach}", reach=reach)

    @property
    def _reach_words(self) -> str:
        return tr("Range {reach_in:g} in: change it with the wheel, + and -, or a number.", reach_in=self.reach_in)

    def _arms(self, name: str | None) -> tuple[Arm, ...]:
        now = self.now()
        return weapon_reaches(now.position, name) if now is not None and name is not None else ()

    def press(self, at: PickResult) -> None:
        super().press(at)
        self._arm = 0

    def turn(self, steps: int) -> None:
        """Select another weapon or, without a battle, another range."""
        arms = self._arms(self.picked)
        if arms:
            self._arm = (self._arm + steps) % len(arms)
        else:
            self.number(self.reach_in + steps)

    def number(self, value: float) -> None:
        self.reach_in = min(max(value, 1.0), _MAX_IN)

    def preview(self, at: PickResult | None) -> Preview:
        """The targets of the shooter, or of the figure under the mouse."""
        hovered = figure_id(at)
        self._shown = shooter = self.picked or hovered
        if shooter is None:
            return Preview()
        arms = self._arms(shooter)
        arm = arms[self._arm % len(arms)] if arms else Arm("reach", self.reach_in)
        finding = self.about(shooter, arm, lambda now, figure: fan_finding(now, figure, arm))
        return Preview(hovered=hovered, picked=shooter, finding=finding)


class PlanTool(QuestionTool):
    """Plans a move: click a figure, then each corner of its path; a right click or Enter ends it.

    `allowance_in` applies without a battle.
    """

    name = "plan"

    def __init__(self, now: Now) -> None:
        super().__init__(now)
        self._mover: str | None = None
        self._corners: tuple[PointIn, ...] = ()
        self._ended = False
        self._pressed_px: PointPx = (0.0, 0.0)
        self.allowance_in = _USUAL_MOVE_IN

    @property
    def in_progress(self) -> bool:
        """Whether the path can still be extended."""
        return bool(self._corners) and not self._ended

    @property
    def hint(self) -> str:
        now = self.now()
        by_the_game = now is not None and now.play is not None
        may_go = tr("Allowance {allowance_in:g} in: type a number to change it.", allowance_in=self.allowance_in)
        allowed = "" if by_the_game else may_go
        if self._mover is None:
            return tr("Click or drag the soldier to move. {allowed}", allowed=allowed)
        if not self._ended:
            return tr(
                "Click each corner of {mover}'s path; a right click or Enter ends it. {allowed}",
                mover=display_name(self._mover),
                allowed=allowed,
            )
        return tr("Click the next soldier, or press Esc. {allowed}", allowed=allowed)

    def press(self, at: PickResult) -> None:
        self._pressed_px = at.px
        if self._mover is None or self._ended:
            self._mover, self._corners, self._ended = (figure_id(at)), (), False
        elif at.place_in is not None:
            if self._corners and self._corners[-1] == at.place_in:
                self.finish()
            else:
                self._corners = (*self._corners, at.place_in)

    def release(self, at: PickResult) -> None:
        """End the path after a drag."""
        if self._mover is not None and not self._corners and at.place_in and was_dragged(self._pressed_px, at):
            self._corners, self._ended = (at.place_in,), True

    def number(self, value: float) -> None:
        self.allowance_in = min(max(value, _STEP_IN), _MAX_IN)

    def finish(self) -> None:
        self._ended = bool(self._corners)

    def cancel(self) -> bool:
        had, self._mover, self._corners, self._ended = self._mover is not None, None, (), False
        return had

    def preview(self, at: PickResult | None) -> Preview:
        """The path so far, extended to the mouse."""
        hovered = figure_id(at)
        if self._mover is None:
            return Preview(hovered=hovered)
        loose = (at.place_in,) if at is not None and at.place_in is not None and not self._ended else ()
        rest = self._corners + tuple(place for place in loose if place not in self._corners[-1:])
        finding = None
        if rest and (self._corners or hovered != self._mover):
            asked = (rest, self.allowance_in)
            finding = self.about(self._mover, asked, lambda now, mover: self._plan(now, mover, rest))
        return Preview(picked=self._mover, finding=finding)

    def _plan(self, now: ToolContext, mover: Figure, rest: Path) -> Finding:
        return plan_finding(now, mover, (mover.centre_in, *rest), self.allowance_in)
