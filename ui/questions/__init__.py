"""What players ask of the table, and the answers. No Qt here."""
