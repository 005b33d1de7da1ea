"""Tests of what becomes of forward's outputs."""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import Any

import torch
from hone_torch.answer import Failure
from hone_torch.outputs import deliver


class FakeBuffer:
    """Memory for one output."""

    def __init__(self, spec: dict[str, Any]) -> None:
        self.memory = torch.zeros(spec["shape"], dtype=getattr(torch, spec["dtype"]))

    def tensor(self, dtype: torch.dtype, shape: Sequence[int]) -> torch.Tensor:
        """The memory, as which it was made."""
        return self.memory.view(dtype).view(tuple(shape))


def spec(name: str, shape: list[int], dtype: str = "float32") -> dict[str, Any]:
    """An output as the task describes it."""
    return {"name": name, "shape": shape, "dtype": dtype}


class Subclass(torch.Tensor):
    """A tensor that could compute when it is looked at."""


class Duck:
    """What looks like a tensor."""

    shape, dtype = (2, 3), torch.float32


ONE = [spec("out", [2, 3])]


class DeliverTest(unittest.TestCase):
    """Outputs delivered to fake buffers."""

    def deliver(self, result: Any, specs: list[dict[str, Any]]) -> list[torch.Tensor]:
        """The buffers' memory after a delivery."""
        buffers = [FakeBuffer(s) for s in specs]
        deliver(result, specs, buffers, [])  # type: ignore[arg-type]
        return [b.memory for b in buffers]

    def test_good(self) -> None:
        """Outputs that are taken, whatever their strides."""
        x = torch.arange(6.0).view(2, 3)
        pair = [spec("out[0]", [2, 3]), spec("out[1]", [], "int64")]
        named = [spec("out['a']", [2, 3]), spec("out['b']", [2, 3])]
        for name, result, specs, want in (
            ("plain", x.clone(), ONE, [x]),
            ("strided", x.t().contiguous().t(), ONE, [x]),
            ("expanded", torch.ones(1).expand(2, 3), ONE, [torch.ones(2, 3)]),
            ("parameter", torch.nn.Parameter(x.clone()), ONE, [x]),
            ("scalar", torch.tensor(3), [spec("out", [], "int64")], [torch.tensor(3)]),
            ("empty", torch.ones(0, 3), [spec("out", [0, 3])], [torch.ones(0, 3)]),
            ("tuple", (x, torch.tensor(7)), pair, [x, torch.tensor(7)]),
            ("list for a tuple", [x, torch.tensor(7)], pair, [x, torch.tensor(7)]),
            ("dict in another order", {"b": -x, "a": x}, named, [x, -x]),
        ):
            with self.subTest(name):
                for got, wanted in zip(self.deliver(result, specs), want):
                    self.assertTrue(torch.equal(got, wanted))

    def test_bad(self) -> None:
        """Outputs that are refused, and what is said of them."""
        x = torch.arange(6.0).view(2, 3)
        pair = [spec("out[0]", [2, 3]), spec("out[1]", [2, 3])]
        for name, result, specs, want in (
            ("nothing", None, ONE, "out is a value of type NoneType, not a plain torch.Tensor"),
            ("number", 3.0, ONE, "out is a value of type float"),
            ("subclass", x.as_subclass(Subclass), ONE, "out is a value of type Subclass"),
            ("duck", Duck(), ONE, "out is a value of type Duck"),
            ("two", (x, x), ONE, "2 values (out[0], out[1]), not one tensor"),
            ("tuple of one", (x,), ONE, "out[0]: a tensor, not one tensor"),
            ("one of two", x, pair, "out: a tensor, not 2 tensors (out[0], out[1])"),
            ("missing key", {"a": x}, [spec("out['b']", [2, 3])], "out['a']: a tensor, not 1 tensors"),
            ("shape", x.view(3, 2), ONE, "out has the shape (3, 2), not (2, 3)"),
            ("broadcast", x[:1], ONE, "out has the shape (1, 3), not (2, 3)"),
            ("type", x.double(), ONE, "out has the type float64, not float32"),
            ("complex", x.to(torch.complex64), ONE, "out has the type torch.complex64, not float32"),
            ("sparse", x.to_sparse(), ONE, "the layout torch.sparse_coo, not torch.strided"),
            ("elsewhere", torch.empty(2, 3, device="meta"), ONE, "out lies on meta, not on cpu"),
        ):
            with self.subTest(name), self.assertRaises(Failure) as raised:
                self.deliver(result, specs)
            self.assertEqual(raised.exception.kind, "output")
            self.assertIn(want, str(raised.exception))

    def test_shared_memory(self) -> None:
        """What lies in lent memory is refused, what only lies beside it is not."""
        lent = torch.zeros(24)
        start = lent.data_ptr() + 24
        taboo = [("input x", start, start + 24)]
        buffer = FakeBuffer(ONE[0])
        for name, first, good in (
            ("before", 0, True),
            ("half in", 3, False),
            ("in", 6, False),
            ("after", 12, True),
        ):
            with self.subTest(name):
                output = lent[first : first + 6].view(2, 3)
                if good:
                    deliver(output, ONE, [buffer], taboo)  # type: ignore[list-item]
                    continue
                with self.assertRaises(Failure) as raised:
                    deliver(output, ONE, [buffer], taboo)  # type: ignore[list-item]
                self.assertIn("out lies in the memory of input x", str(raised.exception))
