"""The phone page: a read-only web page with the battle, for players at the other side of the table. No Qt."""
