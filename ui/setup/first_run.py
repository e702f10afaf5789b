"""The first evening, step by step: what each step waits for, and what it says as the table stands. No Qt here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ui.formatting import sentence
from ui.session import TableState
from ui.setup.cameras import Camera
from ui.setup.colours import doubts, one_colour_words, proposed
from ui.setup.guidance import title_words
from vision.palette import army_names
from vision.separation import Level
from vision.source import SETTLING
from vision.table_view import TableView

ENOUGH_MARKERS = 4
"""One near each corner; more make places little surer."""

_MOST_TROUBLES = 3


class Step(StrEnum):
    """In order."""

    CAMERA = "Camera"
    MARKERS = "Markers"
    EMPTY = "Empty table"
    ARMIES = "Armies"
    GAME = "Game"
    SHOT = "First shot"


class Mark(StrEnum):
    """How far a step is."""

    DONE = "done"
    NOW = "now"
    SKIPPED = "skipped"
    AHEAD = "ahead"


@dataclass(frozen=True, slots=True)
class Tick:
    """One thing a step waits for, and whether it is well; None where that is not known yet."""

    words: str
    good: bool | None


@dataclass(frozen=True, slots=True, eq=False)
class Standing:
    """Everything that the guide looks at.

    Attributes:
        spec: What is open, as for `vision.source.open_source`.
        view, state: The table; no view before the first picture was looked at.
        cameras: Those of this machine.
        held: What the camera holds of exposure and colours, as it reads them back; empty where the source does not
            say.
        problem: Why there is no picture; empty where there is one.
        troubles: Why something that looks like a marker does not help, a sentence each.
        playing: Whether a battle is open.
        armies: How many are to be taught.
        is_bare: Whether the simulated table is shown without its armies; None where nobody keeps them off.
    """

    spec: str
    view: TableView | None
    state: TableState
    cameras: tuple[Camera, ...] = ()
    held: str = ""
    problem: str = ""
    troubles: tuple[str, ...] = ()
    playing: bool = False
    armies: int = 2
    is_bare: bool | None = None

    @property
    def markers(self) -> tuple[int, ...]:
        """Those that inches rest on now."""
        if self.view is None or self.view.calibration is None or self.view.problem is not None:
            return ()
        aside = {trouble.id for trouble in self.view.set_aside}
        return tuple(number for number in sorted(self.view.calibration.markers_in) if number not in aside)

    @property
    def has_inches(self) -> bool:
        """Whether pixels become inches, whatever they rest on."""
        return self.view is not None and self.view.calibration is not None and self.view.problem is None

    @property
    def source_words(self) -> str:
        """What is open, for people."""
        known = {str(camera.number): camera.words for camera in self.cameras}
        return known.get(self.spec, title_words(self.spec))


@dataclass(frozen=True, slots=True)
class Progress:
    """What the player has said to the guide.

    Attributes:
        agreed: Steps that he called good: this source, so few markers.
        skipped: Steps that he went past.
        back_at: The step that he went back to, if he did.
    """

    agreed: frozenset[Step] = field(default_factory=frozenset)
    skipped: frozenset[Step] = field(default_factory=frozenset)
    back_at: Step | None = None

    def agree(self, step: Step) -> Progress:
        """He calls the step good."""
        return Progress(self.agreed | {step}, self.skipped - {step})

    def skip(self, step: Step) -> Progress:
        """He goes past the step, or on from one that he had gone back to."""
        return Progress(self.agreed, self.skipped | {step})

    def go_on(self) -> Progress:
        """He has done what he went back for."""
        return replace(self, back_at=None)

    def go_to(self, step: Step) -> Progress:
        """He goes to a step, whatever is done."""
        return replace(self, skipped=self.skipped - {step}, back_at=step)


@dataclass(frozen=True, slots=True)
class Guide:
    """What the guide shows.

    Attributes:
        marks: How far each step is.
        step: The one that is to be done; None after the last.
        words: What is to be done, a sentence.
        button: Words of the button that does it.
        ready: Whether it can be done now.
        is_done: Whether the step was done before, and the player went back to it.
        ticks: What the step waits for.
    """

    marks: Mapping[Step, Mark]
    step: Step | None
    words: str
    button: str = ""
    ready: bool = True
    is_done: bool = False
    ticks: tuple[Tick, ...] = ()


def guide(now: Standing, progress: Progress) -> Guide:
    """What the guide shows as the table stands."""
    done = {step: _DONE[step](now, progress) for step in Step}
    step = progress.back_at or next((one for one in Step if not done[one] and one not in progress.skipped), None)
    marks = {one: _mark(one, step, done[one], progress) for one in Step}
    if step is None:
        return Guide(
            marks, None, "That was the first shot. The guide stays in the menu Help; F1 shows every key.", "Close"
        )
    return replace(_SHOWN[step](now), marks=marks, is_done=done[step])


def _mark(step: Step, at: Step | None, done: bool, progress: Progress) -> Mark:
    if step is at:
        return Mark.NOW
    if done:
        return Mark.DONE
    return Mark.SKIPPED if step in progress.skipped else Mark.AHEAD


def _camera_done(now: Standing, progress: Progress) -> bool:
    chosen = Step.CAMERA in progress.agreed or now.spec != "demo"
    return chosen and now.view is not None and not now.problem and now.held != SETTLING


def _markers_done(now: Standing, progress: Progress) -> bool:
    enough = len(now.markers) >= ENOUGH_MARKERS or Step.MARKERS in progress.agreed
    prints = now.state.setup.prints
    return now.has_inches and (enough or prints.board is not None or prints.rectangle is not None)


def _armies_done(now: Standing) -> bool:
    """Whether all armies are taught and a soldier of each was found: one alone may have been on the empty table."""
    taught = {colour.name for colour in now.state.setup.palette}
    tracking = now.view.tracking if now.view is not None else None
    found = {one.army for one in (*tracking.figures, *tracking.lost)} if tracking is not None else set()
    return len(taught) >= now.armies and taught <= found


_DONE: dict[Step, Callable[[Standing, Progress], bool]] = {
    Step.CAMERA: _camera_done,
    Step.MARKERS: _markers_done,
    Step.EMPTY: lambda now, _: now.state.setup.reference_bgr is not None,
    Step.ARMIES: lambda now, _: _armies_done(now),
    Step.GAME: lambda now, _: now.playing,
    Step.SHOT: lambda now, _: any(isinstance(end, str) for ruler in now.state.rulers for end in (ruler.a, ruler.b)),
}


def _camera(now: Standing) -> Guide:
    ticks = tuple(Tick(words, words.endswith("held")) for words in now.held.split(", ") if words)
    if now.problem:
        return Guide({}, Step.CAMERA, sentence(now.problem), "Choose another…")
    if now.spec == "demo" and not now.cameras:
        words = (
            "No camera is plugged in. Plug one in, or learn all of it on the simulated table: the steps are the same."
        )
        return Guide({}, Step.CAMERA, words, "Choose…")
    if now.spec == "demo":
        words = "Choose the camera that hangs over the table; the picture shows at once what it sees."
        return Guide({}, Step.CAMERA, words, "Choose…")
    if now.held == SETTLING:
        words = f"{now.source_words}: exposure, white balance and focus find their values and are then held."
        return Guide({}, Step.CAMERA, words, "Choose another…")
    words = (
        f"This is {now.source_words}. All of the table should be in the picture, and the light should stay as it is."
    )
    return Guide({}, Step.CAMERA, words, "Choose another…", ticks=ticks)


def _markers(now: Standing) -> Guide:
    ticks = tuple(Tick(f"marker {number}", True) for number in now.markers)
    ticks += tuple(Tick(words, False) for words in now.troubles[:_MOST_TROUBLES])
    calibration = now.view.calibration if now.view else None
    if not now.has_inches or calibration is None:
        words = (
            "Print the markers at 100 %, and lay at least one flat on the table, wholly in the picture; one near each"
            " corner is far better."
        )
        return Guide({}, Step.MARKERS, words, "Print markers…", ticks=ticks)
    sure = now.state.unit.fine_words(2 * max(calibration.typical_sigma_in(), 0.005))
    count = len(now.markers)
    seen = "1 marker is" if count == 1 else f"{count} markers are"
    words = f"{seen} seen: places on the table are sure to ±{sure}."
    if count < ENOUGH_MARKERS:
        words += " One near each corner makes that far surer."
    return Guide({}, Step.MARKERS, words, "That is enough", ticks=ticks)


def _empty(now: Standing) -> Guide:
    if now.is_bare is False or (now.view is not None and now.view.frozen):
        words = "Something moves or a hand is in the picture: take it out, and wait a moment."
        return Guide({}, Step.EMPTY, words, "Learn empty table", ready=False)
    if now.is_bare:
        words = "The simulated table is empty now: learn it, and its armies come in."
    else:
        words = "Take every soldier off the table; markers and terrain stay. Then his outline is found more surely."
    return Guide({}, Step.EMPTY, words, "Learn empty table", ready=now.view is not None)


def _armies(now: Standing) -> Guide:
    armies = army_names(now.state.setup.palette)
    figures = now.view.figures if now.view is not None else ()
    counts = {army: sum(figure.army == army for figure in figures) for army in armies}
    ticks = tuple(
        Tick(f"{army}: {f'{count} seen' if count else 'looking for them …'}", bool(count) or None)
        for army, count in counts.items()
    )
    if now.view is not None:
        apart = doubts(now.view, now.state.setup)
        ticks += tuple(Tick(one.sentence, None if one.level is Level.FAIR else False) for one in apart[:_MOST_TROUBLES])
    if now.view is not None and (groups := proposed(now.view, now.state)):
        words = (
            f"Found {groups}, grouped by colour. Use them, or name an army and click the base of one of its soldiers."
        )
        doubt = one_colour_words(now.view)
        ticks = (*ticks, *((Tick(doubt, None),) if doubt else ()))
        return Guide({}, Step.ARMIES, words, "Use them", ready=now.has_inches, ticks=ticks)
    if not armies:
        words = "Put the armies on the table. Name the first, then click the base of one of its soldiers."
    elif len(armies) < now.armies:
        words = (
            "Now the next army: its name, then a click on one of its soldiers. Until it is taught they are taken for"
            " another's."
        )
    else:
        words = "A click on another soldier makes a colour surer; a new name and a click teach one army more."
    return Guide({}, Step.ARMIES, words, "Teach by a click", ready=now.has_inches, ticks=ticks)


def _game(now: Standing) -> Guide:
    words = "Choose one of the five games, and say what each soldier is; or skip this and only measure."
    return Guide({}, Step.GAME, words, "Choose the game…")


def _shot(now: Standing) -> Guide:
    words = "Click a soldier, then one of the other army: the distance and its uncertainty appear on the right."
    return Guide({}, Step.SHOT, words, "Measure")


_SHOWN: dict[Step, Callable[[Standing], Guide]] = {
    Step.CAMERA: _camera,
    Step.MARKERS: _markers,
    Step.EMPTY: _empty,
    Step.ARMIES: _armies,
    Step.GAME: _game,
    Step.SHOT: _shot,
}
