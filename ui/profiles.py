"""Lens profiles kept from one evening to the next, by camera and picture size. The folder is handed in."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_config_path

from calibration.camera import Lens
from calibration.profile import lens_document, read_json, read_lens
from rules.table import Refused
from ui.files import write_json


def lens_folder() -> Path:
    """Where this user's profiles are kept; it need not exist yet."""
    return user_config_path("sandtable", appauthor=False) / "lenses"


@dataclass(frozen=True, slots=True)
class LensProfiles:
    """The profiles in a folder, one file for each camera and picture size."""

    folder: Path

    def path_of(self, camera: str, image_size: tuple[int, int]) -> Path:
        """The file of this camera (its identity, as the system names it) at this size, whether or not it is there."""
        return self.folder / f"{_file_name(camera)}-{image_size[0]}x{image_size[1]}.json"

    def keep(self, camera: str, lens: Lens) -> Path:
        """Use this lens from now on for this camera at the lens' picture size; its file.

        Raises:
            Refused: if the camera has no name, or the file cannot be written.
        """
        if not camera.strip():
            raise Refused("a lens profile is kept by its camera: give the camera a name")
        path = self.path_of(camera, lens.image_size)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Refused(f"the folder {path.parent} cannot be made ({error.strerror}): make room there") from error
        write_json(path, lens_document(lens) | {"camera": camera})
        return path

    def find(self, camera: str, image_size: tuple[int, int]) -> Lens | None:
        """The lens of this camera at this picture size; None where the camera has no profile at all.

        Raises:
            Refused: if its profiles are for other sizes, or the file is broken.
        """
        path = self.path_of(camera, image_size)
        if path.is_file():
            return self._checked(path, camera, image_size)
        sizes = self.sizes(camera)
        if not sizes:
            return None
        known = ", ".join(f"{width}x{height}" for width, height in sizes)
        raise Refused(
            f"the lens profile of {camera} is for {known} pictures and this one is {image_size[0]}x{image_size[1]}:"
            " set the camera to that size, or make a profile for this one"
        )

    def sizes(self, camera: str) -> list[tuple[int, int]]:
        """Picture sizes that this camera has profiles for."""
        found = [
            re.fullmatch(r".*-(\d+)x(\d+)", path.stem) for path in self.folder.glob(f"{_file_name(camera)}-*.json")
        ]
        return sorted((int(match[1]), int(match[2])) for match in found if match)

    def _checked(self, path: Path, camera: str, image_size: tuple[int, int]) -> Lens:
        lens = read_lens(path)
        if lens.image_size != image_size or read_json(path, "lens").get("camera") != camera:
            raise Refused(f"the lens file {path} is of another camera or size than its name says: delete it")
        return lens


def _file_name(camera: str) -> str:
    """A name that every system takes, and that no two cameras share."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", camera).strip("-").lower()[:60] or "camera"
    return f"{words}-{hashlib.sha256(camera.encode()).hexdigest()[:8]}"
