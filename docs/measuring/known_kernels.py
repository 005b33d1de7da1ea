"""Kernels of known length: hone's times beside Nsight Compute's, how far they spread, what a copy reaches."""

from __future__ import annotations

import csv
import io
import re
import shutil
import statistics
from dataclasses import dataclass
from pathlib import Path

from .bench import ROOT, Bench, Unavailable, Verdict, checked, correct, spread

TIMING = ROOT / "docs" / "timing"


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
