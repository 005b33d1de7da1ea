"""What the calls of load_inline are given."""

from __future__ import annotations

import ast
from typing import Any

from .names import BUILD, Names, is_none
from .scopes import Scope
from .texts import Piece, Texts, items

Json = dict[str, Any]


class Builds:
    """What the calls of load_inline are given."""

    def __init__(self, names: Names, texts: Texts) -> None:
        self.names, self.texts = names, texts

    def facts(self) -> list[Json]:
        return [self.fact(node, scope) for node, scope in self.names.builds]

    def fact(self, node: ast.Call, scope: Scope) -> Json:
        call = self.names.of(node.func, scope)[len(BUILD) :]
        given = arguments(node, call)
        sources: list[Json] = []
        for kind, key in (("cpp", "cpp_sources"), ("cuda", "cuda_sources")):
            for item, inside in self.listed(given.get(key), scope):
                sources.append(self.source(kind, item, inside))
        if call == "load" or "**" in given or not sources:
            sources.append({"kind": "cuda", "text": None, "exact": False, "runs": []})
        functions = self.functions(given.get("functions"), scope)
        return dict(call=call, functions=functions, sources=sources, **place(node))

    def listed(self, node: ast.expr | None, scope: Scope) -> list[tuple[ast.expr, Scope]]:
        """The texts of an argument that may be one or a list of them."""
        if node is None or is_none(node):
            return []
        expression, inside = self.follow(node, scope)
        return [(item, inside) for item in items(expression)]

    def follow(self, node: ast.expr, scope: Scope) -> tuple[ast.expr, Scope]:
        """The list that a variable stands for, else the expression itself."""
        values = scope.find(node.id) if isinstance(node, ast.Name) else None
        if values and len(values) == 1 and isinstance(values[0].node, (ast.List, ast.Tuple, ast.Dict)):
            return values[0].node, values[0].scope or scope
        return node, scope

    def source(self, kind: str, node: ast.expr, scope: Scope) -> Json:
        pieces = self.texts.of(node, scope)
        if pieces is None:
            return {"kind": kind, "text": None, "exact": False, "runs": []}
        text = "".join(p.text for p in pieces)
        return {"kind": kind, "text": text, "exact": all(p.exact for p in pieces), "runs": runs(pieces)}

    def functions(self, node: ast.expr | None, scope: Scope) -> list[str] | None:
        if node is None or is_none(node):
            return []
        node, scope = self.follow(node, scope)
        listed = [k for k in node.keys if k is not None] if isinstance(node, ast.Dict) else items(node)
        names: list[str] = []
        for item in listed:
            pieces = self.texts.of(item, scope)
            if pieces is None:
                return None
            names.append("".join(p.text for p in pieces))
        return names


def arguments(node: ast.Call, call: str) -> dict[str, ast.expr]:
    """The arguments of a build by name; "**" stands for those that are not written out."""
    order = (
        ["name", "cpp_sources", "cuda_sources", "functions"] if call == "load_inline" else ["name", "sources"]
    )
    given = dict(zip(order, node.args))
    given.update({k.arg or "**": k.value for k in node.keywords})
    return given


def runs(pieces: list[Piece]) -> list[Json]:
    """Which line of the file the lines of a text stand on: those from "from" on at "line", fixed or not."""
    found: list[Json] = []
    at, fresh = 1, True
    for p in pieces:
        breaks = p.text.count("\n")
        if p.text and fresh:
            found.append({"from": at, "line": p.line, "fixed": not p.step})
        elif breaks:
            found.append({"from": at + 1, "line": p.line + (1 if p.step else 0), "fixed": not p.step})
        at += breaks
        fresh = p.text.endswith("\n") if p.text else fresh
    return found


def place(node: ast.AST) -> Json:
    return {"line": getattr(node, "lineno", 1), "column": getattr(node, "col_offset", 0) + 1}
