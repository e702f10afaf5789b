"""Effects of the OpenCV import on the environment."""

import os
import subprocess
import sys
from pathlib import Path

from calibration import opencv

ROOT = Path(opencv.__file__).parents[1]
_SAID = """
import os
from calibration.opencv import cv2
print([name for name in os.environ if name.startswith("QT_QPA")], os.environ["OPENCV_IO_MAX_IMAGE_PIXELS"])
"""


def said(**environ: str) -> str:
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("QT_QPA", "OPENCV"))}
    run = subprocess.run(
        [sys.executable, "-c", _SAID], cwd=ROOT, env=clean | environ, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_qt_does_not_use_opencvs_plugins() -> None:
    """OpenCV's wheel sets both variables for its own Qt."""
    assert said() == "[] 120000000"


def test_a_custom_pixel_limit_is_kept() -> None:
    assert said(OPENCV_IO_MAX_IMAGE_PIXELS="5000") == "[] 5000"
