"""The guide to the first measured shot."""
