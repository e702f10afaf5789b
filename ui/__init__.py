"""The session that joins the packages, the presenters, the command line, and the window (`desktop`)."""

import os

# With many small matrices, OpenBLAS threads take six times as long on two cores. They must be turned off before numpy
# is first imported.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
