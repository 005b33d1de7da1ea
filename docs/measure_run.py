"""Measures whether a run that is killed comes to what an undisturbed one comes to.

From the root of the repository, with bin/hone built (make build):

    python3 docs/measure_run.py

It runs 8 built-in tasks x 4 trajectories x 4 turns of the scripted model by CPU
emulation twice: once undisturbed, once killed with SIGKILL at a third and at two
thirds of its turns and gone on with. Then it holds the two against each other:
every sample's kernel, outcome and prompt, and the table. Times are measured anew in
each run, and inputs are drawn anew, so numbers within prompts are left out, and
speedups are shown side by side instead.

Beyond that nothing may be lost or repeated: every log of the killed run has to
begin with the bytes that it had when it was killed, and the table has to be the
same when it is made from the records alone.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HONE = ROOT / "bin" / "hone"
NUMBER = re.compile(r"[-+]?\b\d[\d.]*(e[-+]?\d+)?\b|\bnan\b|[-+]?\binf\b", re.IGNORECASE)
CHOSEN = "softmax,layer_norm,matmul_bias_gelu,vector_add,gelu,transpose,sum_argmax,add_rms_norm"


class Run:
    """One run in a folder of its own."""

    def __init__(self, folder: Path, options: argparse.Namespace) -> None:
        self.folder = folder
        tasks = ",".join(options.tasks.split(",")[: options.count])
        self.command = [
            str(HONE),
            "run",
            "--profile",
            "demo",
            "--device",
            "emulated",
            "--json",
            "--out",
            str(folder),
        ]
        self.command += [
            "--tasks",
            tasks,
            "--trajectories",
            str(options.trajectories),
            "--turns",
            str(options.turns),
        ]

    def finish(self) -> dict[str, Any]:
        """Runs to the end; the table."""
        done = subprocess.run(self.command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"hone run ended with {done.returncode}:\n{done.stderr}")
        return json.loads(done.stdout)

    def kill(self, turns: int) -> dict[Path, bytes]:
        """Runs until so many turns have ended, kills it, and returns the whole lines of every log."""
        with subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            while process.poll() is None and ended(self.folder) < turns:
                time.sleep(0.02)
            if process.poll() is not None:
                sys.exit("hone run ended before it could be killed: ask for more turns")
            process.send_signal(signal.SIGKILL)
        return {log: whole(log) for log in logs(self.folder)}

    def events(self, session: str) -> list[dict[str, Any]]:
        """The record of a session, long texts in place."""
        shown = subprocess.run(
            [str(HONE), "runs", "show", session, "--json", "--runs", str(self.folder)],
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(line) for line in shown.stdout.splitlines()]

    def prompts(self, trajectory: dict[str, Any]) -> list[str]:
        """What the model was sent for each sample, without numbers."""
        built = {
            e["turn"]: e["data"]["messages"]
            for e in self.events(trajectory["session"])
            if e["event"] == "prompt.built"
        }
        return [NUMBER.sub("#", json.dumps(built[s["turn"]])) for s in trajectory["samples"]]


def logs(folder: Path) -> list[Path]:
    """The logs of a run."""
    return sorted(folder.glob("*/events.jsonl"))


def whole(log: Path) -> bytes:
    """The complete lines of a log."""
    text = log.read_bytes()
    return text[: text.rfind(b"\n") + 1]


def ended(folder: Path) -> int:
    """How many turns have ended."""
    return sum(whole(log).count(b'"event":"turn.end"') for log in logs(folder))


def samples(table: dict[str, Any]) -> dict[tuple[str, int], list[tuple[str, str]]]:
    """Outcome and kernel of every sample, by task and trajectory."""
    return {
        (t["task"], t["index"]): [(s["outcome"], s["kernel_sha256"]) for s in t["samples"]]
        for t in table["trajectories"]
    }


def row(table: dict[str, Any]) -> str:
    """The total of a table in a line."""
    total = table["total"]
    best = ", ".join(f"best@{at['k']} {at['value']:.3f}x" for at in total["speedup"]["best"])
    fast = ", ".join(f"fast_{f['p']:g} {f['avg']:.2f}" for f in total["fast"])
    return (
        f"{total['trajectories']} trajectories, {total['turns']} turns, correct {total['correct']['avg']:.4f}, "
        f"mean {total['speedup']['avg']:.3f}x, {best}, {fast}"
    )


def main() -> None:
    """Runs twice and compares."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tasks", default=CHOSEN)
    parser.add_argument("--count", type=int, default=8, help="how many of the tasks")
    parser.add_argument("--trajectories", type=int, default=4)
    parser.add_argument("--turns", type=int, default=4)
    parser.add_argument("--kills", type=int, default=2)
    options = parser.parse_args()
    wanted = options.count * options.trajectories * options.turns

    with tempfile.TemporaryDirectory() as folder:
        calm, killed = Run(Path(folder) / "calm", options), Run(Path(folder) / "killed", options)
        begun = time.monotonic()
        first = calm.finish()
        print(f"undisturbed: {time.monotonic() - begun:.0f} s; {row(first)}")
        begun = time.monotonic()
        kept: dict[Path, bytes] = {}
        for n in range(options.kills):
            kept = killed.kill(wanted * (n + 1) // (options.kills + 1))
            print(f"killed after {ended(killed.folder)} of {wanted} turns, in {len(kept)} logs")
        second = killed.finish()
        print(f"killed {options.kills} times: {time.monotonic() - begun:.0f} s; {row(second)}")

        problems = compare(calm, killed, first, second)
        problems += [
            f"{log.parent.name} does not begin as it was"
            for log, text in kept.items()
            if not log.read_bytes().startswith(text)
        ]
        if killed.finish() != second:
            problems.append("the table differs when it is made from the records alone")
        repeated = ended(killed.folder) - wanted
        print(f"turns that were under way when it was killed, and were taken again: {repeated}")
        print(
            "\n".join(problems)
            or f"equal: {sum(map(len, samples(second).values()))} samples with their prompts, and the counts of the table; its speedups are of other measurements"
        )
        sys.exit(bool(problems))


def compare(calm: Run, killed: Run, first: dict[str, Any], second: dict[str, Any]) -> list[str]:
    """What differs between the two runs."""
    problems = []
    a, b = samples(first), samples(second)
    problems += [f"{key}: {b.get(key)}, undisturbed {a[key]}" for key in a if a[key] != b.get(key)]
    for rows in ("tasks", "levels"):
        for one, other in zip(first[rows], second[rows]):
            if (
                one["correct"] != other["correct"]
                or one["turns"] != other["turns"]
                or one["incomplete"] != other["incomplete"]
            ):
                problems.append(f"{rows}: {other}, undisturbed {one}")
    for one, other in zip(first["trajectories"], second["trajectories"]):
        if calm.prompts(one) != killed.prompts(other):
            problems.append(f"{one['task']} #{one['index']}: the prompts differ")
    return problems


if __name__ == "__main__":
    os.environ.setdefault("HONE_RUNS", "/nonexistent")
    main()
