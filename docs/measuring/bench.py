"""The binary that is measured, the time that may be spent on it, and where the figures go."""

from __future__ import annotations

import concurrent.futures
import contextlib
import json
import math
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO, TypeVar

ROOT = Path(__file__).resolve().parent.parent.parent
Verdict = dict[str, Any]
Item = TypeVar("Item")
Result = TypeVar("Result")


class Unavailable(Exception):
    """What a section needs and this machine has not."""


class OutOfTime(Exception):
    """The time of a section is over."""


@dataclass
class Finished:
    """A command that has ended, or that was ended at its limit."""

    code: int | None  # None at its limit
    out: str
    errors: str
    seconds: float


def finished(command: list[str], environment: Mapping[str, str], limit: float) -> Finished:
    """Runs a command to its end or to its limit in seconds. Output goes to files, so that nothing it
    leaves behind can keep anybody waiting."""
    begun = time.monotonic()
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(
            command, env=environment, stdout=out, stderr=errors, text=True, start_new_session=True
        )
        code: int | None = None
        try:
            with contextlib.suppress(subprocess.TimeoutExpired):
                code = process.wait(limit)
        finally:
            end(process)
        seconds = time.monotonic() - begun
        out.seek(0)
        errors.seek(0)
        return Finished(code, out.read(), errors.read(), seconds)


def end(process: subprocess.Popen[str]) -> None:
    """Ends a process that leads a session of its own, and what it started there: the compilers that it
    waits for would go on without it."""
    if process.poll() is not None:
        return
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(3)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


@dataclass
class Bench:
    """The binary that is measured, and where the figures go."""

    hone: Path
    device: str
    home: Path
    out: TextIO | None
    kernelbench: Path | None
    deadline: float = math.inf  # of the section, by the monotonic clock
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
        self.print("| " + " | ".join(" ".join(c.split()).replace("|", "\\|") for c in cells) + " |")

    def left(self, most: float = math.inf) -> float:
        """The seconds that the section has, at most so many."""
        left = self.deadline - time.monotonic()
        if left < 1:
            raise OutOfTime
        return min(left, most)

    def late(self) -> bool:
        """Whether the section's time is over."""
        return self.deadline - time.monotonic() < 1

    @contextlib.contextmanager
    def part(self, share: float) -> Iterator[None]:
        """Leaves a part of a section no more than a share of what the section has."""
        whole = self.deadline
        self.deadline = time.monotonic() + share * self.left()
        try:
            yield
        finally:
            self.deadline = whole

    def emulated(self) -> bool:
        """Whether the kernels run on a CPU."""
        return self.device == "emulated"

    def need_gpu(self) -> None:
        """Ends a section that says nothing about an emulation."""
        if self.emulated():
            raise Unavailable("needs a GPU")

    def checkout(self) -> Path:
        """The checkout of KernelBench, which a section needs."""
        if not self.kernelbench:
            raise Unavailable("needs --kernelbench CHECKOUT")
        return self.kernelbench

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
        self, task: str, kernel: Path, *flags: str, device: str | None = None, limit: float = 300
    ) -> tuple[float, Verdict]:
        """Seconds of a whole `hone eval`, and its verdict."""
        command = self.command("eval", task, str(kernel), "--json", *flags, device=device)
        done = finished(command, self.environment(), self.left(limit))
        if done.code is None:
            self.left()
            raise RuntimeError(f"{' '.join(command[1:])}: no verdict within {done.seconds:.0f} s")
        if not done.out.strip():
            raise RuntimeError(
                f"{' '.join(command[1:])}: exit code {done.code}: {done.errors.strip()[-300:]}"
            )
        return done.seconds, json.loads(done.out)


Measured = TypeVar("Measured", bound=Bench)


def each(
    bench: Bench, items: Sequence[Item], work: Callable[[Item], Result], at_once: int, least: float = 1
) -> Iterator[tuple[Item, Result]]:
    """What becomes of each item, as it comes, several at once. With less than `least` seconds left none is
    begun; those that the time did not do for are left out."""

    def one(item: Item) -> Result:
        if bench.left() < least:
            raise OutOfTime
        return work(item)

    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        begun = {pool.submit(one, item): item for item in items}
        for future in concurrent.futures.as_completed(begun):
            with contextlib.suppress(OutOfTime):
                yield begun[future], future.result()


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


def checked(command: list[str]) -> str:
    """What a command prints."""
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise RuntimeError(
            f"{command[0]}: exit code {done.returncode}: {(done.stdout + done.stderr).strip()[-300:]}"
        )
    return done.stdout


def variant(text: str, number: int) -> str:
    """The same kernel in a text that no cache knows, in its device part and in its host part."""
    last = max(text.rfind("\n#include"), 0)
    end = text.index("\n", last + 1) + 1
    return f"{text[:end]}\nconstexpr int kVariant{number} = {number};\n{text[end:]}"


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


@dataclass(frozen=True)
class Budget:
    """The seconds of a whole run, and the parts of them that sections are given. What one leaves over goes
    to those after it."""

    seconds: float = math.inf
    shares: Mapping[str, float] = field(default_factory=dict)

    def of(self, names: Sequence[str], left: float) -> float:
        """The seconds of the first of the sections that are still to come."""
        shares = [self.shares.get(name, 1) for name in names]
        return left * shares[0] / sum(shares)


def measure(
    bench: Measured,
    sections: Mapping[str, Callable[[Measured], None]],
    chosen: Sequence[str],
    budget: Budget = Budget(),
) -> bool:
    """Runs the sections; whether all of them came through."""
    whole = True
    over = time.monotonic() + budget.seconds
    for at, name in enumerate(chosen):
        bench.print(f"## {name}: {(sections[name].__doc__ or '').strip()}\n")
        begun = time.monotonic()
        bench.deadline = begun + budget.of(chosen[at:], over - begun)
        try:
            sections[name](bench)
        except Unavailable as reason:
            bench.print(f"skipped: {reason}\n")
        except OutOfTime:
            whole = False
            bench.print("\nstopped: its time is over\n")
        except Exception as error:  # noqa: BLE001, the next section shall run
            whole = False
            bench.print(f"\nfailed: {type(error).__name__}: {error}\n")
        bench.print(f"({time.monotonic() - begun:.0f} s)\n")
    return whole


def names_of(text: str, known: Sequence[str], what: str) -> list[str]:
    """The names in a list, all of which must be known."""
    names = [name for name in text.split(",") if name]
    if unknown := [name for name in names if name not in known]:
        sys.exit(f"no {what} {', '.join(unknown)}: choose from {', '.join(known)}")
    return names
