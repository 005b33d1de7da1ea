"""What a reference takes and gives, found by building and running it."""

from __future__ import annotations

import sys
from typing import Any

import torch

from . import draw, flags
from .memory import DTYPES, NAMES
from .reference import SEED, Arguments, Doubled, Failure, Reference, Run, dtype_name, is_memory

# How many times the bytes of what is made in double precision must be free for it.
_ROOM = 3


class Described:
    """A reference with what is known of it."""

    def __init__(self, reference: Reference, defaults: flags.Flags, available: int, copies: int) -> None:
        self.reference = reference
        self._available = available  # bytes, 0 for what the device has
        self.notes: list[str] = []
        self.mutates = False  # forward writes to its inputs
        self.arguments = reference.draw(SEED)
        self._layouts()
        first, self.flops = self._first()
        self.random = first.random
        self.structure = first.structure
        self.outputs = [_tensor(leaf.name, leaf.value, "output") for leaf in first.leaves]
        self._afford(first.tensors(), copies)
        kept = [t.clone() for t in first.tensors()]
        del first
        self.differing = self._again(kept)
        del kept
        self.scalable = self._scalable()
        self.exact_why = self._exactness()
        self._remarks()
        self.description = self._description(defaults)
        self.arguments = self.arguments.skeleton()

    def _layouts(self) -> None:
        for name, tensor in zip(self.arguments.names(), self.arguments.tensors()):
            if not tensor.is_contiguous():
                self.notes.append(
                    f"input {name} is not contiguous as the task makes it: everybody gets it contiguous"
                )

    def _afford(self, outputs: list[torch.Tensor], copies: int) -> None:
        """Refuse on a CPU what leaves no room for as many copies of inputs and outputs as others take,
        before minutes are spent on finding out."""
        if self.reference.device.type != "cpu" or not copies:
            return
        size = sum(t.numel() * t.element_size() for t in (*self.arguments.tensors(), *outputs))
        free = free_bytes(self.reference.device)
        if copies * size > free:
            raise Failure(
                "out_of_memory",
                f"its inputs and outputs take {gib(size)} GiB, of which {copies} more sets are needed, and "
                f"{gib(free)} GiB are free: judge it on a GPU, or where there is more memory",
            )

    def run(self, tensors: list[torch.Tensor]) -> Run:
        """One forward on copies where the model writes to its inputs."""
        if self.mutates:
            tensors = [t.clone() for t in tensors]
        return self.reference.run(self.arguments, tensors)

    def _first(self) -> tuple[Run, int | None]:
        """The first forward, with its operations counted where torch can count them."""
        tensors = self.own_tensors(self.arguments)
        versions = [t._version for t in tensors]
        counter = _counter()
        if counter is None:
            first, count = self.reference.run(self.arguments, tensors), None
        else:
            with counter:
                first = self.reference.run(self.arguments, tensors)
            count = int(counter.get_total_flops()) or None
        changed = [name for name, t, v in zip(self.arguments.names(), tensors, versions) if t._version != v]
        if changed:
            self.mutates = True
            self.arguments = self.reference.draw(SEED)
            self.notes.append(f"forward writes to its input {', '.join(changed)}")
        first.tensors()
        return first, count

    def own_tensors(self, drawn: Arguments) -> list[torch.Tensor]:
        """The tensors of a draw as the judge lays them out."""
        return [t.contiguous() for t in drawn.tensors()]

    def _again(self, kept: list[torch.Tensor]) -> int:
        """How many elements a second run on the same inputs changes."""
        again = self.run(self.own_tensors(self.arguments)).tensors()
        return sum(_differing(a, b) for a, b in zip(kept, again))

    def _scalable(self) -> bool:
        """Whether the model takes inputs of another magnitude. On a GPU a refusal ends
        the process's context, so what looks as if it might refuse is not tried."""
        if self.reference.ranged:
            return False
        try:
            drawn = draw.scaled(self.reference, SEED + 1)
            self._steady(drawn)
            self.reference.run(drawn, self.own_tensors(drawn))
        except Failure as error:
            if error.kind != "reference":
                raise
            return False
        return True

    def _steady(self, other: Arguments) -> None:
        """Note what changes from one draw to the next and should not."""
        for mine, theirs in zip(self.arguments.leaves, other.leaves):
            if isinstance(mine.value, torch.Tensor) and isinstance(theirs.value, torch.Tensor):
                if mine.value.shape != theirs.value.shape:
                    raise Failure("unsupported", f"input {mine.name} has another shape in each draw")
            elif repr(mine.value) != repr(theirs.value):
                self.notes.append(
                    f"argument {mine.name} differs from draw to draw: it is that of seed {SEED} everywhere"
                )

    def _exactness(self) -> str:
        """Why there is nothing in double precision, empty where there is."""
        if self.random:
            return "forward draws random numbers, which differ in double precision"
        need, free = self.exact_bytes(), self._available or free_bytes(self.reference.device)
        if need > free:
            return f"double precision takes about {need >> 20} MiB, and {free >> 20} MiB are free"
        try:
            outputs = self.exact_outputs(self.own_tensors(self.arguments))
        except Exception as error:  # noqa: BLE001 - a model need not work in double
            if is_memory(error):
                return "double precision takes more memory than is free"
            return f"the model does not run in double precision: {type(error).__name__}: {error}"
        for spec, tensor in zip(self.outputs, outputs):
            if spec["dtype"] in _FLOATING and tensor.dtype != torch.float64:
                return f"output {spec['name']} is {NAMES.get(tensor.dtype, tensor.dtype)} in double precision as well"
            if list(tensor.shape) != spec["shape"]:
                return f"output {spec['name']} has another shape in double precision"
        return ""

    def exact_bytes(self) -> int:
        """About how much memory a forward in double precision takes."""
        elements = sum(t.numel() for t in self.arguments.tensors())
        elements += sum(t.numel() for _, t in self.reference.state.tensors())
        elements += sum(torch.Size(o["shape"]).numel() for o in self.outputs)
        return _ROOM * 8 * elements

    def exact_outputs(self, tensors: list[torch.Tensor]) -> list[torch.Tensor]:
        """The outputs in double precision. It may raise anything."""
        if self.mutates:
            tensors = [t.clone() for t in tensors]
        doubled: Doubled = self.reference.doubled()
        return doubled.run(self.arguments, tensors).tensors()

    def _remarks(self) -> None:
        if self.random:
            self.notes.append(
                "forward draws random numbers: no other implementation can give the same outputs"
            )
        live = [
            m.p for m in self.reference.model.modules() if isinstance(m, torch.nn.modules.dropout._DropoutNd)
        ]
        if any(p > 0 for p in live) and self.reference.model.training:
            self.notes.append(f"dropout is live: p = {max(live)}")
        if self.reference.state.loose_names():
            names = ", ".join(self.reference.state.loose_names())
            self.notes.append(f"Model keeps a tensor that is neither parameter nor buffer: {names}")
        if not self.scalable:
            self.notes.append("inputs of other magnitudes are not tried: the model may refuse them")
        if self.differing:
            self.notes.append(f"two runs on the same inputs differ in {self.differing} elements")

    def _description(self, defaults: flags.Flags) -> dict[str, Any]:
        """What the judge is told: the Go type Description."""
        state = self.reference.state.tensors()
        return {
            "inputs": [_value(leaf.name, leaf.value) for leaf in self.arguments.leaves],
            "state": [_tensor(name, tensor, "state") for name, tensor in state],
            "parameters": len(self.reference.state.parameters),
            "outputs": self.outputs,
            "structure": self.structure,
            "flops": self.flops,
            "exact": not self.exact_why,
            "exact_why": self.exact_why,
            "seed": SEED,
            "deterministic": self.differing == 0,
            "random": self.random,
            "scalable": self.scalable,
            "flags": flags.read(),
            "defaults": defaults,
            "notes": self.notes,
        }


