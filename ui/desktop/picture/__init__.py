"""The picture of the table in the window, and what is drawn over it."""
