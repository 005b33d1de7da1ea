"""A task's reference: a file with Model, get_inputs and get_init_inputs."""

from __future__ import annotations

import copy
import inspect
import re
import sys
import traceback
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch

from .memory import NAMES

# KernelBench builds its models under this seed, on the CPU, and moves them then.
SEED = 42

# Operators that refuse values out of a range, on a GPU by ending the process's context.
_RANGED = re.compile(r"binary_cross_entropy|BCE|[Bb]ernoulli|multinomial|torch\.distributions")


class Failure(Exception):
    """Why a reference cannot be used, with the line of its file where known."""

    def __init__(self, kind: str, message: str, line: int = 0) -> None:
        super().__init__(message)
        self.kind = kind
        self.line = line


def failure_of(error: BaseException, path: str, doing: str) -> Failure:
    """The failure that an exception within a reference amounts to."""
    if isinstance(error, Failure):
        return error
    if isinstance(error, SyntaxError) and error.filename == path:
        return Failure("syntax", f"{type(error).__name__}: {error.msg}", error.lineno or 0)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == path]
    kind = "out_of_memory" if is_memory(error) else "reference"
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if kind == "out_of_memory":
        text = f"takes more memory than is free, judge it where there is more ({text})"
    return Failure(kind, f"{doing}: {text}", (lines[-1] or 0) if lines else 0)


def is_memory(error: BaseException) -> bool:
    """Whether an exception says that memory was not enough."""
    return (
        isinstance(error, MemoryError)
        or "out of memory" in str(error)
        or "can't allocate memory" in str(error)
    )


class Leaf:
    """One argument, or one tensor within an argument that is a list or a dict."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self.value = value


def leaves(name: str, value: Any) -> Iterator[Leaf]:
    """The tensors of a structure, and whatever holds none as a whole."""
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        for i, part in enumerate(value):
            yield from leaves(f"{name}[{i}]", part)
    elif isinstance(value, dict) and _holds_tensor(value):
        for key, part in value.items():
            yield from leaves(f"{name}[{key!r}]", part)
    else:
        yield Leaf(name, value)


def rebuilt(value: Any, parts: Iterator[Any]) -> Any:
    """The structure again, with other leaves in their order."""
    if isinstance(value, (list, tuple)) and _holds_tensor(value):
        filled = [rebuilt(part, parts) for part in value]
        if hasattr(value, "_fields"):
            return type(value)(*filled)
        return type(value)(filled)
    if isinstance(value, dict) and _holds_tensor(value):
        return {key: rebuilt(part, parts) for key, part in value.items()}
    return next(parts)


def _holds_tensor(value: Any) -> bool:
    if isinstance(value, torch.Tensor):
        return True
    if isinstance(value, dict):
        return any(_holds_tensor(part) for part in value.values())
    return isinstance(value, (list, tuple)) and any(_holds_tensor(part) for part in value)


def dtype_name(tensor: torch.Tensor, what: str) -> str:
    """The name of a tensor's type, for one that the judge can hold."""
    if tensor.layout != torch.strided:
        raise Failure(
            "unsupported", f"{what} is a tensor of layout {tensor.layout}: only strided tensors can be judged"
        )
    if tensor.dtype not in NAMES:
        raise Failure("unsupported", f"{what} has the type {tensor.dtype}, which cannot be judged")
    return NAMES[tensor.dtype]


