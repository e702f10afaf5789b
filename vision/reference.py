"""The reference picture of the empty table, and the pose from which it was taken."""

from __future__ import annotations

from dataclasses import dataclass, replace

from calibration.camera import TableCamera
from vision.frame import ImageBgr
from vision.setup import Setup


@dataclass(frozen=True, slots=True, eq=False)
class ReferencePicture:
    """The picture of the empty table and the camera that took it.

    Attributes:
        picture_bgr: None if there is none.
        camera: Best estimate of the pose at that time; None if it is the current one.
        bumped: Whether the camera has moved since.
    """

    picture_bgr: ImageBgr | None = None
    camera: TableCamera | None = None
    bumped: bool = False

    def after(self, setup: Setup, camera: TableCamera | None, moved: bool) -> ReferencePicture:
        """The reference after one frame; `moved` if this frame shows that the camera has moved.

        Until the camera moves, a better estimate of its pose is also a better one of the reference's pose.
        """
        if setup.reference_bgr is not self.picture_bgr:
            earlier = setup.reference_camera is not None
            return ReferencePicture(setup.reference_bgr, setup.reference_camera if earlier else camera, bumped=earlier)
        if self.bumped or moved:
            return replace(self, bumped=True)
        return replace(self, camera=camera)
