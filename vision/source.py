"""Where frames come from: image, folder, video, webcam; the simulated table is one more (`vision.simulator`)."""

from __future__ import annotations

from typing import Protocol

from vision.frame import Frame


class Source(Protocol):
    """Frames in order of time.

    Attributes:
        name: For people, as "camera 0" or "table.jpg".
        live: True where frames pass whether or not they are read (a camera), False where each waits its turn.
    """

    name: str
    live: bool

    def read(self) -> Frame | None:
        """Next frame, or None after the last.

        Raises:
            Refused: if the source cannot deliver (unplugged, broken file): one sentence with the way out.
        """
        ...

    def close(self) -> None:
        """Release the device; a second call does nothing. The thread that reads is the thread that closes."""
        ...
