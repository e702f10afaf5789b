"""The cameras of this computer, by number and name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ui.setup.video_devices import device_fact, gives_pictures
from ui.translation import tr
from vision.source import camera_numbers


@dataclass(frozen=True, slots=True)
class Camera:
    """A camera: its number in the system and its name."""

    number: int
    name: str

    @property
    def words(self) -> str:
        """Such as "HD Webcam (camera 0)"."""
        if self.name:
            return tr("{name} (camera {number})", name=self.name, number=self.number)
        return tr("Camera {number}", number=self.number)


def cameras(root: Path = Path("/")) -> tuple[Camera, ...]:
    """The cameras that Linux lists and that deliver pictures; none on other systems.

    Args:
        root: Folder of /dev and /sys.
    """
    entries = ((number, root / f"sys/class/video4linux/video{number}") for number in camera_numbers(root / "dev"))
    return tuple(Camera(number, device_fact(entry, "name")) for number, entry in entries if gives_pictures(entry))
