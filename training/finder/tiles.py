"""`python -m training.finder.tiles FOLDER [--worlds N] [--seed S]`: tiles and crops of random worlds.

Each world is seen with and without the empty table. May run several times with different seeds, side by side;
`training.finder.networks` then learns from all that lies in the folder: the finder from the tiles, the judge and
the closer look from crops of whatever the finder that ships finds in them, and of some that it does not.
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
from training.finder.worlds import World, world
from vision.palette import teach
from vision.recogniser import POSTURES, Recogniser
from vision.segment import any_plastic, army_evidence, cells_of, empty_table, in_the_light_of_now, likelihood
from vision.tiles import (
    CLOSER_PX_PER_IN,
    CROP_PX,
    CROP_PX_PER_IN,
    TILE_PX,
    TILE_PX_PER_IN,
    Photo,
    Place,
    View,
    crop_at,
    cut,
    cut_finely,
    tile_at,
)

KINDS = ("tiles", "crops", "closer")
"""For the finder, for the judge and for the closer look."""
BYTE = 60.0
"""A stored byte's steps per unit of a channel."""
STORED_PX = CROP_PX + 16
"""Side of a crop as it is kept: with room to be moved and turned."""
_FILE = 50  # worlds
_SEEN = 0.12  # part of a figure that is seen: less is as good as nobody
_ASKED = 0.25  # and less than this is not asked about
PX_PER_IN = 18.0
"""Of the sheets laid here."""
ZOOM = PX_PER_IN / TILE_PX_PER_IN
"""Pixels of the sheets laid here for each of a tile's."""
_HIS_IN = 0.42  # a crop as near to somebody as this is his,
_NOBODYS_IN = 0.62  # and one further from everybody than this is nobody's
_JITTER_IN = 0.09
_UNTAUGHT = 0.5  # share of worlds in which no army colour is taught
_SHADOWS = 0.4  # part of the standers whose shadow is asked about too

_Row = tuple[str, np.ndarray, np.ndarray]


def main() -> None:
    """Make one file of tiles and crops."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--worlds", type=int, default=800)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS)
    options = parser.parse_args()
    make(options.folder, options.worlds, options.seed, options.kinds)


def make(folder: Path, worlds: int, seed: int, kinds: Sequence[str] = KINDS) -> None:
    """Tiles and crops of random worlds, each seen with and without the empty table."""
    kept: dict[str, tuple[list[np.ndarray], list[np.ndarray]]] = {kind: ([], []) for kind in kinds}
    recogniser = Recogniser()
    folder.mkdir(parents=True, exist_ok=True)
    for n in range(1, worlds + 1):
        for kind, shown, truth in _of_world(np.random.default_rng([seed, n]), recogniser, kinds):
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
    growing = file.with_suffix(".growing.npy")  # who learns meanwhile sees only whole files
    np.save(growing, shown)
    growing.rename(file)


def _table(truths: list[np.ndarray]) -> np.ndarray:
    most = max(len(truth) for truth in truths)
    table = np.full((len(truths), most, 6), np.nan, np.float32)
    for row, truth in zip(table, truths, strict=True):
        row[: len(truth)] = truth
    return table


def views(rng: np.random.Generator) -> Iterator[tuple[World, View, np.ndarray]]:
    """A random world seen beside the empty table and without it, with the sheet's pixels (N, 2) where figures stand."""
    scene = world(rng)
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
    places = np.array([stander.place_in for stander in scene.standers]) * PX_PER_IN
    for reference in (empty_table(empty, seen > 0), None):
        evidence = army_evidence(picture, known, reference).max(axis=0)
        light = None if reference is None else in_the_light_of_now(picture, reference)
        yield scene, View(picture, _photo(scene, picture), evidence, seen, scene.eye_in * PX_PER_IN, light), places


def _of_world(rng: np.random.Generator, recogniser: Recogniser, kinds: Sequence[str]) -> Iterator[_Row]:
    """Tiles and crops with (N, 6) x, y in their pixels, posture, facing (cos, sin in the tile), part seen.

    Of a crop there is one row, of him whose it is, or of nobody: NaN.
    """
    for scene, view, places in views(rng):
        tiles = [
            tile_at(view.eye_px, np.array(at), ZOOM * rng.uniform(0.95, 1.05))
            for at in middles(rng, places, view.evidence)
        ]
        if "tiles" in kinds:
            for place in tiles:
                yield "tiles", cut(view, place), _truth(scene, places, place, _within(scene, places, place))
        asked = [
            (at, who)
            for at in _asked(rng, recogniser, view, tiles, places, scene.shade)
            if (who := _whose(scene, places, at)) is not None
        ]
        if "crops" in kinds:
            for at, k in asked:
                place = _crop(view, rng, at, CROP_PX_PER_IN)
                yield "crops", cut(view, place), _truth(scene, places, place, k)
        if "closer" in kinds:
            for at, k in _closer(asked, places):
                place = _crop(view, rng, at, CLOSER_PX_PER_IN)
                yield "closer", cut_finely(view, place), _truth(scene, places, place, k)


