"""The table's setup: everything that the players have entered."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass, field

from calibration.calibration_targets import CalibrationTargets
from calibration.camera import Lens, TableCamera
from rules.tabletop.errors import user_error
from rules.tabletop.table import STANDING_HEIGHT_IN, Outline, TerrainPiece
from vision.examples import Examples
from vision.frame import ImageBgr
from vision.motion import Box
from vision.palette import Palette


@dataclass(frozen=True, slots=True, eq=False)
class Setup:
    """Everything that the players have entered about the table.

    Attributes:
        prints: The markers on the table.
        lens: Lens profile, or None to solve for the lens along with the pose.
        palette: The armies' colours, taught by clicks.
        propose: Whether figures are grouped into armies by colour while no army is taught.
        reference_bgr: The empty table, (height, width, 3), from the same camera.
        reference_camera: Pose of the camera when an earlier session took the reference picture. None if it was taken
            in this session; the pipeline then keeps track of the pose.
        terrain: Pieces on the table.
        figure_height_in: Height of a standing figure.
        aside_px: Parts of the picture that are not searched, such as a dice tray; motion there is ignored.
        area_in: Area of play, convex, in table coordinates: figures more than an inch outside it are ignored. None for
            the whole table.
        examples: Figures that a player confirmed or corrected; they sway posture and army of figures like them.
    """

    prints: CalibrationTargets = field(default_factory=CalibrationTargets)
    lens: Lens | None = None
    palette: Palette = ()
    _: KW_ONLY
    propose: bool = False
    reference_bgr: ImageBgr | None = None
    reference_camera: TableCamera | None = None
    terrain: tuple[TerrainPiece, ...] = ()
    figure_height_in: float = STANDING_HEIGHT_IN
    aside_px: tuple[Box, ...] = ()
    area_in: Outline | None = None
    examples: Examples = field(default_factory=Examples)

    def __post_init__(self) -> None:
        if not 0.3 <= self.figure_height_in <= 12:
            raise user_error(
                "A standing figure cannot be {height:g} in high. Enter a height from 0.3 to 12 in.",
                height=self.figure_height_in,
            )
