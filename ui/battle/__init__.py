"""Battles: setting up, playing, history, files, and all their texts. No Qt here."""
