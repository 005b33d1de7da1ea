"""Holds the native reference of every built-in task to its PyTorch one, on a GPU.

    python3 docs/check_references.py

Each reference.cu is compiled by nvcc in double precision and run at the task's full size; its outputs are
compared with those of reference.py in float64 on the same inputs. Needs Python 3.11, a CUDA build of torch,
nvcc and a GPU.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path

import torch

TASKS = Path(__file__).resolve().parent.parent / "tasks" / "builtin"
TYPES = {"int32": ("int32_t", torch.int32), "int64": ("int64_t", torch.int64)}
REAL = ("double", torch.float64)


def build(folder: Path, task: dict, scratch: Path) -> ctypes.CDLL:
    """Compiles a native reference with an entry for ctypes."""
    tensors = task["input"] + task["output"]
    parameters = [f"{TYPES.get(t['dtype'], REAL)[0]}* {t['name']}" for t in tensors]
    parameters += [f"int64_t {d}" for d in task["dims"]]
    arguments = ", ".join([t["name"] for t in tensors] + task["dims"])
    source = scratch / "unit.cu"
    source.write_text(
        f"#include <cstdint>\n{(folder / 'reference.cu').read_text()}\n"
        f'extern "C" int run({", ".join(parameters)}) {{ reference<double>({arguments}, nullptr); '
        "const cudaError_t launched = cudaGetLastError(); "
        "return int(launched ? launched : cudaDeviceSynchronize()); }\n"
    )
    library = scratch / f"{folder.name}.so"
    subprocess.run(
        [
            "nvcc",
            "-std=c++17",
            "-O2",
            "-arch=native",
            "-shared",
            "-Xcompiler",
            "-fPIC",
            "-o",
            library,
            source,
        ],
        check=True,
    )
    return ctypes.CDLL(str(library))


def worst(folder: Path, scratch: Path) -> float:
    """The largest error of any output, relative to the larger of 1 and the truth."""
    task = tomllib.loads((folder / "task.toml").read_text())
    module: dict = {}
    exec((folder / "reference.py").read_text(), module)  # noqa: S102, our own file
    torch.manual_seed(0)
    inputs = [x.cuda().double() if x.is_floating_point() else x.cuda() for x in module["get_inputs"]()]
    model = module["Model"](*module["get_init_inputs"]()).cuda().double()
    with torch.no_grad():
        truth = model(*inputs)
    truth = list(truth) if isinstance(truth, (tuple, list)) else [truth]
    outputs = [
        torch.full(t.shape, -1, dtype=TYPES.get(o["dtype"], REAL)[1], device="cuda")
        for t, o in zip(truth, task["output"])
    ]
    dims = [ctypes.c_int64(task["sizes"]["full"][d]) for d in task["dims"]]
    pointers = [ctypes.c_void_p(t.contiguous().data_ptr()) for t in inputs + outputs]
    if failed := build(folder, task, scratch).run(*pointers, *dims):
        sys.exit(f"{folder.name}: CUDA error {failed}")
    errors = [((o - t).abs() / t.abs().clamp(min=1)).max().item() for o, t in zip(outputs, truth)]
    return max(errors)


def main() -> None:
    """Checks every task; an error above 1e-5 fails."""
    print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}")
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        for manifest in sorted(TASKS.glob("*/*/task.toml")):
            error = worst(manifest.parent, Path(scratch))
            failed = failed or error > 1e-5
            print(f"{manifest.parent.name:20s} worst error {error:.1e}", flush=True)
            torch.cuda.empty_cache()
    sys.exit(failed)


if __name__ == "__main__":
    main()
