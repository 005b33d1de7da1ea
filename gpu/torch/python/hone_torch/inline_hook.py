"""Has an answer's load_inline, and load, built by the judge.

The sources travel to the judge in an answer to whatever request is under way; what
it built comes back as descriptors, which are copied to files of this process's own.
"""

from __future__ import annotations

import ast
import functools
import importlib.machinery
import importlib.util
import inspect
import json
import os
import sys
import threading
import types
from collections.abc import Callable, Sequence
from typing import Any

from .wire import LOAD, Channel, Message

_PART = 24 << 10  # characters of a request in one message; escaping may double them
_MODULE = "torch.utils.cpp_extension"

_leave = os._exit  # the answer's os._exit is another


class BuildError(RuntimeError):
    """A build that failed, as torch's own would."""


class UnsupportedError(ImportError):
    """What an answer wants and what cannot work here, through no fault of its own."""


class Literals:
    """The string literals of an answer's text, and where each begins."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._found: list[tuple[str, int]] = []
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                line = self._first_line(node, node.value)
                if line > 0:
                    self._found.append((node.value, line))

    def _first_line(self, node: ast.Constant, value: str) -> int:
        """The line of the value's first character, 0 where its lines are not the text's."""
        spanned = (node.end_lineno or node.lineno) - node.lineno
        if spanned == value.count("\n"):
            return node.lineno
        begins = self._lines[node.lineno - 1].rstrip()
        continued = begins.endswith(('"""\\', "'''\\"))
        return node.lineno + 1 if continued and spanned == value.count("\n") + 1 else 0

    def line_of(self, source: str) -> int:
        """The line of the text where a source begins, 0 where it is no literal of it."""
        stripped = source.strip()
        for value, line in self._found:
            if value == source:
                return line
        for value, line in self._found:
            if stripped and value.strip() == stripped:
                skipped = value.index(stripped) - source.index(stripped)
                return line + value[: max(skipped, 0)].count("\n")
        return 0


class Hook:
    """Stands in for torch's builder of extensions."""

    def __init__(self, channel: Channel, path: str, text: str) -> None:
        self._channel, self._path = channel, path
        self._literals = Literals(text)
        self._lock = threading.Lock()
        self._binder: Any = None
        self.built = 0
        self.failed = 0

    def install(self) -> None:
        """Replace load_inline and load in the module that has them."""
        module = extension_module()
        inline = _bound(getattr(module, "load_inline", None), _load_inline_form)
        files = _bound(getattr(module, "load", None), _load_form)
        module.load_inline = functools.partial(self._load_inline, inline)
        module.load = functools.partial(self._load, files)

    def _load_inline(self, bound: Callable[..., dict[str, Any]], *args: Any, **kwargs: Any) -> Any:
        given = bound(*args, **kwargs)
        if given.get("sycl_sources"):
            raise BuildError(
                "load_inline was given sycl_sources, which no CUDA device runs: "
                "in this release of torch they are its fourth argument, so name functions=..."
            )
        functions = given.get("functions")
        if isinstance(functions, str):
            functions = [functions]
        cpp, cuda = _texts(given.get("cpp_sources")), _texts(given.get("cuda_sources"))
        return self._build(given, cpp, cuda, [str(f) for f in functions or []])

    def _load(self, bound: Callable[..., dict[str, Any]], *args: Any, **kwargs: Any) -> Any:
        given = bound(*args, **kwargs)
        cpp, cuda = [], []
        for path in _texts(given.get("sources")):
            with open(path, encoding="utf-8") as file:
                (cuda if path.endswith((".cu", ".cuh")) else cpp).append(file.read())
        return self._build(given, cpp, cuda, [])

    def _build(self, given: dict[str, Any], cpp: list[str], cuda: list[str], functions: list[str]) -> Any:
        request = {
            "name": str(given.get("name")),
            "cpp": cpp,
            "cuda": cuda,
            "functions": functions,
            "cflags": _texts(given.get("extra_cflags")),
            "cuda_flags": _texts(given.get("extra_cuda_cflags")),
            "ld_flags": _texts(given.get("extra_ldflags")),
            "includes": _texts(given.get("extra_include_paths")),
            "line": line_of_call(self._path),
            "cpp_lines": [self._literals.line_of(source) for source in cpp],
            "cuda_lines": [self._literals.line_of(source) for source in cuda],
        }
        with self._lock:
            return self._ask(request)

    def _ask(self, request: dict[str, Any]) -> Any:
        text = json.dumps(request)
        parts = [text[at : at + _PART] for at in range(0, len(text), _PART)]
        for part in parts[:-1]:
            self._exchange(part, more=True).close()
        message = self._exchange(parts[-1], more=False)
        try:
            return self._loaded(request["name"], message.value()["built"], message.descriptors)
        finally:
            message.close()

    def _exchange(self, part: str, more: bool) -> Message:
        self._channel.answer({"build": {"part": part, "more": more}})
        message = self._channel.receive()
        if message is None or message.kind != LOAD:
            _leave(0)
        return message

    def _loaded(self, name: str, built: dict[str, Any], descriptors: Sequence[int]) -> Any:
        if "failed" in built:
            self.failed += 1
            if built["unsupported"]:
                raise UnsupportedError(built["failed"])
            raise BuildError(f"Error building extension '{name}': {built['failed']}")
        self.built += 1
        module = _copied(descriptors[0], f"{built['module']}-{self.built}.so")
        if not built["binder"]:
            return extension(built["module"], module)
        if self._binder is None:
            file = _copied(descriptors[1], built["binder"] + ".so")
            self._binder = extension(built["binder"], file)
        functions = [(f["name"], f["symbol"], f["spec"]) for f in built["functions"] or []]
        return self._binder.open(module, functions)


