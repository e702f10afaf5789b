"""Memory used by a process, without memory that the allocator only caches."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from pathlib import Path


def resident_mib() -> float:
    """Memory in use in MiB; on systems without /proc, the peak usage."""
    gc.collect()
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)  # glibc caches freed arrays of up to 32 MiB, so the usage would vary from frame to frame
    return int(statm.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
