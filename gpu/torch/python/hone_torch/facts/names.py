"""Follows expressions to the full names of what they stand for."""

from __future__ import annotations

import ast

from .limits import MAX_HOPS
from .scopes import Scope, Value, class_of_self

BUILD = "torch.utils.cpp_extension."
UNKNOWN = "?"


class Names:
    """Follows expressions to full names. Every build gets its number here."""

    def __init__(self, stars: list[str], builtins: set[str]) -> None:
        self.stars, self.builtins = stars, builtins
        self.builds: list[tuple[ast.Call, Scope]] = []
        self.known: dict[int, str] = {}
        self.hops = 0

    def of(self, node: ast.AST, scope: Scope) -> str:
        """The name of an expression, "?" when it has none."""
        if id(node) in self.known:
            return self.known[id(node)]
        if self.hops > MAX_HOPS and not isinstance(node, ast.Attribute):
            return UNKNOWN
        self.known[id(node)] = UNKNOWN  # what refers to itself
        self.hops += 1
        self.known[id(node)] = name = self.fresh(node, scope)
        self.hops -= 1
        return name

    def fresh(self, node: ast.AST, scope: Scope) -> str:
        if isinstance(node, ast.Name):
            return self.variable(node.id, scope)
        if isinstance(node, ast.Attribute):
            return self.attribute(node.value, node.attr, scope)
        if isinstance(node, ast.Call):
            return self.call(node, scope)
        if isinstance(node, ast.NamedExpr):
            return self.of(node.value, scope)
        if isinstance(node, ast.IfExp):
            return choose([self.of(node.body, scope), self.of(node.orelse, scope)])
        if isinstance(node, ast.BoolOp):
            return choose([self.of(v, scope) for v in node.values])
        return UNKNOWN

    def variable(self, name: str, scope: Scope) -> str:
        values = scope.find(name)
        if values is not None:
            return self.values(values)
        if self.stars and name not in self.builtins:
            return f"{self.stars[0]}.{name}"
        return name

    def values(self, values: list[Value]) -> str:
        return choose([self.value(v) for v in values if not is_none(v.node)])

    def value(self, value: Value) -> str:
        if value.kind == "import":
            return value.name
        if value.kind == "self":
            return "self"
        if value.kind in ("function", "class") and value.scope is not None:
            return ":" + value.scope.name
        if value.kind == "expression" and value.node is not None and value.scope is not None:
            return self.of(value.node, value.scope)
        return UNKNOWN

    def attribute(self, base: ast.expr, attr: str, scope: Scope) -> str:
        owner = class_of_self(base, scope)
        if owner is not None:
            found = self.member(owner, attr, set())
            if found != UNKNOWN:
                return found
        return f"{self.of(base, scope)}.{attr}"

    def member(self, owner: Scope, attr: str, seen: set[int]) -> str:
        """An attribute of a class of the file, of its own or from a base."""
        values = owner.values.get(attr, []) + owner.attributes.get(attr, [])
        if values:
            return self.values(values)
        seen.add(id(owner))
        for base in owner.bases:
            parent = class_of_self(base, owner.parent or owner)
            if parent is not None and id(parent) not in seen:
                return self.member(parent, attr, seen)
        return UNKNOWN

    def call(self, node: ast.Call, scope: Scope) -> str:
        name = self.of(node.func, scope)
        if name in (BUILD + "load_inline", BUILD + "load"):
            self.builds.append((node, scope))
            return f"build:{len(self.builds) - 1}"
        if name == "super":
            return "super()"
        if name == "getattr" and len(node.args) >= 2:
            attr = text_of(node.args[1])
            return UNKNOWN if attr is None else self.attribute(node.args[0], attr, scope)
        if name in ("__import__", "importlib.import_module") and node.args:
            return text_of(node.args[0]) or UNKNOWN
        inner = self.function(node.func, scope)
        if inner is not None:
            return choose([self.of(r, inner) for r in inner.returns if not is_none(r)])
        return UNKNOWN

    def function(self, node: ast.expr, scope: Scope) -> Scope | None:
        """The inside of the function of the file that an expression names."""
        values: list[Value] = []
        if isinstance(node, ast.Name):
            values = scope.find(node.id) or []
        elif isinstance(node, ast.Attribute):
            owner = class_of_self(node.value, scope)
            values = owner.values.get(node.attr, []) if owner is not None else []
        functions = [v.scope for v in values if v.kind == "function"]
        return functions[0] if len(values) == 1 and functions else None


def is_none(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def choose(names: list[str]) -> str:
    """One name out of several: an imported one counts most, a build only when it is the only one."""
    different = sorted(set(names))
    if len(different) == 1:
        return different[0]
    imported = [n for n in different if n[0] not in "?:" and not n.startswith(("build:", "self", "super()"))]
    opaque = [n for n in different if n.startswith("?.")]
    return (imported + opaque + [UNKNOWN])[0]


def text_of(node: ast.expr) -> str | None:
    """The value of a string that is written out, in pieces perhaps."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = text_of(node.left), text_of(node.right)
        return None if left is None or right is None else left + right
    return None


def is_build(name: str) -> bool:
    return name.startswith("build:") and "." not in name
