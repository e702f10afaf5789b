"""Keeps a calibration true from frame to frame: a glance at every one, a full look where something was moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.calibration_targets import Fix, Prints, Sight, fix, see, see_again, together
from calibration.camera import Lens, times_full_hd
from calibration.drift import Drift, Verdict, judge, laid_anew, posed, seen_on_table, still_px
from calibration.marker_issue import Trouble
from calibration.marker_tracker import Glance, MarkerTracker, lookout
from calibration.markers import ImageGray
from calibration.scene_texture import Grain
from calibration.solve import Calibration
from rules.table import FloatArray, UserError

FRAMES = 8
"""So many frames at rest are measured together, after the start and after a bump."""

_SELDOM, _OFTEN = 300, 10
"""Frames between looks at the whole picture: while all is well, and at first while a marker is hidden."""

_SWING = 3
"""Frames at rest after which a bump is over: a camera on a boom stands still for a moment as it turns back."""

_NONE_SEEN = "no marker is in sight, so inches rest on where the camera was last seen to be: uncover one"
_SHIFTED = (
    "the camera or the table was moved since the rectangle's corners were clicked, so inches are wrong now:"
    " click them again, or lay a printed marker down"
)
_UNCLEAR = (
    "the markers contradict one another, so nothing tells where the camera is now:"
    " put those that were moved back, or uncover the others"
)


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """The calibration to use for one frame.

    Attributes:
        calibration: None while no marker was ever measured.
        drifts: What was found to have been moved in this frame.
        set_aside: Markers that were seen when it was measured, and left out.
        problem: Why inches are not to be had or not to be trusted now, as a sentence; None when all is well.
    """

    calibration: Calibration | None
    drifts: tuple[Drift, ...] = ()
    set_aside: tuple[Trouble, ...] = ()
    problem: str | None = None


class Keeper:
    """Looks at the frames of one source in order."""

    def __init__(self) -> None:
        self._asked: _Asked | None = None
        self._held: _Held | _Clicked | None = None

    def look(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> Kept:
        """The calibration for this frame (height, width); other prints, lens or size are another table."""
        asked = (prints, lens, gray.shape)
        if asked != self._asked:
            before, self._asked = self._asked, asked
            if self._held is None or before is None or not _is_more_taped(asked, before):
                self._held = None
            else:
                self._held.tape(prints)
        if self._held is None:
            return self._start(gray, prints, lens)
        drifts, problem = self._held.follow(gray)
        return Kept(self._held.calibration, drifts, self._held.set_aside, problem)

    def _start(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> Kept:
        sight = Sight((gray.shape[1], gray.shape[0]), {})
        try:
            if prints.rectangle is not None:
                self._held = _Clicked(gray, prints, lens)
            else:
                sight = see(gray, prints)
                self._held = _Held(gray, fix(sight, prints, lens), prints, lens)
        except UserError as refusal:
            return Kept(None, (), sight.set_aside, str(refusal))
        return Kept(self._held.calibration, (), self._held.set_aside)


_Asked = tuple[Prints, Lens | None, tuple[int, ...]]


def _is_more_taped(now: _Asked, before: _Asked) -> bool:
    return now[0].is_more_taped(before[0]) and now[1] is before[1] and now[2] == before[2]


class _Clicked:
    """A calibration by clicked corners. No marker tells when it stops being true: the picture's own grain does.

    Attributes:
        calibration: As it is.
        set_aside: Nothing: there are no markers.
    """

    def __init__(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> None:
        assert prints.rectangle is not None
        self.calibration = prints.rectangle.calibrate((gray.shape[1], gray.shape[0]), lens)
        self.set_aside: tuple[Trouble, ...] = ()
        self._taped, self._grain = 0, Grain(gray)
        self._since, self._problem = 0, ""
        self.tape(prints)

    def tape(self, prints: Prints) -> None:
        """Take over distances that were measured since."""
        for taped in prints.taped[self._taped :]:
            self.calibration = taped.sharpen(self.calibration)
        self._taped = len(prints.taped)

    def follow(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """As `_Held.follow`: nothing can be found again, but it is said when it must be."""
        self._since += 1
        if self._since >= _OFTEN:
            self._since, self._problem = 0, _SHIFTED if self._grain.has_shifted(gray) else ""
        return (), self._problem or None


class _Held:
    """A calibration that is there, and what is remembered to keep it.

    Attributes:
        calibration: As it is now.
        set_aside: Markers left out of it.
    """

    def __init__(self, gray: ImageGray, start: Fix, prints: Prints, lens: Lens | None) -> None:
        self.calibration = start.calibration
        self.set_aside = start.set_aside
        self._prints, self._lens = prints, lens
        self._scale = times_full_hd(gray.shape)
        self._table = start.calibration  # markers' places, lens and their error, whatever the pose is by now
        self._posed_by: frozenset[int] | None = None  # the markers that the pose rests on, once it was solved again
        self._before = (gray, start.calibration.camera)
        self._sights = [start.sight]
        self._swinging = 0  # frames at rest that are wanted before another bump is told
        self._loose: dict[int, FloatArray] = {}
        self._since, self._unseen, self._patience = 0, 0, _OFTEN
        self._anchor(start.sight)

    def follow(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """What was moved in this frame, and what is wrong with the calibration now."""
        glance = self._lookout.glance(gray)
        self._unseen = 0 if glance.corners_px else self._unseen + 1
        self._since += 1
        if any(shift > self._still_px for shift in glance.shift_px.values()) or self._due(glance):
            self._since = 0
            return self._look(gray)
        if self._unseen:
            return (), _NONE_SEEN
        self._rest(gray)
        return (), None

    def tape(self, prints: Prints) -> None:
        """Take over distances that were measured since."""
        for taped in prints.taped[len(self._prints.taped) :]:
            self.calibration = taped.sharpen(self.calibration)
        self._prints, self._table = prints, self.calibration
        if self._posed_by is not None:
            self._settled(self._sights[0])

    @property
    def _still_px(self) -> float:
        return still_px(self._table, self._scale)

    def _due(self, glance: Glance) -> bool:
        """Whether it is time for a look at the whole picture."""
        if self._loose:
            return True
        if self._unseen:
            return self._since >= min(_OFTEN, 1 + self._unseen // 3)
        if not glance.hidden:
            self._patience = _OFTEN
            return self._since >= _SELDOM
        if self._since < self._patience:
            return False
        self._patience = min(_SELDOM, 2 * self._patience)
        return True

    def _rest(self, gray: ImageGray) -> None:
        """Nothing moves: measure this frame along with the others until there are enough."""
        self._swinging = max(0, self._swinging - 1)
        self._before = (gray, self.calibration.camera)
        if len(self._sights) >= FRAMES:
            return
        self._sights.append(see_again(gray, self._prints, self._sights[0]))
        if len(self._sights) == FRAMES:
            sight = together(self._sights)
            self.calibration = self._from_several(sight)
            self._before = (gray, self.calibration.camera)
            self._anchor(sight)

    def _from_several(self, sight: Sight) -> Calibration:
        if self._posed_by is None:
            again = fix(sight, self._prints, self._lens)
            self._table, self.set_aside = again.calibration, again.set_aside
            return again.calibration
        targets = seen_on_table(self._table, sight, self._prints)
        return posed(self._table, [t for t in targets if self._posed_by >= t.marks.keys()], sight.image_size)

    def _look(self, gray: ImageGray) -> tuple[tuple[Drift, ...], str | None]:
        """Look at the whole picture, and take over what was moved."""
        sight = see(gray, self._prints)
        try:
            verdict = judge(self._table, self.calibration.camera, sight, self._prints, self._before, gray)
        except UserError as refusal:
            return (), str(refusal)
        if verdict is None:
            return (), _UNCLEAR
        drifts = self._take(verdict, sight)
        drifts += self._settle(self._at_rest(verdict.loose), sight)
        return drifts, _NONE_SEEN if not verdict.ids and not verdict.loose else None

    def _take(self, verdict: Verdict, sight: Sight) -> tuple[Drift, ...]:
        """Take over the pose."""
        if verdict.calibration is None or verdict.what is None:
            if not verdict.loose:
                self._anchor(sight)
            return ()
        told, self._swinging = self._swinging > 0, _SWING
        self.calibration, self._posed_by = verdict.calibration, verdict.ids
        self._sights = [sight]
        self._anchor(sight)
        return () if told else (Drift(verdict.what, verdict.shift_px),)

    def _at_rest(self, loose: Mapping[int, FloatArray]) -> dict[int, FloatArray]:
        """Those that lie where the look before saw them; the others are waited for."""
        before, self._loose = self._loose, dict(loose)
        return {
            number: self._loose.pop(number)
            for number, px in loose.items()
            if number in before and float(np.abs(px - before[number]).max()) < self._still_px
        }

    def _settle(self, resting: Mapping[int, FloatArray], sight: Sight) -> tuple[Drift, ...]:
        """Give markers that came to rest their new places."""
        if not resting:
            return ()
        self.calibration, drifts = laid_anew(self.calibration, resting, self._prints)
        self._settled(sight)
        self._anchor(sight)
        return drifts

    def _settled(self, sight: Sight) -> None:
        """The table's places rest on the camera as it is now: measuring them with others again would gain nothing."""
        self._table, self._posed_by = self.calibration, frozenset(self.calibration.markers_in)
        self._sights = [sight] * FRAMES

    def _anchor(self, sight: Sight) -> None:
        """Expect the markers where this sight has them, the others where they should be."""
        places = {n: self.calibration.camera.table_to_pixel(c) for n, c in self.calibration.markers_in.items()}
        for number, seen in sight.corners_px.items():
            if number in places and float(np.abs(seen - places[number]).max()) < 2 * self._still_px:
                places[number] = seen
        self._lookout: MarkerTracker = lookout(places, self._prints.dictionary, sight.image_size)
