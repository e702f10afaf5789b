"""The range rod, electronic dice and the dice tray, for window and command line. No Qt here."""
