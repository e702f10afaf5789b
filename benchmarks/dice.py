"""Measure the dice reader: accuracy, confidence, questions about doubtful dice, and time.

- `python -m benchmarks.dice --drawn` reads throws drawn by the tests' renderer, some leaning, and times a look at a
  tray of 600 x 600 pixels and at a photograph of 12 megapixels.
- `python -m benchmarks.dice --rendered COUNT` draws scenes like those that the networks learned from
  (`training.dice.drawn`), with seeds that were not used for training; `--degraded COUNT` degrades the same scenes as a
  bad camera would: blur, motion, glare, haze, noise, JPEG.
- `python -m benchmarks.dice --scenes FOLDER` reads scenes that `training.dice.traced` rendered.
- `--known` after one of these gives the reader the kind of dice.
- `python -m benchmarks.dice FOLDER` reads photographs: the folder holds `labels.json`: {"faces": {picture: [[face,
  ...], ...]}}, rows from the top and columns from the left of an even grid; pictures named `eyes_F_N.jpg` show one die,
  face F.

"Wrong for certain" are wrong faces, and dice that are none, that the players would not be asked about. The baseline, in
the same run, is one conversion of the picture from BGR to Lab.
"""

import json
import math
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.stopwatch import time_with_baseline
from calibration.opencv import cv2
from tests.vision.dice.pictures import Drawn, Eye, Room, draw
from tests.vision.dice.throws import Throw, throws
from training.dice.drawn import render
from training.dice.samples import Scene, augmented, load, scene_of
from vision.dice.find import read_dice
from vision.dice.tray import SURE, TrayReading
from vision.dice.view import DieKind, DieSeen
from vision.frame import ImageBgr

_SEED = 7001  # of scenes that were not used for training
_CLEAR = 0.6  # visible share from which a top face must be read
_LEVEL_DEG, _LEANING_DEG = 3.0, 12.0

Read = list[tuple[int | None, DieSeen | None]]
"""The true face (None: no die there) and the face that was read (None: not found)."""


def matched(found: tuple[DieSeen, ...], faces: list[list[int]], image: ImageBgr) -> Read:
    """Dice by cell of the grid; the most confident die of a cell counts, the others are false detections."""
    height, width = image.shape[:2]
    cells: dict[tuple[int, int], list[DieSeen]] = {}
    for die in found:
        x, y = die.centre_px
        cells.setdefault((int(y / height * len(faces)), int(x / width * len(faces[0]))), []).append(die)
    read: Read = []
    for r, row in enumerate(faces):
        for c, face in enumerate(row):
            dice = sorted(cells.get((r, c), []), key=lambda die: -die.confidence)
            read.append((face, dice[0] if dice else None))
            read += [(None, die) for die in dice[1:]]
    return read


def labelled(folder: Path) -> list[tuple[Path, list[list[int]]]]:
    """All pictures with their labelled faces."""
    faces = json.loads((folder / "labels.json").read_text("utf-8"))["faces"]
    single = [(path, [[int(path.stem.split("_")[1])]]) for path in sorted(folder.glob("eyes_*.jpg"))]
    return [(folder / name, grid) for name, grid in faces.items()] + single


def certain(die: DieSeen) -> bool:
    """Whether the players would not be asked about this die."""
    return not TrayReading((die,), 0.0).doubtful


def report(read: Read) -> None:
    """Print the accuracy, the confusion matrix, and the accuracy by confidence."""
    dice = [(face, die) for face, die in read if face is not None]
    right = sum(die is not None and die.face == face for face, die in dice)
    wrong = sum(die is not None and die.face != face and certain(die) for face, die in read)
    asked = sum(die is not None and not certain(die) for _, die in dice)
    lost = sum(die is None for _, die in dice)
    share = right / max(len(dice), 1)
    print(f"{right} of {len(dice)} right ({share:.4f}), {lost} not found, {len(read) - len(dice)} that are no dice")
    parts = [count / max(len(dice), 1) for count in (asked, wrong)]
    print(f"{asked} asked about ({parts[0]:.3f}); {wrong} wrong for certain ({parts[1]:.4f})")
    counts = Counter((str(f), str(d.face if d else None)) for f, d in read)
    faces = sorted({face for pair in counts for face in pair}, key=lambda face: (face == "None", len(face), face))
    print("| shows, read as |", " | ".join(faces), "|")
    for shown in faces:
        print(f"| {shown} |", " | ".join(str(counts[shown, face]) for face in faces), "|")
    print("| confidence | readings | right |")
    edges = (0.0, 0.5, SURE, 0.9, 0.95, 0.98, 0.99, 1.01)
    for low, high in pairwise(edges):
        some = [die.face == face for face, die in read if die is not None and low <= die.confidence < high]
        if some:
            print(f"| {low:.2f} to {min(high, 1):.2f} | {len(some)} | {np.mean(some):.4f} |")


