"""The dialog that starts and stops the phone page."""
