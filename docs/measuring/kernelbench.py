"""KernelBench's own code on this machine, each time in a process of its own."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from .bench import ROOT, Bench, Finished, Unavailable, finished

Answer = dict[str, Any]


def source_of(checkout: Path) -> Path:
    """The folder that holds the package."""
    for folder in (checkout / "src", checkout):
        if (folder / "kernelbench" / "eval.py").exists():
            return folder.resolve()
    raise Unavailable(f"no kernelbench/eval.py below {checkout}")


def problem(checkout: Path, level: int, number: int) -> Path:
    """The file of a problem."""
    found = sorted(checkout.glob(f"**/level{level}/{number}_*.py"))
    if not found:
        raise Unavailable(f"no problem {number} of level {level} below {checkout}")
    return found[0]


def evaluated(bench: Bench, task: Path, answer: Path, extensions: Path, limit: float) -> Answer:
    """What KernelBench's evaluator says of an answer that nothing knows; `process` is the seconds of all of
    it. Where there is no result, `failed` says why."""
    job = {"what": "evaluate", "task": str(task), "answer": str(answer)}
    done = inside(bench, job, extensions, bench.left(limit))
    answers = answers_of(done)
    if not answers:
        bench.left()
        return {"failed": reason(done), "process": done.seconds}
    return {**answers[-1], "process": done.seconds}


def eager(bench: Bench, files: list[Path], limit: float) -> tuple[list[Answer], str]:
    """What is known of the eager time of each file's model, by hone's clock and by KernelBench's, as far as
    time went; why no more, or nothing."""
    limit = bench.left(limit)
    job = {"what": "eager", "files": [str(file) for file in files], "seconds": max(1, limit - 10)}
    done = inside(bench, job, bench.home / "extensions", limit)
    return answers_of(done), "" if done.code == 0 else reason(done)


def inside(bench: Bench, job: dict[str, Any], extensions: Path, limit: float) -> Finished:
    """Has a process do something with KernelBench's code."""
    paths = [source_of(bench.checkout()), ROOT / "docs", ROOT / "gpu" / "torch" / "python"]
    paths += [Path(path) for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path]
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(extensions)}
    environment["PYTHONPATH"] = os.pathsep.join(str(path) for path in paths)
    # Without -P whatever lies in the present folder would be found before KernelBench's package.
    command = [sys.executable, "-P", "-m", "measuring.inside_kernelbench", json.dumps(job)]
    return finished(command, environment, limit)


def answers_of(done: Finished) -> list[Answer]:
    """What a process answered, line by line; a last line that its end cut short is left out."""
    answers = []
    for line in done.out.splitlines():
        try:
            answers.append(json.loads(line))
        except ValueError:
            break
    return answers


def reason(done: Finished) -> str:
    """Why a process came to no result."""
    if done.code is None:
        return f"not done within {done.seconds:.0f} s"
    return f"exit code {done.code}: {done.errors.strip()[-300:]}"
