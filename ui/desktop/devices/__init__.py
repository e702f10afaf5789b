"""The Devices tab: range rod, electronic dice, dice tray."""
