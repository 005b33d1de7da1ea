"""Follows expressions to the texts they stand for, and where these are written."""

from __future__ import annotations

import ast
from typing import NamedTuple

from .limits import MAX_DEPTH, MAX_HOPS, MAX_TEXT, Refused
from .names import Names, is_none
from .scopes import Scope, Value, class_of_self


class Piece(NamedTuple):
    """A part of a text and where it is written."""

    text: str
    line: int
    step: bool  # a line of the text is a line of the file
    exact: bool


class Texts:
    """Follows expressions to the text they stand for."""

    def __init__(self, names: Names, lines: list[str]) -> None:
        self.names, self.lines = names, lines
        self.left = MAX_TEXT
        self.open: set[int] = set()

    def of(self, node: ast.AST, scope: Scope) -> list[Piece] | None:
        """The pieces of a string, none when its text cannot be told."""
        if id(node) in self.open or len(self.open) > MAX_HOPS + MAX_DEPTH:
            return None
        self.open.add(id(node))
        pieces = self.fresh(node, scope)
        self.open.discard(id(node))
        return pieces

    def fresh(self, node: ast.AST, scope: Scope) -> list[Piece] | None:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self.written(node, node.value, True)
        if isinstance(node, ast.JoinedStr):
            return self.formatted(node, scope)
        if isinstance(node, ast.BinOp):
            return self.operation(node, scope)
        if isinstance(node, ast.IfExp):
            return self.joined([(node.body, scope), (node.orelse, scope)], False)
        if isinstance(node, ast.Name):
            return self.values(scope.find(node.id) or [])
        if isinstance(node, ast.Attribute):
            owner = class_of_self(node.value, scope)
            if owner is not None:
                return self.values(owner.values.get(node.attr, []) + owner.attributes.get(node.attr, []))
        if isinstance(node, ast.Call):
            return self.call(node, scope)
        return None

    def written(self, node: ast.AST, text: str, exact: bool) -> list[Piece]:
        first, last = getattr(node, "lineno", 1), getattr(node, "end_lineno", None) or 1
        breaks, span = text.count("\n"), last - first
        opening = self.lines[first - 1].rstrip("\r\n") if first <= len(self.lines) else ""
        if breaks == span - 1 and opening.endswith(('"""\\', "'''\\")):
            return self.spend([Piece(text, first + 1, True, exact)])
        return self.spend([Piece(text, first, span > 0 and breaks in (span, span + 1), exact)])

    def spend(self, pieces: list[Piece]) -> list[Piece]:
        self.left -= sum(len(p.text) + 1 for p in pieces)
        if self.left < 0:
            raise Refused(f"the sources are longer than {MAX_TEXT} characters together", pieces[0].line)
        return pieces

    def formatted(self, node: ast.JoinedStr, scope: Scope) -> list[Piece]:
        text, exact = "", True
        for part in node.values:
            if isinstance(part, ast.Constant):
                text += str(part.value)
                continue
            value = self.constant(part.value, scope) if isinstance(part, ast.FormattedValue) else None
            text += "0" if value is None else value
            exact = exact and value is not None
        return self.written(node, text, exact)

    def constant(self, node: ast.expr, scope: Scope) -> str | None:
        if isinstance(node, ast.Constant):
            return str(node.value)
        values = scope.find(node.id) if isinstance(node, ast.Name) else None
        if values and len(values) == 1 and isinstance(values[0].node, ast.Constant):
            return str(values[0].node.value)
        pieces = self.of(node, scope)
        return None if pieces is None else "".join(p.text for p in pieces)

    def operation(self, node: ast.BinOp, scope: Scope) -> list[Piece] | None:
        if isinstance(node.op, ast.Add):
            return self.joined([(node.left, scope), (node.right, scope)], True)
        if isinstance(node.op, ast.Mod):
            return self.joined([(node.left, scope)], False)
        return None

    def joined(self, parts: list[tuple[ast.AST, Scope]], exact: bool) -> list[Piece] | None:
        """Texts one after the other; what cannot be told is left out."""
        found = [self.of(node, scope) for node, scope in parts]
        if all(pieces is None for pieces in found):
            return None
        exact = exact and all(pieces is not None for pieces in found)
        return self.spend([p._replace(exact=p.exact and exact) for pieces in found for p in pieces or []])

    def values(self, values: list[Value]) -> list[Piece] | None:
        """Every text that a name may stand for: which one holds is not known here."""
        parts = [
            (v.node, v.scope)
            for v in values
            if v.node is not None and v.scope is not None and not is_none(v.node)
        ]
        return self.joined(parts, len(parts) == len(values) == 1)

    def call(self, node: ast.Call, scope: Scope) -> list[Piece] | None:
        """A method of a string, textwrap.dedent or a function of the file."""
        inner = self.names.function(node.func, scope)
        if inner is not None:
            return self.joined([(r, inner) for r in inner.returns], len(inner.returns) == 1)
        if self.names.of(node.func, scope) == "textwrap.dedent" and node.args:
            return self.of(node.args[0], scope)
        if not isinstance(node.func, ast.Attribute):
            return None
        if node.func.attr == "join" and len(node.args) == 1:
            return self.joined([(item, scope) for item in items(node.args[0])], True)
        parts: list[tuple[ast.AST, Scope]] = [(node.func.value, scope)]
        parts += [(a, scope) for a in node.args if node.func.attr == "replace"]
        return self.joined(parts, node.func.attr == "strip")


def items(node: ast.expr) -> list[ast.expr]:
    return list(node.elts) if isinstance(node, (ast.Tuple, ast.List)) else [node]
