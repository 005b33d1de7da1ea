"""Many evaluations in one judge, and what hone and its judge hold meanwhile."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path

from .bench import Bench, checked, figure, spread, variant
from .session import Script, refine


@dataclass
class Usage:
    """What hone and its judge hold at some moment."""

    hone: float
    judge: float
    descriptors: int
    children: int
    processes: int
    device: float | None


def endure(bench: Bench, texts: list[str], count: int) -> None:
    """Takes so many turns with these kernels of vector_add, one after another, and tells what is held."""
    wanted = [turn for turn in (10, 50, 100, 150, count) if turn <= count]
    used: dict[int, Usage] = {}

    def after(turn: int, pid: int) -> None:
        if turn in wanted:
            used[turn] = usage(bench, pid)

    kernels = [variant(texts[i % len(texts)], i) for i in range(count + 1)]  # hone ends after the last
    begun = time.monotonic()
    turns = refine(bench, "vector_add", Script(kernels), after)
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
