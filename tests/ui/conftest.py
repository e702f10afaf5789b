"""A screenless Qt whose warnings fail the test, and the time to wait for threads."""

import os

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import time
from collections.abc import Callable, Iterator

import pytest
from PyQt6.QtCore import QCoreApplication, QEvent, QtMsgType, qInstallMessageHandler
from PyQt6.QtWidgets import QApplication

_OF_THE_PLATFORM = ("This plugin does not support propagateSizeHints()",)
"""What the screenless platform says of itself whenever a window is shown."""


@pytest.fixture(scope="session")
def application() -> QApplication:
    own = QApplication.instance() or QApplication(["test"])
    assert isinstance(own, QApplication)
    return own


@pytest.fixture
def qt(application: QApplication) -> Iterator[QApplication]:
    """The application; whatever Qt complains of until the end of the test fails it."""
    complaints: list[str] = []

    def collect(kind: QtMsgType, _context: object, words: str | None) -> None:
        if kind != QtMsgType.QtDebugMsg and words not in _OF_THE_PLATFORM:
            complaints.append(f"{kind.name}: {words}")

    before = qInstallMessageHandler(collect)
    yield application
    application.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    application.processEvents()
    qInstallMessageHandler(before)
    assert complaints == []


@pytest.fixture
def wait_until() -> Callable[..., None]:
    """Lets Qt work until a condition holds."""

    def wait(condition: Callable[[], object], timeout_s: float = 20.0) -> None:
        until_s = time.monotonic() + timeout_s
        while not condition():
            assert time.monotonic() < until_s, "waited in vain"
            QCoreApplication.processEvents()
            time.sleep(0.002)

    return wait
