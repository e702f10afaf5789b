"""The projector: its alignment with the table, and the light that it paints there. No Qt here."""
