"""Tests of the switches of torch."""

from __future__ import annotations

import unittest

import torch
from hone_torch import flags


class FlagsTest(unittest.TestCase):
    """Switches that are set and read."""

    def setUp(self) -> None:
        self.before = flags.read()
        self.addCleanup(flags.write, self.before)

    def test_read_what_was_written(self) -> None:
        """TF32 goes on and off, and leaves the rest alone."""
        for mode in ("on", "off", "on"):
            wanted = flags.with_tf32(self.before, mode)
            flags.write(wanted)
            self.assertEqual(flags.read(), wanted)

    @unittest.skipUnless(hasattr(torch.backends, "fp32_precision"), "this torch has no newer names")
    def test_newer_names(self) -> None:
        """A program that chose precisions by their newer names is understood, and overruled."""
        off = flags.with_tf32(self.before, "off")
        for home, name in (
            (torch.backends, "cudnn_tf32"),
            (torch.backends.cuda.matmul, "matmul_tf32"),
            (torch.backends.cudnn.conv, "cudnn_tf32"),
        ):
            with self.subTest(name):
                flags.write(off)
                home.fp32_precision = "tf32"
                self.assertTrue(flags.read()[name])
                flags.write(off)
                self.assertEqual(flags.read(), off)

    def test_bad_mode(self) -> None:
        """TF32 is on, off or as it is."""
        self.assertEqual(flags.with_tf32(self.before, ""), self.before)
        with self.assertRaises(ValueError):
            flags.with_tf32(self.before, "yes")


if __name__ == "__main__":
    unittest.main()
