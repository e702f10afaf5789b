"""What joins the rooms (session), and its two faces: command line and desktop."""
