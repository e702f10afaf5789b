"""A battle in words and as files. No Qt here."""
