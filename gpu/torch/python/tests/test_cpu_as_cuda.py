"""Tests of a CPU that stands for a GPU."""

from __future__ import annotations

import subprocess
import sys
import unittest

import torch
from hone_torch.cpu_as_cuda import CPUAsCUDA

# In a process of its own: it changes torch.cuda for good.
DEVICE = """
import torch
from hone_torch.cpu_as_cuda import CPUAsCUDA, install
install()
with CPUAsCUDA():
    assert torch.cuda.is_available() and torch.cuda.device_count() == 1
    torch.cuda.synchronize(); torch.cuda.set_device(0); torch.cuda.empty_cache()
    p = torch.cuda.get_device_properties(0)
    assert p.multi_processor_count > 0 and p.warp_size == 32, p
    assert torch.cuda.get_device_capability() == (p.major, p.minor)
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    s = torch.cuda.Stream()
    with torch.cuda.stream(s), torch.cuda.device(0):
        start.record(); sum(range(10000)); end.record(s)
    s.wait_stream(torch.cuda.current_stream()); end.synchronize()
    assert start.elapsed_time(end) > 0 and torch.cuda.current_stream().cuda_stream == 0
    g = torch.randn(3, device="cuda"); torch.cuda.manual_seed(1); torch.cuda.manual_seed_all(1)
print("fine")
"""


class ModeTest(unittest.TestCase):
    """Tensors on a device that is not there."""

    def test_made_on_the_device(self) -> None:
        """Whatever names the device gives a tensor of the CPU that says it lies there."""
        like = torch.ones(2)
        for name, make in (
            ("by name", lambda: torch.zeros(2, device="cuda")),
            ("by number", lambda: torch.zeros(2, device="cuda:0")),
            ("by device", lambda: torch.rand(2, device=torch.device("cuda", 0))),
            ("as another", lambda: torch.zeros(2, device=like.device)),
            ("like another", lambda: torch.empty_like(like, device="cuda")),
            ("cuda()", lambda: like.cuda()),
            ("to()", lambda: like.to("cuda")),
            ("to() and a type", lambda: like.to(torch.device("cuda"), torch.float64)),
            ("to() by name", lambda: like.to(device="cuda:0", dtype=torch.float64)),
            ("new_zeros", lambda: like.new_zeros(2, device="cuda")),
            ("tensor", lambda: torch.tensor([1.0, 2.0], device="cuda")),
        ):
            with self.subTest(name):
                with CPUAsCUDA():
                    made = make()
                    self.assertTrue(made.is_cuda)
                    self.assertEqual(made.device.type, "cuda")
                    self.assertEqual(made.get_device(), 0)
                self.assertEqual(made.device.type, "cpu")
                self.assertIs(type(made), torch.Tensor)
                self.assertEqual(made.shape, (2,))

    def test_modules(self) -> None:
        """Modules move as they would."""
        with CPUAsCUDA():
            for module in (
                torch.nn.Linear(2, 3).cuda(),
                torch.nn.Linear(2, 3).to("cuda"),
                torch.nn.Linear(2, 3, device="cuda"),
            ):
                self.assertTrue(module.weight.is_cuda)
                self.assertEqual(module(torch.ones(1, 2, device="cuda")).shape, (1, 3))

    def test_other_arguments_stay(self) -> None:
        """Numbers and names that are no devices are left alone."""
        with CPUAsCUDA():
            x = torch.arange(6.0)
            self.assertEqual(x.view(2, 3).sum(0).shape, (3,))
            self.assertEqual(x.to(torch.int32).dtype, torch.int32)
            self.assertEqual(torch.einsum("i,i->", x, x).item(), 55)

    def test_device_functions(self) -> None:
        """torch.cuda answers."""
        out = subprocess.run([sys.executable, "-c", DEVICE], capture_output=True, text=True, check=False)
        self.assertEqual(out.stdout, "fine\n", out.stderr)
