"""Proposed armies: figures that were recognised in any colour, grouped by their plastic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from string import ascii_uppercase

import numpy as np
import numpy.typing as npt

from rules.tabletop.table import FloatArray, PointIn
from vision.palette import ArmyColour, FloatImage, Palette, learn_colour, merged
from vision.stock_colours import stock_colour, stock_names

_SAME_PLASTIC = 0.2  # distance in log colour within one army, most of it from light to shade
_LIGHT_WEIGHT = 0.25  # of log brightness in that distance: one army stands both in sun and in shade
_SATURATION_WEIGHT = 0.7  # of saturation in it: highlights and haze make a plastic paler but keep its hue
_GREY = 0.2  # saturation below which hue is undefined
_LEAST_PX = 16  # of plastic; a figure with less does not count
_LEAST_FIGURES = 2  # in an army
_UPPER, _LEAST_CHANCE = 0.75, 0.93  # quantile of the chances of an army's figures, and its least value
_LEAST_SINGLE = 0.7  # chance of a figure that counts
_MOST_ARMIES = 6
_ALIKE = 0.3  # distance in log colour between a taught army and the group of its figures
_ONE_COLOUR = 0.1  # least distance in log colour between two halves that are different armies
_CLEAR_GAP = 6.0  # times as far apart in hue as each half's own figures: nearer than `_SAME_PLASTIC`, yet two plastics
_MOST_FIGURES = 0.9  # of a half; the others may be tinged by what stands beside them
_SHADOW_IN = 3.0  # largest distance from a 54 mm soldier to the middle of its shadow that looks like a figure
_SHADOW_CHANCE = 0.95  # the networks are less sure of most shadows
_MOST_SHADOWS, _ONE_SIDE = 0.65, 0.8  # share of a group that lies beside figures, and how nearly on one side of them


@dataclass(frozen=True, slots=True, eq=False)
class FigurePlastic:
    """The visible plastic of one figure.

    Attributes:
        chance: Probability, 0 to 1, that it is a figure.
        colours: (N, 3) its log colours.
        at_in: Its place on the table.
    """

    chance: float
    colours: FloatImage
    at_in: PointIn = (0.0, 0.0)


SearchFor = Callable[[Palette], Sequence[Sequence[FigurePlastic]]]
"""Finds the figures of each army of a palette in the same picture."""


def proposed_palette(
    figures: Sequence[FigurePlastic], search_for: SearchFor | None = None, scale: float = 1.0
) -> Palette:
    """The armies of some figures, sure ones and large ones first, each named after the nearest stock colour.

    Shadows and prints that look like figures form groups too, but the networks are less sure of those. They may also
    be unsure of soldiers whose colour is hardly rare on the table, until they look for that very colour.

    Args:
        figures: Figures that were recognised in any colour.
        search_for: Checks the doubtful groups; if None, they are dropped.
        scale: Size of the figures relative to 54 mm soldiers.
    """
    figures = [one for one in figures if one.chance > _LEAST_SINGLE and len(one.colours) >= _LEAST_PX]
    if len(figures) < _LEAST_FIGURES:
        return ()
    middles = np.array([np.median(figure.colours, axis=0) for figure in figures], np.float64)
    labels = _clustered(middles, _SAME_PLASTIC, "distance")
    alike = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    groups = [[figures[k] for k in one] for indices in alike for one in _plastics(indices, middles)]
    groups = [group for group, are_shadows in zip(groups, shadows(groups, scale), strict=True) if not are_shadows]
    groups.sort(key=lambda group: (_is_army(group), len(group)), reverse=True)
    groups = [group for group in groups if _is_army(group) or (search_for and len(group) >= _LEAST_FIGURES)]
    groups = groups[:_MOST_ARMIES]
    armies = named(tuple(learn_colour(np.concatenate([one.colours for one in group]), "") for group in groups))
    if search_for is None or all(map(_is_army, groups)):
        return armies
    again = zip(armies, groups, search_for(armies), strict=True)
    return named(tuple(army for army, group, found in again if _is_army(group) or _is_confirmed(group, found)))


def _plastics(indices: npt.NDArray[np.intp], middles: FloatArray) -> list[npt.NDArray[np.intp]]:
    """A group of figures, divided in two if both halves have nearly one hue and the hues are clearly apart.

    Green and tan in the same lamp may be 0.19 apart. Shade and highlights keep the hue, so they divide no army.
    """
    if len(indices) < 2 * _LEAST_FIGURES:
        return [indices]
    labels = _clustered(middles[indices], 2, "maxclust")
    parts = [indices[labels == label] for label in np.unique(labels)]
    if len(parts) < 2 or min(map(len, parts)) < _LEAST_FIGURES:
        return [indices]
    centres = [np.median(middles[part], axis=0) for part in parts]
    away = [[_hue_distance(middles[k], centre) for k in part] for part, centre in zip(parts, centres, strict=True)]
    spread = max(float(np.quantile(one, _MOST_FIGURES)) for one in away)
    return parts if _hue_distance(*centres) > max(_ONE_COLOUR, _CLEAR_GAP * spread) else [indices]


def _hue_distance(one: FloatArray, other: FloatArray) -> float:
    """The part of two log colours' distance that is across their mean saturation; 0 for greys."""
    away, middle = one - other, (one + other) / 2
    saturation = math.hypot(middle[0], middle[1])
    return abs(float(away[0] * middle[1] - away[1] * middle[0])) / saturation if saturation > _GREY else 0.0


