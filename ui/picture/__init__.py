"""What is drawn over the picture, as values. No Qt here."""