def photographs(folder: Path) -> None:
    """Evaluate all labelled pictures."""
    everything: Read = []
    print("picture                     dice  right  extra   ms  Lab ms")
    for path, faces in labelled(folder):
        image = np.asarray(cv2.imread(str(path)), np.uint8)
        began = time.perf_counter()
        found = read_dice(image)
        took = time.perf_counter() - began
        began = time.perf_counter()
        cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
        base = time.perf_counter() - began
        read = matched(found, faces, image)
        right = sum(die is not None and face == die.face for face, die in read)
        extra = sum(face is None for face, _ in read)
        count = len(read) - extra
        print(f"{path.name:26s}  {count:4d}  {right:5d}  {extra:5d}  {took * 1e3:4.0f}  {base * 1e3:5.1f}")
        everything += read
    report(everything)


def away_px(place: tuple[float, float], die: DieSeen) -> float:
    """Distance from a place to the centre of a die's top."""
    return math.dist(die.centre_px, place)


def nearest(found: tuple[DieSeen, ...], throw: Throw) -> Read:
    """Match every drawn die with the reading nearest to its top, within half a side; unmatched readings count too."""
    rest = list(found)
    read: Read = []
    for die, place in zip(throw.dice, throw.places_px(), strict=True):
        best = min(rest, key=partial(away_px, place), default=None)
        if best is not None and math.dist(best.centre_px, place) < 0.45 * throw.eye.side_px:
            rest.remove(best)
            read.append((die.face, best))
        else:
            read.append((die.face, None))
    return read + [(None, die) for die in rest]


def scene_read(scene: Scene, known: bool = False) -> tuple[Read, Read]:
    """The dice of a rendered scene that lie flat, and those that lean; half hidden ones are left out."""
    kind = DieKind.FUDGE if scene.faces.max() > 5 else DieKind.D6
    rest = list(read_dice(scene.image, kind=kind if known else None))
    flat: Read = []
    leaning: Read = []
    for k in np.argsort(-scene.visible).tolist():
        side = scene.sides_px[k]
        best = min(rest, key=partial(away_px, tuple(scene.centres[k])), default=None)
        if best is not None and math.dist(best.centre_px, scene.centres[k]) > 0.4 * side:
            best = None
        if best is not None:
            rest.remove(best)
        face = (1, 2, 3, 4, 5, 6, -1, 0, 1)[scene.faces[k]]
        if best is not None and (best.kind is DieKind.FUDGE) != (scene.faces[k] > 5):
            best = replace(best, face=best.face + 10)  # never right
        if scene.visible[k] >= _CLEAR and scene.leans[k] < _LEVEL_DEG:
            flat.append((face, best))
        elif scene.visible[k] >= _CLEAR and scene.leans[k] > _LEANING_DEG:
            leaning.append((face, best))
    return flat + [(None, die) for die in rest], leaning


def scenes(found: Iterable[Scene], known: bool) -> None:
    """Evaluate rendered scenes by kind of dice."""
    flat: dict[bool, Read] = {False: [], True: []}
    leaning: Read = []
    for scene in found:
        some, tipped = scene_read(scene, known)
        flat[bool(scene.faces.max() > 5)] += some
        leaning += tipped
    for fudge, read in flat.items():
        print("Fudge dice" if fudge else "Six-sided dice")
        report(read)
    asked = sum(die is None or not certain(die) for _, die in leaning)
    print(f"leaning 12 to 35 degrees: {asked} of {len(leaning)} asked about or not read")


