"""Camera, lens, markers and the guide in the window."""
