"""Measures what docs/measurements.md states about PyTorch tasks and answers on a GPU.

Run it on a quiet machine with an NVIDIA GPU, with the Python that has a CUDA build of torch:

    python3 docs/measure_torch.py --hone bin/hone --kernelbench ~/KernelBench --out torch.md

It drives the binary as a person or a model would, beside KernelBench's own evaluator on the same files, and prints
tables in Markdown. Sections can be chosen with --only; one that fails says so, and the next one runs. Needs Python
3.11 and Linux; a checkout of KernelBench for all but "corpus" and "turns". With `--device emulated` "corpus" and
"turns" run without a GPU.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import importlib
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import measure_gpu
from measure_gpu import (
    BROKEN,
    ROOT,
    Bench,
    Promise,
    Turn,
    Unavailable,
    Verdict,
    correct,
    events,
    figure,
    kept,
    source_of,
    spread,
    stub_missing,
    told,
    variant,
)

CORPUS = ROOT / "gpu" / "testdata" / "torch"
TASKS = CORPUS / "tasks"
ANSWERS = CORPUS / "answers"

# The answers whose time from start to verdict is compared. The first is what KernelBench's prompt shows.
TIMED = (
    "add/inline_example",
    "mean_square/two_stages",
    "softmax/warp_shuffles",
    "matmul/shared_tiles",
    "matmul_bias_gelu/fused_epilogue",
    "layer_norm/several_kernels",
    "column_sum/atomics",
    "multiply_add_half/pairs",
    "scale/templates",
    "add/on_current_stream",
    "conv2d/direct",
)

# Problems of KernelBench by level whose eager time is compared: KernelBench's own quick choice, and two of level 2.
EAGER = {
    1: (1, 3, 6, 18, 23, 26, 33, 36, 40, 42, 48, 54, 57, 65, 77, 82, 86, 87),
    2: (12, 33),
}


@dataclass
class TorchBench(Bench):
    """The binary, with this Python for the tasks."""

    answers: list[str] = field(default_factory=list)
    parallel: int = 1
    texts: int = 0

    def environment(self, **more: str) -> dict[str, str]:
        """A fresh person's environment, and the Python that has torch."""
        return super().environment(HONE_PYTHON=sys.executable, **more)

    def new_text(self, answer: str) -> str:
        """An answer as no cache knows it, neither in its device part nor in its host part."""
        self.texts += 1
        return variant((ANSWERS / f"{answer}.py").read_text(), self.texts)

    def judge(self, task: str, text: str, source: Path, *flags: str) -> tuple[float, Verdict]:
        """Seconds of a whole `hone eval` of a text, and its verdict."""
        file = self.home / "answer.py"
        file.write_text(text)
        return self.evaluate(task, file, "--source", str(source), *flags)

    def checkout(self) -> Path:
        """The checkout of KernelBench, which a section needs."""
        if not self.kernelbench:
            raise Unavailable("needs --kernelbench CHECKOUT")
        return self.kernelbench


def task_of(answer: str) -> str:
    """The task that an answer of the corpus answers."""
    folder = answer.split("/", maxsplit=1)[0]
    if found := re.fullmatch(r"kernelbench_(level\d+)_(\d+)", folder):
        return f"kernelbench/{found[1]}/{found[2]}"
    return f"{TASKS.name}/{folder}"


# ---- KernelBench, in processes of its own ----


def kernelbench(bench: TorchBench, job: dict[str, Any], extensions: Path) -> dict[str, Any]:
    """Has another process do something with KernelBench's code; what it answers, and the seconds of all of it."""
    command = [sys.executable, str(Path(__file__)), "--in-kernelbench", json.dumps(job)]
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(extensions)}
    environment["PYTHONPATH"] = str(source_of(bench.checkout()))
    begun = time.monotonic()
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=550)
    seconds = time.monotonic() - begun
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"KernelBench failed: {done.stderr.strip()[-400:]}")
    return {**json.loads(lines[-1]), "process": seconds}


