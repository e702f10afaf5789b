"""Dice by camera: marks, the faces and bodies that they make, and a tray that is read once the dice lie still."""
