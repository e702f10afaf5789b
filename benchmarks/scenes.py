"""Pictures of tables with known truth: those in `samples/`, simulated tables, and rendered scenes in a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from shapely.geometry import Point, Polygon

from benchmarks.accuracy import clicks_of, random_camera, random_scene
from calibration.calibration_targets import CalibrationTargets
from calibration.camera import Lens, TableCamera
from calibration.markers import Board
from calibration.opencv import cv2
from calibration.profile import read_layout, read_lens
from rules.tabletop.table import Figure, FloatArray, Posture, TerrainKind, TerrainPiece, ellipse_outline
from ui.files import read_terrain
from vision.frame import ImageBgr
from vision.palette import teach
from vision.setup import Setup
from vision.simulation.simulator import render, truth_of

SAMPLES = Path(__file__).parents[1] / "samples"
SEEN = 0.35  # visibility below which a figure counts neither as missed nor as found
_WELL_SEEN = 0.9
_KINDS = {"book_hill": TerrainKind.HILL, "house": TerrainKind.BUILDING}
Clicks = tuple[tuple[str, tuple[float, float]], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A picture with its truth.

    Attributes:
        image_bgr, empty_bgr: The table with and without figures.
        lens: The camera's lens.
        layout: Marker id -> (4, 2) corners in inches.
        clicks: A pixel on a soldier of each army.
        terrain: The terrain pieces.
        figures: The soldiers that count.
        side_in: Side of the markers.
        board: A ChArUco board instead of single markers.
        may_be: Places where a detection counts neither as right nor as wrong.
    """

    image_bgr: ImageBgr
    empty_bgr: ImageBgr
    lens: Lens
    layout: Mapping[int, FloatArray]
    clicks: Clicks
    terrain: tuple[TerrainPiece, ...]
    figures: tuple[Figure, ...]
    side_in: float = 3.0
    board: Board | None = None
    may_be: tuple[Polygon, ...] = field(default=())

    def setup(self, lens: Lens | None, empty_bgr: ImageBgr | None) -> Setup:
        """What a player tells the program: clicks, prints, terrain, and perhaps the lens and the empty table."""
        palette = tuple(teach(self.image_bgr, px, army) for army, px in self.clicks)
        prints = CalibrationTargets(self.side_in, board=self.board, layout=self.layout)
        return Setup(prints, lens, palette, reference_bgr=empty_bgr, terrain=self.terrain)

    def counting(self, found: list[Figure]) -> list[Figure]:
        """The found figures that count as hits or as phantoms."""
        return [one for one in found if not any(area.contains(Point(one.centre_in)) for area in self.may_be)]


def samples() -> Iterator[Known]:
    """The samples of the program."""
    for folder in sorted(path.parent for path in SAMPLES.glob("*/truth.json")):
        truth = json.loads((folder / "truth.json").read_text())
        clicks = [click.replace("@", ",").split(",") for click in truth["clicks"]]
        yield Known(
            image_of(folder / "table.jpg"),
            image_of(folder / "empty.jpg"),
            read_lens(folder / "lens.json"),
            read_layout(folder / "layout.json"),
            tuple((army, (float(x), float(y))) for army, x, y in clicks),
            read_terrain(folder / "terrain.json"),
            tuple(
                _figure(one["id"], one["army"], (one["x_in"], one["y_in"]), one["posture"]) for one in truth["figures"]
            ),
        )