def in_kernelbench(job: dict[str, Any]) -> dict[str, Any]:
    """What the other process does."""
    stubs = stub_missing("dotenv", "openai", "litellm", "requests", "tqdm", "datasets", "pydantic")
    if job["what"] == "eager":
        return {"stubs": stubs, "medians": eager_medians(job["files"])}
    return {"stubs": stubs, **evaluated(Path(job["task"]), Path(job["answer"]))}


def evaluated(task: Path, answer: Path) -> dict[str, Any]:
    """One call of KernelBench's evaluator, as its scripts make it."""
    import torch
    from torch.utils import cpp_extension

    evaluation = importlib.import_module("kernelbench.eval")
    built: list[float] = []
    cpp_extension.load_inline = timed(cpp_extension.load_inline, built)
    half = ".half()" in task.read_text()
    begun = time.monotonic()
    result = evaluation.eval_kernel_against_ref(
        task.read_text(),
        answer.read_text(),
        num_correct_trials=5,
        num_perf_trials=100,
        measure_performance=True,
        build_dir=os.environ["TORCH_EXTENSIONS_DIR"],
        device=torch.device("cuda:0"),
        precision=torch.float16 if half else torch.float32,
    )
    seconds = time.monotonic() - begun
    return {
        "seconds": seconds,
        "build": sum(built) if built else None,
        "compiled": result.compiled if result else None,
        "correct": result.correctness if result else None,
        "why": {name: str(value)[:200] for name, value in result.metadata.items()} if result else {},
    }


def timed(call: Callable[..., Any], seconds: list[float]) -> Callable[..., Any]:
    """The same function, which keeps how long it took."""

    def run(*arguments: Any, **named: Any) -> Any:
        begun = time.monotonic()
        try:
            return call(*arguments, **named)
        finally:
            seconds.append(time.monotonic() - begun)

    return run


def eager_medians(files: list[str]) -> dict[str, float | str]:
    """The median of a model's eager time in microseconds by KernelBench's own method; text where there is none."""
    import torch

    evaluation = importlib.import_module("kernelbench.eval")
    timing = importlib.import_module("kernelbench.timing")
    device = torch.device("cuda:0")
    medians: dict[str, float | str] = {}
    for file in files:
        try:
            model, init, inputs = evaluation.load_original_model_and_inputs(Path(file).read_text(), {})
            with torch.no_grad():
                evaluation.set_seed(42)
                given = [x.to(device) if isinstance(x, torch.Tensor) else x for x in inputs()]
                evaluation.set_seed(42)
                built = model(*init()).to(device)
                samples = timing.time_execution_with_cuda_event(
                    built, given, num_warmup=5, num_trials=100, verbose=False, device=device
                )
            medians[file] = 1000 * statistics.median(samples)
        except Exception as error:  # noqa: BLE001, the others shall be timed
            medians[file] = f"{type(error).__name__}: {str(error)[:120]}"
        built = given = None
        torch.cuda.empty_cache()
    return medians


# ---- (a) from start to verdict ----


@dataclass
class Race:
    """One answer through both evaluators, seconds."""

    answer: str
    cold: float  # hone, a text that no cache knows
    warm: float  # hone, the same text again
    verdict: Verdict
    theirs: dict[str, Any] | str  # KernelBench's result, or why there is none

    def ratio(self) -> float | None:
        """KernelBench's evaluator, without its process, over hone with all of it."""
        return None if isinstance(self.theirs, str) else self.theirs["seconds"] / self.cold

    def agrees(self) -> bool | None:
        """Whether both say the same; None where one says nothing."""
        if isinstance(self.theirs, str) or self.theirs["compiled"] is None:
            return None
        return (self.verdict["outcome"] == "correct") == bool(self.theirs["correct"])


def race(bench: TorchBench, answer: str, number: int) -> Race:
    """Evaluates an answer cold, warm and by KernelBench."""
    task, text = task_of(answer), bench.new_text(answer)
    cold, verdict = bench.judge(task, text, TASKS)
    warm, _ = bench.judge(task, text, TASKS)
    file = bench.home / f"answer{number}.py"
    file.write_text(text)
    job = {"what": "evaluate", "task": str(TASKS / f"{task.split('/')[1]}.py"), "answer": str(file)}
    theirs: dict[str, Any] | str
    try:
        theirs = kernelbench(bench, job, bench.home / f"extensions{number}")
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        theirs = str(error)[-200:]
    return Race(answer, cold, warm, verdict, theirs)


