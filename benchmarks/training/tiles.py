"""`python -m benchmarks.training.tiles FOLDER [--worlds N] [--seed S]`: tiles and crops of random worlds.

Each world is seen with and without the empty table. May run several times with different seeds, side by side;
`benchmarks.training.networks` then learns from all that lies in the folder: the finder from the tiles, the judge from
crops of whatever the finder that ships finds in them, and of some that it does not.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.training.worlds import World, world
from calibration.opencv import cv2
from rules.table import Refused
from vision.palette import teach
from vision.recogniser import POSTURES, Recogniser
from vision.segment import army_evidence, cells_of, empty_table, in_the_light_of_now, likelihood
from vision.tiles import TILE_PX, TILE_PX_PER_IN, Place, View, crop_at, cut, tile_at

BYTE = 60.0
"""A stored byte's steps per unit of a channel."""
_SEEN = 0.12  # part of a figure that is seen: less is as good as nobody
_ASKED = 0.25  # and less than this is not asked about
_PX_PER_IN = 18.0
_ZOOM = _PX_PER_IN / TILE_PX_PER_IN
_HIS_IN = 0.42  # a crop as near to somebody as this is his,
_NOBODYS_IN = 0.62  # and one further from everybody than this is nobody's
_JITTER_IN = 0.09

_Row = tuple[str, np.ndarray, np.ndarray]


