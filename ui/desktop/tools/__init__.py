"""The mouse tools."""
