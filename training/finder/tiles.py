"""Generate training tiles and crops of random worlds.

    python -m training.finder.tiles FOLDER [--worlds N] [--seed S]

Each world is analysed with and without the empty table. Several runs with different seeds may run in parallel;
`training.finder.networks` then trains with all files of the folder: the finder with the tiles, the judge and the
close-up network with crops at the hints of the program's finder, and at some places that it misses.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from calibration.opencv import cv2
from rules.tabletop.errors import UserError
from training.finder.sculpts import sculpt_or_toy
from training.finder.soldiers import toy
from training.finder.worlds import Toys, World, world
from vision.palette import teach
from vision.recogniser import POSTURES, Recogniser
from vision.segment import any_plastic, army_evidence, cells_of, empty_table, likelihood, relit_empty_table
from vision.tiles import (
    CLOSER_PX_PER_IN,
    CROP_PX,
    CROP_PX_PER_IN,
    TILE_PX,
    TILE_PX_PER_IN,
    NetworkView,
    Photo,
    Place,
    crop_at,
    cut,
    cut_photo_tile,
    tile_at,
)

KINDS = ("tiles", "crops", "closer")
"""Data for the finder, the judge and the close-up network."""
BYTE = 60.0
"""Quantization: steps of a stored byte per unit of a channel."""
STORED_PX = CROP_PX + 16
"""Stored size of a crop, with a margin for shifts and rotations."""
_FILE = 50  # worlds
_SEEN = 0.12  # visible share below which a figure counts as absent
_MIN_PART = 0.25  # visible share below which a figure gets no crop
PX_PER_IN = 18.0
"""Resolution of the rectified images here."""
ZOOM = PX_PER_IN / TILE_PX_PER_IN
"""Pixels of a rectified image per pixel of a tile."""
_MATCH_IN = 0.42  # a crop closer than this to a figure shows it,
_EMPTY_IN = 0.62  # and one farther than this from all figures shows none
_JITTER_IN = 0.09
_UNTAUGHT = 0.5  # share of worlds in which no army colour is taught
_SHADOWS = 0.4  # share of the figures whose shadow also gets a crop

_Row = tuple[str, np.ndarray, np.ndarray]


def main() -> None:
    """Generate one file of tiles and crops."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    parser.add_argument("--sculpts", action="store_true", help="human bodies for most of the soldiers")
    parser.add_argument("--oblique", action="store_true", help="only cameras beside the table, and oblique crops")
    options = parser.parse_args()
    toys = sculpt_or_toy if options.sculpts else toy
    make(options.folder, options.worlds, options.seed, options.kinds, toys, oblique=options.oblique)


def make(
    folder: Path,
    worlds: int,
    seed: int,
    kinds: Sequence[str] = KINDS,
    toys: Toys = toy,
    *,
    oblique: bool = False,
) -> None:
    """Generate tiles and crops of random worlds, each with and without the empty table; if `oblique`, as `views`."""
    kept: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {kind: ([], []) for kind in kinds}
    recogniser = Recogniser()
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(1, worlds + 1):
        for kind, shown, truth in _of_world(np.random.default_rng([seed, n]), recogniser, kinds, toys, oblique=oblique):
            kept[kind][0].append(np.clip(np.round(shown * BYTE), -127, 127).astype(np.int8))
            kept[kind][1].append(truth)
        if n % _FILE == 0 or n == worlds:
            print(f"{n} worlds, {', '.join(f'{len(shown)} {kind}' for kind, (shown, _) in kept.items())}", flush=True)
            for kind, (shown, truths) in kept.items():
                if shown:
                    _save(folder / f"{kind}-{seed}-{n:05d}.npy", np.stack(shown), _table(truths))
                kept[kind] = [], []


def _save(file: Path, shown: np.ndarray, truths: np.ndarray) -> None:
    np.save(file.with_suffix(".truths.npy"), truths)
    growing = file.with_suffix(".growing.npy")  # a training run in parallel reads only complete files
    np.save(growing, shown)
    growing.rename(file)


