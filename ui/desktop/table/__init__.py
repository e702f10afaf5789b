"""Teaching, correcting and grouping figures, terrain, and the simulated table."""
