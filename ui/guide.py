"""The guide to the first shot: its steps, what each step waits for, and its text. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ui.battle.first_shot import Need
from ui.formatting import sentence
from ui.hints import title_words
from ui.rules_text import side_name
from ui.session import TableState
from ui.setup.armies import doubts, found_all, one_colour_words, proposed, separation_sentence
from ui.setup.cameras import Camera
from ui.translation import mark_all_for_translation, mark_for_translation, tr, tr_count
from vision.palette import army_names
from vision.separation import SeparationLevel
from vision.table_view import TableView
from vision.webcam import SETTLING

ENOUGH_MARKERS = 4
"""One near each corner; more hardly improve the accuracy."""

_MAX_ISSUES = 2

# The parts of `vision.webcam.Webcam.held`.
mark_all_for_translation("exposure held", "exposure automatic", "focus held", "focus automatic")
mark_all_for_translation("white balance held", "white balance automatic")


class GuideStep(StrEnum):
    """The guide's steps, in order."""

    CAMERA = mark_for_translation("Camera")
    MARKERS = mark_for_translation("Markers")
    EMPTY = mark_for_translation("Empty table")
    ARMIES = mark_for_translation("Armies")
    GAME = mark_for_translation("Game")
    SHOT = mark_for_translation("First shot")

    @property
    def words(self) -> str:
        """Its name for the player."""
        return tr(self.value)


class StepMark(StrEnum):
    """The state of a step."""

    DONE = mark_for_translation("done")
    NOW = mark_for_translation("now")
    SKIPPED = mark_for_translation("skipped")
    AHEAD = mark_for_translation("ahead")

    @property
    def words(self) -> str:
        """The state for screen readers."""
        return tr(self.value)


@dataclass(frozen=True, slots=True)
class Tick:
    """One thing that a step waits for, and whether it is good; None while unknown."""

    words: str
    good: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class TableStatus:
    """The guide's input.

    Attributes:
        spec: The open source, as for `vision.source.open_source`.
        view, state: The table; no view before the first picture was searched.
        cameras: The cameras of this computer.
        held: Which of the camera's settings (exposure, colours) are fixed; empty if the source does not say.
        problem: Why there is no picture; empty if there is one.
        marker_issues: Why markers cannot be used, a sentence each.
        playing: Whether a battle is open.
        armies: How many armies to teach.
        is_bare: Whether the simulated table is shown without its armies; None for other sources.
        need: What the open battle needs before its first shot; None without a battle.
        next_words: The text of the button that begins the battle's next phase.
        is_searching: Whether the newest pictures are still being searched.
        is_still: Whether the source is a single picture, so that the table cannot be cleared.
    """

    spec: str
    view: TableView | None
    state: TableState
    cameras: tuple[Camera, ...] = ()
    held: str = ""
    problem: str = ""
    marker_issues: tuple[str, ...] = ()
    playing: bool = False
    armies: int = 2
    is_bare: bool | None = None
    need: Need | None = None
    next_words: str = ""
    is_searching: bool = False
    is_still: bool = False

    @property
    def markers(self) -> tuple[int, ...]:
        """Ids of the markers that the calibration uses now."""
        if self.view is None or self.view.calibration is None or self.view.problem is not None:
            return ()
        unused = {issue.id for issue in self.view.set_aside}
        return tuple(number for number in sorted(self.view.calibration.markers_in) if number not in unused)

    @property
    def has_inches(self) -> bool:
        """Whether there is a valid calibration, with or without markers."""
        return self.view is not None and self.view.calibration is not None and self.view.problem is None

    @property
    def source_words(self) -> str:
        """The name of the open source."""
        known = {str(camera.number): camera.words for camera in self.cameras}
        return known.get(self.spec, title_words(self.spec))


