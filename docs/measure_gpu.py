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
import csv
import http.server
import importlib
import io
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

ROOT = Path(__file__).resolve().parent.parent
KERNELS = ROOT / "gpu" / "testdata" / "kernels"
TIMING = ROOT / "docs" / "timing"
TASKS = ("builtin/l1", "builtin/l2")
Verdict = dict[str, Any]
Event = dict[str, Any]


class Unavailable(Exception):
    """What a section needs and this machine has not."""


@dataclass
class Bench:
    """The binary that is measured, and where the figures go."""

    hone: Path
    device: str
    home: Path
    out: TextIO | None
    kernelbench: Path | None
    turns: int
    helps: dict[str, str] = field(default_factory=dict)

    def print(self, line: str = "") -> None:
        """Writes one line of the report."""
        print(line, flush=True)
        if self.out:
            print(line, file=self.out, flush=True)

    def table(self, *columns: str) -> None:
        """Begins a table."""
        self.print("| " + " | ".join(columns) + " |")
        self.print("|" + "---|" * len(columns))

    def row(self, *cells: str) -> None:
        """One row of a table."""
        self.print("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")

    def emulated(self) -> bool:
        """Whether the kernels run on a CPU."""
        return self.device == "emulated"

    def need_gpu(self) -> None:
        """Ends a section that says nothing about an emulation."""
        if self.emulated():
            raise Unavailable("needs a GPU")

    def has(self, verb: str, flag: str) -> bool:
        """Whether a verb of the binary has a flag."""
        if verb not in self.helps:
            self.helps[verb] = subprocess.run(
                [self.hone, verb, "--help"], check=False, capture_output=True, text=True
            ).stdout
        return flag in self.helps[verb]

    def command(self, verb: str, *arguments: str, device: str | None = None) -> list[str]:
        """A command line of the binary, on the device that is measured."""
        chosen = ["--device", device or self.device] if self.has(verb, "--device") else []
        return [str(self.hone), verb, *arguments, *chosen]

    def environment(self, **more: str) -> dict[str, str]:
        """A fresh person's environment, with the search paths of this machine."""
        names = (
            "PATH",
            "LD_LIBRARY_PATH",
            "CUDA_HOME",
            "CUDA_PATH",
            "CUDA_VISIBLE_DEVICES",
            "NVIDIA_VISIBLE_DEVICES",
        )
        kept = {name: os.environ[name] for name in names if name in os.environ}
        own = {"HOME": str(self.home), "LANG": "C.UTF-8", "TERM": "dumb"}
        own |= {"HONE_RUNS": str(self.home / "runs"), "HONE_CACHE": str(self.home / "cache")}
        return kept | own | more

    def forget(self) -> None:
        """Empties the cache of kernels; the programs of hone's own stay built."""
        shutil.rmtree(self.home / "cache" / "kernels", ignore_errors=True)

    def evaluate(
        self, task: str, kernel: Path, *flags: str, device: str | None = None
    ) -> tuple[float, Verdict]:
        """Seconds of a whole `hone eval`, and its verdict."""
        command = self.command("eval", task, str(kernel), "--json", *flags, device=device)
        begun = time.monotonic()
        done = subprocess.run(
            command, check=False, env=self.environment(), capture_output=True, text=True, timeout=300
        )
        seconds = time.monotonic() - begun
        if not done.stdout.strip():
            raise RuntimeError(
                f"{' '.join(command[1:])}: exit code {done.returncode}: {done.stderr.strip()[-300:]}"
            )
        return seconds, json.loads(done.stdout)


def correct(verdict: Verdict) -> Verdict:
    """The verdict, if it is good."""
    if verdict["outcome"] != "correct":
        raise RuntimeError(f"the kernel is {verdict['outcome']}: {verdict['summary']}")
    return verdict


def spread(values: list[float], unit: str, digits: int = 1) -> str:
    """Median, range and number of some figures."""
    low, high = min(values), max(values)
    return f"{statistics.median(values):.{digits}f} {unit} ({low:.{digits}f} to {high:.{digits}f}, n={len(values)})"


def figure(value: float | None, digits: int = 1, unit: str = "") -> str:
    """A figure that may be unknown."""
    return "unknown" if value is None else f"{value:.{digits}f}{unit}"


