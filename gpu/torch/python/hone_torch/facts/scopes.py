"""The scopes of a file and what the names in them are bound to: the first pass over the tree."""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, Union

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]


class Value(NamedTuple):
    """What a name is bound to at one place."""

    kind: str  # import, expression, function, class, self or unknown
    name: str = ""  # in full, of an import
    node: ast.AST | None = None  # of an expression, function or class
    scope: Scope | None = None  # an expression's own; the inside of a function or class


class Scope:
    """A module, class, function or lambda and the names bound in it."""

    def __init__(self, kind: str, name: str, parent: Scope | None) -> None:
        self.kind, self.name, self.parent = kind, name, parent
        self.values: dict[str, list[Value]] = {}
        self.attributes: dict[str, list[Value]] = {}  # of a class: self.x = ...
        self.bases: list[ast.expr] = []
        self.elsewhere: dict[str, Scope] = {}  # names declared global or nonlocal
        self.returns: list[ast.expr] = []

    def inside(self, name: str) -> str:
        return f"{self.name}.{name}" if self.name else name

    def bind(self, name: str, value: Value) -> None:
        self.elsewhere.get(name, self).values.setdefault(name, []).append(value)

    def find(self, name: str) -> list[Value] | None:
        """The values of a name; a class's own names are not seen from its methods."""
        scope: Scope | None = self
        while scope is not None:
            scope = scope.elsewhere.get(name, scope)
            if name in scope.values and (scope is self or scope.kind != "class"):
                return scope.values[name]
            scope = scope.parent
        return None

    def module(self) -> Scope:
        return self if self.parent is None else self.parent.module()


class Scoped(ast.NodeVisitor):
    """A visitor that knows the scope it is in. Both passes walk the tree with it."""

    def __init__(self, module: Scope, scopes: dict[int, Scope], guarded: bool) -> None:
        self.scope, self.scopes, self.guarded = module, scopes, guarded

    def within(self, node: ast.AST, body: list[Any]) -> None:
        outer, self.scope = self.scope, self.scopes[id(node)]
        for child in body:
            self.visit(child)
        self.scope = outer

    def each(self, nodes: list[Any]) -> None:
        for node in nodes:
            if node is not None:
                self.visit(node)

    def visit_FunctionDef(self, node: Function) -> None:
        self.each(node.decorator_list + [node.args, node.returns])
        self.within(node, node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.visit(node.args)
        self.within(node, [node.body])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.each(node.decorator_list + node.bases + node.keywords)
        self.within(node, node.body)

    def visit_If(self, node: ast.If) -> None:
        if self.guarded and self.scope.kind == "module" and is_main(node.test):
            self.each(node.orelse)
            return
        self.generic_visit(node)


def is_main(test: ast.expr) -> bool:
    """Whether a condition reads __name__ == "__main__"."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not isinstance(test.ops[0], ast.Eq):
        return False
    sides = [test.left, test.comparators[0]]
    names = [s.id for s in sides if isinstance(s, ast.Name)]
    values = [s.value for s in sides if isinstance(s, ast.Constant)]
    return names == ["__name__"] and values == ["__main__"]


class Binder(Scoped):
    """The first pass: every scope and what its names are bound to."""

    def visit_FunctionDef(self, node: Function) -> None:
        inner = Scope("function", self.scope.inside(node.name), self.scope)
        self.scopes[id(node)] = inner
        self.scope.bind(node.name, Value("function", node=node, scope=inner))
        self.parameters(node.args, inner, self.scope.kind == "class" and not is_static(node))
        super().visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        self.scopes[id(node)] = inner = Scope("function", self.scope.name, self.scope)
        self.parameters(node.args, inner, False)
        super().visit_Lambda(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        inner = Scope("class", self.scope.inside(node.name), self.scope)
        inner.bases = node.bases
        self.scopes[id(node)] = inner
        self.scope.bind(node.name, Value("class", node=node, scope=inner))
        super().visit_ClassDef(node)

    def parameters(self, args: ast.arguments, inner: Scope, method: bool) -> None:
        plain = args.posonlyargs + args.args
        defaults = [None] * (len(plain) - len(args.defaults)) + list(args.defaults)
        pairs = list(zip(plain, defaults)) + list(zip(args.kwonlyargs, args.kw_defaults))
        for i, (arg, default) in enumerate(pairs):
            if method and i == 0 and plain:
                inner.bind(arg.arg, Value("self", scope=self.scope))
                continue
            inner.bind(arg.arg, Value("unknown"))
            if default is not None:
                inner.bind(arg.arg, Value("expression", node=default, scope=self.scope))
        for star in (args.vararg, args.kwarg):
            if star is not None:
                inner.bind(star.arg, Value("unknown"))

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            whole = alias.name if alias.asname else alias.name.split(".")[0]
            self.scope.bind(alias.asname or whole, Value("import", whole))

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            if alias.name != "*":
                self.scope.bind(alias.asname or alias.name, Value("import", f"{origin(node)}.{alias.name}"))

    def visit_Global(self, node: ast.Global) -> None:
        for name in node.names:
            self.scope.elsewhere[name] = self.scope.module()

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        for name in node.names:
            if self.scope.parent is not None:
                self.scope.elsewhere[name] = self.scope.parent

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            self.assign(target, node.value)
        self.visit(node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.assign(node.target, node.value)
            self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self.assign(node.target, node.value)
        self.visit(node.value)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> None:
        self.assign(node.target, node.value)
        self.visit(node.value)

    def assign(self, target: ast.expr, value: ast.expr) -> None:
        bound = Value("expression", node=value, scope=self.scope)
        if isinstance(target, ast.Name):
            self.scope.bind(target.id, bound)
        elif isinstance(target, ast.Attribute):
            owner = class_of_self(target.value, self.scope)
            if owner is not None:
                owner.attributes.setdefault(target.attr, []).append(bound)
            self.visit(target.value)
        elif isinstance(target, (ast.Tuple, ast.List)) and isinstance(value, (ast.Tuple, ast.List)):
            if len(target.elts) == len(value.elts):
                for t, v in zip(target.elts, value.elts):
                    self.assign(t, v)
                return
            self.visit(target)
        else:
            self.visit(target)

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is not None:
            self.scope.returns.append(node.value)
            self.visit(node.value)

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store):  # a loop, a with, a comprehension
            self.scope.bind(node.id, Value("unknown"))

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.scope.bind(node.name, Value("unknown"))
        self.generic_visit(node)


def is_static(node: Function) -> bool:
    return any(isinstance(d, ast.Name) and d.id == "staticmethod" for d in node.decorator_list)


def origin(node: ast.ImportFrom) -> str:
    return "." * node.level + (node.module or "")


def class_of_self(node: ast.expr, scope: Scope) -> Scope | None:
    """The class whose self, or whose name, an expression is."""
    values = scope.find(node.id) if isinstance(node, ast.Name) else None
    for value in values or []:
        if value.kind in ("self", "class"):
            return value.scope
    return None