@dataclass(frozen=True, slots=True)
class Progress:
    """What the player told the guide.

    Attributes:
        agreed: Steps that the player accepted, such as this source or few markers.
        skipped: Steps that the player skipped.
        back_at: The step that the player went back to, if any.
    """

    agreed: frozenset[GuideStep] = field(default_factory=frozenset)
    skipped: frozenset[GuideStep] = field(default_factory=frozenset)
    back_at: GuideStep | None = None

    def agree(self, step: GuideStep) -> Progress:
        """The player accepts the step."""
        return Progress(self.agreed | {step}, self.skipped - {step})

    def skip(self, step: GuideStep) -> Progress:
        """The player skips the step, or leaves one that was done before."""
        return Progress(self.agreed, self.skipped | {step})

    def go_on(self) -> Progress:
        """The player has finished the step that they went back to."""
        return replace(self, back_at=None)

    def go_to(self, step: GuideStep) -> Progress:
        """The player goes to a step, done or not."""
        return replace(self, skipped=self.skipped - {step}, back_at=step)


@dataclass(frozen=True, slots=True)
class Guide:
    """What the guide shows.

    Attributes:
        marks: The state of each step.
        step: The current step; None after the last.
        words: What to do, in a sentence or two.
        button: The text of the button that does it; empty if another control does it.
        ready: Whether the button works now.
        is_done: Whether the step was done before and the player went back to it.
        ticks: What the step waits for.
        busy: Whether the program works and the player need not do anything.
    """

    marks: Mapping[GuideStep, StepMark]
    step: GuideStep | None
    words: str
    button: str = ""
    ready: bool = True
    is_done: bool = False
    ticks: tuple[Tick, ...] = ()
    busy: bool = False


def guide(now: TableStatus, progress: Progress) -> Guide:
    """What the guide shows now."""
    if now.is_still:
        progress = replace(progress, skipped=progress.skipped | {GuideStep.EMPTY})
    done = {step: _DONE[step](now, progress) for step in GuideStep}
    current = progress.back_at or next(
        (step for step in GuideStep if not done[step] and step not in progress.skipped), None
    )
    marks = {step: _mark(step, current, done[step], progress) for step in GuideStep}
    if current is None:
        words = tr("That was the first shot. You can open this guide again in the menu Help; F1 shows every key.")
        return Guide(marks, None, words, tr("Close"))
    shown = _SHOWN[current](now)
    if (
        current is GuideStep.CAMERA
        and current in progress.agreed
        and now.view is None
        and not (now.problem or now.held)
    ):
        words = tr("Looking at the table for the first time. This takes a few seconds.")
        shown = Guide({}, current, words, busy=True)
    return replace(shown, marks=marks, is_done=done[current])


def _mark(step: GuideStep, current: GuideStep | None, done: bool, progress: Progress) -> StepMark:
    if step is current:
        return StepMark.NOW
    if done:
        return StepMark.DONE
    return StepMark.SKIPPED if step in progress.skipped else StepMark.AHEAD


def _camera_done(now: TableStatus, progress: Progress) -> bool:
    chosen = GuideStep.CAMERA in progress.agreed or now.spec != "demo"
    return chosen and now.view is not None and not now.problem and now.held != SETTLING


def _markers_done(now: TableStatus, progress: Progress) -> bool:
    enough = len(now.markers) >= ENOUGH_MARKERS or GuideStep.MARKERS in progress.agreed
    prints = now.state.setup.prints
    return now.has_inches and (enough or prints.board is not None or prints.rectangle is not None)


def _armies_done(now: TableStatus) -> bool:
    """Whether all armies are taught and found; a soldier left on the empty table would not be found."""
    taught = {colour.name for colour in now.state.setup.palette}
    tracking = now.view.tracking if now.view is not None else None
    found = {figure.army for figure in (*tracking.figures, *tracking.lost)} if tracking is not None else set()
    return len(taught) >= now.armies and taught <= found


def _shot_done(now: TableStatus) -> bool:
    """Whether a soldier has fired in the battle or, without a battle, was measured."""
    if now.need is not None:
        return now.need is Need.NOTHING
    return any(isinstance(end, str) for ruler in now.state.rulers for end in (ruler.a, ruler.b))


