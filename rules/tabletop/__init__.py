"""Values and geometry of the table, in inches, which every package may use."""