def sources(folder: str, *names: str) -> list[Path]:
    """Test kernels by name."""
    return [KERNELS / folder / f"{name}.cu" for name in names]


def builtin_tasks() -> list[str]:
    """The names of the tasks that have test kernels."""
    return sorted(folder.name for folder in KERNELS.iterdir() if folder.is_dir())


# ---- a model of our own ----


def variant(text: str, number: int) -> str:
    """The same kernel in a text that no cache knows, in its device part and in its host part."""
    last = max(text.rfind("\n#include"), 0)
    end = text.index("\n", last + 1) + 1
    return f"{text[:end]}\nconstexpr int kVariant{number} = {number};\n{text[end:]}"


class Model(http.server.ThreadingHTTPServer):
    """An endpoint that streams prepared kernels, one a request, and knows when each reply ended."""

    def __init__(self, kernels: Iterator[str]) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        self.kernels = kernels
        self.ended: list[float] = []

    def url(self) -> str:
        """What a client is given."""
        return f"http://127.0.0.1:{self.server_port}/v1"


class Answer(http.server.BaseHTTPRequestHandler):
    """One reply of the model."""

    protocol_version = "HTTP/1.0"
    server: Model

    def do_POST(self) -> None:
        """Answers a chat request with the next kernel."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        text = f"```cuda\n{next(self.server.kernels)}\n```\n"
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for at in range(0, len(text), 512):
                self.send({"delta": {"content": text[at : at + 512]}})
            self.send({"delta": {}, "finish_reason": "stop"})
            self.wfile.write(b"data: [DONE]\n\n")
        self.server.ended.append(time.monotonic())

    def send(self, choice: dict[str, Any]) -> None:
        """One piece of the stream."""
        body = json.dumps({"choices": [{"index": 0, **choice}]})
        self.wfile.write(f"data: {body}\n\n".encode())

    def log_message(self, *_: object) -> None:
        """Keeps requests out of the report."""


@dataclass
class Turn:
    """One turn of a session: the reply's end to the verdict, in seconds, and the verdict."""

    seconds: float
    verdict: Verdict


def refine(
    bench: Bench,
    task: str,
    kernels: list[str],
    after: Callable[[int, int], None] = lambda turn, pid: None,
    flags: tuple[str, ...] = (),
) -> list[Turn]:
    """A session without a person that takes one turn per kernel; `after` is called with each turn and hone's pid."""
    turns: list[Turn] = []
    with Model(iter(kernels)) as model:
        threading.Thread(target=model.serve_forever, daemon=True).start()
        command = bench.command("refine", task, "--json", "--turns", str(len(kernels)), *flags)
        environment = bench.environment(OPENAI_BASE_URL=model.url(), OPENAI_MODEL="m", OPENAI_API_KEY="none")
        with tempfile.TemporaryFile("w+") as errors:
            process = subprocess.Popen(
                command, env=environment, stdout=subprocess.PIPE, stderr=errors, text=True
            )
            try:
                for event in events(process):
                    if event["event"] == "eval.result" and event["data"]["verdict"]:
                        turns.append(Turn(time.monotonic() - model.ended[-1], event["data"]["verdict"]))
                    if event["event"] == "turn.end":
                        after(event["turn"], process.pid)
            finally:
                process.terminate()
                process.wait()
                model.shutdown()
            errors.seek(0)
            if len(turns) != len(kernels):
                raise RuntimeError(f"{len(turns)} verdicts of {len(kernels)} turns: {errors.read()[-300:]}")
    return turns


def events(process: subprocess.Popen[str]) -> Iterator[Event]:
    """The events that a session prints, as they come."""
    assert process.stdout
    for line in process.stdout:
        yield json.loads(line)


# ---- latency ----


def stages(verdicts: list[Verdict]) -> dict[str, list[float]]:
    """The milliseconds of each stage."""
    result: dict[str, list[float]] = {}
    for verdict in verdicts:
        for stage in verdict["stages"]:
            result.setdefault(stage["name"], []).append(stage["ms"])
    return result


