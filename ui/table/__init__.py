"""What lies on the table as the players build and correct it. No Qt here."""
