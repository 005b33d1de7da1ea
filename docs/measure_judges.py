"""Measures how much sooner `hone run` ends with a judge for each GPU.

    make build && python3 docs/measure_judges.py --judges 2

The same run of the scripted model, which takes no time to reply, once with one judge and
once with several, in turns, each with an empty record and artefacts that all share. It
fails if another sample came to another outcome. Without as many GPUs, add --device emulated.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

HONE = Path(__file__).resolve().parent.parent / "bin" / "hone"
Samples = list[tuple[str, int, list[tuple[str, str]]]]


def command(options: argparse.Namespace, judges: int, home: Path, folder: Path) -> list[str]:
    """The run, of so many judges."""
    flags = {
        "profile": "demo",
        "device": options.device,
        "judges": judges,
        "parallel": 8 * judges,
        "tasks": options.tasks,
        "trajectories": options.trajectories,
        "turns": options.turns,
        "cache": home / "cache",
        "out": folder,
    }
    return [str(options.hone), "run", "--json", *(f"--{name}={value}" for name, value in flags.items())]


def timed(options: argparse.Namespace, judges: int, home: Path) -> tuple[float, Samples]:
    """The seconds of one run and its samples."""
    with tempfile.TemporaryDirectory(dir=home) as folder:
        begun = time.monotonic()
        done = subprocess.run(
            command(options, judges, home, Path(folder) / "run"), capture_output=True, text=True, check=False
        )
        seconds = time.monotonic() - begun
    if done.returncode != 0:
        sys.exit(f"hone run with {judges} judges ended with {done.returncode}:\n{done.stderr}")
    return seconds, samples(json.loads(done.stdout))


def samples(table: dict[str, Any]) -> Samples:
    """Outcome and kernel of every sample."""
    return sorted(
        (t["task"], t["index"], [(s["outcome"], s["kernel_sha256"]) for s in t["samples"]])
        for t in table["trajectories"]
    )


def told(seconds: list[float]) -> str:
    """A median and its spread."""
    return f"{statistics.median(seconds):.1f} s ({min(seconds):.1f} to {max(seconds):.1f}, n={len(seconds)})"


def main() -> None:
    """Runs in turns and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hone", type=Path, default=HONE)
    parser.add_argument("--device", default="auto", help="auto or emulated, as hone takes it")
    parser.add_argument("--judges", type=int, default=2)
    parser.add_argument("--times", type=int, default=3, help="how often each is run")
    parser.add_argument("--tasks", default="softmax,vector_add,layer_norm,gelu")
    parser.add_argument("--trajectories", type=int, default=2)
    parser.add_argument("--turns", type=int, default=3)
    options = parser.parse_args()
    problems = []
    with tempfile.TemporaryDirectory() as folder:
        _, first = timed(options, options.judges, Path(folder))  # fills the cache, and measures each GPU once
        seconds: dict[int, list[float]] = {1: [], options.judges: []}
        for _ in range(options.times):
            for judges, taken in seconds.items():
                took, found = timed(options, judges, Path(folder))
                taken.append(took)
                print(f"{judges}: {took:.1f} s", flush=True)
                if found != first:
                    problems.append(f"{judges} judges came to other samples: {found}\nat first: {first}")
    for judges, taken in seconds.items():
        print(f"{judges} judge{'s' if judges > 1 else ''}: {told(taken)}")
    ratio = statistics.median(seconds[1]) / statistics.median(seconds[options.judges])
    turns = sum(len(s) for _, _, s in first)
    print(f"{turns} turns, {ratio:.2f} times as fast with {options.judges} judges")
    sys.exit("\n".join(problems) or 0)


if __name__ == "__main__":
    main()
