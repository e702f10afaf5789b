"""The size of the text: by the screen, unless the player or the desktop has chosen one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PyQt6.QtCore import QSize
from PyQt6.QtTest import QTest

from tests.ui.windows import LEFT, Open, button, settings_in
from ui.desktop.appearance import first_size, limited_size, start_again, usual_size

STARTED = """
import sys
from PyQt6.QtCore import QSettings
from ui.desktop.appearance import create_application
application = create_application(lambda: QSettings(sys.argv[1], QSettings.Format.IniFormat))
print(application.primaryScreen().devicePixelRatio())
"""


@pytest.mark.parametrize(
    ("width_px", "height_px", "ratio", "dots_per_in", "size"),
    [
        (1366, 768, 1.0, 96.0, 1.0),
        (1920, 1080, 1.0, 96.0, 1.0),
        (2560, 1440, 1.0, 96.0, 1.25),  # 1440 / 1080 = 1.33
        (3840, 2160, 1.0, 96.0, 2.0),
        (1920, 1080, 2.0, 96.0, 1.0),  # 3840 x 2160, enlarged by the desktop
        (3840, 2160, 1.0, 144.0, 1.0),  # a desktop with larger fonts
    ],
)
def test_a_large_screen_gets_larger_text_unless_the_desktop_enlarges_it(
    width_px: int, height_px: int, ratio: float, dots_per_in: float, size: float
) -> None:
    assert usual_size(QSize(width_px, height_px), ratio, dots_per_in) == size


@pytest.mark.parametrize(("width_px", "height_px", "size"), [(1366, 768, 1.25), (3840, 2160, 2.0), (800, 600, 1.0)])
def test_the_window_fits_on_the_screen_at_every_size(width_px: int, height_px: int, size: float) -> None:
    assert limited_size(2.0, QSize(width_px, height_px)) == size


def test_the_first_window_is_no_larger_than_the_screen() -> None:
    assert first_size(QSize(1093, 614)) == QSize(1093, 614), "1366 x 768 at 125 %"
    assert first_size(QSize(1920, 1080)) == QSize(1280, 720)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("chosen", "variables", "ratio"), [(None, {}, 2.0), (1.5, {}, 1.5), (1.5, {"QT_SCALE_FACTOR": "1"}, 1.0)]
)
def test_the_program_starts_in_the_size_of_the_screen(
    tmp_path: Path, chosen: float | None, variables: dict[str, str], ratio: float
) -> None:
    settings = settings_in(tmp_path)
    settings.text_size = chosen
    settings.settings.sync()
    screen = {"name": "large", "x": 0, "y": 0, "width": 3840, "height": 2160, "logicalDpi": 96, "dpr": 1}
    (tmp_path / "screens.json").write_text(json.dumps({"screens": [screen]}))
    platform = {"QT_QPA_PLATFORM": f"offscreen:configfile={tmp_path / 'screens.json'}"}
    done = subprocess.run(
        [sys.executable, "-c", STARTED, settings.settings.fileName()],
        env={**os.environ, **platform, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert float(done.stdout) == ratio


def test_the_size_is_chosen_in_the_menu_and_remembered(open_window: Open, tmp_path: Path) -> None:
    window = open_window("demo")
    menu = {action.text(): action for action in window.appearance.text_sizes.values()}
    assert menu["As the screen needs"].isChecked()
    menu["150 %"].trigger()
    assert settings_in(tmp_path).text_size == 1.5
    assert "starts again" in window.bar.text


def test_the_program_is_started_again_at_once_if_the_player_wants_it(open_window: Open) -> None:
    window, started = open_window("demo"), list[tuple[str, list[str]]]()

    def start(program: str, arguments: list[str]) -> None:
        started.append((program, arguments))

    start_again(start)
    assert started == [], "a window that is only closed stays closed"
    {action.text(): action for action in window.appearance.text_sizes.values()}["150 %"].trigger()
    QTest.mouseClick(button(window.bar, "Restart now"), LEFT)
    assert not window.isVisible()
    start_again(start)
    start_again(start)
    assert started == [(sys.executable, sys.orig_argv[1:])], "once"