def rendered(count: int, seed: int = _SEED, degrade: bool = True) -> Iterable[Scene]:
    """Unseen scenes."""
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        image, dice = render(rng)
        scene = scene_of(image, dice)
        if scene is not None:
            usual = float(np.median(scene.sides_px))
            yield scene.with_image(augmented(rng, image, usual)) if degrade else scene


def drawn(count: int) -> None:
    """Evaluate throws of both kinds of dice."""
    for kind, seed in ((DieKind.D6, 901), (DieKind.FUDGE, 902)):
        slants: dict[float, Read] = {}
        for throw in throws(seed, count, kind is DieKind.FUDGE):
            read = nearest(read_dice(throw.picture(), kind=kind), throw)
            slants.setdefault(throw.eye.slant_deg, []).extend(read)
        print(f"{kind}: {count} throws")
        report([one for read in slants.values() for one in read])
        for slant, read in sorted(slants.items()):
            seen = TrayReading(tuple(die for _, die in read if die is not None), 0.0)
            right = sum(die is not None and die.face == face for face, die in read)
            extra = sum(face is None for face, _ in read)
            print(
                f"  slant {slant:2.0f}: {right} of {len(read) - extra} right, {extra} extra, "
                f"{len(seen.doubtful)} doubtful"
            )


def leaning() -> None:
    """Evaluate throws in which one of three dice leans, seen from above."""
    for lean_deg in (0, 10, 15, 20, 25, 30):
        questioned = []
        for seed in range(8):
            level = [Drawn((seed + k) % 6 + 1, x, 0.0, 37.0 * k) for k, x in ((0, -2.0), (2, 2.0))]
            tipped = Drawn((seed + 4) % 6 + 1, 0.0, 0.2, 53.0 * seed, lean_deg=lean_deg)
            throw = Throw((tipped, *level), Eye((420, 240), 48), Room(seed=seed, grain=3))
            seen = nearest(read_dice(throw.picture(), kind=DieKind.D6), throw)[0][1]
            questioned.append(seen is None or bool(TrayReading((seen,), 0.0).doubtful))
        print(f"leaning {lean_deg:2d} degrees, from above: {sum(questioned)} of {len(questioned)} doubtful or not seen")


def looks() -> None:
    """Time of reading six dice in a tray of 600 x 600 pixels, and 24 in a photograph of 12 megapixels."""
    for name, size, columns, rows in (("600 x 600", (600, 600), 3, 2), ("4000 x 3000", (1000, 750), 6, 4)):
        places = [
            ((k % columns - columns / 2 + 0.5) * 2.2, (k // columns - rows / 2 + 0.5) * 2.2)
            for k in range(columns * rows)
        ]
        dice = [Drawn(k % 6 + 1, x, y, 37.0 * k) for k, (x, y) in enumerate(places)]
        image = draw(dice, Eye(size, 40), Room(grain=3))
        if size[0] > 600:
            image = np.asarray(cv2.resize(image, None, fx=4, fy=4, interpolation=cv2.INTER_CUBIC), np.uint8)
        took = time_with_baseline(partial(read_dice, image), partial(cv2.cvtColor, image, cv2.COLOR_BGR2LAB))
        print(f"{name}, {len(dice)} dice: {took.ms:.0f} ms of the processor, {took.ratio:.0f} x Lab")


def main() -> None:
    """Run one of the measurements."""
    known = "--known" in sys.argv
    match [word for word in sys.argv[1:] if word != "--known"]:
        case ["--drawn"]:
            looks()
            leaning()
            drawn(36)
        case ["--rendered", count]:
            scenes(rendered(int(count), degrade=False), known)
        case ["--degraded", count]:
            scenes(rendered(int(count)), known)
        case ["--scenes", folder]:
            found = (load(path) for path in sorted(Path(folder).glob("*.json")))
            scenes((scene for scene in found if scene is not None), known)
        case [folder] if not folder.startswith("-"):
            photographs(Path(folder))
        case _:
            sys.exit("usage: --drawn | --rendered COUNT | --degraded COUNT | --scenes FOLDER [--known] | FOLDER")


if __name__ == "__main__":
    main()
