"""Army Men."""
