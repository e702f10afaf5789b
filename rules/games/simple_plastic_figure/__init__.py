"""Simple Plastic Figure WW2."""
