import json

import numpy as np
import pytest

from calibration.camera import Lens
from rules.table import Refused
from ui.profiles import LensProfiles

LENS = Lens((1280, 720), [[1000, 0, 640], [0, 1001, 360], [0, 0, 1]], [-0.1, 0.02, 0.001, 0, 0], np.eye(9) * 1e-4)
CAMERA = "usb-046d_HD_Pro_Webcam_C920-video-index0"


def test_a_profile_is_found_again(tmp_path):
    profiles = LensProfiles(tmp_path / "not yet" / "there")
    assert profiles.find(CAMERA, (1280, 720)) is None
    profiles.keep(CAMERA, LENS)
    again = profiles.find(CAMERA, (1280, 720))
    assert np.array_equal(again.matrix, LENS.matrix)
    assert np.array_equal(again.distortion, LENS.distortion)
    assert np.array_equal(again.covariance, LENS.covariance)
    assert profiles.find("another camera", (1280, 720)) is None


def test_another_size_is_refused_by_name(tmp_path):
    profiles = LensProfiles(tmp_path)
    profiles.keep(CAMERA, LENS)
    with pytest.raises(Refused, match=r"is for 1280x720 pictures and this one is 1920x1080: set the camera"):
        profiles.find(CAMERA, (1920, 1080))


def test_cameras_whose_names_look_alike_are_kept_apart(tmp_path):
    profiles = LensProfiles(tmp_path)
    assert profiles.path_of("Cam / 1", (1, 1)) != profiles.path_of("Cam : 1", (1, 1))
    with pytest.raises(Refused, match="give the camera a name"):
        profiles.keep("  ", LENS)


def test_a_file_put_in_the_wrong_place_is_refused(tmp_path):
    profiles = LensProfiles(tmp_path)
    kept = profiles.keep(CAMERA, LENS)
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"image_size": [640, 480]}))
    with pytest.raises(Refused, match="another camera or size"):
        profiles.find(CAMERA, (1280, 720))
