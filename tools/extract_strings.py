"""`python -m tools.extract_strings de`: every word that widgets say, into `translations/sandtable_de.ts`.

`pylupdate6`, which comes with PyQt6, collects them; what is translated already is kept. It takes a `tr` for that of
the class around it, so it is shown copies that name this program's one context.
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
_SAID = re.compile(r"(?<![\w.])(?:tr|mark)\((?=\s*\")")


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the file; the exit status."""
    parser = argparse.ArgumentParser(prog="words", description=__doc__)
    parser.add_argument("tongue", metavar="LANGUAGE", help="as de, or pt_BR")
    path = FOLDER / f"sandtable_{parser.parse_args(arguments).tongue}.ts"
    try:
        collect(path)
    except UserError as refusal:
        print(f"words: {refusal}", file=sys.stderr)
        return 1
    print(path)
    return 0


def collect(path: Path) -> None:
    """Write or renew a file of translations.

    Raises:
        UserError: if `pylupdate6` cannot be run or does not like the file.
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
            raise UserError(
                f"pylupdate6, which comes with PyQt6, cannot be run ({error}): install PyQt6 anew"
            ) from error
    if done.returncode:
        raise UserError(f"pylupdate6 does not like {path} or a source file: {done.stderr.strip()}")
    # It notes where each source lies, which is somewhere else next time.
    path.write_text(re.sub(r"\n *<location [^>]*/>", "", path.read_text("utf-8")), "utf-8")


def _copy(source: Path, folder: Path) -> Path:
    copy = folder / source.relative_to(_SOURCES)
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(_SAID.sub(f'translate("{CONTEXT}", ', source.read_text("utf-8")), "utf-8")
    return copy


if __name__ == "__main__":
    sys.exit(main())
