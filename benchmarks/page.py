"""Benchmark results (tables and budgets), and writing them into a page of the docs between marker comments."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Budget:
    """A limit of the design and its measured value."""

    what: str
    measured: float
    limit: float
    unit: str

    @property
    def kept(self) -> bool:
        """Whether the design's limit holds."""
        return self.measured <= self.limit

    def row(self) -> tuple[str, ...]:
        """The row of the table of budgets."""
        verdict = "KEPT" if self.kept else "**NOT KEPT**"
        return (self.what, f"{self.limit:g} {self.unit}", f"{number(self.measured)} {self.unit}", verdict)


@dataclass(frozen=True, slots=True)
class Table:
    """One table of the page."""

    name: str
    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: str = ""
    budgets: tuple[Budget, ...] = ()

    def markdown(self) -> str:
        """The table as Markdown for the page."""
        lines = [_line(self.head), _line(["---"] * len(self.head)), *map(_line, self.rows)] if self.rows else []
        return "\n".join([*([self.words] if self.words else []), *([""] if self.words and lines else []), *lines])


def number(value: float) -> str:
    """A number with three significant digits."""
    return f"{value:,.0f}".replace(",", " ") if abs(value) >= 100 else f"{value:.3g}"


def budget_table(budgets: Iterable[Budget], page: Path | None = None) -> Table:
    """The design's budgets and whether they are met; budgets not measured in this run keep the page's values."""
    rows = {row[0]: row for row in ([] if page is None else _rows_of(page, "budgets"))}
    rows |= {one.what: one.row() for one in budgets}
    return Table("budgets", ("what", "budget", "measured", ""), [*rows.values()])


def _rows_of(page: Path, name: str) -> list[tuple[str, ...]]:
    """The rows of a table in a page."""
    found = _place(name).search(page.read_text(encoding="utf-8"))
    lines = [line for line in (found[0] if found else "").splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines[2:]]


def _place(name: str) -> re.Pattern[str]:
    return re.compile(rf"<!-- bench {re.escape(name)} -->\n.*?<!-- /bench -->", re.DOTALL)


def write(page: Path, tables: Iterable[Table]) -> None:
    """Put each table in its place between `<!-- bench NAME -->` and `<!-- /bench -->`.

    Raises:
        ValueError: if the page has no such place.
    """
    text = page.read_text(encoding="utf-8")
    for table in tables:
        place = _place(table.name)
        if not place.search(text):
            raise ValueError(f"{page.name} has no place for {table.name}: <!-- bench {table.name} --> <!-- /bench -->")
        text = place.sub(partial(_placed, table), text)
    page.write_text(text, encoding="utf-8")


def _placed(table: Table, _: re.Match[str]) -> str:
    return f"<!-- bench {table.name} -->\n{table.markdown()}\n<!-- /bench -->"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
