"""What makes a task a bad one to judge by, each with its figure."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch

from . import describe, eager
from .describe import Described
from .reference import SEED, Arguments

Finding = dict[str, Any]

_LAUNCH_BOUND = 10_000  # nanoseconds


def report(
    described: Described, request: dict[str, Any], inputs_of: Callable[[Arguments], list[torch.Tensor]]
) -> Any:
    """All findings: the Go type LintReport."""
    return _Lint(described, request, inputs_of).report()


class _Lint:
    def __init__(
        self,
        described: Described,
        request: dict[str, Any],
        inputs_of: Callable[[Arguments], list[torch.Tensor]],
    ) -> None:
        self._described, self._request, self._inputs_of = described, request, inputs_of
        self._findings: list[Finding] = []

    def report(self) -> Any:
        drawn = self._described.reference.draw(SEED + 10)
        tensors = self._inputs_of(drawn)
        outputs = [t.clone() for t in self._described.run(tensors).tensors()]
        for spec, output in zip(self._described.outputs, outputs):
            tolerance = self._tolerance(spec["dtype"])
            self._values(spec["name"], output, tolerance)
            self._copies(spec["name"], output, drawn.names(), tensors, tolerance)
        self._independence(drawn.names(), tensors, outputs)
        self._again()
        self._memory()
        self._time(tensors)
        return {"findings": self._findings}

    def _tolerance(self, dtype: str) -> tuple[float, float]:
        if dtype in ("float16", "bfloat16"):
            return self._request["half_abs"], self._request["half_rel"]
        return self._request["abs"], self._request["rel"]

    def _add(
        self,
        check: str,
        bad: bool,
        figure: float | None,
        unit: str,
        text: str,
        output: str = "",
        of: str = "",
    ) -> None:
        if figure is not None and not math.isfinite(figure):
            figure = None
        self._findings.append(
            {
                "check": check,
                "bad": bad,
                "figure": figure,
                "unit": unit,
                "text": text,
                "output": output,
                "input": of,
            }
        )

    def _values(self, name: str, output: torch.Tensor, tolerance: tuple[float, float]) -> None:
        if output.numel() == 0:
            self._add("empty", True, 0.0, "elements", f"output {name} has no elements", name)
            return
        facts = _Facts(output, tolerance)
        share = 1 - facts.finite / output.numel()
        text = f"{share:.3g} of output {name} is NaN or infinite"
        self._add("non-finite", share > 0, share, "of elements", text, name)
        if facts.finite == 0:
            return
        if facts.finite > 1:
            self._spread(name, output, facts, tolerance)
        zeros = facts.small / facts.finite
        text = f"zeros pass for {zeros:.3g} of output {name}, whose largest value is {facts.largest:.3g}"
        self._add("zeros", zeros == 1, zeros, "of elements", text, name)

    def _spread(self, name: str, output: torch.Tensor, facts: _Facts, tolerance: tuple[float, float]) -> None:
        spread = facts.high - facts.low
        self._add("constant", spread == 0, spread, "range", f"output {name} ranges over {spread:.3g}", name)
        if output.is_floating_point() and spread > 0:
            ratio = (tolerance[0] + tolerance[1] * facts.magnitude) / facts.deviation
            text = f"the tolerance is {ratio:.3g} times the deviation {facts.deviation:.3g} of output {name}"
            self._add("tolerance", ratio >= 1, ratio, "deviations", text, name)

    def _copies(
        self,
        name: str,
        output: torch.Tensor,
        names: list[str],
        tensors: list[torch.Tensor],
        tolerance: tuple[float, float],
    ) -> None:
        for of, tensor in zip(names, tensors):
            if tensor.shape != output.shape or output.numel() == 0:
                continue
            share = 1 - _apart(output, tensor, tolerance)
            text = f"a copy of input {of} passes for {share:.3g} of output {name}"
            self._add("copy", share == 1, share, "of elements", text, name, of)

    def _independence(
        self, names: list[str], tensors: list[torch.Tensor], outputs: list[torch.Tensor]
    ) -> None:
        """Each input drawn anew by itself, the others as they were."""
        if self._described.random:
            return
        others = self._inputs_of(self._described.reference.draw(SEED + 11))
        for i, of in enumerate(names):
            changed = self._described.run(tensors[:i] + [others[i]] + tensors[i + 1 :]).tensors()
            shares = [
                _apart(a, b, self._tolerance(spec["dtype"]))
                for spec, a, b in zip(self._described.outputs, outputs, changed)
                if a.numel() > 0
            ]
            share = max(shares, default=0.0)
            text = f"another input {of} changes {share:.3g} of the outputs by more than the tolerance"
            self._add("independent", share == 0, share, "of elements", text, "", of)

    def _again(self) -> None:
        differing = self._described.differing
        text = f"two runs on the same inputs differ in {differing} elements"
        self._add("non-deterministic", differing > 0, float(differing), "elements", text)
        if self._described.random:
            self._add(
                "random",
                True,
                None,
                "",
                "forward draws random numbers: no other implementation gives the same",
            )

    def _memory(self) -> None:
        """The inputs and the state, and the outputs: native, in double, and the candidate's."""
        described = self._described
        sizes = [
            *described.description["state"],
            *[i["tensor"] for i in described.description["inputs"] if "tensor" in i],
        ]
        need = sum(_bytes(t) for t in sizes) + sum(4 * _bytes(t) for t in described.outputs)
        total = self._request["memory"] or describe.free_bytes(described.reference.device)
        text = f"judging takes at least {need >> 20} MiB of {total >> 20} MiB"
        self._add("memory", need > total, need / total, "of the device", text)

    def _time(self, tensors: list[torch.Tensor]) -> None:
        device, described = self._described.reference.device, self._described
        if device.type != "cuda":
            return
        args, kwargs = described.arguments.with_tensors(tensors)

        def step() -> Any:
            with torch.no_grad():
                return described.reference.model(*args, **kwargs)

        plan = eager.Plan([step], described.reference.state.restore, 21, 5.0)
        samples = sorted(eager.run(plan, device, self._request["l2"])["samples"])
        median = samples[len(samples) // 2]
        text = f"eager takes {median / 1000:.1f} us: most of it is the launch"
        self._add("launch-bound", median < _LAUNCH_BOUND, median / 1000, "us", text)


def _bytes(spec: dict[str, Any]) -> int:
    return (
        torch.Size(spec["shape"]).numel()
        * torch.empty(0, dtype=describe.DTYPES[spec["dtype"]]).element_size()
    )


# Elements that are looked at once: what is made in double of them must fit beside all else.
_PART = 1 << 24


class _Facts:
    """Figures of one output's finite elements."""

    def __init__(self, output: torch.Tensor, tolerance: tuple[float, float]) -> None:
        self.finite = self.small = 0
        self.low, self.high = math.inf, -math.inf
        total = squares = magnitudes = 0.0
        shift: float | None = None  # near the mean, so that squares lose no digits
        for part in output.reshape(-1).split(_PART):
            values = part.double()
            values = values[values.isfinite()]
            if values.numel() == 0:
                continue
            if shift is None:
                shift = float(values.mean())
            sizes, off = values.abs(), values - shift
            self.finite += values.numel()
            self.small += int((sizes <= tolerance[0] + tolerance[1] * sizes).sum())
            self.low, self.high = min(self.low, float(values.min())), max(self.high, float(values.max()))
            total, squares = total + float(off.sum()), squares + float((off * off).sum())
            magnitudes += float(sizes.sum())
        count = max(1, self.finite)
        self.magnitude = magnitudes / count  # the mean one
        self.largest = max(abs(self.low), abs(self.high))
        self.deviation = math.sqrt(max(0.0, squares / count - (total / count) ** 2)) or math.ulp(
            self.magnitude
        )


def _apart(truth: torch.Tensor, other: torch.Tensor, tolerance: tuple[float, float]) -> float:
    """The share of elements that differ by more than the tolerance; exact for integers."""
    apart = 0
    for mine, theirs in zip(truth.reshape(-1).split(_PART), other.reshape(-1).split(_PART)):
        if not truth.is_floating_point():
            apart += int((mine != theirs).sum())
            continue
        a, b = mine.double(), theirs.double()
        same = (a - b).abs() <= tolerance[0] + tolerance[1] * a.abs()
        apart += int((~(same | (a == b) | (a.isnan() & b.isnan()))).sum())
    return apart / truth.numel()
