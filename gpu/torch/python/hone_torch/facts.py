"""Prints the facts of a Python file's syntax tree that the rules for answers need, as one line of JSON.

Reads the file on stdin, runs none of it, and needs the standard library alone (start it with -I -S).
A file that is not Python gives {"error": {"line": 3, "column": 7, "message": "..."}}; else the keys are

  imports     name (in full), line, column
  uses        name, use (call, launch, load, store or delete), in (function), line, column
  operators   name ("@"), in, line, column
  statements  name ("try" or "pass"), in, line, column
  classes     name, bases (names), line, column
  functions   name, decorators (names), line, column
  builds      call ("load_inline" or "load"), functions (null: unknown), sources, line, column

A source is kind ("cpp" or "cuda"), text (null: unknown), exact, and runs that say which line of the file
a line of the text stands on. Columns count bytes from 1. What a name may look like:

  torch.relu      imported, with aliases, assignments and getattr followed to the full name
  exec            a builtin, or bound nowhere
  :Model.forward  defined in the file
  build:0.add     an attribute of what the first build returns
  self.weight     an attribute of self of unknown value
  ?.relu          an attribute of any other value
  getattr(torch)  an attribute whose name is not known; torch.* where one is stored

Names are followed without regard to order or conditions, and a build's number is its place in builds.
The body of `if __name__ == "__main__"` has no facts.
"""

from __future__ import annotations

import ast
import json
import sys
import warnings
from typing import Any, NamedTuple, Union

MAX_BYTES = 1 << 20
MAX_DEPTH = 800  # of the tree; a chain of a thousand additions is no honest kernel
MAX_NODES = 100_000  # an honest answer has a tenth of it
MAX_FACTS = 10_000
MAX_TEXT = 2 << 20  # of all sources together: a text can double itself in every line
MAX_HOPS = 100  # from an alias to what it stands for

BUILD = "torch.utils.cpp_extension."
UNKNOWN = "?"

Function = Union[ast.FunctionDef, ast.AsyncFunctionDef]
Json = dict[str, Any]


class Refused(Exception):
    """The file cannot be read: where, and why."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.line, self.column = line, column


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


def is_build(name: str) -> bool:
    return name.startswith("build:") and "." not in name


def parse(text: str) -> ast.Module:
    try:
        tree = ast.parse(text)
    except SyntaxError as e:
        raise Refused(e.msg or "not Python", e.lineno or 1, e.offset or 1) from None
    except ValueError as e:  # a null byte, before Python 3.12
        raise Refused(str(e)) from None
    except (RecursionError, MemoryError):
        raise Refused("nested too deeply") from None
    return tree


def check_size(tree: ast.Module) -> None:
    level: list[ast.AST] = [tree]
    nodes = 0
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        nodes += len(level)
        if not level:
            return
        if nodes > MAX_NODES:
            raise Refused(f"a syntax tree of more than {MAX_NODES} nodes")
    raise Refused("nested too deeply", getattr(level[0], "lineno", 1))


def star_modules(tree: ast.Module) -> list[str]:
    imports = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    return [origin(n) for n in imports if any(a.name == "*" for a in n.names)]


def renames_module(tree: ast.Module) -> bool:
    """Whether the file sets __name__, so that a guard on it proves nothing."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id == "__name__" and not isinstance(node.ctx, ast.Load):
            return True
        if isinstance(node, ast.alias) and "__name__" in (node.asname, node.name):
            return True
    return False


def facts(text: str) -> Json:
    """The facts of a file; [Refused] when it has none."""
    tree = parse(text)
    check_size(tree)
    module, scopes, guarded = Scope("module", "", None), {}, not renames_module(tree)
    Binder(module, scopes, guarded).visit(tree)
    names = Names(star_modules(tree), set(dir(__import__("builtins"))))
    reader = Reader(module, scopes, guarded, names)
    reader.visit(tree)
    builds = Builds(names, Texts(names, text.split("\n"))).facts()
    return dict(reader.facts, builds=builds)


def limit_memory() -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    except (ImportError, ValueError, OSError):
        return  # the caller's limit on time remains


def main() -> None:
    limit_memory()
    warnings.simplefilter("ignore")  # of escapes in strings
    sys.setrecursionlimit(10_000)
    data = sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        if len(data) > MAX_BYTES:
            raise Refused(f"longer than {MAX_BYTES} bytes")
        result = facts(data.decode("utf-8"))
    except UnicodeDecodeError as e:
        line = data[: e.start].count(b"\n") + 1
        result = {"error": {"line": line, "column": 1, "message": f"not UTF-8: {e.reason}"}}
    except Refused as e:
        result = {"error": {"line": e.line, "column": e.column, "message": str(e)}}
    except (RecursionError, MemoryError):
        result = {"error": {"line": 1, "column": 1, "message": "nested too deeply"}}
    json.dump(result, sys.stdout, separators=(",", ":"))


if __name__ == "__main__":
    main()
