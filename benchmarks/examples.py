"""Measure how sure postures are, and how corrected figures improve the reading of similar ones.

    python -m benchmarks.examples FOLDER [--boxes N]

FOLDER holds rendered scenes, as `benchmarks.scenes` reads them; N boxes of random toys that were not used in training
add random tables. Each picture is analysed once; then simulated players correct and confirm random figures, and the
postures of all others are read again, as the program does.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from benchmarks.page import Table
from benchmarks.scenes import SEEN, place_of, rendered
from rules.tabletop.table import Posture
from training.finder.likeness import of_box
from vision.examples import CROP_PX, Appearance, Example, Examples
from vision.frame import Frame
from vision.likeness import signature
from vision.pipeline import Pipeline
from vision.recogniser import Recogniser

_SAME_IN = 1.0
_TRIALS = 8  # random choices of examples per sculpt or picture
_FIRST_BOX = 1000  # boxes with lower numbers trained the metric
_CROP = np.zeros((CROP_PX, CROP_PX, 3), np.uint8)
_NOTHING = Examples()
_SURENESS = (0.0, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """A figure in one picture, with its truth."""

    picture: str
    sculpt: str
    army: str
    posture: Posture
    look: Appearance

    def right(self, examples: Examples = _NOTHING, around: Sequence[Seen] = ()) -> bool:
        """Whether its posture is read correctly with these examples, in a picture with these figures."""
        return examples.posture_of(self.look, examples.bystanders(one.look for one in around)) is self.posture

    def example(self, posture: Posture | None = None) -> Example:
        """The example of a player who states this posture (by default, the true one)."""
        return Example("", self.army, posture or self.posture, self.look.signature, self.look.colour, _CROP)


@dataclass(slots=True)
class Tally:
    """Number of figures of one kind, and how many were read correctly before and after."""

    count: int = 0
    before: int = 0
    after: int = 0

    def add(self, figures: Sequence[Seen], examples: Examples, around: Sequence[Seen]) -> None:
        self.count += len(figures)
        self.before += sum(one.right() for one in figures)
        self.after += sum(one.right(examples, around) for one in figures)

    @property
    def words(self) -> str:
        if not self.count:
            return "-"
        return f"{self.before / self.count:.2f} -> {self.after / self.count:.2f} ({self.count})"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--boxes", type=int, default=12)
    options = parser.parse_args()
    sets = {
        "rendered scenes, clicks": [*of_scenes(options.folder, empty=False)],
        "rendered scenes, with the empty table": [*of_scenes(options.folder, empty=True)],
        "random tables": [*of_boxes(options.boxes)],
    }
    for name, figures in sets.items():
        right = np.mean([one.right() for one in figures])
        print(f"{name}: {len(figures)} figures, posture right before {right:.3f}")
    print(how_sure(sets).markdown())
    print(two_corrections(sets).markdown())
    print(one_after_another(sets).markdown())
    print(wrong_and_elsewhere(sets).markdown())


def of_scenes(folder: Path, *, empty: bool) -> Iterator[Seen]:
    """The figures found in rendered scenes, one click for each army."""
    names = sorted(path.name.removesuffix("_empty.jpg") for path in folder.glob("*_empty.jpg"))
    for name, known in zip(names, rendered(folder), strict=True):
        truth = json.loads((folder / f"{name}.json").read_text())
        men = [one for one in truth["figures"] if one["visible_fraction"] * one["in_frame_fraction"] >= SEEN]
        view = Pipeline().process(
            Frame(known.image_bgr, 0, 0.0), known.setup(known.lens, known.empty_bgr if empty else None)
        )
        for figure in view.figures:
            man = min(men, key=lambda one: math.dist(place_of(one), figure.centre_in))
            look = view.appearances.get(figure.id)
            if look is not None and math.dist(place_of(man), figure.centre_in) < _SAME_IN:
                sculpt = f"{man['pose']} {man['stance']}"
                yield Seen(name, sculpt, man["army"], Posture(man["stance"]), look)


def of_boxes(count: int) -> Iterator[Seen]:
    """Figures of unseen sculpts on random tables, without pictures of the empty table."""
    recogniser = Recogniser()
    for number in range(_FIRST_BOX, _FIRST_BOX + count):
        for look in of_box(number, recogniser):
            if not look.picture.endswith(" 0"):
                seen = Appearance(signature(look.seen.features), look.seen.postures, (("", 1.0),), (0.0, 0.0, 0.0))
                yield Seen(look.picture, look.sculpt, "", look.posture, seen)


def how_sure(sets: dict[str, list[Seen]]) -> Table:
    """How many postures are right among those of which the networks are equally sure."""
    rows = []
    for name, figures in sets.items():
        sure = np.array([max(one.look.postures) for one in figures])
        right = np.array([one.right() for one in figures])
        between = [(sure >= low) & (sure < high) for low, high in pairwise(_SURENESS)]
        rows.append((name, *(f"{right[here].mean():.2f} of {here.sum()}" if here.any() else "-" for here in between)))
    return Table("how sure", ("pictures", *(f"{low} to {high:g}" for low, high in pairwise(_SURENESS))), rows)


def two_corrections(sets: dict[str, list[Seen]]) -> Table:
    """Effect of correcting two misread kneeling figures of a sculpt and confirming some correct ones."""
    rows = []
    for name, figures in sets.items():
        for confirmed in (0, 2, 4):
            rng = np.random.default_rng(1)
            siblings, sculpts, others, cases = Tally(), Tally(), Tally(), 0
            for here, misread in _misread_sculpts(figures):
                cases += 1
                for _ in range(_TRIALS):
                    two = _some(rng, misread, 2)
                    taught = [*two, *_some(rng, [one for one in here if one.right()], confirmed)]
                    examples = Examples().with_added(one.example() for one in taught)
                    left = [one for one in here if one not in taught]
                    own = [one for one in left if one.sculpt == two[0].sculpt]
                    siblings.add([one for one in own if one in misread], examples, here)
                    sculpts.add(own, examples, here)
                    others.add([one for one in left if one not in own], examples, here)
            rows.append((name, str(confirmed), str(cases), siblings.words, sculpts.words, others.words))
    head = ("pictures", "confirmed too", "sculpts", "misread siblings", "all siblings", "all other figures")
    return Table("two corrections", head, rows)


def _misread_sculpts(figures: Sequence[Seen]) -> Iterator[tuple[list[Seen], list[Seen]]]:
    """The figures of each picture, with those of a kneeling sculpt that is misread at least three times."""
    for picture in dict.fromkeys(one.picture for one in figures):
        here = [one for one in figures if one.picture == picture]
        for sculpt in dict.fromkeys(one.sculpt for one in here if one.posture is Posture.KNEELING):
            misread = [one for one in here if one.sculpt == sculpt and not one.right()]
            if len(misread) >= 3:
                yield here, misread


def one_after_another(sets: dict[str, list[Seen]]) -> Table:
    """Number of corrections until a picture is right, with and without learning from them."""
    rows = []
    for name, figures in sets.items():
        pictures = [[one for one in figures if one.picture == name] for name in {one.picture for one in figures}]
        plain = sum(not one.right() for one in figures)
        taught = np.mean([sum(_clicks(here, np.random.default_rng(seed)) for here in pictures) for seed in range(5)])
        rows.append((name, str(len(pictures)), str(plain), f"{taught:.1f}"))
    return Table("one after another", ("pictures", "number", "corrections, not learning", "learning"), rows)


def _clicks(here: Sequence[Seen], rng: np.random.Generator) -> int:
    """Number of corrections until every figure is right; corrected figures stay correct."""
    examples, done = Examples(), []
    while wrong := [one for one in here if one not in done and not one.right(examples, here)]:
        done += _some(rng, wrong, 1)
        examples = examples.with_added([done[-1].example()])
    return len(done)


def wrong_and_elsewhere(sets: dict[str, list[Seen]]) -> Table:
    """Effect of one wrong confirmation, alone and among four correct ones; and of examples from all other pictures."""
    ways: dict[str, Callable[[list[Seen], list[Seen], np.random.Generator], list[Example]]] = {
        "six by chance, of this picture": lambda here, _, rng: [one.example() for one in _some(rng, here, 6)],
        "one, and wrong": lambda here, _, rng: [_lie(_some(rng, here, 1)[0])],
        "one wrong, six right": lambda here, _, rng: [
            *(_lie(one) for one in _some(rng, here[:1], 1)),
            *(one.example() for one in _some(rng, here[1:], 6)),
        ],
        "40 of the other pictures": lambda _, away, rng: [one.example() for one in _some(rng, away, 40)],
    }
    rows = []
    for name, figures in sets.items():
        row = [name]
        for choose in ways.values():
            rng, tally = np.random.default_rng(2), Tally()
            for picture in dict.fromkeys(one.picture for one in figures):
                here = [one for one in figures if one.picture == picture]
                away = [one for one in figures if one.picture != picture]
                for _ in range(_TRIALS):
                    examples = Examples().with_added(choose(here, away, rng))
                    taught = {id(one.signature) for one in examples.all}
                    tally.add([one for one in here if id(one.look.signature) not in taught], examples, here)
            row.append(tally.words)
        rows.append(tuple(row))
    return Table("wrong and elsewhere", ("pictures", *ways), rows)


def _lie(one: Seen) -> Example:
    return one.example(Posture.STANDING if one.posture is Posture.KNEELING else Posture.KNEELING)


def _some(rng: np.random.Generator, figures: Sequence[Seen], count: int) -> list[Seen]:
    chosen = rng.choice(len(figures), min(count, len(figures)), replace=False)
    return [figures[k] for k in chosen.tolist()]


if __name__ == "__main__":
    main()
