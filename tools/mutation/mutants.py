"""Mutants: one small wrong change at one place in the source, which a test should detect."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ORDERS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE),
    ast.LtE: (ast.Lt, ast.Gt),
    ast.Gt: (ast.GtE, ast.LtE),
    ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
"""The comparison with the limit moved to the other case, and the reversed comparison."""
SUMS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Add,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
}
NAMES = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "minimum": "maximum",
    "maximum": "minimum",
    "sin": "cos",
    "cos": "sin",
    "ceil": "floor",
    "floor": "ceil",
    "argmin": "argmax",
    "argmax": "argmin",
    "union": "intersection",
    "intersection": "union",
}


@dataclass(frozen=True, slots=True)
class Mutant:
    """A file whose bytes from `start` to `end` are replaced by `text`.

    `function` is the first line of its function, including decorators, or 0 outside functions.
    """

    path: str
    start: int
    end: int
    text: str
    line: int
    function: int
    kind: str

    @property
    def name(self) -> str:
        """Its name in files and on the screen."""
        return f"{self.path}:{self.line}:{self.start}:{self.text}"

    def applied(self, source: bytes) -> bytes:
        """The file with the fault in it."""
        return source[: self.start] + self.text.encode() + source[self.end :]


def mutants(root: Path, path: str) -> list[Mutant]:
    """All mutants of one file, without those in types, decorators and docstrings."""
    source = (root / path).read_bytes()
    starts = [0]
    for row in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(row))
    found = []
    for node, function, tested in _places(ast.parse(source), 0):
        for kind, changed in _changes(node, tested):
            start = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
            end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
            text = ast.unparse(ast.fix_missing_locations(changed))
            if isinstance(changed, ast.expr) and not isinstance(changed, ast.Constant | ast.Name):
                text = f"({text})"
            found.append(Mutant(path, start, end, text, node.lineno, function, kind))  # type: ignore[attr-defined]
    return found


def sample(found: list[Mutant], count: int, seed: int) -> list[Mutant]:
    """About `count` mutants: a proportional share of each file, randomly rounded, at least one."""
    rng = random.Random(seed)
    files: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in found:
        files[mutant.path].append(mutant)
    drawn: list[Mutant] = []
    for _, own in sorted(files.items()):
        share = count * len(own) / len(found)
        size = int(share) + (rng.random() < share % 1)
        drawn += rng.sample(own, min(len(own), max(1, size)))
    rng.shuffle(drawn)
    return drawn


def _places(node: ast.AST, function: int) -> Iterator[tuple[ast.AST, int, bool]]:
    """All code nodes below a node, with the first line of their function and whether they are conditions."""
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns", "decorator_list", "bases") or (name, type(node)) == (
            "keywords",
            ast.ClassDef,
        ):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or _is_ignored(child):
                continue
            inside = function
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                inside = min([child.lineno, *(one.lineno for one in child.decorator_list)])
            if hasattr(child, "lineno"):
                yield child, inside, name in ("test", "ifs")
            yield from _places(child, inside)


def _is_ignored(node: ast.AST) -> bool:
    """Whether a node has no effect at run time (docstrings, types) or is a text, which may be reworded."""
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Expr(value=ast.Constant()):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.Assign(value=ast.Subscript() | ast.BinOp(op=ast.BitOr()), col_offset=0):
            return True  # Table = Mapping[str, int]; Answer = Hit | Miss
    return False


def _changes(node: ast.AST, tested: bool) -> Iterator[tuple[str, ast.AST]]:
    if tested and isinstance(node, ast.Name | ast.Attribute | ast.Call):
        yield "condition", ast.UnaryOp(ast.Not(), node)
    yield from _operators(node)
    yield from _values(node)
    yield from _statements(node)


def _operators(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Compare(left=left, ops=[op], comparators=others):
            for other in ORDERS[type(op)]:
                yield "comparison", ast.Compare(left, [other()], others)
        case ast.Compare(left=left, ops=ops, comparators=others):
            for at, op in enumerate(ops):
                yield "comparison", ast.Compare(left, [*ops[:at], ORDERS[type(op)][0](), *ops[at + 1 :]], others)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SUMS and not _is_text(left, right):
            yield "arithmetic", ast.BinOp(left, SUMS[type(op)](), right)
        case ast.BoolOp(op=op, values=values):
            yield "and, or", ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "not, minus", operand


def _values(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.Constant(value=bool() as value):
            yield "constant", ast.Constant(not value)
        case ast.Constant(value=int() | float() as value):
            yield "constant", ast.Constant(value + 1)
        case ast.Name(id=name) if name in NAMES:
            yield "name", ast.Name(NAMES[name])
        case ast.Attribute(value=value, attr=name) if name in NAMES:
            yield "name", ast.Attribute(value, NAMES[name])
        case ast.IfExp(test=test, body=body, orelse=other):
            yield "branches swapped", ast.IfExp(test, other, body)


def _statements(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    match node:
        case ast.AugAssign(target=target, op=op, value=value) if type(op) in SUMS and not _is_text(value):
            yield "arithmetic", ast.AugAssign(target, SUMS[type(op)](), value)
            yield "statement dropped", ast.Pass()
        case ast.Return(value=ast.expr() as value) if not (isinstance(value, ast.Constant) and value.value is None):
            yield "returned nothing", ast.Return(ast.Constant(None))
        case ast.Expr() | ast.Raise():
            yield "statement dropped", ast.Pass()
        case ast.Continue():
            yield "statement dropped", ast.Break()
        case ast.Break():
            yield "statement dropped", ast.Continue()


def _is_text(*values: ast.expr) -> bool:
    return any(isinstance(value, ast.JoinedStr) or isinstance(getattr(value, "value", None), str) for value in values)
