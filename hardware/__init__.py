"""Electronic dice and the range rod: codecs without I/O, links that reconnect, and emulators."""
