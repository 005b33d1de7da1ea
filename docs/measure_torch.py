"""Measures what docs/measurements.md states about PyTorch tasks and answers on a GPU.

Run it on a quiet machine with an NVIDIA GPU, with the Python that has a CUDA build of torch:

    python3 docs/measure_torch.py --hone bin/hone --kernelbench ~/KernelBench --limit 530 --out torch.md

It drives the binary as a person or a model would, beside KernelBench's own evaluator on the same files, and
prints tables in Markdown. Sections can be chosen with --only; one that fails says so, and the next one runs. With
--limit each is given a part of so many seconds, and says what it did not reach. Needs Python 3.11 and Linux; a
checkout of KernelBench for all but "turns", and for all of "latency" and "corpus". With `--device emulated` these
three run without a GPU, and "lint200" on the CPU.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from measuring.bench import ROOT, Budget, facts, measure, names_of
from measuring.torch_answers import measure_convolution, measure_corpus, measure_real
from measuring.torch_bench import TorchBench
from measuring.torch_latency import TIMED, measure_latency, measure_turns
from measuring.torch_tasks import measure_baseline, measure_eager, measure_lint

# The most important ones first: they leave over what they do not need.
SECTIONS: dict[str, Callable[[TorchBench], None]] = {
    "latency": measure_latency,
    "turns": measure_turns,
    "lint200": measure_lint,
    "eager": measure_eager,
    "corpus": measure_corpus,
    "real": measure_real,
    "convolution": measure_convolution,
    "baseline": measure_baseline,
}

# About the seconds that sections take beside an H200 with 16 cores: a limit is divided in their proportion.
SHARES = {
    "latency": 300,
    "turns": 10,
    "lint200": 120,
    "eager": 45,
    "corpus": 60,
    "real": 80,
    "convolution": 20,
    "baseline": 200,
}


def options() -> argparse.Namespace:
    """The command line."""
    cores = os.cpu_count() or 2
    parser = argparse.ArgumentParser(description="Measures hone's PyTorch tasks on a GPU.")
    parser.add_argument("--hone", type=Path, default=ROOT / "bin" / "hone", help="the binary to measure")
    parser.add_argument("--device", default="auto", help="auto, emulated or a number, as hone takes it")
    parser.add_argument("--kernelbench", type=Path, help="a checkout of KernelBench")
    parser.add_argument("--out", type=Path, help="a file for the report as well")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--limit", type=float, default=math.inf, help="seconds for all sections together")
    parser.add_argument(
        "--answers", default=",".join(TIMED), help=f'answers of "latency", some of {",".join(TIMED)}'
    )
    parser.add_argument(
        "--parallel",
        type=int,
        default=max(1, cores // 2),
        help="what is not timed that runs at once: tasks, answers, and KernelBench's evaluations up to six",
    )
    return parser.parse_args()


def main() -> None:
    """Measures everything in a home of its own."""
    chosen = options()
    sections = names_of(chosen.only, tuple(SECTIONS), "section")
    answers = names_of(chosen.answers, TIMED, "answer")
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        out = stack.enter_context(chosen.out.open("w")) if chosen.out else None
        bench = TorchBench(
            chosen.hone.resolve(),
            chosen.device,
            home,
            out,
            chosen.kernelbench.resolve() if chosen.kernelbench else None,
            answers=answers,
            at_once=chosen.parallel,
        )
        facts(bench)
        whole = measure(bench, SECTIONS, sections, Budget(chosen.limit, SHARES))
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
