"""Random sessions of a new user: real widgets, real vision, and checks of what a player sees."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from PyQt6.QtCore import QCoreApplication, QEvent, QSettings, Qt
from PyQt6.QtGui import QImage
from PyQt6.QtTest import QTest
from PyQt6.QtWidgets import QApplication, QComboBox, QListWidget, QPushButton

from calibration.opencv import cv2
from rules.tabletop.table import Figure, PointIn
from tests.ui.stories import Player, answering, press, set_up
from tests.ui.windows import LEFT, TABLE_IN, let_qt_work
from tests.waiting import TookTooLong, until
from ui.desktop.picture.image import to_bgr
from ui.desktop.window import Window
from ui.phone.addresses import LOOPBACK
from ui.session import PointPx
from vision.frame import Frame
from vision.simulation.practice_table import PracticeTable
from vision.simulation.projector import SimulatedProjector, hung_projector
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import overhead_camera
from vision.simulation.surface import Surface
from vision.source import Source, open_source

CAMERA = "0"
SHIFT = Qt.KeyboardModifier.ShiftModifier
SOLDIERS = {
    "green-1": (7.0, 7.0),
    "green-2": (7.0, 13.0),
    "green-3": (11.0, 10.0),
    "tan-1": (23.0, 7.0),
    "tan-2": (23.0, 13.0),
    "tan-3": (19.0, 10.0),
}
PLACES_IN = (*SOLDIERS.values(), (15.0, 5.0), (15.0, 15.5), (11.0, 15.0), (19.0, 5.0))
"""Places for a soldier, at least 4.4 in apart."""

NEAR_IN = 0.4
"""Allowed difference between the simulated table and vision."""

OLD_S = 2.0
"""A picture older than this no longer shows the current table."""

PATIENCE_S = 30.0
"""Each step takes one or two seconds on a quiet machine."""

CLICKS = 5
"""In one noisy picture of twenty the colour of a soldier runs into the table, so a player may have to click again."""

EXAMPLES = "SANDTABLE_STORIES"
"""Environment variable: how many random sessions to play instead of the fixed ones."""

BRIGHTNESS = 4.0
"""The light of the projector over the table, in lamps."""

soldiers = st.sampled_from(sorted(SOLDIERS))


def army_of(soldier: str) -> str:
    return soldier.split("-")[0]


class Camera:
    """A camera over the simulated table; the window does not know that the table is simulated."""

    name, live, still = "camera 0", True, False

    def __init__(self, table: PracticeTable) -> None:
        self._table, self._reading = table, threading.Lock()
        self.newest_s = 0.0

    def read(self) -> Frame | None:
        with self._reading:  # after a change of source, the previous thread may still read
            frame = self._table.read()
        if frame is not None:
            self.newest_s = frame.time_s
        return frame

    def close(self) -> None:
        pass


class ListVoice:
    """A voice that writes to a list at once."""

    busy, problem = False, ""

    def __init__(self) -> None:
        self.spoken: list[str] = []

    def speak(self, words: str) -> None:
        self.spoken.append(words)

    def close(self) -> None:
        pass


@pytest.fixture(autouse=True)
def voice(monkeypatch: pytest.MonkeyPatch) -> ListVoice:
    """The only voice of this computer."""
    voice = ListVoice()
    monkeypatch.setattr("ui.desktop.voice.find_command", lambda _: None)
    monkeypatch.setattr("ui.desktop.voice.load_qt_speech", lambda: voice)
    monkeypatch.setattr("ui.desktop.voice.qt_speaker", lambda found, _: found)
    return voice


@dataclass(frozen=True)
class Known:
    """The player's work at a step of the history.

    Attributes:
        taught: The armies.
        rulers: The soldiers at the ends of each, in order.
    """

    taught: frozenset[str] = frozenset()
    rulers: tuple[tuple[str, str], ...] = ()


@dataclass
class History:
    """The steps of Undo and Redo."""

    steps: list[Known] = field(default_factory=lambda: [Known()])
    at: int = 0

    @property
    def now(self) -> Known:
        return self.steps[self.at]

    def add(self, known: Known) -> None:
        self.steps[self.at + 1 :] = [known]
        self.at += 1


class PlayerSession(RuleBasedStateMachine):
    """A player with a table, a camera and the program; after each step the window must show the true table."""

    def __init__(self, folder: Path, voice: ListVoice) -> None:
        super().__init__()
        self.folder, self.voice = folder, voice
        self.paused_s = 0.0
        self.lamp = True  # of the projector over the table
        self.told: list[str] = []
        self.history = History()
        self.ids: dict[str, str] = {}
        self.windows: list[Window] = []

    # The player's actions

    @initialize()
    def sit_down(self) -> None:
        """Put the soldiers on the table and open the program for the first time."""
        models = (
            Model(
                name, army_of(name), Sculpt.OFFICER if name.endswith("2") else Sculpt.RIFLEMAN, *at, facing_deg=40.0 * n
            )
            for n, (name, at) in enumerate(SOLDIERS.items())
        )
        scene = Scene(TABLE_IN, Surface.FELT, markers=corner_markers(TABLE_IN), models=tuple(models))
        self.thrown: QImage | None = None
        self.table = PracticeTable(scene, overhead_camera((960, 540), TABLE_IN, 40.0), clock=time.monotonic)
        self.camera = Camera(self.table)
        self.open_program()
        self.check("open the program")

    @rule(soldier=soldiers)
    def teach(self, soldier: str) -> None:
        """Teach the army of a soldier by a click on it."""
        army, before = army_of(soldier), self.player.undo_words()[0]
        self.player.key(Qt.Key.Key_Escape)
        self.player.key(Qt.Key.Key_Escape)
        self.player.key(Qt.Key.Key_T)
        [name] = [box for box in self.window.panel.findChildren(QComboBox) if box.accessibleName() == "Army to teach"]
        line = name.lineEdit()
        line.selectAll()
        QTest.keyClicks(line, army)
        answers = []
        for _ in range(CLICKS):
            self.click(soldier)
            if self.offers(f"Teach {army}"):  # shade may make a soldier look different from the taught one
                press(self.window.bar, f"Teach {army}")
            answers.append(self.window.bar.text)
            if "is taught" in answers[-1]:
                break
            self.pictures(1)
        else:
            self.fault(f"teach {army} by {soldier}", [f"{CLICKS} clicks on {soldier} were refused: {answers}"])
        assert self.player.undo_words()[0] != before or before == f"Undo teach {army}"
        self.history.add(Known(self.history.now.taught | {army}, self.history.now.rulers))
        self.check(f"teach {army} by a click on {soldier}")

    @property
    def proposes_armies(self) -> bool:
        """Whether armies found by colour wait for the player's consent."""
        button = self.window.panel.groups_button
        return button.isVisible() and button.text() == "Use them"

    @precondition(lambda self: self.proposes_armies)
    @rule()
    def use_proposed_armies(self) -> None:
        """Use the armies found by colour."""
        press(self.window.panel, "Use them")
        self.history.add(Known(frozenset(map(army_of, SOLDIERS)), self.history.now.rulers))
        self.check("use the armies found by colour")

    @rule(count=st.integers(1, 12))
    def wait(self, count: int) -> None:
        """Wait."""
        self.pictures(count)
        self.check(f"wait for {count} pictures")

    @precondition(lambda self: self.history.at > 0)
    @rule()
    def undo(self) -> None:
        """Undo the last step."""
        words = self.player.undo_words()[0]
        self.player.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        self.history.at -= 1
        self.check(words)

    @precondition(lambda self: self.history.at < len(self.history.steps) - 1)
    @rule()
    def redo(self) -> None:
        """Redo it."""
        words = self.player.undo_words()[1]
        self.player.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
        self.history.at += 1
        self.check(words)

    @rule()
    def learn_empty_table(self) -> None:
        """Remove all soldiers, learn the empty table, and put all soldiers back."""
        self.table.bare = True
        self.pictures(3)
        self.window.store.learn_empty_table()
        self.history.add(self.history.now)
        self.table.bare = False
        self.check("take all soldiers off, learn the empty table, put the soldiers back")

    @precondition(lambda self: self.history.now.taught)
    @rule()
    def open_another_picture(self) -> None:
        """Open a photo of the table, then the camera again."""
        path = self.folder / "table.png"
        frame = self.window.store.frame
        cv2.imwrite(str(path), frame.image_bgr)
        self.open_source(str(path))
        self.wait_for(self.shows_figures, "open a photograph of the table", "no soldier is found in the photograph")
        self.open_source(CAMERA)
        self.come_back()
        self.check("open a photograph, then the camera again")

    @precondition(lambda self: self.history.now.taught)
    @rule(pair=st.lists(soldiers, min_size=2, max_size=2, unique=True))
    def measure(self, pair: list[str]) -> None:
        """Lay a ruler between two visible soldiers."""
        a, b = (name if name in self.ids else min(self.ids) for name in pair)
        if a == b:
            return
        self.player.key(Qt.Key.Key_M)
        for name in (a, b):
            self.click(name)
        now = self.history.now
        if (a, b) not in now.rulers:
            self.history.add(Known(now.taught, (*now.rulers, (a, b))))
        self.check(f"measure from {a} to {b}")

    @precondition(lambda self: self.history.now.taught)
    @rule(soldier=soldiers, place=st.integers(0, len(PLACES_IN) - 1))
    def carry(self, soldier: str, place: int) -> None:
        """Carry a soldier by hand to a free place."""
        standing = [self.place_in(name) for name in SOLDIERS]
        free = [one for one in PLACES_IN if all(math.dist(one, other) > 3 for other in standing)]
        to_in = free[place % len(free)]
        self.table.change(lambda now, time_s: now.pick_up(soldier, time_s))
        self.pass_time(0.5)
        self.table.change(lambda now, _: now.carry(to_in))
        self.pass_time(0.3)
        self.table.change(lambda now, time_s: now.put_down(time_s))
        self.pass_time(0.8)
        self.check(f"carry {soldier} to ({to_in[0]:g}, {to_in[1]:g})", moved=[soldier])

    @precondition(lambda self: len(self.history.now.taught) < 2 and self.window.battle.play is None)
    @precondition(lambda self: not self.proposes_armies)
    @rule()
    def start_battle_too_early(self) -> None:
        """Start a battle before both armies are taught, and while none are proposed: no dialog may open."""
        with answering():
            self.player.key(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
        if "needs two armies" not in self.window.bar.text:
            self.fault("start a battle too early", ["The message bar does not say what a battle needs."])
        self.check("start a battle too early")

    @precondition(lambda self: len(self.history.now.taught) == 2 and self.window.battle.play is None)
    @rule()
    def start_battle(self) -> None:
        """Start a battle with the dialog's defaults, and return to the Table tab."""
        before = self.player.undo_words()[0]
        self.player.key(Qt.Key.Key_N, Qt.KeyboardModifier.ControlModifier)
        set_up(self.window, "")
        if self.window.battle.play is None:
            self.fault("start a battle with the defaults", [f"It was refused: {self.window.bar.text!r}"])
        sides = self.window.sides
        QTest.mouseClick(sides.tabBar(), LEFT, pos=sides.tabBar().tabRect(sides.indexOf(self.window.panel)).center())
        if self.player.undo_words()[0] != before:  # distances are measured as the game does
            self.history.add(self.history.now)
        self.check("start a battle with the defaults")

    @precondition(lambda self: self.history.now.taught)
    @rule(soldier=soldiers, keep=st.booleans())
    def show_sight_fan(self, soldier: str, keep: bool) -> None:
        """Show what a visible soldier sees; the fan may stay while other things happen."""
        name = soldier if soldier in self.ids else min(self.ids)
        step = f"show the sight fan of {name}"
        self.player.key(Qt.Key.Key_S, SHIFT)
        self.click(name)
        self.wait_for(
            lambda: self.window.panel.headline.text().endswith("in sight"), step, "the panel does not say what it sees"
        )
        if not keep:
            self.player.key(Qt.Key.Key_Escape)
            self.player.key(Qt.Key.Key_Escape)
        self.check(step)

    @rule()
    def switch_danger_area(self) -> None:
        """Switch the danger area on or off; without a battle it says what it needs."""
        danger = self.window.features.sight_areas.danger
        was_on = danger.isChecked()
        self.player.key(Qt.Key.Key_D, SHIFT)
        playing = self.window.battle.play is not None
        if danger.isChecked() != (playing and not was_on):
            self.fault("switch the danger area", [f"It is {'on' if danger.isChecked() else 'off'}."])
        if not playing and "Start a battle first" not in self.window.bar.text:
            self.fault("switch the danger area", ["The message bar does not say that it needs a battle."])
        self.check("switch the danger area")

    @rule(lit=st.booleans())
    def align_projector(self, lit: bool) -> None:
        """Align a projector that hangs over the table, or one whose lamp is off; then it paints until it is closed."""
        projector = self.window.features.projector
        self.lamp = lit
        self.player.key(Qt.Key.Key_J, SHIFT)
        step = f"align the projector, its lamp {'on' if lit else 'off'}"
        self.wait_for(lambda: projector.alignment, step, "it does not begin")
        self.wait_for(lambda: not projector.alignment, step, "it does not end")
        if (projector.light is not None) != lit:
            self.fault(step, [f"The projector is {'not ' * (projector.light is None)}aligned: {projector.offer[0]}"])
        if not lit:
            self.player.key(Qt.Key.Key_J)
        self.check(step)

    @rule()
    def close_projector(self) -> None:
        """Close the projector's window, or cancel in the middle of an alignment."""
        projector = self.window.features.projector
        if not projector.switch.isChecked():
            self.player.key(Qt.Key.Key_J, SHIFT)
            self.pictures(2)
        self.player.key(Qt.Key.Key_J)
        if projector.alignment or projector.screen.isVisible():
            self.fault("close the projector", ["It is still open."])
        self.check("close the projector")

    @rule()
    def switch_speech(self) -> None:
        """Switch speech on or off in the menu; the voice is a list."""
        voice = self.window.features.voice
        voice.switch.trigger()
        if voice.switch.isChecked():
            self.wait_for(lambda: "Speech is on." in self.voice.spoken, "switch speech on", "nothing is heard")
            self.voice.spoken.clear()
        self.check(f"switch speech {'on' if voice.switch.isChecked() else 'off'}")

    @rule()
    def switch_phone_page(self) -> None:
        """Start the phone page on this computer alone, or stop it."""
        phone = self.window.features.phone
        phone.addresses = lambda: (LOOPBACK,)
        phone.action.trigger()
        dialog, before = phone.dialog, phone.server
        press(dialog, "Stop page" if before is not None else "Start page")
        if (phone.server is None) != (before is not None):
            self.fault("switch the phone page", [f"It did not: {self.window.bar.text!r}"])
        dialog.close()
        self.check(f"switch the phone page {'off' if before is not None else 'on'}")

    @rule()
    def look_at_film_dialog(self) -> None:
        """Open the dialog that films the battle, and cancel it; without a battle there is none."""
        history = self.window.features.history
        history.save_film()
        if (history.film is None) != (self.window.battle.play is None):
            self.fault("open the film dialog", [f"The message bar says {self.window.bar.text!r}."])
        if history.film is not None:
            press(history.film, "Cancel")
        self.check("open the film dialog and cancel it")

    @rule()
    def close_and_open_again(self) -> None:
        """Close the window and start the program again."""
        self.close_program()
        self.open_program()
        self.come_back()
        self.check("close the window and open it again")

    # The checks

    def check(self, step: str, moved: Iterable[str] = ()) -> None:
        """Check the window as soon as the program has processed the table after the step."""
        since_s, before = self.camera.newest_s, self.ids
        for name in moved:
            before = {known: one for known, one in before.items() if known != name}
        try:
            until(lambda: not self.faults(since_s, before), lambda: self.tick(step), PATIENCE_S)
        except TookTooLong:
            self.fault(step, self.faults(since_s, before))
        self.told.append(step)
        self.ids = {name: one.id for name in self.expected if (one := self.seen(name)) is not None}

    @property
    def expected(self) -> list[str]:
        """The soldiers whose army is taught."""
        return [name for name in SOLDIERS if army_of(name) in self.history.now.taught]

    def faults(self, since_s: float, before: dict[str, str]) -> list[str]:
        """The faults that a player would see."""
        view, source_controller = self.window.store.view, self.window.store.source_controller
        if view is None or view.calibration is None or view.frame.time_s <= since_s:
            return [f"No newer picture of the table was looked at. {source_controller.problem}"]
        if view.waiting is not None:
            return [f"The program waits for the {view.waiting} although nothing moves on the table."]
        found = [f"The program complains: {source_controller.problem}"] if source_controller.problem else []
        for name in self.expected:
            one, x, y = self.seen(name), *self.place_in(name)
            if one is None:
                found.append(f"The {army_of(name)} soldier at ({x:g}, {y:g}) is not seen.")
            elif one.army != army_of(name):
                found.append(f"The {army_of(name)} soldier at ({x:g}, {y:g}) is seen as {one.id}.")
            elif before.get(name, one.id) != one.id:
                found.append(f"The soldier at ({x:g}, {y:g}) was {before[name]} and is {one.id}; nobody moved it.")
        return found + self.lost()

    def lost(self) -> list[str]:
        """Rulers and armies of the player that are missing, or present although undone."""
        now, state = self.history.now, self.window.store.session.state
        found = []
        armies = {colour.name for colour in state.setup.palette}
        if armies != now.taught:
            found.append(f"Taught are {sorted(now.taught)}, the program knows {sorted(armies)}.")
        [laid] = [
            one for one in self.window.panel.findChildren(QListWidget) if one.accessibleName() == "Rulers and templates"
        ]
        if len(state.rulers) != len(now.rulers) or laid.count() != len(now.rulers):
            listed = [laid.item(row).text() for row in range(laid.count())]
            found.append(f"Rulers lie between {list(now.rulers)}; the program lists {listed}.")
        for ruler, ends in zip(state.rulers, now.rulers, strict=False):
            for end, name in zip((ruler.a, ruler.b), ends, strict=True):
                one = self.seen(name)
                if army_of(name) in now.taught and one is not None and end != one.id:
                    found.append(f"The ruler between {' and '.join(ends)} ends at {end}; {name} is {one.id} here.")
        return found

    def fault(self, step: str, faults: list[str]) -> None:
        """Fail with a report of all steps."""
        view = self.window.store.view
        seen = [f"{one.id} at ({one.x_in:.1f}, {one.y_in:.1f})" for one in view.figures] if view is not None else []
        truth = [f"{name} at ({x:g}, {y:g})" for name in SOLDIERS for x, y in [self.place_in(name)]]
        steps = [f"  {n}. {words}" for n, words in enumerate((*self.told, step), 1)]
        rows = [
            "What is wrong:",
            *(f"  {words}" for words in faults),
            "Steps to reproduce:",
            *steps,
            f"On the table: {', '.join(truth)}",
            f"Seen: {', '.join(seen)}",
            f"Message bar: {self.player.bar!r}   status: {self.player.status!r}",
        ]
        pytest.fail("\n".join(rows), pytrace=False)

    # Helpers

    @property
    def window(self) -> Window:
        return self.windows[-1]

    def opener(self, spec: str) -> Source:
        return self.camera if spec == CAMERA else open_source(spec)

    def open_program(self) -> None:
        kept = QSettings(str(self.folder / "settings.ini"), QSettings.Format.IniFormat)
        self.windows.append(
            Window(CAMERA, kept, self.opener, tables=self.folder / "tables", battles=self.folder / "battles")
        )
        self.window.resize(1000, 640)
        self.window.show()
        self.player = Player(self.window, None, let_qt_work)  # type: ignore[arg-type] # it carries nobody
        self.wait_for(self.has_inches, "open the program", "no picture with inches came")

    def close_program(self) -> None:
        window = self.windows.pop()
        window.close()
        window.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        let_qt_work(lambda: not any(thread.name.startswith("sandtable") for thread in threading.enumerate()))

    def open_source(self, spec: str) -> None:
        self.window.store.open(spec)
        self.wait_for(lambda: self.window.store.source_controller.spec == spec, f"open {spec}", "it does not open")

    def come_back(self) -> None:
        """Open the table again; "Restore table" brings the rulers back."""
        known = self.history.now
        self.history = History([Known(known.taught)])
        self.wait_for(self.has_inches, "open the camera again", "no picture with inches came")
        if not known.taught:
            self.ids = {}
            return
        self.wait_for(lambda: self.offers("Restore table"), "open the camera again", "the table is not offered")
        press(self.window.bar, "Restore table")
        self.history.add(known)

    def offers(self, words: str) -> bool:
        return any(one.isVisible() and one.text() == words for one in self.window.bar.findChildren(QPushButton))

    def has_inches(self) -> bool:
        view = self.window.store.view
        return view is not None and view.calibration is not None

    def shows_figures(self) -> bool:
        view = self.window.store.view
        return view is not None and len(view.figures) > 0

    def place_in(self, name: str) -> PointIn:
        """The true position of a soldier."""
        model = self.table.now.model(name)
        return (model.x_in, model.y_in)

    def pixel_of(self, name: str) -> PointPx:
        """The true pixel of a soldier's base. The program's inches have a different origin."""
        u, v = self.table.camera.table_to_pixel(self.place_in(name))[0]
        return (float(u), float(v))

    def click(self, name: str) -> None:
        QTest.mouseClick(self.window.picture, LEFT, pos=self.window.picture.to_widget(self.pixel_of(name)).toPoint())

    def seen(self, name: str) -> Figure | None:
        """The figure at the true position of a soldier."""
        view, at_px = self.window.store.view, self.pixel_of(name)
        if view is None or view.calibration is None:
            return None
        near_px = NEAR_IN * float(self.table.camera.px_per_inch(*self.place_in(name)))
        camera = view.calibration.camera
        found = [(math.dist(camera.table_to_pixel((*one.centre_in, one.z_in))[0], at_px), one) for one in view.figures]
        away_px, nearest = min(found, key=lambda pair: pair[0], default=(math.inf, None))
        return nearest if away_px < near_px else None

    def tick(self, step: str) -> None:
        """Let the window work for a moment; it must show a new picture."""
        QCoreApplication.processEvents()
        self.throw_light()
        source_controller = self.window.store.source_controller
        if source_controller.spec == CAMERA and source_controller.frame is not None:
            if self.window.features.projector.alignment:  # vision pauses
                self.paused_s = self.camera.newest_s
            age_s = self.camera.newest_s - max(source_controller.frame.time_s, self.paused_s)
            if age_s > OLD_S:
                self.fault(step, [f"The picture is {age_s:.1f} s older than the camera's newest."])

    def throw_light(self) -> None:
        """Throw what the projector's window shows on the table; its unaligned map stays dark."""
        screen = self.window.features.projector.screen
        light = screen.light if self.lamp and screen.isVisible() else None
        if light is None:
            self.table.projector = self.thrown = None
        elif light is not self.thrown:
            if self.table.projector is None:
                model = hung_projector(screen.size_px, TABLE_IN)
                self.table.projector = SimulatedProjector(model, TABLE_IN, brightness=BRIGHTNESS)
            self.table.projector.picture, self.thrown = to_bgr(light), light

    def wait_for(self, condition: Callable[[], object], step: str, wrong: str) -> None:
        try:
            until(condition, lambda: self.tick(step), PATIENCE_S)
        except TookTooLong:
            self.fault(step, [f"{wrong}. {self.window.store.source_controller.problem}"])

    def pictures(self, count: int) -> None:
        """Wait until this many more pictures are shown."""
        for _ in range(count):
            before = self.window.store.frame
            self.wait_for(lambda before=before: self.window.store.frame is not before, "wait", "no picture came")

    def pass_time(self, time_s: float) -> None:
        until_s = self.table.time_s + time_s
        self.wait_for(lambda: self.camera.newest_s > until_s, "wait", "no picture came")

    def teardown(self) -> None:
        while self.windows:
            self.close_program()


@pytest.mark.slow
def test_the_second_army_takes_its_soldiers_from_the_first(
    qt: QApplication, tmp_path: Path, request: pytest.FixtureRequest, voice: ListVoice
) -> None:
    session = PlayerSession(tmp_path, voice)
    request.addfinalizer(session.teardown)
    session.sit_down()
    session.teach("tan-1")  # until another army is known, all soldiers count as tan
    session.wait(9)
    session.teach("green-1")
    session.carry("green-1", 1)
    session.measure(["green-1", "tan-2"])
    session.undo()
    session.redo()


@pytest.mark.slow
@pytest.mark.timeout(3600)
def test_the_table_is_shown_correctly_after_every_random_step(
    qt: QApplication, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, voice: ListVoice
) -> None:
    monkeypatch.setattr("ui.desktop.battle.files.data_folder", lambda _: tmp_path_factory.getbasetemp() / "armies")
    more = os.environ.get(EXAMPLES)
    run_state_machine_as_test(
        lambda: PlayerSession(tmp_path_factory.mktemp("evening"), voice),
        settings=settings(
            max_examples=int(more or 2),
            stateful_step_count=8,
            derandomize=more is None,
            database=None,
            deadline=None,
            report_multiple_bugs=False,
            phases=(Phase.generate,),  # shrinking a session would take an hour
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.slow
def test_projector_fan_speech_and_phone_page_work_beside_each_other(
    qt: QApplication, tmp_path: Path, request: pytest.FixtureRequest, voice: ListVoice
) -> None:
    session = PlayerSession(tmp_path, voice)
    request.addfinalizer(session.teardown)
    session.sit_down()
    session.switch_danger_area()
    session.teach("green-1")
    session.teach("tan-1")
    session.switch_speech()
    session.align_projector(lit=True)
    session.measure(["green-1", "tan-1"])
    session.switch_phone_page()
    session.start_battle()
    session.switch_danger_area()
    session.look_at_film_dialog()
    session.show_sight_fan("tan-2", keep=True)
    session.carry("green-2", 1)
    session.align_projector(lit=False)
    session.close_and_open_again()
    session.close_projector()
