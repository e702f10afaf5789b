"""A text as a QR code. No Qt here."""

from __future__ import annotations

import numpy as np

from calibration.opencv import cv2
from vision.frame import ImageBgr

_QUIET_MODULES = 4
"""The white margin that the standard demands."""


def qr_code(text: str, least_px: int) -> ImageBgr:
    """The QR code of a text, (side, side, 3), with its white margin, at least `least_px` wide."""
    dark = np.asarray(cv2.QRCodeEncoder.create().encode(text), np.uint8) == 0
    rows, columns = np.nonzero(dark)  # the encoder's own margin is too narrow
    code = np.where(dark[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1], 0, 255).astype(np.uint8)
    code = np.pad(code, _QUIET_MODULES, constant_values=255)
    scale = -(-least_px // len(code))
    return np.repeat(np.kron(code, np.ones((scale, scale), np.uint8))[..., None], 3, axis=2)
