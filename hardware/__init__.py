"""Dice and range rod over serial (a later step: no device is driven yet)."""
