"""Fixtures: offscreen Qt whose warnings and slot errors fail the test, waiting, and the window on a small table."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import gc
import math
import threading
import weakref
from collections.abc import Callable, Generator, Iterable, Iterator
from pathlib import Path

import pytest
from PyQt6.QtCore import QEvent, QSettings, QtMsgType, qInstallMessageHandler
from PyQt6.QtWidgets import QApplication, QWidget

from calibration.camera import TableCamera
from rules.tabletop.table import Figure
from tests.solved import SeenBefore, SolvedBefore
from tests.ui.slot_errors import ERRORS, LIMITS, kept_errors
from tests.ui.stories import Board, Player
from tests.ui.windows import POSTS, TABLE_IN, Open, Owned, Wait, let_qt_work
from ui.desktop.theme import Theme, apply_theme
from ui.desktop.window import Window
from ui.diagnostics import EventLog
from ui.translation import use_language
from vision.figure_search import Sighting
from vision.frame import Frame, ImageBgr
from vision.motion import Box
from vision.palette import Palette
from vision.simulation.scene import Model, Scene, Sculpt, corner_markers
from vision.simulation.simulator import SimulatedTable, overhead_camera
from vision.source import Source

_OF_THE_PLATFORM = tuple(
    f"This plugin does not support {what}" for what in ("propagateSizeHints()", "raise()", "grabbing the keyboard")
)
"""The message of the offscreen platform whenever a window or a menu is shown."""


@pytest.fixture(scope="session", autouse=True)
def frozen_imports() -> Iterator[None]:
    """Exclude all objects loaded so far from garbage collection, which then takes a hundredth of the time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


@pytest.fixture(autouse=True)
def collected_here(frozen_imports: None) -> Iterator[None]:
    """Collect garbage only in the main thread, after each test.

    Python collects in the thread that happens to reach the limit. Widgets that are collected beside Qt's own thread can
    crash it: PyQt walks its table of connections there without its lock.
    """
    gc.disable()
    yield
    gc.collect()
    gc.enable()


_SEEN, _SOLVED = SeenBefore(), SolvedBefore()


