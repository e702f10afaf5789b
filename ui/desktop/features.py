"""The features of the window beside the battle and the devices, each with its tool, panel, tab or menu."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from ui.desktop.battle.battle_controller import BattleController
from ui.desktop.battle.files import BattleFiles
from ui.desktop.battle.history_controller import HistoryController
from ui.desktop.battle.keys import BattleKeys
from ui.desktop.frozen_frame import FrozenFrame
from ui.desktop.messages import MessageActions
from ui.desktop.parts import Parts
from ui.desktop.phone import PhoneController
from ui.desktop.printing import PrintController
from ui.desktop.projector import ProjectorController
from ui.desktop.saving import BackgroundSave
from ui.desktop.setup.calibration_controller import CalibrationController
from ui.desktop.setup.table_controller import TableController
from ui.desktop.sight_areas import SightAreas
from ui.desktop.store import Store
from ui.desktop.table.armies import GroupsController, TeachTool
from ui.desktop.table.correct_tool import CorrectTool
from ui.desktop.table.practice_controller import PracticeController
from ui.desktop.table.table_questions import EmptyTableController, MoveQuestions
from ui.desktop.table.terrain_controller import TerrainController
from ui.desktop.voice import VoiceController
from ui.files import data_folder
from ui.setup.saved_table_store import SavedTables


class Asking(Protocol):
    """A feature that asks the player something."""

    @property
    def offer(self) -> tuple[str, MessageActions]:
        """The question and its answers; empty if there is none."""


class Features:
    """The features, in the order in which they add tools and tabs."""

    def __init__(
        self, parts: Parts, store: Store, battle: BattleController, tables: Path | None, battles: Path | None
    ) -> None:
        """Create the features; `tables` and `battles` are the folders of saved tables and battles, None the user's."""
        window, picture, panel, settings = parts.window, parts.picture, parts.panel, parts.settings
        saving = self.saving = BackgroundSave(window, store.say)
        self.terrain = TerrainController(picture, parts.sides, store)
        self.groups = GroupsController(panel, store, parts.display.read)
        self.corrections = CorrectTool(picture, store, self.groups.split_off)
        battle.panel.posture_said.connect(self.corrections.set_posture)
        self.teaching = TeachTool(panel, parts.sides, store)
        self.sight_areas = SightAreas(window, store)
        for tool in (self.terrain.tool, self.corrections, self.teaching, self.sight_areas.tool):
            store.tools.add(tool)
        self.moves, self.empty = MoveQuestions(store), EmptyTableController(store)
        folder = battles or data_folder("battles")
        self.files = BattleFiles(window, picture, battle, store, settings, folder, self.groups.accept)
        self.history = HistoryController(window, battle, store, saving)
        self.keys = BattleKeys(window, battle, store)
        saved_tables = SavedTables(tables or data_folder("tables"))
        self.tables = TableController(window, store, saved_tables, saving)
        self.frozen_frame = FrozenFrame(window, store, saving)
        self.practice = PracticeController(window, picture, store)
        self.calibration = CalibrationController(window, store, settings, battle.drifted)
        self.prints = PrintController(window, settings, saving)
        self.voice = VoiceController(parts, store, battle)
        self.phone = PhoneController(parts, store, battle)
        self.projector = ProjectorController(window, store, parts.display.menu)

    @property
    def asking(self) -> tuple[Asking, ...]:
        """Those that may ask the player something, the most urgent first."""
        return (
            self.projector,
            self.teaching,
            self.corrections,
            self.moves,
            self.empty,
            self.tables,
            self.files,
            self.groups,
        )

    def pull(self) -> bool:
        """Take what was done in the background; return whether the picture must be drawn again."""
        self.tables.pull()
        self.history.pull()
        self.empty.pull()
        self.voice.pull()
        self.projector.pull()
        self.practice.pull()
        self.terrain.tool.pull()
        has_area = self.sight_areas.pull()
        return self.teaching.pull() or has_area

    def follow_table(self) -> None:
        self.calibration.pull()
        self.moves.pull()
        self.files.follow_table()

    def close(self) -> None:
        """Stop all work in the background."""
        for feature in (
            self.teaching,
            self.sight_areas,
            self.empty,
            self.saving,
            self.files,
            self.tables,
            self.history,
            self.voice,
            self.phone,
            self.projector,
        ):
            feature.close()
