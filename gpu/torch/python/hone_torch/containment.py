"""What this process takes from itself before it reads an answer."""

from __future__ import annotations

import ctypes
import errno
import glob
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import torch


class Containment:
    """The library that contains the process; without one nothing is contained."""

    def __init__(self, path: str) -> None:
        self._library = ctypes.CDLL(path) if path else None
        if self._library is not None:
            self._library.hone_contain.restype = ctypes.c_char_p

    def apply(self, memory: int, file: int, device: torch.device) -> list[tuple[str, str]]:
        """Take away everything but reading and the starting of programs.

        The limits are in bytes, 0 for none; that of memory comes on top of what the
        process has. The result names each layer with "on" or "off: reason".
        """
        if self._library is None:
            return [(name, "off: no library to contain Python with") for name in ("landlock", "seccomp")]
        wants = [("file", str(file))] if file > 0 else []
        if memory > 0:
            wants.append(("memory", str(memory + _private_memory())))
        if device.type == "cuda":
            wants += _needs_of_driver()
        self._library.hone_handle_signals()
        lines = self._library.hone_contain(_text(wants)).decode("utf-8", "replace").split("\n")
        return [(fields[1], fields[2]) for fields in (line.split("\t") for line in lines) if len(fields) == 3]

    def seal(self, paths: Iterable[str], device: torch.device, programs: bool) -> None:
        """Leave only these paths to be read beside those of Python and of the system."""
        if self._library is None:
            return
        wants = [("read", path) for path in [*paths, *_python_folders(), "/proc/meminfo", "/proc/cpuinfo"]]
        if device.type == "cuda":
            wants += _needs_of_driver()
        self._library.hone_seal(_text(wants), ctypes.c_int(programs))
        os.replace = _replace

    def name_buffers(self, buffers: Iterable[tuple[str, int, int, bool]]) -> None:
        """Say where the judge's buffers lie: name, address, bytes, whether to be written."""
        if self._library is None:
            return
        self._library.hone_forget_buffers()
        for name, address, size, writable in buffers:
            where, extent = ctypes.c_size_t(address), ctypes.c_size_t(size)
            self._library.hone_name_buffer(name.encode(), where, extent, ctypes.c_int(writable))


_rename = os.replace


def _replace(source: str, target: str, **places: Any) -> None:
    """Do what os.replace does. Landlock lets no file change its folder, which Triton
    has each file of its cache do: such a file is copied."""
    try:
        _rename(source, target, **places)
    except OSError as error:
        if error.errno != errno.EXDEV or places:
            raise
        shutil.copyfile(source, target)
        os.remove(source)


def _text(wants: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"{name}\t{value}\n" for name, value in wants if "\n" not in value]
    return "".join(lines).encode("utf-8", "surrogateescape")


def _private_memory() -> int:
    """What the limit of memory counts already, in bytes."""
    try:
        with open("/proc/self/status") as status:
            lines = [line.split() for line in status]
    except OSError:
        return 0
    return next((int(fields[1]) << 10 for fields in lines if fields[0] == "VmData:"), 0)


def _python_folders() -> list[str]:
    """Where this Python, its modules, torch and hone's own programs lie."""
    folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, sys.base_exec_prefix, *sys.path}
    folders |= {os.path.dirname(file) for file in (torch.__file__, __file__) if file}
    folders |= {os.path.realpath(folder) for folder in folders if folder}
    return sorted(folder for folder in folders if os.path.isabs(folder) and folder != "/")


def _needs_of_driver() -> list[tuple[str, str]]:
    """What the NVIDIA driver reaches once the device's context exists."""
    wants = [("read", path) for path in ("/proc/devices", "/proc/meminfo", "/proc/driver", "/sys")]
    wants += [("read", os.path.dirname(file)) for file in libraries("libcuda.so")]
    wants.append(("write", "/proc/self/task"))
    return wants + [("device", node) for node in glob.glob("/dev/nvidia*") + glob.glob("/dev/dxg")]


def libraries(name: str) -> list[str]:
    """The files of this process's libraries whose names begin so."""
    with open("/proc/self/maps") as maps:
        files = {line.split(maxsplit=5)[5].strip() for line in maps if f"/{name}" in line}
    return sorted(files)
