"""A view of figures from a camera that looks straight down."""

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.solve import Calibration
from rules.tabletop.table import Figure, Posture, ellipse_outline
from vision.frame import Frame
from vision.table_view import TableView
from vision.tracks import Tracking

# Looks straight down from 40 in over (10, 8): 800 px of focal length make 20 px an inch.
DOWN = np.diag([1.0, -1.0, -1.0])
LENS = Lens((1000, 800), [[800, 0, 500], [0, 800, 400], [0, 0, 1]], [0] * 5)


def over(height_in=40.0, at=(10.0, 8.0)):
    return TableCamera(LENS, DOWN, -DOWN @ np.array([*at, height_in]))


def figure(name, x, y, sigma_in=0.1, posture=Posture.STANDING):
    return Figure(name, name.split("-")[0], x, y, 0.0, sigma_in, posture, ellipse_outline((x, y), 0.5, 0.4))


def view_of(*figures, deviants=()):
    calibration = Calibration(over(), {0: np.zeros((4, 2))}, 0.1, deviants)
    frame = Frame(np.zeros((800, 1000, 3), np.uint8), 0, 0.0)
    return TableView(frame, calibration, Tracking(figures=figures))
