"""Reads and writes a saved table as JSON. A damaged document is rejected as a whole; a damaged example is dropped."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from calibration.camera import Lens, TableCamera
from calibration.opencv import cv2
from calibration.profile import SCHEMA
from rules.engine.events import plain
from rules.engine.schema import Reader
from rules.tabletop.errors import UserError, user_error
from rules.tabletop.table import FARTHEST_IN, Figure, PointIn, Posture, TerrainPiece
from rules.tabletop.template import Blast, Flame, Strip, Template, Wedge, Zone
from ui.formatting import Basis
from ui.session import End, Ruler, TableState
from ui.setup.saved_table import SavedTable
from ui.table.corrections import (
    Added,
    ArmyChanged,
    Bound,
    Confirmed,
    Correction,
    Deleted,
    FacingSet,
    Merged,
    PlacedAt,
    PostureSet,
    Renamed,
    SizeSet,
)
from ui.table.play_area import PlayArea
from ui.translation import tr, tr_count
from vision.examples import CROP_PX, MOST_EXAMPLES, Example, Examples
from vision.frame import ImageBgr
from vision.likeness import DIRECTIONS, unit, version
from vision.patch_memory import Spot
from vision.setup import Setup
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
    "facing": FacingSet,
    "size": SizeSet,
    "renamed": Renamed,
}
_NOT_PLACES = {"relief", "place_in", "image_size", "matrix", "distortion", "rotation", "translation"}
"""Keys of lists of numbers that are not places on the table."""
_SPOT_SIDE = 15


def document_of(saved: SavedTable, camera: str, picture: str) -> dict[str, Any]:
    """The table as JSON; `picture` is the file of the empty table's picture beside the document, if there is one."""
    state, setup, corrections = saved.state, saved.state.setup, list(saved.state.corrections)
    camera_then = None if setup.reference_bgr is None else setup.reference_camera
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "camera": camera,
        "image_size": list(saved.image_size),
        "markers": [{"id": number, "corners_in": corners.tolist()} for number, corners in saved.markers_in.items()],
        "figure_height_in": setup.figure_height_in,
        "terrain": [plain(piece) for piece in setup.terrain],
        "rulers": [plain(ruler) for ruler in state.rulers],
        "templates": [{"kind": _kind(_TEMPLATES, template)} | plain(template) for template in state.templates],
        "basis": str(state.basis),
        "area": plain(state.area),
        "corrections": [{"kind": _kind(_CORRECTIONS, change)} | _correction(change) for change in corrections],
        "figures": [plain(figure) for figure in saved.seen.figures],
        "lost": [plain(figure) for figure in saved.seen.lost],
        "known": sorted(saved.known),
        "bound": [[corrections.index(added), name] for added, name in saved.bound.items() if added in corrections],
        "empty": None if camera_then is None else {"picture": picture} | _camera(camera_then),
    }
    if setup.examples.all:
        document["examples"] = examples_document(setup.examples)
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
        raise user_error(
            "its picture of the empty table is called {name!r}, which is not the name of a picture", name=name
        )
    return name


def table_of(document: Mapping[str, Any], picture_bgr: ImageBgr | None) -> SavedTable:
    """Read a table from a document of `document_of` and the picture that it names, None if that is missing.

    Raises `UserError` if the document is invalid.
    """
    try:
        _check_places({key: value for key, value in document.items() if key != "examples"})
        corrections = tuple(_correction_of(body, f"corrections[{i}]") for i, body in enumerate(document["corrections"]))
        area, empty = document["area"], document["empty"]
        width, height = (int(side) for side in document["image_size"])
        setup = Setup(
            reference_bgr=None if empty is None else picture_bgr,
            reference_camera=None if empty is None or picture_bgr is None else _camera_of(empty),
            terrain=tuple(_each(TerrainPiece, document, "terrain")),
            figure_height_in=float(document["figure_height_in"]),
            examples=examples_of(document.get("examples"))[0],
        )
        state = TableState(
            setup,
            tuple(map(_ruler, document["rulers"])),
            tuple(_template(body, f"templates[{i}]") for i, body in enumerate(document["templates"])),
            Basis(document["basis"]),
            corrections,
            None if area is None else Reader({}).read(PlayArea, area, "area"),
        )
        return SavedTable(
            (width, height),
            {int(row["id"]): np.array(row["corners_in"], np.float64).reshape(4, 2) for row in document["markers"]},
            state,
            Tracking(tuple(_each(Figure, document, "figures")), (), tuple(_each(Figure, document, "lost"))),
            _names(document["known"]),
            _bound(document["bound"], corrections),
        )
    except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError) as fault:
        if isinstance(fault, UserError):
            raise
        raise user_error("it is damaged ({kind}: {reason})", kind=type(fault).__name__, reason=fault) from fault


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
            raise user_error(
                "{key} has the place {value}: a place is x and y within {farthest:g} in",
                key=key,
                value=value,
                farthest=FARTHEST_IN,
            )
        for inner in value:
            _check_places(inner, key)