_DONE: dict[GuideStep, Callable[[TableStatus, Progress], bool]] = {
    GuideStep.CAMERA: _camera_done,
    GuideStep.MARKERS: _markers_done,
    GuideStep.EMPTY: lambda now, _: now.state.setup.reference_bgr is not None,
    GuideStep.ARMIES: lambda now, _: _armies_done(now),
    GuideStep.GAME: lambda now, _: now.playing,
    GuideStep.SHOT: lambda now, progress: GuideStep.SHOT in progress.agreed or _shot_done(now),
}


def _camera(now: TableStatus) -> Guide:
    ticks = tuple(Tick(tr(words), words.endswith("held")) for words in now.held.split(", ") if words)
    if now.problem:
        return Guide({}, GuideStep.CAMERA, sentence(now.problem), tr("Choose another…"))
    if now.spec == "demo" and not now.cameras:
        words = tr("No camera is plugged in. Plug one in, or practise on the simulated table: the steps are the same.")
        return Guide({}, GuideStep.CAMERA, words, tr("Practise"))
    if now.spec == "demo":
        words = tr("Choose the camera over the table. Its picture appears at once.")
        return Guide({}, GuideStep.CAMERA, words, tr("Choose…"))
    if now.held == SETTLING:
        words = tr("{source} is adjusting to the light. Please wait.", source=now.source_words)
        return Guide({}, GuideStep.CAMERA, words, tr("Choose another…"))
    words = tr(
        "This is {source}. The whole table should be in the picture. Do not change the light after this.",
        source=now.source_words,
    )
    return Guide({}, GuideStep.CAMERA, words, tr("Choose another…"), ticks=ticks)


def _markers(now: TableStatus) -> Guide:
    ticks = tuple(Tick(tr("marker {number}", number=number), True) for number in now.markers)
    ticks += tuple(Tick(words, False) for words in now.marker_issues[:_MAX_ISSUES])
    calibration = now.view.calibration if now.view else None
    if not now.has_inches or calibration is None:
        words = tr(
            "Print the markers at 100 %. Lay at least one flat on the table, fully in the picture. One near each corner"
            " is much better."
        )
        return Guide({}, GuideStep.MARKERS, words, tr("Print markers…"), ticks=ticks)
    error = now.state.unit.fine_words(2 * max(calibration.typical_sigma_in(), 0.005))
    count = len(now.markers)
    if count >= ENOUGH_MARKERS:
        words = tr(
            "The camera sees {count} markers: places on the table are accurate to ±{error}.", count=count, error=error
        )
    else:
        words = tr_count(
            "The camera sees {count} marker: places on the table are accurate to ±{error}. One near each corner makes"
            " them much more accurate.",
            "The camera sees {count} markers: places on the table are accurate to ±{error}. One near each corner makes"
            " them much more accurate.",
            count, error=error,
        )  # fmt: skip
    return Guide({}, GuideStep.MARKERS, words, tr("Continue"), ticks=ticks)


def _empty(now: TableStatus) -> Guide:
    if now.is_bare is False or (now.view is not None and now.view.frozen):
        words = tr("Something is moving in the picture. Take your hands out and wait a moment.")
        return Guide({}, GuideStep.EMPTY, words, tr("Learn empty table"), ready=False)
    if now.is_still:
        words = tr("A single picture cannot show the table without its soldiers. Go on with the next step.")
        return Guide({}, GuideStep.EMPTY, words)
    if now.is_bare:
        words = tr("The simulated table is empty now. Press “Learn empty table”; then its armies appear.")
    else:
        words = tr("Take every soldier off the table. Markers and terrain stay. This helps to find the soldiers later.")
    return Guide({}, GuideStep.EMPTY, words, tr("Learn empty table"), ready=now.view is not None)


