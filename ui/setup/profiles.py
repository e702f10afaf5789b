"""Saved lens profiles, by camera and picture size."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from platformdirs import user_config_path

from calibration.camera import Lens
from calibration.profile import lens_document, read_json, read_lens
from rules.tabletop.errors import UserError
from ui.files import make_folder, write_json
from ui.setup.cameras import device_fact
from ui.translation import tr
from vision.source import is_camera


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
            raise UserError(tr("a lens profile belongs to a camera: give the camera a name"))
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
        raise UserError(
            tr(
                "the lens profile of {camera} is for pictures of {known}, but these are"
                " {width}x{height}: set the camera to that size, or measure the lens again",
                camera=camera,
                known=known,
                width=image_size[0],
                height=image_size[1],
            )
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
                self._checked(path, camera, lens.image_size)
                problem = (
                    ""
                    if path == self.path_of(camera, lens.image_size)
                    else tr("{path} has the wrong file name", path=path)
                )
                found.append(StoredProfile(camera, lens.image_size, problem))
            except UserError as error:
                found.append(StoredProfile(path.stem, (0, 0), str(error)))
        return tuple(sorted(found, key=lambda kept: (kept.camera, kept.image_size)))

    def _checked(self, path: Path, camera: str, image_size: tuple[int, int]) -> Lens:
        lens = read_lens(path)
        if lens.image_size != image_size or read_json(path, tr("lens")).get("camera") != camera:
            raise UserError(
                tr("the camera or picture size in the lens file {path} does not match its name: delete it", path=path)
            )
        return lens


def file_name(camera: str) -> str:
    """A file name, valid on every system and unique for each camera."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", camera).strip("-").lower()[:60] or "camera"
    digest = hashlib.sha256(camera.encode(errors="surrogatepass")).hexdigest()
    return f"{words}-{digest[:8]}"
