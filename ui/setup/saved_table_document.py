"""Reads and writes a saved table as JSON; an invalid or damaged document is rejected as a whole."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.profile import FARTHEST_IN, SCHEMA
from rules.engine.events import plain
from rules.engine.schema import Reader
from rules.tabletop.errors import UserError
from rules.tabletop.table import Figure, PointIn, TerrainPiece
from rules.tabletop.template import Blast, Flame, Strip, Template, Wedge, Zone
from ui.formatting import Basis
from ui.session import End, Ruler
from ui.setup.saved_examples import examples_document, examples_of
from ui.setup.saved_table import EmptyTable, SavedTable
from ui.table.corrections import (
    Added,
    ArmyChanged,
    Bound,
    Confirmed,
    Correction,
    Deleted,
    Merged,
    PlacedAt,
    PostureSet,
    Renamed,
)
from ui.table.play_area import PlayArea
from vision.frame import ImageBgr
from vision.patch_memory import Spot
from vision.tracks import Tracking

_TEMPLATES: Mapping[str, type[Template]] = {
    "blast": Blast,
    "wedge": Wedge,
    "flame": Flame,
    "strip": Strip,
    "area": Zone,
}
_CORRECTIONS: Mapping[str, type[Correction]] = {
    "confirmed": Confirmed,
    "deleted": Deleted,
    "added": Added,
    "merged": Merged,
    "army": ArmyChanged,
    "posture": PostureSet,
    "placed": PlacedAt,
    "renamed": Renamed,
}
_NOT_PLACES = {"relief", "place_in", "image_size", "matrix", "distortion", "rotation", "translation"}
"""Keys of lists of numbers that are not places on the table."""
_SPOT_SIDE = 15


def document_of(saved: SavedTable, camera: str, picture: str) -> dict[str, Any]:
    """The table as JSON.

    Args:
        saved: The table.
        camera: Identity of its camera.
        picture: File name of the empty table's picture beside the document; ignored if the table has none.
    """
    corrections = list(saved.corrections)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "camera": camera,
        "image_size": list(saved.image_size),
        "markers": [{"id": number, "corners_in": corners.tolist()} for number, corners in saved.markers_in.items()],
        "figure_height_in": saved.figure_height_in,
        "terrain": [plain(piece) for piece in saved.terrain],
        "rulers": [plain(ruler) for ruler in saved.rulers],
        "templates": [{"kind": _kind(_TEMPLATES, template)} | plain(template) for template in saved.templates],
        "basis": str(saved.basis),
        "area": plain(saved.area),
        "corrections": [{"kind": _kind(_CORRECTIONS, change)} | _correction(change) for change in corrections],
        "figures": [plain(figure) for figure in saved.seen.figures],
        "lost": [plain(figure) for figure in saved.seen.lost],
        "known": sorted(saved.known),
        "bound": [[corrections.index(added), name] for added, name in saved.bound.items() if added in corrections],
        "empty": None if saved.empty is None else {"picture": picture} | _camera(saved.empty.camera),
    }
    if saved.examples.all:
        document["examples"] = examples_document(saved.examples)
    short: dict[str, Any] = _short(document)
    return short


def picture_of(document: Mapping[str, Any]) -> str | None:
    """File name of the empty table's picture, or None.

    Raises:
        UserError: if it is not a plain file name, because only the document's own folder may be read.
    """
    empty = document.get("empty")
    if empty is None:
        return None
    name = empty.get("picture") if isinstance(empty, dict) else None
    if not isinstance(name, str) or not name.endswith(".png") or any(sign in name for sign in "/\\:"):
        raise UserError(f"its picture of the empty table is called {name!r}, which is not the name of a picture")
    return name


def table_of(document: Mapping[str, Any], picture_bgr: ImageBgr | None) -> SavedTable:
    """Read a table from a document.

    Args:
        document: As `document_of` makes it.
        picture_bgr: The picture that it names; None if it is missing.

    Raises:
        UserError: if the document is invalid.
    """
    try:
        _check_places({key: value for key, value in document.items() if key != "examples"})
        corrections = tuple(_correction_of(body, f"corrections[{i}]") for i, body in enumerate(document["corrections"]))
        area, empty = document["area"], document["empty"]
        width, height = (int(side) for side in document["image_size"])
        return SavedTable(
            (width, height),
            {int(row["id"]): np.array(row["corners_in"], np.float64).reshape(4, 2) for row in document["markers"]},
            tuple(_each(TerrainPiece, document, "terrain")),
            tuple(map(_ruler, document["rulers"])),
            tuple(_template(body, f"templates[{i}]") for i, body in enumerate(document["templates"])),
            Basis(document["basis"]),
            None if area is None else Reader({}).read(PlayArea, area, "area"),
            corrections,
            float(document["figure_height_in"]),
            Tracking(tuple(_each(Figure, document, "figures")), (), tuple(_each(Figure, document, "lost"))),
            _names(document["known"]),
            _bound(document["bound"], corrections),
            None if empty is None or picture_bgr is None else EmptyTable(picture_bgr, _camera_of(empty)),
            examples_of(document.get("examples"))[0],
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as fault:
        if isinstance(fault, UserError):
            raise
        raise UserError(f"it is damaged ({type(fault).__name__}: {fault})") from fault


def _kind(kinds: Mapping[str, type], value: object) -> str:
    return next(name for name, kind in kinds.items() if type(value) is kind)


def _each(kind: type[Any], document: Mapping[str, Any], key: str) -> Iterable[Any]:
    return (Reader({}).read(kind, body, f"{key}[{i}]") for i, body in enumerate(document[key]))


def _correction(correction: Correction) -> dict[str, Any]:
    match correction:
        case Added(figure, known):
            return {"figure": plain(figure), "known": sorted(known)}
        case Deleted(name, at_in, spot, known):
            seen = None if spot is None else {"place_in": list(spot.place_in), "relief": spot.relief.tolist()}
            return {"id": name, "at_in": list(at_in), "spot": seen, "known": sorted(known)}
        case _:
            body: dict[str, Any] = plain(correction)
            return body


def _correction_of(document: Mapping[str, Any], place: str) -> Correction:
    body = dict(document)
    kind = _CORRECTIONS[body.pop("kind")]
    if kind is Added:
        return Added(Reader({}).read(Figure, body["figure"], place), _names(body["known"]))
    if kind is Deleted:
        x, y = map(float, body["at_in"])
        return Deleted(str(body["id"]), (x, y), _spot(body["spot"]), _names(body["known"]))
    return Reader({}).read(kind, body, place)


def _spot(document: Mapping[str, Any] | None) -> Spot | None:
    if document is None:
        return None
    x, y, z = map(float, document["place_in"])
    relief = np.array(document["relief"], np.float32).reshape(_SPOT_SIDE, _SPOT_SIDE)
    if not np.isfinite((x, y, z, *relief.flat)).all():
        raise ValueError("the appearance of a place has a number that is not finite")
    relief.setflags(write=False)
    return Spot((x, y, z), relief)


def _template(document: Mapping[str, Any], place: str) -> Template:
    body = dict(document)
    return Reader({}).read(_TEMPLATES[body.pop("kind")], body, place)


def _ruler(document: Mapping[str, Any]) -> Ruler:
    return Ruler(_end(document["a"]), _end(document["b"]), tuple(_point(place) for place in document["via"]))


def _end(found: Any) -> End:
    return found if isinstance(found, str) else _point(found)


def _point(found: Any) -> PointIn:
    x, y = map(float, found)
    return (x, y)


def _bound(pairs: Iterable[Any], corrections: tuple[Correction, ...]) -> Bound:
    found = {corrections[int(number)]: str(name) for number, name in pairs}
    return {added: name for added, name in found.items() if isinstance(added, Added)}


def _names(found: Iterable[Any]) -> frozenset[str]:
    return frozenset(map(str, found))


def _camera(camera: TableCamera) -> dict[str, Any]:
    return {
        "image_size": list(camera.lens.image_size),
        "matrix": camera.lens.matrix.tolist(),
        "distortion": camera.lens.distortion.tolist(),
        "rotation": camera.rotation.tolist(),
        "translation": camera.translation.tolist(),
    }


def _camera_of(document: Mapping[str, Any]) -> TableCamera:
    width, height = (int(side) for side in document["image_size"])
    lens = Lens((width, height), document["matrix"], document["distortion"])
    return TableCamera(lens, document["rotation"], document["translation"])


def _short(value: Any) -> Any:
    """The document with its numbers rounded; seven decimals are far below a thousandth of a pixel or inch."""
    if isinstance(value, float):
        return round(value, 7)
    if isinstance(value, dict):
        return {key: _short(inner) for key, inner in value.items()}
    return [_short(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def _check_places(value: Any, key: str = "") -> None:
    """Check that every place has two numbers and lies within any possible table."""
    if isinstance(value, dict):
        for name, inner in value.items():
            _check_places(inner, name)
    elif isinstance(value, list) and key not in _NOT_PLACES:
        numbers = [inner for inner in value if isinstance(inner, (int, float)) and not isinstance(inner, bool)]
        if numbers and key != "bound" and (len(value) != 2 or max(map(abs, numbers)) > FARTHEST_IN):
            raise UserError(f"{key} has the place {value}: a place is x and y within {FARTHEST_IN:g} in")
        for inner in value:
            _check_places(inner, key)
