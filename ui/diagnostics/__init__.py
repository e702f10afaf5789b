"""Stalls of the window, crashes, the event log, and the bug report made from them."""
