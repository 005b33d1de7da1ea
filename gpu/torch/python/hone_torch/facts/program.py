"""Reads a file on stdin and prints its facts, or why it has none."""

from __future__ import annotations

import ast
import json
import sys
import warnings

from .builds import Builds, Json
from .limits import MAX_BYTES, MAX_DEPTH, MAX_NODES, Refused
from .names import Names
from .reader import Reader
from .scopes import Binder, Scope, origin
from .texts import Texts


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
