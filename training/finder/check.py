"""Evaluate the networks on random tables that were not used in training: `python -m training.finder.check`.

Prints the calibration constants of `vision.recogniser`: the factor for the log odds of the judge alone, the factor and
offset for the mean log odds of the judge and the close-up network, and how far too far out each places figures.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from training.finder.sculpts import sculpt_or_toy
from training.finder.soldiers import toy
from training.finder.tiles import PX_PER_IN, ZOOM, middles, views
from training.finder.worlds import Toys
from vision.recogniser import POSTURES, Look, Recogniser
from vision.tiles import CLOSER_PX_PER_IN, CROP_PX, CROP_PX_PER_IN, tile_at

_MATCH_IN, _EMPTY_IN = 0.5, 0.8  # a crop closer than the first shows the figure; one farther from all shows none
_SEEN, _WHOLE = 0.25, 0.8  # visible share of a figure


@dataclass(frozen=True, slots=True, eq=False)
class Classified:
    """One classified crop, and its truth: no figure, or posture, facing, visible share and offset in pixels."""

    look: Look
    has_figure: bool
    posture: int
    facing_rad: float
    part: float
    away_px: np.ndarray


def main() -> None:
    """Print the evaluation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=80)
    parser.add_argument("--sculpts", action="store_true", help="human bodies for most of the soldiers")
    parser.add_argument("--oblique", action="store_true", help="only where cameras beside the table look obliquely")
    options = parser.parse_args()
    recogniser, toys = Recogniser(), sculpt_or_toy if options.sculpts else toy
    rngs = (np.random.default_rng([options.seed, n]) for n in range(options.worlds))
    samples = [one for rng in rngs for one in _of_world(rng, recogniser, toys, oblique=options.oblique)]
    _print_detection(samples)
    whole = [one for one in samples if one.has_figure and one.part > _WHOLE and one.look.second is not None]
    _print_postures(whole)
    _print_places(whole)


def _of_world(rng: np.random.Generator, recogniser: Recogniser, toys: Toys, *, oblique: bool) -> Iterator[Classified]:
    for scene, view, places in views(rng, toys, oblique=oblique):
        tiles = [tile_at(view.eye_px, np.array(at), ZOOM) for at in middles(rng, places, view.evidence)]
        for look in recogniser.looks(view, recogniser.hints(view, tiles)):
            one = look.candidate
            at = np.array([one.column, one.row])
            if oblique and not tile_at(view.eye_px, at, ZOOM).is_oblique:
                continue
            away_in = np.linalg.norm(places - at, axis=1) / PX_PER_IN
            k = int(np.argmin(away_in))
            is_match, figure = away_in[k] < _MATCH_IN, scene.figures[k]
            if (is_match and figure.part < _SEEN) or (not is_match and away_in[k] < _EMPTY_IN):
                continue
            off = (
                np.zeros(2)
                if look.second is None
                else look.second.place.to_tile(places[k][None])[0] - (CROP_PX - 1) / 2
            )
            yield Classified(look, bool(is_match), POSTURES.index(figure.posture), figure.facing_rad, figure.part, off)


def _print_detection(samples: list[Classified]) -> None:
    has_figure = np.array([one.has_figure for one in samples])
    print(f"{len(samples)} crops, {has_figure.sum()} of figures")
    chance = np.array([one.look.candidate.chance for one in samples])
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        here = (chance >= low) & (chance < high)
        print(f"  probability {low} to {high}: {here.sum()}, figures {has_figure[here].mean():.2f}")
    for least in (0.3, 0.4, 0.5, 0.6):
        predicted = chance >= least
        print(
            f"  threshold {least}: F1 {2 * (predicted & has_figure).sum() / (predicted.sum() + has_figure.sum()):.3f}"
        )
    again = np.array([one.look.second is not None for one in samples])
    judged, closer = (
        np.array([getattr(one.look.second, network)[0] if one.look.second else -9.0 for one in samples])
        for network in ("judged", "closer")
    )
    for name, odds in (("judge", judged), ("close-up", closer), ("both", (judged + closer) / 2)):
        count, offset = minimize(lambda p, o=odds: _cross_entropy(p[0] * o + p[1], has_figure, again), [1.0, 0.0]).x
        predicted = again & (count * odds + offset > 0)
        f1 = 2 * (predicted & has_figure).sum() / (predicted.sum() + has_figure.sum())
        print(f"  {name}: F1 {f1:.3f}, odds times {count:.2f} and {offset:.2f} more")


