"""Getting ready: cameras, lenses, the guide of the first evening. No Qt here."""
