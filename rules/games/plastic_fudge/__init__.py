"""Plastic Fudge."""
