"""What a file imports, uses and defines: the second pass over the tree."""

from __future__ import annotations

import ast
from typing import Any

from .builds import Json, place
from .limits import MAX_FACTS, Refused
from .names import UNKNOWN, Names, is_build, text_of
from .scopes import Function, Scope, Scoped, class_of_self, origin


class Reader(Scoped):
    """The second pass: what is imported, used and defined."""

    def __init__(self, module: Scope, scopes: dict[int, Scope], guarded: bool, names: Names) -> None:
        super().__init__(module, scopes, guarded)
        self.names = names
        self.facts: dict[str, list[Json]] = {
            k: [] for k in ("imports", "uses", "operators", "statements", "classes", "functions")
        }
        self.how: dict[int, str] = {}  # the use of an expression, by node
        self.followed: set[int] = set()  # expressions whose build is known by another name from here on
        self.count = 0

    def add(self, kind: str, node: ast.AST, **fact: Any) -> None:
        self.count += 1
        if self.count > MAX_FACTS:
            raise Refused(f"more than {MAX_FACTS} facts", getattr(node, "lineno", 1))
        self.facts[kind].append(dict(fact, **place(node)))

    def use(self, node: ast.AST, name: str, use: str | None = None) -> None:
        if name not in (UNKNOWN, "self"):
            how = use or self.how.get(id(node), "load")
            self.add("uses", node, name=name, use=how, **{"in": self.scope.name})

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.add("imports", node, name=alias.name)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.add("imports", node, name=f"{origin(node)}.{alias.name}")

    def visit_FunctionDef(self, node: Function) -> None:
        decorators = [self.names.of(undecorated(d), self.scope) for d in node.decorator_list]
        self.add("functions", node, name=self.scopes[id(node)].name, decorators=decorators)
        super().visit_FunctionDef(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        bases = [self.names.of(b, self.scope) for b in node.bases]
        self.add("classes", node, name=self.scopes[id(node)].name, bases=bases)
        super().visit_ClassDef(node)

    def visit_Pass(self, node: ast.Pass) -> None:
        self.add("statements", node, name="pass", **{"in": self.scope.name})

    def visit_Try(self, node: ast.Try) -> None:
        self.add("statements", node, name="try", **{"in": self.scope.name})
        self.generic_visit(node)

    visit_TryStar = visit_Try

    def visit_BinOp(self, node: ast.BinOp) -> None:
        self.operator(node, node.op)
        self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.operator(node, node.op)
        self.generic_visit(node)

    def operator(self, node: ast.AST, op: ast.operator) -> None:
        if isinstance(op, ast.MatMult):
            self.add("operators", node, name="@", **{"in": self.scope.name})

    def visit_Assign(self, node: ast.Assign) -> None:
        if all(isinstance(t, ast.Name) or self.is_member(t) for t in node.targets):
            self.followed.add(id(node.value))
        self.generic_visit(node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if isinstance(node.target, ast.Name) or self.is_member(node.target):
            self.followed.add(id(node.value))
        self.generic_visit(node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.followed.add(id(node.value))
        self.generic_visit(node)

    def visit_Return(self, node: ast.Return) -> None:
        self.followed.add(id(node.value))
        self.generic_visit(node)

    def is_member(self, node: ast.expr) -> bool:
        return isinstance(node, ast.Attribute) and class_of_self(node.value, self.scope) is not None

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read(node)

    def read(self, node: ast.expr) -> None:
        name = self.names.of(node, self.scope)
        if id(node) not in self.followed or not is_build(name):
            self.use(node, name)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if isinstance(node.ctx, ast.Load):
            self.read(node)
        else:
            self.written(node, f"{self.names.of(node.value, self.scope)}.{node.attr}")
        root = node.value
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            self.followed.add(id(root))
            self.visit(root)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        if not isinstance(node.ctx, ast.Load):
            self.written(node, self.names.of(node.value, self.scope) + "[]")
        self.generic_visit(node)

    def written(self, node: ast.AST, name: str) -> None:
        if not name.startswith((UNKNOWN, "self")):
            self.use(node, name, "delete" if isinstance(getattr(node, "ctx", None), ast.Del) else "store")

    def visit_Call(self, node: ast.Call) -> None:
        self.how[id(node.func)] = "call"
        if isinstance(node.func, ast.Subscript):
            self.how[id(node.func.value)] = "launch"
        function = self.names.of(node.func, self.scope)
        if function in ("getattr", "setattr", "delattr") and node.args:
            self.by_name(node, function)
        elif function in ("__import__", "importlib.import_module"):
            self.use(node, self.names.of(node, self.scope))
        elif id(node) not in self.followed and is_build(self.names.of(node, self.scope)):
            self.use(node, self.names.of(node, self.scope), "load")
        self.generic_visit(node)

    def by_name(self, node: ast.Call, function: str) -> None:
        """getattr and its kin: an attribute given by its name."""
        attr = text_of(node.args[1]) if len(node.args) > 1 else None
        base = self.names.of(node.args[0], self.scope)
        if function == "getattr":
            self.use(node, f"getattr({base})" if attr is None else self.names.of(node, self.scope))
        else:
            self.written(node, f"{base}.{attr or '*'}")


def undecorated(node: ast.expr) -> ast.expr:
    """The function of a decorator that is called."""
    while isinstance(node, ast.Call):
        node = node.func
    return node
