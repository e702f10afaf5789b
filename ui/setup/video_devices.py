"""Facts about Linux video devices from /sys, read without other libraries, so that `sandtable doctor` always works."""

from __future__ import annotations

from pathlib import Path


def device_fact(entry: Path, fact: str) -> str:
    """A device's "name" or "index"; empty if it has none."""
    file = entry / fact
    return file.read_text(errors="replace").strip() if file.is_file() else ""


def gives_pictures(entry: Path) -> bool:
    """Whether the device delivers pictures; a webcam's second device is for metadata."""
    return device_fact(entry, "index") in ("0", "")
