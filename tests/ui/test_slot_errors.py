"""An error in a slot fails the test, and a time limit ends a test without ending the run."""

import signal
import sys

import pytest
from PyQt6.QtCore import QTimer
from PyQt6.QtWidgets import QDialog, QMenu

from tests.ui.slot_errors import ERRORS
from tests.ui.windows import Owned, Wait

pytestmark = pytest.mark.usefixtures("qt")
has_alarm = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGALRM")


def never() -> bool:
    return False


def fail() -> None:
    raise ZeroDivisionError("in a slot")


def test_slot_errors_are_raised_where_the_test_waits(wait_until: Wait) -> None:
    QTimer.singleShot(0, fail)
    with pytest.raises(ZeroDivisionError, match="in a slot"):
        wait_until(never)


def test_all_slot_errors_of_a_test_are_reported(wait_until: Wait) -> None:
    ERRORS.keep(ValueError("first"))
    ERRORS.keep(ValueError("second"))
    with pytest.raises(ValueError, match="first") as caught:
        ERRORS.raise_first()
    assert caught.value.__notes__ == ["Later in the same test: ValueError: second"]
    ERRORS.raise_first()


def test_a_dialog_without_an_answer_is_closed(owned: Owned[QDialog], wait_until: Wait) -> None:
    dialog = owned(QDialog())
    QTimer.singleShot(0, fail)
    assert dialog.exec() == QDialog.DialogCode.Rejected
    with pytest.raises(ZeroDivisionError):
        wait_until(never)


@has_alarm
def test_a_time_limit_closes_what_the_test_waits_for(
    owned: Owned[QDialog], wait_until: Wait, capsys: pytest.CaptureFixture[str]
) -> None:
    dialog = owned(QDialog())
    menu = QMenu(dialog)
    menu.addAction("one")
    QTimer.singleShot(0, lambda: menu.exec())
    signal.setitimer(signal.ITIMER_REAL, 0.1)
    assert dialog.exec() == QDialog.DialogCode.Rejected
    assert not menu.isVisible()
    with pytest.raises(pytest.fail.Exception, match="Timeout") as caught:
        wait_until(never)
    assert "dialog.exec()" in caught.value.__notes__[0], "the report names the test's line"


@has_alarm
def test_a_time_limit_is_not_raised_inside_a_slot(wait_until: Wait) -> None:
    done: list[bool] = []

    def work() -> None:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
        while not ERRORS:
            pass
        done.append(True)

    QTimer.singleShot(0, work)
    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        wait_until(never)
    assert done


@has_alarm
@pytest.mark.timeout(200, func_only=True)
def test_a_time_limit_without_fixtures_works_too() -> None:
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    while not ERRORS:
        pass
    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        ERRORS.raise_first()