def measure_latency(bench: TorchBench) -> None:
    """Ten answers and KernelBench's example: start to verdict, beside KernelBench's own evaluator."""
    bench.need_gpu()
    bench.checkout()
    first, verdict = bench.judge(task_of(TIMED[0]), bench.new_text(TIMED[0]), TASKS)
    correct(verdict)
    bench.print(f"The very first evaluation on a machine builds what hone keeps: {first:.1f} s.\n")
    bench.table(
        "answer",
        "hone, new text",
        "hone, again",
        "KernelBench",
        "of which building",
        "its process",
        "ratio",
        "verdicts",
    )
    races = []
    for number, answer in enumerate(bench.answers):
        result = race(bench, answer, number)
        races.append(result)
        bench.row(answer, f"{result.cold:.2f} s", f"{result.warm:.2f} s", *race_cells(result))
    bench.print()
    ratios = [one for result in races if (one := result.ratio())]
    if ratios:
        mean = math.exp(statistics.fmean(math.log(ratio) for ratio in ratios))
        bench.print(f"Geometric mean of {len(ratios)} ratios: {mean:.1f}, least {min(ratios):.1f}.\n")
    print_disagreements(bench, races)


def race_cells(result: Race) -> list[str]:
    """What the table tells of KernelBench's evaluation."""
    outcome = result.verdict["outcome"]
    if isinstance(result.theirs, str):
        return ["no result", "", "", "", f"{outcome}; {result.theirs}"]
    theirs = result.theirs
    said = "correct" if theirs["correct"] else "wrong" if theirs["compiled"] else "not compiled"
    return [
        f"{theirs['seconds']:.1f} s",
        figure(theirs["build"], 1, " s"),
        f"{theirs['process']:.1f} s",
        figure(result.ratio(), 1, "x"),
        f"both {outcome}" if result.agrees() and outcome == "correct" else f"{outcome}; {said}",
    ]


def print_disagreements(bench: TorchBench, races: list[Race]) -> None:
    """Where the verdicts differ, and what each evaluator says."""
    for result in races:
        if result.agrees() is False and not isinstance(result.theirs, str):
            bench.print(
                f"- {result.answer}: hone: {result.verdict['summary']}; KernelBench: {result.theirs['why']}"
            )
    agreed = sum(result.agrees() is True for result in races)
    bench.print(f"Same verdict for {agreed} of {len(races)}.\n")


# ---- (a) the turns of a session ----


class Replies(measure_gpu.Model):
    """An endpoint whose replies are answers in Python."""

    def __init__(self, answers: Iterator[str]) -> None:
        super().__init__(answers)
        self.RequestHandlerClass = Reply


class Reply(measure_gpu.Answer):
    """One reply: what the endpoint streams as CUDA C++ goes out as Python."""

    def send(self, choice: dict[str, Any]) -> None:
        """One piece of the stream."""
        text = choice["delta"].get("content", "")
        if text.startswith("```cuda\n"):
            choice["delta"]["content"] = "```python\n" + text.removeprefix("```cuda\n")
        super().send(choice)


def refine(bench: TorchBench, task: str, answers: list[str]) -> list[Turn]:
    """A session without a person in one judge: a turn per answer, each from the reply's end to the verdict."""
    turns: list[Turn] = []
    with Replies(iter(answers)) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        arguments = ["--json", "--turns", str(len(answers)), "--source", str(TASKS), "--dialect", "torch"]
        environment = bench.environment(OPENAI_BASE_URL=model.url(), OPENAI_MODEL="m", OPENAI_API_KEY="none")
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                bench.command("refine", task, *arguments),
                env=environment,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
            )
            try:
                for event in events(process):
                    if event["event"] == "eval.result" and event["data"]["verdict"]:
                        turns.append(Turn(time.monotonic() - model.ended[-1], event["data"]["verdict"]))
            finally:
                process.terminate()
                process.wait()
                model.shutdown()
            errors.seek(0)
            if len(turns) != len(answers):
                raise RuntimeError(f"{len(turns)} verdicts of {len(answers)} turns: {errors.read()[-300:]}")
    return turns