def print_stages(bench: Bench, seconds: list[float], verdicts: list[Verdict]) -> None:
    """One table: the whole, every stage, and what no stage accounts for."""
    bench.table("what", "median (range, n)")
    bench.row("whole", spread([1000 * s for s in seconds], "ms"))
    for name, figures in stages(verdicts).items():
        bench.row(name, spread(figures, "ms"))
    rest = [1000 * s - sum(stage["ms"] for stage in v["stages"]) for s, v in zip(seconds, verdicts)]
    bench.row("everything else", spread(rest, "ms"))
    bench.print()


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
        turns = refine(bench, "softmax", [variant(text, i) for i in range(12)])
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
    if not bench.kernelbench:
        raise Unavailable("needs --kernelbench CHECKOUT")
    kernel = sources("softmax", "tuned")[0]
    command = [sys.executable, str(Path(__file__)), "--evaluate-as-kernelbench", str(kernel)]
    environment = {**os.environ, "TORCH_EXTENSIONS_DIR": str(bench.home / "extensions")}
    environment["PYTHONPATH"] = str(source_of(bench.kernelbench))
    begun = time.monotonic()
    done = subprocess.run(command, check=False, env=environment, capture_output=True, text=True, timeout=400)
    seconds = time.monotonic() - begun
    lines = done.stdout.strip().splitlines()
    if done.returncode != 0 or not lines:
        raise RuntimeError(f"the harness failed: {done.stderr.strip()[-400:]}")
    result = json.loads(lines[-1])
    bench.table("what", "measured")
    bench.row("eval_kernel_against_ref, 5 trials, 100 timed runs", f"{result['seconds']:.1f} s")
    bench.row("of which building the extension", figure(result["build"], 1, " s"))
    bench.row("the whole process, with `import torch`", f"{seconds:.1f} s")
    bench.row("compiled, correct", f"{result['compiled']}, {result['correct']}")
    bench.row("its mean time of the kernel", figure(result["runtime_ms"], 4, " ms"))
    bench.row("replaced by stubs, as not installed", ", ".join(result["stubs"]) or "none")
    bench.print()


def source_of(checkout: Path) -> Path:
    """The folder that holds the package."""
    for folder in (checkout / "src", checkout):
        if (folder / "kernelbench" / "eval.py").exists():
            return folder.resolve()
    raise Unavailable(f"no kernelbench/eval.py below {checkout}")


def evaluate_as_kernelbench(kernel: Path) -> None:
    """Runs KernelBench's evaluator on a kernel and prints one line of JSON."""
    stubs = stub_missing("dotenv", "openai", "litellm", "requests", "tqdm", "datasets", "pydantic")
    import torch
    from torch.utils import cpp_extension

    evaluation = importlib.import_module("kernelbench.eval")
    built: list[float] = []
    load = cpp_extension.load_inline

    def timed(*arguments: Any, **named: Any) -> Any:
        begun = time.monotonic()
        try:
            return load(*arguments, **named)
        finally:
            built.append(time.monotonic() - begun)

    cpp_extension.load_inline = timed
    reference = (ROOT / "tasks" / "builtin" / "l1" / "softmax" / "reference.py").read_text()
    begun = time.monotonic()
    result = evaluation.eval_kernel_against_ref(
        reference,
        CANDIDATE.replace("@KERNEL@", kernel.read_text()),
        num_correct_trials=5,
        num_perf_trials=100,
        measure_performance=True,
        build_dir=os.environ.get("TORCH_EXTENSIONS_DIR"),
        device=torch.device("cuda:0"),
    )
    seconds = time.monotonic() - begun
    answer = {"seconds": seconds, "build": sum(built) if built else None, "stubs": stubs}
    answer |= {
        "compiled": result.compiled,
        "correct": result.correctness,
        "runtime_ms": result.runtime or None,
    }
    print("\n" + json.dumps(answer))


