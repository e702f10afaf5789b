"""`python -m training.finder.check`: how well the networks do on random tables that they did not learn from.

Prints what `vision.recogniser` holds as constants: by how much the judge alone is too timid, and what the mean of the
judge's and the closer look's odds must be multiplied with, and raised by, to mean what it says.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize

from training.finder.tiles import PX_PER_IN, ZOOM, middles, views
from vision.recogniser import POSTURES, Look, Recogniser
from vision.tiles import CLOSER_PX_PER_IN, CROP_PX, tile_at

_HIS_IN, _NOBODYS_IN = 0.5, 0.8  # as near as this to somebody a look is at him, and farther than that at nobody
_SEEN, _WHOLE = 0.25, 0.8  # part of a figure


@dataclass(frozen=True, slots=True, eq=False)
class Asked:
    """One look, and the truth about whom it was at: nobody, or his posture, facing, part seen and offset in pixels."""

    look: Look
    somebody: bool
    posture: int
    facing_rad: float
    part: float
    away_px: np.ndarray


def main() -> None:
    """Print the check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--worlds", type=int, default=120)
    parser.add_argument("--seed", type=int, default=80)
    options = parser.parse_args()
    recogniser = Recogniser()
    asked = [
        one for n in range(options.worlds) for one in _of_world(np.random.default_rng([options.seed, n]), recogniser)
    ]
    _chances(asked)
    whole = [one for one in asked if one.somebody and one.part > _WHOLE and one.look.second is not None]
    _postures(whole)
    _places(whole)


def _of_world(rng: np.random.Generator, recogniser: Recogniser) -> Iterator[Asked]:
    for scene, view, places in views(rng):
        tiles = [tile_at(view.eye_px, np.array(at), ZOOM) for at in middles(rng, places, view.evidence)]
        for look in recogniser.looks(view, recogniser.hints(view, tiles)):
            one = look.candidate
            at = np.array([one.column, one.row])
            away_in = np.linalg.norm(places - at, axis=1) / PX_PER_IN
            k = int(np.argmin(away_in))
            his, him = away_in[k] < _HIS_IN, scene.standers[k]
            if (his and him.part < _SEEN) or (not his and away_in[k] < _NOBODYS_IN):
                continue
            off = (
                np.zeros(2)
                if look.second is None
                else look.second.place.to_tile(places[k][None])[0] - (CROP_PX - 1) / 2
            )
            yield Asked(look, bool(his), POSTURES.index(him.posture), him.facing_rad, him.part, off)


def _chances(asked: list[Asked]) -> None:
    somebody = np.array([one.somebody for one in asked])
    print(f"{len(asked)} looks, {somebody.sum()} at somebody")
    chance = np.array([one.look.candidate.chance for one in asked])
    for low, high in ((0, 0.1), (0.1, 0.3), (0.3, 0.5), (0.5, 0.7), (0.7, 0.9), (0.9, 1.01)):
        here = (chance >= low) & (chance < high)
        print(f"  said to be somebody {low} to {high}: {here.sum()}, somebody {somebody[here].mean():.2f}")
    for least in (0.3, 0.4, 0.5, 0.6):
        said = chance >= least
        print(f"  believed from {least}: F1 {2 * (said & somebody).sum() / (said.sum() + somebody.sum()):.3f}")
    again = np.array([one.look.second is not None for one in asked])
    judged, closer = (
        np.array([getattr(one.look.second, who)[0] if one.look.second else -9.0 for one in asked])
        for who in ("judged", "closer")
    )
    for name, odds in (("judge", judged), ("closer look", closer), ("both", (judged + closer) / 2)):
        count, timid = minimize(lambda p, o=odds: _surprise(p[0] * o + p[1], somebody, again), [1.0, 0.0]).x
        said = again & (count * odds + timid > 0)
        f1 = 2 * (said & somebody).sum() / (said.sum() + somebody.sum())
        print(f"  {name}: F1 {f1:.3f}, odds times {count:.2f} and {timid:.2f} more")


def _surprise(odds: np.ndarray, true: np.ndarray, asked: np.ndarray) -> float:
    return float(np.mean(np.log1p(np.exp(-np.where(true, odds, -odds)))[asked]))


def _postures(whole: list[Asked]) -> None:
    true = np.array([one.posture for one in whole])
    lean = np.array([one.look.second.place.lean for one in whole if one.look.second])
    said = {who: np.array([getattr(one.look.second, who)[1:5] for one in whole]) for who in ("judged", "closer")}
    said["both"] = (said["judged"] + said["closer"]) / 2
    for who, odds in said.items():
        right = odds.argmax(axis=1) == true
        leaning = [
            f"{right[(lean >= low) & (lean < high)].mean():.2f}" for low, high in ((0, 0.2), (0.2, 0.4), (0.4, 2))
        ]
        print(f"posture, {who}: {right.mean():.3f} of {len(true)}; leaning to 0.2, to 0.4, more: {', '.join(leaning)}")


def _places(whole: list[Asked]) -> None:
    answers = np.array([one.look.second.closer for one in whole if one.look.second])
    error = np.hypot(*(answers[:, 7:9] - np.array([one.away_px for one in whole])).T)
    sigma = np.exp(answers[:, 9])
    near, far = np.percentile(error, (50, 95)) / CLOSER_PX_PER_IN
    claimed = np.sqrt(np.mean((error / sigma) ** 2 / 2))
    print(
        f"place {near:.3f} / {far:.3f} in, error / sigma {claimed:.2f}, within two {(error < 2.448 * sigma).mean():.3f}"
    )
    for least_in, times in ((0.03, 1.0), (0.03, 1.15), (0.03, 1.3), (0.03, 1.5)):
        wide = np.hypot(least_in * CLOSER_PX_PER_IN, times * sigma)
        print(f"  with {least_in} in more and {times} times: within two {(error < 2.448 * wide).mean():.3f}")
    sure = np.hypot(answers[:, 5], answers[:, 6])
    upright = np.array([one.posture < POSTURES.index(POSTURES[-1]) for one in whole])
    away = np.array([one.look.candidate.facing_rad - one.facing_rad for one in whole])
    away = np.abs((np.degrees(away) + 180) % 360 - 180)
    for least in (0.4, 0.5, 0.6):
        told = upright & (sure > least)
        spread = np.percentile(away[told], (50, 90)).round()
        print(f"  facing surer than {least}: of {told.mean():.2f}, off by {spread[0]:.0f} / {spread[1]:.0f} degrees")


if __name__ == "__main__":
    main()
