"""What Linux tells of its video devices, below /sys; read with Python alone, for a machine that lacks the libraries."""

from __future__ import annotations

from pathlib import Path


def told(entry: Path, fact: str) -> str:
    """A device's "name" or "index"; empty where it tells none."""
    file = entry / fact
    return file.read_text(errors="replace").strip() if file.is_file() else ""


def gives_pictures(entry: Path) -> bool:
    """Whether it does: a webcam's second device is for its own data."""
    return told(entry, "index") in ("0", "")