def _cross_entropy(odds: np.ndarray, true: np.ndarray, samples: np.ndarray) -> float:
    return float(np.mean(np.log1p(np.exp(-np.where(true, odds, -odds)))[samples]))


def _print_postures(whole: list[Classified]) -> None:
    true = np.array([one.posture for one in whole])
    lean = np.array([one.look.second.place.lean for one in whole if one.look.second])
    predicted = {
        network: np.array([getattr(one.look.second, network)[1:5] for one in whole]) for network in ("judged", "closer")
    }
    predicted["both"] = (predicted["judged"] + predicted["closer"]) / 2
    for network, odds in predicted.items():
        right = odds.argmax(axis=1) == true
        leaning = [
            f"{right[(lean >= low) & (lean < high)].mean():.2f}" for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 2))
        ]
        print(
            f"posture, {network}: {right.mean():.3f} of {len(true)}; leaning to 0.2, to 0.4, more: {', '.join(leaning)}"
        )


def _print_places(whole: list[Classified]) -> None:
    answers = np.array([one.look.second.closer for one in whole if one.look.second])
    squeeze = np.array([one.look.second.place.squeeze for one in whole if one.look.second])
    x, y = (answers[:, 7:9] - np.array([one.away_px for one in whole])).T
    error, sigma = np.hypot(x / squeeze, y), np.exp(answers[:, 9]) / squeeze
    near, far = np.percentile(error, (50, 95)) / CLOSER_PX_PER_IN
    ratio = np.sqrt(np.mean((error / sigma) ** 2 / 2))
    print(
        f"place {near:.3f} / {far:.3f} in, error / sigma {ratio:.2f}, within two {(error < 2.448 * sigma).mean():.3f}"
    )
    for least_in, times in ((0.03, 1.0), (0.03, 1.15), (0.03, 1.3), (0.03, 1.5), (0.03, 2.0)):
        wide = np.hypot(least_in * CLOSER_PX_PER_IN, times * sigma)
        print(f"  with {least_in} in more and {times} times: within two {(error < 2.448 * wide).mean():.3f}")
    _print_outward_errors(whole)
    facing_norm = np.hypot(answers[:, 5], answers[:, 6])
    upright = np.array([one.posture < POSTURES.index(POSTURES[-1]) for one in whole])
    away = np.array([one.look.candidate.facing_rad - one.facing_rad for one in whole])
    away = np.abs((np.degrees(away) + 180) % 360 - 180)
    for least in (0.4, 0.5, 0.6):
        confident = upright & (facing_norm > least)
        spread = np.percentile(away[confident], (50, 90)).round()
        print(
            f"  facing surer than {least}: of {confident.mean():.2f}, off by {spread[0]:.0f} / {spread[1]:.0f} degrees"
        )


def _print_outward_errors(whole: list[Classified]) -> None:
    """The errors along the lean, in inches on the table: the more obliquely the camera looks, the larger they are."""
    seconds = [(one.look.second, one.away_px[0] / CLOSER_PX_PER_IN) for one in whole if one.look.second]
    lean, squeeze = np.array([(second.place.lean, second.place.squeeze) for second, _ in seconds]).T
    x_in = np.array([x for _, x in seconds])
    judged_in = np.array([second.judged[7] for second, _ in seconds]) / CROP_PX_PER_IN - x_in
    closer_in = np.array([second.closer[7] for second, _ in seconds]) / CLOSER_PX_PER_IN - x_in
    for low, high in ((0, 0.5), (0.5, 0.9), (0.9, 1.2), (1.2, 1.5), (1.5, 1.9), (1.9, 3)):
        here = (lean >= low) & (lean < high)
        for name, outward_in in (("judge", judged_in), ("close-up", closer_in)):
            if here.any():
                less, middle, more = np.percentile((outward_in / squeeze)[here], (16, 50, 84))
                spread = f"spread {(more - less) / 2:.3f}"
                print(f"  lean {low} to {high}, {name}: {here.sum()} are {middle:+.3f} in too far out, {spread}")


if __name__ == "__main__":
    main()
