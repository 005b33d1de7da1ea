"""Tests of loading an answer, in this process."""

from __future__ import annotations

import contextlib
import os
import tempfile
import unittest
from typing import Any

import torch
from hone_torch.answer import Answer, Failure, Task
from hone_torch.inline_hook import BuildError, UnsupportedError

HEADER = "import torch\nimport torch.nn as nn\n"


class FileTest(unittest.TestCase):
    """A test with a file."""

    def write(self, text: str) -> str:
        """The path of a file with this text."""
        descriptor, path = tempfile.mkstemp(suffix=".py")
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        self.addCleanup(os.unlink, path)
        return path


class AnswerTest(FileTest):
    """Answers that fail."""

    def test_failures(self) -> None:
        """Kind, message and line of what goes wrong."""
        model = (
            HEADER
            + "class ModelNew(nn.Module):\n    def __init__(self):\n        super().__init__()\n        "
        )
        for name, text, kind, line, want in (
            ("syntax", "x = 1\ndef f(:\n", "import", 2, "SyntaxError: "),
            ("raises", "import json\n\n\njson.loads('{')\n", "import", 4, "JSONDecodeError: "),
            ("says nothing", "raise ValueError\n", "import", 1, "ValueError"),
            ("recursion", "def f():\n    f()\nf()\n", "import", 2, "RecursionError: "),
            ("exits", "import sys\nsys.exit(3)\n", "exit", 2, "exit(3)"),
            ("no ModelNew", "class Model: ...\n", "missing", 0, "no class ModelNew"),
            ("a number", "ModelNew = 3\n", "missing", 0, "no class ModelNew"),
            ("init raises", model + "self.w = 1 / 0\n", "init", 6, "ZeroDivisionError: division by zero"),
            ("not callable", "class ModelNew: ...\n", "init", 0, "which cannot be called"),
            ("no memory", "raise MemoryError\n", "out_of_memory", 1, "MemoryError"),
            (
                "CUDA",
                "raise RuntimeError('CUDA error: an illegal memory access')",
                "illegal_address",
                1,
                "CUDA error",
            ),
        ):
            with self.subTest(name), self.assertRaises(Failure) as raised:
                answer = Answer(self.write(text), torch.device("cpu"), contextlib.nullcontext)
                answer.execute()
                answer.build(((), {}))
            failure = raised.exception
            self.assertEqual((failure.kind, failure.line), (kind, line), str(failure))
            self.assertIn(want, str(failure))

    def test_causes(self) -> None:
        """A failed build is one also where the answer raises something else for it."""
        answer = Answer(self.write(""), torch.device("cpu"), contextlib.nullcontext)
        for kind, cause in (
            ("build", BuildError("line 3: no")),
            ("unsupported", UnsupportedError("line 3: no")),
        ):
            with self.subTest(kind), self.assertRaises(Failure) as raised, answer.blamed("import"):
                try:
                    raise cause
                except Exception as error:
                    raise ValueError("it did not work") from error
            self.assertEqual((raised.exception.kind, str(raised.exception)), (kind, "line 3: no"))

    def test_advice_is_cut(self) -> None:
        """What the CUDA runtime says of debugging is left out."""
        answer = Answer(self.write(""), torch.device("cpu"), contextlib.nullcontext)
        text = "CUDA error: unspecified launch failure\nCUDA kernel errors might be asynchronously reported"
        with self.assertRaises(Failure) as raised, answer.blamed("runtime"):
            raise RuntimeError(text)
        self.assertEqual(raised.exception.kind, "launch_failure")
        self.assertEqual(str(raised.exception), "RuntimeError: CUDA error: unspecified launch failure")


def tensor(*shape: int) -> dict[str, Any]:
    """A tensor input as the task describes it."""
    return {"kind": "tensor", "tensor": {"shape": list(shape)}}


class TaskTest(FileTest):
    """The structure of a task's arguments."""

    def task(self, body: str, inputs: list[dict[str, Any]], init: str = "[]") -> Task:
        """A task whose get_inputs has this body."""
        text = HEADER + "class Model(nn.Module):\n    def __init__(self, n=1): super().__init__()\n"
        text += "    def forward(self, x, y=None, k=1): return x\n"
        text += f"def get_inputs():\n    {body}\ndef get_init_inputs():\n    return {init}\n"
        return Task(self.write(text), torch.device("cpu"), inputs)

    def test_needs_no_memory(self) -> None:
        """Inputs of 4 TB have a structure, too."""
        task = self.task(
            "return [torch.rand(1 << 20, 1 << 20) + 1, 3]", [tensor(1 << 20, 1 << 20), {"kind": "text"}]
        )
        args, kwargs = task.arguments.with_tensors([torch.ones(1)])
        self.assertEqual((args, kwargs), ((torch.ones(1), 3), {}))

    def test_falls_back(self) -> None:
        """Inputs that depend on values are made for real."""
        task = self.task("n = int(torch.ones(1).item()) + 1\n    return [torch.rand(n)]", [tensor(2)])
        self.assertEqual(len(task.arguments.tensors()), 1)

    def test_structures(self) -> None:
        """Lists and named arguments are put together again."""
        one, two = torch.tensor(1), torch.tensor(2)
        for name, body, inputs, want in (
            (
                "a list",
                "return [[torch.ones(2), torch.ones(3)]]",
                [tensor(2), tensor(3)],
                (([one, two],), {}),
            ),
            (
                "named",
                "return [[torch.ones(2)], {'k': 5}]",
                [tensor(2), {"kind": "text"}],
                ((one,), {"k": 5}),
            ),
            (
                "a dict",
                "return {'x': torch.ones(2), 'k': 5}",
                [tensor(2), {"kind": "text"}],
                ((), {"x": one, "k": 5}),
            ),
        ):
            with self.subTest(name):
                got = self.task(body, inputs).arguments.with_tensors([one, two][: str(inputs).count("shape")])
                self.assertEqual(got, want)

    def test_another_task(self) -> None:
        """What does not fit the description is refused."""
        with self.assertRaises(ValueError):
            self.task("return [torch.rand(3)]", [tensor(4)])

    def test_initial(self) -> None:
        """What Model is built with, the same each time."""
        task = self.task("return [torch.rand(1)]", [tensor(1)], "[torch.rand(2)]")
        first, second = task.initial(), task.initial()
        self.assertTrue(torch.equal(first[0][0], second[0][0]))
