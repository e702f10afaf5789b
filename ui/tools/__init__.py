"""The tools' questions about the table, and their answers in text and marks. No Qt here."""
