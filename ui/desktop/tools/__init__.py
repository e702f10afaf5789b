"""What the mouse does on the table."""
