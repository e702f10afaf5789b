"""Geometry of the table in inches, rulesets, verdicts and battles; no camera, window or serial port."""
