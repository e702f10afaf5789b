#!/bin/sh
# Runs pytest with the given arguments. If the run dies by a signal, explains how to get the native stack from the core
# file; Python's own stack is printed above. PYTEST=... names another pytest.
set -u
here=$(dirname -- "$0")
ulimit -c unlimited 2>/dev/null || true # may not be allowed; the tests also run without core files
status=0
"${PYTEST:-$here/.venv/bin/pytest}" "$@" || status=$?
if [ "$status" -gt 128 ]; then
    cat >&2 <<END

The test run died by signal $((status - 128)). For the native stack install gdb and read the core file,
which this system calls "$(cat /proc/sys/kernel/core_pattern 2>/dev/null || echo core)":
    gdb -batch -ex 'thread apply all backtrace' $here/.venv/bin/python core
    coredumpctl gdb     if the name above contains systemd-coredump
END
fi
exit "$status"
