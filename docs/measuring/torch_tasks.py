"""KernelBench's own files: what comes of all of them, and how long eager takes."""

from __future__ import annotations

import contextlib
import json
import random
import re
from pathlib import Path
from typing import Any

from .bench import OutOfTime, each, finished
from .kernelbench import eager, problem
from .torch_bench import TorchBench

Report = dict[str, Any]

# Files that one process lints: the next one's Python starts while one is at work.
BATCH = 5
LEAST = 25  # seconds in which such a process is done

MOST_NAMED = 50  # files that were not reached

# Problems of KernelBench by level whose eager time is compared: KernelBench's own quick choice, and two of level 2.
EAGER = {
    1: (1, 3, 6, 18, 23, 26, 33, 36, 40, 42, 48, 54, 57, 65, 77, 82, 86, 87),
    2: (12, 33),
}

# How far a file comes, in this order, and what a reason says where it comes no further.
STEPS = {
    "loads": r"^(syntax|missing): |^\w+: (the file|Model|get_init_inputs)\b",
    "gives inputs": r"^\w+: (get_inputs|input)\b",
    "gives outputs": r"^\w+: (forward|output)\b",
    "is timed": "",
}


# ---- all files of levels 1 and 2 ----


def measure_lint(bench: TorchBench) -> None:
    """Every file of levels 1 and 2: which load, give inputs and outputs, are timed and are linted."""
    bench.checkout()
    names = [f"kernelbench/level{level}/{number}" for level in (1, 2) for number in range(1, 101)]
    random.Random(1).shuffle(names)  # so that neither the large ones come together nor one level is left out
    batches = [names[at : at + BATCH] for at in range(0, len(names), BATCH)]
    reports: dict[str, Report] = {}
    for _, some in each(bench, batches, lambda batch: lint(bench, batch), bench.at_once, LEAST):
        reports |= {report["task"]: report for report in some}
    crowded = [name for name, report in reports.items() if "out_of_memory" in report["why"]]
    with contextlib.suppress(OutOfTime):
        for name in crowded:  # the others had the memory
            reports |= {report["task"]: report for report in lint(bench, [name])}
    print_reached(bench, names, reports)
    print_failed(bench, list(reports.values()))
    print_findings(bench, list(reports.values()))


def lint(bench: TorchBench, names: list[str]) -> list[Report]:
    """The reports on some tasks, by one process; each by one of its own where that comes to nothing."""
    flags = ("--json", "--timeout", "45s", "--source", str(bench.checkout()))
    done = finished(bench.command("tasks", "lint", *names, *flags), bench.environment(), bench.left(300))
    if done.out.strip():
        return json.loads(done.out)["tasks"]
    bench.left()
    if len(names) > 1:
        return [report for name in names for report in lint(bench, [name])]
    why = done.errors.strip()[-200:] or f"no report within {done.seconds:.0f} s"
    return [{"task": names[0], "outcome": "failed", "why": why, "findings": []}]


def print_reached(bench: TorchBench, names: list[str], reports: dict[str, Report]) -> None:
    """How many files came how far."""
    outcomes = [report["outcome"] for report in reports.values()]
    counted = ", ".join(f"{outcomes.count(one)} {one}" for one in sorted(set(outcomes)))
    bench.print(f"{len(reports)} of {len(names)} files, {bench.at_once} processes at once: {counted}.\n")
    bench.table("it", "files")
    for at, step in enumerate(STEPS):
        bench.row(step, str(sum(steps_of(report) > at for report in reports.values())))
    bench.row("is linted to the end", str(sum(outcome != "failed" for outcome in outcomes)))
    bench.print()
    if missed := sorted(name.removeprefix("kernelbench/") for name in names if name not in reports):
        more = ", and others" if len(missed) > MOST_NAMED else ""
        bench.print(f"{len(missed)} not reached: {', '.join(missed[:MOST_NAMED])}{more}.\n")


def steps_of(report: Report) -> int:
    """How many of the steps a file took, as far as the report tells."""
    if report["outcome"] != "failed":
        timed = any(finding["check"] == "launch-bound" for finding in report["findings"])
        return len(STEPS) if timed else len(STEPS) - 1
    for at, pattern in enumerate(STEPS.values()):
        if pattern and re.search(pattern, report["why"]):
            return at
    return 0


