"""The commands of the command line. No Qt here."""
