"""Stores setups between tables: the markers, and each camera's armies."""

from __future__ import annotations

from collections.abc import Callable

from ui.desktop.settings import Settings
from ui.setup.profiles import camera_identity
from vision.palette import Palette
from vision.setup import Setup


class SavedSetups:
    """Stores the setup of real tables; the simulated table's is not stored."""

    def __init__(self, settings: Settings, identity: Callable[[str], str] = camera_identity) -> None:
        self._settings, self._identity = settings, identity
        self._last = Setup(prints=settings.prints)
        self._kept: tuple[str, Palette] = ("", ())

    def keep(self, spec: str, setup: Setup) -> None:
        """Store the current setup; armies at once, so that they survive a crash."""
        if spec == "demo":
            return
        self._last = setup
        if self._kept != (spec, setup.palette):
            self._kept = (spec, setup.palette)
            if camera := self._identity(spec):
                self._settings.keep_armies(camera, setup.palette)

    def setup_for(self, spec: str) -> Setup:
        """The initial setup for a source: its camera's armies, or those of the last real table."""
        if spec == "demo":
            return Setup()
        camera = self._identity(spec)
        palette = (self._settings.armies(camera) if camera else ()) or self._last.palette
        self._kept = (spec, palette)
        return Setup(prints=self._last.prints.unclicked, palette=palette, propose=True)
