"""The table's contents as the players build, teach and correct them. No Qt here."""