class Arguments:
    """What forward is called with: its structure, and its leaves by name."""

    def __init__(self, args: tuple[Any, ...], kwargs: dict[str, Any], names: list[str]) -> None:
        self._args, self._kwargs, self._names = args, kwargs, names
        self.leaves: list[Leaf] = []
        for i, value in enumerate(args):
            self.leaves.extend(leaves(names[i] if i < len(names) else f"arg{i}", value))
        for key, value in kwargs.items():
            self.leaves.extend(leaves(key, value))

    def tensors(self) -> list[torch.Tensor]:
        """The tensors among the leaves, in order."""
        return [leaf.value for leaf in self.leaves if isinstance(leaf.value, torch.Tensor)]

    def names(self) -> list[str]:
        """The names of the tensors."""
        return [leaf.name for leaf in self.leaves if isinstance(leaf.value, torch.Tensor)]

    def with_tensors(self, tensors: list[torch.Tensor]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments again, with other tensors in their order."""
        rest = iter(tensors)
        parts = iter(
            [next(rest) if isinstance(leaf.value, torch.Tensor) else leaf.value for leaf in self.leaves]
        )
        args = tuple(rebuilt(value, parts) for value in self._args)
        return args, {key: rebuilt(value, parts) for key, value in self._kwargs.items()}

    def skeleton(self) -> Arguments:
        """The same arguments without the memory of their tensors."""
        args, kwargs = self.with_tensors([torch.empty(0) for _ in self.tensors()])
        return Arguments(args, kwargs, self._names)


class _Kept:
    """A tensor of a module that a forward may change or replace."""

    def __init__(self, home: dict[str, Any], key: str, tensor: torch.Tensor) -> None:
        self._home, self.key, self._tensor = home, key, tensor
        self._value = tensor.detach().clone()
        self._overlaps = any(step == 0 and size > 1 for step, size in zip(tensor.stride(), tensor.shape))

    def restore(self) -> None:
        """Put the tensor back with the values that it had."""
        if self._overlaps:  # it cannot be written to, element by element
            self._home[self.key] = self._value.clone()
            return
        self._tensor.copy_(self._value)
        self._home[self.key] = self._tensor


class State:
    """A model's parameters and buffers, and what else it keeps in tensors, as they are
    before a run."""

    def __init__(self, model: torch.nn.Module) -> None:
        self.parameters = [(name, p) for name, p in model.named_parameters()]
        self._buffers = [(name, b.detach().clone()) for name, b in model.named_buffers()]
        self._loose = [_Kept(vars(module), key, value) for module, key, value in _loose(model)]
        self._kept = self._loose + [
            _Kept(module._buffers, key, value)
            for module in model.modules()
            for key, value in module._buffers.items()
            if value is not None
        ]

    def tensors(self) -> list[tuple[str, torch.Tensor]]:
        """Parameters, then buffers, as they are before a run."""
        return [(name, p.detach()) for name, p in self.parameters] + self._buffers

    def loose_names(self) -> list[str]:
        """The attributes that hold a tensor and are neither parameter nor buffer."""
        return [kept.key for kept in self._loose]

    def restore(self) -> None:
        """Undo what a run did to all but the parameters, which no forward changes."""
        with torch.no_grad():
            for kept in self._kept:
                kept.restore()


def _loose(model: torch.nn.Module) -> Iterator[tuple[torch.nn.Module, str, torch.Tensor]]:
    for module in model.modules():
        for key, value in vars(module).items():
            if isinstance(value, torch.Tensor):
                yield module, key, value


class Run:
    """What one forward gave."""

    def __init__(self, outputs: Any, random: bool) -> None:
        self.random = random  # it drew random numbers
        self.leaves = list(leaves("out", outputs))
        self.structure = _structure(outputs)

    def tensors(self) -> list[torch.Tensor]:
        """The outputs, in order; all are tensors."""
        for leaf in self.leaves:
            if not isinstance(leaf.value, torch.Tensor):
                what = type(leaf.value).__name__
                raise Failure(
                    "unsupported", f"forward returns {what} in {leaf.name}: only tensors can be judged"
                )
        return [leaf.value for leaf in self.leaves]


def _structure(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return "tensor"
    if isinstance(value, dict):
        return f"dict({','.join(str(key) for key in value)})"
    if isinstance(value, (list, tuple)):
        return f"{'tuple' if isinstance(value, tuple) else 'list'}({len(value)})"
    return type(value).__name__


class Reference:
    """A reference that has been loaded and built on a device."""

    def __init__(self, path: str, device: torch.device) -> None:
        self.path, self.device = path, device
        self._on_device = device.type != "cpu" and hasattr(torch, "set_default_device")
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        self._names = self._guarded("the file", self._execute)
        for name in ("Model", "get_inputs"):
            if not callable(self._names.get(name)):
                raise Failure("missing", f"the file defines no {name}")
        self.model: torch.nn.Module = self._guarded("Model", self._build)
        self.state = State(self.model)
        self.parameter_names = self._forward_names()
        self.ranged = bool(_RANGED.search(self.text))

    def _guarded(self, doing: str, function: Callable[[], Any]) -> Any:
        try:
            return function()
        except (Exception, SystemExit) as error:
            raise failure_of(error, self.path, doing) from error

    def _execute(self) -> dict[str, Any]:
        module = types.ModuleType("hone_reference")
        module.__file__ = self.path
        sys.modules[module.__name__] = module  # dataclasses and pickle look there
        exec(compile(self.text, self.path, "exec"), module.__dict__)  # noqa: S102 - that is its job
        return module.__dict__

    def _build(self) -> torch.nn.Module:
        seed_all(SEED)
        initial = self._names["get_init_inputs"]() if "get_init_inputs" in self._names else []
        args, kwargs = _call_form(initial, self._names["Model"])
        moved = Arguments(args, kwargs, [])
        args, kwargs = moved.with_tensors([t.to(self.device) for t in moved.tensors()])
        seed_all(SEED)
        model = self._names["Model"](*args, **kwargs)
        if not isinstance(model, torch.nn.Module):
            raise Failure("unsupported", f"Model is a {type(model).__name__}, not a torch.nn.Module")
        model = model.to(self.device)
        for module, key, value in list(_loose(model)):
            setattr(module, key, value.detach().to(self.device))  # or every run would move it there
        return model

    def _forward_names(self) -> list[str]:
        kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        parameters = inspect.signature(self.model.forward).parameters.values()
        return [p.name for p in parameters if p.kind in kinds]

    def draw(self, seed: int) -> Arguments:
        """New inputs, made on the device where torch can do that."""
        return self._guarded("get_inputs", lambda: self._draw(seed))

    def _draw(self, seed: int) -> Arguments:
        made = self._made(seed)
        args, kwargs = _call_form(made, self.model.forward)
        drawn = Arguments(args, kwargs, self.parameter_names)
        for leaf in drawn.leaves:
            if isinstance(leaf.value, torch.Tensor):
                dtype_name(leaf.value, f"input {leaf.name}")
                leaf.value = leaf.value.detach().to(self.device)
        return drawn

    def _made(self, seed: int) -> Any:
        """What get_inputs returns, in the device's memory if it takes part in that: to
        draw gigabytes on a CPU takes seconds."""
        seed_all(seed)
        if self._on_device:
            try:
                with self.device:
                    return self._names["get_inputs"]()
            except (RuntimeError, TypeError, ValueError) as error:
                if is_memory(error):
                    raise
                self._on_device = False
                seed_all(seed)
        return self._names["get_inputs"]()

    def run(self, arguments: Arguments, tensors: list[torch.Tensor], seed: int = SEED) -> Run:
        """One forward, from the state that the model was built with."""
        return self._guarded("forward", lambda: run_model(self.model, self.state, arguments, tensors, seed))

    def doubled(self) -> Doubled:
        """The same model in double precision."""
        return Doubled(self)


class Doubled:
    """A reference's model in double precision, for as long as it is needed."""

    def __init__(self, reference: Reference) -> None:
        self._path = reference.path
        self._model = copy.deepcopy(reference.model).double()
        for module, key, value in list(_loose(self._model)):
            if value.is_floating_point():
                setattr(module, key, value.double())
        self._state = State(self._model)

    def run(self, arguments: Arguments, tensors: list[torch.Tensor], seed: int = SEED) -> Run:
        """One forward on inputs whose floating ones are made double. It may raise
        anything: not every model can run in double."""
        wide = [t.double() if t.is_floating_point() else t for t in tensors]
        before = torch.get_default_dtype()
        torch.set_default_dtype(torch.float64)
        try:
            return run_model(self._model, self._state, arguments, wide, seed)
        finally:
            torch.set_default_dtype(before)


def run_model(
    model: torch.nn.Module, state: State, arguments: Arguments, tensors: list[torch.Tensor], seed: int
) -> Run:
    """One forward without gradients. Random numbers are the seed's."""
    state.restore()
    args, kwargs = arguments.with_tensors(tensors)
    seed_all(seed)
    before = _random_state()
    with torch.no_grad():
        outputs = model(*args, **kwargs)
    return Run(outputs, any(not torch.equal(a, b) for a, b in zip(before, _random_state())))


def _random_state() -> list[torch.Tensor]:
    states = [torch.get_rng_state()]
    if torch.cuda.is_available():
        states.append(torch.cuda.get_rng_state())
    return states


def seed_all(seed: int) -> None:
    """Seed every generator that a reference may draw from."""
    torch.manual_seed(seed)
    if "random" in sys.modules:
        sys.modules["random"].seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None and hasattr(numpy, "random"):
        numpy.random.seed(seed % (1 << 32))


def _call_form(value: Any, target: Callable[..., Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """What get_inputs or get_init_inputs returned, as arguments: a list of them, a dict
    of named ones, or a list and a dict."""
    if isinstance(value, dict):
        return (), dict(value)
    if not isinstance(value, (list, tuple)):
        return (value,), {}
    pair = len(value) == 2 and isinstance(value[0], (list, tuple)) and isinstance(value[1], dict)
    if pair and _binds(target, tuple(value[0]), value[1]):
        return tuple(value[0]), dict(value[1])
    return tuple(value), {}


def _binds(target: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    try:
        inspect.signature(target).bind(*args, **kwargs)
    except (TypeError, ValueError):
        return False
    return True