def simulated(count: int, seed: int = 1) -> Iterator[Known]:
    """Random simulated tables."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        scene, camera = random_scene(rng), random_camera(rng)
        truth, image = truth_of(scene, camera), render(scene, camera, rng)
        clicks = tuple(clicks_of(image, truth))
        yield Known(
            image, render(scene.empty, camera, rng, 0.97), camera.lens, truth.markers, clicks, (), scene.figures
        )


def rendered(folder: Path) -> Iterator[Known]:
    """Scenes of a folder: NAME.jpg, NAME_empty.jpg, NAME_id.png (a label for each pixel) and NAME.json."""
    for path in sorted(folder.glob("*_empty.jpg")):
        name = path.name.removesuffix("_empty.jpg")
        truth = json.loads((folder / f"{name}.json").read_text())
        printed = truth["markers"][0]
        sheet = printed["type"] == "charuco"
        marks = [one for some in truth["markers"] for one in (some["aruco"] if sheet else [some])]
        layout = {one["id"]: np.array(one["corners_table"])[:, :2] for one in marks}
        seen = [one for one in truth["figures"] if one["visible_fraction"] * one["in_frame_fraction"] >= SEEN]
        faint = [Point(place_of(one)).buffer(1.0) for one in truth["figures"] if one not in seen]
        columns, rows = printed["squares"] if sheet else (0, 0)
        board = Board(columns, rows, printed["square"], printed["marker"]) if sheet else None
        yield Known(
            image_of(folder / f"{name}.jpg"),
            image_of(path),
            camera_of(truth).lens,
            layout,
            clicks_by_labels(truth, folder / f"{name}_id.png"),
            tuple(piece_of(one) for one in truth["terrain"] if one["kind"] != "coin"),
            tuple(_figure(one["id"], one["army"], place_of(one), one["stance"]) for one in seen),
            printed.get("side", 3.0),
            board,
            (*faint, *(Polygon(one["polygon"]).buffer(0.5) for one in truth["vehicles"])),
        )


def camera_of(truth: Mapping[str, Any]) -> TableCamera:
    """The camera of a rendered picture."""
    camera_truth = truth["camera"]
    dist = [*camera_truth["dist"], 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    lens = Lens(tuple(truth["image_size"]), np.array(camera_truth["K"]), np.array(dist))
    return TableCamera(lens, np.array(camera_truth["R"]), np.array(camera_truth["t"]))


def piece_of(truth: dict[str, Any]) -> TerrainPiece:
    """A terrain piece from the truth of a rendered scene."""
    known = truth["kind"] in {str(kind) for kind in TerrainKind}
    kind = TerrainKind(truth["kind"]) if known else _KINDS.get(truth["kind"], TerrainKind.OTHER)
    outline = tuple((float(x), float(y)) for x, y in truth.get("canopy_polygon", truth["polygon"]))
    base_in = float(truth.get("canopy_z0", truth["z0"]))
    return TerrainPiece(truth["id"], kind, outline, base_in, max(0.0, float(truth["z1"]) - base_in))


def clicks_by_labels(truth: Mapping[str, Any], labels: Path) -> Clicks:
    """The centre of the soldier of median visible size, for each army."""
    ids = np.asarray(cv2.imread(str(labels), cv2.IMREAD_GRAYSCALE))
    armies: dict[str, list[Any]] = {}
    for one in truth["figures"]:
        if not one["down"] and one["visible_fraction"] * one["in_frame_fraction"] > _WELL_SEEN:
            armies.setdefault(one["army"], []).append(one)
    clicks = []
    for army, men in sorted(armies.items()):
        man = sorted(men, key=lambda one: float(one["visible_px"]))[len(men) // 2]
        mask = np.pad((ids == man["label"]).astype(np.uint8), 1)
        y, x = np.unravel_index(int(np.argmax(cv2.distanceTransform(mask, cv2.DIST_L2, 5)[1:-1, 1:-1])), ids.shape)
        clicks.append((army, (float(x), float(y))))
    return tuple(clicks)


def place_of(one: Mapping[str, Any]) -> tuple[float, float]:
    """The true place of a rendered figure, in inches."""
    x, y = (one["footprint_center"] if one["down"] else one["base_center"])[:2]
    return float(x), float(y)


def _figure(name: str, army: str, at_in: tuple[float, float], posture: str) -> Figure:
    return Figure(name, army, *at_in, 0.0, 0.0, Posture(posture), ellipse_outline(at_in, 0.5, 0.4))


def image_of(path: Path) -> ImageBgr:
    """A picture from a file."""
    return np.asarray(cv2.imread(str(path)), np.uint8)
