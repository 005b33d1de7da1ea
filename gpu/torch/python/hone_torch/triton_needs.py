"""What Triton needs of this process beside Python.

It compiles C, which takes a compiler and Python's headers, and keeps what it made
below the home folder, which is this process's own.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sysconfig
from typing import Any

from .containment import libraries
from .inline_hook import UnsupportedError


def missing() -> str:
    """Why Triton cannot work here, empty where it can."""
    if importlib.util.find_spec("triton") is None:
        return "Triton is not installed: pip install triton"
    if not any(shutil.which(name) for name in (os.environ.get("CC", "gcc"), "gcc", "clang")):
        return "Triton needs a C compiler: apt install gcc"
    if not os.path.exists(os.path.join(sysconfig.get_paths()["include"], "Python.h")):
        return "Triton needs Python's headers: apt install python3-dev"
    return ""


class Refusal:
    """Finds Triton, and says why it cannot be used. An answer is not to blame for that."""

    def __init__(self, why: str) -> None:
        self._why = why

    def find_spec(self, name: str, *_: Any) -> None:
        """Refuse triton and nothing else."""
        if name.partition(".")[0] == "triton":
            raise UnsupportedError(self._why)


def show_driver() -> None:
    """Tell Triton where the driver's library is: it would start a program to find it,
    which does not know every place. Older releases link with the first of the names."""
    found = libraries("libcuda.so")
    if not found:
        return
    folder = os.path.join(os.getcwd(), "driver")
    os.mkdir(folder)
    for name in ("libcuda.so", "libcuda.so.1"):
        os.symlink(found[0], os.path.join(folder, name))
    os.environ["TRITON_LIBCUDA_PATH"] = folder
