"""How long a call takes: single calls by the device's clock, or by the host's on a CPU.

On a GPU a sample is the time between two events around one call, by the method of
package device: before it twice the L2 cache is written and as much read, and the
device is kept busy while the host queues what the events enclose, for at most half a
millisecond. What this says of code that shares the process is a claim.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import torch

METHODS = ("cold", "warm")
MAX_SAMPLES = 4096

_LEAST_WAIT, _MOST_WAIT = 25_000, 500_000  # nanoseconds
_PAIRS = 21  # of events, for what they show by themselves

Step = Callable[[], Any]

# An answer may put something else into the modules that these are from.
now = time.perf_counter_ns
synchronize = torch.cuda.synchronize
_Event, _sleep = torch.cuda.Event, getattr(torch.cuda, "_sleep", None)


def clock_of(device: torch.device, l2: int) -> Clock:
    """The clock for a device with so many bytes of cache to flush before a cold sample."""
    return EventClock(device, l2) if device.type == "cuda" else Clock()


class Clock:
    """The host's clock, for a device that is done when a call returns."""

    def wait(self) -> None:
        """Return when the device has done all it was given."""

    def flush(self) -> None:
        """Leave nothing of earlier calls in the cache."""

    def sample(self, step: Step) -> tuple[int, Any]:
        """How many nanoseconds a step takes, and what it returned."""
        started = now()
        result = step()
        return now() - started, result

    def overheads(self) -> tuple[int, int]:
        """What a sample shows for nothing, and for a launch that does nothing."""
        empty = sorted(self.sample(_nothing)[0] for _ in range(_PAIRS))[_PAIRS // 2]
        return empty, empty


class EventClock(Clock):
    """Events on the current stream of a GPU."""

    def __init__(self, device: torch.device, l2: int) -> None:
        self._from = _Event(enable_timing=True)
        self._to = _Event(enable_timing=True)
        if _sleep is None:
            raise RuntimeError("this torch cannot keep a device busy")
        self._sleep, self._synchronize = _sleep, synchronize
        self._queueing = 0
        self._flusher = _Flusher(device, l2) if l2 > 0 else None
        self._cycles = self._cycles_per_nanosecond()

    def _cycles_per_nanosecond(self) -> float:
        cycles = 1_000_000
        for _ in range(2):  # the first one wakes the device up
            self._from.record()
            self._sleep(cycles)
            self._to.record()
            self.wait()
        return cycles / max(self._elapsed(), 1)

    def _elapsed(self) -> int:
        return int(self._from.elapsed_time(self._to) * 1e6 + 0.5)

    def wait(self) -> None:
        """Return when the device has done all it was given."""
        self._synchronize()

    def flush(self) -> None:
        """Write twice the cache and read as much, so that the write-back is over."""
        if self._flusher is not None:
            self._flusher.flush()

    def sample(self, step: Step) -> tuple[int, Any]:
        """How many nanoseconds of the device a step takes, and what it returned."""
        busy = min(max(2 * self._queueing, _LEAST_WAIT), _MOST_WAIT)
        self._sleep(int(busy * self._cycles))
        queued = now()
        self._from.record()
        result = step()
        self._to.record()
        self._queueing = now() - queued
        self.wait()
        return self._elapsed(), result

    def overheads(self) -> tuple[int, int]:
        """What two events show around nothing, and around a kernel that does nothing
        right behind another one."""
        empty = sorted(self.sample(_nothing)[0] for _ in range(_PAIRS))
        null = []
        for _ in range(_PAIRS):
            self._sleep(0)
            null.append(self.sample(lambda: self._sleep(0))[0])
        return empty[_PAIRS // 2], sorted(null)[_PAIRS // 2]


class _Flusher:
    def __init__(self, device: torch.device, l2: int) -> None:
        words = 2 * l2 // 4
        self._dirty = torch.zeros(words, dtype=torch.int32, device=device)
        self._clean = torch.zeros(words, dtype=torch.float32, device=device)
        self._sum = torch.zeros((), dtype=torch.float32, device=device)
        self._value = 0

    def flush(self) -> None:
        self._value = (self._value + 1) % (1 << 31)
        self._dirty.fill_(self._value)
        torch.sum(self._clean, dim=0, out=self._sum)


def _nothing() -> None:
    return None


class Plan:
    """What the judge wants timed, checked."""

    def __init__(self, value: dict[str, Any], sets: int) -> None:
        self.method = str(value["method"])
        self.samples, self.warmup = int(value["samples"]), int(value["warmup"])
        self.first, self.l2 = int(value["first"]), int(value["l2"])
        if self.method not in METHODS:
            raise ValueError(f"there is no method of timing called {self.method}")
        if not 1 <= self.samples <= MAX_SAMPLES or self.warmup < 0 or self.l2 < 0:
            raise ValueError(f"{self.samples} samples after {self.warmup} calls: out of range")
        if not 0 <= self.first < sets:
            raise ValueError(f"there is no set {self.first} of buffers: {sets} were mapped")


def times(
    plan: Plan, clock: Clock, calls: Sequence[Step], after: Callable[[int, Any], None]
) -> dict[str, Any]:
    """Run a plan. There is one call for each set of buffers; after takes what it
    returned, outside of the samples. The warm-up uses the set before the first."""
    spare = (plan.first - 1) % len(calls)
    for _ in range(plan.warmup):
        after(spare, calls[spare]())
    clock.wait()
    started = now()
    empty, null = clock.overheads()
    samples = []
    for i in range(plan.samples):
        number = (plan.first + i) % len(calls)
        if plan.method == "cold":
            clock.flush()
        else:
            calls[number]()
        taken, result = clock.sample(calls[number])
        samples.append(taken)
        after(number, result)
    clock.wait()
    return {"wall_ns": now() - started, "empty_ns": empty, "null_ns": null, "samples": samples}
