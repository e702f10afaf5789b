"""What is printed. No Qt here."""