def _armies(now: TableStatus) -> Guide:
    armies = army_names(now.state.setup.palette)
    figures = now.view.figures if now.view is not None else ()
    counts = {army: sum(figure.army == army for figure in figures) for army in armies}
    ticks = tuple(
        Tick(tr("{army}: {count} seen", army=side_name(army), count=count), True)
        if count
        else Tick(tr("{army}: searching…", army=side_name(army)), None)
        for army, count in counts.items()
    )
    if now.view is not None:
        # Before the armies are accepted, advice to click more soldiers would only keep the player from accepting them.
        apart = [one for one in doubts(now.view, now.state.setup) if armies or one.level is not SeparationLevel.FAIR]
        ticks += tuple(
            Tick(separation_sentence(doubt), None if doubt.level is SeparationLevel.FAIR else False)
            for doubt in apart[:_MAX_ISSUES]
        )
    if now.view is not None and (groups := proposed(now.view, now.state)):
        if found_all(now.view, now.armies):
            words = tr(
                "Found {soldiers}, grouped by colour. Use them, or name an army and click one of its soldiers.",
                soldiers=groups,
            )
        else:
            words = tr("Found so far: {soldiers}. Wait a moment for the other army, or use them.", soldiers=groups)
        advice = one_colour_words(now.view)
        ticks = (*ticks, *((Tick(advice, None),) if advice else ()))
        return Guide({}, GuideStep.ARMIES, words, tr("Use them"), ready=now.has_inches, ticks=ticks)
    if not armies and now.state.setup.propose and now.is_searching:
        words = tr("Looking for the soldiers. Keep your hands off the table; this takes a few seconds.")
        return Guide({}, GuideStep.ARMIES, words, busy=True)
    if not armies:
        words = (
            tr(
                "Put the armies on the table and wait: soldiers are found by their colour. Or name an army and click"
                " the base of one of its soldiers."
            )
            if now.state.setup.propose
            else tr("Put the armies on the table. Name the first, then click the base of one of its soldiers.")
        )
    elif len(armies) < now.armies:
        words = tr(
            "Now the next army: type its name, then click one of its soldiers. Until then, its soldiers count as the"
            " other army's."
        )
    else:
        words = tr("Click more soldiers to find them better. To teach another army, type its name and click a soldier.")
    return Guide({}, GuideStep.ARMIES, words, tr("Teach army"), ready=now.has_inches, ticks=ticks)


def _game(now: TableStatus) -> Guide:
    words = tr("Choose one of the five games and each soldier's unit. Or skip this and only measure.")
    return Guide({}, GuideStep.GAME, words, tr("Choose game…"))


def _shot(now: TableStatus) -> Guide:
    if now.need is not None:
        return Guide({}, GuideStep.SHOT, tr(_SHOT_WORDS[now.need], button=now.next_words))
    words = tr("Click a soldier, then one of the other army. The distance and its uncertainty appear on the right.")
    return Guide({}, GuideStep.SHOT, words, tr("Measure"))


_SHOT_WORDS = {
    Need.PHASE: mark_for_translation("Press “{button}” above the table. Shots come after the moves."),
    Need.MOVE: mark_for_translation(
        "Move your soldiers; on the simulated table, drag them. Then press “{button}” above the table."
    ),
    Need.MOVES: mark_for_translation("Answer the moves, at the right or beside each soldier: ✓ accepts a move."),
    Need.SOLDIER: mark_for_translation("Click the soldier that attacks first, such as the marked one."),
    Need.TARGET: mark_for_translation("Now click the enemy to attack. The numbers are the chances to harm it."),
    Need.ROLL: mark_for_translation("Press Roll at the right. Or click another target first."),
    Need.DUTY: mark_for_translation("Press the marked button on the right. The game needs this before the first shot."),
    Need.CHOICE: mark_for_translation("Choose on the right. The game needs this before the first shot."),
    Need.DICE: mark_for_translation("Let the program roll, or roll your own dice and type their faces."),
    Need.NOTHING: mark_for_translation("That was a shot. Go on with the next soldier."),
}

_SHOWN: dict[GuideStep, Callable[[TableStatus], Guide]] = {
    GuideStep.CAMERA: _camera,
    GuideStep.MARKERS: _markers,
    GuideStep.EMPTY: _empty,
    GuideStep.ARMIES: _armies,
    GuideStep.GAME: _game,
    GuideStep.SHOT: _shot,
}
