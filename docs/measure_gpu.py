"""Measures what docs/measurements.md states about judging kernels on a GPU.

Run it on a quiet machine with an NVIDIA GPU, from anywhere:

    python3 docs/measure_gpu.py --hone bin/hone --kernelbench ~/KernelBench --out gpu.md

It drives the binary alone, as a person or a model would, and prints tables in Markdown. Sections can be chosen
with --only; one that fails says so, and the next one runs. Needs Python 3.11 and Linux; `ncu` and `nvcc` for
the section "timing", a CUDA build of torch and a checkout of KernelBench for "kernelbench". With
`--device emulated` it runs without a GPU, to try the script itself.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from measuring.bench import (
    ROOT,
    Bench,
    Verdict,
    correct,
    facts,
    figure,
    measure,
    names_of,
    print_stages,
    variant,
)
from measuring.endurance import endure
from measuring.kernelbench import evaluated
from measuring.known_kernels import measure_roofline, measure_spread, measure_timing
from measuring.promises import BROKEN, kept, promise, summary, told
from measuring.session import Script, refine

KERNELS = ROOT / "gpu" / "testdata" / "kernels"


@dataclass
class GPUBench(Bench):
    """The binary, and how long it shall endure."""

    turns: int = 200


def sources(folder: str, *names: str) -> list[Path]:
    """Test kernels by name."""
    return [KERNELS / folder / f"{name}.cu" for name in names]


def builtin_tasks() -> list[str]:
    """The names of the tasks that have test kernels."""
    return sorted(folder.name for folder in KERNELS.iterdir() if folder.is_dir())


# ---- latency ----


def measure_latency(bench: Bench) -> None:
    """From a kernel to its verdict, nothing of it cached."""
    for name in ("tuned", "naive"):
        text = sources("softmax", name)[0].read_text()
        bench.print(f"`hone eval softmax`, {name}, a new process and a new text each time:\n")
        results = [evaluate_text(bench, "softmax", variant(text, 1000 + i)) for i in range(6)]
        bench.print(
            f"The first: {results[0][0]:.2f} s; the very first on a machine builds what hone keeps. The others:\n"
        )
        print_stages(bench, [s for s, _ in results[1:]], [v for _, v in results[1:]])
        bench.print(
            f"`hone refine softmax`, {name}: from the end of the reply to the verdict, one judge, new texts:\n"
        )
        turns = refine(bench, "softmax", Script([variant(text, i) for i in range(12)]))
        verdicts = [correct(turn.verdict) for turn in turns]
        bench.print(f"First turn: {1000 * turns[0].seconds:.0f} ms. The others:\n")
        print_stages(bench, [turn.seconds for turn in turns[1:]], verdicts[1:])


def evaluate_text(bench: Bench, task: str, text: str) -> tuple[float, Verdict]:
    """Seconds and verdict of a kernel that is no file yet."""
    file = bench.home / "kernel.cu"
    file.write_text(text)
    seconds, verdict = bench.evaluate(task, file)
    return seconds, correct(verdict)


# ---- KernelBench ----

CANDIDATE = """
import torch
from torch.utils.cpp_extension import load_inline

