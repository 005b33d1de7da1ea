"""The answers of the corpus: whether each gets the verdict it promises, and what those to KernelBench's tasks get."""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path

from .bench import OutOfTime, Verdict, each, figure
from .promises import BROKEN, kept, promise, summary, told
from .torch_bench import ANSWERS, KERNELS, TASKS, TorchBench, task_of


def of_kernelbench(file: Path) -> bool:
    """Whether an answer is to a task of KernelBench's."""
    return file.parent.name.startswith("kernelbench_")


def measure_corpus(bench: TorchBench) -> None:
    """Every answer of the corpus, in Python or in CUDA C++: which get another verdict than their remarks promise."""
    files = sorted(
        (*ANSWERS.glob("*/*.py"), *KERNELS.glob("*/*.cu")), key=lambda file: (not of_kernelbench(file), file)
    )  # long ones first
    if bench.emulated() or not bench.kernelbench:
        bench.print("Without those to KernelBench's tasks, which need a GPU and --kernelbench.\n")
        files = [file for file in files if not of_kernelbench(file)]
    verdicts: dict[Path, Verdict | str] = {}
    for file, verdict in each(bench, files, lambda file: attempt(bench, file), bench.at_once, 5):
        verdicts[file] = verdict
    again = [file for file, verdict in verdicts.items() if not kept(wanted(bench, file), verdict)]
    judged_again = 0
    with contextlib.suppress(OutOfTime):
        for file in again:  # alone: beside others a time may be long, or not to be believed
            verdicts[file] = attempt(bench, file)
            judged_again += 1
    broken = [file for file in again if not kept(wanted(bench, file), verdicts[file])]
    print_verdicts(bench, files, verdicts)
    if again:
        bench.print(f"{judged_again} of {len(again)} that broke their promise were judged again, alone.\n")
    print_broken(bench, broken, verdicts)


def attempt(bench: TorchBench, file: Path) -> Verdict | str:
    """The verdict on an answer, or why there is none."""
    flags = ["--source", str(TASKS), "--timeout", "5s"]
    if of_kernelbench(file):
        flags = ["--source", str(bench.checkout())]
    if file.suffix == ".cu":
        flags += ["--dialect", "cuda"]
    task = task_of(f"{file.parent.name}/{file.stem}")
    try:
        return bench.evaluate(task, file, "--rules", "kevin", *flags, limit=120)[1]
    except (RuntimeError, ValueError) as error:
        return str(error)[-300:]


def wanted(bench: TorchBench, file: Path) -> list[str]:
    """What an answer promises of its verdict here."""
    said = promise(file)
    return said.expect if bench.emulated() else said.gpu or said.expect


def print_verdicts(bench: TorchBench, files: list[Path], verdicts: dict[Path, Verdict | str]) -> None:
    """How many answers got which outcome."""
    outcomes = Counter("no verdict" if isinstance(v, str) else v["outcome"] for v in verdicts.values())
    counted = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    bench.print(f"{len(verdicts)} of {len(files)} answers, {bench.at_once} at once: {counted}.\n")
    if missed := [f"{file.parent.name}/{file.stem}" for file in files if file not in verdicts]:
        bench.print(f"{len(missed)} not reached: {', '.join(missed)}.\n")


def print_broken(bench: TorchBench, broken: list[Path], verdicts: dict[Path, Verdict | str]) -> None:
    """The answers that got another verdict than they promise."""
    bench.print(f"{len(broken)} {BROKEN if broken else 'not as promised'}.\n")
    if broken:
        bench.table("answer", "promised", "found", "summary")
    for file in broken:
        verdict = verdicts[file]
        name, promised = f"{file.parent.name}/{file.stem}", " or ".join(wanted(bench, file))
        bench.row(name, promised, told(verdict), summary(verdict))
    if broken:
        bench.print()


# ---- answers to KernelBench's tasks ----


def measure_real(bench: TorchBench) -> None:
    """Answers to tasks of KernelBench: `hone eval kernelbench/levelL/N answer.py`."""
    bench.need_gpu()
    bench.table("task", "answer", "seconds", "outcome", "median", "eager", "over eager", "summary")
    for folder in sorted(ANSWERS.glob("kernelbench_*")):
        file = next(file for file in sorted(folder.glob("*.py")) if promise(file).expect == ["correct"])
        task = task_of(f"{folder.name}/{file.stem}")
        seconds, verdict = bench.evaluate(task, file, "--source", str(bench.checkout()))
        timing, eager = verdict["timing"], verdict["baselines"].get("eager")
        bench.row(
            task,
            file.stem,
            f"{seconds:.1f} s",
            verdict["outcome"],
            figure(timing and timing["median_us"], 1, " us"),
            figure(eager and eager["median_us"], 1, " us"),
            figure((verdict["speedup"] or {}).get("eager"), 2, "x"),
            verdict["summary"],
        )
    bench.print()


def measure_convolution(bench: TorchBench) -> None:
    """A convolution in float32 where eager runs in TF32, and one that is a thousandth too large."""
    bench.need_gpu()
    bench.table("answer", "outcome", "worst error", "tolerance", "over eager", "summary")
    for name, promised in (("direct", "correct"), ("a_thousandth_too_much", "mismatch")):
        answer = f"kernelbench_level1_50/{name}"
        file = ANSWERS / f"{answer}.py"
        verdict = bench.evaluate(task_of(answer), file, "--source", str(bench.checkout()))[1]
        check = verdict["check"] or {}
        bench.row(
            name,
            verdict["outcome"] if verdict["outcome"] == promised else f"**{verdict['outcome']}**",
            f"{check['max_abs']:.2e}" if check.get("max_abs") is not None else "unknown",
            f"{check['atol']:.0e} + {check['rtol']:.0e} of the value" if check else "unknown",
            figure((verdict["speedup"] or {}).get("eager"), 2, "x"),
            verdict["summary"],
        )
    bench.print()
