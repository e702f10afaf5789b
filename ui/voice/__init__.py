"""Spoken announcements, without Qt."""
