"""Pages to print: markers, boards, the range rod and unit cards. No Qt here."""