def _table(truths: list[np.ndarray]) -> np.ndarray:
    most = max(len(truth) for truth in truths)
    table = np.full((len(truths), most, 6), np.nan, np.float32)
    for row, truth in zip(table, truths, strict=True):
        row[: len(truth)] = truth
    return table


def views(
    rng: np.random.Generator, toys: Toys = toy, *, oblique: bool = False
) -> Iterator[tuple[World, NetworkView, np.ndarray]]:
    """A random world, its views with and without the empty table, and figure places (N, 2) in rectified pixels.

    If `oblique`, a camera beside the table sees it.
    """
    scene = world(rng, toys, oblique=oblique)
    if scene is None:
        return
    try:
        palette = tuple(teach(scene.picture, click, f"{k}") for k, click in enumerate(scene.clicks))
    except UserError:
        return
    size = tuple(round(n * PX_PER_IN / scene.px_per_in) for n in scene.picture.shape[1::-1])
    picture, empty = (
        np.asarray(cv2.resize(cv2.GaussianBlur(image, (0, 0), 0.8), size, interpolation=cv2.INTER_LINEAR))
        for image in (scene.picture, scene.empty)
    )
    seen = cv2.resize(scene.seen, size, interpolation=cv2.INTER_NEAREST)
    cells = cells_of(picture[::2, ::2]).ravel()
    known = any_plastic(cells) if rng.random() < _UNTAUGHT else likelihood(cells, palette)
    places = np.array([figure.place_in for figure in scene.figures]) * PX_PER_IN
    for reference in (empty_table(empty, seen > 0), None):
        evidence = army_evidence(picture, known, reference).max(axis=0)
        light = None if reference is None else relit_empty_table(picture, reference)
        yield (
            scene,
            NetworkView(picture, _photo(scene, picture), evidence, seen, scene.eye_in * PX_PER_IN, light),
            places,
        )


def _of_world(
    rng: np.random.Generator, recogniser: Recogniser, kinds: Sequence[str], toys: Toys, *, oblique: bool
) -> Iterator[_Row]:
    """Tiles and crops with their truth (N, 6): x, y in their pixels, posture, facing (cos, sin), visible share.

    A crop has one row: its figure, or NaN without a figure.
    """
    for scene, view, places in views(rng, toys, oblique=oblique):
        tiles = [
            tile_at(view.eye_px, np.array(at), ZOOM * rng.uniform(0.95, 1.05))
            for at in middles(rng, places, view.evidence)
        ]
        if "tiles" in kinds:
            for place in tiles:
                yield "tiles", cut(view, place), _truth(scene, places, place, _figures_in(scene, places, place))
        crops = [
            (at, owners)
            for at in _crop_centres(rng, recogniser, view, tiles, places, scene.shade)
            if (owners := _owner(scene, places, at)) is not None
            and (not oblique or tile_at(view.eye_px, at, ZOOM).is_oblique)
        ]
        if "crops" in kinds:
            for at, k in crops:
                place = _crop(view, rng, at, CROP_PX_PER_IN)
                yield "crops", cut(view, place), _truth(scene, places, place, k)
        if "closer" in kinds:
            for at, k in _closer_crops(crops, places):
                place = _crop(view, rng, at, CLOSER_PX_PER_IN)
                yield "closer", cut_photo_tile(view, place), _truth(scene, places, place, k)


def _crop(view: NetworkView, rng: np.random.Generator, at: np.ndarray, px_per_in: float) -> Place:
    return replace(crop_at(view.eye_px, at, ZOOM * rng.uniform(0.95, 1.05), px_per_in), side_px=STORED_PX)


def _closer_crops(
    crops: list[tuple[np.ndarray, list[int]]], places: np.ndarray
) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Crops at every figure's place, and at places without figures."""
    known = {k[0] for _, k in crops if k}
    yield from ((places[k], [k]) for k in sorted(known))
    yield from ((at, k) for at, k in crops if not k)


