"""Assignment of sightings to tracks by the least total distance."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence

import numpy as np

from rules.tabletop.table import Posture
from vision.figure_search import Sighting
from vision.tracks import Track, TrackingSettings

_FORBIDDEN = 1e6


def match(
    tracks: Sequence[Track], sightings: Sequence[Sighting], settings: TrackingSettings, *, any_army: bool
) -> dict[int, int]:
    """Track index to sighting index, within the same army first.

    A confirmed track that is left over also takes a sighting of another army at its very place: one picture may be
    wrong about the colour. With `any_army`, armies do not matter at all.
    """
    found = assign(tracks, sightings, settings.gate_in, armies_alike=_any_army if any_army else operator.eq)
    rows = [k for k in range(len(tracks)) if k not in found and tracks[k].confirmed]
    columns = [j for j in range(len(sightings)) if j not in found.values()]
    others = assign(
        [tracks[k] for k in rows], [sightings[j] for j in columns], settings.jitter_in, armies_alike=_any_army
    )
    return found | {rows[k]: columns[j] for k, j in others.items()}


def _any_army(_: str, __: str) -> bool:
    return True


def assign(
    tracks: Sequence[Track],
    sightings: Sequence[Sighting],
    gate_in: float,
    *,
    armies_alike: Callable[[str, str], bool],
    posture_cost_in: float = 0.0,
    army_cost_in: float = 0.0,
) -> dict[int, int]:
    """Track index to sighting index with the least total cost.

    The cost is the distance, plus the given costs for another posture or army. Pairs beyond the gate, of armies that
    are not alike, or of a vehicle and a soldier are never made.
    """
    if not tracks or not sightings:
        return {}
    from scipy.optimize import linear_sum_assignment  # here, because the window opens before it is needed

    places = np.array([track.place_in for track in tracks])
    seen = np.array([(sighting.x_in, sighting.y_in) for sighting in sightings])
    cost = np.linalg.norm(places[:, None] - seen[None], axis=2)
    cost[cost > gate_in] = _FORBIDDEN
    for k, track in enumerate(tracks):
        for j, sighting in enumerate(sightings):
            one_is_vehicle = (track.posture is Posture.VEHICLE) != (sighting.posture is Posture.VEHICLE)
            if one_is_vehicle or not armies_alike(track.army, sighting.army):
                cost[k, j] = _FORBIDDEN
            cost[k, j] += posture_cost_in * (track.posture is not sighting.posture)
            cost[k, j] += army_cost_in * (track.army != sighting.army)
    pairs = zip(*linear_sum_assignment(cost), strict=True)
    return {int(k): int(j) for k, j in pairs if cost[k, j] < _FORBIDDEN}
