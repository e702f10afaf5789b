"""From pictures to figures: sources of frames, the simulated table, colour, figures, ids."""
