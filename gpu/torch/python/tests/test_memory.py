"""Tests of the judge's memory as tensors."""

from __future__ import annotations

import ctypes
import os
import tempfile
import unittest

import torch
from hone_torch.memory import DTYPES, NAMES, Sets, at_address
from hone_torch.wire import MAP, Message


def message(index: int, groups: dict[str, list[str]], files: list[int]) -> Message:
    """A map message over duplicates of some descriptors."""
    lines = [["set", str(index)]]
    for name, buffers in groups.items():
        lines.append(["group", name])
        lines += [["buffer", *buffer.split()] for buffer in buffers]
    return Message(MAP, lines, [os.dup(file) for file in files])


class SetsTest(unittest.TestCase):
    """Sets on a CPU."""

    def setUp(self) -> None:
        self.file, path = tempfile.mkstemp()
        os.unlink(path)
        os.ftruncate(self.file, 4096)
        self.addCleanup(os.close, self.file)
        self.sets = Sets(torch.device("cpu"))

    def test_a_writable_buffer_is_the_file(self) -> None:
        mapped = self.sets.take(message(0, {"out": ["y 16 w 4096 64 file 0"]}, [self.file]))
        mapped.group("out")[0].tensor(torch.float32, (2, 2)).fill_(1.5)
        values = torch.frombuffer(bytearray(os.pread(self.file, 4096, 0)), dtype=torch.float32)
        self.assertEqual(values[16:20].tolist(), [1.5] * 4)
        self.assertEqual(float(values.sum()), 6.0)

    def test_every_type_has_its_view(self) -> None:
        os.pwrite(self.file, bytes([1] * 64), 0)
        for name, dtype in DTYPES.items():
            with self.subTest(name):
                mapped = self.sets.take(message(0, {"in": ["x 64 r 4096 0 file 0"]}, [self.file]))
                count = 64 // torch.empty(0, dtype=dtype).element_size()
                self.assertEqual(mapped.group("in")[0].tensor(dtype, (count,)).dtype, dtype)
                self.assertEqual(NAMES[dtype], name)

    def test_buffers_share_an_allocation(self) -> None:
        lines = ["a 8 w 4096 0 file 0", "b 8 w 4096 8 file 0", "c 0 w 4096 16 file 0"]
        mapped = self.sets.take(message(0, {"state": lines}, [self.file]))
        a, b, c = mapped.group("state")
        a.tensor(torch.int64, ()).fill_(1)
        b.tensor(torch.int64, (1,)).fill_(2)
        self.assertEqual(c.tensor(torch.float32, (0, 3)).shape, (0, 3))
        self.assertEqual(os.pread(self.file, 24, 0), bytes([1] + [0] * 7 + [2] + [0] * 15))

    def test_set_zero_takes_the_place_of_all(self) -> None:
        for index in (0, 1, 0):
            self.sets.take(message(index, {"in": ["x 8 r 4096 0 file 0"]}, [self.file]))
        self.assertEqual(len(self.sets), 1)
        with self.assertRaisesRegex(ValueError, "no set 1"):
            self.sets[1]

    def test_what_cannot_be_is_refused(self) -> None:
        cases = {
            "outside": (0, "x 64 r 4096 4064 file 0", "outside"),
            "negative": (0, "x 64 r 4096 -64 file 0", "outside"),
            "out of order": (2, "x 64 r 4096 0 file 0", "does not follow"),
        }
        for name, (index, line, says) in cases.items():
            with self.subTest(name), self.assertRaisesRegex(ValueError, says):
                self.sets.take(message(index, {"in": [line]}, [self.file]))

    def test_a_shape_must_fit(self) -> None:
        mapped = self.sets.take(message(0, {"in": ["x 64 r 4096 0 file 0"]}, [self.file]))
        with self.assertRaisesRegex(ValueError, "has 16 elements, not 17"):
            mapped.group("in")[0].tensor(torch.float32, (17,))


class AddressTest(unittest.TestCase):
    """Memory by its address."""

    def test_a_tensor_is_the_memory(self) -> None:
        memory = (ctypes.c_uint8 * 8)(*range(8))
        tensor = at_address(ctypes.addressof(memory), 8, torch.device("cpu"))
        self.assertEqual(tensor.tolist(), list(range(8)))
        tensor[3] = 77
        self.assertEqual(memory[3], 77)
        self.assertEqual(tensor.data_ptr(), ctypes.addressof(memory))


if __name__ == "__main__":
    unittest.main()
