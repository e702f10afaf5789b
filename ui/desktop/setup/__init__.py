"""Camera, lens, markers and the guide."""
