"""What joins the rooms (session), and its two faces: command line and desktop."""

import os

# Our matrices are small and many: threads that OpenBLAS starts for each cost more than they save (six times the time
# on two cores), and must be turned off before numpy is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
