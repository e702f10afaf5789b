"""Dice and range rod over serial: codecs without I/O, links that reconnect, emulators that stand in for devices."""