def _clustered(middles: FloatArray, limit: float, criterion: str) -> npt.NDArray[np.intp]:
    """The number of each colour's cluster."""
    from scipy.cluster.hierarchy import fcluster, linkage  # here, because the window opens before it is needed
    from scipy.spatial.distance import pdist

    return np.asarray(fcluster(linkage(pdist(middles, _distance), "average"), limit, criterion), np.intp)


def _is_army(group: Sequence[FigurePlastic]) -> bool:
    return len(group) >= _LEAST_FIGURES and float(np.quantile([one.chance for one in group], _UPPER)) > _LEAST_CHANCE


def shadows(groups: Sequence[Sequence[FigurePlastic]], scale: float = 1.0) -> list[bool]:
    """Whether each group consists of the shadows of other groups' figures."""
    return [_are_shadows(group, groups, _SHADOW_IN * scale) for group in groups]


def _are_shadows(group: Sequence[FigurePlastic], groups: Sequence[Sequence[FigurePlastic]], reach_in: float) -> bool:
    """Whether a group consists of the shadows of other groups' figures.

    The networks are not sure of most of them, and they lie beside brighter figures of which they are sure, all on one
    side. Soldiers may stand like this beside others too, but then the networks are sure of both.
    """
    if len(group) < _LEAST_FIGURES or float(np.median([one.chance for one in group])) > _SHADOW_CHANCE:
        return False
    others = (one for other in groups if other is not group for one in other)
    casters = [(one.at_in, _brightness(one)) for one in others if one.chance > _SHADOW_CHANCE]
    sides = []
    for one in group:
        own = _brightness(one)
        away = [np.subtract(one.at_in, at_in) for at_in, brightness in casters if brightness > own]
        nearest = min(away, key=_length, default=None)
        if nearest is not None and 0 < _length(nearest) < reach_in:
            sides.append(nearest / _length(nearest))
    return len(sides) >= _MOST_SHADOWS * len(group) and _length(np.mean(sides, axis=0)) > _ONE_SIDE


def _brightness(figure: FigurePlastic) -> float:
    return float(np.median(figure.colours[:, 2]))


def _length(vector: FloatArray) -> float:
    return float(np.hypot(vector[0], vector[1]))


def _is_confirmed(group: Sequence[FigurePlastic], found: Sequence[FigurePlastic]) -> bool:
    """Whether a search for the colour of a doubtful group finds more of it, and more surely.

    A search for the colour of a shadow or a print finds the same ones again.
    """
    return len(found) > len(group) and _is_army(found)


