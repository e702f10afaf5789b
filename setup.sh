#!/bin/sh
# Makes .venv with the locked packages and this checkout in it; installs, or names, the system libraries they need.
# Quick when nothing has changed since. PYTHON=... chooses the interpreter.
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

command -v "$python" >/dev/null || refuse "there is no $python: install Python 3.11 or newer, or name it with PYTHON=..."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    refuse "$python is no Python 3.11 or newer ($("$python" -V 2>&1)): install one, or name it with PYTHON=..."

# Lines "needed|window package what" of all that is not there.
missing() {
    "$python" -I ui/commands/libraries.py
    "$python" -c 'import ensurepip' 2>/dev/null ||
        "$python" -c 'import sys; print("needed python3.%d-venv ensurepip" % sys.version_info[1])'
}
column() { echo "$absent" | cut -d' ' -f"$1" | sort -u | tr '\n' ' '; }

absent=$(missing)
if [ -n "$absent" ] && command -v apt-get >/dev/null && [ "$(id -u)" = 0 ]; then
    say "installing $(column 2)"
    apt-get -qq update || say "the package lists could not all be renewed; trying with those there are"
    # shellcheck disable=SC2046 # several words on purpose
    DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends $(column 2) >/dev/null ||
        say "apt-get could not install them"
    absent=$(missing)
fi
if [ -n "$absent" ]; then
    say "this system lacks $(column 3)"
    if command -v apt-get >/dev/null; then
        say "to install what brings them: sudo apt-get update && sudo apt-get install -y --no-install-recommends $(column 2)"
    fi
    case $absent in *needed*) refuse "install them, then try again" ;; esac
    say "only a window needs these; going on without"
fi

# An environment that was moved, copied or made by a Python since gone is made anew.
if ! .venv/bin/pip --version 2>/dev/null | grep -qF " from $here/.venv/"; then
    say "making .venv"
    "$python" -m venv --clear .venv
fi
rm -f "$stamp"
say "installing the locked packages"
.venv/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
if [ -z "$absent" ]; then wanted >"$stamp"; fi
