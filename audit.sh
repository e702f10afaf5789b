#!/bin/sh
# Asks PyPI whether a locked package has a known vulnerability. Ends with 0 if none has, with 1 if one has, and with 3
# if nobody could be asked. pip-audit lives in .audit, apart from the program's packages. PYTHON=... chooses the interpreter.
set -eu
unset CDPATH
cd -- "$(dirname -- "$0")"
python=${PYTHON:-python3}

say() { echo "sandtable audit: $*" >&2; }

if ! [ -x .audit/bin/pip-audit ]; then
    "$python" -m venv --clear .audit
    if ! .audit/bin/python -m pip install --quiet --disable-pip-version-check --retries 1 --timeout 15 pip-audit; then
        rm -rf .audit
        say "not done: pip-audit could not be installed; try again with a network"
        exit 3
    fi
fi
found=$(mktemp)
trap 'rm -f "$found"' EXIT
# Its own status does not tell a vulnerability from a network that is down; what it writes does.
.audit/bin/pip-audit --require-hashes --disable-pip --requirement requirements.lock --progress-spinner off --timeout 15 \
    --format json --output "$found" || true
"$python" - "$found" <<'END'
import json
import sys


def end(status, words):
    print(f"sandtable audit: {words}", file=sys.stderr)
    sys.exit(status)


with open(sys.argv[1], encoding="utf-8") as file:
    text = file.read()
if not text:
    end(3, "not done: PyPI could not be asked; try again with a network")
packages = json.loads(text)["dependencies"]
unknown = [one["name"] for one in packages if "skip_reason" in one]
for one in packages:
    for fault in one.get("vulns", ()):
        fixed = ", ".join(fault["fix_versions"]) or "none yet"
        print(f"{one['name']} {one['version']}: {fault['id']}, mended in {fixed}")
if any(one.get("vulns") for one in packages):
    end(1, "renew requirements.lock with the versions that are mended (CONTRIBUTING.md, Dependencies)")
if unknown:
    end(3, f"not done: PyPI told nothing of {len(unknown)} of {len(packages)} packages, as {unknown[0]}")
end(0, f"none of {len(packages)} packages has a known vulnerability")
END
