#!/bin/sh
# Checks the locked packages for known vulnerabilities on PyPI. Exit status: 0 if there are none, 1 if there are some, 3 if
# the check was not possible. pip-audit is installed in .audit, apart from the program's packages. PYTHON=... chooses the
# interpreter.
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
# The status of pip-audit is the same for a vulnerability and for a network failure; its output is not.
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
    end(3, "not done: PyPI cannot be reached; try again with a network")
packages = json.loads(text)["dependencies"]
unknown = [one["name"] for one in packages if "skip_reason" in one]
for one in packages:
    for fault in one.get("vulns", ()):
        fixed = ", ".join(fault["fix_versions"]) or "none yet"
        print(f"{one['name']} {one['version']}: {fault['id']}, fixed in {fixed}")
if any(one.get("vulns") for one in packages):
    end(1, "update requirements.lock to the fixed versions (CONTRIBUTING.md, Dependencies)")
if unknown:
    end(3, f"not done: PyPI has no data on {len(unknown)} of {len(packages)} packages, such as {unknown[0]}")
end(0, f"none of {len(packages)} packages has a known vulnerability")
END
