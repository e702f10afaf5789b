"""For all tests: no test fails because the machine is busy."""

from hypothesis import HealthCheck, settings

# A deadline in milliseconds of wall time, and a limit on how long examples take to make, depend on what else runs.
settings.register_profile("sandtable", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("sandtable")
