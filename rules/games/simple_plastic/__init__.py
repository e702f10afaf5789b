"""Simple Plastic Wargame."""
