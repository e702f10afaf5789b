"""Spoken announcements in the window."""
