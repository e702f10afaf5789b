"""The cameras of this machine, by number and name."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ui.setup.video_devices import gives_pictures, told
from vision.source import camera_numbers


@dataclass(frozen=True, slots=True)
class Camera:
    """One camera: its number, as the system counts, and its name for people."""

    number: int
    name: str

    @property
    def words(self) -> str:
        """As "HD Webcam (camera 0)"."""
        return f"{self.name} (camera {self.number})" if self.name else f"Camera {self.number}"


def cameras(root: Path = Path("/")) -> tuple[Camera, ...]:
    """Those that Linux knows and that give pictures.

    Args:
        root: Where /dev and /sys are.
    """
    entries = {number: root / f"sys/class/video4linux/video{number}" for number in camera_numbers(root / "dev")}
    return tuple(Camera(number, told(entry, "name")) for number, entry in entries.items() if gives_pictures(entry))
