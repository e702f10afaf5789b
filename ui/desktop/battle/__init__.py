"""A battle in the window."""
