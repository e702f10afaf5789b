#!/bin/sh
# Runs pytest with the given arguments. If a process of the run dies by a signal, prints its native stack from the core
# file, or explains how to get it; Python's own stack is printed above. PYTEST=... and GDB=... name other programs.
set -u
here=$(dirname -- "$0")
began=$(mktemp) # a core file that is newer belongs to this run
ulimit -c unlimited 2>/dev/null || true # may not be allowed; the tests also run without core files
status=0
"${PYTEST:-$here/.venv/bin/pytest}" "$@" || status=$?
core=
[ "$status" = 0 ] || core=$(find . -maxdepth 1 \( -name core -o -name 'core.[0-9]*' \) -newer "$began" | head -n 1)
rm -f "$began"
if [ -n "$core" ] && command -v "${GDB:-gdb}" >/dev/null; then
    echo "The native stack of the thread that died, from $core:" >&2
    "${GDB:-gdb}" -batch -ex 'backtrace 20' "$here/.venv/bin/python" "$core" 2>&1 | grep '^#' | cut -c 1-150 >&2
elif [ -n "$core" ] || [ "$status" -gt 128 ]; then
    cat >&2 <<END

A process of the test run died by a signal. For the native stack install gdb and read the core file,
which this system calls "$(cat /proc/sys/kernel/core_pattern 2>/dev/null || echo core)":
    gdb -batch -ex 'thread apply all backtrace' $here/.venv/bin/python core
    coredumpctl gdb     if the name above contains systemd-coredump
END
fi
exit "$status"
