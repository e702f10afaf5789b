"""From printed markers to inches: lens, camera pose, error bounds."""
