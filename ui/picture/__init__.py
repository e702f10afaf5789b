"""Lines and labels that are drawn over the picture, as values. No Qt here."""
