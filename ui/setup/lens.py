"""The lenses of cameras: live calibration with the printed board, and saved profiles. No Qt here.

`calibration.lens` judges single views; the session adds that the board must not move.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from calibration.camera import Lens
from calibration.lens import MIN_VIEWS, BoardView, LensViews, add_view, find_view, view_distance_px
from calibration.lens_fit import LensFit, fit_lens
from calibration.markers import Board, ImageGray
from calibration.profile import lens_document, read_json, read_lens
from rules.tabletop.errors import UserError, user_error
from ui.files import make_folder, write_json
from ui.formatting import sentence
from ui.paper.marker_sheet import LENS_BOARD
from ui.setup.cameras import device_fact
from ui.translation import mark_all_for_translation, tr
from vision.source import is_camera

WANTED_VIEWS = 12
"""More views hardly improve the lens."""

WANTED_PART = 0.8
"""Part of the frame to cover; the board's own border keeps its corners from the edges."""

_STILL_WIDTHS = 1.5 / 1920

# The ninths of `calibration.lens.Coverage.missing`.
mark_all_for_translation("top left", "top centre", "top right")
mark_all_for_translation("middle left", "middle", "middle right")
mark_all_for_translation("bottom left", "bottom centre", "bottom right")


@dataclass(frozen=True, slots=True, eq=False)
class LensSession:
    """The state of the session; every picture leads to the next state.

    Attributes:
        lens_views: The views taken.
        seen: The board in the newest picture; None if it was not found.
        words: What happened to that picture, and what to do.
        taken: Whether it was taken.
        board, dictionary: The board that the player holds.
    """

    lens_views: LensViews
    seen: BoardView | None = None
    words: str = field(
        default_factory=lambda: tr("Hold the printed board in front of the camera, fully in the picture.")
    )
    taken: bool = False
    board: Board = LENS_BOARD
    dictionary: str = "4X4_50"
    _before: BoardView | None = field(default=None, repr=False)

    def with_picture(self, gray: ImageGray) -> LensSession:
        """The session after one more picture, (height, width)."""
        view = find_view(gray, self.board, self.dictionary)
        answer = add_view(self.lens_views, view)
        if answer.accepted and not self._rests(view):
            words = tr("Hold it still for a moment…")
            return replace(self, seen=view, words=words, taken=False, _before=view)
        words = self._next(answer.lens_views) if answer.accepted else answer.refusal
        return replace(
            self, lens_views=answer.lens_views, seen=view, words=sentence(words), taken=answer.accepted, _before=view
        )

    def _rests(self, view: BoardView | None) -> bool:
        """Whether the board is still; a rolling shutter distorts a moving board, and one picture cannot show that."""
        if view is None or self._before is None:
            return False
        return view_distance_px(view, self._before) < max(1.0, _STILL_WIDTHS * self.lens_views.image_size[0])

    def _next(self, lens_views: LensViews) -> str:
        coverage = lens_views.coverage
        if coverage.missing:
            return tr("Picture taken. Hold the board at the {part} of the picture.", part=tr(coverage.missing[0]))
        if coverage.slanted < 2:
            return tr("Picture taken. Tilt the board: hold one side nearer to the camera.")
        if len(lens_views.views) >= WANTED_VIEWS:
            return tr("Picture taken. That is enough.")
        return tr("Picture taken. Hold the board at another place, or tilt it.")

    def without_last(self) -> LensSession:
        """The session without the last picture."""
        lens_views = replace(self.lens_views, views=self.lens_views.views[:-1])
        return replace(self, lens_views=lens_views, words=tr("The last picture is deleted."), taken=False)

    @property
    def can_fit(self) -> bool:
        """Whether there are enough views to compute a lens."""
        return len(self.lens_views.views) >= MIN_VIEWS

    @property
    def is_enough(self) -> bool:
        """Whether more views would hardly help."""
        coverage = self.lens_views.coverage
        return len(self.lens_views.views) >= WANTED_VIEWS and coverage.part >= WANTED_PART and coverage.slanted >= 2

    @property
    def progress(self) -> float:
        """From 0 to 1: the smaller of the parts of views and of the frame."""
        pictures = len(self.lens_views.views) / WANTED_VIEWS
        return min(1.0, pictures, self.lens_views.coverage.part / WANTED_PART)

    def fit(self) -> LensFit:
        """Compute the lens; raises `UserError` as `fit_lens`."""
        return fit_lens(self.lens_views)


