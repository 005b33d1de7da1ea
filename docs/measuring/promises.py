"""What the first lines of a test file promise of its verdicts, and whether it was kept."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .bench import Verdict

BROKEN = "**not as promised**"


@dataclass
class Promise:
    """The remarks of a test file."""

    expect: list[str]  # any of them, "OUTCOME [KIND]", for the emulation
    gpu: list[str]  # any of them, for a GPU; empty: as by emulation
    needs: str
    why: str


def promise(file: Path) -> Promise:
    """Reads the remarks of a kernel or of an answer in Python."""
    mark = "#" if file.suffix == ".py" else "//"
    remarks: dict[str, str] = {}
    for line in file.read_text().splitlines():
        found = re.fullmatch(rf"{mark} (expect|unruled|needs|gpu|why): (.*)", line)
        if not found:
            break
        remarks[found[1]] = found[2].strip()
    gpu = _either(remarks["gpu"]) if "gpu" in remarks else []
    return Promise(_either(remarks["expect"]), gpu, remarks.get("needs", ""), remarks.get("why", ""))


def _either(text: str) -> list[str]:
    return [one.strip() for one in text.split("|")]


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
