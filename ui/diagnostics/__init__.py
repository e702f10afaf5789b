"""What keeps the program healthy and says how it is: stalls of the window, what was told, what a bug report needs."""
