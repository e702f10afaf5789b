"""Camera calibration from printed markers: lens, pose and error bounds, to convert pixels to inches."""
