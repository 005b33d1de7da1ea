"""What forward returned, checked and put into the judge's buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch

from .answer import Failure
from .memory import DTYPES, NAMES, Buffer
from .reference import Leaf, leaves

Span = tuple[str, int, int]  # of the judge's memory: name, first address, first after it


def deliver(
    result: Any, specs: Sequence[dict[str, Any]], buffers: Sequence[Buffer], taboo: Sequence[Span]
) -> None:
    """Copy the outputs to the buffers. They must be plain tensors as specified, and have
    no memory in common with what is taboo."""
    for leaf, spec, buffer in zip(_in_order(result, specs), specs, buffers):
        tensor = _plain(leaf, spec, buffer)
        _refuse_shared(leaf.name, tensor, taboo)
        dtype = DTYPES[spec["dtype"]]
        with torch.no_grad():
            buffer.tensor(dtype, spec["shape"]).copy_(tensor.detach())


def _in_order(result: Any, specs: Sequence[dict[str, Any]]) -> list[Leaf]:
    """The outputs in the order of the reference's; those of a dict are found by key."""
    found = list(leaves("out", result))
    names = [spec["name"] for spec in specs]
    if len(found) == len(names) == 1:
        if found[0].name != names[0] and isinstance(found[0].value, torch.Tensor):
            raise Failure("output", f"forward returned {_listed(found)}, not {_expected(specs)}")
        return found
    by_name = {leaf.name: leaf for leaf in found}
    if sorted(by_name) != sorted(names):
        raise Failure("output", f"forward returned {_listed(found)}, not {_expected(specs)}")
    return [by_name[name] for name in names]


def _listed(found: Sequence[Leaf]) -> str:
    if len(found) == 1:
        return f"{found[0].name}: {_kind(found[0].value)}"
    names = ", ".join(leaf.name for leaf in found[:8])
    return f"{len(found)} values ({names})"


def _expected(specs: Sequence[dict[str, Any]]) -> str:
    if len(specs) == 1 and specs[0]["name"] == "out":
        return "one tensor"
    names = ", ".join(spec["name"] for spec in specs[:8])
    return f"{len(specs)} tensors ({names})"


def _kind(value: Any) -> str:
    return "a tensor" if type(value) is torch.Tensor else f"a value of type {type(value).__name__}"


def _plain(leaf: Leaf, spec: dict[str, Any], buffer: Buffer) -> torch.Tensor:
    """The value, if it is such a tensor as the specification says."""
    value = leaf.value
    if type(value) is not torch.Tensor and type(value) is not torch.nn.Parameter:
        raise Failure("output", f"{leaf.name} is {_kind(value)}, not a plain torch.Tensor")
    if value.layout != torch.strided or value.is_quantized:
        raise Failure("output", f"{leaf.name} has the layout {value.layout}, not torch.strided")
    device = buffer.tensor(DTYPES[spec["dtype"]], spec["shape"]).device
    if value.device.type != device.type:
        raise Failure("output", f"{leaf.name} lies on {value.device}, not on {device}")
    if list(value.shape) != spec["shape"]:
        raise Failure("output", f"{leaf.name} has the shape {tuple(value.shape)}, not {tuple(spec['shape'])}")
    if value.dtype != DTYPES[spec["dtype"]]:
        name = NAMES.get(value.dtype, str(value.dtype))
        raise Failure("output", f"{leaf.name} has the type {name}, not {spec['dtype']}")
    return value


def _refuse_shared(name: str, tensor: torch.Tensor, taboo: Sequence[Span]) -> None:
    if tensor.numel() == 0:
        return
    extent = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride())) + 1
    low = tensor.data_ptr()
    high = low + extent * tensor.element_size()
    for other, first, end in taboo:
        if low < end and first < high:
            raise Failure(
                "output", f"{name} lies in the memory of {other}: forward must return memory of its own"
            )