def line_of_call(path: str) -> int:
    """The line of a file from which this was called, through whatever lies between."""
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        if frame.f_code.co_filename == path:
            return frame.f_lineno
        frame = frame.f_back
    return 0


def extension_module() -> types.ModuleType:
    """torch.utils.cpp_extension, or what stands in for it where it cannot be imported,
    as without setuptools."""
    try:
        import torch.utils.cpp_extension as module
    except Exception:  # noqa: BLE001 - it looks for compilers, and that fails in many ways
        module = types.ModuleType(_MODULE)
        sys.modules[_MODULE] = module
        sys.modules["torch.utils"].cpp_extension = module
    return module


def extension(name: str, path: str) -> types.ModuleType:
    """Import an extension module from a file."""
    loader = importlib.machinery.ExtensionFileLoader(name, path)
    spec = importlib.util.spec_from_file_location(name, path, loader=loader)
    if spec is None:
        raise ImportError(f"{path} is no module")
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def _copied(descriptor: int, name: str) -> str:
    """A copy of a file that came as a descriptor, in the working directory."""
    path = os.path.join(os.getcwd(), os.path.basename(name))
    with open(descriptor, "rb", closefd=False) as source, open(path, "wb") as copy:
        source.seek(0)
        while block := source.read(1 << 20):
            copy.write(block)
    return path


def _texts(value: Any) -> list[str]:
    """A string or several, as torch takes them."""
    if value is None:
        return []
    if isinstance(value, (list, tuple)):
        return [str(part) for part in value]
    return [str(value)]


def _bound(original: Any, form: Callable[..., None]) -> Callable[..., dict[str, Any]]:
    """A function that names the arguments of a call as the original would."""
    try:
        signature = inspect.signature(original)
    except (TypeError, ValueError):
        signature = inspect.signature(form)
    return lambda *args, **kwargs: dict(signature.bind(*args, **kwargs).arguments)


def _load_inline_form(
    name: str,
    cpp_sources: Any,
    cuda_sources: Any = None,
    functions: Any = None,
    extra_cflags: Any = None,
    extra_cuda_cflags: Any = None,
    extra_ldflags: Any = None,
    extra_include_paths: Any = None,
    build_directory: Any = None,
    verbose: Any = False,
    with_cuda: Any = None,
    is_python_module: Any = True,
    with_pytorch_error_handling: Any = True,
    keep_intermediates: Any = True,
    **_: Any,
) -> None:
    """How torch's load_inline is called."""


def _load_form(
    name: str,
    sources: Any,
    extra_cflags: Any = None,
    extra_cuda_cflags: Any = None,
    extra_ldflags: Any = None,
    extra_include_paths: Any = None,
    build_directory: Any = None,
    verbose: Any = False,
    with_cuda: Any = None,
    is_python_module: Any = True,
    is_standalone: Any = False,
    keep_intermediates: Any = True,
    **_: Any,
) -> None:
    """How torch's load is called."""
