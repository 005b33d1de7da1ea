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
        values = output.double()
        finite = values[values.isfinite()]
        share = 1 - finite.numel() / values.numel()
        self._add(
            "non-finite",
            share > 0,
            share,
            "of elements",
            f"{share:.3g} of output {name} is NaN or infinite",
            name,
        )
        if finite.numel() == 0:
            return
        if finite.numel() > 1:
            self._spread(name, output, finite, tolerance)
        self._zeros(name, finite, tolerance)

    def _spread(
        self, name: str, output: torch.Tensor, finite: torch.Tensor, tolerance: tuple[float, float]
    ) -> None:
        spread = float(finite.max() - finite.min())
        self._add("constant", spread == 0, spread, "range", f"output {name} ranges over {spread:.3g}", name)
        if output.is_floating_point() and spread > 0:
            deviation = float(finite.std())
            allowed = tolerance[0] + tolerance[1] * float(finite.abs().mean())
            ratio = allowed / deviation
            text = f"the tolerance is {ratio:.3g} times the deviation {deviation:.3g} of output {name}"
            self._add("tolerance", ratio >= 1, ratio, "deviations", text, name)

    def _zeros(self, name: str, finite: torch.Tensor, tolerance: tuple[float, float]) -> None:
        share = _share(finite.abs() <= tolerance[0] + tolerance[1] * finite.abs())
        most = float(finite.abs().max())
        text = f"zeros pass for {share:.3g} of output {name}, whose largest value is {most:.3g}"
        self._add("zeros", share == 1, share, "of elements", text, name)

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
        """The inputs and the state once, the outputs three times: native, exact, and the candidate's."""
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


def _share(mask: torch.Tensor) -> float:
    return int(mask.sum()) / mask.numel()


def _apart(truth: torch.Tensor, other: torch.Tensor, tolerance: tuple[float, float]) -> float:
    """The share of elements that differ by more than the tolerance; exact for integers."""
    a, b = truth.double(), other.double()
    if not truth.is_floating_point():
        return _share(truth != other)
    same = (a - b).abs() <= tolerance[0] + tolerance[1] * a.abs()
    return 1 - _share(same | (a == b) | (a.isnan() & b.isnan()))
