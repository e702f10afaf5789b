"""The cameras of this computer, by number and name, read from /sys without other libraries, as the doctor needs it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ui.translation import tr


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


def known_cameras(root: Path = Path("/")) -> tuple[Camera, ...]:
    """The cameras that Linux knows, without their second devices, which are for metadata; none on other systems."""
    entries = sorted((root / "sys/class/video4linux").glob("video*"), key=lambda entry: int(entry.name[5:]))
    return tuple(
        Camera(int(entry.name[5:]), device_fact(entry, "name"))
        for entry in entries
        if device_fact(entry, "index") in ("0", "")
    )


def cameras(root: Path = Path("/")) -> tuple[Camera, ...]:
    """The known cameras that have a device in /dev, which a container may lack."""
    return tuple(camera for camera in known_cameras(root) if (root / f"dev/video{camera.number}").exists())


def device_fact(entry: Path, fact: str) -> str:
    """A video device's "name" or "index" from its folder in /sys; empty if it has none."""
    file = entry / fact
    return file.read_text(errors="replace").strip() if file.is_file() else ""
