"""The range rod and dice as the window has them. No Qt here."""