class Stub(types.ModuleType):
    """A module that has whatever is asked of it: a class that takes anything and keeps what has a name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *_, **named: self.__dict__.update(named)})


def stub_missing(*names: str) -> list[str]:
    """Puts stubs in the place of modules that KernelBench imports and its evaluator hardly uses."""
    stubs = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = Stub(name)
            stubs.append(name)
    return stubs


# ---- timing ----


@dataclass(frozen=True)
class Probe:
    """A kernel of known length: its task, its text, and its dimensions at full size."""

    task: str
    kernel: str
    n: int
    rounds: int

    def path(self) -> Path:
        return TIMING / self.kernel


def probes() -> list[Probe]:
    """The kernels of docs/timing, shortest first."""
    kernels = {"copy_10us": "copy.cu", "copy_100us": "copy.cu", "reflect_5ms": "reflect.cu"}
    result = []
    for task, kernel in kernels.items():
        text = (TIMING / "tasks" / task / "task.toml").read_text()
        found = re.search(r"^full = \{ n = ([\d_]+), rounds = ([\d_]+) \}", text, re.MULTILINE)
        assert found, task
        result.append(Probe(task, kernel, int(found[1]), int(found[2])))
    return result


def time_probe(bench: Bench, probe: Probe) -> Verdict:
    """One whole evaluation of such a kernel."""
    return correct(bench.evaluate(probe.task, probe.path(), "--source", str(TIMING / "tasks"))[1])


def measure_timing(bench: Bench) -> None:
    """hone's cold median against Nsight Compute's duration of the same launch."""
    bench.table(
        "kernel", "hone, cold median", "its host clock, per call", "Nsight Compute, median", "difference"
    )
    for probe in probes():
        verdicts = [time_probe(bench, probe) for _ in range(3)]
        ours = [v["timing"]["median_us"] for v in verdicts]
        slopes = [v["timing"]["host_slope_us"] for v in verdicts if v["timing"]["host_slope_us"]]
        try:
            bench.need_gpu()
            theirs = profile(bench, probe)
            shown = spread(theirs, "us", 2)
            difference = f"{100 * (statistics.median(ours) / statistics.median(theirs) - 1):+.2f} %"
        except (Unavailable, RuntimeError) as error:
            shown, difference = f"no figure: {error}", ""
        bench.row(
            probe.task,
            spread(ours, "us", 2),
            spread(slopes, "us", 2) if slopes else "none",
            shown,
            difference,
        )
    bench.print()


def profile(bench: Bench, probe: Probe, launches: int = 50, warmup: int = 5) -> list[float]:
    """Nsight Compute's durations in microseconds: caches flushed before each launch, clocks as they are."""
    for tool in ("ncu", "nvcc"):
        if not shutil.which(tool):
            raise Unavailable(f"{tool} is not on the path")
    program = bench.home / f"launch-{probe.kernel}"
    if not program.exists():
        build = ["nvcc", "-O3", "-std=c++17", "-arch=native", f'-DKERNEL="{probe.path()}"']
        checked([*build, "-o", str(program), str(TIMING / "launch.cu")])
    command = [
        "ncu",
        "--clock-control",
        "none",
        "--cache-control",
        "all",
        "--metrics",
        "gpu__time_duration.sum",
    ]
    command += [
        "--launch-skip",
        str(warmup),
        "--launch-count",
        str(launches),
        "--csv",
        "--print-units",
        "base",
    ]
    program_and_size = [str(program), str(probe.n), str(probe.rounds), str(warmup + launches)]
    return durations(checked([*command, *program_and_size]))


def durations(text: str) -> list[float]:
    """The metric's values in a table of ncu, microseconds."""
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if start is None:
        raise RuntimeError(f"ncu printed no table: {text.strip()[-300:]}")
    scale = {"ns": 1e-3, "nsecond": 1e-3, "us": 1, "usecond": 1}
    rows = [row for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))) if row.get("Metric Value")]
    return [float(row["Metric Value"].replace(",", "")) * scale[row["Metric Unit"]] for row in rows]


