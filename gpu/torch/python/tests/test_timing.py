"""Tests of timings, with a clock that a test winds."""

from __future__ import annotations

import unittest
from typing import Any

import torch
from hone_torch import timing


class FakeClock(timing.Clock):
    """A clock that notes what it is asked for."""

    def __init__(self) -> None:
        self.log: list[Any] = []

    def flush(self) -> None:
        """Note it."""
        self.log.append("flush")

    def sample(self, step: timing.Step) -> tuple[int, Any]:
        """Every sample takes 5 ns."""
        return 5, step()

    def overheads(self) -> tuple[int, int]:
        """Two known numbers."""
        return 1, 2


def plan(**changes: Any) -> dict[str, Any]:
    """A request for a timing."""
    return {"method": "cold", "samples": 3, "warmup": 0, "first": 0, "l2": 0, **changes}


class TimesTest(unittest.TestCase):
    """What is called, and in which order."""

    def run_plan(self, **changes: Any) -> tuple[list[Any], dict[str, Any]]:
        """The calls of a plan on three sets, and its result."""
        clock = FakeClock()

        def call(number: int) -> int:
            clock.log.append(number)
            return number

        calls = [lambda i=i: call(i) for i in range(3)]
        result = timing.times(
            timing.Plan(plan(**changes), 3), clock, calls, lambda i, r: clock.log.append(("after", i, r))
        )
        return clock.log, result

    def test_cold(self) -> None:
        """Cold samples come after a flush, each on the next set."""
        log, result = self.run_plan(samples=2, first=2)
        self.assertEqual(log, ["flush", 2, ("after", 2, 2), "flush", 0, ("after", 0, 0)])
        self.assertEqual((result["samples"], result["empty_ns"], result["null_ns"]), ([5, 5], 1, 2))
        self.assertGreaterEqual(result["wall_ns"], 0)

    def test_warm(self) -> None:
        """A warm sample comes right after a call on the same set."""
        log, _ = self.run_plan(samples=1, method="warm")
        self.assertEqual(log, [0, 0, ("after", 0, 0)])

    def test_warm_up_uses_the_set_before(self) -> None:
        """No sample finds its set warmed up."""
        log, _ = self.run_plan(samples=1, warmup=2)
        self.assertEqual(log, [2, ("after", 2, 2)] * 2 + ["flush", 0, ("after", 0, 0)])

    def test_refuses(self) -> None:
        """Plans that cannot be."""
        for name, changes in (
            ("method", {"method": "graph"}),
            ("no sample", {"samples": 0}),
            ("too many", {"samples": timing.MAX_SAMPLES + 1}),
            ("warm-up", {"warmup": -1}),
            ("cache", {"l2": -1}),
            ("set", {"first": 3}),
        ):
            with self.subTest(name), self.assertRaises(ValueError):
                timing.Plan(plan(**changes), 3)

    def test_host_clock(self) -> None:
        """The host's clock shows that work takes time."""
        clock = timing.clock_of(torch.device("cpu"), 0)
        taken, result = clock.sample(lambda: sum(range(10000)))
        self.assertEqual(result, sum(range(10000)))
        self.assertGreater(taken, clock.overheads()[0])