def device_variant(text: str, number: int) -> str:
    """The same answer with another body of its first kernel, and nothing else changed."""
    at = text.index("{", text.index("__global__")) + 1
    return f"{text[:at]} const int variant{number} = {number}; (void)variant{number};{text[at:]}"


def measure_turns(bench: TorchBench) -> None:
    """One judge: later turns of a task, all of the text new, and only a kernel's body new."""
    bench.table("answer", "first turn", "later turns, new text", "only a kernel's body new", "outcomes")
    for answer in bench.answers:
        texts = [bench.new_text(answer) for _ in range(4)]
        texts += [device_variant(texts[-1], number) for number in range(4)]
        turns = refine(bench, task_of(answer), texts)
        seconds = [turn.seconds for turn in turns]
        outcomes = sorted({turn.verdict["outcome"] for turn in turns})
        bench.row(
            answer,
            f"{seconds[0]:.2f} s",
            spread(seconds[1:4], "s", 2),
            spread(seconds[4:], "s", 2),
            ", ".join(outcomes),
        )
    bench.print()


# ---- (b) all files of level 1 and 2 ----


def measure_lint(bench: TorchBench) -> None:
    """Every file of levels 1 and 2: what loads, runs, is timed and is found."""
    checkout = bench.checkout()
    names = [f"kernelbench/level{level}/{number}" for level in (1, 2) for number in range(1, 101)]
    with concurrent.futures.ThreadPoolExecutor(bench.parallel) as pool:
        reports = list(pool.map(lambda name: lint(bench, checkout, name), names))
    outcomes = [report["outcome"] for report in reports]
    counted = ", ".join(f"{outcomes.count(one)} {one}" for one in sorted(set(outcomes)))
    failed = [report for report in reports if report["outcome"] == "failed"]
    timed_ones = sum(any(f["check"] == "launch-bound" for f in report["findings"]) for report in reports)
    bench.print(f"{len(reports) - len(failed)} of {len(reports)} files went through: {counted}.")
    bench.print(f"Eager was timed for {timed_ones}.\n")
    if failed:
        bench.table("task", "reason")
    for report in failed:
        bench.row(report["task"], report["why"][:200])
    print_findings(bench, reports)


def print_findings(bench: TorchBench, reports: list[dict[str, Any]]) -> None:
    """What makes tasks bad ones to judge by, with the figure of each."""
    found: dict[str, list[str]] = {}
    for report in reports:
        for finding in report["findings"]:
            if finding["bad"]:
                number = "" if finding["figure"] is None else f" ({finding['figure']:.3g})"
                where = report["task"].removeprefix("kernelbench/") + number
                found.setdefault(f"{finding['check']}, {finding['unit']}", []).append(where)
    if found:
        bench.print()
        bench.table("finding", "tasks", "which")
    for kind, tasks in sorted(found.items()):
        bench.row(kind, str(len(tasks)), ", ".join(tasks))
    bench.print()


def lint(bench: TorchBench, checkout: Path, name: str) -> dict[str, Any]:
    """The report on a task."""
    command = bench.command("tasks", "lint", name, "--json", "--source", str(checkout))
    try:
        done = subprocess.run(
            command, check=False, env=bench.environment(), capture_output=True, text=True, timeout=400
        )
        if not done.stdout.strip():
            return {"task": name, "outcome": "failed", "why": done.stderr.strip()[-200:], "findings": []}
        return json.loads(done.stdout)["tasks"][0]
    except subprocess.TimeoutExpired as error:
        return {"task": name, "outcome": "failed", "why": str(error)[:200], "findings": []}


# ---- (c) eager ----


def problem(checkout: Path, level: int, number: int) -> Path:
    """The file of a problem."""
    found = sorted(checkout.glob(f"**/level{level}/{number}_*.py"))
    if not found:
        raise Unavailable(f"no problem {number} of level {level} below {checkout}")
    return found[0]


def itself(reference: str) -> str:
    """A reference as its own answer: right, and as fast as eager."""
    return re.sub(r"\bclass Model\b", "class ModelNew", reference).replace("super(Model,", "super(ModelNew,")


