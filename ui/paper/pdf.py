"""Marks a PDF to be printed at actual size, which Qt's PDF writer cannot do."""

from __future__ import annotations

import re

_CATALOG = re.compile(rb"(\d+) 0 obj\s*<<\s*/Type /Catalog\b(.*?)>>\s*endobj", re.DOTALL)
_TRAILER = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*\Z", re.DOTALL)


def unscaled(pdf: bytes) -> bytes:
    """The same PDF, asking the print dialog for "actual size" (ISO 32000-1, 12.2: /PrintScaling /None).

    A second catalog is appended, as in an edited file (7.5.6, incremental updates); Qt's output is unchanged.

    Raises:
        ValueError: if the PDF does not have the layout that Qt writes.
    """
    catalog, trailer = _CATALOG.search(pdf), _TRAILER.search(pdf)
    if catalog is None or trailer is None:
        raise ValueError("not a PDF with a plain catalog and cross-reference table, as Qt writes it")
    number, entries = catalog.groups()
    trailer_entries, first_table = trailer.groups()
    added = b"%s 0 obj\n<<\n/Type /Catalog%s/ViewerPreferences << /PrintScaling /None >>\n>>\nendobj\n"
    before = pdf if pdf.endswith(b"\n") else pdf + b"\n"
    body = before + added % (number, entries)
    table = b"xref\n%s 1\n%010d 00000 n \ntrailer\n<<%s/Prev %s\n>>\nstartxref\n%d\n%%%%EOF\n"
    return body + table % (number, len(before), trailer_entries, first_table, len(body))
