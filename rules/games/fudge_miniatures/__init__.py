"""Fudge Miniatures Battles."""