def measure_eager(bench: TorchBench) -> None:
    """hone's eager baseline against KernelBench's own timing of the same models."""
    bench.need_gpu()
    checkout = bench.checkout()
    files = {(n, i): problem(checkout, n, i) for n, numbers in EAGER.items() for i in numbers}
    job = {"what": "eager", "files": [str(file) for file in files.values()]}
    theirs = kernelbench(bench, job, bench.home / "extensions")["medians"]
    bench.table("task", "hone, eager", "KernelBench, eager", "difference")
    differences: list[float] = []
    for (level, number), file in files.items():
        name = f"kernelbench/level{level}/{number}"
        ours = hone_eager(bench, name, file.read_text(), checkout)
        median = theirs[str(file)]
        if isinstance(ours, str) or isinstance(median, str):
            bench.row(name, str(ours), str(median), "")
            continue
        differences.append(100 * (ours / median - 1))
        bench.row(name, f"{ours:.1f} us", f"{median:.1f} us", f"{differences[-1]:+.2f} %")
    bench.print()
    within = sum(abs(difference) <= 3 for difference in differences)
    bench.print(f"{within} of {len(differences)} within 3 %, of {len(files)} tasks.\n")


def hone_eager(bench: TorchBench, task: str, reference: str, checkout: Path) -> float | str:
    """The baseline in microseconds, or why there is none."""
    try:
        verdict = bench.judge(task, itself(reference), checkout, "--rules", "open")[1]
        baseline = verdict["baselines"].get("eager")
        return baseline["median_us"] if baseline else f"{verdict['outcome']}: {verdict['summary'][:120]}"
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)[-120:]


# ---- (d), (e) real tasks ----


def measure_convolution(bench: TorchBench) -> None:
    """A convolution in float32 where eager runs in TF32, and one that is a thousandth too large."""
    bench.need_gpu()
    bench.table("answer", "outcome", "worst error", "tolerance", "over eager", "summary")
    for name, wanted in (("direct", "correct"), ("a_thousandth_too_much", "mismatch")):
        answer = f"kernelbench_level1_50/{name}"
        text = (ANSWERS / f"{answer}.py").read_text()
        verdict = bench.judge(task_of(answer), text, bench.checkout())[1]
        check = verdict["check"] or {}
        bench.row(
            name,
            verdict["outcome"] if verdict["outcome"] == wanted else f"**{verdict['outcome']}**",
            f"{check['max_abs']:.2e}" if check.get("max_abs") is not None else "unknown",
            f"{check['atol']:.0e} + {check['rtol']:.0e} of the value" if check else "unknown",
            figure((verdict["speedup"] or {}).get("eager"), 2, "x"),
            verdict["summary"],
        )
    bench.print()


def measure_real(bench: TorchBench) -> None:
    """Answers to tasks of KernelBench: `hone eval kernelbench/levelL/N answer.py`."""
    bench.need_gpu()
    bench.table("task", "answer", "seconds", "outcome", "median", "over eager", "summary")
    for folder in sorted(ANSWERS.glob("kernelbench_*")):
        file = next(file for file in sorted(folder.glob("*.py")) if promise(file).expect == ["correct"])
        task = task_of(f"{folder.name}/{file.stem}")
        seconds, verdict = bench.evaluate(task, file, "--source", str(bench.checkout()))
        timing = verdict["timing"]
        bench.row(
            task,
            file.stem,
            f"{seconds:.1f} s",
            verdict["outcome"],
            figure(timing and timing["median_us"], 1, " us"),
            figure((verdict["speedup"] or {}).get("eager"), 2, "x"),
            verdict["summary"],
        )
    bench.print()


# ---- the corpus ----


def promise(file: Path) -> Promise:
    """Reads the remarks of an answer."""
    remarks: dict[str, str] = {}
    for line in file.read_text().splitlines():
        found = re.fullmatch(r"# (expect|unruled|gpu|why): (.*)", line)
        if not found:
            break
        remarks[found[1]] = found[2].strip()
    either = {name: [one.strip() for one in remarks.get(name, "").split("|")] for name in ("expect", "gpu")}
    return Promise(either["expect"], either["gpu"] if "gpu" in remarks else [], "", remarks.get("why", ""))


