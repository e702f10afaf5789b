"""Setting up the table: cameras, lenses, armies, the first-run guide and saved tables. No Qt here."""
