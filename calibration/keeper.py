"""Keeps a calibration true from frame to frame: a glance at every one, a full look where something was moved."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from calibration.camera import Lens
from calibration.drift import Drift, Verdict, judge, laid_anew, posed, seen_on_table, still_px
from calibration.markers import ImageGray
from calibration.prints import Fix, Prints, Sight, fix, see, see_again, together
from calibration.solve import Calibration
from calibration.trouble import Trouble
from calibration.watch import Glance, Lookout, lookout
from rules.table import FloatArray, Refused

FRAMES = 8
"""So many frames at rest are measured together, after the start and after a bump."""

_SELDOM, _OFTEN = 300, 10
"""Frames between looks at the whole picture: while all is well, and at first while a marker is hidden."""

_SWING = 3
"""Frames at rest after which a bump is over: a camera on a boom stands still for a moment as it turns back."""

_NONE_SEEN = "no marker is in sight, so inches rest on where the camera was last seen to be: uncover one"
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
        self._asked: tuple[Prints, Lens | None, tuple[int, ...]] | None = None
        self._held: _Held | None = None

    def look(self, gray: ImageGray, prints: Prints, lens: Lens | None) -> Kept:
        """The calibration for this frame (height, width); other prints, lens or size are another table."""
        asked = (prints, lens, gray.shape)
        if asked != self._asked:
            self._asked, self._held = asked, None
        if self._held is None:
            sight = see(gray, prints)
            try:
                start = fix(sight, prints, lens)
            except Refused as refusal:
                return Kept(None, (), sight.set_aside, str(refusal))
            self._held = _Held(gray, start, prints, lens)
            return Kept(start.calibration, (), start.set_aside)
        drifts, problem = self._held.follow(gray)
        return Kept(self._held.calibration, drifts, self._held.set_aside, problem)


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
        self._scale = max(gray.shape) / 1920
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
        except Refused as refusal:
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
        self._table, self._posed_by = self.calibration, frozenset(self.calibration.markers_in)
        self._sights = [sight] * FRAMES  # what lies elsewhere now was measured with the camera: no more to gain
        self._anchor(sight)
        return drifts

    def _anchor(self, sight: Sight) -> None:
        """Expect the markers where this sight has them, the others where they should be."""
        places = {n: self.calibration.camera.table_to_pixel(c) for n, c in self.calibration.markers_in.items()}
        for number, seen in sight.corners_px.items():
            if number in places and float(np.abs(seen - places[number]).max()) < 2 * self._still_px:
                places[number] = seen
        self._lookout: Lookout = lookout(places, self._prints.dictionary, sight.image_size)
