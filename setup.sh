#!/bin/sh
# Creates .venv with the locked packages and this checkout; installs the missing system libraries, or names them.
# Does nothing if nothing has changed since the last run. PYTHON=... chooses the interpreter.
set -eu
unset CDPATH
cd -- "$(dirname -- "$0")"
here=$(pwd -P)
python=${PYTHON:-python3}
stamp=.venv/.sandtable

say() { echo "sandtable setup: $*" >&2; }
refuse() { say "$*"; exit 2; }
wanted() { echo "$(cat pyproject.toml requirements.lock setup.sh ui/commands/libraries.py | cksum) $(.venv/bin/python -V 2>&1) $here"; }

if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$(wanted)" ]; then exit 0; fi

command -v "$python" >/dev/null || refuse "$python was not found: install Python 3.11 or newer, or name it with PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    refuse "$python is too old ($("$python" -V 2>&1)): install Python 3.11 or newer, or name it with PYTHON=..."

# One line "needed|window PACKAGE LIBRARY" for everything that is missing.
missing() {
    "$python" -I ui/commands/libraries.py
    "$python" -c 'import ensurepip' 2>/dev/null ||
        "$python" -c 'import sys; print("needed python3.%d-venv ensurepip" % sys.version_info[1])'
}
column() { echo "$absent" | cut -d' ' -f"$1" | sort -u | tr '\n' ' '; }

absent=$(missing)
if [ -n "$absent" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    say "installing $(column 2)"
    apt-get -qq update || say "not all package lists could be updated; continuing with the existing ones"
    # shellcheck disable=SC2046 # several words on purpose
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $(column 2) >/dev/null ||
        say "apt-get could not install them"
    absent=$(missing)
fi
if [ -n "$absent" ]; then
    say "missing on this system: $(column 3)"
    if command -v apt-get >/dev/null; then
        say "to install them: sudo apt-get update && sudo apt-get install -y --no-install-recommends $(column 2)"
    fi
    case $absent in *needed*) refuse "install them, then try again" ;; esac
    say "only the window needs these; continuing without them"
fi

# Recreate an environment that was moved or copied, or whose Python has been removed.
if ! .venv/bin/pip --version 2>/dev/null | grep -qF " from $here/.venv/"; then
    say "creating .venv"
    "$python" -m venv --clear .venv
fi
rm -f "$stamp"
say "installing the locked packages"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
if [ -z "$absent" ]; then wanted >"$stamp"; fi
