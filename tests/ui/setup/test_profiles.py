import json

import numpy as np
import pytest

from calibration.camera import Lens
from rules.tabletop.errors import UserError
from ui.setup.lens import LensProfiles, StoredProfile, camera_identity

LENS = Lens((1280, 720), [[1000, 0, 640], [0, 1001, 360], [0, 0, 1]], [-0.1, 0.02, 0.001, 0, 0], np.eye(9) * 1e-4)
CAMERA = "usb-046d_HD_Pro_Webcam_C920-video-index0"


def test_a_saved_profile_is_found(tmp_path):
    profiles = LensProfiles(tmp_path / "not yet" / "there")
    assert profiles.find(CAMERA, (1280, 720)) is None
    profiles.keep(CAMERA, LENS)
    again = profiles.find(CAMERA, (1280, 720))
    assert np.array_equal(again.matrix, LENS.matrix)
    assert np.array_equal(again.distortion, LENS.distortion)
    assert np.array_equal(again.covariance, LENS.covariance)
    assert profiles.find("another camera", (1280, 720)) is None


def test_a_profile_for_another_size_is_rejected(tmp_path):
    profiles = LensProfiles(tmp_path)
    profiles.keep(CAMERA, LENS)
    with pytest.raises(UserError, match=r"is for pictures of 1280x720, but these are 1920x1080: set the camera"):
        profiles.find(CAMERA, (1920, 1080))


def test_similar_camera_names_have_different_files(tmp_path):
    profiles = LensProfiles(tmp_path)
    assert profiles.path_of("Cam / 1", (1, 1)) != profiles.path_of("Cam : 1", (1, 1))
    with pytest.raises(UserError, match="give the camera a name"):
        profiles.keep("  ", LENS)


def test_a_misplaced_profile_is_rejected(tmp_path):
    profiles = LensProfiles(tmp_path)
    kept = profiles.keep(CAMERA, LENS)
    kept.write_text(json.dumps(json.loads(kept.read_text()) | {"image_size": [640, 480]}))
    with pytest.raises(UserError, match="does not match its name"):
        profiles.find(CAMERA, (1280, 720))


def test_all_profiles_are_listed_with_their_problems(tmp_path):
    profiles = LensProfiles(tmp_path)
    assert profiles.kept() == ()
    profiles.keep(CAMERA, LENS, {"views": 12})
    assert json.loads(profiles.path_of(CAMERA, (1280, 720)).read_text())["views"] == 12
    (tmp_path / "aaa-640x480.json").write_text("{")
    broken, good = profiles.kept()
    assert good == StoredProfile(CAMERA, (1280, 720))
    assert (broken.camera, broken.image_size) == ("aaa-640x480", (0, 0))
    assert "is not JSON" in broken.problem


def test_a_cameras_identity_does_not_depend_on_its_port(tmp_path):
    assert [camera_identity(spec, tmp_path) for spec in ("demo", "table.jpg", "2")] == ["", "", "camera 2"]
    name = tmp_path / "sys/class/video4linux/video2/name"
    name.parent.mkdir(parents=True)
    name.write_text("HD Webcam\n")
    assert camera_identity("2", tmp_path) == "HD Webcam"
    links = tmp_path / "dev/v4l/by-id"
    links.mkdir(parents=True)
    (links / CAMERA).symlink_to("../../video2")
    assert camera_identity("2", tmp_path) == CAMERA
    assert camera_identity("3", tmp_path) == "camera 3"