def attempt(bench: TorchBench, file: Path) -> Verdict | str:
    """The verdict on an answer, or why there is none."""
    task = f"{TASKS.name}/{file.parent.name}"
    flags = ("--source", str(TASKS), "--rules", "kevin", "--timeout", "5s")
    try:
        return bench.evaluate(task, file, *flags)[1]
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)[-300:]


def measure_corpus(bench: TorchBench) -> None:
    """Every answer of the corpus to a task of its own: what is not found as its remarks say."""
    files = [
        file for file in sorted(ANSWERS.glob("*/*.py")) if not file.parent.name.startswith("kernelbench_")
    ]
    with concurrent.futures.ThreadPoolExecutor(bench.parallel) as pool:
        verdicts = list(pool.map(lambda file: attempt(bench, file), files))
    broken = 0
    bench.table("answer", "promised", "found", "summary")
    for file, verdict in zip(files, verdicts):
        said = promise(file)
        wanted = said.expect if bench.emulated() else said.gpu or said.expect
        if kept(wanted, verdict):
            continue
        broken += 1
        summary = verdict if isinstance(verdict, str) else verdict["summary"]
        bench.row(f"{file.parent.name}/{file.stem}", " or ".join(wanted), told(verdict), summary[:160])
    bench.print(f"\n{len(files)} answers: {broken} {BROKEN if broken else 'not as promised'}.\n")


# ---- the whole ----

SECTIONS: dict[str, Callable[[TorchBench], None]] = {
    "latency": measure_latency,
    "turns": measure_turns,
    "lint": measure_lint,
    "eager": measure_eager,
    "convolution": measure_convolution,
    "real": measure_real,
    "corpus": measure_corpus,
}


def measure(bench: TorchBench, chosen: list[str]) -> bool:
    """Runs the sections; whether all of them came through."""
    whole = True
    for name in chosen:
        bench.print(f"## {name}: {(SECTIONS[name].__doc__ or '').strip()}\n")
        begun = time.monotonic()
        try:
            SECTIONS[name](bench)
        except Unavailable as reason:
            bench.print(f"skipped: {reason}\n")
        except Exception as error:  # noqa: BLE001, the next section shall run
            whole = False
            bench.print(f"\nfailed: {type(error).__name__}: {error}\n")
        bench.print(f"({time.monotonic() - begun:.0f} s)\n")
    return whole


def options() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description="Measures hone's PyTorch tasks on a GPU.")
    parser.add_argument("--hone", type=Path, default=ROOT / "bin" / "hone", help="the binary to measure")
    parser.add_argument("--device", default="auto", help="auto, emulated or a number, as hone takes it")
    parser.add_argument("--kernelbench", type=Path, help="a checkout of KernelBench")
    parser.add_argument("--out", type=Path, help="a file for the report as well")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--answers", default=",".join(TIMED), help='answers of "latency" and "turns"')
    parser.add_argument(
        "--parallel", type=int, default=1, help='tasks or answers at once in "lint" and "corpus"'
    )
    parser.add_argument("--in-kernelbench", type=json.loads, help=argparse.SUPPRESS)
    return parser.parse_args()


def names_of(text: str, known: tuple[str, ...], what: str) -> list[str]:
    """The names in a list, all of which must be known."""
    names = [name for name in text.split(",") if name]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no {what} {', '.join(unknown)}: choose from {', '.join(known)}")
    return names


def main() -> None:
    """Measures everything in a home of its own."""
    chosen = options()
    if chosen.in_kernelbench:
        answer = in_kernelbench(chosen.in_kernelbench)
        print("\n" + json.dumps(answer))
        return
    sections = names_of(chosen.only, tuple(SECTIONS), "section")
    answers = names_of(chosen.answers, TIMED, "answer")
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        out = stack.enter_context(chosen.out.open("w")) if chosen.out else None
        checkout = chosen.kernelbench.resolve() if chosen.kernelbench else None
        bench = TorchBench(
            chosen.hone.resolve(),
            chosen.device,
            home,
            out,
            checkout,
            turns=0,
            answers=answers,
            parallel=chosen.parallel,
        )
        measure_gpu.facts(bench)
        whole = measure(bench, sections)
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
