"""Render markers as a camera sees them: finely sampled in linear light, blurred, exposed, stored with gamma."""

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.markers import dictionary_of
from calibration.opencv import cv2
from calibration.solve import marker_square


def camera(image_size=(960, 540), height_in=50.0, tilt_deg=4.0, roll_deg=0.0, at_in=(20.0, 14.0), k1=-0.15, k2=0.05,
           focal_of_width=0.78):  # fmt: skip
    """A camera over the table that looks down, tilted about its x axis."""
    width, height = image_size
    focal = focal_of_width * width
    lens = Lens(
        image_size, [[focal, 0, width / 2 + 3], [0, focal, height / 2 - 4], [0, 0, 1]], [k1, k2, 0.0005, -0.0003, 0]
    )
    roll, _ = cv2.Rodrigues(np.array([0, 0, np.radians(roll_deg)]))
    rotation = cv2.Rodrigues(np.array([np.pi + np.radians(tilt_deg), 0, 0]))[0] @ roll
    return TableCamera(lens, rotation, -rotation @ np.array([*at_in, height_in]))


def marker_corners(at_in, side_in, turn_deg=0.0):
    """(4, 2) corners on the table in OpenCV's order."""
    turn = np.radians(turn_deg)
    return marker_square(side_in) @ np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) + at_in


def picture(seen_by, markers, dictionary="4X4_50", fine=4, blur_px=0.7, exposure=0.9, noise=0.0, ink_grows_in=0.0,
            ground=0.2):  # fmt: skip
    """(height, width) uint8 of markers {id: corners_in (4, 2)} on white paper on a grey table.

    `ground` is the light of what they lie on, one number or (height, width). `exposure` is the stored value of paper in
    linear light: above 1 it clips. `ink_grows_in` spreads the ink.
    """
    width, height = seen_by.lens.image_size
    light = np.full((height, width), ground) if np.isscalar(ground) else ground.copy()
    for number, corners in markers.items():
        _draw(light, seen_by, np.asarray(corners), dictionary_of(dictionary), number, fine, ink_grows_in)
    light = cv2.GaussianBlur(light * exposure, (0, 0), blur_px) if blur_px else light * exposure
    light = np.clip(light, 0, 1)
    stored = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055) * 255
    if noise:
        stored = stored + np.random.default_rng(7).normal(0, noise, stored.shape)
    return np.clip(np.round(stored), 0, 255).astype(np.uint8)


def _draw(light, seen_by, corners, dictionary, number, fine, grows_in):
    edge = seen_by.table_to_pixel(corners.mean(0) + (corners - corners.mean(0)) * 1.6)
    x0, y0 = np.floor(edge.min(0)).astype(int)
    x1, y1 = np.ceil(edge.max(0)).astype(int)
    steps = (np.arange(fine) + 0.5) / fine - 0.5
    x0, y0 = max(x0, 0), max(y0, 0)
    x1, y1 = min(x1, light.shape[1] - 1), min(y1, light.shape[0] - 1)
    u = (np.arange(x0, x1 + 1)[:, None] + steps).ravel()
    v = (np.arange(y0, y1 + 1)[:, None] + steps).ravel()
    places = _table_places(seen_by, u, v).reshape(-1, 2)
    right, down = corners[1] - corners[0], corners[3] - corners[0]
    cells = dictionary.markerSize + 2
    side = np.linalg.norm(right)
    s, t = ((places - corners[0]) @ right / side**2 * cells, (places - corners[0]) @ down / side**2 * cells)
    paper = np.pad(cv2.aruco.generateImageMarker(dictionary, number, cells) > 0, 2, constant_values=True)
    grow = grows_in / side * cells
    value = np.ones(s.shape, bool)
    for ds in {-grow, grow}:
        for dt in {-grow, grow}:
            column = np.clip(np.floor(s + ds).astype(int) + 2, 0, cells + 3)
            row = np.clip(np.floor(t + dt).astype(int) + 2, 0, cells + 3)
            value &= paper[row, column]
    on_sheet = (np.minimum(s, t) > -1.5) & (np.maximum(s, t) < cells + 1.5)
    under = light[y0 : y1 + 1, x0 : x1 + 1].repeat(fine, 0).repeat(fine, 1)
    ink = np.where(on_sheet.reshape(under.shape), np.where(value.reshape(under.shape), 1.0, 0.04), under)
    light[y0 : y1 + 1, x0 : x1 + 1] = ink.reshape(y1 - y0 + 1, fine, x1 - x0 + 1, fine).mean((1, 3))


def _table_places(seen_by, u, v):
    """(V, U, 2) what each pixel sees on the table, from every fourth.

    Distortion bends a line by about 6 k1 / focal = 1e-3 px per px², so the places between are off by 2e-3 px at most.
    """
    (some_u, u_weights), (some_v, v_weights) = _nodes(u), _nodes(v)
    seen = seen_by.pixel_to_table(np.stack(np.meshgrid(some_u, some_v), -1).reshape(-1, 2))
    grid = seen.reshape(len(some_v), len(some_u), 2)
    return np.stack([v_weights @ grid[..., axis] @ u_weights.T for axis in (0, 1)], -1)


def _nodes(at, step=4.0):
    """Coordinates at this step around the given ones, and the weights (N, nodes) that interpolate between them."""
    nodes = np.arange(at.min(), at.max() + step, step)
    return nodes, np.clip(1 - np.abs(at[:, None] - nodes) / step, 0, 1)
