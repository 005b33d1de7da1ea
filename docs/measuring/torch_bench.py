"""The binary with PyTorch tasks and answers: those of the corpus, and KernelBench's."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field
from pathlib import Path

from .bench import ROOT, Bench, variant
from .kernelbench import Answer
from .session import Turn

CORPUS = ROOT / "gpu" / "testdata" / "torch"
TASKS = CORPUS / "tasks"
ANSWERS = CORPUS / "answers"
KERNELS = CORPUS / "cuda"


@dataclass
class TorchBench(Bench):
    """The binary, with this Python for the tasks, and what several sections ask for."""

    answers: list[str] = field(default_factory=list)
    at_once: int = 1  # of what is counted and not timed
    texts: int = 0
    sessions: dict[tuple[str, float], list[Turn]] = field(default_factory=dict)  # by answer and summary
    clocks: dict[Path, Answer] = field(default_factory=dict)  # eager times, by a task's file

    def environment(self, **more: str) -> dict[str, str]:
        """A fresh person's environment, and the Python that has torch."""
        return super().environment(HONE_PYTHON=sys.executable, **more)

    def new_text(self, answer: str) -> str:
        """An answer as no cache knows it, neither in its device part nor in its host part."""
        self.texts += 1
        return variant((ANSWERS / f"{answer}.py").read_text(), self.texts)

    def file(self, text: str) -> Path:
        """A file of its own for a text."""
        folder = self.home / "answers"
        folder.mkdir(exist_ok=True)
        file = folder / f"answer{len(list(folder.iterdir()))}.py"
        file.write_text(text)
        return file


def task_of(answer: str) -> str:
    """The task that an answer of the corpus answers."""
    folder = answer.split("/", maxsplit=1)[0]
    if found := re.fullmatch(r"kernelbench_(level\d+)_(\d+)", folder):
        return f"kernelbench/{found[1]}/{found[2]}"
    return f"{TASKS.name}/{folder}"