@pytest.fixture(autouse=True)
def solved_before(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reuse the calibration of an earlier test if the markers have not moved since, and average no pictures at rest."""
    monkeypatch.setattr("calibration.calibration_tracker.see", _SEEN)
    monkeypatch.setattr("calibration.calibration_targets.solve", _SOLVED)
    monkeypatch.setattr("calibration.calibration_tracker.FRAMES", 1)


@pytest.fixture(scope="session")
def application() -> QApplication:
    own = QApplication.instance() or QApplication(["test"])
    assert isinstance(own, QApplication)
    apply_theme(own, Theme.DARK)
    return own


@pytest.fixture
def qt(application: QApplication, request: pytest.FixtureRequest) -> Iterator[QApplication]:
    """The application. A Qt warning, an error in a slot or a window left open fails the test."""
    complaints: list[str] = []

    def collect(kind: QtMsgType, _context: object, words: str | None) -> None:
        if kind != QtMsgType.QtDebugMsg and words not in _OF_THE_PLATFORM:
            complaints.append(f"{kind.name}: {words}")

    before = qInstallMessageHandler(collect)
    there = _open_widgets(application)
    try:
        with kept_errors():
            yield application
            application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            application.processEvents()
            left = [_named(widget) for widget in _open_widgets(application) - there]
            _delete(_open_widgets(application) - there, application)
    finally:
        qInstallMessageHandler(before)
    assert complaints == []
    # Windows that a failed test left open are deleted, but are not another failure.
    if left and _HAS_FAILED not in request.node.stash:
        pytest.fail(f"left open: {', '.join(left)}; hand it to the fixture `owned`")


_HAS_FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """Raise errors from slots in the test itself, unless it has failed already."""
    try:
        yield
        ERRORS.raise_first()
    except BaseException:
        item.stash[_HAS_FAILED] = True
        raise


@pytest.hookimpl(wrapper=True, optionalhook=True)
def pytest_timeout_set_timer() -> Generator[None, object, object]:
    """Handle time limits that are set within a test too, such as those without fixtures."""
    was_set = yield
    LIMITS.take_over()
    return was_set


def _open_widgets(application: QApplication) -> set[QWidget]:
    """The windows and dialogs without a parent, shown or not."""
    return {widget for widget in application.topLevelWidgets() if widget.parent() is None}


def _named(widget: QWidget) -> str:
    return f"{type(widget).__name__} {widget.windowTitle() or widget.objectName()!r}"


def _delete(widgets: Iterable[QWidget], application: QApplication) -> None:
    for widget in widgets:
        widget.close()
        widget.deleteLater()
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)


@pytest.fixture
def german() -> Iterator[None]:
    """The texts of this test are German."""
    assert use_language(["de"]) == "de"
    yield
    use_language(["en"])


@pytest.fixture
def owned(qt: QApplication) -> Iterator[Owned[QWidget]]:
    """Closes and deletes the given widgets after the test."""
    widgets: list[QWidget] = []

    def own(widget: QWidget) -> QWidget:
        widgets.append(widget)
        return widget

    yield own
    _delete(widgets, qt)


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """Processes Qt events until a condition holds."""
    return let_qt_work


@pytest.fixture(scope="session")
def table() -> SimulatedTable:
    """Four soldiers on felt, at half the usual size; one for all tests, because drawing it takes half a second."""
    models = tuple(Model(name, name.split("-")[0], Sculpt.RIFLEMAN, *at) for name, at in POSTS.items())
    scene = Scene(TABLE_IN, markers=corner_markers(TABLE_IN), models=models)
    return SimulatedTable(scene, overhead_camera((960, 540), TABLE_IN, 40.0))


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch, table: SimulatedTable) -> None:
    """Replace the finder by one that returns a picture's true figures at once; `Finder` has its own tests."""
    shown: dict[int, tuple[Figure, ...]] = {}  # by the id of each picture, while it exists
    read = table.read

    def noted() -> Frame | None:
        frame = read()
        if frame is not None:
            shown[id(frame.image_bgr)] = table.truth.figures
            weakref.finalize(frame.image_bgr, shown.pop, id(frame.image_bgr), None)
        return frame

    def find(
        _: object, image: ImageBgr, camera: TableCamera, palette: Palette, *, within_px: Box | None = None, **__: object
    ) -> tuple[Sighting, ...]:
        armies = {colour.name for colour in palette}
        return tuple(
            Sighting(f.army, f.x_in, f.y_in, f.z_in, 0.03, f.posture, f.base_in, f.facing_deg, 1.0)
            for f in shown.get(id(image), ())
            if f.army in armies and _within(camera, f, within_px)
        )

    monkeypatch.setattr(table, "read", noted)
    monkeypatch.setattr("vision.pipeline.Finder.find", find)
    # Moves in the first moments of a camera are not reported; a test may move a figure sooner than any player.
    monkeypatch.setattr("vision.pipeline.START_S", 0.0)


def _within(camera: TableCamera, figure: Figure, part_px: Box | None) -> bool:
    left, top, right, bottom = part_px or (-math.inf, -math.inf, math.inf, math.inf)
    u, v = camera.table_to_pixel((*figure.centre_in, figure.z_in))[0]
    return bool(left <= u < right and top <= v < bottom)


@pytest.fixture
def open_window(qt: QApplication, table: SimulatedTable, tmp_path: Path, wait_until: Wait) -> Iterator[Open]:
    windows: list[Window] = []

    def start(
        spec: str | None = "demo", opener: Callable[[str], Source] = lambda _: table, event_log: EventLog | None = None
    ) -> Window:
        kept = QSettings(str(tmp_path / "settings.ini"), QSettings.Format.IniFormat)
        folders = {"tables": tmp_path / "tables", "battles": tmp_path / "battles"}
        windows.append(Window(spec, kept, opener, event_log=event_log, **folders))
        windows[-1].resize(1000, 640)
        windows[-1].show()
        return windows[-1]

    yield start
    for window in windows:
        window.close()
        window.deleteLater()
    table.bare = False  # the table is one for all tests, and a guide may have cleared it
    # Abandoned tasks may take another moment.
    wait_until(lambda: not any(thread.name.startswith("sandtable") for thread in threading.enumerate()))


@pytest.fixture
def player(table: Board, window: Window, wait_until: Wait) -> Player:
    """A player at the module's own table, a `Board`."""
    return Player(window, table, wait_until)


@pytest.fixture
def window(found: None, open_window: Open, wait_until: Wait) -> Window:
    """The window once it shows all four soldiers."""
    opened = open_window()
    wait_until(lambda: opened.store.view and len(opened.store.view.figures) == len(POSTS))
    return opened