def checked(command: list[str]) -> str:
    """What a command prints."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise RuntimeError(
            f"{command[0]}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"
        )
    return done.stdout


def measure_spread(bench: Bench) -> None:
    """How far ten whole evaluations of one kernel lie apart."""
    bench.table("kernel", "medians of ten evaluations", "(max - min) / median")
    for probe in probes()[1:]:
        medians = [time_probe(bench, probe)["timing"]["median_us"] for _ in range(10)]
        distance = 100 * (max(medians) - min(medians)) / statistics.median(medians)
        bench.row(probe.task, spread(medians, "us", 2), f"{distance:.2f} %")
    bench.print()


def measure_roofline(bench: Bench) -> None:
    """What a copy reaches of the measured roofline."""
    bench.need_gpu()
    bench.table("kernel", "roofline", "achieved", "peak")
    for probe in probes()[:2]:
        lines = [v["roofline"] for v in (time_probe(bench, probe) for _ in range(3)) if v["roofline"]]
        if not lines:
            raise RuntimeError("the verdict has no roofline")
        achieved = spread([line["achieved_gbps"] for line in lines], "GB/s", 0)
        peak = spread([line["peak_gbps"] for line in lines], "GB/s", 0)
        bench.row(probe.task, spread([line["percent"] for line in lines], "%"), achieved, peak)
    bench.print()


# ---- hanging, and 200 evaluations ----


def measure_hang(bench: Bench) -> None:
    """A kernel that never ends, then one that does, in one judge."""
    good, endless = (file.read_text() for file in sources("vector_add", "naive", "endless_loop"))
    kernels = [variant(good, 1), variant(endless, 2), variant(good, 3)]
    turns = refine(bench, "vector_add", kernels, flags=("--timeout", "2s"))
    bench.table("turn", "outcome", "from the end of the reply to the verdict")
    for name, turn in zip(("before", "endless, limit 2 s", "after"), turns):
        bench.row(name, turn.verdict["outcome"], f"{turn.seconds:.2f} s")
    bench.print()


@dataclass
class Usage:
    """What hone and its judge hold at some moment."""

    hone: float
    judge: float
    descriptors: int
    children: int
    processes: int
    device: float | None


def measure_endurance(bench: Bench) -> None:
    """Many evaluations in one judge: right, wrong and crashing kernels by turns."""
    texts = [
        f.read_text() for f in sources("vector_add", "tuned", "writes_the_first_half", "dereferences_null")
    ]
    wanted = [turn for turn in (10, 50, 100, 150, bench.turns) if turn <= bench.turns]
    used: dict[int, Usage] = {}

    def after(turn: int, pid: int) -> None:
        if turn in wanted:
            used[turn] = usage(bench, pid)

    kernels = [variant(texts[i % len(texts)], i) for i in range(bench.turns + 1)]  # hone ends after the last
    begun = time.monotonic()
    turns = refine(bench, "vector_add", kernels, after)
    seconds = time.monotonic() - begun
    bench.table(
        "turn",
        "hone",
        "judge",
        "device memory in use",
        "judge's descriptors",
        "its children",
        "all processes",
    )
    for turn, u in used.items():
        memory = (f"{u.hone:.0f} MiB", f"{u.judge:.0f} MiB", figure(u.device, 0, " MiB"))
        bench.row(str(turn), *memory, str(u.descriptors), str(u.children), str(u.processes))
    outcomes = [turn.verdict["outcome"] for turn in turns]
    counted = ", ".join(f"{outcomes.count(o)} {o}" for o in sorted(set(outcomes)))
    bench.print(f"\n{len(turns)} turns in {seconds:.0f} s: {counted}\n")
    for outcome in sorted(set(outcomes)):
        figures = [1000 * turn.seconds for turn in turns if turn.verdict["outcome"] == outcome]
        bench.print(f"- reply to verdict, {outcome}: {spread(figures, 'ms', 0)}")
    bench.print()


def usage(bench: Bench, pid: int) -> Usage:
    """Looks at hone, its judge and everything below. A spare worker may be on its way."""
    time.sleep(0.05)
    below = descendants(pid)
    judges = [child for child in below if b"judge" in read_bytes(f"/proc/{child}/cmdline").split(b"\0")]
    if not judges:
        raise RuntimeError("hone has no judge")
    judge = judges[0]
    descriptors = len(os.listdir(f"/proc/{judge}/fd"))
    device = None if bench.emulated() else device_memory()
    return Usage(resident(pid), resident(judge), descriptors, len(descendants(judge)), 1 + len(below), device)


def descendants(pid: int) -> list[int]:
    """All processes started below one."""
    parents: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit() and (stat := read_bytes(f"{folder}/stat")):
            parents.setdefault(int(stat.rsplit(b")", 1)[1].split()[1]), []).append(int(folder.name))
    found, waiting = [], [pid]
    while waiting:
        children = parents.get(waiting.pop(), [])
        found += children
        waiting += children
    return found


def read_bytes(path: str) -> bytes:
    """A file of /proc, empty when its process is gone."""
    try:
        return Path(path).read_bytes()
    except OSError:
        return b""


def resident(pid: int) -> float:
    """Resident memory in MiB."""
    return int(read_bytes(f"/proc/{pid}/statm").split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def device_memory() -> float | None:
    """MiB in use on the first device, by everybody."""
    try:
        return float(
            checked(["nvidia-smi", "-i", "0", "--query-gpu=memory.used", "--format=csv,noheader,nounits"])
        )
    except (OSError, ValueError, RuntimeError):
        return None


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
    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
        return str(error)[-300:]


@dataclass
class Promise:
    """What the first lines of a test kernel say about its verdicts."""

    expect: list[str]  # "OUTCOME [KIND]", for the emulation
    gpu: list[str]  # any of them, for a GPU; empty: as by emulation
    needs: str
    why: str


def promise(file: Path) -> Promise:
    """Reads the remarks of a test kernel."""
    remarks: dict[str, str] = {}
    for line in file.read_text().splitlines():
        found = re.fullmatch(r"// (expect|needs|gpu|why): (.*)", line)
        if not found:
            break
        remarks[found[1]] = found[2].strip()
    gpu = [one.strip() for one in remarks["gpu"].split("|")] if "gpu" in remarks else []
    return Promise([remarks["expect"]], gpu, remarks.get("needs", ""), remarks.get("why", ""))


def kept(promised: list[str], verdict: Verdict | str) -> bool:
    """Whether a verdict is one of those promised."""
    if isinstance(verdict, str):
        return False
    kinds = {finding["kind"] for finding in verdict["findings"]}
    for one in promised:
        outcome, _, kind = one.partition(" ")
        if verdict["outcome"] == outcome and (not kind or kind in kinds):
            return True
    return False


def told(verdict: Verdict | str | None) -> str:
    """A verdict in two words."""
    if verdict is None or isinstance(verdict, str):
        return "no verdict" if verdict else "not run"
    kinds = [
        f["kind"] for f in verdict["findings"] if f["severity"] == "error" or verdict["outcome"] == "correct"
    ]
    return " ".join([verdict["outcome"], *kinds[:1]])


def summary(verdict: Verdict | str) -> str:
    """A verdict, or why there is none, in one line."""
    return (verdict if isinstance(verdict, str) else verdict["summary"])[:160]


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


BROKEN = "**not as promised**"


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

SECTIONS: dict[str, Callable[[Bench], None]] = {
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


def facts(bench: Bench) -> None:
    """The machine and the binary."""
    version = checked([str(bench.hone), "version"]).strip().splitlines()[0]
    fields = "name,driver_version,clocks.max.sm,power.limit"
    try:
        device = checked(["nvidia-smi", "-i", "0", f"--query-gpu={fields}", "--format=csv,noheader"]).strip()
    except (OSError, RuntimeError):
        device = "no GPU"
    cores = os.cpu_count()
    system = f"{cores} cores, Linux {os.uname().release}"
    bench.print(f"{time.strftime('%Y-%m-%d')}, {device}, {system}, {version}, --device {bench.device}\n")


def measure(bench: Bench, chosen: list[str]) -> bool:
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
    parser = argparse.ArgumentParser(description="Measures hone on a GPU.")
    parser.add_argument("--hone", type=Path, default=ROOT / "bin" / "hone", help="the binary to measure")
    parser.add_argument("--device", default="auto", help="auto, emulated or a number, as hone takes it")
    parser.add_argument("--kernelbench", type=Path, help="a checkout of KernelBench")
    parser.add_argument("--out", type=Path, help="a file for the report as well")
    parser.add_argument("--only", default=",".join(SECTIONS), help=f"some of {','.join(SECTIONS)}")
    parser.add_argument("--turns", type=int, default=200, help="evaluations of the section endurance")
    parser.add_argument("--evaluate-as-kernelbench", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    """Measures everything in a home of its own."""
    chosen = options()
    if chosen.evaluate_as_kernelbench:
        evaluate_as_kernelbench(chosen.evaluate_as_kernelbench)
        return
    names = [name for name in chosen.only.split(",") if name]
    if unknown := [name for name in names if name not in SECTIONS]:
        sys.exit(f"no section {', '.join(unknown)}: choose from {', '.join(SECTIONS)}")
    with contextlib.ExitStack() as stack:
        home = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        out = stack.enter_context(chosen.out.open("w")) if chosen.out else None
        bench = Bench(chosen.hone.resolve(), chosen.device, home, out, chosen.kernelbench, chosen.turns)
        facts(bench)
        whole = measure(bench, names)
    sys.exit(0 if whole else 1)


if __name__ == "__main__":
    main()
