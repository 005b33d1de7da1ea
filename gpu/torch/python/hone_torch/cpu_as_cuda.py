"""Lets a program that was written for CUDA run on a torch without it.

Whatever it asks for on a CUDA device is made on the CPU, and says that it lies on
the device: kernels of such a program are emulated on the CPU. Only code within
CPUAsCUDA sees this; times and events of the device are those of the host.
"""

from __future__ import annotations

import time
import types
from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

_CPU = torch.device("cpu")
_DEVICE = torch.device("cuda", 0)

# What functions that move a tensor, or are asked where it lies, are called.
_TO_DEVICE = {"cuda", "pin_memory"}
_ARGUMENTS_NAME_DEVICES = {"to", "type", "new_tensor"}


class CPUAsCUDA(TorchFunctionMode):  # type: ignore[misc]
    """While it is entered, the CPU is the device cuda:0."""

    def __torch_function__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        """Call the function with every CUDA device among its arguments made the CPU."""
        keywords = dict(kwargs or {})
        owner = getattr(func, "__self__", None)
        if owner is torch.Tensor.device:
            return _shown(func(*args))
        if owner is torch.Tensor.is_cuda:
            return bool(func(*args)) or args[0].is_cpu
        name = getattr(func, "__name__", "")
        if name in _TO_DEVICE and args and isinstance(args[0], torch.Tensor):
            return args[0]
        if name == "get_device":
            return 0
        if "device" in keywords:
            keywords["device"] = _mapped(keywords["device"], text=True)
        text = name in _ARGUMENTS_NAME_DEVICES
        return func(*(_mapped(a, text) for a in args), **keywords)


def _shown(device: torch.device) -> torch.device:
    return _DEVICE if device.type == "cpu" else device


def _mapped(value: Any, text: bool) -> Any:
    """The CPU for a CUDA device; a device may be given by name or number where text is."""
    if isinstance(value, torch.device):
        return _CPU if value.type == "cuda" else value
    if text and isinstance(value, str) and value.split(":")[0] == "cuda":
        return _CPU
    if text and type(value) is int:
        return _CPU
    return value


class Stream:
    """The only stream there is: everything has happened when a call returns."""

    cuda_stream = 0
    device = _DEVICE
    device_index = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> Stream:  # noqa: PYI034 - Python 3.9 has no Self
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def query(self) -> bool:
        """Report that all work is done."""
        return True

    def synchronize(self) -> None:
        """Return at once."""

    def wait_event(self, event: object) -> None:
        """Return at once."""

    def wait_stream(self, stream: object) -> None:
        """Return at once."""

    def record_event(self, event: Event | None = None) -> Event:
        """Record the event, a new one where none is given."""
        event = event or Event()
        event.record()
        return event


class Event:
    """A point in the host's time."""

    cuda_event = 0

    def __init__(self, *_: Any, **__: Any) -> None:
        self._when = 0

    def record(self, stream: object = None) -> None:
        """Take the time."""
        self._when = time.perf_counter_ns()

    def elapsed_time(self, end: Event) -> float:
        """Milliseconds until the other event."""
        return (end._when - self._when) / 1e6

    def query(self) -> bool:
        """Report that it has happened."""
        return True

    def synchronize(self) -> None:
        """Return at once."""

    def wait(self, stream: object = None) -> None:
        """Return at once."""


class _Nothing:
    """A context that changes nothing, such as the choice of a device."""

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __enter__(self) -> _Nothing:  # noqa: PYI034 - Python 3.9 has no Self
        return self

    def __exit__(self, *_: object) -> None:
        pass


def _properties(device: object = None) -> types.SimpleNamespace:
    return types.SimpleNamespace(
        name="CPU emulation",
        major=9,
        minor=0,
        multi_processor_count=132,
        total_memory=16 << 30,
        max_threads_per_multi_processor=2048,
        warp_size=32,
        shared_memory_per_block=48 << 10,
        shared_memory_per_multiprocessor=228 << 10,
        regs_per_multiprocessor=65536,
        L2_cache_size=50 << 20,
        is_integrated=False,
        is_multi_gpu_board=False,
    )


def _constant(value: Any) -> Callable[..., Any]:
    """A function of its own that always returns the value: torch's compiler refuses two
    names of one function."""
    return lambda *_, **__: value


def _another(base: type, name: str) -> type:
    return type(name, (base,), {})


def install() -> None:
    """Have torch.cuda answer for a device."""
    fixed = {
        "is_available": True,
        "is_initialized": True,
        "device_count": 1,
        "current_device": 0,
        "is_bf16_supported": True,
        "get_device_capability": (9, 0),
        "get_device_name": "CPU emulation",
        "memory_allocated": 0,
        "max_memory_allocated": 0,
        "memory_reserved": 0,
        "max_memory_reserved": 0,
        "mem_get_info": (16 << 30, 16 << 30),
        "get_arch_list": ["sm_90"],
        "is_current_stream_capturing": False,
    }
    for name, value in fixed.items():
        setattr(torch.cuda, name, _constant(value))
    for name in (
        "synchronize",
        "set_device",
        "set_stream",
        "empty_cache",
        "init",
        "_lazy_init",
        "ipc_collect",
    ):
        setattr(torch.cuda, name, _constant(None))
    for name in ("manual_seed", "manual_seed_all", "seed", "seed_all", "set_rng_state", "set_rng_state_all"):
        setattr(torch.cuda, name, _constant(None))
    for name in ("reset_peak_memory_stats", "reset_max_memory_allocated", "_sleep", "_lazy_call"):
        setattr(torch.cuda, name, _constant(None))
    stream = Stream()
    for name in ("current_stream", "default_stream"):
        setattr(torch.cuda, name, _constant(stream))
    replaced: dict[str, Any] = {name: _another(_Nothing, name) for name in ("device", "device_of", "stream")}
    replaced.update(Stream=Stream, ExternalStream=_another(Stream, "ExternalStream"), Event=Event)
    replaced.update(get_rng_state=lambda *_, **__: torch.get_rng_state(), get_device_properties=_properties)
    for name, replacement in replaced.items():
        setattr(torch.cuda, name, replacement)
