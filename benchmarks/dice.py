"""Measure the dice reader: accuracy, confidence, questions about leaning dice, and time.

`python -m benchmarks.dice --drawn` draws throws of six-sided and Fudge dice (with seeds not used for tuning), some
leaning, and times reading a tray of 600 x 600 pixels. `python -m benchmarks.dice FOLDER` reads photographs: the
folder holds `labels.json`: {"faces": {picture: [[face, ...], ...]}}, rows from the top and columns from the left of an
even grid; pictures named `eyes_F_N.jpg` show one die, face F. The baseline, in the same run, is one conversion of the
picture to Lab.
"""

import json
import math
import sys
import time
from collections import Counter
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np

from calibration.opencv import cv2
from tests.vision.dice.pictures import Drawn, Eye, Room, draw
from tests.vision.dice.throws import Throw, throws
from vision.dice.find import read_dice
from vision.dice.tray import TrayReading
from vision.dice.view import DieKind, DieSeen
from vision.frame import ImageBgr

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


def report(read: Read) -> None:
    """Print the confusion matrix, and the accuracy by confidence."""
    dice = [(face, die) for face, die in read if face is not None]
    right = sum(die is not None and die.face == face for face, die in dice)
    print(f"{right} of {len(dice)} dice right ({right / len(dice):.3f}), {len(read) - len(dice)} that are no dice")
    for (face, got), count in sorted(Counter((str(f), str(d.face if d else None)) for f, d in read).items()):
        if face != got:
            print(f"  shows {face}, read {got}: {count}")
    print("confidence  readings  right")
    edges = (0.0, 0.3, 0.5, 0.7, 0.8, 0.9, 1.01)
    for low, high in pairwise(edges):
        some = [die.face == face for face, die in read if die is not None and low <= die.confidence < high]
        if some:
            print(f"  {low:.1f}-{min(high, 1):.1f}   {len(some):7d}  {np.mean(some):6.3f}")


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
    """Processor time of reading six dice in a tray of 600 x 600 pixels."""
    for kind, faces in ((DieKind.D6, (1, 2, 3, 4, 5, 6)), (DieKind.FUDGE, (1, -1, 0, 1, 0, -1))):
        places = [((k % 3 - 1) * 2.2, k // 3 * 2.4 - 1.2) for k in range(6)]
        dice = [
            Drawn(face, x, y, 37.0 * k, fudge=kind is DieKind.FUDGE)
            for k, (face, (x, y)) in enumerate(zip(faces, places, strict=True))
        ]
        image = draw(dice, Eye((600, 600), 40), Room(grain=3))
        took, base = [], []
        for _ in range(15):
            began = time.process_time()
            read_dice(image, kind=kind)
            middle = time.process_time()
            cv2.cvtColor(image, cv2.COLOR_BGR2LAB)
            took.append(middle - began)
            base.append(time.process_time() - middle)
        best, usual = min(took) * 1e3, float(np.median(took)) * 1e3
        print(f"{kind}: a look takes {best:.0f} ms (median {usual:.0f}), Lab {min(base) * 1e3:.1f}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.dice --drawn | FOLDER")
    if sys.argv[1] == "--drawn":
        looks()
        leaning()
        drawn(36)
    else:
        photographs(Path(sys.argv[1]))