def _crop(view: View, rng: np.random.Generator, at: np.ndarray, px_per_in: float) -> Place:
    return replace(crop_at(view.eye_px, at, ZOOM * rng.uniform(0.95, 1.05), px_per_in), side_px=STORED_PX)


def _closer(asked: list[tuple[np.ndarray, list[int]]], places: np.ndarray) -> Iterator[tuple[np.ndarray, list[int]]]:
    """Everybody once, from where he stands, and where nobody is."""
    known = {k[0] for _, k in asked if k}
    yield from ((places[k], [k]) for k in sorted(known))
    yield from ((at, k) for at, k in asked if not k)


def _photo(scene: World, sheet: np.ndarray) -> Photo:
    """What the camera took, on which the sheet's pixels are larger or smaller."""
    rows, columns = sheet.shape[:2]
    high, wide = scene.picture.shape[:2]
    x, y = (np.arange(n, dtype=np.float32) for n in (columns, rows))
    return Photo(
        scene.picture,
        np.tile((x + 0.5) * (wide / columns) - 0.5, (rows, 1)),
        np.tile(((y + 0.5) * (high / rows) - 0.5)[:, None], (1, columns)),
    )


def middles(rng: np.random.Generator, places: np.ndarray, evidence: np.ndarray) -> Iterator[tuple[float, float]]:
    """Where tiles are laid: near figures, at what looks like one, and anywhere; pixels of the sheet."""
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


def _asked(
    rng: np.random.Generator,
    recogniser: Recogniser,
    view: View,
    tiles: list[Place],
    places: np.ndarray,
    shade: np.ndarray,
) -> Iterator[np.ndarray]:
    """Where the judge is asked: at what the finder finds, where somebody is whom it may miss, and at shadows."""
    found = np.array([hint.at for hint in recogniser.hints(view, tiles)]).reshape(-1, 2)
    for at in found:
        nearest = np.linalg.norm(places - at, axis=1).min()
        if nearest < _HIS_IN * PX_PER_IN or rng.random() < 0.8:
            yield at + rng.normal(0, _JITTER_IN * PX_PER_IN, 2)
    for place in places:
        if rng.random() < 0.35:
            yield place + rng.normal(0, 0.16 * PX_PER_IN, 2)
        if rng.random() < _SHADOWS:
            yield place + shade * (rng.uniform(0.6, 1.8) * PX_PER_IN)


def _whose(scene: World, places: np.ndarray, at: np.ndarray) -> list[int] | None:
    """Him whose a crop from there is, or nobody; None where that is not asked."""
    away = np.linalg.norm(places - at, axis=1) / PX_PER_IN
    away[[stander.part <= _SEEN for stander in scene.standers]] = np.inf
    k = int(np.argmin(away))
    if away[k] > _NOBODYS_IN:
        return []
    return None if away[k] > _HIS_IN or scene.standers[k].part < _ASKED else [k]


def _within(scene: World, places: np.ndarray, place: Place) -> list[int]:
    """Those who stand in a tile."""
    at = place.to_tile(places)
    inside = (at.min(axis=1) > -3) & (at.max(axis=1) < TILE_PX + 2)
    return [k for k, stander in enumerate(scene.standers) if inside[k] and stander.part > _SEEN]


def _truth(scene: World, places: np.ndarray, place: Place, who: list[int]) -> np.ndarray:
    """A row for each; of a crop of nobody one of NaN."""
    rows = [_row(scene, k, place.to_tile(places[k][None])[0], place) for k in who]
    if not rows and place.side_px == STORED_PX:
        return np.full((1, 6), np.nan)
    return np.concatenate([np.empty((0, 6)), *rows])


def _row(scene: World, k: int, at: np.ndarray, place: Place) -> np.ndarray:
    one = scene.standers[k]
    facing = one.facing_rad - place.turn_rad
    return np.array([[*at, POSTURES.index(one.posture), math.cos(facing), math.sin(facing), one.part]], np.float32)


if __name__ == "__main__":
    main()
