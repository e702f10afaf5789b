"""Reading dice by camera: marks, faces, bodies, and the tray over time."""
