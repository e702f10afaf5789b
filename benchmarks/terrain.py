"""Compare proposed terrain outlines with the true ones: `python -m benchmarks.terrain [FOLDER]`.

Clicks at random places of each piece of the simulated table, or of the scenes in FOLDER: each NAME_empty.jpg is a table
without figures, NAME.json holds `camera` (K, dist, R, t) and `terrain` (kind, polygon, z0, z1; for a tree also
canopy_polygon and canopy_z0), in inches. Prints a line for each kind: the overlap (intersection over union) of the
first outline with the true one, that of the best alternative, the share of each above 0.7, the corners, the time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from shapely.geometry import Point, Polygon

from benchmarks.scenes import camera_of, image_of, piece_of
from calibration.camera import TableCamera
from rules.tabletop.errors import UserError
from rules.tabletop.table import FloatArray, TerrainPiece
from ui.table.terrain import outline_height_in
from vision.frame import ImageBgr
from vision.simulation.scene import demo_scene
from vision.simulation.simulator import SimulatedTable, overhead_camera
from vision.terrain import propose_outline

_CLICKS = 4
_NEAR_EDGE_IN = 0.4  # players do not click this close to an edge
_GOOD = 0.7


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A picture of terrain with its true pieces, each with the name of its kind."""

    image_bgr: ImageBgr
    camera: TableCamera
    pieces: Sequence[tuple[str, TerrainPiece]]


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    folder = parser.parse_args().folder
    rows = defaultdict(list)
    for table in [_demo()] if folder is None else [_scene(path) for path in sorted(folder.glob("*_empty.jpg"))]:
        for kind, piece in table.pieces:
            for px in _clicks(piece, table):
                rows[kind].append(_evaluate(table, piece, px))
    print(f"{'':14}{'clicks':>7}{'first':>7}{'good':>6}{'best':>7}{'good':>6}{'corners':>9}{'ms':>6}")
    for kind, found in [*sorted(rows.items()), ("all", [row for kept in rows.values() for row in kept])]:
        first, best, corners, ms = np.array(found).T
        words = (
            f"{np.median(first):7.2f}{(first > _GOOD).mean():6.2f}{np.median(best):7.2f}{(best > _GOOD).mean():6.2f}"
        )
        print(f"{kind:14}{len(found):7}{words}{np.median(corners):9.0f}{np.median(ms):6.0f}")


def _demo() -> Table:
    scene = demo_scene()
    camera = overhead_camera(table_size_in=scene.table_size_in)
    pieces = [(str(piece.kind), piece) for piece in scene.terrain]
    return Table(SimulatedTable(scene, camera).empty_bgr, camera, pieces)


def _scene(path: Path) -> Table:
    truth = json.loads(path.with_name(path.name.replace("_empty.jpg", ".json")).read_text())
    pieces = [(piece["kind"], piece_of(piece)) for piece in truth["terrain"]]
    return Table(image_of(path), camera_of(truth), pieces)


def _clicks(piece: TerrainPiece, table: Table) -> Iterator[FloatArray]:
    """Pixels on the piece's upper side that nothing covers."""
    rng = np.random.default_rng(len(piece.name))
    area = Polygon(piece.outline_in)
    for _, other in table.pieces:
        if other.top_in > piece.top_in and other is not piece:
            area = area.difference(Polygon(other.outline_in).buffer(0.25))
    core = area.buffer(-min(_NEAR_EDGE_IN, 0.12 * np.sqrt(area.area)))
    low_x, low_y, high_x, high_y = core.bounds if not core.is_empty else (0, 0, 0, 0)
    width, height = table.camera.lens.image_size
    count = 0
    for _ in range(2000 if not core.is_empty else 0):
        place = rng.uniform((low_x, low_y), (high_x, high_y))
        px = table.camera.table_to_pixel((*place, outline_height_in(piece)))[0]
        if core.contains(Point(place)) and 0 <= px[0] < width and 0 <= px[1] < height:
            yield px
            count += 1
        if count == _CLICKS:
            return


def _evaluate(table: Table, piece: TerrainPiece, px: FloatArray) -> tuple[float, float, int, float]:
    """Overlap of the first outline and of the best one, corners of the first, and milliseconds."""
    started_s = time.perf_counter()
    try:
        found = propose_outline(table.image_bgr, table.camera, (float(px[0]), float(px[1])), outline_height_in(piece))
    except UserError:
        return (0.0, 0.0, 0, 1e3 * (time.perf_counter() - started_s))
    ms = 1e3 * (time.perf_counter() - started_s)
    true = Polygon(piece.outline_in)
    areas = [Polygon(outline) for outline in found.outlines_in]
    overlaps = [float(area.intersection(true).area / area.union(true).area) for area in areas]
    return (overlaps[found.best], max(overlaps), len(found.outlines_in[found.best]), ms)


if __name__ == "__main__":
    main()