def halves(plastics: Sequence[FloatImage]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The two groups of figures whose colours differ most, the larger first; None if all have nearly one colour.

    Args:
        plastics: (N, 3) log colours of each figure's plastic.

    Returns:
        Indices of the figures of each group; a figure with too few pixels is in neither.
    """
    seen = [k for k, colours in enumerate(plastics) if len(colours) >= _LEAST_PX]
    if len(seen) < 2:
        return None
    middles = np.array([np.median(plastics[k], axis=0) for k in seen], np.float64)
    labels = _clustered(middles, 2, "maxclust")
    one, two = (middles[labels == label] for label in (1, 2))
    if not len(two) or _distance(one.mean(axis=0), two.mean(axis=0)) < _ONE_COLOUR:
        return None
    groups = [tuple(k for k, own in zip(seen, labels, strict=True) if own == label) for label in (1, 2)]
    larger, smaller = sorted(groups, key=len, reverse=True)
    return larger, smaller


def with_new_armies(before: Palette, now: Palette) -> Palette:
    """The armies proposed before, unchanged, and those of `now` whose plastic is new."""
    new = [army for army in now if all(_apart(army, other) > _SAME_PLASTIC for other in before)]
    return (*before, *named(tuple(new), taken=frozenset(army.name for army in before)))


def refined_by_groups(palette: Palette, groups: Palette) -> Palette:
    """The taught armies, each refined by the group of figures with the most similar plastic, if any is similar."""
    if not (palette and groups):
        return palette
    from scipy.optimize import linear_sum_assignment  # here, because the window opens before it is needed

    away = np.array([[_apart(army, group) for group in groups] for army in palette])
    pairs = dict(zip(*(axis.tolist() for axis in linear_sum_assignment(away)), strict=True))
    return tuple(
        merged(army, groups[pairs[k]]) if k in pairs and away[k, pairs[k]] < _ALIKE else army
        for k, army in enumerate(palette)
    )


def named(armies: Palette, taken: frozenset[str] = frozenset()) -> Palette:
    """The same armies, each named after the nearest stock colour, with a letter if that name is taken."""
    out: list[ArmyColour] = []
    used = set(taken)
    for army in armies:
        colour = min(stock_names(), key=lambda name: _unlikeness(army.mean, stock_colour(name).mean))
        name = next(name for name in _lettered(colour) if name not in used)
        used.add(name)
        out.append(replace(army, name=name))
    return tuple(out)


def _lettered(name: str) -> Iterator[str]:
    """The name, then with a letter; with a number, the army "tan 2" would read like its soldier "Tan 2"."""
    yield name
    yield from (f"{name} {letter}" for letter in chain(ascii_uppercase[1:], count(27)))


def _apart(one: ArmyColour, other: ArmyColour) -> float:
    return _distance(one.mean, other.mean)


def _distance(one: FloatArray, other: FloatArray) -> float:
    """Distance of two log colours as plastics."""
    away, middle = one - other, (one + other) / 2
    saturation = math.hypot(middle[0], middle[1])
    along = float(away[:2] @ middle[:2]) / saturation if saturation > _GREY else 0.0
    squared = float(away[:2] @ away[:2]) - (1 - _SATURATION_WEIGHT**2) * along**2 + (_LIGHT_WEIGHT * away[2]) ** 2
    return math.sqrt(squared)


def _unlikeness(colour: FloatArray, usual: FloatArray) -> float:
    """Distance of a colour to a stock colour for naming: mostly by hue, since lamps and shade change the rest."""
    saturation, its = math.hypot(colour[0], colour[1]), math.hypot(usual[0], usual[1])
    light = 2 * _LIGHT_WEIGHT * float(colour[2] - usual[2])
    if its < _GREY:
        return math.hypot(saturation / _GREY, light)
    hue = float(np.linalg.norm(colour[:2] / max(saturation, 1e-6) - usual[:2] / its))
    return math.hypot(hue, 0.5 * (saturation - its), light)
