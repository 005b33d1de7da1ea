"""An answer: a file with ModelNew, which nobody trusts."""

from __future__ import annotations

import contextlib
import functools
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from . import reference
from .inline_hook import BuildError, UnsupportedError
from .reference import SEED, Arguments, seed_all

Emulated = Callable[[], "contextlib.AbstractContextManager[Any]"]

NAME = "answer"  # of the module that the answer's file becomes

# What an error of the CUDA runtime says, and the kind of fault that it is.
_CUDA_ERRORS = (
    ("out of memory", "out_of_memory"),
    ("illegal memory access", "illegal_address"),
    ("misaligned address", "misaligned"),
    ("device-side assert", "assert"),
    ("launch failure", "launch_failure"),
    ("CUDA error", "cuda_error"),
)


class Failure(Exception):
    """Why an answer failed, with the line of its file where known."""

    def __init__(self, kind: str, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


def failure_of(error: BaseException, path: str, kind: str) -> Failure:
    """The failure that an exception within an answer amounts to, of this kind if of no
    more precise one."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, SyntaxError) and error.filename == path:
        return Failure(kind, f"{type(error).__name__}: {error.msg}", error.lineno or 0)
    line = _line_of(error, path)
    for cause in _causes(error):
        if isinstance(cause, BuildError):
            return Failure("build", str(cause), line)
        if isinstance(cause, UnsupportedError):
            return Failure("unsupported", str(cause), line)
    if isinstance(error, SystemExit):
        return Failure("exit", f"the answer called exit({error.code})", line)
    return Failure(_precise(error) or kind, _words(error), line)


def _line_of(error: BaseException, path: str) -> int:
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    return (lines[-1] or 0) if lines else 0


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """An exception and those that it was raised for, nearest first."""
    for _ in range(16):
        if error is None:
            return
        yield error
        error = error.__cause__ or error.__context__


def _precise(error: BaseException) -> str:
    if isinstance(error, MemoryError) or "can't allocate memory" in str(error):
        return "out_of_memory"
    if isinstance(error, RuntimeError):
        return next((kind for words, kind in _CUDA_ERRORS if words in str(error)), "")
    return ""


def _words(error: BaseException) -> str:
    """What an exception says; of the CUDA runtime's advice to debug nothing."""
    text = str(error).split("\nCUDA kernel errors might be", 1)[0].strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


class _OnMeta(TorchFunctionMode):  # type: ignore[misc]
    """Has tensors made without memory."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        keywords = dict(kwargs or {})
        if getattr(func, "__name__", "") in _FACTORIES:
            keywords["device"] = "meta"
        return func(*args, **keywords)


_CREATED = "arange empty eye full linspace logspace normal ones rand randint randn randperm tensor zeros"
_FACTORIES = frozenset(_CREATED.split())


def warm_up() -> None:
    """Have torch import what it computes with where there is no memory, which takes a
    second: an answer's time is not for that."""
    with contextlib.suppress(Exception), _OnMeta():
        _ = 2 * torch.randn(1) + 1 > 0


class Task:
    """What an answer's model is built from and called with, as the reference says."""

    def __init__(self, path: str, device: torch.device, inputs: list[dict[str, Any]]) -> None:
        self._path, self._device = path, device
        with open(path, encoding="utf-8") as file:
            text = file.read()
        module = types.ModuleType("hone_reference")
        module.__file__ = path
        exec(compile(text, path, "exec"), module.__dict__)  # noqa: S102 - that is its job
        self._names = module.__dict__
        self.arguments = self._arguments(inputs)

    def _arguments(self, inputs: list[dict[str, Any]]) -> Arguments:
        """The structure of forward's arguments. Tensors in it need have no memory."""
        for mode in (_OnMeta, contextlib.nullcontext):
            try:
                with mode():
                    made = self._drawn()
            except Exception:
                if mode is contextlib.nullcontext:
                    raise
                continue
            if _fit(made, inputs):
                return made
        raise ValueError("get_inputs does not give what the task was described with")

    def _drawn(self) -> Arguments:
        seed_all(SEED)
        forward = self._names["Model"].forward
        args, kwargs = reference._call_form(self._names["get_inputs"](), functools.partial(forward, None))
        return Arguments(args, kwargs, [])

    def initial(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """What a model is built with, its tensors on the device."""
        seed_all(SEED)
        given = self._names["get_init_inputs"]() if "get_init_inputs" in self._names else []
        args, kwargs = reference._call_form(given, self._names["Model"])
        arguments = Arguments(args, kwargs, [])
        return arguments.with_tensors([t.to(self._device) for t in arguments.tensors()])


def _fit(made: Arguments, inputs: list[dict[str, Any]]) -> bool:
    """Whether the leaves are those of the description."""
    if len(made.leaves) != len(inputs):
        return False
    for leaf, spec in zip(made.leaves, inputs):
        if isinstance(leaf.value, torch.Tensor) != (spec["kind"] == "tensor"):
            return False
        if spec["kind"] == "tensor" and list(leaf.value.shape) != spec["tensor"]["shape"]:
            return False
    return True


class Answer:
    """An answer's file, executed. Its code runs within emulated, which is where a CPU
    stands for a GPU."""

    def __init__(self, path: str, device: torch.device, emulated: Emulated) -> None:
        self._path, self._device, self._emulated = path, device, emulated
        self._names: dict[str, Any] = {}
        self._model: Any = None

    @contextlib.contextmanager
    def blamed(self, kind: str) -> Iterator[None]:
        """Whatever is raised here is a failure of the answer, of this kind."""
        try:
            yield
        except BaseException as error:
            raise failure_of(error, self._path, kind) from error

    def execute(self) -> None:
        """Run the file."""
        module = types.ModuleType(NAME)
        module.__file__ = self._path
        sys.modules[NAME] = module  # Triton and dataclasses look there
        self._names = module.__dict__
        with self.blamed("import"), self._emulated():
            with open(self._path, encoding="utf-8") as file:
                code = compile(file.read(), self._path, "exec")
            exec(code, self._names)  # noqa: S102 - that is its job

    def build(self, initial: tuple[tuple[Any, ...], dict[str, Any]]) -> None:
        """Make ModelNew as the reference's Model was made."""
        if not callable(self._names.get("ModelNew")):
            raise Failure("missing", "the answer defines no class ModelNew")
        args, kwargs = initial
        with self.blamed("init"), self._emulated():
            seed_all(SEED)
            with torch.no_grad():
                model = self._names["ModelNew"](*args, **kwargs)
            if isinstance(model, torch.nn.Module):
                model = model.to(self._device)
        if not callable(model):
            raise Failure("init", f"ModelNew makes a {type(model).__name__}, which cannot be called")
        self._model = model

    def state(self) -> dict[str, torch.Tensor]:
        """The model's parameters and buffers by name."""
        if not isinstance(self._model, torch.nn.Module):
            return {}
        return {**dict(self._model.named_parameters()), **dict(self._model.named_buffers())}

    def forward(self, arguments: tuple[tuple[Any, ...], dict[str, Any]]) -> Any:
        """Call the model without gradients. It may raise anything: see blamed."""
        args, kwargs = arguments
        with torch.no_grad(), self._emulated():
            return self._model(*args, **kwargs)
