"""Vision: sources of frames, the simulated table, colours, figures and their tracks."""