def print_failed(bench: TorchBench, reports: list[Report]) -> None:
    """What came to nothing, with the reasons."""
    failed = sorted((report for report in reports if report["outcome"] == "failed"), key=lambda r: r["task"])
    if failed:
        bench.table("task", "reason")
    for report in failed:
        bench.row(report["task"], report["why"][:200])
    if failed:
        bench.print()


def print_findings(bench: TorchBench, reports: list[Report]) -> None:
    """What makes tasks bad ones to judge by, with the figure of each."""
    found: dict[str, list[str]] = {}
    for report in reports:
        for finding in report["findings"]:
            if finding["bad"]:
                number = "" if finding["figure"] is None else f" ({finding['figure']:.3g})"
                where = report["task"].removeprefix("kernelbench/") + number
                found.setdefault(f"{finding['check']}, {finding['unit']}", []).append(where)
    if found:
        bench.table("finding", "tasks", "which")
    for kind, tasks in sorted(found.items()):
        bench.row(kind, str(len(tasks)), ", ".join(sorted(tasks)))
    if found:
        bench.print()


# ---- eager ----


def measure_eager(bench: TorchBench) -> None:
    """Eager medians by hone's clock and by KernelBench's, in one process, on the same inputs, with a cold cache."""
    bench.need_gpu()
    files = eager_files(bench.checkout())
    why = time_eager(bench, files)
    bench.table("task", "hone, eager", "KernelBench, eager", "difference")
    differences: list[float] = []
    for name, file in files.items():
        answer = bench.clocks.get(file, {"failed": "not reached"})
        if "failed" in answer:
            bench.row(name, answer["failed"], "", "")
            continue
        ours, theirs = answer["hone"], answer["kernelbench"]
        differences.append(100 * (ours / theirs - 1))
        bench.row(name, f"{ours:.1f} us", f"{theirs:.1f} us", f"{differences[-1]:+.2f} %")
    conclude(bench, differences, len(files))
    if why:
        bench.print(f"Its process: {why}\n")


def eager_files(checkout: Path) -> dict[str, Path]:
    """The tasks whose eager time is compared, and their files."""
    numbers = [(level, number) for level, of_level in EAGER.items() for number in of_level]
    return {f"kernelbench/level{level}/{n}": problem(checkout, level, n) for level, n in numbers}


def time_eager(bench: TorchBench, files: dict[str, Path]) -> str:
    """Has both clocks time the files; why not all of them, or nothing."""
    answers, why = eager(bench, list(files.values()), 300)
    bench.clocks |= {Path(answer["file"]): answer for answer in answers}
    return why


def conclude(bench: TorchBench, differences: list[float], of: int) -> None:
    """How many differences are small ones."""
    within = sum(abs(difference) <= 3 for difference in differences)
    bench.print(f"\n{within} of {len(differences)} within 3 %, of {of} tasks.\n")


def measure_baseline(bench: TorchBench) -> None:
    """The baseline "eager" of whole verdicts beside KernelBench's median of the same models."""
    bench.need_gpu()
    files = eager_files(bench.checkout())
    if not bench.clocks:
        with bench.part(0.3):
            time_eager(bench, files)
    bench.table("task", "hone's verdict, eager", "KernelBench, eager", "difference")
    differences: list[float] = []
    for name, file in files.items():
        if bench.late():
            break
        ours, theirs = baseline(bench, name, file), bench.clocks.get(file, {}).get("kernelbench")
        if isinstance(ours, str) or theirs is None:
            bench.row(name, str(ours), "unknown" if theirs is None else f"{theirs:.1f} us", "")
            continue
        differences.append(100 * (ours / theirs - 1))
        bench.row(name, f"{ours:.1f} us", f"{theirs:.1f} us", f"{differences[-1]:+.2f} %")
    conclude(bench, differences, len(files))


def baseline(bench: TorchBench, task: str, file: Path) -> float | str:
    """What a verdict says of eager in microseconds, or why it says nothing."""
    answer = bench.file(itself(file.read_text()))
    try:
        verdict = bench.evaluate(
            task, answer, "--source", str(bench.checkout()), "--rules", "open", limit=100
        )[1]
    except OutOfTime:
        return "not reached"
    except (RuntimeError, ValueError) as error:
        return str(error)[-120:]
    known = verdict["baselines"].get("eager")
    return known["median_us"] if known else f"{verdict['outcome']}: {verdict['summary'][:120]}"


def itself(reference: str) -> str:
    """A reference as its own answer: right, and as fast as eager."""
    return re.sub(r"\bclass Model\b", "class ModelNew", reference).replace("super(Model,", "super(ModelNew,")
