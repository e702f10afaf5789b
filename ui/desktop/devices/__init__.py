"""Rod and dice in the window."""
