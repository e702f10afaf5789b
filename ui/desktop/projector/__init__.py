"""The projector's window and menu."""
