"""Times of a reference: single calls of eager, or of what torch.compile makes of it.

They are taken by the clocks that a candidate's are taken by, see timing.py.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import torch

from .timing import Step, clock_of

_WARMUP = 3


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
    """What to time: the steps that samples take in turn, what comes before each, how
    many there should be, and for how many seconds."""

    def __init__(self, steps: list[Step], before: Step, samples: int, budget: float) -> None:
        self.steps, self.before, self.samples, self.budget = steps, before, samples, budget


def run(plan: Plan, device: torch.device, l2: int) -> dict[str, Any]:
    """Samples in nanoseconds, fewer than asked for where the budget ends before them."""
    clock = clock_of(device, l2)
    started = time.monotonic()
    for i in range(_WARMUP):
        if i > 0 and time.monotonic() - started > plan.budget / 2:
            break  # calls that slow gain nothing from more of it
        plan.before()
        clock.sample(plan.steps[-1 - i % len(plan.steps)])
    setup = time.monotonic()
    samples: list[int] = []
    while len(samples) < plan.samples and (not samples or time.monotonic() - started < plan.budget):
        plan.before()
        clock.flush()
        elapsed, outputs = clock.sample(plan.steps[len(samples) % len(plan.steps)])
        del outputs  # freed outside of the sample, and before the next one
        samples.append(elapsed)
    ended = time.monotonic()
    empty, null = clock.overheads()
    return {
        "samples": samples,
        "setup_ns": int((setup - started) * 1e9),
        "wall_ns": int((ended - setup) * 1e9),
        "empty_ns": empty,
        "null_ns": null,
    }