source = r'''
#include <c10/cuda/CUDAStream.h>
@KERNEL@
torch::Tensor run(torch::Tensor x) {
    torch::Tensor y = torch::empty_like(x);
    solve(x.data_ptr<float>(), y.data_ptr<float>(), x.size(0), x.size(1), c10::cuda::getCurrentCUDAStream());
    return y;
}
'''
module = load_inline(
    name="softmax_candidate", cpp_sources="torch::Tensor run(torch::Tensor x);", cuda_sources=source, functions=["run"]
)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return module.run(x)
"""


def measure_kernelbench(bench: Bench) -> None:
    """The same kernel through KernelBench's own evaluator, in a process of its own."""
    bench.need_gpu()
    bench.checkout()
    kernel = sources("softmax", "tuned")[0]
    answer = bench.home / "answer.py"
    answer.write_text(CANDIDATE.replace("@KERNEL@", kernel.read_text()))
    reference = ROOT / "tasks" / "builtin" / "l1" / "softmax" / "reference.py"
    result = evaluated(bench, reference, answer, bench.home / "extensions", 400)
    if "failed" in result:
        raise RuntimeError(f"the harness failed: {result['failed']}")
    bench.table("what", "measured")
    bench.row("eval_kernel_against_ref, 5 trials, 100 timed runs", f"{result['seconds']:.1f} s")
    bench.row("of which building the extension", figure(result["build"], 1, " s"))
    bench.row("the whole process, with `import torch`", f"{result['process']:.1f} s")
    bench.row("compiled, correct", f"{result['compiled']}, {result['correct']}")
    bench.row("its mean time of the kernel", figure(result["runtime_ms"], 4, " ms"))
    bench.row("replaced by stubs, as not installed", ", ".join(result["stubs"]) or "none")
    bench.print()


# ---- hanging, and 200 evaluations ----


def measure_hang(bench: Bench) -> None:
    """A kernel that never ends, then one that does, in one judge."""
    good, endless = (file.read_text() for file in sources("vector_add", "naive", "endless_loop"))
    kernels = [variant(good, 1), variant(endless, 2), variant(good, 3)]
    turns = refine(bench, "vector_add", Script(kernels), flags=("--timeout", "2s"))
    bench.table("turn", "outcome", "from the end of the reply to the verdict")
    for name, turn in zip(("before", "endless, limit 2 s", "after"), turns):
        bench.row(name, turn.verdict["outcome"], f"{turn.seconds:.2f} s")
    bench.print()


def measure_endurance(bench: GPUBench) -> None:
    """Many evaluations in one judge: right, wrong and crashing kernels by turns."""
    names = ("tuned", "writes_the_first_half", "dereferences_null")
    endure(bench, [file.read_text() for file in sources("vector_add", *names)], bench.turns)


# ---- tasks and test kernels ----


def measure_tasks(bench: Bench) -> None:
    """Every built-in task with its naive and its tuned kernel."""
    bench.table(
        "task", "kernel", "outcome", "median", "95 % interval", "roofline", "bound", "over the reference"
    )
    percents: dict[str, float] = {}
    failed = 0
    for task in builtin_tasks():
        for name in ("naive", "tuned"):
            verdict = attempt(bench, sources(task, name)[0])
            if isinstance(verdict, str):
                failed += 1
                bench.row(task, name, f"**no verdict**: {verdict}")
                continue
            bench.row(task, name, *task_cells(verdict))
            if line := verdict.get("roofline"):
                percents[f"{task}, {name}"] = line["percent"]
    bench.print()
    if percents:
        highest = max(percents, key=lambda name: percents[name])
        bench.print(f"Highest of the roofline: {percents[highest]:.1f} % ({highest}).\n")
    if failed:
        raise RuntimeError(f"{failed} kernels got no verdict")


def task_cells(verdict: Verdict) -> list[str]:
    """What the table of tasks tells of a verdict."""
    timing, line = verdict["timing"], verdict.get("roofline")
    interval = timing and timing["ci95_us"]
    return [
        verdict["outcome"],
        figure(timing and timing["median_us"], 2, " us"),
        f"{interval[0]:.2f} to {interval[1]:.2f} us" if interval else "unknown",
        figure(line and line["percent"], 1, " %"),
        line["bound"] if line else "",
        figure((verdict["speedup"] or {}).get("reference"), 2, "x"),
    ]


def attempt(bench: Bench, file: Path, *flags: str, device: str | None = None) -> Verdict | str:
    """The verdict on a test kernel, or why there is none."""
    try:
        return bench.evaluate(file.parent.name, file, *flags, device=device)[1]
    except (RuntimeError, ValueError) as error:
        return str(error)[-300:]