def main() -> None:
    """Make one file of tiles and crops."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tiles", type=float, default=0.3, help="part of the worlds that gives tiles too")
    options = parser.parse_args()
    make(options.folder, options.worlds, options.seed, options.tiles)


def make(folder: Path, worlds: int, seed: int, with_tiles: float = 0.3) -> None:
    """Tiles of random worlds, each seen with and without the empty table."""
    kept: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {"tiles": ([], []), "crops": ([], [])}
    recogniser = Recogniser()
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(1, worlds + 1):
        for kind, shown, truth in _of_world(np.random.default_rng([seed, n]), recogniser, with_tiles):
            kept[kind][0].append(np.clip(np.round(shown * BYTE), -127, 127).astype(np.int8))
            kept[kind][1].append(truth)
        if n % 100 == 0 or n == worlds:
            print(f"{n} worlds, {len(kept['tiles'][0])} tiles, {len(kept['crops'][0])} crops", flush=True)
            for kind, (shown, truths) in kept.items():
                if shown:
                    _save(folder / f"{kind}-{seed}-{n:05d}.npy", np.stack(shown), _table(truths))
                kept[kind] = [], []


def _save(file: Path, shown: np.ndarray, truths: np.ndarray) -> None:
    np.save(file.with_suffix(".truths.npy"), truths)
    growing = file.with_suffix(".growing.npy")  # who learns meanwhile sees only whole files
    np.save(growing, shown)
    growing.rename(file)


def _table(truths: list[np.ndarray]) -> np.ndarray:
    most = max(len(truth) for truth in truths)
    table = np.full((len(truths), most, 6), np.nan, np.float32)
    for row, truth in zip(table, truths, strict=True):
        row[: len(truth)] = truth
    return table


def _of_world(rng: np.random.Generator, recogniser: Recogniser, with_tiles: float) -> Iterator[_Row]:
    """Tiles and crops with (N, 6) x, y in their pixels, posture, facing (cos, sin in the tile), part seen.

    Of a crop there is one row, of him whose it is, or of nobody: NaN.
    """
    scene = world(rng)
    if scene is None:
        return
    try:
        palette = tuple(teach(scene.picture, click, f"{k}") for k, click in enumerate(scene.clicks))
    except Refused:
        return
    size = tuple(round(n * _PX_PER_IN / scene.px_per_in) for n in scene.picture.shape[1::-1])
    picture, empty = (
        np.asarray(cv2.resize(cv2.GaussianBlur(image, (0, 0), 0.8), size, interpolation=cv2.INTER_LINEAR))
        for image in (scene.picture, scene.empty)
    )
    seen = cv2.resize(scene.seen, size, interpolation=cv2.INTER_NEAREST)
    known = likelihood(cells_of(picture[::2, ::2]).ravel(), palette)
    places = np.array([stander.place_in for stander in scene.standers]) * _PX_PER_IN
    tiled = rng.random() < with_tiles
    for reference in (empty_table(empty, seen > 0), None):
        evidence = army_evidence(picture, known, reference).max(axis=0)
        light = None if reference is None else in_the_light_of_now(picture, reference)
        view = View(picture, evidence, seen, scene.eye_in * _PX_PER_IN, light)
        tiles = [
            tile_at(view.eye_px, np.array(at), _ZOOM * rng.uniform(0.95, 1.05))
            for at in _middles(rng, places, evidence)
        ]
        if tiled:
            for place in tiles:
                yield "tiles", cut(view, place), _truth(scene, places, place)
        for at in _asked(rng, recogniser, view, tiles, places):
            place = crop_at(view.eye_px, at, _ZOOM * rng.uniform(0.95, 1.05))
            answer = _whose(scene, places, place, at)
            if answer is not None:
                yield "crops", cut(view, place), answer


def _middles(rng: np.random.Generator, places: np.ndarray, evidence: np.ndarray) -> Iterator[tuple[float, float]]:
    chosen = places[rng.permutation(len(places))[:7]]
    yield from (chosen + rng.uniform(-1.4, 1.4, chosen.shape) * _PX_PER_IN).tolist()
    smooth = cv2.blur(np.maximum(evidence, 0), (11, 11))
    for place in places:
        cv2.circle(smooth, place.astype(int).tolist(), 36, 0, -1)
    for _ in range(4):
        _, height, _, (x, y) = cv2.minMaxLoc(smooth)
        if height < 0.3:
            break
        yield tuple(np.array([x, y]) + rng.uniform(-0.85, 0.85, 2) * _PX_PER_IN)
        cv2.circle(smooth, (x, y), 52, 0, -1)
    yield tuple(rng.uniform((26, 26), np.array(evidence.shape[::-1]) - 26))  # type: ignore[misc]


def _asked(
    rng: np.random.Generator, recogniser: Recogniser, view: View, tiles: list[Place], places: np.ndarray
) -> Iterator[np.ndarray]:
    """Where the judge will be asked: at what the finder finds, and where somebody is whom it may miss."""
    found = np.array([hint.at for hint in recogniser.hints(view, tiles)]).reshape(-1, 2)
    for at in found:
        nearest = np.linalg.norm(places - at, axis=1).min()
        if nearest < _HIS_IN * _PX_PER_IN or rng.random() < 0.8:
            yield at + rng.normal(0, _JITTER_IN * _PX_PER_IN, 2)
    for place in places:
        if rng.random() < 0.35:
            yield place + rng.normal(0, 0.16 * _PX_PER_IN, 2)


def _whose(scene: World, places: np.ndarray, place: Place, at: np.ndarray) -> np.ndarray | None:
    """The one row of a crop; None where that is not asked."""
    away = np.linalg.norm(places - at, axis=1) / _PX_PER_IN
    away[[stander.part <= _SEEN for stander in scene.standers]] = np.inf
    k = int(np.argmin(away))
    if away[k] > _NOBODYS_IN:
        return np.full((1, 6), np.nan)
    if away[k] > _HIS_IN or scene.standers[k].part < _ASKED:
        return None
    return _row(scene, k, place.to_tile(places[k][None])[0], place)


def _truth(scene: World, places: np.ndarray, place: Place) -> np.ndarray:
    rows = [
        _row(scene, k, at, place)
        for k, at in enumerate(place.to_tile(places))
        if at.min() > -3 and at.max() < TILE_PX + 2 and scene.standers[k].part > _SEEN
    ]
    return np.concatenate([np.empty((0, 6)), *rows])


def _row(scene: World, k: int, at: np.ndarray, place: Place) -> np.ndarray:
    one = scene.standers[k]
    facing = one.facing_rad - place.turn_rad
    return np.array([[*at, POSTURES.index(one.posture), math.cos(facing), math.sin(facing), one.part]], np.float32)


if __name__ == "__main__":
    main()