def _photo(scene: World, rectified: np.ndarray) -> Photo:
    """The camera's photo, in which pixels of the rectified image vary in size."""
    rows, columns = rectified.shape[:2]
    high, wide = scene.picture.shape[:2]
    x, y = (np.arange(n, dtype=np.float32) for n in (columns, rows))
    return Photo(
        scene.picture,
        np.tile((x + 0.5) * (wide / columns) - 0.5, (rows, 1)),
        np.tile(((y + 0.5) * (high / rows) - 0.5)[:, None], (1, columns)),
    )


def middles(rng: np.random.Generator, places: np.ndarray, evidence: np.ndarray) -> Iterator[tuple[float, float]]:
    """Centres of tiles: near figures, at similar-looking places, and anywhere; in rectified pixels."""
    chosen = places[rng.permutation(len(places))[:7]]
    yield from (chosen + rng.uniform(-1.4, 1.4, chosen.shape) * PX_PER_IN).tolist()
    smooth = cv2.blur(np.maximum(evidence, 0), (11, 11))
    for place in places:
        cv2.circle(smooth, place.astype(int).tolist(), 36, 0, -1)
    for _ in range(4):
        _, height, _, (x, y) = cv2.minMaxLoc(smooth)
        if height < 0.3:
            break
        yield tuple(np.array([x, y]) + rng.uniform(-0.85, 0.85, 2) * PX_PER_IN)
        cv2.circle(smooth, (x, y), 52, 0, -1)
    yield tuple(rng.uniform((26, 26), np.array(evidence.shape[::-1]) - 26))  # type: ignore[misc]


def _crop_centres(
    rng: np.random.Generator,
    recogniser: Recogniser,
    view: NetworkView,
    tiles: list[Place],
    places: np.ndarray,
    shade: np.ndarray,
) -> Iterator[np.ndarray]:
    """Centres of crops: at the finder's hints, at figures that it may miss, and at shadows."""
    found = np.array([hint.at for hint in recogniser.hints(view, tiles)]).reshape(-1, 2)
    for at in found:
        nearest = np.linalg.norm(places - at, axis=1).min()
        if nearest < _MATCH_IN * PX_PER_IN or rng.random() < 0.8:
            yield at + rng.normal(0, _JITTER_IN * PX_PER_IN, 2)
    for place in places:
        if rng.random() < 0.35:
            yield place + rng.normal(0, 0.16 * PX_PER_IN, 2)
        if rng.random() < _SHADOWS:
            yield place + shade * (rng.uniform(0.6, 1.8) * PX_PER_IN)


def _owner(scene: World, places: np.ndarray, at: np.ndarray) -> list[int] | None:
    """Index of the figure that a crop at a place shows, empty for none; None for an ambiguous place."""
    away = np.linalg.norm(places - at, axis=1) / PX_PER_IN
    away[[figure.part <= _SEEN for figure in scene.figures]] = np.inf
    k = int(np.argmin(away))
    if away[k] > _EMPTY_IN:
        return []
    return None if away[k] > _MATCH_IN or scene.figures[k].part < _MIN_PART else [k]


def _figures_in(scene: World, places: np.ndarray, place: Place) -> list[int]:
    """Indices of the figures in a tile."""
    at = place.to_tile(places)
    inside = (at.min(axis=1) > -3) & (at.max(axis=1) < TILE_PX + 2)
    return [k for k, figure in enumerate(scene.figures) if inside[k] and figure.part > _SEEN]


def _truth(scene: World, places: np.ndarray, place: Place, owners: list[int]) -> np.ndarray:
    """A row for each figure; one row of NaN for a crop without a figure."""
    rows = [_row(scene, k, place.to_tile(places[k][None])[0], place) for k in owners]
    if not rows and place.side_px == STORED_PX:
        return np.full((1, 6), np.nan)
    return np.concatenate([np.empty((0, 6)), *rows])


def _row(scene: World, k: int, at: np.ndarray, place: Place) -> np.ndarray:
    one = scene.figures[k]
    facing = one.facing_rad - place.turn_rad
    return np.array([[*at, POSTURES.index(one.posture), math.cos(facing), math.sin(facing), one.part]], np.float32)


if __name__ == "__main__":
    main()
