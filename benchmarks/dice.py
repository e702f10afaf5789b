"""How many dice of photographs are read right, how sure the reader was, and what it costs.

Run with `python -m benchmarks.dice FOLDER`. The folder holds `labels.json`: {"faces": {picture: [[face, ...], ...]}},
rows from the top and columns from the left of an even grid; pictures named `eyes_F_N.jpg` show one die, face F.
The baseline, in the same run, is one conversion of the picture to Lab.
"""

import json
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np

from calibration.opencv import cv2
from vision.dice import read_dice
from vision.dice_view import DieSeen
from vision.frame import ImageBgr

Read = list[tuple[int | None, DieSeen | None]]
"""What a die shows (None: no die there) and what was read (None: not found)."""


def matched(found: tuple[DieSeen, ...], faces: list[list[int]], image: ImageBgr) -> Read:
    """Dice by cell of the grid; the surest die of a cell counts, the others were never there."""
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
    """Every picture with its faces."""
    faces = json.loads((folder / "labels.json").read_text("utf-8"))["faces"]
    single = [(path, [[int(path.stem.split("_")[1])]]) for path in sorted(folder.glob("eyes_*.jpg"))]
    return [(folder / name, grid) for name, grid in faces.items()] + single


def report(read: Read) -> None:
    """Confusion, and how often readings of about one confidence are right."""
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


def main(folder: Path) -> None:
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


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m benchmarks.dice FOLDER")
    main(Path(sys.argv[1]))