def lens_story(views: LensViews, fit: LensFit) -> dict[str, object]:
    """How a lens was measured, for its file."""
    cells = views.coverage.cells.astype(int).tolist()
    return {"views": len(views.views), "residual_px": fit.residual_px, "coverage": cells}


def lens_folder() -> Path:
    """The folder of this user's profiles; it need not exist yet."""
    return user_config_path("sandtable", appauthor=False) / "lenses"


def camera_identity(spec: str, root: Path = Path("/")) -> str:
    """A camera's identity, the same on every USB port; empty if the source is not a camera.

    It is read below `root` from Linux' /dev and /sys; without them, it is the camera's number.
    """
    if not is_camera(spec):
        return ""
    for link in sorted((root / "dev/v4l/by-id").glob("*")):
        if link.is_symlink() and link.readlink().name == f"video{spec}":
            return link.name
    return device_fact(root / f"sys/class/video4linux/video{spec}", "name") or f"camera {spec}"


@dataclass(frozen=True, slots=True)
class StoredProfile:
    """A profile in the folder: its camera, its picture size, and the problem with it, if any."""

    camera: str
    image_size: tuple[int, int]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class LensProfiles:
    """The profiles in a folder, one file for each camera and picture size."""

    folder: Path

    def path_of(self, camera: str, image_size: tuple[int, int]) -> Path:
        """The file for this camera identity and picture size, whether or not it exists."""
        return self.folder / f"{file_name(camera)}-{image_size[0]}x{image_size[1]}.json"

    def keep(self, camera: str, lens: Lens, details: Mapping[str, Any] | None = None) -> Path:
        """Save this lens for this camera and the lens' picture size and details, and return the file.

        Raises `UserError` if the identity is empty, or the file cannot be written.
        """
        if not camera.strip():
            raise user_error("a lens profile belongs to a camera: give the camera a name")
        path = self.path_of(camera, lens.image_size)
        make_folder(path.parent)
        write_json(path, lens_document(lens) | {"camera": camera} | dict(details or {}))
        return path

    def find(self, camera: str, image_size: tuple[int, int]) -> Lens | None:
        """The lens of this camera at this picture size; None if the camera has no profile at all.

        Raises:
            UserError: if its profiles are for other sizes, or the file is broken.
        """
        path = self.path_of(camera, image_size)
        if os.path.isfile(path):
            return self._checked(path, camera, image_size)
        sizes = self.sizes(camera)
        if not sizes:
            return None
        known = ", ".join(f"{width}x{height}" for width, height in sizes)
        raise user_error(
            "the lens profile of {camera} is for pictures of {known}, but these are"
            " {width}x{height}: set the camera to that size, or measure the lens again",
            camera=camera,
            known=known,
            width=image_size[0],
            height=image_size[1],
        )

    def sizes(self, camera: str) -> list[tuple[int, int]]:
        """Picture sizes that this camera has profiles for."""
        found = [re.fullmatch(r".*-(\d+)x(\d+)", path.stem) for path in self.folder.glob(f"{file_name(camera)}-*.json")]
        return sorted((int(match[1]), int(match[2])) for match in found if match)

    def kept(self) -> tuple[StoredProfile, ...]:
        """All profiles, by camera and size; unusable ones have a problem."""
        found = []
        for path in sorted(self.folder.glob("*.json")):
            try:
                camera = str(read_json(path, tr("lens")).get("camera", ""))
                lens = read_lens(path)
                is_named = path == self.path_of(camera, lens.image_size)
                problem = "" if is_named else tr("{path} has the wrong file name", path=path)
                found.append(StoredProfile(camera, lens.image_size, problem))
            except UserError as error:
                found.append(StoredProfile(path.stem, (0, 0), str(error)))
        return tuple(sorted(found, key=lambda kept: (kept.camera, kept.image_size)))

    def _checked(self, path: Path, camera: str, image_size: tuple[int, int]) -> Lens:
        lens = read_lens(path)
        if lens.image_size != image_size or read_json(path, tr("lens")).get("camera") != camera:
            raise user_error(
                "the camera or picture size in the lens file {path} does not match its name: delete it", path=path
            )
        return lens


def file_name(camera: str) -> str:
    """A file name, valid on every system and unique for each camera."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", camera).strip("-").lower()[:60] or "camera"
    digest = hashlib.sha256(camera.encode(errors="surrogatepass")).hexdigest()
    return f"{words}-{digest[:8]}"
