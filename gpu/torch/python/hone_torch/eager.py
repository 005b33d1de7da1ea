"""Times of a reference: single calls of eager, or of torch.compile's.

On a GPU a sample is the device's time between two events around one call. The cache
is flushed before it, and the device kept busy while the host queues what follows, so
that a short queue is not in the sample; gpu/device times kernels in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

Step = Callable[[], Any]

_WARMUP = 3
_PAIRS = 21
_LEAST_WAIT, _MOST_WAIT = 25_000, 500_000  # nanoseconds that the device is kept busy for


class Refused(Exception):
    """Why there is nothing to time."""


def compiled(model: torch.nn.Module) -> Callable[..., Any]:
    """The model as torch.compile makes it, at its first call."""
    if not hasattr(torch, "compile"):
        raise Refused(f"torch {torch.__version__} has no torch.compile")
    try:
        return torch.compile(model)
    except Exception as error:
        raise Refused(f"torch.compile: {type(error).__name__}: {error}") from error


class Plan:
    """What to time: one step per sample, what comes before each, and for how long."""

    def __init__(self, steps: list[Step], before: Step, samples: int, budget: float) -> None:
        self.steps, self.before, self.samples, self.budget = steps, before, samples, budget


def run(plan: Plan, device: torch.device, l2: int) -> dict[str, Any]:
    """Samples in nanoseconds, in turn over the steps: fewer than asked for where the
    budget, in seconds, ends before them."""
    watch = _DeviceWatch(device, l2) if device.type == "cuda" else _HostWatch()
    started = time.monotonic()
    for i in range(_WARMUP):
        plan.before()
        watch.warm(plan.steps[-1 - i % len(plan.steps)])
    setup = time.monotonic()
    samples: list[int] = []
    while len(samples) < plan.samples and (not samples or time.monotonic() - started < plan.budget):
        plan.before()
        samples.append(watch.sample(plan.steps[len(samples) % len(plan.steps)]))
    ended = time.monotonic()
    empty, null = watch.overheads()
    return {
        "samples": samples,
        "setup_ns": int((setup - started) * 1e9),
        "wall_ns": int((ended - setup) * 1e9),
        "empty_ns": empty,
        "null_ns": null,
    }


class _HostWatch:
    """Times by the host's clock."""

    def warm(self, step: Step) -> None:
        step()

    def sample(self, step: Step) -> int:
        started = time.perf_counter_ns()
        kept = step()
        elapsed = time.perf_counter_ns() - started
        del kept  # freeing the outputs is not in the sample
        return elapsed

    def overheads(self) -> tuple[int, int]:
        return 0, 0


class _DeviceWatch:
    """Times by events of the device."""

    def __init__(self, device: torch.device, l2: int) -> None:
        self._queueing = 0
        words = max(2 * l2, 0) // 4
        self._dirty = torch.empty(words, dtype=torch.int32, device=device) if words else None
        self._clean = torch.zeros(words, dtype=torch.int32, device=device) if words else None
        self._value = 1
        self._start = torch.cuda.Event(enable_timing=True)
        self._end = torch.cuda.Event(enable_timing=True)
        self._cycles = self._calibrate()

    def _calibrate(self) -> float:
        """Cycles per nanosecond of the device's spinning kernel."""
        cycles = 2_000_000
        torch.cuda._sleep(cycles)
        self._start.record()
        torch.cuda._sleep(cycles)
        self._end.record()
        torch.cuda.synchronize()
        return cycles / max(1.0, self._start.elapsed_time(self._end) * 1e6)

    def warm(self, step: Step) -> None:
        started = time.perf_counter_ns()
        step()
        self._queueing = time.perf_counter_ns() - started
        torch.cuda.synchronize()

    def sample(self, step: Step) -> int:
        if self._dirty is not None and self._clean is not None:
            self._dirty.fill_(self._value)
            self._value += 1
            torch.max(self._clean)
        return self._timed(step)

    def _timed(self, step: Step) -> int:
        wait = min(max(2 * self._queueing, _LEAST_WAIT), _MOST_WAIT)
        torch.cuda._sleep(int(wait * self._cycles))
        started = time.perf_counter_ns()
        self._start.record()
        kept = step()
        self._end.record()
        self._queueing = time.perf_counter_ns() - started
        torch.cuda.synchronize()
        del kept
        return int(self._start.elapsed_time(self._end) * 1e6 + 0.5)

    def overheads(self) -> tuple[int, int]:
        """What the events show around nothing, and around a kernel that does nothing,
        right after another one."""
        empty = sorted(self._timed(lambda: None) for _ in range(_PAIRS))
        null = sorted(self._after_null() for _ in range(_PAIRS))
        return empty[_PAIRS // 2], null[_PAIRS // 2]

    def _after_null(self) -> int:
        torch.cuda._sleep(int(_LEAST_WAIT * self._cycles))
        torch.cuda._sleep(1)
        self._start.record()
        torch.cuda._sleep(1)
        self._end.record()
        torch.cuda.synchronize()
        return int(self._start.elapsed_time(self._end) * 1e6 + 0.5)
