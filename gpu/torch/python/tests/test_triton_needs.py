"""Tests of what Triton is given in a contained process."""

from __future__ import annotations

import errno
import importlib.machinery
import os
import tempfile
import unittest
from unittest import mock

from hone_torch import containment, triton_needs
from hone_torch.inline_hook import UnsupportedError


class TritonNeedsTest(unittest.TestCase):
    """The driver's place, and refusals."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def test_show_driver(self) -> None:
        """The library that was loaded has both names that Triton links with."""
        with mock.patch.dict(os.environ), mock.patch.object(triton_needs, "libraries", return_value=["/x/y"]):
            triton_needs.show_driver()
            folder = os.environ["TRITON_LIBCUDA_PATH"]
        self.assertEqual(sorted(os.listdir(folder)), ["libcuda.so", "libcuda.so.1"])
        self.assertEqual({os.readlink(os.path.join(folder, name)) for name in os.listdir(folder)}, {"/x/y"})

    def test_no_driver(self) -> None:
        """Where no driver was loaded Triton looks for itself."""
        with mock.patch.object(triton_needs, "libraries", return_value=[]):
            triton_needs.show_driver()
        self.assertEqual(os.listdir(), [])

    def test_missing(self) -> None:
        """What is not there is named, with what to do."""
        spec = importlib.machinery.ModuleSpec("triton", None)
        for name, patch, want in (
            ("Triton", mock.patch("importlib.util.find_spec", return_value=None), "pip install triton"),
            ("compiler", mock.patch("shutil.which", return_value=None), "apt install gcc"),
            ("headers", mock.patch("os.path.exists", return_value=False), "apt install python3-dev"),
        ):
            installed = mock.patch("importlib.util.find_spec", return_value=spec)
            compiler = mock.patch("shutil.which", return_value="/usr/bin/gcc")
            with self.subTest(name), installed, compiler, patch:
                self.assertIn(want, triton_needs.missing())

    def test_refusal(self) -> None:
        """Triton and its parts are refused, and nothing else."""
        refusal = triton_needs.Refusal("there is no GPU")
        self.assertIsNone(refusal.find_spec("tritonclient"))
        for name in ("triton", "triton.language"):
            with self.assertRaisesRegex(UnsupportedError, "there is no GPU"):
                refusal.find_spec(name)

    def test_replace(self) -> None:
        """A file that may not change its folder is copied; other errors stay errors."""
        with open("a", "w", encoding="utf-8") as file:
            file.write("text")
        with mock.patch.object(containment, "_rename", side_effect=OSError(errno.EXDEV, "no")):
            containment._replace("a", "b")
        self.assertEqual(os.listdir(), ["b"])
        with self.assertRaises(FileNotFoundError):
            containment._replace("a", "c")


if __name__ == "__main__":
    unittest.main()