@dataclass
class Case:
    """A test kernel with its verdicts."""

    file: Path
    emulated: Verdict | str
    gpu: Verdict | str | None  # None where there is no GPU

    def comment(self) -> str | None:
        """Why the verdicts differ, or that they are not as promised; None where there is nothing to say."""
        said = promise(self.file)
        broken = [] if kept(said.expect, self.emulated) else [f"emulated: {summary(self.emulated)}"]
        if self.gpu and not kept(said.gpu or said.expect, self.gpu):
            broken.append(f"on the GPU: {summary(self.gpu)}")
        if broken and said.needs and self.lacks(said.needs):
            return f"needs {said.needs}, which is off here"
        if broken:
            return f"{BROKEN}: {'; '.join(broken)}"
        return said.why if self.gpu and told(self.gpu) != told(self.emulated) else None

    def lacks(self, layer: str) -> bool:
        """Whether a layer of containment is off."""
        verdicts = [v for v in (self.emulated, self.gpu) if v and not isinstance(v, str)]
        return any(v["sandbox"].get(layer) != "on" for v in verdicts)


def measure_corpus(bench: Bench) -> None:
    """Every test kernel, emulated and on the GPU: where they differ, and why."""
    files = sorted(KERNELS.glob("*/*.cu"))
    limit = ("--timeout", "5s")
    on_gpu: list[Verdict | str | None] = [None] * len(files)
    with concurrent.futures.ThreadPoolExecutor(max(1, (os.cpu_count() or 2) // 2)) as pool:
        emulated = list(pool.map(lambda file: attempt(bench, file, *limit, device="emulated"), files))
    if not bench.emulated():
        with concurrent.futures.ThreadPoolExecutor(4) as pool:  # outcomes alone are asked for, not times
            on_gpu = list(pool.map(lambda file: attempt(bench, file, *limit), files))
    cases = [Case(*three) for three in zip(files, emulated, on_gpu)]
    comments = [case.comment() for case in cases]
    broken = sum(comment is not None and comment.startswith(BROKEN) for comment in comments)
    where = "by emulation" if bench.emulated() else "by emulation and on the GPU"
    bench.print(f"{len(files)} kernels {where}: {broken} not as their remarks say.\n")
    if any(comment is not None for comment in comments):
        bench.table("kernel", "emulated", "on the GPU", "why")
    for case, comment in zip(cases, comments):
        if comment is not None:
            bench.row(
                f"{case.file.parent.name}/{case.file.stem}", told(case.emulated), told(case.gpu), comment
            )
    bench.print()


# ---- the whole ----

SECTIONS: dict[str, Callable[[GPUBench], None]] = {
    "latency": measure_latency,
    "timing": measure_timing,
    "spread": measure_spread,
    "roofline": measure_roofline,
    "tasks": measure_tasks,
    "hang": measure_hang,
    "endurance": measure_endurance,
    "corpus": measure_corpus,
    "kernelbench": measure_kernelbench,
}


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures hone on a GPU.")
    parser.add_argument("--hone", type=Path, default=ROOT / "bin" / "hone", help="the binary to measure")
    parser.add_argument("--device", default="auto", help="auto, emulated or a number, as hone takes it")
    parser.add_argument("--kernelbench", type=Path, help="a checkout of KernelBench")
    parser.add_argument("--out", type=Path, help="a file for the report as well")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--turns", type=int, default=200, help="evaluations of the section endurance")
    return parser.parse_args()


def main() -> None:
    """Measures everything in a home of its own."""
    chosen = options()
    sections = names_of(chosen.only, tuple(SECTIONS), "section")
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        out = stack.enter_context(chosen.out.open("w")) if chosen.out else None
        bench = GPUBench(
            chosen.hone.resolve(), chosen.device, home, out, chosen.kernelbench, turns=chosen.turns
        )
        facts(bench)
        whole = measure(bench, SECTIONS, sections)
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