_FLOATING = [name for name, dtype in DTYPES.items() if dtype.is_floating_point]


def _tensor(name: str, tensor: torch.Tensor, what: str) -> dict[str, Any]:
    return {"name": name, "dtype": dtype_name(tensor, f"{what} {name}"), "shape": list(tensor.shape)}


def _value(name: str, value: Any) -> dict[str, Any]:
    if isinstance(value, torch.Tensor):
        return {"name": name, "kind": "tensor", "tensor": _tensor(name, value, "input")}
    text = repr(value)
    return {"name": name, "kind": "text", "text": text if len(text) <= 200 else text[:200] + "..."}


def _differing(a: torch.Tensor, b: torch.Tensor) -> int:
    if a.shape != b.shape:
        return max(a.numel(), b.numel(), 1)
    different = a != b
    if a.is_floating_point():
        different &= ~(a.isnan() & b.isnan())
    return int(different.sum())


def _counter() -> Any:
    try:
        from torch.utils.flop_counter import FlopCounterMode
    except ImportError:  # torch before 2.1
        return None
    return FlopCounterMode(display=False)


def gib(count: int) -> str:
    """Bytes in GiB."""
    return f"{count / (1 << 30):.1f}"


def free_bytes(device: torch.device) -> int:
    """The memory that a device still has for this process."""
    if device.type == "cuda":
        free, _ = torch.cuda.mem_get_info(device)
        return free + torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            for line in file:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) << 10
    except OSError:
        pass
    return sys.maxsize
