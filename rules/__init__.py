"""The table in inches and what the rulebooks say about it: no camera, no window, no port."""
