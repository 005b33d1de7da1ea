"""What runs in a process with KernelBench's code: its evaluator, and its clock beside hone's.

    python3 -P -m measuring.inside_kernelbench JOB

with KernelBench's package, docs/ and hone's Python programs on PYTHONPATH. Prints a line of JSON for each result.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import statistics
import sys
import time
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

# What KernelBench imports and its evaluator hardly uses.
IMPORTED = ("dotenv", "openai", "litellm", "requests", "tqdm", "datasets", "pydantic")

SAMPLES = 50  # of each clock at a time; the two take turns
TURNS = 2


class Stub(types.ModuleType):
    """A module that has whatever is asked of it: a class that takes anything and keeps what has a name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {"__init__": lambda self, *_, **named: self.__dict__.update(named)})


def stub_missing(*names: str) -> list[str]:
    """Puts stubs in the place of modules that cannot be imported."""
    stubs = []
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            sys.modules[name] = Stub(name)
            stubs.append(name)
    return stubs


def evaluated(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """One call of KernelBench's evaluator, as its scripts make it."""
    import torch
    from torch.utils import cpp_extension

    evaluation = importlib.import_module("kernelbench.eval")
    built: list[float] = []
    cpp_extension.load_inline = timed(cpp_extension.load_inline, built)
    task, answer = Path(job["task"]).read_text(), Path(job["answer"]).read_text()
    begun = time.monotonic()
    try:
        result = evaluation.eval_kernel_against_ref(
            task,
            answer,
            num_correct_trials=5,
            num_perf_trials=100,
            measure_performance=True,
            build_dir=os.environ["TORCH_EXTENSIONS_DIR"],
            device=torch.device("cuda:0"),
            precision=torch.float16 if ".half()" in task else torch.float32,
        )
        why = result.metadata if result else {"no result": "a build waits for another one's lock"}
    except Exception as error:  # noqa: BLE001, its scripts count that as not compiled
        result, why = None, {"raised": f"{type(error).__name__}: {error}"}
    yield {
        "seconds": time.monotonic() - begun,
        "build": sum(built) if built else None,
        "compiled": bool(result and result.compiled),
        "correct": bool(result and result.correctness),
        "runtime_ms": result.runtime if result and result.runtime > 0 else None,
        "why": {name: str(value)[:200] for name, value in why.items()},
        "torch": torch.__version__,
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


def eager(job: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The medians of each model's eager time in microseconds by both clocks, in this process and on the same
    inputs; `failed` where there is none."""
    import torch

    until = time.monotonic() + job["seconds"]
    for file in job["files"]:
        if time.monotonic() > until:
            return
        try:
            yield {"file": file, **medians(file)}
        except Exception as error:  # noqa: BLE001, the others shall be timed
            yield {"file": file, "failed": f"{type(error).__name__}: {str(error)[:160]}"}
        torch.cuda.empty_cache()


def medians(file: str) -> dict[str, float]:
    """Both medians of one model, which hone's oracle has loaded and drawn inputs for."""
    import torch
    from hone_torch import eager as clock
    from hone_torch.reference import SEED, Reference

    timing = importlib.import_module("kernelbench.timing")
    device = torch.device("cuda", 0)
    cache = torch.cuda.get_device_properties(device).L2_cache_size
    reference = Reference(file, device)
    drawn = reference.draw(SEED)
    args, kwargs = drawn.with_tensors([t.contiguous() for t in drawn.tensors()])

    def step() -> Any:
        with torch.no_grad():
            return reference.model(*args, **kwargs)

    ours: list[float] = []
    theirs: list[float] = []
    for _ in range(TURNS):
        ours += clock.run(clock.Plan([step], reference.state.restore, SAMPLES, 3.0), device, cache)["samples"]
        with torch.no_grad():
            theirs += timing.time_execution_with_cuda_event(
                functools.partial(reference.model, **kwargs),
                list(args),
                num_warmup=5,
                num_trials=SAMPLES,
                verbose=False,
                device=device,
            )
    return {"hone": statistics.median(ours) / 1000, "kernelbench": statistics.median(theirs) * 1000}


def main() -> None:
    """Does the job. What others print goes to the errors, so that lines of the output are results."""
    results = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    stubs = stub_missing(*IMPORTED)
    job = json.loads(sys.argv[1])
    for answer in {"evaluate": evaluated, "eager": eager}[job["what"]](job):
        print(json.dumps({**answer, "stubs": stubs}), file=results, flush=True)


if __name__ == "__main__":
    main()
