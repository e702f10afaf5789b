"""The picture of the table and what is drawn over it."""