_MAX_PNG_BYTES = 16_000  # more than 40 x 40 pixels of noise need
_MAX_SIGNATURE = 1e6  # signatures are stored as unit vectors
_MAX_NAME = 100
_MIN_LOG_COLOUR = -30.0


def examples_document(examples: Examples) -> dict[str, Any]:
    """The examples as JSON; `networks` is the version that made their signatures."""
    return {"networks": version(), "all": [_document_of_one(example) for example in examples.all]}


def examples_of(document: object) -> tuple[Examples, str]:
    """The examples of a document, if something was learned, and a sentence about lost ones, empty if none are."""
    if document is None:
        return Examples(), ""
    body = document if isinstance(document, dict) else {}
    found = body.get("all")
    if not isinstance(found, list):
        return Examples(), tr("The examples cannot be read: confirm or correct some soldiers again.")
    if body.get("networks") != version():
        return Examples(), tr(
            "The examples are from another version of Sandtable: confirm or correct some soldiers again."
        )
    good: list[Example] = []
    for body_of_one in found[-MOST_EXAMPLES:]:
        try:
            good.append(_example_of(body_of_one))
        except (KeyError, TypeError, ValueError, OverflowError, binascii.Error, cv2.error):
            continue
    lost = len(found[-MOST_EXAMPLES:]) - len(good)
    remark = tr_count(
        "{count} example is damaged and was removed; the others are kept.",
        "{count} examples are damaged and were removed; the others are kept.",
        lost,
    )
    return Examples(tuple(good)), remark if lost else ""


def _document_of_one(example: Example) -> dict[str, Any]:
    _, png = cv2.imencode(".png", example.crop_bgr)
    return {
        "name": example.name,
        "army": example.army,
        "posture": str(example.posture),
        "signature": [round(float(value), 4) for value in example.signature],
        "colour": [round(value, 4) for value in example.colour],
        "crop": base64.b64encode(png.tobytes()).decode("ascii"),
    }


def _example_of(document: Mapping[str, Any]) -> Example:
    """One example. Raises one of the errors that `examples_of` counts if it is damaged."""
    numbers = np.array(document["signature"], np.float64)
    first, second, third = (float(value) for value in document["colour"])
    posture, names = Posture(document["posture"]), (document["name"], document["army"])
    is_valid = (
        numbers.shape == (DIRECTIONS,)
        and np.isfinite([*numbers, first, second, third]).all()
        and np.abs(numbers).max() <= _MAX_SIGNATURE
        and np.linalg.norm(numbers.astype(np.float32)) > 0
        and min(first, second, third) >= _MIN_LOG_COLOUR
        and posture is not Posture.VEHICLE
        and all(isinstance(name, str) and 0 < len(name) <= _MAX_NAME for name in names)
    )
    png = base64.b64decode(document["crop"], validate=True)
    if not is_valid or not png.startswith(b"\x89PNG") or len(png) > _MAX_PNG_BYTES:
        raise ValueError("an example is damaged")
    crop = cv2.imdecode(np.frombuffer(png, np.uint8), cv2.IMREAD_COLOR)
    if crop is None or crop.shape != (CROP_PX, CROP_PX, 3):
        raise ValueError("the picture of an example is damaged")
    signature = unit(numbers.astype(np.float32))
    return Example(*names, posture, signature, (first, second, third), np.asarray(crop, np.uint8))
