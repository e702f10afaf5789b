"""`python -m tools.extract_strings de` collects the window's strings into `translations/sandtable_de.ts`.

`pylupdate6`, which comes with PyQt6, collects them and keeps existing translations. It takes the enclosing class as the
context of a `tr`, so it reads copies of the sources that name this program's only context.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rules.tabletop.errors import UserError
from ui.desktop.translation import CONTEXT, FOLDER

_SOURCES = Path(__file__).parents[1] / "ui" / "desktop"
_TRANSLATED = re.compile(r"(?<![\w.])(?:tr|mark)\((?=\s*\")")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; return the exit status."""
    parser = argparse.ArgumentParser(prog="extract_strings", description=__doc__)
    parser.add_argument("language", metavar="LANGUAGE", help="such as de or pt_BR")
    path = FOLDER / f"sandtable_{parser.parse_args(arguments).language}.ts"
    try:
        collect(path)
    except UserError as refusal:
        print(f"extract_strings: {refusal}", file=sys.stderr)
        return 1
    print(path)
    return 0


def collect(path: Path) -> None:
    """Create or update a translation file.

    Raises:
        UserError: if `pylupdate6` cannot be run or rejects the file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as own:
        copies = [_copy(source, Path(own)) for source in sorted(_SOURCES.rglob("*.py"))]
        command = [str(Path(sysconfig.get_path("scripts"), "pylupdate6")), "--no-summary", "--ts", str(path.resolve())]
        try:
            done = subprocess.run(
                [*command, *(str(copy.relative_to(own)) for copy in copies)],
                cwd=own,
                capture_output=True,
                text=True,
                check=False,
            )
        except OSError as error:
            raise UserError(f"pylupdate6, which comes with PyQt6, cannot be run ({error}): reinstall PyQt6") from error
    if done.returncode:
        raise UserError(f"pylupdate6 rejects {path} or a source file: {done.stderr.strip()}")
    # pylupdate6 writes where each source lies, which is a different folder every time.
    path.write_text(re.sub(r"\n *<location [^>]*/>", "", path.read_text("utf-8")), "utf-8")


def _copy(source: Path, folder: Path) -> Path:
    copy = folder / source.relative_to(_SOURCES)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(_TRANSLATED.sub(f'translate("{CONTEXT}", ', source.read_text("utf-8")), "utf-8")
    return copy


if __name__ == "__main__":
    sys.exit(main())
